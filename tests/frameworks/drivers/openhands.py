"""OpenHands SDK with its own TestLLM and its real terminal."""

import json
import logging
from typing import Any

logging.disable(logging.CRITICAL)  # a warning while litellm is imported ends in a deadlock

from openhands.sdk import Agent, Conversation  # noqa: E402
from openhands.sdk.llm import Message, MessageToolCall, TextContent  # noqa: E402
from openhands.sdk.testing import TestLLM  # noqa: E402
from openhands.tools.terminal import TerminalAction  # noqa: E402

import laconic  # noqa: E402
from frameworks.scenario import TURNS, Scenario  # noqa: E402
from laconic.adapters.openhands import confirm, guard  # noqa: E402

scenario = Scenario()


class Scripted(TestLLM):
    def completion(self, messages: Any, *args: Any, **more: Any) -> Any:
        parts = [part for message in messages for part in message.content]
        scenario.seen.append("\n".join(part.text for part in parts if part.type == "text"))
        return super().completion(messages, *args, **more)


def call(command: str) -> MessageToolCall:
    arguments = json.dumps({"command": command, "security_risk": "LOW"})
    return MessageToolCall(
        id=f"call {command}", name="terminal", arguments=arguments, origin="completion"
    )


def calling(commands: tuple[str, ...]) -> Message:
    calls = [call(command) for command in commands]
    return Message(role="assistant", content=[TextContent(text="")], tool_calls=calls)


calls = [calling(commands) for commands in TURNS]
done = Message(role="assistant", content=[TextContent(text="done")])
page = scenario.run_page("openhands", model=Scripted.from_messages([*calls, done]))
scenario.report(page["gate"], asked=1, each=False)

# A yes is for what was asked: here the place is another one when the second command's turn comes.
(scenario.here / "ran").unlink()
there = scenario.here / "there"
there.mkdir()
(there / "deploy.sh").symlink_to(scenario.here / "deploy.sh")
moved = calling((f"cd {there}", "./deploy.sh moved"))
gate = laconic.Gate()
agent = Agent(llm=Scripted.from_messages([moved, done]), tools=[guard(gate)])
conversation = Conversation(agent=agent, workspace=".")
confirm(conversation)
conversation.send_message("go")
conversation.run()
assert conversation.state.execution_status.value == "waiting_for_confirmation"
conversation.run()
assert scenario.ran == [], scenario.ran

# The terminal stays where it was: what comes next is judged there.
places: dict[str, str] = {}


def where(command: str, context: Any) -> bool:
    places[command] = context.cwd
    return False


away = scenario.here / "away"
away.mkdir()
commands = (f"cd {away}", "echo here")
again = Scripted.from_messages([*(calling((command,)) for command in commands), done])
gate = laconic.Gate(custom_rules=[laconic.Rule(id="where", pattern=where, explanation="-")])
conversation = Conversation(agent=Agent(llm=again, tools=[guard(gate)]), workspace=".")
conversation.send_message("go")
conversation.run()
expected = dict(zip(commands, map(str, (scenario.here, away)), strict=True))
assert places == expected, places

# A reset runs its command, too, where the terminal began; what a running program reads may be one.
terminal = conversation.agent.tools_map["terminal"]


def types(command: str, **more: Any) -> str:
    return str(terminal(TerminalAction(command=command, **more), conversation).text)


assert types("rm -rf /", reset=True).startswith("denied"), scenario.ran
types("echo again", reset=True)
assert places["echo again"] == str(scenario.here), places
types(f"cd {away}")
types("", reset=True)
types("echo begun")
assert places["echo begun"] == str(scenario.here), places
types("cat", timeout=1)
assert types("rm -rf /", is_input=True).startswith("denied"), "input"
assert types("C-c", is_input=True) != "", "a key"
assert not [line for line in scenario.ran if line.startswith("rm")], scenario.ran

scenario.run_broken("openhands", model=Scripted.from_messages([*calls, done]))
assert scenario.seen

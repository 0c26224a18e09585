"""OpenHands SDK with its own TestLLM and its real terminal."""

import json
import logging
from typing import Any

logging.disable(logging.CRITICAL)  # a warning while litellm is imported ends in a deadlock

from openhands.sdk.llm import Message, MessageToolCall, TextContent  # noqa: E402
from openhands.sdk.testing import TestLLM  # noqa: E402

from frameworks.scenario import COMMANDS, Scenario  # noqa: E402

scenario = Scenario()


class Scripted(TestLLM):
    def completion(self, messages: Any, *args: Any, **more: Any) -> Any:
        parts = [part for message in messages for part in message.content]
        scenario.seen.append("\n".join(part.text for part in parts if part.type == "text"))
        return super().completion(messages, *args, **more)


def calling(number: int, command: str) -> Message:
    arguments = json.dumps({"command": command, "security_risk": "LOW"})
    call = MessageToolCall(
        id=f"call-{number}", name="terminal", arguments=arguments, origin="completion"
    )
    return Message(role="assistant", content=[TextContent(text="")], tool_calls=[call])


calls = [calling(number, command) for number, command in enumerate(COMMANDS)]
done = Message(role="assistant", content=[TextContent(text="done")])
page = scenario.run_page("openhands", model=Scripted.from_messages([*calls, done]))
scenario.report(page["gate"], asked=1)

"""OpenAI Agents SDK with its own ScriptedModel."""

import asyncio
import json
import subprocess
from typing import Any

from agents import Agent, Runner, function_tool, set_tracing_disabled
from agents.testing import ScriptedModel, assistant_message, function_call

import laconic
from frameworks.scenario import YES, Scenario
from laconic.adapters.openai_agents import guardrail

set_tracing_disabled(True)
scenario = Scenario()


class Scripted(ScriptedModel):
    def __init__(self) -> None:
        super().__init__([*map(_calls, range(len(scenario.turns))), [assistant_message("done")]])

    async def get_response(self, *given: Any, **more: Any) -> Any:
        try:
            return await super().get_response(*given, **more)
        finally:
            scenario.seen.append(json.dumps(self.calls[-1].input))


def _calls(turn: int) -> list[Any]:
    return [
        function_call(scenario.tool, {scenario.argument: c}, call_id=f"call-{turn}-{c}")
        for c in scenario.turns[turn]
    ]


model = Scripted()
page = scenario.run_page("openai_agents", model=model)
scenario.report(page["gate"])
scenario.run_names("openai_agents", Scripted)
model = Scripted()
scenario.run_broken("openai_agents", model=model)
assert model.calls


async def guarded_by_guardrail() -> None:
    """A tool that stays as it is: what is denied, or asked about, does not run."""
    plain = function_tool(lambda command: subprocess.run(command, shell=True, check=False))
    for command, runs in (("echo x", True), ("rm -rf /", False), (YES, False)):
        scenario.turns = ((command,),)
        scenario.tool = "shell"
        (scenario.here / "ran").unlink(missing_ok=True)
        plain.name, plain.tool_input_guardrails = "shell", [guardrail(laconic.Gate())]
        result = await Runner.run(Agent(name="a", model=Scripted(), tools=[plain]), "go")
        read = str(result.to_input_list())
        assert ("denied" in read or "needs consent" in read) is not runs, read
        assert scenario.ran == [], scenario.ran


asyncio.run(guarded_by_guardrail())

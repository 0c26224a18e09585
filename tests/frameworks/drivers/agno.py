"""Agno with a scripted model."""

import asyncio
import json
from typing import Any

from agno.agent import Agent
from agno.db.in_memory import InMemoryDb
from agno.models.base import Model
from agno.models.response import ModelResponse
from agno.tools import tool

from frameworks.scenario import Scenario
from laconic.adapters.agno import guard, settle

scenario = Scenario()


class Scripted(Model):
    def invoke(self, messages: Any, **_: Any) -> ModelResponse:
        text = "\n".join(str(message.content) for message in messages)
        calls = []
        for number, arguments in scenario.next_calls(text):
            function = {"name": scenario.tool, "arguments": json.dumps(arguments)}
            calls.append({"id": number, "type": "function", "function": function})
        if not calls:
            return ModelResponse(role="assistant", content="done")
        return ModelResponse(role="assistant", tool_calls=calls)

    async def ainvoke(self, messages: Any, **_: Any) -> ModelResponse:
        return self.invoke(messages)

    def _parse_provider_response(self, response: Any, **_: Any) -> Any:
        return response

    def unused(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError

    invoke_stream = ainvoke_stream = _parse_provider_response_delta = unused


async def again(page: dict[str, Any]) -> None:
    """The same conversation in an event loop, with a tool that is async."""
    inner = page["run_command"].entrypoint

    async def run_command(command: str) -> str:
        return inner(command=command)

    made = tool(requires_confirmation=True)(run_command)
    agent = Agent(
        model=Scripted(id="scripted"), tools=[made], tool_hooks=[guard(gate)], db=InMemoryDb()
    )
    run = await agent.arun("go")
    while run.is_paused:
        settle(gate, run, scenario.ask_a_person)
        run = await agent.acontinue_run(
            run_id=run.run_id, session_id=run.session_id, requirements=run.requirements
        )


page = scenario.run_page("agno", model=Scripted(id="scripted"))
gate = page["gate"]
scenario.report(gate)
scenario.begin_again(gate)
asyncio.run(again(page))
scenario.report(gate)
scenario.run_names("agno", lambda: Scripted(id="scripted"))
scenario.run_broken("agno", model=Scripted(id="scripted"))
assert scenario.seen

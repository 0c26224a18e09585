"""LangChain with a scripted chat model."""

import asyncio
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.types import Command

from frameworks.scenario import Scenario

scenario = Scenario()


def _text(message: Any) -> str:
    return str(message.content)


class Scripted(BaseChatModel):
    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **_: Any) -> Any:  # noqa: ARG002
        return self

    def _generate(self, messages: Any, *_: Any, **__: Any) -> ChatResult:
        calls = [
            {"name": "run_command", "args": arguments, "id": number}
            for number, arguments in scenario.next_calls(
                "\n".join(str(m.content) for m in messages)
            )
        ]
        message = AIMessage("", tool_calls=calls) if calls else AIMessage("done")
        return ChatResult(generations=[ChatGeneration(message=message)])


async def again(agent: Any) -> None:
    """The same conversation in an event loop."""
    thread = {"configurable": {"thread_id": "2"}}
    state = await agent.ainvoke({"messages": [("user", "go")]}, thread)
    while questions := state.get("__interrupt__"):
        answers = {q.id: scenario.ask_a_person(q.value["command"]) for q in questions}
        state = await agent.ainvoke(Command(resume=answers), thread)


page = scenario.run_page("langchain", model=Scripted())
scenario.report(page["gate"])
scenario.begin_again(page["gate"])
asyncio.run(again(page["agent"]))
scenario.report(page["gate"])
scenario.run_broken("langchain", model=Scripted())
assert scenario.seen

"""LangChain with a scripted chat model."""

import asyncio
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.types import Command

from frameworks.scenario import NO, TURNS, YES, Scenario

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
            {"name": scenario.tool, "args": arguments, "id": number}
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


def decided(decision: dict[str, Any], command: str = NO) -> str:
    """What the model reads after a decision in the form of LangChain's own middleware."""
    scenario.begin_again(page["gate"])
    scenario.turns = ((command,),)
    thread = {"configurable": {"thread_id": str(decision) + command}}
    state = page["agent"].invoke({"messages": [("user", "go")]}, thread)
    (question,) = state["__interrupt__"]
    (request,) = question.value["action_requests"]
    assert (request["name"], request["args"]) == ("run_command", {"command": command})
    assert question.value["review_configs"][0]["allowed_decisions"] == ["approve", "edit", "reject"]
    page["agent"].invoke(Command(resume={"decisions": [decision]}), thread)
    scenario.turns = TURNS
    return scenario.seen[-1]


def edited(command: str) -> dict[str, Any]:
    action = {"name": "run_command", "args": {"command": command}}
    return {"type": "edit", "edited_action": action}


page = scenario.run_page("langchain", model=Scripted())
scenario.report(page["gate"])
scenario.begin_again(page["gate"])
asyncio.run(again(page["agent"]))
scenario.report(page["gate"])
assert "deployed production" in decided({"type": "approve"})
assert "denied by a person: Not today" in decided({"type": "reject", "message": "Not today."})
assert [e.payload["approved"] for e in page["gate"].audit_log.take()] == [False]
assert scenario.ran == []
assert "deployed staging" in decided(edited(YES))
assert "cannot be undone" in decided(edited("rm -rf /"))
assert scenario.ran == []
scenario.run_names("langchain", Scripted)
scenario.run_broken("langchain", model=Scripted())
assert scenario.seen

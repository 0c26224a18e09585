"""LangChain with a scripted chat model."""

from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from frameworks.scenario import Scenario

scenario = Scenario()


class Scripted(BaseChatModel):
    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **_: Any) -> Any:  # noqa: ARG002
        return self

    def _generate(self, messages: Any, *_: Any, **__: Any) -> ChatResult:
        command = scenario.next_command("\n".join(str(m.content) for m in messages))
        call = {"name": "run_command", "args": {"command": command}, "id": f"call-{command}"}
        message = AIMessage("", tool_calls=[call]) if command else AIMessage("done")
        return ChatResult(generations=[ChatGeneration(message=message)])


page = scenario.run_page("langchain", model=Scripted())
scenario.report(page["gate"])

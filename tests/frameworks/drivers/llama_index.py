"""LlamaIndex with a scripted model that calls functions."""

from typing import Any

from llama_index.core.base.llms.types import ChatResponse, LLMMetadata
from llama_index.core.llms import ChatMessage
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection

from frameworks.scenario import Scenario

scenario = Scenario()


class Scripted(FunctionCallingLLM):
    calls: list[Any] = []  # noqa: RUF012 - pydantic copies it

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(is_function_calling_model=True, is_chat_model=True)

    def _prepare_chat_with_tools(self, *_: Any, chat_history: Any = None, **__: Any) -> Any:
        return {"messages": chat_history}

    async def astream_chat(self, messages: Any, **_: Any) -> Any:
        text = "\n".join(str(message.content) for message in messages)
        self.calls = scenario.next_calls(text)
        content = "" if self.calls else "done"

        async def answer() -> Any:
            yield ChatResponse(message=ChatMessage(role="assistant", content=content), raw={})

        return answer()

    def get_tool_calls_from_response(self, *_: Any, **__: Any) -> list[ToolSelection]:
        return [
            ToolSelection(tool_id=number, tool_name=scenario.tool, tool_kwargs=arguments)
            for number, arguments in self.calls
        ]

    def chat(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError

    achat = stream_chat = complete = acomplete = stream_complete = astream_complete = chat


page = scenario.run_page("llama_index", model=Scripted())
scenario.report(page["gate"])
scenario.run_names("llama_index", Scripted)
scenario.run_broken("llama_index", model=Scripted())
assert scenario.seen

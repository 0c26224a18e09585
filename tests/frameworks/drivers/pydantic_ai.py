"""Pydantic AI with a scripted FunctionModel."""

from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from frameworks.scenario import Scenario

scenario = Scenario()


def answer(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
    text = "\n".join(str(getattr(part, "content", "")) for m in messages for part in m.parts)
    calls = [
        ToolCallPart(scenario.tool, arguments, tool_call_id=number)
        for number, arguments in scenario.next_calls(text)
    ]
    return ModelResponse(parts=calls or [TextPart("done")])


page = scenario.run_page("pydantic_ai", model=FunctionModel(answer))
scenario.report(page["gate"])
scenario.run_names("pydantic_ai", lambda: FunctionModel(answer))
scenario.run_broken("pydantic_ai", model=FunctionModel(answer))
assert scenario.seen

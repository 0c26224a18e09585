"""Microsoft Agent Framework with a scripted chat client."""

from typing import Any

from agent_framework import (
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    Content,
    FunctionInvocationLayer,
    Message,
)

from frameworks.scenario import Scenario

scenario = Scenario()


class Scripted(FunctionInvocationLayer, ChatMiddlewareLayer, BaseChatClient):
    def _inner_get_response(self, *, messages: Any, **_: Any) -> Any:
        parts = [part for message in messages for part in message.contents]
        text = "\n".join(str(p.text if p.type == "text" else p.result) for p in parts)
        contents = [
            Content.from_function_call(call_id=number, name=scenario.tool, arguments=arguments)
            for number, arguments in scenario.next_calls(text)
        ]
        message = Message(role="assistant", contents=contents or [Content.from_text("done")])

        async def response() -> ChatResponse:
            return ChatResponse(messages=[message])

        return response()


page = scenario.run_page("agent_framework", model=Scripted())
scenario.report(page["gate"], asked=1)
scenario.run_names("agent_framework", Scripted)
scenario.run_broken("agent_framework", model=Scripted())
assert scenario.seen

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
        command = scenario.next_command(text)
        content = Content.from_text("done")
        if command:
            content = Content.from_function_call(
                call_id=f"call-{len(scenario.seen)}",
                name="run_command",
                arguments={"command": command},
            )

        async def response() -> ChatResponse:
            return ChatResponse(messages=[Message(role="assistant", contents=[content])])

        return response()


page = scenario.run_page("agent_framework", model=Scripted())
scenario.report(page["gate"], asked=1)

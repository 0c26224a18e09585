"""smolagents with a scripted model: the page's ToolCallingAgent."""

from typing import Any

from smolagents import ChatMessage, Model
from smolagents.models import ChatMessageToolCall, ChatMessageToolCallFunction, MessageRole

from frameworks.scenario import Scenario

scenario = Scenario()


class Scripted(Model):
    def generate(self, messages: Any, **_: Any) -> ChatMessage:
        parts = [part for message in messages for part in message.content or ()]
        command = scenario.next_command("\n".join(part.get("text", "") for part in parts))
        name, arguments = "run_command", {"command": command}
        if command is None:
            name, arguments = "final_answer", {"answer": "done"}
        call = ChatMessageToolCall(
            id=f"call-{len(scenario.seen)}",
            type="function",
            function=ChatMessageToolCallFunction(name=name, arguments=arguments),
        )
        return ChatMessage(role=MessageRole.ASSISTANT, content="", tool_calls=[call])


page = scenario.run_page("smolagents", model=Scripted(model_id="scripted"))
scenario.report(page["gate"])

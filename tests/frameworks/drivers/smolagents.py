"""smolagents with a scripted model: the page's ToolCallingAgent."""

from typing import Any

from smolagents import ChatMessage, Model
from smolagents.models import ChatMessageToolCall, ChatMessageToolCallFunction, MessageRole

from frameworks.scenario import Scenario

scenario = Scenario()


class Scripted(Model):
    def generate(self, messages: Any, **_: Any) -> ChatMessage:
        parts = [part for message in messages for part in message.content or ()]
        calls = scenario.next_calls("\n".join(part.get("text", "") for part in parts))
        name = scenario.tool if calls else "final_answer"
        made = [
            ChatMessageToolCall(
                id=number,
                type="function",
                function=ChatMessageToolCallFunction(name=name, arguments=arguments),
            )
            for number, arguments in calls or [("last", {"answer": "done"})]
        ]
        return ChatMessage(role=MessageRole.ASSISTANT, content="", tool_calls=made)


page = scenario.run_page("smolagents", model=Scripted(model_id="scripted"))
scenario.report(page["gate"])
# A CodeAgent calls its tools like functions.
assert page["run_command"]("rm -rf /").startswith("denied"), "positional arguments"
assert page["run_command"](command="echo x") == "x\n"
scenario.run_names("smolagents", lambda: Scripted(model_id="scripted"))
scenario.run_broken("smolagents", model=Scripted(model_id="scripted"))
assert scenario.seen

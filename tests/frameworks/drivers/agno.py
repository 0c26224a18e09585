"""Agno with a scripted model."""

import json
from typing import Any

from agno.models.base import Model
from agno.models.response import ModelResponse

from frameworks.scenario import Scenario

scenario = Scenario()


class Scripted(Model):
    def invoke(self, messages: Any, **_: Any) -> ModelResponse:
        text = "\n".join(str(message.content) for message in messages)
        calls = []
        for number, arguments in scenario.next_calls(text):
            function = {"name": "run_command", "arguments": json.dumps(arguments)}
            calls.append({"id": number, "type": "function", "function": function})
        if not calls:
            return ModelResponse(role="assistant", content="done")
        return ModelResponse(role="assistant", tool_calls=calls)

    def _parse_provider_response(self, response: Any, **_: Any) -> Any:
        return response

    def unused(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError

    ainvoke = invoke_stream = ainvoke_stream = _parse_provider_response_delta = unused


page = scenario.run_page("agno", model=Scripted(id="scripted"))
scenario.report(page["gate"])

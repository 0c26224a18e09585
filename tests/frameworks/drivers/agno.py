"""Agno with a scripted model."""

import json
from typing import Any

from agno.models.base import Model
from agno.models.response import ModelResponse

from frameworks.scenario import Scenario

scenario = Scenario()


class Scripted(Model):
    def invoke(self, messages: Any, **_: Any) -> ModelResponse:
        command = scenario.next_command("\n".join(str(message.content) for message in messages))
        if command is None:
            return ModelResponse(role="assistant", content="done")
        function = {"name": "run_command", "arguments": json.dumps({"command": command})}
        call = {"id": f"call-{len(scenario.seen)}", "type": "function", "function": function}
        return ModelResponse(role="assistant", tool_calls=[call])

    def _parse_provider_response(self, response: Any, **_: Any) -> Any:
        return response

    def unused(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError

    ainvoke = invoke_stream = ainvoke_stream = _parse_provider_response_delta = unused


page = scenario.run_page("agno", model=Scripted(id="scripted"))
scenario.report(page["gate"])

"""Google ADK with a scripted model."""

from collections.abc import AsyncIterator
from typing import Any

from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from frameworks.scenario import Scenario

scenario = Scenario()


class Scripted(BaseLlm):
    async def generate_content_async(
        self,
        llm_request: Any,
        stream: bool = False,  # noqa: ARG002
    ) -> AsyncIterator[LlmResponse]:
        parts = [part for content in llm_request.contents for part in content.parts]
        results = [p.function_response.response for p in parts if p.function_response]
        texts = [part.text for part in parts if part.text]
        made = [
            types.Part(function_call=types.FunctionCall(name=scenario.tool, args=arguments))
            for _, arguments in scenario.next_calls("\n".join(map(str, (*results, *texts))))
        ]
        content = types.Content(role="model", parts=made or [types.Part(text="done")])
        yield LlmResponse(content=content)


page = scenario.run_page("google_adk", model=Scripted(model="scripted"))
scenario.report(page["gate"])
scenario.run_names("google_adk", lambda: Scripted(model="scripted"))
scenario.run_broken("google_adk", model=Scripted(model="scripted"))
assert scenario.seen

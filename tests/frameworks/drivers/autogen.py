"""AutoGen with a scripted model client."""

import json
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Any

from autogen_core import FunctionCall
from autogen_core.models import ChatCompletionClient, CreateResult, ModelInfo, RequestUsage

import laconic
from frameworks.scenario import Scenario
from laconic.adapters.autogen import guard

scenario = Scenario()
NOTHING = RequestUsage(prompt_tokens=0, completion_tokens=0)


class Scripted(ChatCompletionClient):
    async def create(self, messages: Any, **_: Any) -> CreateResult:
        texts = [str(part) for message in messages for part in _parts(message)]
        calls = [
            FunctionCall(id=number, name=scenario.tool, arguments=json.dumps(arguments))
            for number, arguments in scenario.next_calls("\n".join(texts))
        ]
        return CreateResult(
            finish_reason="function_calls", content=calls or "done", usage=NOTHING, cached=False
        )

    async def create_stream(self, messages: Any, **_: Any) -> AsyncGenerator[Any, None]:
        yield await self.create(messages)

    async def close(self) -> None: ...

    def actual_usage(self) -> RequestUsage:
        return NOTHING

    def count_tokens(self, *_: Any, **__: Any) -> int:
        return 0

    total_usage, remaining_tokens = actual_usage, count_tokens

    @property
    def model_info(self) -> ModelInfo:
        known = dict.fromkeys(("vision", "json_output", "structured_output"), False)
        return ModelInfo(family="scripted", function_calling=True, **known)

    capabilities = model_info


def _parts(message: Any) -> list[Any]:
    found = message.content if isinstance(message.content, list) else [message.content]
    return [getattr(part, "content", part) for part in found]


page = scenario.run_page("autogen", model=Scripted())
scenario.report(page["gate"])
# An agent would wait for ever for a workbench that raises.
scenario.run_names("autogen", Scripted)
scenario.run_broken("autogen", model=Scripted())
assert "the gate has failed: RuntimeError('broken')" in scenario.seen[-1], scenario.seen[-1]
with suppress(laconic.RuleError):
    guard(laconic.Gate(), [page["run_command"]]).dump_component()
    raise AssertionError("what it is dumped to has no gate")

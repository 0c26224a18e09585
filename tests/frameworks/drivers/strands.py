"""Strands Agents with a scripted model."""

import json
from collections.abc import AsyncIterator
from typing import Any

from strands.models.model import Model

from frameworks.scenario import Scenario

scenario = Scenario()


class Scripted(Model):
    def update_config(self, **_: Any) -> None:
        pass

    def get_config(self) -> dict[str, Any]:
        return {}

    def structured_output(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError

    async def stream(self, messages: Any, *_: Any, **__: Any) -> AsyncIterator[dict[str, Any]]:
        calls = scenario.next_calls(json.dumps(messages))
        yield {"messageStart": {"role": "assistant"}}
        for number, arguments in calls:
            use = {"toolUseId": number, "name": scenario.tool}
            yield {"contentBlockStart": {"start": {"toolUse": use}}}
            delta = {"toolUse": {"input": json.dumps(arguments)}}
            yield {"contentBlockDelta": {"delta": delta}}
            yield {"contentBlockStop": {}}
        if not calls:
            yield {"contentBlockDelta": {"delta": {"text": "done"}}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use" if calls else "end_turn"}}


page = scenario.run_page("strands", model=Scripted())
scenario.report(page["gate"])
scenario.run_names("strands", Scripted)
scenario.run_broken("strands", model=Scripted())
assert scenario.seen

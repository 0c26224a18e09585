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
        command = scenario.next_command(json.dumps(messages))
        delta: dict[str, Any] = {"text": "done"}
        yield {"messageStart": {"role": "assistant"}}
        if command:
            use = {"toolUseId": f"call-{len(scenario.seen)}", "name": "run_command"}
            delta = {"toolUse": {"input": json.dumps({"command": command})}}
            yield {"contentBlockStart": {"start": {"toolUse": use}}}
        yield {"contentBlockDelta": {"delta": delta}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use" if command else "end_turn"}}


page = scenario.run_page("strands", model=Scripted())
scenario.report(page["gate"])

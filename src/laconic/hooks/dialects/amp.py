"""The answers that our plugin in Amp understands."""

from __future__ import annotations

from typing import Any

from laconic.agents.load import AFTER
from laconic.hooks.call import HookCall
from laconic.hooks.response import Output, Reply, Response
from laconic.types import Outcome


def write(call: HookCall, response: Response) -> Reply:
    if call.event.kind == AFTER:
        return Reply({"status": "done", "output": response.text})
    if response.outcome is Outcome.DENIED:
        return Reply({"action": "reject-and-continue", "message": response.reason})
    assert response.commands
    return Reply({"action": "modify", "input": call.input_with(response.commands)})


def output(call: HookCall) -> Output | None:
    given: Any = call.data.get("output")
    is_plain = isinstance(given, str) and call.data.get("status") == "done"
    return Output(given) if is_plain else None

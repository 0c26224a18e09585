"""The answers that our plugin in OpenCode and Kilo understands: new arguments, or an error.

https://opencode.ai/docs/plugins
"""

from __future__ import annotations

from typing import Any

from laconic.agents.load import AFTER
from laconic.hooks.call import HookCall
from laconic.hooks.dialects.claude import updated
from laconic.hooks.response import Output, Reply, Response
from laconic.types import Outcome


def write(call: HookCall, response: Response) -> Reply:
    if call.event.kind == AFTER:
        return Reply({"output": response.text})
    if response.outcome is Outcome.DENIED:
        return Reply({"throw": response.reason})
    return Reply(updated(call, response, key="args"))


def output(call: HookCall) -> Output | None:
    given: Any = call.data.get("output")
    text = given.get("output") if isinstance(given, dict) else None
    if not isinstance(text, str):
        return None
    metadata = given.get("metadata")
    status = metadata.get("exit") if isinstance(metadata, dict) else None
    return Output(text, status=status if type(status) is int else None)

"""The dialect of GitHub Copilot CLI: fields at the top, or Claude Code's when it sends those."""

from __future__ import annotations

from typing import Any

from laconic.agents.load import AFTER
from laconic.hooks.call import HookCall
from laconic.hooks.dialects.claude import permission, specific, updated
from laconic.hooks.response import Output, Reply, Response
from laconic.types import Outcome


def write(call: HookCall, response: Response) -> Reply:
    if call.event.kind == AFTER:
        result = {**call.data["toolResult"], "textResultForLlm": response.text}
        return Reply({"modifiedResult": result})
    decision = permission(response)
    if "tool_input" in call.data:
        return Reply(_as_claude(call, response))
    # Versions that send text know `ask`, but no arguments to go with it.
    is_old_ask = call.as_text and response.outcome is Outcome.ASKED
    rewrite = {} if is_old_ask else updated(call, response, key="modifiedArgs")
    return Reply({**decision, **rewrite})


def _as_claude(call: HookCall, response: Response) -> dict[str, object]:
    decision = permission(response)
    if response.outcome is Outcome.ASKED:
        return {**decision}
    return {**decision, **specific(call, **decision, **updated(call, response))}


def output(call: HookCall) -> Output | None:
    result: Any = call.data.get("toolResult")
    text = result.get("textResultForLlm") if isinstance(result, dict) else None
    if not isinstance(text, str) or result.get("resultType") != "success":
        return None
    return Output(text, status=0)

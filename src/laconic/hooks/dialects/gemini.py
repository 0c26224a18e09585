"""The dialect of Gemini CLI: decision and reason at the top, the new input below.

https://geminicli.com/docs/hooks/reference
"""

from __future__ import annotations

from typing import Any

from laconic.hooks.call import HookCall
from laconic.hooks.response import Output, Reply, Response
from laconic.types import Outcome


def write(call: HookCall, response: Response) -> Reply:
    said: dict[str, Any] = {}
    if word := response.outcome.word:
        said = {"decision": word, "reason": response.reason}
    if response.outcome is Outcome.ASKED:
        said["systemMessage"] = response.reason  # Gemini shows this when it asks, not the reason
    if response.commands:
        changed = {"hookEventName": "BeforeTool", "tool_input": call.input_with(response.commands)}
        said["hookSpecificOutput"] = changed
    return Reply(said)


def output(_: HookCall) -> Output | None:
    """Return nothing: Gemini shows a replaced output as an error."""
    return None

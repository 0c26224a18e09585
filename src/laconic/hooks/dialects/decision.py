"""The dialect that has one word and its reason: Crush, Mistral Vibe, Goose, OpenHands, Antigravity.

The agent's file says how it spells the words, what it always wants, and where a rewrite goes.
"""

from __future__ import annotations

from typing import Any

from laconic.agents.load import AFTER
from laconic.hooks.call import HookCall
from laconic.hooks.response import Output, Reply, Response


def write(call: HookCall, response: Response) -> Reply:
    form = call.agent.answer
    said: dict[str, Any] = dict(form.get("always", {}))
    if call.event.kind == AFTER:
        return Reply({**said, "decision": "deny", "reason": response.text})
    if word := response.outcome.word:
        said["decision"] = form.get("words", {}).get(word, word)
        said["reason"] = response.reason
    if response.commands:
        changed = call.input_with(response.commands)
        said |= _nested(
            form["rewrite"], {call.key: changed[call.key]} if form.get("merges") else changed
        )
    return Reply(said)


def _nested(path: str, value: dict[str, Any]) -> dict[str, Any]:
    for name in reversed(path.split(".")):
        value = {name: value}
    return value


def output(call: HookCall) -> Output | None:
    """Return what the command wrote: as text, or what Vibe's shell tool gives."""
    given: Any = call.data.get("tool_output")
    if isinstance(given, str):
        return Output(given)
    if not isinstance(given, dict):
        return None
    out, err, status = (given.get(key) for key in ("stdout", "stderr", "returncode"))
    if not isinstance(out, str) or not isinstance(err, str):
        return None
    return Output(out, err, status if type(status) is int else None)

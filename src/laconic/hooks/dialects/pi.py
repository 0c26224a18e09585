"""The answers that our extension in Pi understands: a new input, a block, or a question."""

from __future__ import annotations

from typing import Any

from laconic.agents.load import AFTER
from laconic.hooks.call import HookCall
from laconic.hooks.dialects.claude import updated
from laconic.hooks.response import Output, Reply, Response
from laconic.types import Outcome

_WORDS = {Outcome.DENIED: "block", Outcome.ASKED: "ask"}


def write(call: HookCall, response: Response) -> Reply:
    if call.event.kind == AFTER:
        return Reply({"content": [{"type": "text", "text": response.text}]})
    said: dict[str, Any] = {}
    if response.outcome in _WORDS:
        said = {_WORDS[response.outcome]: True, "reason": response.reason}
    return Reply({**said, **updated(call, response, key="input")})


def output(call: HookCall) -> Output | None:
    parts: Any = call.data.get("content")
    if not isinstance(parts, list):
        return None
    given = [part.get("text") for part in parts if isinstance(part, dict)]
    texts = [text for text in given if isinstance(text, str)]
    if len(texts) != len(parts):
        return None  # an image, or something newer
    return Output("".join(texts), status=0 if call.data.get("isError") is False else None)

"""laconic compact: shorten an output that another program has captured, in JSON."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from typing import Any

from laconic.compact.tokens import estimate_bytes
from laconic.errors import LaconicError
from laconic.library.output import show
from laconic.settings.environ import environment
from laconic.settings.load import read_settings

_KEYS = {"text": str, "command": str, "status": int}
_FORM = '{"text": "…", "command": "pytest", "status": 1}'


def add_arguments(_: argparse.ArgumentParser) -> None:
    """There are none: all comes in JSON."""


def main(_: argparse.Namespace) -> int:
    given = _read(sys.stdin.buffer.read() if sys.stdin else b"")
    data, status = given["text"].encode("utf-8", "replace"), given.get("status")
    environ, settings = environment(), read_settings()
    shown = show(given.get("command", ""), data, b"", status, settings, environ, keeps=True)
    read = shown.text.encode()
    document = {
        "version": 1,
        "text": shown.text,
        "id": shown.raw_id,
        "tokens": estimate_bytes(read),
        "tokens_raw": estimate_bytes(data),
        "bytes": len(read),
        "bytes_raw": len(data),
    }
    print(json.dumps(document))
    return 0


def _read(data: bytes) -> Mapping[str, Any]:
    try:
        given = json.loads(data)
    except ValueError as error:
        raise LaconicError(f"stdin is no JSON: {error}", f"send {_FORM}") from error
    if not isinstance(given, dict) or "text" not in given:
        raise LaconicError("stdin has no `text`", f"send {_FORM}")
    for key, value in given.items():
        if key not in _KEYS:
            known = ", ".join(_KEYS)
            raise LaconicError(f"`{key}` is not a key", f"the keys are {known}")
        if value is not None and (not isinstance(value, _KEYS[key]) or isinstance(value, bool)):
            wanted = "a number" if _KEYS[key] is int else "text"
            raise LaconicError(f"`{key}` must be {wanted}, not {value!r}")
    return {key: value for key, value in given.items() if value is not None} | {
        "text": given["text"] or ""
    }

"""Reads transcripts, which may be hostile: bounded, without waiting, and only regular files."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Document = dict[str, Any]

# The longest lines hold images; the largest files, months of work.
MOST_LINE = 16 << 20
MOST_FILE = 1 << 30
_BROKEN = (ValueError, RecursionError)


def read_lines(path: Path) -> Iterator[Document]:
    """Yield the JSON objects of a file, one per line; lines that are none are left out.

    A file that cannot be opened, or is not a regular one, has no lines.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return
    with os.fdopen(handle, "rb") as stream:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return
        left = MOST_FILE
        while left > 0:
            try:
                line = stream.readline(MOST_LINE)
            except OSError:
                return
            if not line:
                return
            left -= len(line)
            document = _object(line)
            if document is not None:
                yield document


def read_document(path: Path) -> Document:
    """Return the JSON object that is all of a file; an empty one, if there is none."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return {}
    with os.fdopen(handle, "rb") as stream:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return {}
        try:
            data = stream.read(4 * MOST_LINE + 1)
        except OSError:
            return {}
    return (_object(data) or {}) if len(data) <= 4 * MOST_LINE else {}


def _object(data: bytes | str) -> Document | None:
    try:
        document = json.loads(data)
    except _BROKEN:
        return None
    return document if isinstance(document, dict) else None


# -- values of any type, as one expects them -------------------------------------------------------


def table(value: object, *keys: str) -> Document:
    """Return the object somewhere inside another; an empty one, if there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def parsed(value: object) -> Document:
    """Return the object that a text of JSON holds, or that the value is already."""
    if isinstance(value, str):
        return _object(value) or {}
    return table(value)


def items(value: object) -> list[Document]:
    """Return the objects in a list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def text(value: object) -> str:
    """Return a text; of a list of blocks, the texts in them."""
    if isinstance(value, list):
        return "\n".join(text(item.get("text")) for item in items(value))
    return value if isinstance(value, str) else ""


def number(value: object) -> int:
    """Return a count; 0 for what cannot be one."""
    is_count = isinstance(value, int) and not isinstance(value, bool)
    return value if is_count and 0 <= value < 1 << 40 else 0  # type: ignore[operator,return-value]

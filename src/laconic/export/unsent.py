"""Reads what of the log was not sent yet; where it was read to is known by file, however named.

The log is the buffer: its files are renamed when one is full, and a process may still write to
one that was. So a place is kept for each file, which is known by its first line.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from laconic.record import decisions

_LONGEST_LINE = 1 << 20


class Line(NamedTuple):
    """A line that was not sent; row: None if it is not one. name, end: its file, and its place."""

    name: str
    end: int
    row: dict[str, Any] | None


def unsent(state_dir: str | os.PathLike[str], places: Mapping[str, int]) -> Iterator[Line]:
    """Yield the whole lines behind these places, the oldest first; those of new files from 0."""
    seen = set()
    for path in decisions.files(state_dir):
        with suppress(OSError), open(path, "rb") as stream:  # noqa: PTH123 - a path as the log gives it
            head = stream.readline(_LONGEST_LINE)
            name = _name(head)
            if not head.endswith(b"\n") or name in seen:
                continue  # it has no whole line yet, or was renamed since it was read
            seen.add(name)
            end = places.get(name, 0)
            stream.seek(end)
            for line in stream:
                if not line.endswith(b"\n"):
                    break  # it is being written
                end += len(line)
                yield Line(name, end, _row(line))


def names(state_dir: str | os.PathLike[str]) -> list[str]:
    """Return the names of the files that are there, that of the oldest lines first."""
    found = []
    for path in decisions.files(state_dir):
        with suppress(OSError), open(path, "rb") as stream:  # noqa: PTH123 - as above
            found.append(_name(stream.readline(_LONGEST_LINE)))
    return found


def _name(head: bytes) -> str:
    return hashlib.blake2b(head, digest_size=8).hexdigest()


def _row(line: bytes) -> dict[str, Any] | None:
    with suppress(ValueError, RecursionError):
        row = json.loads(line)
        if isinstance(row, dict):
            return row
    return None

"""The table of docker ps, without the columns for the command and the age of a container.

Of a port that is open on all addresses of both kinds, the copy for IPv6 goes.

https://docs.docker.com/reference/cli/docker/container/ls/ describes the columns.
"""

from __future__ import annotations

from itertools import pairwise

from laconic.compact.result import SHORT, Shown
from laconic.compact.shapes.rows import placed, raw_of
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_NAMES = ("CONTAINER ID", "IMAGE", "COMMAND", "CREATED", "STATUS", "PORTS", "NAMES")
_HEADING = pattern(" +".join(_NAMES) + " *")
_SHOWN = (0, 1, 4, 5, 6)
_PORTS = 5
_ID = pattern(r"[0-9a-f]{12} ")
_COPY = pattern(r"(?:\[::\]|::):(.*)")  # of 0.0.0.0, which is before it


def containers(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show the rows below the heading that docker prints; what is cut otherwise stays."""
    del asked
    lines = raw_of(rows)
    heading = next((texts[i] for i in lines if _HEADING.fullmatch(texts[i])), "")
    if not heading:
        return rows
    starts = [heading.index(name) for name in _NAMES]
    instead: dict[int, list[Row]] = {}
    for index in lines:
        text = texts[index]
        if text != heading and not (
            _ID.match(text) and all(text[start - 1 : start] == " " for start in starts[1:])
        ):
            continue
        cells = [text[a:b].strip() for a, b in pairwise([*starts, len(text) + 1])]
        cells[_PORTS] = _ports(cells[_PORTS])
        line = "  ".join(cells[column] for column in _SHOWN if cells[column])
        instead[index] = [Shown(SHORT, line, (index + 1,))]
    return placed(rows, instead, set())


def _ports(text: str) -> str:
    parts = text.split(", ")
    copies = {part for part in parts if (m := _COPY.fullmatch(part)) and f"0.0.0.0:{m[1]}" in parts}
    return ", ".join(part for part in parts if part not in copies)

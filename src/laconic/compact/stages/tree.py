"""Writes the common beginning of neighbouring lines once, and the rest of each below it.

That is the directory of a path, or what the pattern's group captures: `src/main.py:` of
`src/main.py:12:text`.
"""

from __future__ import annotations

from itertools import compress, groupby

from laconic.compact.lines import Lines
from laconic.compact.result import MADE, SHORT, Row, Shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from laconic.compact.masks import Mask
    from laconic.compact.patterns import Pattern
    from laconic.compact.result import Written

_FEWEST = 3  # for two names the line of the directory costs as much as it saves
INDENT = "  "


def tree(rows: list[Row], texts: Written, pattern: Pattern, held: Mask) -> list[Row]:
    """Heading and name together are the line as it was printed, so that it can be used."""
    indexes = [row for row in rows if isinstance(row, int) and not held[row]]
    beginnings: dict[Row, str] = dict(_beginnings(indexes, texts, pattern))
    kept: list[Row] = []
    for heading, found in groupby(rows, beginnings.get):
        members = list(found)
        if heading and len(heading) > len(INDENT) and len(members) >= _FEWEST:
            kept += _branch(heading, members, texts)
        else:
            kept += members
    return kept


def _beginnings(indexes: list[int], texts: Written, pattern: Pattern) -> Iterator[tuple[int, str]]:
    """What lines share with their neighbours; nothing for those that do not match."""
    lines = Lines(map(texts.__getitem__, indexes))
    if not pattern.compiled.groups:
        for index in compress(indexes, pattern.mask(lines)):
            text = texts[index]
            yield index, text[: text.rstrip("/").rfind("/") + 1]
        return
    for found, (captured, *_) in pattern.captured(lines):
        for index, shared in zip(map(indexes.__getitem__, found), captured, strict=True):
            if shared and texts[index].startswith(shared):
                yield index, shared


def _branch(heading: str, rows: list[Row], texts: Written) -> list[Row]:
    indexes, start = [row for row in rows if isinstance(row, int)], len(heading)
    names = [Shown(SHORT, INDENT + texts[i][start:], (i + 1,)) for i in indexes]
    return [Shown(MADE, heading, [i + 1 for i in indexes]), *names]

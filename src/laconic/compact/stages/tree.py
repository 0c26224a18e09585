"""Writes what neighbouring lines begin with once, and the rest of each below it.

That is the directory of a path, or what the pattern's group captures: `src/main.py:` of
`src/main.py:12:text`.
"""

from __future__ import annotations

from itertools import groupby

from laconic.compact.result import MADE, SHORT, Row, Shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from laconic.compact.lines import Lines, TextLines
    from laconic.compact.masks import Mask
    from laconic.compact.patterns import Pattern

_FEWEST = 3  # for two names the line of the directory costs as much as it saves
INDENT = "  "


def tree(rows: list[Row], lines: Lines, pattern: Pattern, held: Mask) -> list[Row]:
    """Heading and name together are the line as it was printed, so that it can be used."""
    shared = _beginnings(rows, lines, pattern)
    beginnings: dict[Row, str] = {row: heading for row, heading in shared if not held[row]}
    kept: list[Row] = []
    for heading, found in groupby(rows, beginnings.get):
        members = list(found)
        if heading and len(heading) > len(INDENT) and len(members) >= _FEWEST:
            kept += _branch(heading, members, lines.texts)
        else:
            kept += members
    return kept


def _beginnings(rows: list[Row], lines: Lines, pattern: Pattern) -> Iterator[tuple[int, str]]:
    """What lines share with their neighbours; nothing for those that do not match."""
    texts = lines.texts
    if not pattern.compiled.groups:
        for row in rows:
            if isinstance(row, int) and pattern.search(text := texts[row]):
                yield row, text[: text.rstrip("/").rfind("/") + 1]
        return
    for index, shared in _captured(rows, lines, pattern):
        if shared and texts[index].startswith(shared):
            yield index, shared


def _captured(rows: list[Row], lines: Lines, pattern: Pattern) -> Iterator[tuple[int, str | None]]:
    """What the first group captures in each line; of all lines, unless only few are left."""
    if 2 * len(rows) > len(lines):
        yield from ((index, groups[0]) for index, groups in pattern.captures(lines))
        return
    for row in rows:
        if isinstance(row, int) and (match := pattern.search(lines.texts[row])):
            yield row, match[1]


def _branch(heading: str, rows: list[Row], texts: TextLines) -> list[Row]:
    indexes = [row for row in rows if isinstance(row, int)]
    names = [Shown(SHORT, INDENT + texts[i][len(heading) :], (i + 1,)) for i in indexes]
    return [Shown(MADE, heading, [i + 1 for i in indexes]), *names]

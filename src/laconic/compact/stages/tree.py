"""Writes what neighbouring lines begin with once, and the rest of each below it.

That is the directory of a path, or what the pattern's group captures: `src/main.py:` of
`src/main.py:12:text`.
"""

from __future__ import annotations

from itertools import groupby

from laconic.compact.result import MADE, SHORT, Row, Shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from laconic.compact.patterns import Pattern

_FEWEST = 3  # for two names the line of the directory costs as much as it saves
INDENT = "  "


def tree(rows: list[Row], texts: list[str], pattern: Pattern, held: Collection[int]) -> list[Row]:
    """Heading and name together are the line as it was printed, so that it can be used."""

    def beginning(row: Row) -> str:
        return "" if isinstance(row, Shown) or row in held else _beginning(texts[row], pattern)

    kept: list[Row] = []
    for heading, found in groupby(rows, beginning):
        members = list(found)
        is_worth_it = len(heading) > len(INDENT) and len(members) >= _FEWEST
        kept += _branch(heading, members, texts) if is_worth_it else members
    return kept


def _beginning(text: str, pattern: Pattern) -> str:
    """What a line shares with its neighbours; nothing for a line that is none of these."""
    match = pattern.search(text)
    if match is None:
        return ""
    if pattern.compiled.groups:
        return match[1] or "" if match.start(1) == 0 else ""
    return text[: text.rstrip("/").rfind("/") + 1]


def _branch(heading: str, rows: list[Row], texts: list[str]) -> list[Row]:
    indexes = [row for row in rows if isinstance(row, int)]
    names = [Shown(SHORT, INDENT + texts[i][len(heading) :], (i + 1,)) for i in indexes]
    return [Shown(MADE, heading, [i + 1 for i in indexes]), *names]

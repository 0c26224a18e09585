"""Writes the directory of neighbouring paths once, and the names below it."""

from __future__ import annotations

from laconic.compact.result import MADE, SHORT, Row, Shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from laconic.compact.patterns import Pattern

_FEWEST = 3  # for two names the line of the directory costs as much as it saves
_INDENT = "  "


def tree(rows: list[Row], texts: list[str], pattern: Pattern, held: Collection[int]) -> list[Row]:
    """Directory and name together are the path as it was printed, so that it can be used."""
    kept: list[Row] = []
    pos = 0
    while pos < len(rows):
        directory, end = _directory(rows[pos], texts, pattern, held), pos + 1
        while directory and end < len(rows):
            if _directory(rows[end], texts, pattern, held) != directory:
                break
            end += 1
        if end - pos < _FEWEST:
            kept += rows[pos:end]
        else:
            kept += _branch(
                directory, [row for row in rows[pos:end] if isinstance(row, int)], texts
            )
        pos = end
    return kept


def _directory(row: Row, texts: list[str], pattern: Pattern, held: Collection[int]) -> str:
    """The directory of a path, with its slash; nothing for a line that is no path."""
    if isinstance(row, Shown) or row in held:
        return ""
    match = pattern.search(texts[row])
    path = texts[row] if match else ""
    return path[: path.rstrip("/").rfind("/") + 1]


def _branch(directory: str, rows: list[int], texts: list[str]) -> list[Row]:
    numbers = tuple(row + 1 for row in rows)
    names = [Shown(SHORT, _INDENT + texts[r][len(directory) :], (r + 1,)) for r in rows]
    return [Shown(MADE, directory, numbers), *names]

"""Differences of values: the lines that differ, and whether a message already has a value."""

from __future__ import annotations

from laconic.compact.shapes.rows import indent_of
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from laconic.compact.masks import Mask
    from laconic.compact.shapes.rows import Texts

# `"roles": Array [`, `b: {`: it opens a value and names it
_NAMED = pattern(r"\s*[\"'\w][^{\[(]*:\s.*[{\[(]\s*")
_OPENING = pattern(r".*[{\[(]\s*")


def telling(block: Sequence[int], texts: Texts, column: int, pinned: Mask) -> set[int]:
    """Find the lines with a sign in this column, and the line that names the value they belong to.

    That is the line that opens the value; an element of a list has no name, so there it is the line
    above the first sign. Pinned lines are included: they may be another program's. Without any sign
    the result is empty.
    """
    found: set[int] = set()
    open_lines: list[tuple[int, int]] = []  # depth and line
    above = -1  # the last line without a sign, unless it opens a value
    for index in block:
        text = texts[index]
        inside = text[column + 1 :]
        if not inside.strip():
            continue
        depth = indent_of(inside)
        while open_lines and open_lines[-1][0] >= depth:
            open_lines.pop()
        if text[column : column + 1] in ("-", "+"):
            found.add(index)
            parent = open_lines[-1][1] if open_lines else block[0]
            if _NAMED.fullmatch(texts[parent]):
                found.add(parent)
            elif above >= 0 and parent != block[0]:
                found.add(above)
            above = -1
        elif _OPENING.fullmatch(inside):
            open_lines.append((depth, index))
            above = -1
        else:
            above = index
    return found | {index for index in block if pinned[index]} if found else found


def has_words(text: str, words: str) -> bool:
    """Tell whether a text has these words, not as a part of others: `1` is not in `12`."""
    at = text.find(words)
    while at >= 0:
        around = text[max(at - 1, 0) : at] + text[at + len(words) :][:1]
        if not any(char.isalnum() or char == "_" for char in around):
            return True
        at = text.find(words, at + 1)
    return False

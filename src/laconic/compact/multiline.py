"""Rewrites a pattern for one line so that it finds the same in the text of many lines at once.

What could match a newline no longer does: `\\s`, `[^x]` and the like. `^` and `$` are for
re.MULTILINE.
"""

from __future__ import annotations

import re

from laconic.patterns import pattern

FLAG = "(?i)"  # the only flag that a pattern may begin with: others would hold for all joined ones
# Patterns that are not rewritten, because they depend on the end of the text or name characters by
# code. A few harmless ones are among them; these are only slower.
_UNSAFE = pattern(r"[\x00-\x08\n-\x1f]|\\[nAZzBxuUN0-9]|\t-|\\[tabfvr]-|\(\?(?![:=!]|<[=!]|P<|i:)")
_PIECE = pattern(
    r"\\."
    r"|\[\^?\]?(?:\\.|[^]\\])*\]"  # a set
    r"|\(\?P<\w+>|\(\?"  # the beginning of a group; `(` alone is that of one that captures
    r"|.",
    re.DOTALL,
)
_CLASSES = {r"\s": r"[^\S\n]", r"\W": r"[^\w\n]", r"\D": r"[^\d\n]"}


def across_lines(source: str) -> str | None:
    """Return the pattern for many lines, None if there is none."""
    if _UNSAFE.search(source.removeprefix(FLAG)):
        return None
    is_folded = source.startswith(FLAG)
    pieces = _PIECE.findall(source.removeprefix(FLAG))
    body = "".join(map(_rewritten, pieces))
    return f"(?i:{body})" if is_folded else body


def _rewritten(piece: str) -> str:
    if piece.startswith("[^"):
        inner = piece[2:]
        return rf"[^\n\{inner}" if inner[0] in "]-" else rf"[^\n{inner}"
    if piece.startswith("[") and any(name in piece for name in _CLASSES):
        return rf"(?:(?!\n){piece})"
    return _CLASSES.get(piece, piece)


def without_captures(source: str) -> str:
    """Return the pattern in a form that can be joined with others."""
    pieces = _PIECE.findall(source)
    return "".join("(?:" if p == "(" or p.startswith("(?P<") else p for p in pieces)


def alternatives(source: str) -> list[str]:
    """The patterns of which one must match: the source, cut at each `|` outside groups."""
    flag = FLAG if source.startswith(FLAG) else ""
    parts, depth = [""], 0
    for piece in _PIECE.findall(source.removeprefix(FLAG)):
        depth += (piece[0] == "(") - (piece == ")")
        if piece == "|" and depth == 0:
            parts.append("")
        else:
            parts[-1] += piece
    return [flag + part for part in parts]


def is_anchored(source: str) -> bool:
    """Tell whether a pattern can only match at the start of a line."""
    return all(re.match(r"\^(?![?*+{])", part.removeprefix(FLAG)) for part in alternatives(source))

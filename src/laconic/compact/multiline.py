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
_ONE_PIECE = (
    r"\\."
    r"|\[\^?\]?(?:\\.|[^]\\])*\]"  # a set
    r"|\(\?P<\w+>|\(\?"  # the beginning of a group; `(` alone is that of one that captures
    r"|."
)
_PIECE = pattern(_ONE_PIECE, re.DOTALL)
_REPEAT_OR_PIECE = pattern(rf"\{{\d*,?\d*\}}|{_ONE_PIECE}", re.DOTALL)
_DIGITS = frozenset("0123456789")
_DIGIT_RANGE = pattern("[0-9]-[0-9]|(?<!-)[0-9](?!-)")
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


def blind_to_digits(source: str) -> str | None:
    """A pattern that takes every digit for any other, and matches at least what the source does.

    That is the source itself if it names no digit but in `0-9`. None if there is no such pattern.
    """
    if _UNSAFE.search(source.removeprefix(FLAG)):
        return None
    groups = [("", False)]  # those that are open: what was read of each, whether it names a digit
    unrepeatable = ""  # the signs that may not follow: such a repeat could match in too many ways
    for piece in _REPEAT_OR_PIECE.findall(source.removeprefix(FLAG)):
        if piece[0] in unrepeatable:
            return None
        unrepeatable = ""
        if piece[0] == "(":
            groups.append((piece, False))
        elif piece == ")":
            text, names_digit = groups.pop()
            is_dropped = names_digit and text.startswith(("(?!", "(?<!"))
            before, names_other = groups.pop()
            text = before if is_dropped else f"{before}{text})"
            groups.append((text, names_digit or names_other))
            unrepeatable = "*+{?" if is_dropped else "*+{" if names_digit else ""
        else:
            blind = _blind_piece(piece)
            if blind is None:
                return None
            text, names_digit = groups.pop()
            groups.append((text + blind, names_digit or blind != piece))
    return source if not groups[0][1] else (FLAG if source.startswith(FLAG) else "") + groups[0][0]


def _blind_piece(piece: str) -> str | None:
    """A piece of a pattern that matches the same and any digit in place of the one it names."""
    if piece in _DIGITS:
        return r"\d"
    if piece[0] != "[" or "0-9" in piece or r"\d" in piece or not _DIGITS.intersection(piece):
        return piece
    rest = _DIGIT_RANGE.sub("", piece[1:-1])
    if _DIGITS.intersection(rest) or "-" in (rest[:1], rest[-1:], rest[1:2]):
        return None
    return (f"[{rest}]" if rest != "^" else ".") if rest[:1] == "^" else f"[{rest}0-9]"

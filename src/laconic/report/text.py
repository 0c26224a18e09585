"""Makes text for people: escapes what a terminal would obey or not show, counts, measures."""

from __future__ import annotations

import unicodedata

# isprintable() accepts these invisible characters.
_BLANK_LETTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")


def visible(text: str) -> str:
    """Escape control characters, invisible and combining ones, odd blanks and lone surrogates."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(character) for character in text)


def _shown(character: str) -> str:
    is_mark = unicodedata.category(character) in ("Mn", "Me")
    if character.isprintable() and not is_mark and character not in _BLANK_LETTERS:
        return character
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def columns(text: str) -> int:
    """Return how many columns a terminal needs for a text that visible() has escaped.

    https://www.unicode.org/reports/tr11/
    """
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)

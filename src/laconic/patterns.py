"""Compiles regular expressions when they are first used; knows what an interpreter gets wrong.

A hook starts before every command and needs few of the patterns in its modules; compiling them all
would take as long as everything else that it does.

CPython before 3.11.5, Debian 12's 3.11.2 among them, gives wrong matches where a group is repeated
possessively: https://github.com/python/cpython/issues/106052 and issues/100061. None of our own
patterns has such a repeat. A person's pattern that has one is refused there.
"""

from __future__ import annotations

import re
import sys
from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import compile as pattern
    from typing import Any, AnyStr
else:

    class pattern:  # noqa: N801 - it is used like re.compile
        """A pattern that is compiled when it is first used."""

        def __init__(self, source: str | bytes, flags: int = 0) -> None:
            self._made_from = source, flags

        def __getattr__(self, name: str) -> Any:
            compiled = re.compile(*self._made_from)
            for method in ("match", "fullmatch", "search", "sub", "split", "findall", "finditer"):
                setattr(self, method, getattr(compiled, method))
            return getattr(compiled, name)


def compile_written(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Compile what a person wrote; re.error if it is wrong or would be misread here."""
    compiled = re.compile(source, flags)
    text = source if isinstance(source, str) else source.decode("latin-1")
    may_be_possessive = any(sign in text for sign in ("*+", "++", "?+", "}+"))
    if may_be_possessive and not repeats_possessively() and is_possessive(text, flags):
        raise re.error(
            f"Python {_version()} mishandles possessive repeats such as `*+`"
            " (https://github.com/python/cpython/issues/106052);"
            " write it without them, or let Python 3.11.5 or newer run laconic"
        )
    return compiled


@cache
def compiled(source: str) -> re.Pattern[str]:
    """A pattern of one of our own tables."""
    return re.compile(source)


@cache
def repeats_possessively() -> bool:
    """Tell whether `*+` and its kind work: with one character, with a group, with a look-ahead."""
    return (
        re.search("a++", "b") is None
        and re.fullmatch("(?:ab?c)*+", "a") is None
        and re.findall("(?:(?!c).)++", "abc") == ["ab"]
    )


def is_possessive(source: str, flags: int = 0) -> bool:
    """Tell whether a pattern has a possessive repeat."""
    from re import _parser  # type: ignore[attr-defined]  # noqa: PLC0415 - seldom

    return "POSSESSIVE_REPEAT" in repr(_parser.parse(source, flags).data)


@cache
def problem() -> str:
    """Say why nothing that was found by patterns can be relied on here; nothing if it can.

    Each kind of sign that our patterns are made of is tried once. It takes a tenth of a
    millisecond, which is less than to read from a file that it was tried before; and as much again
    where it is the first pattern of a process, which another one would be without it.
    """
    try:
        is_sound = [found.groups() for found in re.finditer(_TRIAL, _TRIED_ON)] == _FOUND
    except Exception:  # noqa: BLE001 - whatever is wrong with it
        is_sound = False
    if is_sound:
        return ""
    return (
        f"Python {_version()} gives wrong answers about regular expressions here, so nothing is"
        " allowed and no output is shortened; let another Python run laconic"
    )


# The group that is not tried a second way is one of fnmatch, which reads the globs of our tables.
_TRIAL = r"(?m)^((?:ab?c)*)(?!b)(?<=c)(?:[^\d\s]+?|x)\s{1,2}(?>(\w*?)[dc_])(?<!_)$"
_TRIED_ON = "abcacq  End\nacab c\nacx y_\nacx dd\n"
_FOUND = [("abcac", "En"), ("ac", "")]


def _version() -> str:
    return sys.version.partition(" ")[0]


__all__ = ("compile_written", "is_possessive", "pattern", "problem", "repeats_possessively")

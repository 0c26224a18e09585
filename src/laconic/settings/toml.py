"""Reads TOML that may be hostile, and writes values as TOML."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from laconic.patterns import pattern

_BARE_KEY = pattern(r"[A-Za-z0-9_-]+")
_BRIEF = 40
_MOST_DOTS = 50
# Strings and comments (https://toml.io/en/v1.0.0#string): a string over several lines ends with
# three quotes, before which two more may stand; without an end it takes all that follows.
_NO_KEYS = pattern(
    rb'"""(?:\\.|[^\\])*?(?:"{3,5}|\Z)|\'\'\'.*?(?:\'{3,5}|\Z)'
    rb"|\"(?:\\[^\n]|[^\"\\\n])*\"|'[^'\n]*'|#[^\n]*",
    re.DOTALL,
)


def parse(data: bytes) -> dict[str, Any]:
    """Parse a document; raises ValueError with a one-line message if it is not valid."""
    import tomllib  # noqa: PLC0415 - 16 ms

    # Long dotted keys take tomllib quadratic time: 32 KB of them take 4 seconds.
    if _line_of_dots(data):
        number = _line_of_dots(_NO_KEYS.sub(_only_line_ends, data))
        if number:
            raise ValueError(f"line {number} has more than {_MOST_DOTS} dots outside of strings")
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ValueError(f"is not UTF-8 at byte {error.start}") from error
    except RecursionError as error:
        raise ValueError("is nested too deeply") from error
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"is not valid TOML: {error}") from error


def _line_of_dots(data: bytes) -> int:
    """The number of the first line that has too many, 0 without one."""
    lines = enumerate(data.split(b"\n"), 1)
    return next((number for number, line in lines if line.count(b".") > _MOST_DOTS), 0)


def _only_line_ends(text: re.Match[bytes]) -> bytes:
    return b"\n" * text[0].count(b"\n")


def quote(text: str) -> str:
    """Write a basic string, with everything escaped that a terminal would not show plainly."""
    return '"' + "".join(_escape(character) for character in text) + '"'


def _escape(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004 - the BMP


def key(name: str) -> str:
    return name if _BARE_KEY.fullmatch(name) else quote(name)


def inline(value: object) -> str:
    """Write a string, flag, number, list or table on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{key(name)} = {inline(item)}" for name, item in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(inline(item) for item in value) + "]"
    return str(value)


def brief(value: object) -> str:
    """Describe a value in a message: a short value as it is, others by their kind."""
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, str) and len(value) > _BRIEF:
        return quote(value[:_BRIEF] + "…")
    return inline(value)


def line_of(data: bytes, text: str) -> str:
    """Return `:12`, the line of a file that contains a text as a string; "" if it is not found."""
    spellings = (text, text.replace("\\", "\\\\"))
    lines = data.decode("utf-8", "replace").splitlines()
    for number, line in enumerate(lines, start=1):
        if any(f"{quote}{spelling}{quote}" in line for spelling in spellings for quote in "\"'"):
            return f":{number}"
    return ""

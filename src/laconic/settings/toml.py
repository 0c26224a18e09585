"""Read TOML that may be hostile, and write values the way TOML spells them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from laconic.patterns import pattern

_BARE_KEY = pattern(r"[A-Za-z0-9_-]+")
_BRIEF = 40
_MOST_DOTS = 50


def parse(data: bytes) -> dict[str, Any]:
    """Parse a document; ValueError with one line when it is not one."""
    import tomllib  # noqa: PLC0415 - 16 ms

    # Long dotted keys cost tomllib quadratic time: 32 KB of them, 4 seconds.
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.count(b".") > _MOST_DOTS:
            raise ValueError(f"line {number} has more than {_MOST_DOTS} dots")
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ValueError(f"is not UTF-8 at byte {error.start}") from error
    except RecursionError as error:
        raise ValueError("is nested too deeply") from error
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"is not valid TOML: {error}") from error


def quote(text: str) -> str:
    """Give a basic string; whatever a terminal would not show plainly is escaped."""
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
    """Give text, flags, numbers, lists and tables on one line."""
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
    """Name a value in a message: short ones as they are, the others by their kind."""
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, str) and len(value) > _BRIEF:
        return quote(value[:_BRIEF] + "…")
    return inline(value)


def line_of(data: bytes, text: str) -> str:
    """Give `:12`, the line of a file that holds a text as a string; empty if it is not found."""
    spellings = (text, text.replace("\\", "\\\\"))
    lines = data.decode("utf-8", "replace").splitlines()
    for number, line in enumerate(lines, start=1):
        if any(f"{quote}{spelling}{quote}" in line for spelling in spellings for quote in "\"'"):
            return f":{number}"
    return ""

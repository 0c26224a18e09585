"""The levels of lines of a log that are inside another output, such as that of tests."""

from __future__ import annotations

from laconic.patterns import pattern

_TIME = (
    r"(?:[\[(]?(?:\d{4}[-/]\d\d[-/]\d\d[T ]?)?\d\d:\d\d:\d\d(?:[.,]\d+)?"
    r"(?:Z|[+-]\d\d:?\d\d)?[\])]?\s+)?"
)
_LINE = pattern(
    rf"\s*{_TIME}(?:[\w.\[\]-]+\s+)?[\[(]?(?:level=)?"
    r"(?P<level>INFO|DEBUG|TRACE|WARN|WARNING|ERROR|FATAL|CRITICAL|info|debug|warn|warning|error)"
    r"[\])]?(?::|\s).*"
)
DULL = frozenset(("INFO", "DEBUG", "TRACE"))


def level_of(text: str) -> str:
    """The level of a line of a log, in upper case; an empty text of another line."""
    match = _LINE.fullmatch(text)
    return match["level"].upper() if match else ""

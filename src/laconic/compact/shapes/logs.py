"""Log lines: plain messages are counted by kind; warnings and errors stay, each kind once."""

from __future__ import annotations

from collections import Counter

from laconic.compact.shapes.repeats import kind_of
from laconic.compact.shapes.rows import made, placed, raw_of
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

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
_FEWEST = 4


def is_log_line(text: str) -> bool:
    return _LINE.fullmatch(text) is not None


def level_of(text: str) -> str:
    """The level of a line of a log, in upper case; an empty text of another line."""
    match = _LINE.fullmatch(text)
    return match["level"].upper() if match else ""


def logs(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Fold the log lines inside another output, such as that of tests.

    Of plain messages, the first of each kind stays after a failure, and none after a success.
    """
    matches = [(i, m["level"].upper()) for i in raw_of(rows) if (m := _LINE.fullmatch(texts[i]))]
    dull = [(i, level) for i, level in matches if level in DULL]
    wrong = [(i, level) for i, level in matches if level not in DULL]
    gone: set[int] = set()
    seen: set[str] = set()
    for index, _ in wrong:
        kind = kind_of(texts[index])
        if kind in seen:
            gone.add(index)
        seen.add(kind)
    if len(dull) >= _FEWEST:
        for index, _ in dull:
            kind = kind_of(texts[index])
            if asked.status == 0 or kind in seen:
                gone.add(index)
            seen.add(kind)
    if not gone:
        return rows
    levels = Counter(level for index, level in matches if index in gone)
    said = ", ".join(f"{count} {level}" for level, count in levels.items())
    last = max(gone)
    return placed(rows, {last: [made(f"[log lines hidden: {said}]", sorted(gone))]}, gone)

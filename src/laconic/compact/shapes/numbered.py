"""Neighbouring lines that differ in a number that counts up: one line, `test_many[{0..39}]`.

A line that is only a number stays: it is a value, and no name.
"""

from __future__ import annotations

from laconic.compact.shapes.rows import placed, whole
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_LAST = pattern(r"(.*?)(0|[1-9][0-9]*)(\D*)")
_FEWEST = 3


def numbered(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Write lines that differ only in their last number, which grows by one, as one."""
    del asked
    return as_one(rows, texts, _FEWEST)


def as_one(rows: list[Row], texts: Texts, fewest: int) -> list[Row]:
    """The same, where there are at least so many lines."""
    instead: dict[int, list[Row]] = {}
    gone: set[int] = set()
    run: list[int] = []
    parts: tuple[str, int, str] | None = None  # of the last line of the run
    for row in [*rows, None]:
        index = row if isinstance(row, int) else -1
        match = _LAST.fullmatch(texts[index]) if index >= 0 else None
        is_name = match is not None and bool((match[1] + match[3]).strip())
        found = (match[1], int(match[2]), match[3]) if match and is_name else None
        if run and parts and found == (parts[0], parts[1] + 1, parts[2]):
            run.append(index)
        else:
            if parts and len(run) >= fewest:
                start, last, end = parts
                text = f"{start}{{{last + 1 - len(run)}..{last}}}{end}"
                instead[run[0]] = [whole(text, run)]
                gone |= set(run)
            run = [index]
        parts = found
    return placed(rows, instead, gone)

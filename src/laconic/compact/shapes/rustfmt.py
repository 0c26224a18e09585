"""What rustfmt would change: the places by file, not the difference, which it makes itself."""

from __future__ import annotations

from laconic.compact.shapes.rows import placed, raw_of, whole
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_PLACE = pattern(r"(?P<file>Diff in (?P<path>\S.*?))(?P<mark>:\d+:| at line \d+:)")
_CHANGE = pattern(r"[-+ ](?!\s*-->).*|")


def rustfmt(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Write the places of each file in one line."""
    del asked
    instead: dict[int, list[Row]] = {}
    gone: set[int] = set()
    files: dict[str, dict[int, str]] = {}
    is_below = False
    for index in raw_of(rows):
        match = _PLACE.fullmatch(texts[index])
        if match:
            files.setdefault(match["file"], {})[index] = match["mark"]
        is_below = match is not None or (is_below and _CHANGE.fullmatch(texts[index]) is not None)
        if is_below:
            gone.add(index)
    for file, marks in files.items():
        instead[min(marks)] = [whole(f"{file}{' '.join(marks.values())}", list(marks))]
    return placed(rows, instead, gone)

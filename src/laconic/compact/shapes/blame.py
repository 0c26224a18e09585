"""The output of git blame: who wrote a line is said where that changes."""

from __future__ import annotations

from itertools import groupby

from laconic.compact.result import MADE, SHORT, Shown
from laconic.compact.shapes.rows import raw_of
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

# Commit, perhaps the file that it was in, author, time, number: git-blame(1), "THE DEFAULT FORMAT".
_LINE = pattern(
    r"(\^?[0-9a-f]{7,40}) +(?:(\S+) +)?\((.*?) +(\d{4}-\d\d-\d\d) \d\d:\d\d:\d\d [-+]\d{4} +(\d+)\)"
    r" ?(.*)"
)
_FEWEST = 4
_SAID = "[a line that begins with its number is of the commit above it]"


def blame(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show the commit where its lines begin, and its author and day where it is first met."""
    del asked
    lines = raw_of(rows)
    found = {i: match for i in lines if (match := _LINE.fullmatch(texts[i]))}
    if len(found) < _FEWEST or len(found) < len(rows):
        return rows
    shown: list[Row] = []
    known: set[str] = set()
    for (name, file), group in groupby(lines, lambda i: (found[i][1], found[i][2] or "")):
        start = [name, *([file] if file else [])]
        for index in group:
            _, _, author, day, number, text = found[index].groups()
            who = [] if name in known else [f"({author} {day}"]
            shown.append(Shown(SHORT, f"{' '.join([*start, *who, number])}) {text}", (index + 1,)))
            known.add(name)
            start = []
    if len(found) > sum(1 for _ in groupby(lines, lambda i: found[i][1])):
        shown.insert(0, Shown(MADE, _SAID, (lines[0] + 1,)))
    return shown

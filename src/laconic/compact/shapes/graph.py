"""The output of `git log --graph`: the text after the drawn lines, and the mark of each commit.

git-log(1), --graph.
"""

from __future__ import annotations

from laconic.compact.shapes.rows import raw_of
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.rows import Texts

_COMMIT = pattern(r"((?:[|/\\_] ?| )*\*)[|/\\_. -]*? *(?=(?:commit )?[0-9a-f]{7,40}\b)")
# After what is drawn and one blank, a message is indented by four blanks, a diffstat by one.
_DRAWN = pattern(r"(?:[|/\\_*]| {1,3}(?=[|/\\_*]))*")
_HEADING = pattern(r"(?:Author|Commit|Merge|Date|AuthorDate|CommitDate): ")
_OF_MESSAGE, _OF_STAT = 5, 2


class Graph:
    """texts: what follows the drawn lines. marks: how the commit of a line is drawn.

    empty: lines that are only drawn.
    """

    __slots__ = ("empty", "marks", "texts")

    def __init__(self) -> None:
        self.texts: dict[Row, str] = {}
        self.marks: dict[int, str] = {}
        self.empty: set[int] = set()

    @property
    def is_line(self) -> bool:
        """Tell whether every commit follows the one before it."""
        return set(self.marks.values()) <= {"*"}


def graph(rows: list[Row], texts: Texts) -> Graph | None:
    """Read a graph; None if the output is not one."""
    lines = raw_of(rows)
    first = next((texts[index] for index in lines if texts[index].strip()), "")
    if not _COMMIT.match(first):
        return None
    found = Graph()
    for index in lines:
        text = texts[index]
        if match := _COMMIT.match(text):
            found.marks[index] = match[1]
            found.texts[index] = text[match.end() :]
            continue
        drawn = _DRAWN.match(text)
        rest = text[drawn.end() :] if drawn else text
        blanks = len(rest) - len(rest.lstrip(" "))
        if not rest.strip():
            found.empty.add(index)
        indent = 4 if blanks >= _OF_MESSAGE else int(blanks >= _OF_STAT)
        plain = rest.lstrip(" ")
        found.texts[index] = plain if _HEADING.match(plain) else f"{' ' * indent}{plain}"
    return found

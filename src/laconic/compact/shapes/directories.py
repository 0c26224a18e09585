"""Listings of several directories, each below its name: `ls -R`, `ls a b`."""

from __future__ import annotations

from laconic.compact.shapes.rows import raw_of
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.rows import Texts

_HEAD = pattern(r"(\.{0,2}/?(?:[\w.@+~%#=,\[\]()$-]+/)*[\w.@+~%#=,\[\]()$-]+/?|/):")
_ERROR = pattern(r"[\w/.-]+: .*: \S")  # of ls itself, before or between the directories
_TOTAL = pattern(r"total \d[\d.,]*[KMGT]?")


class Directories:
    """The lines below the name of each directory, as ls(1) writes several of them.

    names: the directory of each line below a name. lines: these lines. heads: the lines with names
    that something is below, what sums them up, and the blank lines between them. written: how the
    name of a directory stands there, with its colon.
    """

    __slots__ = ("heads", "lines", "names", "written")

    def __init__(self) -> None:
        self.written: dict[str, str] = {}
        self.names: dict[int, str] = {}
        self.lines: list[int] = []
        self.heads: set[int] = set()

    def path(self, index: int, name: str) -> str:
        """The path of what a line lists."""
        directory = self.names.get(index, "")
        return name if directory in ("", "./") else f"{directory}{name}"

    @property
    def are_paths(self) -> bool:
        """Tell whether the names cannot be headings of another kind."""
        return all("/" in path.rstrip("/") or "." in path for path in self.paths)

    @property
    def paths(self) -> set[str]:
        return set(self.names.values())


def directories(rows: list[Row], texts: Texts) -> Directories | None:
    """The directories of a listing; None if no line is the name of one.

    Such a line is the first of all, or follows a blank line.
    """
    found = Directories()
    current, head, is_start = "", -1, True
    for index in raw_of(rows):
        text = texts[index]
        if _ERROR.match(text):
            continue
        if is_start and (match := _HEAD.fullmatch(text)):
            head = index
            current = match[1].rstrip("/").removeprefix("./") + "/"
            found.written[current] = text
        elif not text.strip() or _TOTAL.fullmatch(text):
            found.heads.add(index)
        else:
            found.lines.append(index)
            if current and "/" in text.rstrip("/") and " " not in text:
                return None  # ls writes names without directories there
            if current:
                found.names[index] = current
                found.heads.add(head)
        is_start = not text.strip()
    return found if found.names else None

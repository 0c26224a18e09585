"""Reads a diff: its files, their hunks, and what became of each line."""

from __future__ import annotations

from laconic.compact.masks import any_of
from laconic.compact.result import RAW
from laconic.compact.shapes.rows import raw_of
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.masks import Mask
    from laconic.compact.result import Row, Shown
    from laconic.compact.shapes.rows import Texts

_FILE = pattern(r"diff --(?:git a/(.*) b/|(?:cc|combined) )(.*?)\r?")
_HUNK = pattern(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*?)\r?")
# Of a merge: a sign for each parent, git-diff(1), "COMBINED DIFF FORMAT".
_COMBINED = pattern(r"(@@@+)((?: -\d+(?:,\d+)?)+) \+(\d+)(?:,\d+)? @@@+ ?(.*?)\r?")
# The lines between the name of a file and its first hunk, as man 1 git-diff lists them, and those
# of a binary file. Any other line there was printed by another program.
_HEAD = pattern(
    r"(?:old mode|new mode|deleted file mode|new file mode) \d+|(?:copy|rename) (?:from|to) .*"
    r"|(?:dis)?similarity index \d+%|index [0-9a-f,]+\.\.[0-9a-f]+(?: \d+)?|(?:---|\+\+\+) .*"
    r"|Binary files .* differ|GIT binary patch|(?:literal|delta) \d+|mode [0-9,]+\.\.\d+"
)
_STATE = pattern(r"(deleted|new) file mode \d+|(rename|copy) from .*")
_STARTS = ("diff --git ", "diff --cc ", "diff --combined ")
# A file without a line of git's: what `diff -u` and formatters write, perhaps with a time.
_OLD, _NEW = pattern(r"--- (\S.*?)(?:\t.*)?\r?"), pattern(r"\+\+\+ (\S.*?)(?::after)?(?:\t.*)?\r?")
_FEW = 5  # lines of a generated file that are shown


class Hunk:
    """Lines of a hunk; old, new: how many lines of each side are still to come.

    signs: how many characters before the text of a line say what became of it.
    """

    __slots__ = ("head", "lines", "new", "old", "signs", "start", "where")

    def __init__(self, index: int, start: str, where: str, signs: int = 1) -> None:
        self.head, self.start, self.where, self.signs = index, start, where, signs
        self.old = self.new = 0
        self.lines: list[int] = []

    def added(self, texts: Texts) -> list[int]:
        return [i for i in self.lines if "+" in texts[i][: self.signs]]

    def removed(self, texts: Texts) -> list[int]:
        return [i for i in self.lines if "-" in texts[i][: self.signs]]

    @property
    def is_open(self) -> bool:
        return self.old > 0 or self.new > 0

    def is_change(self, text: str) -> bool:
        return bool(text[: self.signs].strip(" \r"))


class File:
    __slots__ = ("heads", "hunks", "name")

    @property
    def is_long(self) -> bool:
        return len(self.lines) > _FEW

    @property
    def indexes(self) -> list[int]:
        return [*self.heads, *(i for hunk in self.hunks for i in (hunk.head, *hunk.lines))]

    @property
    def lines(self) -> list[int]:
        return [i for hunk in self.hunks for i in hunk.lines]

    def __init__(self, name: str, index: int) -> None:
        self.name, self.heads = name, [index]
        self.hunks: list[Hunk] = []

    @property
    def is_open(self) -> bool:
        """Tell whether lines of the last hunk are still to come."""
        return bool(self.hunks) and self.hunks[-1].is_open

    def state(self, texts: Texts) -> str:
        """Whether it is new, deleted, renamed or copied, in git's words."""
        found = (_STATE.match(texts[i]) for i in self.heads[1:])
        return next((match[1] or match[2] for match in found if match), "")


def files_of(rows: list[Row], texts: Texts, printed: Mask) -> list[Row | File]:
    """The rows, with files in place of their lines; none of them is a file if there is no diff."""
    lines = raw_of(rows)
    plain = _plain(lines, texts)
    found: list[Row | File] = []
    current: File | None = None
    for row in rows if plain or any(texts[i].startswith(_STARTS) for i in lines) else ():
        index = row if isinstance(row, int) else _long_line(row, current, printed)
        text = texts[index] if index is not None else ""
        if index is None:
            current = None
            found.append(row)
        elif match := _FILE.fullmatch(text) if isinstance(row, int) else None:
            name = match[2] if match[1] in (match[2], None) else f"{match[1]} -> {match[2]}"
            current = File(name, index)
            found.append(current)
        elif index in plain and not (current and current.is_open):
            current = File(plain[index], index)
            found.append(current)
        elif current is None or not _taken(current, index, text):
            current = None
            found.append(row)
    return found


def _long_line(row: Shown, file: File | None, printed: Mask) -> int | None:
    """The index of a line that is too long for patterns, inside of a hunk, where none is needed."""
    index = row.numbers[0] - 1
    is_inside = row.kind == RAW and file is not None and file.is_open
    return index if is_inside and not any_of(printed[index : index + 1]) else None


def _plain(lines: list[int], texts: Texts) -> dict[int, str]:
    """The names of files that no line of git names, by the first line of each."""
    found: dict[int, str] = {}
    for pos, old in enumerate(lines[:-2]):
        if not texts[old].startswith("--- ") or not _OLD.fullmatch(texts[old]):
            continue
        before = texts[lines[pos - 1]].removesuffix("\r") if pos else ""
        if before.startswith(_STARTS) or _HEAD.fullmatch(before):
            continue
        new, hunk = texts[lines[pos + 1]], texts[lines[pos + 2]]
        if (match := _NEW.fullmatch(new)) and _HUNK.fullmatch(hunk):
            found[old] = match[1]
    return found


def _taken(file: File, index: int, text: str) -> bool:
    """Take a line that belongs to the file; False if the diff is over."""
    hunk = file.hunks[-1] if file.hunks else None
    if hunk and hunk.signs > 1 and _COMBINED.fullmatch(text) is None:
        if text[: hunk.signs].strip(" +-") and not text.startswith("\\"):
            return False
        hunk.lines.append(index)
        return True
    if hunk and (hunk.is_open or text.startswith("\\")):
        sign = text[:1]
        if sign not in ("+", "-", " ", "\\", "", "\r"):
            return False
        hunk.lines.append(index)
        hunk.old -= sign in ("-", " ", "", "\r")
        hunk.new -= sign in ("+", " ", "", "\r")
        return True
    if match := _HUNK.fullmatch(text):
        hunk = Hunk(index, match[3], match[5])
        hunk.old, hunk.new = int(match[2] or 1), int(match[4] or 1)
        file.hunks.append(hunk)
        return True
    if match := _COMBINED.fullmatch(text):
        file.hunks.append(Hunk(index, match[3], match[4], len(match[1]) - 1))
        return True
    if hunk is None and _HEAD.fullmatch(text.removesuffix("\r")):
        file.heads.append(index)
        return True
    return False

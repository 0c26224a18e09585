"""Failures of go test: a message of one test is told once with all its places, and so is a test.

The form is that of https://pkg.go.dev/testing: results are indented by four blanks for each level
of subtests, what a test says by four more, and the further lines of a message by another four.
"""

from __future__ import annotations

from laconic.compact.result import Shown
from laconic.compact.shapes.rows import whole
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

# The result of a test, or its name as the shape `passed` leaves it.
_FAILED, _NAME = pattern(r" *--- FAIL: (\S+) \([\d.]+s\)"), pattern(r"(\S+):")
_SAID = pattern(r"(( +)\S+\.go)(:\d+): (.*)")
_STEP = 4


class _Message:
    """What a test says. file, mark, text: its parts. lines: its own, and those below it."""

    __slots__ = ("file", "indent", "lines", "mark", "text")

    def __init__(self, index: int, file: str, indent: int, mark: str, text: str) -> None:
        self.file, self.indent, self.mark, self.text = file, indent, mark, text
        self.lines = [index]


class _Test:
    """The place of the row above what a test says, -1 for none, and its messages."""

    __slots__ = ("above", "messages")

    def __init__(self, above: int) -> None:
        self.above = above
        self.messages: list[_Message] = []


def go_tests(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Join equal messages of a test; of a test that fails as one before it, name that one."""
    del asked
    instead: dict[Row, Row] = {}
    gone: set[Row] = set()
    told: dict[tuple[str, ...], str] = {}  # the first test that says this
    for test in _tests(rows, texts):
        below = [i for message in test.messages for i in message.lines]
        heading = rows[test.above] if test.above >= 0 else below[0]
        name = _name(heading, texts)
        first = told.setdefault(tuple(texts[i] for i in below), name) if name else name
        if first != name:
            instead[heading] = _same(heading, name, first, below, texts)
            gone.update(below)
            continue
        for group in _alike(test.messages, texts):
            own, *more = group[0].lines
            joined = {i for message in group for i in message.lines} - set(more)
            places = " ".join(message.mark for message in group[1:])
            instead[own] = whole(f"{texts[own]} +{len(group) - 1}: {places}", joined)
            gone |= joined
    return [instead.get(row, row) for row in rows if row in instead or row not in gone]


def _tests(rows: list[Row], texts: Texts) -> list[_Test]:
    """What each test says: messages with the same indent, one right below the other."""
    found: list[_Test] = []
    last: _Message | None = None
    for pos, row in enumerate(rows):
        text = "" if isinstance(row, Shown) else texts[row]
        match = _SAID.fullmatch(text)
        if isinstance(row, Shown) or not (match or last):
            last = None
        elif last and text.startswith(" " * (last.indent + _STEP)) and not _FAILED.match(text):
            last.lines.append(row)
        elif match:
            if not last or last.indent != len(match[2]):
                found.append(_Test(pos - 1))
            last = _Message(row, match[1], len(match[2]), match[3], match[4])
            found[-1].messages.append(last)
        else:
            last = None
    return found


def _name(heading: Row, texts: Texts) -> str:
    """The name of the test that a row is about, or an empty text."""
    text = heading.text if isinstance(heading, Shown) else texts[heading]
    match = _FAILED.fullmatch(text) or (isinstance(heading, Shown) and _NAME.fullmatch(text))
    return match[1] if match else ""


def _same(heading: Row, name: str, first: str, below: list[int], texts: Texts) -> Shown:
    parent, slash, _ = name.rpartition("/")
    said = f"[the same as {first.removeprefix(f'{parent}{slash}')}]"
    if isinstance(heading, Shown):
        numbers = [*heading.numbers, *(index + 1 for index in below)]
        return Shown(heading.kind, f"{heading.text} {said}", numbers)
    return whole(f"{texts[heading]} {said}", [heading, *below])


def _alike(messages: list[_Message], texts: Texts) -> list[list[_Message]]:
    """Messages of one file with the same text, also below it, if there are several."""
    groups: dict[tuple[str, ...], list[_Message]] = {}
    for message in messages:
        below = (texts[i] for i in message.lines[1:])
        groups.setdefault((message.file, message.text, *below), []).append(message)
    return [group for group in groups.values() if len(group) > 1]

"""Failures of go test: a message of one test is told once with all its places, and so is a test.

The form is that of https://pkg.go.dev/testing: results are indented by four blanks for each level
of subtests, what a test says by four more, and the further lines of a message by another four.
"""

from __future__ import annotations

from itertools import takewhile

from laconic.compact.result import SHORT, Shown, numbers_of
from laconic.compact.shapes.rows import made, short, whole
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
_NO_TIME = " (0.00s)"
_LONG_END = 40  # characters that messages of one place have in common


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
    firsts: dict[tuple[str, str], _Message] = {}  # the first message of each place
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
        for message in test.messages:
            place = (message.file.strip(), message.mark)
            before = firsts.setdefault(place, message)
            if before is not message and message.lines[0] not in gone:
                row, *others = _without_end(message, before, texts)
                instead |= {numbers_of(row)[0] - 1: row}
                gone.update(others)
    shown = [instead.get(row, row) for row in rows if row in instead or row not in gone]
    return [_without_time(row, texts) for row in shown]


def _without_time(row: Row, texts: Texts) -> Row:
    """The result of a test that failed, without the time if that is none."""
    if isinstance(row, Shown) or not _FAILED.fullmatch(texts[row]):
        return row
    return short(texts[row].removesuffix(_NO_TIME), row, texts)


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


def _without_end(message: _Message, first: _Message, texts: Texts) -> list[Row]:
    """What replaces the end of a message if another of the same place has it, and what goes.

    The first line stays as it is if the end is not long.
    """
    own, *below = message.lines
    pairs = zip(reversed(below), reversed(first.lines[1:]), strict=False)
    same = list(takewhile(lambda pair: texts[pair[0]].strip() == texts[pair[1]].strip(), pairs))
    end = below[len(below) - len(same) :]
    if sum(len(texts[i].strip()) for i in end) >= _LONG_END:
        start = texts[end[0]][: -len(texts[end[0]].lstrip())]
        lines = f"{len(end)} lines are" if len(end) > 1 else "line is"
        return [made(f"{start}[the last {lines} the same]", end), *end[1:]]
    if below or len(first.lines) > 1:
        return [own]
    letters = zip(reversed(message.text), reversed(first.text), strict=False)
    equal = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], letters))
    at = message.text.find(" ", len(message.text) - equal)
    if at < 0 or len(message.text) - at < _LONG_END:
        return [own]
    text = texts[own][: at - len(message.text)]
    return [Shown(SHORT, f"{text} \u2026 [the same end]", (own + 1,))]


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

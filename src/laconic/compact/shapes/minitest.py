"""minitest's report: each failure once, by its name and places, what differs, and the totals.

https://docs.seattlerb.org/minitest/ has no description of it; what is read here is what
`Minitest::SummaryReporter` and `Minitest::ProgressReporter` print.
"""

from __future__ import annotations

from laconic.compact.result import Written
from laconic.compact.shapes.failures import Failure, shown, with_difference
from laconic.compact.shapes.rows import made, placed, raw_of, short
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.masks import Mask
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_TOTALS = pattern(r"\d+ (?:runs|tests), \d+ assertions, \d+ failures, \d+ errors, \d+ skips")
# Rails shows failures while the tests run, without numbers, and how to run each of them again.
_NUMBER = pattern(r"(?: *(\d+\)) )?(Failure|Error|Skipped):")
_NAME = pattern(r"(\S.*?)(?: \[(.*:\d+)\])?:")
_FRAME = pattern(r"(?:    )?(\S+:\d+)(:in .*)")
_BACKTRACE, _RULER = "---Backtrace---", "-" * 15
_CARETS = pattern(r"\s+\^[\^~ ]*")
_LEGEND = pattern(r"--- expected|\+\+\+ actual|@@ .* @@.*")
_RESULT = pattern(r"(\S.*#.*) = \d+\.\d+ s = ([.FES])")
# As minitest-reporters lists tests: https://github.com/minitest-reporters/minitest-reporters
_IN_LIST = pattern(r"  (\S.*?) +(PASS|FAIL|ERROR|SKIP) \([\d.]+s\)")
_CLASS = pattern(r"[A-Z]\w*(?:::\S.*)?")
_KIND = pattern(r"^Minitest::(?:Assertion|UnexpectedError): +")
_INDENT = " " * 8
_DULL = pattern(
    r"[.FES]+|# Running(?: tests)?:|Finished in [\d.]+s, .*"
    r"|Started with .*|You have skipped tests\. Run with --verbose for details\."
    r"|(?:bin/)?rails test \S+:\d+"
    # of rake, which runs the tests
    r"|\S*ruby\S* .*/rake_test_loader\.rb .*|\(See full trace by running task with --trace\)"
)
_SEED = pattern(r"Run options: .*--seed \d+")
_COMMAND = pattern(r"(Command failed with status \(\d+\)): \[.*\]")
_MARK = " "


def may_begin_report(text: str) -> bool:
    return any(form.fullmatch(text) for form in (_DULL, _SEED, _NUMBER, _RESULT, _TOTALS, _IN_LIST))


def minitest(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show every failure in few lines; of the tests that are listed none that is told."""
    lines = raw_of(rows)
    if not any(_TOTALS.fullmatch(texts[i]) for i in lines):
        return rows
    failures = [_read(block, texts, asked.pinned) for block in _blocks(lines, texts)]
    listed = _listed(lines, texts)
    failures += [test.failure(texts, asked.pinned) for test in listed if test.has_failed]
    gone = {i for failure in failures for i in failure.lines}
    gone |= {i for test in listed for i in (test.index, test.above)}
    names = {failure.title.partition(": ")[2] for failure in failures}
    for index in lines:
        text = texts[index]
        result = _RESULT.fullmatch(text)
        is_told = result is not None and (result[2] == "." or result[1] in names)
        # the order may be why a test fails
        is_told = is_told or (not asked.status and _SEED.fullmatch(text) is not None)
        if not text.strip() or is_told or _DULL.fullmatch(text):
            gone.add(index)
    instead = shown(failures, _MARK)
    for test in listed:
        if test.result == "SKIP":
            instead[test.index] = [made(f"{test.result} {test.title}", [test.index])]
    commands = ((i, _COMMAND.fullmatch(texts[i])) for i in lines)
    instead |= {i: [short(match[1], i, texts)] for i, match in commands if match}
    return placed(rows, instead, gone)


class _Listed:
    """A test in the list of minitest-reporters: its class is above it, what it says below it."""

    __slots__ = ("above", "body", "index", "result", "title")

    def __init__(self, index: int, above: int, title: str, result: str) -> None:
        self.index, self.above, self.title, self.result = index, above, title, result
        self.body: list[int] = []

    @property
    def has_failed(self) -> bool:
        return self.result in ("FAIL", "ERROR")

    def failure(self, texts: Texts, pinned: Mask) -> Failure:
        failure = Failure([self.index, *self.body], f"{self.result} {self.title}", "  ")
        failure.name = self.title
        failure.cut = {i for i in self.body if _KIND.match(texts[i])}
        said = Written({i: _KIND.sub("", texts[i]).removeprefix(_INDENT) for i in self.body})
        _fill(failure, self.body, said, pinned, self.title)
        return failure


def _listed(lines: list[int], texts: Texts) -> list[_Listed]:
    found: list[_Listed] = []
    above = -1
    is_inside, is_below_blank = False, True
    for index in lines:
        text = texts[index]
        if is_below_blank and not text.startswith(_INDENT):
            is_inside = False
        if (match := _IN_LIST.fullmatch(text)) and above >= 0:
            found.append(_Listed(index, above, f"{texts[above]}#{match[1]}", match[2]))
            is_inside = match[2] != "PASS"
        elif is_inside and text.strip():
            found[-1].body.append(index)
        elif is_below_blank and _CLASS.fullmatch(text):
            above = index
        is_below_blank = not text.strip()
    return found


def _blocks(lines: list[int], texts: Texts) -> list[list[int]]:
    """The lines of each failure, up to the next, or to the totals."""
    found: list[list[int]] = []
    is_inside = False
    for pos, index in enumerate(lines):
        text = texts[index]
        below = texts[lines[pos + 1]] if pos + 1 < len(lines) else ""
        if _NUMBER.fullmatch(text) and _NAME.fullmatch(below):
            found.append([])
            is_inside = True
        elif _TOTALS.fullmatch(text) or _DULL.fullmatch(text):
            is_inside = False
        if is_inside:
            found[-1].append(index)
    return found


def _read(block: list[int], texts: Texts, pinned: Mask) -> Failure:
    number, name = _NUMBER.fullmatch(texts[block[0]]), _NAME.fullmatch(texts[block[1]])
    assert number is not None
    assert name is not None
    start = f"{number[1]} " if number[1] else ""
    failure = Failure(block, f"{start}{number[2]}: {name[1]}", "  ")
    failure.name = number[1] or name[1]
    _fill(failure, block[2:], texts, pinned, name[1])
    if name[2]:
        failure.places = [*(p for p in failure.places if p != name[2]), f"[{name[2]}]"]
    return failure


def _fill(failure: Failure, lines: list[int], texts: Texts, pinned: Mask, test: str) -> None:
    """Take over the frames and the message of a failure."""
    body = [i for i in lines if texts[i].strip() and texts[i] not in (_BACKTRACE, _RULER)]
    frames = [i for i in body if _FRAME.fullmatch(texts[i])]
    found = [match for i in frames if (match := _FRAME.fullmatch(texts[i]))]
    failure.add_frames([_place(match[1], match[2], test) for match in found])
    message = [i for i in body if i not in frames and not _CARETS.fullmatch(texts[i])]
    failure.said = with_difference(message, _LEGEND, texts, pinned)


def _place(place: str, function: str, test: str) -> str:
    """A frame without the function if that is the test itself, or a block."""
    is_known = "block " in function or function.rstrip("'").endswith(test.rpartition("#")[2])
    return place if is_known or "<top " in function else place + function

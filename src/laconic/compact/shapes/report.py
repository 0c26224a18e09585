"""Reads the report of a test runner, as its row in `runners` says, and tells each failure once."""

from __future__ import annotations

from functools import cached_property
from itertools import takewhile

from laconic.compact.shapes.failures import Failure, fill, shown
from laconic.compact.shapes.overview import headings
from laconic.compact.shapes.rows import find_form, placed, raw_of, short
from laconic.compact.shapes.runners import runner as runner_of
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

    from laconic.compact.masks import Mask
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts
    from laconic.compact.shapes.runners import Block, Runner

_SUITES = pattern(r" [\u203a>] ")
_WRONG = pattern(r"(?i).*\b(?:warn(?:ing)?|error|fail(?:ed|ure)?|exception|deprecated)\b.*")
_PLACE = pattern(r".+: (?:Failure|Skipped)")  # above each message of Google Test


def report_of(name: str, rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """The shape of a runner of which its row says all."""
    report = Report(name, rows, texts, asked)
    return report.shown() if report.is_one else rows


class Report:
    """What was read of the lines that no shape before has touched.

    is_one: whether these are the lines of such a report. failures: in their order. gone: lines that
    are not shown. instead: what is shown in place of lines.
    """

    def __init__(self, name: str, rows: list[Row], texts: Texts, asked: Asked) -> None:
        self.runner = runner_of(name)
        self.texts, self.asked = texts, asked
        self._rows, self.lines = rows, raw_of(rows)
        self.failures: list[Failure] = []
        self.gone: set[int] = set()
        self.instead: dict[int, list[Row]] = {}
        at = find_form(self.runner.sign, self.lines, texts)
        self.is_one = at < len(self.lines)
        self.start = at if self.runner.is_below else 0
        if self.is_one:
            self._read()

    def _read(self) -> None:
        runner, texts = self.runner, self.texts
        self.failures = [
            _failure(runner, kind, block, texts, self.asked.pinned)
            for kind, block in blocks(runner, self.lines[self.start :], texts)
        ]
        self.gone = {i for failure in self.failures for i in failure.lines}
        told = self._told_words()
        begins: dict[str, str] = {}
        seeds: dict[str, int] = {}
        words: set[str] = set()  # what is told of the failed test above
        for index in self.lines:
            text = texts[index]
            if not text.strip() or runner.dull.fullmatch(text):
                self.gone.add(index)
            elif again := runner.again.fullmatch(text):
                words = told.get(again["name"], set())
                self.gone |= {index} if again["name"] in told else set()
                begins[again["name"]] = again.groupdict().get("place", "").strip("'")
            elif runner.seed.fullmatch(text):
                seeds[text] = index
                self.gone.add(index)
            elif said := runner.short.fullmatch(text):
                self.instead[index] = [short("".join(filter(None, said.groups())), index, texts)]
            elif runner.other.fullmatch(text):
                words = set()
            elif text.strip().removeprefix("\u2192 ") in words:
                self.gone.add(index)
        self._leave_out_passed()
        if self.asked.status:  # the order may be why a test fails; it may be told at both ends
            self.gone -= set(seeds.values())
        for failure in self.failures:
            failure.begins = begins.get(failure.test, "")
        if marks := {i for i in self.lines if runner.marks.fullmatch(texts[i])}:
            above = [i for i in self.lines[: self.start or None] if " | " not in texts[i]]
            self.gone |= headings(above, texts, self.asked.pinned, marks, self.gone)

    def _leave_out_passed(self) -> None:
        """Leave out parts in which all is well, and names above lines that say them again.

        Of a part that has printed what looks wrong that stays, below its heading.
        """
        runner, texts = self.runner, self.texts
        part: list[int] = []
        above, last = "", -1  # the name in the line above, and that line
        for index in self.lines:
            text = texts[index]
            if runner.part.fullmatch(text):
                part = [index]
            elif runner.passed.fullmatch(text):
                inside = [i for i in part[1:] if i not in self.gone]
                wrong = [i for i in inside if self.asked.pinned[i] or _WRONG.fullmatch(texts[i])]
                self.gone |= {index, *inside, *part[:1]} - {*wrong, *(part[:1] if wrong else ())}
                self.instead.pop(part[0] if part and not wrong else -1, None)
                part = []
            elif failed := runner.failed.fullmatch(text):
                self.gone |= {index, *part[:1]}
                self.instead[[*part, index][0]] = [short(failed[1], index, texts)]
                self.asked.settled.update(i for i in part if _PLACE.fullmatch(texts[i]))
                part = []
            elif runner.sign.fullmatch(text):
                part = []
            elif part:
                part.append(index)
            if named := runner.names.fullmatch(text):
                name = next(filter(None, named.groups()))
                self.gone |= {last} if name == above else set()
                above, last = name, index
            elif text.strip():
                above = ""

    def _told_words(self) -> dict[str, set[str]]:
        """What is said of each failed test, by its name, without its suites, and by its file."""
        found: dict[str, set[str]] = {}
        for failure in self.failures:
            words = {self.texts[i].strip() for i in failure.lines}
            words |= {text.partition(": ")[2] for text in words}
            parts = _SUITES.split(failure.test)
            ends = (" > ".join(parts[n:]) for n in range(len(parts)))
            for name in (parts[0], failure.test, *ends):
                found.setdefault(name, set()).update(words)
        for index in self.lines:
            if named := self.runner.names.fullmatch(self.texts[index]):
                found[next(filter(None, named.groups()))] = set()
        return found

    @cached_property
    def told(self) -> dict[int, list[Row]]:
        """What is shown of the failures, by the first line of each."""
        return shown(self.failures, self.texts, self.runner.mark)

    def shown(self) -> list[Row]:
        """The rows of the report, in place of all of its lines."""
        return placed(self._rows, self.told | self.instead, self.gone)


def blocks(runner: Runner, lines: list[int], texts: Texts) -> list[tuple[Block, list[int]]]:
    """The lines of each failure, with the row of the table by which it was found."""
    found: list[tuple[Block, list[int]]] = []
    kind: Block | None = None
    is_framed = False
    for pos, index in enumerate(lines):
        text = texts[index]
        if begun := next((k for k in runner.blocks if _begins(k, lines, pos, texts)), None):
            kind, is_framed = begun, False
            found.append((kind, []))
        elif kind and text.strip() and not kind.within.fullmatch(text):
            kind = None
        elif kind and kind.frames and text.strip():
            is_frame = kind.frames.fullmatch(text) is not None
            is_cause = runner.cause.fullmatch(text) is not None
            kind = None if is_framed and not is_frame and not is_cause else kind
            is_framed = is_frame
        if kind:
            found[-1][1].append(index)
    return found


def _begins(kind: Block, lines: list[int], pos: int, texts: Texts) -> bool:
    if not kind.begins.fullmatch(texts[lines[pos]]):
        return False
    below = next((texts[i] for i in lines[pos + 1 : pos + 4] if texts[i].strip()), "")
    return kind.below.fullmatch(below) is not None


def may_be_of(name: str, text: str) -> bool:
    """Tell whether a line may be left out, or written in another way, where there is a report."""
    runner = runner_of(name)
    parts = (runner.part, runner.passed, runner.failed)
    others = (runner.dull, runner.again, runner.seed, runner.short, runner.other)
    begun = (kind.begins for kind in runner.blocks)
    return any(form.fullmatch(text) for form in (runner.sign, *parts, *others, *begun))


def _failure(runner: Runner, kind: Block, block: list[int], texts: Texts, pinned: Mask) -> Failure:
    """Read title, message and frames of a failure."""
    heads = 2 if kind.head else 1
    head = (kind.head or kind.begins).fullmatch("\n".join(texts[i] for i in block[:heads]))
    assert head is not None
    groups = head.groupdict()
    failure = Failure(block, head.expand(kind.title).rstrip())
    failure.test = groups.get("test") or ""
    more = _title_below(block, texts, kind.more)
    if more:
        failure.title = " ".join([failure.title, *(texts[i].strip() for i in more)])
        failure.title = failure.title.removesuffix(":")
        failure.test = texts[more[-1]].strip().removesuffix(":")
    body = block if kind.has_code else block[heads + len(more) :]
    fill(failure, runner, body, texts, pinned, groups.get("place") or "")
    return failure


def _title_below(block: list[int], texts: Texts, form: re.Pattern[str]) -> list[int]:
    """The lines of a title below its first one, if that does not end it, and one of them does."""
    if texts[block[0]].endswith(":"):
        return []
    more = list(takewhile(lambda i: form.fullmatch(texts[i]), block[1:]))
    ends = [pos for pos, i in enumerate(more) if texts[i].endswith(":")]
    return more[: ends[0] + 1] if ends else []

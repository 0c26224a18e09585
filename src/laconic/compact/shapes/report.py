"""Reads the report of a test runner, as its row in `runners` says, and tells each failure once."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise, takewhile

from laconic.compact.result import Written
from laconic.compact.shapes.failures import Failure, shown, with_difference
from laconic.compact.shapes.native_frames import is_of_library
from laconic.compact.shapes.overview import headings
from laconic.compact.shapes.rows import find_form, placed, raw_of, short
from laconic.compact.shapes.runners import runner as runner_of
from laconic.compact.shapes.script_failures import fill
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

    from laconic.compact.masks import Mask
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.failures import Said
    from laconic.compact.shapes.rows import Texts
    from laconic.compact.shapes.runners import Block, Runner

_IN_BLOCK = pattern(r":in [`'](?:.*#)?(?:block |<top |<main>|rescue in block ).*")
_KIND = pattern(r"\s*((?:[A-Z]\w*::)*[A-Z]\w*):")
_SUITES = pattern(r" [\u203a>] ")
_WRONG = pattern(r"(?i).*\b(?:warn(?:ing)?|error|fail(?:ed|ure)?|exception|deprecated)\b.*")
_PLACE = pattern(r".+: (?:Failure|Skipped)")  # above each message of Google Test
_CARETS = pattern(r"\s+\^[\^~ ]*")


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
    """Read title, code, message, frames and causes of a failure."""
    heads = 2 if kind.head else 1
    head = (kind.head or kind.begins).fullmatch("\n".join(texts[i] for i in block[:heads]))
    assert head is not None
    groups = head.groupdict()
    failure = Failure(block, head.expand(kind.title).rstrip(), head.expand(kind.indent))
    failure.name = head.expand(kind.name).strip() or groups.get("test") or failure.name
    failure.test = groups.get("test") or ""
    more = _title_below(block, texts, kind.more)
    if more:
        failure.title = " ".join([failure.title, *(texts[i].strip() for i in more)])
        failure.title = failure.title.removesuffix(":")
        failure.test = texts[more[-1]].strip().removesuffix(":")
    body = block if kind.has_code else block[heads + len(more) :]
    if runner.is_script:
        fill(failure, runner, body, texts, pinned, groups.get("place") or "")
        return failure
    said = Written({i: runner.beside.sub("", texts[i]) for i in body})
    failure.cut = {i for i in body if any(map(str.isalnum, texts[i].removesuffix(said[i])))}
    body = [i for i in body if not runner.noise.fullmatch(said[i])]
    filled = [i for i in body if said[i].strip()]
    if reasons := list(takewhile(lambda i: kind.reason.fullmatch(said[i]), filled)):
        failure.title += " ".join([":", *(kind.reason.sub(r"\1", said[i]) for i in reasons)])
        body = [i for i in body if i not in reasons]
    causes = [pos for pos, i in enumerate(body) if runner.cause.fullmatch(said[i])]
    own = body[: causes[0]] if causes else body
    frames = {i: found for i in own if (found := runner.frame.fullmatch(said[i]))}
    places = [_place(found.groupdict(), failure.test) for found in frames.values()]
    failure.add_frames([place for place in places if place])
    failure.foreign += places.count("")
    if not kind.where and failure.places and is_of_library(failure.places[0]):
        failure.places, failure.foreign = [], len(frames)  # the title has the file
    own = _without_code(failure, runner, [i for i in own if i not in frames], said)
    failure.said = _message(failure, runner, own, said, pinned)
    for start, end in pairwise([*causes, len(body)]):
        failure.said.append(_cause(failure, runner, body[start:end], said))
    if place := groups.get("place"):
        failure.places = [*(p for p in failure.places if p != place), kind.where.format(place)]
    if failure.code:
        is_own = bool(failure.places) and not is_of_library(failure.places[0])
        is_told = any(_repeats(failure.code[0], text) for text, _ in failure.said)
        failure.code = None if is_told or (frames and not is_own) else failure.code
    return failure


def _title_below(block: list[int], texts: Texts, form: re.Pattern[str]) -> list[int]:
    """The lines of a title below its first one, if that does not end it, and one of them does."""
    if texts[block[0]].endswith(":"):
        return []
    more = list(takewhile(lambda i: form.fullmatch(texts[i]), block[1:]))
    ends = [pos for pos, i in enumerate(more) if texts[i].endswith(":")]
    return more[: ends[0] + 1] if ends else []


def _place(frame: dict[str, str | None], test: str) -> str:
    """A frame; its function is left out if that is the test itself, or a block."""
    place, function = frame["place"] or "", frame.get("function") or ""
    is_test = bool(test) and function.rstrip("'").endswith(test.rpartition("#")[2])
    return place if is_test or _IN_BLOCK.fullmatch(function) else place + function


def _without_code(failure: Failure, runner: Runner, own: list[int], said: Texts) -> list[int]:
    """Read the source that failed; the lines below it are the message."""
    for pos, index in enumerate(own):
        if code := runner.code.fullmatch(said[index]):
            below = [] if code[1] else list(takewhile(lambda i: said[i].strip(), own[pos + 1 :]))
            source = code[1] or (said[below[0]] if below else "")
            failure.code = (source.strip(), [index]) if source.strip() else None
            return own[pos + 1 + len(below) :]
    return own


def _message(
    failure: Failure, runner: Runner, lines: list[int], said: Texts, pinned: Mask
) -> list[Said]:
    """The message without an excerpt of the source that is told, and with the kind before it."""
    lines = [i for i in lines if said[i].strip()]
    code = failure.code[0] if failure.code else ""
    marks = {i for i in lines[1:] if _CARETS.fullmatch(said[i])}
    again = {i for i, mark in pairwise(lines) if mark in marks and said[i].strip() in code}
    lines = [i for i in lines if i not in marks | again]
    found = with_difference(lines, runner.legend, said, pinned)
    if len(found) > 1 and (kind := _KIND.fullmatch(found[0][0])):
        (_, first), (text, second), *found = found
        found.insert(0, (f"{kind[1]}: {text.strip()}", [*first, *second]))
    joined = " ".join(text.strip() for text, _ in found)
    if found and len(joined) <= runner.width:
        return [(joined, [i for _, some in found for i in some])]
    return found


def _cause(failure: Failure, runner: Runner, lines: list[int], said: Texts) -> Said:
    """An exception that caused another, in one line with the places that are not told yet."""
    words: list[str] = []
    told: list[int] = []
    for index in lines:
        frame = runner.frame.fullmatch(said[index])
        place = _place(frame.groupdict(), "") if frame else ""
        if place and is_of_library(place):
            failure.foreign += 1
        elif text := place or said[index].strip(" #-"):
            is_near = place[:1] == "/" and _file(place) in map(_file, failure.places)
            near = "/".join(text.split("/")[-2:]) if is_near else text
            words += [] if text in failure.places else [near]
            told.append(index)
    return " ".join(words), told


def _file(place: str) -> str:
    return place.rpartition(":")[0]


def _repeats(code: str, said: str) -> bool:
    """Tell whether a statement that raises says no more than its message."""
    kind, _, message = said.partition(": ")
    if not message or "raise " not in code:
        return False
    return message in code or f"raise {kind}" in code

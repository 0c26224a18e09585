"""pytest's report: name and place of each failure, the asserted line and what pytest says of it."""

from __future__ import annotations

from laconic.compact.result import SHORT, WHOLE, Shown
from laconic.compact.shapes.pytest_failure import (
    CAPTURED,
    EXCEPTION,
    FOREIGN,
    Failure,
    is_foreign_diagnostic,
    said_rows,
    split_captured,
)
from laconic.compact.shapes.rows import made, raw_of, whole
from laconic.compact.shapes.values import brief
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_BANNER = pattern(r"=+ (.*?) =+")
# The banners of pytest itself; others are printed by plugins, or by a program that runs pytest.
_OWN_BANNER = pattern(
    r"test session starts|ERRORS|FAILURES|PASSES|XPASSES|XFAILURES|warnings summary.*"
    r"|short test summary info|slowest .*durations|tests coverage"
    r"|(?:\d+ \w+|no tests \w+)(?:, .*)? in [\d.]+s.*"
)
_WIDE = 8  # characters of a banner that are not its text; fewer are of another program
_SECTION = pattern(r"_{3,} (.*?) _{3,}")
_PLACE = pattern(r"(\S+?\.\w+):(\d+): ?(\S.*)")
_PROGRESS = pattern(
    r"\S+?\.py::(\S.*?) (?:FAILED|ERROR)(?: +\[ *\d+%\])?"
    r"|\[gw\d+\] \[ *\d+%\] (?:FAILED|ERROR) \S+?\.py::(\S.*?) *"
)
_STOPPED = pattern(r"!+ (.*?) !+")
# pytest-benchmark writes its tables below the failures; the order of pytest-randomly is had again
# by its seed: https://pypi.org/project/pytest-randomly/
_TABLE = pattern(r"-{3,} benchmark.*: \d+ tests? -{3,}")
_SEED = "Using --randomly-seed="
_NOISE = pattern(
    r"(?:platform|rootdir:|configfile:|testpaths:|plugins:|cachedir:|Using --randomly|asyncio:"
    r"|collecting |collected |scheduling tests|gw\d+ ).*"
    r"|\S+\.py(?:::\S+)? [.FEsxXRr]+(?: +\[ *\d+%\])?"
    r"|[.FEsxXRr]+(?: +\[ *\d+%\])?|\[gw\d+\] \[ *\d+%\] PASSED .*|\S+::.* PASSED(?: +\[ *\d+%\])?"
    r"|-- Docs: https://.*|Hint: make sure your test modules.*|Traceback:"
    r"|The event loop scope for asynchronous fixtures will default .*|  warnings\.warn\(Pytest.*"
    r"|Legend:|  Outliers: 1 Standard Deviation from .*|  OPS: Operations Per Second, .*"
    r"|PASSED \S+?\.py::.*| *\[100%\]|-{3,} live log \w+ -{3,}"
    r"|[^ :]+::[^ ]+ |PASSED(?: +\[ *\d+%\])?"
)
# A test that has begun, and what says that it has ended.
_BEGUN, _ENDED = pattern(r"[^ :]+::[^ ]+ "), pattern(r"(?:PASSED|FAILED|ERROR|SKIPPED|X\w+)\b.*")
# Of the durations of tests those that took no time, and of a table of coverage what is all right.
_FAST = pattern(r"0\.00s (?:call|setup|teardown) +\S.*|\(\d+ durations < [\d.]+s hidden\..*")
_COVERED = pattern(r"-{20,}|[-_]+ coverage: .* [-_]+|\S+ +\d+ +0 (?:.* )?100%\s*")
# What follows the warnings, perhaps without a banner of its own.
_AFTER_WARNINGS = pattern(r"-- Docs: https://.*|[-_]+ coverage: .* [-_]+|Name +Stmts +Miss\b.*")
_SUMMARY = pattern(r"(FAILED|ERROR) (\S+?)(?:::(\S.*?))?(?: - (.*))?")
_FRAME = pattern(r"\s*File \"([^\"]*)\", line \d+.*")
_WARNING = pattern(r"\s*(\S+?):\d+: \w*Warning: .*")
_MOST_WARNINGS = 6  # that are shown of a run that passed
_WORD = pattern(r"\w+")
_ALIKE = pattern(r" \[also [^\]]*.*\]$")


def may_be_of_report(text: str) -> bool:
    """Tell whether a line may be left out, or written in another way, where there is a report."""
    return not text.strip() or any(form.fullmatch(text) for form in (_BANNER, _SECTION, _NOISE))


def pytest(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show the report of pytest; the same rows if there is none."""
    lines = raw_of(rows)
    banners = {i: m[1] for i in lines if (m := _BANNER.fullmatch(texts[i]))}
    is_report = any(map(_OWN_BANNER.fullmatch, banners.values()))
    if not is_report and not any(" live log " in texts[i] for i in lines):  # it may not have ended
        return rows
    report = _Report(texts, has_passed=asked.status == 0)
    for row in rows:
        if isinstance(row, int):
            report.take(row, banners.get(row))
        else:
            report.rows.append(row)
    report.end_section()
    return report.without_progress()


class _Report:
    def __init__(self, texts: Texts, *, has_passed: bool) -> None:
        self.texts, self._has_passed = texts, has_passed
        self.rows: list[Row] = []
        self._part, self._name = "", ""
        self._lines: list[int] = []
        self._told: set[str] = set()
        self._messages: list[str] = []
        self._placed: list[int] = []  # the rows of failures that only the summary names
        self._alike: dict[tuple[str, ...], int] = {}  # the row of the first failure of each kind
        self._code: set[tuple[str, str]] = set()  # lines of code that were shown, with their place
        self._warned: set[str] = set()
        self._spoken: set[str] = set()  # what pytest said of failures; -vv says it twice
        self._is_timed = False
        self._begun: tuple[int, int] | None = None  # where the test belongs that has not ended
        self._heads: dict[str, int] = {}  # the rows of names above a plain trace

    def without_progress(self) -> list[Row]:
        """Leave out the progress lines of a verbose run for tests whose failure is shown below.

        The name of a test that has not ended stays: the run was stopped there.
        """
        found: list[Row] = []
        if self._begun:
            self.rows.insert(*self._begun)
        for row in self.rows:
            match = _PROGRESS.fullmatch(self.texts[row]) if isinstance(row, int) else None
            if not match or (match[1] or match[2]).replace("::", ".") not in self._told:
                found.append(row)
        return found

    def take(self, index: int, banner: str | None) -> None:
        text = self.texts[index]
        if banner is not None or _ENDED.fullmatch(text):
            self._begun = None
        elif _BEGUN.fullmatch(text):
            self._begun = len(self.rows), index
        if banner is not None:
            self.end_section()
            self._part = banner
            is_sum = any(char.isdigit() for char in banner) and " in " in banner
            if is_sum or not _OWN_BANNER.fullmatch(banner):
                is_framed = is_sum or len(text) - len(banner) > _WIDE
                self.rows.append(Shown(SHORT, banner, (index + 1,)) if is_framed else index)
            return
        if _STOPPED.fullmatch(text):
            self.end_section()
        if _TABLE.fullmatch(text):
            self.end_section()
            self._part = "benchmark"
        section = _SECTION.fullmatch(text)
        if section and self._part in ("", "FAILURES", "ERRORS", "PASSES", "XFAILURES", "XPASSES"):
            self.end_section()
            self._name = section[1]
            self._lines = [index]
        elif self._name:
            self._lines.append(index)
        elif self._part == "FAILURES":  # as `--tb=line` writes them
            self._lines.append(index)
            self._end_line_form(text)
        else:
            self._outside(index, text)

    def _outside(self, index: int, text: str) -> None:
        if self._part.startswith("warnings summary") and _AFTER_WARNINGS.fullmatch(text):
            self._part = "tests coverage"
        summary = _SUMMARY.fullmatch(text)
        if summary and self._part == "short test summary info":
            name = (summary[3] or summary[2]).replace("::", ".")
            if name in self._told or name.split("[")[0] in self._told:
                self._add_summary(index, name)
                return
            message = summary[4] or ""
            test = text.removesuffix(f" - {message}")
            if summary[1] == "FAILED" and self._is_named(index, test, message):
                return
            start = message.removesuffix("...")
            if message and any(said.startswith(start) for said in self._messages):
                self.rows.append(Shown(SHORT, test, (index + 1,)))
                return
        is_told = self._part == "short test summary info" and text.strip() in self._spoken
        if text.startswith(_SEED) and not self._has_passed:
            self.rows.append(index)
            return
        if is_told or _NOISE.fullmatch(text) or not text.strip():
            return
        if stopped := _STOPPED.fullmatch(text):
            self.rows.append(Shown(SHORT, stopped[1], (index + 1,)))
            return
        if self._part.startswith("warnings summary"):
            self._of_warnings(index, text)
        elif not self._is_all_right(text):
            self.rows.append(index)

    def _add_summary(self, index: int, name: str) -> None:
        """Count the line of the summary to the heading that says the same."""
        pos = self._heads.get(name)
        if pos is not None:
            head = self.rows[pos]
            assert isinstance(head, Shown)
            self.rows[pos] = made(head.text, [*(n - 1 for n in head.numbers), index])

    def _is_all_right(self, text: str) -> bool:
        """Tell whether a line of a table, which pytest was asked for, need not be seen."""
        if self._part == "tests coverage":
            return _COVERED.fullmatch(text) is not None
        if not self._part.startswith("slowest "):
            return False
        is_first, self._is_timed = not self._is_timed, True
        return not is_first and _FAST.fullmatch(text) is not None

    def _of_warnings(self, index: int, text: str) -> None:
        """Show a warning once; of a run that passed only the first ones of the project's code."""
        if not self._is_warning(text):
            if is_foreign_diagnostic(text):
                self.rows.append(index)
            return
        warning = _WARNING.fullmatch(text)
        if warning and self._has_passed:
            is_dull = FOREIGN.fullmatch(warning[1]) or len(self._warned) >= _MOST_WARNINGS
            if is_dull or text in self._warned:
                return
            self._warned.add(text)
        self.rows.append(index)

    @staticmethod
    def _is_warning(text: str) -> bool:
        frame = _FRAME.fullmatch(text)
        if frame:
            return FOREIGN.fullmatch(frame[1]) is None
        is_source = text[:4].isspace()
        return not is_source and ("arning" in text or EXCEPTION.search(text) is not None)

    def _is_named(self, index: int, test: str, message: str) -> bool:
        """Write a name of the summary at the next failure of `--tb=line`, if it is its name."""
        if not self._placed:
            return False
        pos = self._placed[0]
        first = self.rows[pos]
        assert isinstance(first, Shown)
        place = _PLACE.fullmatch(first.text)
        start = message.removesuffix("...")
        if not message or not place or not place[3].startswith(start):
            self._placed.clear()  # they are not in the same order
            return False
        del self._placed[0]
        is_cut = start != message
        numbers = [*(n - 1 for n in first.numbers), *(() if is_cut else (index,))]
        file, _, name = test.removeprefix("FAILED ").partition("::")
        row = whole(f"{test} {first.text}", numbers)
        if name and place[1].endswith(f"/{file}"):  # the place begins with the directory of the run
            row = made(f"FAILED {name.replace('::', '.')} {file}:{place[2]}: {place[3]}", numbers)
        self.rows[pos] = row
        return True

    def end_section(self) -> None:
        """Write what was read of a failure."""
        name, lines = self._name, self._lines
        self._name, self._lines = "", []
        if not name:
            self.rows += [index for index in lines if self.texts[index].strip()]
            return
        if self._part in ("PASSES", "XFAILURES", "XPASSES"):
            self._end_passed(name, lines)
            return
        self._spoken.update(self._message(i) for i in lines)
        failure = Failure(lines[1:], self.texts, self._code)
        if not failure.rows:  # a report of another kind: a doctest's, a plugin's, a plain trace
            self.rows += self._named(name, lines)
            return
        word = "" if name.startswith("ERROR ") else "FAILED "
        told = {"", *_WORD.findall(name)}
        where = "".join(
            f" {place} in {function}" if function not in told else f" {place}"
            for place, function in failure.places.items()
        )
        key = tuple(failure.written)
        if key in self._alike:
            self._add_alike(self._alike[key], name, where, lines)
        else:
            self._alike[key] = len(self.rows)
            self.rows += [made(f"{word}{name}{where}", lines), *failure.rows]
        self._tell(name)

    def _tell(self, name: str) -> None:
        self._told.add(name.removeprefix("ERROR at setup of ").removeprefix("ERROR collecting "))
        self._told.add(name.rpartition(" ")[2])

    def _named(self, name: str, lines: list[int]) -> list[Row]:
        """What is below the name of a test, as it is but for the banners."""
        word = "" if name.startswith("ERROR ") else "FAILED "
        if any(_FRAME.fullmatch(self.texts[i]) for i in lines):  # else only the summary has it
            self._tell(name)
            self._heads[name.rpartition(" ")[2]] = len(self.rows)
        rows: list[Row] = [made(f"{word}{name}", lines[:1])]
        for index in lines[1:]:
            if match := CAPTURED.fullmatch(self.texts[index]):
                rows.append(made(f"{match[1]}:", [index]))
            elif self.texts[index].strip():
                rows.append(index)
        return rows

    def _end_passed(self, name: str, lines: list[int]) -> None:
        """Show what was captured of a test that did not fail."""
        own, captured = split_captured(lines[1:], self.texts)
        foreign = [i for i in own if is_foreign_diagnostic(self.texts[i])]
        if foreign or captured:
            self.rows += [made(f"{self._part} {name}", lines[:1]), *foreign, *captured]

    def _add_alike(self, pos: int, name: str, where: str, lines: list[int]) -> None:
        """Name a test that failed with the same words as another, and where, if not there."""
        first = self.rows[pos]
        assert isinstance(first, Shown)
        where = "" if f"{where} " in f"{first.text.partition(' [also')[0]} " else where
        text = first.text.removesuffix("]") if _ALIKE.search(first.text) else f"{first.text} [also"
        name = name.removeprefix("ERROR at setup of ").removeprefix("ERROR collecting ")
        self.rows[pos] = made(f"{text} {name}{where}]", [*(n - 1 for n in first.numbers), *lines])

    def _end_line_form(self, text: str) -> None:
        """Show a failure of `--tb=line`: its place and message, then what else pytest says."""
        place = _PLACE.fullmatch(text)
        wanted = place[3].strip() if place else ""
        same = [i for i in self._lines[:-1] if self._message(i) == wanted]
        if not wanted or not same:
            return
        self._messages.append(wanted)
        own, captured = split_captured(self._lines[:-1], self.texts)
        said = [i for i in own if i != same[-1]]
        self._placed.append(len(self.rows))
        short = brief(text, is_told=False)
        kind = WHOLE if short == text else SHORT
        self.rows.append(Shown(kind, short, [same[-1] + 1, self._lines[-1] + 1]))
        self.rows += [*said_rows(said, self.texts), *captured]
        self._lines = []

    def _message(self, index: int) -> str:
        text = self.texts[index]
        return text[1:].strip() if text[:2] == "E " else ""

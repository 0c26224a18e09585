"""pytest's report: of each failure name, place, the asserted line and what pytest says of it."""

from __future__ import annotations

from laconic.compact.diagnostics import is_diagnostic
from laconic.compact.result import SHORT, Shown
from laconic.compact.shapes.rows import made, raw_of, whole
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
    r"|short test summary info|slowest .*durations|(?:\d+ \w+|no tests \w+)(?:, .*)? in [\d.]+s.*"
)
_WIDE = 8  # characters of a banner that are not its text; fewer are of another program
_SECTION = pattern(r"_{3,} (.*?) _{3,}")
_CAPTURED = pattern(r"-+ Captured (\w+) (\w+) -+")
_PLACE = pattern(r"(\S+?\.\w+):(\d+)(?:: ?(.*))?")
# What pytest itself says in a failure at the beginning of a line.
_OWN_LINE = pattern(
    r"\S+?\.\w+:\d+:(?: (?:in \S.*|[\w.]+)?)?|\S+?\.\w+:\d+|Traceback:|file .*, line \d+.*"
    r"|\w+ while importing test module .*|  Enable tracemalloc to get traceback where .*"
    r"|  Did you mean to use `assert` instead of `return`\?"
)
_PROGRESS = pattern(
    r"\S+?\.py::(\S.*?) (?:FAILED|ERROR)(?: +\[ *\d+%\])?"
    r"|\[gw\d+\] \[ *\d+%\] (?:FAILED|ERROR) \S+?\.py::(\S.*?) *"
)
_EXCEPTION = pattern(r"^\s*[\w.]*(?:Error|Exception)\b")
_STOPPED = pattern(r"!+ (.*?) !+")
_NOISE = pattern(
    r"(?:platform|rootdir:|configfile:|testpaths:|plugins:|cachedir:|Using --randomly|asyncio:"
    r"|collecting |collected |scheduling tests|gw\d+ ).*"
    r"|\S+\.py(?:::\S+)? [.FEsxXRr]+(?: +\[ *\d+%\])?"
    r"|[.FEsxXRr]+(?: +\[ *\d+%\])?|\[gw\d+\] \[ *\d+%\] PASSED .*|\S+::.* PASSED(?: +\[ *\d+%\])?"
    r"|-- Docs: https://.*|Hint: make sure your test modules.*|Traceback:"
)
_DULL = pattern(r"E\s+(?:Omitting \d+ .*|Use -v+ to .*|Full diff:|\s*|\?\s.*|Skipping \d+ .*)")
_SUMMARY = pattern(r"(FAILED|ERROR) (\S+?)(?:::(\S.*?))?(?: - (.*))?")
_FOREIGN = pattern(
    r".*(?:site-packages|dist-packages|/lib/python\d|/python\d\.\d+/|/\.pyenv/).*|<frozen.*"
)
_FRAME = pattern(r"\s*File \"([^\"]*)\", line \d+.*")
_WORD = pattern(r"\w+")
_ALIKE = pattern(r" \[also [^\]]*.*\]$")
_MOST_SAID, _MOST_CAPTURED, _MOST_OWN = 14, 8, 6


def pytest(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show the report of pytest; the same rows if it is none."""
    lines = raw_of(rows)
    banners = {i: m[1] for i in lines if (m := _BANNER.fullmatch(texts[i]))}
    del asked
    if not any(map(_OWN_BANNER.fullmatch, banners.values())):
        return rows
    report = _Report(texts)
    for row in rows:
        if isinstance(row, int):
            report.take(row, banners.get(row))
        else:
            report.rows.append(row)
    report.end_section()
    return report.without_progress()


def _is_foreign_diagnostic(text: str) -> bool:
    """Tell whether another program says it in the middle of the report.

    The source that pytest shows is indented by four characters and more.
    """
    return text[:4].strip() != "" and not _OWN_LINE.fullmatch(text) and is_diagnostic(text)


class _Report:
    def __init__(self, texts: Texts) -> None:
        self.texts = texts
        self.rows: list[Row] = []
        self._part, self._name = "", ""
        self._lines: list[int] = []
        self._told: set[str] = set()
        self._messages: list[str] = []
        self._alike: dict[tuple[str, ...], int] = {}  # the row of the first failure of each kind

    def without_progress(self) -> list[Row]:
        """Leave out the progress lines of a verbose run for tests whose failure is shown below."""
        found: list[Row] = []
        for row in self.rows:
            match = _PROGRESS.fullmatch(self.texts[row]) if isinstance(row, int) else None
            if not match or (match[1] or match[2]).replace("::", ".") not in self._told:
                found.append(row)
        return found

    def take(self, index: int, banner: str | None) -> None:
        text = self.texts[index]
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
        section = _SECTION.fullmatch(text)
        if section and self._part in ("", "FAILURES", "ERRORS"):
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
        summary = _SUMMARY.fullmatch(text)
        if summary and self._part == "short test summary info":
            name = (summary[3] or summary[2]).replace("::", ".")
            if name in self._told or name.split("[")[0] in self._told:
                return
            message = summary[4] or ""
            start = message.removesuffix("...")
            if message and any(said.startswith(start) for said in self._messages):
                self.rows.append(Shown(SHORT, text[: -len(f" - {message}")], (index + 1,)))
                return
        if _NOISE.fullmatch(text) or not text.strip():
            return
        if stopped := _STOPPED.fullmatch(text):
            self.rows.append(Shown(SHORT, stopped[1], (index + 1,)))
            return
        is_of_warnings = self._part == "warnings summary" and not self._is_warning(text)
        if is_of_warnings and not _is_foreign_diagnostic(text):
            return
        self.rows.append(index)

    @staticmethod
    def _is_warning(text: str) -> bool:
        frame = _FRAME.fullmatch(text)
        if frame:
            return _FOREIGN.fullmatch(frame[1]) is None
        return "arning" in text or _EXCEPTION.search(text) is not None

    def end_section(self) -> None:
        """Write what was read of a failure."""
        name, lines = self._name, self._lines
        self._name, self._lines = "", []
        if not name:
            self.rows += [index for index in lines if self.texts[index].strip()]
            return
        rows, places = self._said(lines)
        is_error = name.startswith("ERROR ")
        own = [place for place in places if not _FOREIGN.fullmatch(place)] or list(places)[-1:]
        if not rows:  # a report of another kind: a doctest's, a plugin's
            self.rows += lines
            return
        word = "" if is_error else "FAILED "
        told = {"", *_WORD.findall(name)}
        where = [f" {p} in {places[p]}" if places[p] not in told else f" {p}" for p in own]
        key = (*where, *(row.text if isinstance(row, Shown) else self.texts[row] for row in rows))
        if key in self._alike:
            self._add_alike(self._alike[key], name, lines)
        else:
            self._alike[key] = len(self.rows)
            self.rows += [made(f"{word}{name}{''.join(where)}", lines), *rows]
        self._told.add(name.removeprefix("ERROR at setup of ").removeprefix("ERROR collecting "))
        self._told.add(name.rpartition(" ")[2])

    def _add_alike(self, pos: int, name: str, lines: list[int]) -> None:
        """Name a test that failed in the same place and with the same words as another."""
        first = self.rows[pos]
        assert isinstance(first, Shown)
        text = first.text.removesuffix("]") if _ALIKE.search(first.text) else f"{first.text} [also"
        name = name.removeprefix("ERROR at setup of ").removeprefix("ERROR collecting ")
        self.rows[pos] = made(f"{text} {name}]", [*(n - 1 for n in first.numbers), *lines])

    def _end_line_form(self, text: str) -> None:
        """Show a failure of `--tb=line`: its place and message, then what else pytest says."""
        place = _PLACE.fullmatch(text)
        first = self.texts[self._lines[0]]
        if not place or not place[3] or first[:2] != "E " or first[1:].strip() != place[3].strip():
            return
        self._messages.append(place[3])
        said, captured, label = [], [], ""
        inside: list[int] | None = None
        for index in self._lines[1:-1]:
            if match := _CAPTURED.fullmatch(self.texts[index]):
                captured += self._captured(label, inside)
                label, inside = match[1], []
            elif inside is not None:
                inside.append(index)
            elif not _DULL.fullmatch(f"E {self.texts[index]}"):
                said.append(index)
        captured += self._captured(label, inside)
        self.rows += [whole(text, [self._lines[0], self._lines[-1]]), *self._kept(said), *captured]
        self._lines = []

    def _said(self, lines: list[int]) -> tuple[list[Row], dict[str, str]]:
        """The asserted line, what pytest says of it, and what was captured; and the places.

        Places come with the names of their functions, where pytest says them.
        """
        own: list[Row] = []
        library: list[Row] = []  # the lines of code that is not the project's
        asserted: list[int] = []  # the line whose place comes below it
        said: list[int] = []
        foreign: list[Row] = []
        captured: list[Row] = []
        places: dict[str, str] = {}
        inside: list[int] | None = None
        label = ""
        is_code = False
        for index in lines[1:]:
            text = self.texts[index]
            if match := _CAPTURED.fullmatch(text):
                captured += self._captured(label, inside)
                label, inside = match[1], []
            elif inside is not None:
                inside.append(index)
            elif text.startswith(">"):
                asserted.append(index)
            elif is_code:
                own.append(index)
                is_code = False
            elif text[:2] in ("E ", "E"):
                said.append(index)
            elif _is_foreign_diagnostic(text):
                foreign.append(index)
            elif match := _PLACE.fullmatch(text):
                place = f"{match[1]}:{match[2]}"
                (library if _FOREIGN.fullmatch(place) else own).extend(asserted)
                asserted.clear()
                # the short form: `a.py:3: in test_x`, and below it the line
                is_in, function = self._function(match[3])
                is_code = is_in and not _FOREIGN.fullmatch(place) and place not in places
                places.setdefault(place, function)
        captured += self._captured(label, inside)
        own = [*(own or library), *asserted]
        if len(own) > _MOST_OWN:
            between = [row for row in own[1 : 1 - _MOST_OWN] if isinstance(row, int)]
            mark = made(f"[{len(between)} lines of other frames hidden]", between)
            own = [own[0], mark, *own[1 - _MOST_OWN :]]
        if not said:
            return [], {}
        return [*own, *self._kept(said), *foreign, *captured], places

    @staticmethod
    def _function(said: str | None) -> tuple[bool, str]:
        """Tell whether a place is of the short form, and its function if that has a name."""
        is_in = said is not None and said.startswith("in ")
        name = said[3:] if said and is_in else ""
        return is_in, "" if name.startswith("<") else name

    def _kept(self, said: list[int]) -> list[Row]:
        kept = [i for i in said if not _DULL.fullmatch(self.texts[i])]
        if len(kept) <= _MOST_SAID + 1:
            return list(kept)
        half = _MOST_SAID // 2
        wrong = [i for i in kept[half:-half] if is_diagnostic(self.texts[i][1:])]
        between = [i for i in kept[half:-half] if i not in wrong]
        mark = (
            [made(f"[{len(between)} lines of the difference hidden]", between)] if between else []
        )
        return [*kept[:half], *mark, *wrong, *kept[-half:]]

    def _captured(self, label: str, inside: list[int] | None) -> list[Row]:
        found = [i for i in inside or () if self.texts[i].strip()]
        if not found:
            return []
        early = found[:-_MOST_CAPTURED]
        wrong = [i for i in early if is_diagnostic(self.texts[i])]
        hidden = [i for i in early if i not in wrong]
        first, *others = wrong + found[-_MOST_CAPTURED:]
        rows: list[Row] = [made(f"{label}: {self.texts[first]}", [first]), *others]
        if hidden:
            rows.insert(0, made(f"[{len(hidden)} lines of {label} hidden]", hidden))
        return rows

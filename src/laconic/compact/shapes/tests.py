"""Test reports: passed tests are counted; a failure loses what its message already shows."""

from __future__ import annotations

from laconic.compact.result import SHORT, Shown
from laconic.compact.shapes.rows import indent_of, made, placed, raw_of, whole
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

# What announces a test, and what says that one passed; the second kind is counted.
_ANNOUNCED = pattern(
    r"=== (?:RUN|PAUSE|CONT|NAME)\s+(\S+).*|\s*Start\s+\d+: (\S+).*|\s*# Subtest: (.*)"
)
_RUN = pattern(r"=== (?:RUN|CONT|NAME)\s+(\S+)")
_RESULT = pattern(
    r"\s*--- (?:PASS|FAIL|SKIP): (\S+).*|\s*\d+/\d+ Test\s+#\d+: (\S+).*"
    r"|\s*(?:not )?ok \d+ - (.*?)(?: #.*)?"
)
_PASSED = pattern(
    r"\s*--- PASS: .*|test .* \.\.\. ok|\S+::.* PASSED(?: +\[ *\d+%\])?|\s*[✓✔√] .*"
    r"|\s*\d+/\d+ Test\s+#\d+: .*\.\.\s+Passed\s+.*|\s*ok \d+(?: - .*)?"
)
# Packages of go test that passed, and those that have no tests.
_PACKAGE = pattern(r"ok  \t\S+\t(?:[\d.]+s|\(cached\))")
_UNTESTED = pattern(r"\?   \t\S+\t\[no test files\]")
_SAID = pattern(r"\s+\S+\.go:\d+: .*")
_SKIPPED = pattern(r".*# (?:SKIP|TODO)\b.*")
_FEWEST = 3
_BLOCK_START, _BLOCK_END = pattern(r"\s+---"), pattern(r"\s+\.\.\.")
_SUM = pattern(r".*\b(?:\d+ passed|pass:? \d+|\d+% tests passed|passed[:,] \d+|OK\b|\d+ passing).*")
# A mark below a piece of source, which has a number or is indented; a line with a place is near.
_CARETS = pattern(r"(?:\s*\d*\s*[|│])?\s+[\^~][\^~ -]*")
_NUMBERED = pattern(r"\s*>?\s*\d+(?: ?[|│:])?(?: .*)?|\s+[|│]\s*")
_PLACE = pattern(r"[\w/\\-]+\.\w+[:(]\d+")
_NEAR = 6  # lines
_DIFFER = pattern(r"(?:E\s+)?AssertionError: .* != .*|(?:E\s+)?AssertionError: assert .* == .*")
_MARK = pattern(r"(?:E\s+)?\?\s+[\^+~ -]*")
_FIRST = pattern(r"(?:E\s+)?First (?:differing element|extra element) .*:")
_SIGNED = pattern(r"(?:E\s+)?([-+]) (\S.*)")
_RULER = pattern(r"[=_*~-]{20,}")


def passed(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Count the tests that passed."""
    lines = raw_of(rows)
    good = [i for i in lines if _PASSED.fullmatch(texts[i]) and not _SKIPPED.fullmatch(texts[i])]
    gone, moved = _announced(lines, texts)
    instead: dict[int, list[Row]] = {i: [whole(texts[at], [at])] for i, at in moved.items()}
    instead |= _shortened(lines, gone | set(moved), texts)
    gone |= set(moved.values())
    if len(good) < _FEWEST:
        return placed(rows, instead, gone)
    gone |= set(good) | _blocks(lines, set(good), texts, asked)
    told = [row.text for row in rows if not isinstance(row, int)]
    told += [texts[i] for i in lines if i not in gone]
    has_sum = any(map(_SUM.fullmatch, told))
    last = max(gone)
    if not has_sum:
        instead[last] = [made(f"[{len(good)} passed in all]", good)]
    return placed(rows, instead, gone)


def packages(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Count neighbouring packages of go test that passed."""
    del asked
    instead: dict[int, list[Row]] = {}
    gone: set[int] = set()
    run: list[int] = []
    for row in [*rows, -1]:
        is_one = isinstance(row, int) and row >= 0 and _is_package(texts[row])
        if is_one and isinstance(row, int):
            run.append(row)
            continue
        good = [i for i in run if _PACKAGE.fullmatch(texts[i])]
        if len(good) >= _FEWEST:
            rest = len(run) - len(good)
            others = f", and {rest} without test files" if rest else ""
            instead[run[0]] = [made(f"ok  \t[{len(good)} packages{others}]", run)]
            gone |= set(run)
        run = []
    return placed(rows, instead, gone)


def _is_package(text: str) -> bool:
    return _PACKAGE.fullmatch(text) is not None or _UNTESTED.fullmatch(text) is not None


def is_of_passed(text: str) -> bool:
    """Tell whether a line announces a test or says that one passed."""
    return _ANNOUNCED.fullmatch(text) is not None or _PASSED.fullmatch(text) is not None


def _announced(lines: list[int], texts: Texts) -> tuple[set[int], dict[int, int]]:
    """Find the announcements of tests whose results are there, too; others stay.

    What a test prints is below its announcement, and nothing else says whose it is. So where
    several tests print, the announcements stay, and a failed test's result replaces its own.
    Returns the lines that go, and the results by the announcement that each of them replaces.
    """
    results = {_name(m) for i in lines if (m := _RESULT.fullmatch(texts[i]))}
    gone: set[int] = set()
    moved: dict[int, int] = {}
    following, result = -1, -1  # the next line, and the next result, unless a test begins before it
    for index in reversed(lines):
        match = _ANNOUNCED.fullmatch(texts[index])
        if match and _name(match) in results:
            found = _RESULT.fullmatch(texts[result]) if result >= 0 else None
            if following < 0 or not _SAID.fullmatch(texts[following]):
                gone.add(index)
            elif found and _name(found) == _name(match) and not _PASSED.fullmatch(texts[result]):
                moved[index] = result
        if match:
            result = -1
        elif _RESULT.fullmatch(texts[index]):
            result = index
        following = index
    return gone, moved


def _shortened(lines: list[int], told: set[int], texts: Texts) -> dict[int, list[Row]]:
    """The announcements of Go that stay, as the names of tests."""
    found: dict[int, list[Row]] = {}
    for index in lines:
        match = _RUN.fullmatch(texts[index])
        if match and index not in told:
            found[index] = [Shown(SHORT, f"{match[1]}:", (index + 1,))]
    return found


def _name(match: re.Match[str]) -> str:
    return next(filter(None, match.groups()), "").strip()


def _blocks(lines: list[int], good: set[int], texts: Texts, asked: Asked) -> set[int]:
    """The details of TAP below a test that passed: all are indented as their first line is.

    Another program may print between them; after a failure what says that something is wrong stays.
    """
    found: set[int] = set()
    indent, is_next = "", False
    for index in lines:
        text = texts[index]
        if is_next and _BLOCK_START.fullmatch(text):
            indent = text[: indent_of(text)]
        if indent and not text.startswith(indent):
            indent = ""
        if indent:
            if not (asked.status and asked.pinned[index]):
                found.add(index)
            indent = "" if _BLOCK_END.fullmatch(text) else indent
        is_next = index in good
    return found


def excerpts(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Leave out the source with a mark below it, where a line near it has the place.

    A line of source that reads like a mistake stays.
    """
    lines = raw_of(rows)
    found: set[int] = set()
    for pos, index in enumerate(lines):
        if not pos or not _CARETS.fullmatch(texts[index]):
            continue
        near = lines[max(0, pos - _NEAR) : pos - 1] + lines[pos + 1 : pos + _NEAR]
        if not any(_PLACE.search(texts[i]) for i in near):
            continue
        found.add(index)
        source = lines[pos - 1]
        if texts[source][:1].isspace() or _NUMBERED.fullmatch(texts[source]):
            found.add(source)
        for step in (-1, 1):
            beside = pos - 2 if step < 0 else pos + 1
            while 0 <= beside < len(lines) and _NUMBERED.fullmatch(texts[lines[beside]]):
                found.add(lines[beside])
                beside += step
    return placed(rows, {}, {index for index in found if not asked.pinned[index]})


def differences(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Leave out the difference of two values that the message both shows, and rulers."""
    del asked
    lines = raw_of(rows)
    rulers = {i for i in lines if _RULER.fullmatch(texts[i])}
    return placed(rows, {}, rulers | equal_differences(lines, texts))


def equal_differences(lines: list[int], texts: Texts) -> set[int]:
    """The lines of a difference that says no more than the message above it."""
    gone: set[int] = set()
    message, left = "", 0
    for index in lines:
        text = texts[index]
        if _DIFFER.fullmatch(text):
            message, left = text, 0
            continue
        if not message:
            continue
        plain = text.removeprefix("E").strip()
        if not plain or _MARK.fullmatch(text):
            if _MARK.fullmatch(text):
                gone.add(index)
            continue
        signed = _SIGNED.fullmatch(text)
        if _FIRST.fullmatch(text):
            gone.add(index)
            left = 2
        elif (left or signed) and (signed[2] if signed else plain) in message:
            gone.add(index)
            left = max(0, left - 1)
        else:
            message = ""
    return gone

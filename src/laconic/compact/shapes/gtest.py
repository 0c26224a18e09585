"""The report of Google Test: each failure below the name of its test, and the totals.

https://google.github.io/googletest/advanced.html has the forms of its lines.
"""

from __future__ import annotations

from laconic.compact.shapes.rows import placed, raw_of, short
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_LEAD = r"(?P<lead>\d+: )?"  # ctest -V writes the number of the test before each line
_RUN = pattern(rf"{_LEAD}\[ RUN      \] (?P<name>\S+)")
_RESULT = pattern(
    rf"{_LEAD}(?P<said>\[ +(?P<state>OK|FAILED|SKIPPED) +\] (?P<name>[^\s,]+)(?:, where .*)?)"
    r" \(\d+ ms\)"
)
_HEADING = pattern(rf"{_LEAD}(?:\[-{{10}}\].*|\[={{10}}\] Running \d.*|Running main\(\) from .*)")
_RAN = pattern(rf"{_LEAD}\[={{10}}\] \d+ tests? from \d+ test (?:suites?|cases?) ran\..*")
# After the totals failed and skipped tests are named again.
_AGAIN = pattern(rf"{_LEAD}\[  (?:FAILED |SKIPPED) \] (?P<name>[^\s,]+)(?:, where .*)?")
_SUM = pattern(r"(?:\d+: )?(?:\s*\d+ FAILED TESTS?)?")
_TOLD = pattern(r"(?i).*\b(?:warn(?:ing)?|error|fail(?:ed|ure)?|exception|deprecated)\b.*")
_PLACE = pattern(r".+: (?:Failure|Skipped)")  # above each message of a test
_FEWEST = 3  # tests of a run that did not come to its end


def is_of_report(text: str) -> bool:
    return any(form.fullmatch(text) for form in (_RUN, _RESULT, _HEADING, _RAN, _AGAIN))


def gtest(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Put the result of a failed test above what it says; leave out those that passed."""
    lines = raw_of(rows)
    ran = [i for i in lines if _RAN.fullmatch(texts[i])]
    runs = sum(_RUN.fullmatch(texts[i]) is not None for i in lines)
    if not runs or (not ran and runs < _FEWEST):
        return rows
    instead: dict[int, list[Row]] = {}
    gone = {i for i in lines if _HEADING.fullmatch(texts[i])}
    told: set[str] = set()
    run: list[int] = []  # a test that has begun, and what it printed
    for index in lines:
        text = texts[index]
        result = _RESULT.fullmatch(text)
        if _RUN.fullmatch(text):
            run = [index]
        elif result and result["state"] == "OK":
            said = [i for i in run[1:] if asked.pinned[i] or _TOLD.fullmatch(texts[i])]
            gone |= {*run, index} - ({run[0], *said} if said else set())
            run = []
        elif result:
            gone |= {*run[:1], index}
            instead[run[0] if run else index] = [short(result["said"], index, texts)]
            told.add(result["name"])
            asked.settled.update(i for i in run if _PLACE.fullmatch(texts[i]))
            run = []
        elif run:
            run.append(index)
    if ran:
        gone |= _again(lines[lines.index(ran[-1]) :], texts, told)
        gone |= set() if asked.status else set(ran)
    return placed(rows, instead, gone)


def _again(lines: list[int], texts: Texts, told: set[str]) -> set[int]:
    """The lists of tests that are told above them, and how many there are a second time."""
    listed = [i for i in lines if (match := _AGAIN.fullmatch(texts[i])) and match["name"] in told]
    return {*listed, *(i for i in lines if _SUM.fullmatch(texts[i]) and listed)}

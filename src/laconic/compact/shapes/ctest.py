"""The results of ctest: tests that failed or did not run as the lists at the end name them."""

from __future__ import annotations

from laconic.compact.shapes.rows import made, placed, raw_of
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_HEADING = pattern(r"The following tests (?:FAILED|did not run):")
_ENTRY = pattern(r"\s+(?P<number>\d+) - (?P<name>.+) \([^()]+\)(?:\s+\S+)?")
# cmCTestRunTest.cxx writes the reason between the status and the time.
_RESULT = pattern(
    r"\s*\d+/\d+ Test +#(?P<number>\d+): (?P<name>.+?) \.*[^.]*\*\*\*"
    r"(?P<status>Failed|Timeout|Skipped|Exception: *\w*|Not Run)(?: \(\w+\))?"
    r" *(?P<reason>.*?) +(?P<time>[\d.]+ sec)"
)
_START = pattern(r"\s*Start +(?P<number>\d+): (?P<name>.+)")
_ADVICE = pattern(
    r"Errors while running CTest|Output from these tests are in: .*"
    r"|Use \"--rerun-failed --output-on-failure\" to re-run the failed cases verbosely\."
)


def is_of_report(text: str) -> bool:
    return any(form.fullmatch(text) for form in (_RESULT, _START, _HEADING, _ENTRY, _ADVICE))


def ctest(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Put each entry of these lists in the place of the result, above what the test printed."""
    del asked
    lines = raw_of(rows)
    lists = _lists(lines, texts)
    results = _results(lines, texts) if lists else {}
    instead: dict[int, list[Row]] = {}
    gone: set[int] = set()
    for heading, entries in lists.items():
        told = {name: index for name, index in entries.items() if name in results}
        for name, entry in told.items():
            index, more = results[name]
            instead[index] = [made(" ".join([texts[entry].strip(), *more]), [index, entry])]
        gone.update(told.values())
        gone.update(i for i in lines if _started(texts[i]) in told)
        if len(told) == len(entries):
            gone.add(heading)
    if gone:
        gone.update(i for i in lines if _ADVICE.fullmatch(texts[i]))
    return placed(rows, instead, gone)


def _lists(lines: list[int], texts: Texts) -> dict[int, dict[str, int]]:
    """The headings, and below each the lines of its tests by number and name."""
    found: dict[int, dict[str, int]] = {}
    below: dict[str, int] | None = None
    for index in lines:
        text = texts[index]
        match = _ENTRY.fullmatch(text)
        if match and below is not None:
            below[f"{match['number']} {match['name']}"] = index
        elif _HEADING.fullmatch(text):
            below = found[index] = {}
        elif text.strip():
            below = None
    return found


def _started(text: str) -> str:
    match = _START.fullmatch(text)
    return f"{match['number']} {match['name']}" if match else ""


def _results(lines: list[int], texts: Texts) -> dict[str, tuple[int, list[str]]]:
    """Where the result of each test is, and what it says that the list does not."""
    found: dict[str, tuple[int, list[str]]] = {}
    for index in lines:
        if match := _RESULT.fullmatch(texts[index]):
            more = [match["reason"]] if match["reason"] else []
            more += [match["time"]] if match["status"] == "Timeout" else []
            found[f"{match['number']} {match['name']}"] = index, more
    return found

"""The names of the tests that passed, for whoever asked for them: `pytest -v`, `go test -v`."""

from __future__ import annotations

from collections import Counter

from laconic.compact.result import RAW, Compacted, Row
from laconic.compact.shapes.rows import made
from laconic.compact.tokens import estimate
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_ASKS = pattern(r"-v+|--verbose|--reporters?=verbose")
_OF_TESTS = frozenset(("pytest", "unittest", "jest", "vitest", "passed"))
# Each: where a test is, and its name without what tells its cases apart.
_FORMS = tuple(
    map(
        pattern,
        (
            r"(?P<at>\S+?\.py)::(?P<name>[^\s\[]+)\S*.* PASSED(?: +\[ *\d+%\])?",
            r"(?:\[gw\d+\] )?\[ *\d+%\] PASSED (?P<at>\S+?\.py)::(?P<name>[^\s\[]+).*",
            r"(?P<at>)--- PASS: (?P<name>\S+) \([\d.]+s\)",
            r"(?P<name>\w+) \((?P<at>[\w.]+?)(?:\.(?P=name))?\) \.\.\. ok",
            r" *[✓✔√] (?P<at>\S+\.[cm]?[jt]sx?) > (?P<name>.*?)(?: \d+ ?m?s)?",
            r" +[✓✔√] (?P<at>)(?P<name>.*?)(?: \(\d+ ?m?s\))?",
        ),
    )
)
_MOST_TOKENS = 300


def asks_for_names(words: Iterable[str | None], shapes: Iterable[str]) -> bool:
    """Tell whether a command runs tests and asks for the name of each."""
    return not _OF_TESTS.isdisjoint(shapes) and any(_ASKS.fullmatch(word or "") for word in words)


def with_names(compacted: Compacted) -> Compacted:
    """The same result with the names of the tests that passed, as far as there is room for them."""
    found: dict[str, Counter[str]] = {}
    indexes: list[int] = []
    for index, text in enumerate(compacted.lines.texts):
        if match := _form(text):
            found.setdefault(match[0], Counter())[match[1]] += 1
            indexes.append(index)
    there = {n - 1 for row in compacted.shown if row.kind == RAW for n in row.numbers}
    if there.issuperset(indexes):
        return compacted
    told = next((lines for lines in _ways(found) if _cost(lines) <= _MOST_TOKENS), [])
    if not told:
        return compacted
    rows: list[Row] = []
    texts = list(compacted.lines.texts)
    for row in compacted.shown:
        rows.append(row.numbers[0] - 1 if row.kind == RAW else row)
        if row.kind == RAW:
            texts[row.numbers[0] - 1] = row.text
    return Compacted(
        compacted.filter, compacted.lines, [*(made(text, indexes) for text in told), *rows], texts
    )


def _form(text: str) -> tuple[str, str] | None:
    matches = (form.fullmatch(text) for form in _FORMS)
    match = next(filter(None, matches), None)
    return (match["at"], match["name"]) if match else None


def _ways(found: dict[str, Counter[str]]) -> Iterator[list[str]]:
    """All names, or else how many tests each file has."""
    heads = {at: f"{at}: " if at else "passed: " for at in found}
    yield [f"{heads[at]}{' '.join(map(_counted, names.items()))}" for at, names in found.items()]
    if len(found) > 1:
        yield [f"{heads[at]}{names.total()} passed" for at, names in found.items()]


def _counted(name: tuple[str, int]) -> str:
    text, count = name
    text = f'"{text}"' if " " in text else text
    return text if count == 1 else f"{text} [x{count}]"


def _cost(lines: Sequence[str]) -> int:
    return estimate("\n".join(lines))

"""Steps of a build or an installation that differ in a name only: one line with all names."""

from __future__ import annotations

from laconic.compact.result import SHORT, Shown
from laconic.compact.shapes.folded_names import folded
from laconic.compact.shapes.rows import placed, raw_of
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from re import Pattern

    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_NUMBERED = (
    # CMake's makefiles
    pattern(r"\[ *\d+%\] (Built target) (\S+)"),
    # ctest -N
    pattern(r"  (Test) +#\d+: (\S+)"),
)
_PACKAGES = (
    # cargo update
    pattern(
        r"( +(?:Adding|Removing|Updating|Downgrading)) ([\w-]+ v\S+(?: -> v?\S+)?(?: \(.*\))?)"
    ),
    # uv
    pattern(r"( [+~-]) ([\w.-]+(?:\[[\w,.-]+\])?==\S+)"),
)
_FEWEST = 6
_FEWEST_PACKAGES = 15  # fewer are read at a glance, one below the other
_MOST_IN_LINE = 40  # packages; a budget cuts between lines


def steps(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Join numbered steps of one kind at the place of the last, packages at that of the first."""
    del asked
    instead: dict[int, list[Row]] = {}
    gone: set[int] = set()
    for names in _kinds(_NUMBERED, _FEWEST, rows, texts):
        *others, last = names
        told = ", ".join(folded([names[index] for index in others]))
        text = f"{texts[last]} [and {len(others)} before it: {told}]"
        instead[last] = [_row(text, names)]
        gone |= set(names)
    for names in _kinds(_PACKAGES, _FEWEST_PACKAGES, rows, texts):
        first = min(names)
        start = texts[first].removesuffix(names[first])
        some = [list(names)[n : n + _MOST_IN_LINE] for n in range(0, len(names), _MOST_IN_LINE)]
        instead[first] = [
            _row(start + ", ".join(names[index] for index in part), part) for part in some
        ]
        gone |= set(names)
    return placed(rows, instead, gone)


def _kinds(
    forms: tuple[Pattern[str], ...], fewest: int, rows: list[Row], texts: Texts
) -> Iterator[dict[int, str]]:
    """The names in the lines of each kind of which there are enough."""
    for form in forms:
        kinds: dict[str, dict[int, str]] = {}
        for index in raw_of(rows):
            if match := form.fullmatch(texts[index]):
                kinds.setdefault(match[1], {})[index] = match[2]
        yield from (names for names in kinds.values() if len(names) >= fewest)


def _row(text: str, indexes: Iterable[int]) -> Shown:
    return Shown(SHORT, text, [index + 1 for index in indexes])

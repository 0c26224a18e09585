"""Steps of a build that differ in a name only: the last, with the names of the others."""

from __future__ import annotations

from laconic.compact.result import SHORT, Shown
from laconic.compact.shapes.names import folded
from laconic.compact.shapes.rows import placed, raw_of
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_FORMS = (
    # CMake's makefiles
    pattern(r"\[ *\d+%\] (Built target) (\S+)"),
    # ctest -N
    pattern(r"  (Test) +#\d+: (\S+)"),
    # cargo update
    pattern(r" +(Adding|Removing|Updating|Downgrading) ([\w-]+ v\S+(?: -> v?\S+)?(?: \(.*\))?)"),
)
_FEWEST = 6


def steps(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Join steps of one kind, at the place of the last."""
    del asked
    instead: dict[int, list[Row]] = {}
    gone: set[int] = set()
    for form in _FORMS:
        kinds: dict[str, dict[int, str]] = {}
        for index in raw_of(rows):
            if match := form.fullmatch(texts[index]):
                kinds.setdefault(match[1], {})[index] = match[2]
        for names in kinds.values():
            if len(names) >= _FEWEST:
                *others, last = names
                told = ", ".join(folded([names[index] for index in others]))
                text = f"{texts[last]} [and {len(others)} before it: {told}]"
                instead[last] = [Shown(SHORT, text, [index + 1 for index in names])]
                gone |= set(names)
    return placed(rows, instead, gone)

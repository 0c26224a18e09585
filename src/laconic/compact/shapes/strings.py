"""Lists of many texts, as node prints them in columns: those that count up as one.

https://nodejs.org/api/util.html#utilinspectobject-options: texts have single quotes.
"""

from __future__ import annotations

from laconic.compact.shapes.folded_names import folded
from laconic.compact.shapes.rows import made, placed, raw_of
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_LINE = pattern(r"\s+'[^'\s]+'(?:,\s+'[^'\s]+')*,?\s*")
_TEXT = pattern(r"'([^'\s]+)'")
_FEWEST = 8  # lines
_LAST = 2  # lines that stay: the newest of versions, for example


def strings(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Write the texts of neighbouring lines in one; the last lines stay."""
    del asked
    instead: dict[int, list[Row]] = {}
    gone: set[int] = set()
    run: list[int] = []
    for index in [*raw_of(rows), -1]:
        if index >= 0 and _LINE.fullmatch(texts[index]):
            run.append(index)
            continue
        if len(run) >= _FEWEST:
            some = run[:-_LAST]
            names = [name for i in some for name in _TEXT.findall(texts[i])]
            text = " ".join(folded(names))
            instead[some[0]] = [made(f"  {text} [{len(names)} texts]", some)]
            gone.update(some)
        run = []
    return placed(rows, instead, gone)

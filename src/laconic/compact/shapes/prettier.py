"""prettier's report: files by directory, and errors without the source around their place.

https://prettier.io/docs/cli#--check
"""

from __future__ import annotations

from laconic.compact.result import SHORT, Shown
from laconic.compact.shapes.folded_names import joined
from laconic.compact.shapes.rows import placed, raw_of, whole
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_WARNED = pattern(r"\[warn\] (?P<directory>(?:[^\s:/]+/)*|/(?:[^\s:/]+/)*)(?P<name>[^\s:/]+\.\w+)")
_WRITTEN = pattern(
    r"(?P<directory>(?:[^\s:/]+/)*|/(?:[^\s:/]+/)*)(?P<name>[^\s:/]+\.\w+) \d+(?:\.\d+)?m?s"
)
_EXCERPT = pattern(r"\[error\] [ >]*\d* *\|.*")
_FEWEST = 3  # files of a directory that are shown in one line


def prettier(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show the files that are not formatted, or were changed, by directory."""
    del asked
    lines = raw_of(rows)
    instead: dict[int, list[Row]] = {}
    gone = {i for i in lines if _EXCERPT.fullmatch(texts[i])}
    for form, start in ((_WARNED, "[warn] "), (_WRITTEN, "")):
        found: dict[str, dict[int, str]] = {}
        for index in lines:
            if match := form.fullmatch(texts[index]):
                found.setdefault(match["directory"], {})[index] = match["name"]
        for directory, names in found.items():
            if len(names) < _FEWEST:
                continue
            text = f"{start}{directory or './'}: {joined(list(names.values()))}"
            row = whole(text, names) if start else Shown(SHORT, text, [i + 1 for i in names])
            instead[min(names)] = [row]
            gone.update(names)
    return placed(rows, instead, gone)

"""The table of coverage.py: the files that miss most with their missing lines, others shorter.

The columns are those of https://coverage.readthedocs.io/en/latest/commands/cmd_report.html.
"""

from __future__ import annotations

from laconic.compact.result import SHORT, Shown
from laconic.compact.shapes.rows import placed, raw_of
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_HEAD = pattern(r"Name +Stmts +Miss(?: +Branch +BrPart)? +Cover(?: +Missing)?\s*")
_ROW = pattern(
    r"(?P<start>(?P<directory>(?:[^\s/]*/)*)(?P<name>[^\s/]+) +\d+ +(?P<missed>\d+)"
    r"(?: +\d+ +\d+)? +(?P<cover>\d+(?:\.\d+)?)%)"
    r"(?P<gap> +(?=\d))?(?P<missing>[\d, >exit-]*)"
)
_MOST_FILES, _MOST_MISSING = 12, 12


def coverage(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show of many files only how much is covered; what is covered as a whole has gone before."""
    del asked
    lines = raw_of(rows)
    if not any(_HEAD.fullmatch(texts[i]) for i in lines):
        return rows
    found = {i: match for i in lines if (match := _ROW.fullmatch(texts[i]))}
    found = {i: match for i, match in found.items() if match["name"] != "TOTAL"}
    worst = sorted(found, key=lambda i: -int(found[i]["missed"]))[:_MOST_FILES]
    long = [i for i in worst if found[i]["missing"].count(",") >= _MOST_MISSING]
    instead: dict[int, list[Row]] = {i: [_row(i, found[i])] for i in long}
    directories: dict[str, list[int]] = {}
    for index in found.keys() - set(worst):
        directories.setdefault(found[index]["directory"] or "./", []).append(index)
    for directory, others in directories.items():
        others.sort()
        told = ", ".join(f"{found[i]['name']} {found[i]['cover']}%" for i in others)
        instead[others[0]] = [Shown(SHORT, f"{directory}: {told}", [i + 1 for i in others])]
    return placed(rows, instead, found.keys() - set(worst))


def _row(index: int, match: re.Match[str]) -> Row:
    """The line of a file without the last of the lines that it misses."""
    missing = match["missing"].split(", ")
    shown = ", ".join(missing[:_MOST_MISSING])
    text = f"{match['start']}{match['gap']}{shown} [and {len(missing) - _MOST_MISSING} more]"
    return Shown(SHORT, text, (index + 1,))

"""Lines that say what was done with a file: `create mode 100644 a.py`, `inflating: a.py`.

Names with the same words before them are one line for each directory.
"""

from __future__ import annotations

from collections import Counter

from laconic.compact.result import SHORT, WHOLE, Shown
from laconic.compact.shapes.names import joined
from laconic.compact.shapes.rows import made, placed, raw_of
from laconic.compact.tokens import estimate
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import Match

    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

BUDGET = 800  # tokens, beyond which the names of a directory are counted
_FEWEST = 4
_LINE = pattern(
    r"( ?(?:create|delete) mode \d+|add|remove|rm|removed|Removing|Would remove"
    r"| *(?:adding|inflating|extracting|creating|updating|linking|testing):)"
    r" +('?)([^\s']+)\2((?: +\((?:deflated|stored) \d+%\)| +OK)?) *"
)


def actions(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show what was done with many files by directory, at the place of the first of them."""
    del asked
    matches = {i: match for i in raw_of(rows) if (match := _LINE.fullmatch(texts[i]))}
    often = Counter(match[1].strip() for match in matches.values())
    groups: dict[tuple[str, str], list[int]] = {}
    for index, match in matches.items():
        action, path = match[1].strip(), match[3]
        if often[action] >= _FEWEST:
            directory = path[: path.rstrip("/").rfind("/") + 1]
            groups.setdefault((action, directory), []).append(index)
    lines = {key: _line(key, [matches[i] for i in some]) for key, some in groups.items()}
    costs = {key: estimate(line) for key, line in lines.items()}
    instead: dict[int, list[Row]] = {}
    for key in sorted(groups, key=lambda key: -costs[key]):
        indexes = groups[key]
        kind = SHORT if any(matches[i][4] for i in indexes) else WHOLE
        row = Shown(kind, lines[key], [index + 1 for index in indexes])
        if sum(costs.values()) > BUDGET and len(indexes) > 1:
            costs[key] = 0
            row = made(f"{' '.join(key)}: [{len(indexes)} files]", indexes)
        instead[indexes[0]] = [row]
    return placed(rows, instead, {i for some in groups.values() for i in some})


def _line(key: tuple[str, str], matches: list[Match[str]]) -> str:
    action, directory = key
    if len(matches) == 1 or not directory:
        return f"{action} {joined([match[3] for match in matches])}"
    return (
        f"{action} {directory}: {joined([match[3].removeprefix(directory) for match in matches])}"
    )

"""Lines that say what was done with a file: `create mode 100644 a.py`, `inflating: a.py`.

Names with the same words before them are one line for each directory.
"""

from __future__ import annotations

from collections import Counter

from laconic.compact.result import SHORT, WHOLE, Shown
from laconic.compact.shapes.folded_names import below, joined
from laconic.compact.shapes.rows import made, placed, raw_of
from laconic.compact.tokens import estimate
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

BUDGET = 800  # tokens, beyond which the names of a directory are counted
_FEWEST = 4
_LINE = pattern(
    r"( ?(?:create|delete) mode \d+|add|remove|rm|removed(?: directory)?|Removing|Would remove"
    r"| *(?:adding|inflating|extracting|creating|updating|linking|testing):)"
    r" +('?)([^\s']+)\2((?: +\((?:deflated|stored) \d+%\)| +OK)?) *"
)
_FETCHED = pattern(r" ([*-] \[(?:new (?:branch|tag|ref)|deleted)\]) +(\S+) +-> (\S+)")
_RENAMED = pattern(r" rename (\S*\{\S* => \S*\}\S*/)([^\s/]+) \((\d+%)\)")
_COPIED = pattern(r"((?:renamed |copied )?)'([^']*/)([^'/]+)' -> '([^']*/)\3'")


class _Action:
    """What a line says was done, and with what; is_short: it says more than is shown."""

    __slots__ = ("directory", "is_short", "name", "what")

    def __init__(self, what: str, directory: str, name: str, *, is_short: bool) -> None:
        self.what, self.directory, self.name, self.is_short = what, directory, name, is_short


def actions(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show what was done with many files by directory, at the place of the first of them."""
    del asked
    found = {i: action for i in raw_of(rows) if (action := _read(texts[i]))}
    often = Counter(action.what for action in found.values())
    groups: dict[tuple[str, str], list[int]] = {}
    for index, action in found.items():
        if often[action.what] >= _FEWEST:
            groups.setdefault((action.what, action.directory), []).append(index)
    lines = {key: _line(key, [found[i].name for i in some]) for key, some in groups.items()}
    costs = {key: estimate(line) for key, line in lines.items()}
    total = sum(costs.values())
    instead: dict[int, list[Row]] = {}
    for key in sorted(groups, key=lambda key: -costs[key]):
        indexes = groups[key]
        kind = SHORT if any(found[i].is_short for i in indexes) else WHOLE
        row = Shown(kind, lines[key], [index + 1 for index in indexes])
        if total > BUDGET and len(indexes) > 1:
            total -= costs[key]
            row = made(f"{' '.join(key)}: [{len(indexes)} files]", indexes)
        instead[indexes[0]] = [row]
    return placed(rows, instead, {i for some in groups.values() for i in some})


def _read(text: str) -> _Action | None:
    if match := _LINE.fullmatch(text):
        start = match[3].rstrip("/").rfind("/") + 1
        directory, name = match[3][:start], match[3][start:]
        return _Action(match[1].strip(), directory, name, is_short=bool(match[4]))
    if match := _FETCHED.fullmatch(text):
        start = match[3].rfind("/") + 1
        return _Action(match[1], match[3][:start], match[3][start:], is_short=True)
    if match := _RENAMED.fullmatch(text):
        return _Action("rename", match[1], match[2], is_short=True)
    if match := _COPIED.fullmatch(text):
        directories = f"{match[2]} -> {match[4]}"
        return _Action(f"{match[1]}{directories}", "", match[3], is_short=False)
    return None


def _line(key: tuple[str, str], names: list[str]) -> str:
    action, directory = key
    if directory:
        return f"{action} {below(directory, names)}"
    return f"{action}{':' if action.endswith('/') else ''} {joined(names)}"

"""Trees of dependencies, drawn with spaces; a large one shows two levels and counts the rest."""

from __future__ import annotations

from laconic.compact.diagnostics import is_diagnostic
from laconic.compact.result import SHORT, Shown
from laconic.compact.shapes.rows import placed, raw_of, whole
from laconic.compact.tokens import estimate
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

BUDGET = 500  # tokens, up to which a tree is shown whole
_FEWEST, _SHARE = 20, 0.8
_DEPTH = 2
# What is drawn before a name: `│ ├── `, `|  +- `, `    \--- `, perhaps after `[INFO] `.
_BRANCH = pattern(r"(?:\[INFO\] )?([│| ]*)(?:[├└][─┬]+|[+\\`|]-+) ?(\S.*)")
_PACKAGE = pattern(r"(?:@[\w.-]+/)?[\w.-]+(?:@| v)\d[\w.+-]*")
_WRONG = pattern(r"(?i).*(?:unmet|missing|invalid|extraneous|conflict|fail|err).*")


def dependencies(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Draw a tree by spaces; show a large one down to its second level.

    What is wrong stays at any level.
    """
    lines = raw_of(rows)
    found = [(i, m) for i in lines if (m := _BRANCH.fullmatch(texts[i]))]
    named = [i for i in lines if texts[i].strip()]
    share = 0 if asked.is_listed else _SHARE
    if len(found) < _FEWEST or len(found) < share * len(named):
        return rows
    levels = sorted({len(match[1]) for _, match in found})
    if estimate("\n".join(texts[i] for i in lines)) <= BUDGET:
        return placed(rows, {i: [_indented(i, m, levels)] for i, m in found}, set())
    for depth in (_DEPTH, 1):
        shown, hidden = _down_to(depth, found, levels, texts)
        if sum(estimate(row.text) for row in shown.values()) <= BUDGET:
            break
    return placed(rows, {index: [row] for index, row in shown.items()}, hidden)


def _indented(index: int, match: re.Match[str], levels: list[int]) -> Shown:
    """A line of a tree, with a space for each level."""
    return Shown(SHORT, f"{' ' * (levels.index(len(match[1])) + 1)}{match[2]}", (index + 1,))


def _down_to(
    depth: int, found: list[tuple[int, re.Match[str]]], levels: list[int], texts: Texts
) -> tuple[dict[int, Shown], set[int]]:
    """The lines of the first levels, each with the number of lines below it, and those lines."""
    below: dict[int, list[int]] = {}
    head = -1
    for index, match in found:
        is_wrong = _is_wrong(texts[index])
        if head < 0 or is_wrong or levels.index(len(match[1])) < depth:
            below[index] = []
            head = head if is_wrong and head >= 0 else index
        else:
            below[head].append(index)
    shown = {
        i: whole(f"{texts[i]} [{len(b)} below]" if b else texts[i], [i]) for i, b in below.items()
    }
    return shown, {index for hidden in below.values() for index in hidden}


def _is_wrong(text: str) -> bool:
    """Tell whether a line says that something is wrong, beside the name of a package."""
    said = _PACKAGE.sub("", text)
    return _WRONG.fullmatch(said) is not None or is_diagnostic(said)

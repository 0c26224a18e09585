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

BUDGET = 2000  # tokens, up to which a tree is shown whole
_FEWEST, _SHARE = 20, 0.8
_DEPTH = 2
_FEWEST_LEAVES = 4  # that are joined
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


def leaves(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Draw a tree by spaces, and join neighbours that have nothing below them.

    What is wrong stays alone; a tree beyond the budget is left to dependencies().
    """
    del asked
    lines = raw_of(rows)
    found = [(i, m) for i in lines if (m := _BRANCH.fullmatch(texts[i]))]
    is_large = estimate("\n".join(texts[i] for i in lines)) > BUDGET
    if len(found) < _FEWEST_LEAVES or is_large:
        return rows
    levels = sorted({len(match[1]) for _, match in found})
    instead: dict[int, list[Row]] = {i: [_indented(i, match, levels)] for i, match in found}
    gone: set[int] = set()
    run: list[tuple[int, re.Match[str]]] = []
    for pos, (index, match) in enumerate(found):
        depth = len(match[1])
        is_leaf = pos + 1 == len(found) or len(found[pos + 1][1][1]) <= depth
        is_leaf = is_leaf and not _is_wrong(texts[index])
        if run and not (is_leaf and len(run[0][1][1]) == depth and index == run[-1][0] + 1):
            gone |= _join(run, levels, instead)
            run = []
        run += [(index, match)] if is_leaf else []
    gone |= _join(run, levels, instead)
    return placed(rows, instead, gone)


def _join(
    run: list[tuple[int, re.Match[str]]], levels: list[int], instead: dict[int, list[Row]]
) -> set[int]:
    """Put a line in place of the first of many, and return the others."""
    if len(run) < _FEWEST_LEAVES:
        return set()
    first, *others = [index for index, _ in run]
    start = " " * (levels.index(len(run[0][1][1])) + 1)
    text = start + " ".join(match[2] for _, match in run)
    instead[first] = [whole(text, [first, *others])]
    for index in others:
        del instead[index]
    return set(others)

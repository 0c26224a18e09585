"""Trees of dependencies: drawn by spaces; beyond the budget two levels, and how many are below."""

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
    """Join neighbours of a tree that have nothing below them; what is wrong stays alone."""
    del asked
    lines = raw_of(rows)
    instead: dict[int, list[Row]] = {}
    gone: set[int] = set()
    run: list[int] = []
    for pos, index in enumerate([*lines, -1]):
        match = _BRANCH.fullmatch(texts[index]) if index >= 0 else None
        following = _BRANCH.fullmatch(texts[lines[pos + 1]]) if pos + 1 < len(lines) else None
        is_leaf = match is not None and not (following and len(following[1]) > len(match[1]))
        is_leaf = is_leaf and not _is_wrong(texts[index])
        if run and (not is_leaf or match is None or _depth(texts[run[0]]) != len(match[1])):
            instead |= _joined(run, texts)
            gone.update(run if len(run) >= _FEWEST_LEAVES else ())
            run = []
        if is_leaf:
            run.append(index)
    return placed(rows, instead, gone)


def _joined(run: list[int], texts: Texts) -> dict[int, list[Row]]:
    if len(run) < _FEWEST_LEAVES:
        return {}
    first = _BRANCH.fullmatch(texts[run[0]])
    names = [match[2] for i in run if (match := _BRANCH.fullmatch(texts[i]))]
    start = texts[run[0]][: first.start(2)].replace("┬", "─") if first else ""
    return {run[0]: [whole(start + " ".join(names), run)]}


def _depth(text: str) -> int:
    match = _BRANCH.fullmatch(text)
    return len(match[1]) if match else -1

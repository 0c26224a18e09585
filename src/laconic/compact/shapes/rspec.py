"""RSpec's report: each failure once, by its name and places; no examples that passed."""

from __future__ import annotations

from itertools import pairwise

from laconic.compact.shapes.report import Report
from laconic.compact.shapes.rows import indent_of, made
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_TOTALS = pattern(r"(\d+) examples?, \d+ failures?(?:, .*)?")
_MARKED = pattern(r" +.*? \((?:FAILED - \d+|PENDING: .*)\)")
_MOST_PENDING = 8


def rspec(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show every failure in few lines, and no list of what is told already."""
    report = Report("rspec", rows, texts, asked)
    if not report.is_one:
        return rows
    pending = [one for one in report.failures if one.title.startswith("  pending")]
    if len(more := pending[_MOST_PENDING:]) >= _MOST_PENDING:
        report.failures = [one for one in report.failures if one not in more]
        every = [i for one in more for i in one.lines]
        report.instead[every[0]] = [made(f"  [{len(more)} more pending]", every)]
    totals = [pos for pos, i in enumerate(report.lines) if _TOTALS.fullmatch(texts[i])]
    for start, end in pairwise([-1, *totals]):
        report.gone |= _overview(report, report.lines[start + 1 : end + 1])
    return report.shown()


def _overview(report: Report, lines: list[int]) -> set[int]:
    """The examples by their groups, as `--format documentation` prints them before the failures.

    They go only if there are as many as the totals say: then no line is another program's.
    """
    texts = report.texts
    match = _TOTALS.fullmatch(texts[lines[-1]])
    assert match is not None
    part = _grouped(lines[:-1], report.gone, texts)
    leaves = [i for i, after in pairwise([*part, -1]) if _is_leaf(i, after, texts)]
    marked = {i for i in part if _MARKED.fullmatch(texts[i])}
    if leaves and len(leaves) == int(match[1]):
        return marked | {i for i in part if not report.asked.pinned[i]}
    return marked


def _grouped(lines: list[int], told: set[int], texts: Texts) -> list[int]:
    """The lines of groups: one below a blank line, and those below it that are indented.

    What a test prints is between them, mostly from the first column on.
    """
    found: list[int] = []
    block: list[int] = []
    is_below_blank = True
    for index in lines:
        text = texts[index]
        is_indented = text.startswith("  ") and index not in told
        if is_indented and block:
            block.append(index)
        elif index in told or is_below_blank:
            found += block if len(block) > 1 else []
            block = [] if index in told or is_indented else [index]
        is_below_blank = not text.strip()
    return found + (block if len(block) > 1 else [])


def _is_leaf(index: int, after: int, texts: Texts) -> bool:
    depth = indent_of(texts[index])
    below = indent_of(texts[after]) if after >= 0 else 0
    return depth > 0 and below <= depth

"""The overview of a test run, in which the names of tests are below those of their suites."""

from __future__ import annotations

from bisect import bisect_left
from itertools import groupby, pairwise

from laconic.compact.shapes.rows import indent_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.masks import Mask
    from laconic.compact.shapes.rows import Texts


def headings(
    lines: list[int], texts: Texts, pinned: Mask, marks: set[int], gone: set[int]
) -> set[int]:
    """Find the names of suites below which no test is left.

    pinned: the lines that say what is wrong, among which a name is not told from what another
    program says. marks: the lines of tests; gone: those that are not shown. A line is the name of
    a suite if a test or such a name is right below it and indented more, or if what was there is
    dropped.
    """
    filled = [index for index in lines if texts[index].strip()]
    there = set(lines)
    of_tests = _near(lines, texts, marks)
    suites: set[int] = set()
    for index, following in reversed(list(pairwise(filled))):
        depth = indent_of(texts[index])
        if index in marks or index not in of_tests or pinned[index]:
            continue
        is_above = indent_of(texts[following]) > depth and (
            following in marks or following in suites
        )
        if is_above or (index + 1 not in there and indent_of(texts[following]) <= depth):
            suites.add(index)
    return suites - _with_test(filled, texts, suites, marks - gone)


def _near(lines: list[int], texts: Texts, marks: set[int]) -> set[int]:
    """The blocks of indented lines that have a test in them, or next to a dropped line."""
    found: set[int] = set()
    for is_inside, group in groupby(lines, lambda i: _is_indented(texts[i])):
        run = list(group)
        is_dropped = is_inside and any(_is_dropped(i, lines) for i in (run[0] - 1, run[-1] + 1))
        if is_inside and (is_dropped or not marks.isdisjoint(run)):
            found.update(run)
    return found


def _is_dropped(index: int, lines: list[int]) -> bool:
    pos = bisect_left(lines, index)
    return index >= 0 and lines[pos : pos + 1] != [index]


def _with_test(filled: list[int], texts: Texts, suites: set[int], left: set[int]) -> set[int]:
    """The suites that have one of these tests.

    What a test prints may be between them, from the first column on.
    """
    found: set[int] = set()
    around: list[tuple[int, int]] = []  # indent and line of the suites that a line is in
    for index in filled:
        depth = indent_of(texts[index])
        while depth and around and around[-1][0] >= depth:
            around.pop()
        if index in left:
            found.update(suite for _, suite in around)
        if index in suites:
            around.append((depth, index))
    return found


def _is_indented(text: str) -> bool:
    return text.startswith("  ") and bool(text.strip())

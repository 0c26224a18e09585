"""Runs a filter's stages over the lines of an output, in this order:

 1. clean      colours and overwritten text go; from here on lines are as a terminal showed them
 2. count      numbers are taken before anything is dropped
 3. branch     exit status 0: [success], when all it requires is there; any other: [failure]
 4. pin        must_keep lines, what was printed while the command ran, after a failure every
               diagnostic, after a success every line that begins as an error does, unless the
               kind is listing or drop names it: no later stage removes them. If they cost more
               than 12,000 tokens even in their shapes, those in the middle are counted instead
 5. show       the text of [success] show and the pinned lines are the result
 6. section    blocks stay whole, or up to their first lines
 7. drop       lines that go
 8. keep       if given, only these stay
 9. group      lines with the same captured values become one
10. shape      what has a known shape is shown as that shape says; it may regroup pinned lines
11. replace    lines are shortened to captured values
12. blank      neighbouring blank lines outside blocks become one, unless the kind is text
13. clip, head and tail, budget: the last resort

In doubt the raw output is shown: None is the answer when nothing would change, when the result does
not cost fewer tokens with its notice, and when there is a notice already.
"""

from __future__ import annotations

from functools import cache, reduce
from itertools import compress

from laconic.compact.diagnostics import find_certain, find_diagnostics
from laconic.compact.filter import HEAD_SHARE, LISTING, SUMMARY, TEXT
from laconic.compact.generic import compact_generic, few_warnings
from laconic.compact.lines import Lines
from laconic.compact.masks import any_of, indexes, mask_of, union, without
from laconic.compact.notice import has_notice
from laconic.compact.reports import may_be_shaped
from laconic.compact.result import (
    MADE,
    Compacted,
    Row,
    Shown,
    Written,
    shortened,
    texts_at,
    texts_of,
)
from laconic.compact.shapes.asked import Asked
from laconic.compact.shapes.passes import AFTER, shaped
from laconic.compact.stages.blank import without_blanks
from laconic.compact.stages.clean import clean
from laconic.compact.stages.count import count_values
from laconic.compact.stages.drop import drop, from_ends, keep
from laconic.compact.stages.group import group
from laconic.compact.stages.limit import (
    MOST_PINNED,
    clip_rows,
    ends_of,
    find_excess,
    fit,
    gap_row,
    limit,
    window,
    with_marks,
)
from laconic.compact.stages.replace import replace
from laconic.compact.stages.section import Blocks, find_blocks
from laconic.compact.stages.template import fill
from laconic.compact.tokens import estimate
from laconic.compact.worth import is_blank, is_cheaper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from laconic.compact.branch import Branch
    from laconic.compact.filter import Filter
    from laconic.compact.hits import Hits
    from laconic.compact.masks import Mask
    from laconic.compact.result import RowTexts
    from laconic.compact.stages.limit import Excess

# Rows of a result without a budget. Beyond them the raw output is shown, which costs no time.
_MOST_ROWS = 10_000


def compact(
    wanted: Filter,
    status: int,
    lines: Lines,
    hits: Hits | None = None,
    printed: Mask = b"",
) -> Compacted | None:
    """Return what to show in place of the output, or None for the output as it is.

    hits: what the command searched for, if that is what it does. printed: lines that were printed
    while the command ran, if any.
    """
    compacted = apply(wanted, status, lines, hits, printed)
    if compacted is None:
        return None
    was_cut = 0 <= printed.find(0) < printed.rfind(1)  # what follows hidden lines is printed
    return compacted if is_cheaper(compacted) or was_cut else None


def apply(
    wanted: Filter,
    status: int,
    lines: Lines,
    hits: Hits | None = None,
    printed: Mask = b"",
) -> Compacted | None:
    """Run the stages; None if they change nothing. What it costs is not compared yet.

    A row of the table of commands has no stages: the engine alone shows its output.
    """
    if wanted.is_row:
        return compact_generic(lines, status, row=wanted, hits=hits)
    if is_blank(lines) or has_notice(lines):
        return None
    cleaned = clean(lines, is_text=wanted.kind == TEXT)
    rows, texts = _rows(wanted, status, cleaned, hits, printed)
    is_whole = len(rows) == len(lines) and all(isinstance(row, int) for row in rows)
    if not rows or (is_whole and cleaned is lines):
        return None
    return Compacted(wanted.id, lines, rows, texts)


class _Run:
    """The output of a run, cleaned, and what is known of it; pinned: lines that must be shown."""

    __slots__ = ("hits", "kind", "lines", "pinned", "printed", "status")

    def __init__(
        self, kind: str, status: int, lines: Lines, hits: Hits | None, printed: Mask
    ) -> None:
        self.kind, self.status, self.lines = kind, status, lines
        self.hits, self.printed = hits, printed
        self.pinned = printed


def _rows(
    wanted: Filter, status: int, lines: Lines, hits: Hits | None, printed: Mask
) -> tuple[list[Row], Written]:
    """What is shown, and the texts of it."""
    run = _Run(wanted.kind, status, lines, hits, printed)
    branch, values = _branch(wanted, status, lines)
    run.pinned = _pinned(branch, run)
    excess = find_excess(run.pinned, lines) if branch.budget else None
    if branch.show and status == 0:
        rows = _summed_up(fill(branch.show, values).split("\n"), lines, run.pinned, excess)
        return rows, texts_at(rows, lines)
    return _staged(branch, run, excess)


def _pinned(branch: Branch, run: _Run) -> Mask:
    pinned = branch.must_keep.mask(run.lines)
    if run.status != 0:
        pinned = union(pinned, find_diagnostics(run.lines))
    elif run.kind != LISTING:
        pinned = union(pinned, _reported(run.lines, branch))
    return union(pinned, run.printed)


def _reported(lines: Lines, branch: Branch) -> Mask:
    """The lines of a success that report a mistake, and that the filter does not name to drop."""
    looks_up = lines.has_numbers or bool(branch.drop or branch.keep or branch.groups)
    found = find_certain(lines, looks_up=looks_up)
    if not any_of(found):
        return found
    positions = indexes(found)
    texts = texts_at(positions, lines)
    dropped = branch.drop.mask(Lines([texts[pos] for pos in positions]))
    return without(found, mask_of(compress(positions, dropped), len(found)))


def _branch(wanted: Filter, status: int, lines: Lines) -> tuple[Branch, dict[str, str]]:
    """The keys that hold for this outcome, and the values for its template."""
    if status != 0:
        return wanted.failure, {}
    values = count_values(lines, wanted.counts)
    for pattern in wanted.requires:
        groups = pattern.last(lines)
        if groups is None:
            return wanted.plain, {}
        values.update(pattern.values(groups))
    return wanted.success, values


def _summed_up(shown: list[str], lines: Lines, pinned: Mask, excess: Excess | None) -> list[Row]:
    """These lines and the pinned ones; one that the output has is shown from there."""
    found = {text: _last_equal(lines, text, excess) for text in shown}
    there = mask_of((pos for pos in found.values() if pos >= 0), len(lines))
    numbers = range(1, len(lines) + 1)
    made = [Shown(MADE, text, numbers) for text in shown if found[text] < 0]
    return [*_pinned_rows(union(pinned, there), excess), *made]


def _last_equal(lines: Lines, text: str, excess: Excess | None) -> int:
    """The index of the last line that has this text and can be shown, -1 without one."""
    for first, chunk in zip(reversed(lines.firsts), reversed(lines.chunks), strict=True):
        place = f"{chunk}\n".rfind(f"\n{text}\n")
        if place >= 0:
            pos = first + chunk.count("\n", 0, place)
            return -1 if excess and excess.first <= pos <= excess.last else pos
    return -1


def _pinned_rows(pinned: Mask, excess: Excess | None) -> list[Row]:
    marks = {excess.first: excess.mark} if excess else {}
    return [marks.get(row, row) for row in indexes(excess.left_of(pinned) if excess else pinned)]


def _staged(branch: Branch, run: _Run, excess: Excess | None) -> tuple[list[Row], Written]:
    """Run the stages from sections on."""
    if excess is None:
        return _Stages(branch, run, None).result()
    if branch.shapes and may_be_shaped(run.lines):
        # of a trace or of like findings a shape may leave as much as can be read
        rows, texts = _Stages(branch, run, None).result()
        if estimate("\n".join(texts_of(rows, texts))) <= MOST_PINNED:
            return rows, texts
    return _Stages(branch, run, excess).result()


class _Stages:
    """The stages from sections on, for the lines of one output.

    lines, pinned: those of the run without the pinned ones that are too many. held: lines that go
    by no pattern, because they are pinned or in a block.
    """

    def __init__(self, branch: Branch, run: _Run, excess: Excess | None) -> None:
        self.branch, self.run, self.excess = branch, run, excess
        self.lines, self.pinned = run.lines, run.pinned
        if excess is not None:
            self.lines, self.pinned = excess.hollowed(run.lines), excess.left_of(run.pinned)
        self.blocks = find_blocks(self.lines, branch.sections)
        self.held = union(self.pinned, self.blocks.held)
        self.share = HEAD_SHARE[run.kind]
        self.is_shaped = bool(branch.shapes) and excess is None and may_be_shaped(run.lines)

    def result(self) -> tuple[list[Row], Written]:
        """The rows that are shown, and the texts of them; none if there are too many."""
        branch = self.branch
        left, marks = self._left()
        if not branch.budget and left.count(1) > _MOST_ROWS:
            return [], Written()
        rows, texts, budget = (
            self._shaped(left, marks) if self.is_shaped else self._ends(left, marks)
        )
        if self.run.kind != TEXT:
            rows = without_blanks(rows, texts, self.blocks.held, self.run.printed)
        rows = limit(rows, branch.head, branch.tail, self.pinned)
        kept = self.pinned
        if self.is_shaped and not self.run.status:
            kept = union(kept, few_warnings(rows, self.lines))
        return fit(rows, self._shortening(texts), texts, budget, self.share, kept), texts

    def _left(self) -> tuple[Mask, dict[int, Shown]]:
        """The lines that are left by patterns, and what is written in place of some of them."""
        left = _without_cuts(len(self.lines), self.blocks, self.pinned)
        left = self._staying(left)
        left, marks = _with_cuts(left, self.blocks, self.pinned, self.excess)
        return self._merged(left, marks)

    def _staying(self, left: Mask) -> Mask:
        """Without the lines that go by pattern; of a large output only where others are shown."""
        branch, lines = self.branch, self.lines

        def stay(chunks: range) -> Mask:
            part = lines.part(chunks)
            first = lines.firsts[chunks.start]
            there = slice(first, first + len(part))
            found = drop(left[there], part, branch.drop, self.held[there])
            return keep(found, part, branch.keep, self.held[there])

        if not (branch.drop or branch.keep):
            return left
        if self.is_shaped or branch.groups or not branch.budget:
            return stay(range(len(lines.chunks)))
        return from_ends(stay, len(lines.chunks), self.pinned, *ends_of(branch.budget, self.share))

    def _merged(self, left: Mask, marks: dict[int, Shown]) -> tuple[Mask, dict[int, Shown]]:
        """Group lines, wherever they are, but those that are to be replaced.

        Takes and returns the lines that are left, and what is written in place of some of them.
        """
        branch, lines = self.branch, self.lines
        masks = (pattern.mask(lines) for pattern, _ in branch.replace if branch.groups)
        held = reduce(union, masks, self.held)
        for pattern, show in branch.groups:
            counted = without(left, mask_of(marks, len(left)))
            gone, made = group(without(counted, held), lines, pattern, show, counted)
            left, marks = without(left, gone), {**marks, **made}
        return left, marks

    def _shaped(self, left: Mask, marks: dict[int, Shown]) -> tuple[list[Row], Written, int]:
        """The rows that the shapes make of these lines, their texts, and what they may cost."""
        run, every = self.run, indexes(left)
        texts = texts_at(every, run.lines)
        names, is_answer = self.branch.shapes, run.kind != SUMMARY
        repeats = () if run.status else ("repeats",)  # each failure is one of its own
        after = (*AFTER, *repeats, "numbered")
        names = names if is_answer else (*names, *after)
        asked = Asked(
            run.status, run.pinned, run.hits, run.printed, is_listed=True, is_answer=is_answer
        )
        rows = shaped(names, with_marks(every, marks), texts, asked)
        budget = self.branch.budget
        return rows, texts, budget and budget + asked.budget

    def _ends(self, left: Mask, marks: dict[int, Shown]) -> tuple[list[Row], Written, int]:
        """The first and the last of these lines, their texts, and what they may cost."""
        budget = self.branch.budget
        rows = window(left, marks, budget, self.share, self.pinned)
        return rows, texts_at(rows, self.run.lines), budget

    def _shortening(self, texts: RowTexts) -> Callable[[list[Row]], list[Row]]:
        """What makes lines shorter in their place: values captured from them, then the width."""
        branch, held = self.branch, self.held
        replaced = cache(lambda row: _replaced(branch, row, texts, held))

        def shorten(rows: list[Row]) -> list[Row]:
            rows = list(map(replaced, rows)) if branch.replace else rows
            return clip_rows(rows, texts, branch.width, self.pinned, self.run.hits)

        return shorten


def _replaced(branch: Branch, row: Row, texts: RowTexts, held: Mask) -> Row:
    if not branch.replace or isinstance(row, Shown) or held[row]:
        return row
    return shortened(row, texts[row], replace(texts[row], branch.replace))


def _without_cuts(total: int, blocks: Blocks, pinned: Mask) -> Mask:
    left = bytearray(b"\1") * total
    for first, last in blocks.cut:
        left[first : last + 1] = bytes(last + 1 - first)
    return union(bytes(left), pinned) if blocks.cut else bytes(left)


def _with_cuts(
    left: Mask, blocks: Blocks, pinned: Mask, excess: Excess | None
) -> tuple[Mask, dict[int, Shown]]:
    """Mark where the rest of a block was, and where there were too many pinned lines.

    Returns the lines that are left, and the marks by the line that each of them replaces.
    """
    marks = {excess.first: excess.mark} if excess else {}
    marked = bytearray(excess.left_of(left) if excess else left)
    gone = range(excess.first, excess.last + 1) if excess else range(0)
    for first, last in blocks.cut:
        missing: Sequence[int] = range(first + 1, last + 2)
        if 1 in pinned[first : last + 1] or (gone and first < gone.stop and last >= gone.start):
            missing = [p + 1 for p in range(first, last + 1) if not pinned[p] and p not in gone]
        if missing:
            marks[missing[0] - 1] = gap_row(missing)
            marked[missing[0] - 1] = 1
    return bytes(marked), marks

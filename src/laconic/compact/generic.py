"""The compactor for commands without a filter, and the views that can be asked for by name.

What has a known shape is shown in that shape. In doubt a line stays.
"""

from __future__ import annotations

from itertools import islice

from laconic.compact.diagnostics import find_certain, find_diagnostics
from laconic.compact.filter import (
    ANSWER_BUDGET,
    BUDGET,
    FAILURE_BUDGET,
    HEAD_SHARE,
    LISTING,
    LOGS,
    SUCCESS_BUDGET,
    SUMMARY,
    TEXT,
    WIDTH,
)
from laconic.compact.masks import both, mask_of, union, widened, without
from laconic.compact.notice import has_notice
from laconic.compact.patterns import Pattern
from laconic.compact.reports import may_be_shaped
from laconic.compact.result import (
    Compacted,
    Row,
    Written,
    texts_at,
    texts_of,
)
from laconic.compact.runs import repeated, row_of_equal
from laconic.compact.shapes.asked import Asked
from laconic.compact.shapes.document import document
from laconic.compact.shapes.passes import GENERIC, MOST_SHAPED, shaped
from laconic.compact.shapes.repeats import is_of_log, is_record_of_log
from laconic.compact.shapes.rows import raw_of
from laconic.compact.stages.blank import without_blanks
from laconic.compact.stages.clean import clean
from laconic.compact.stages.limit import (
    MOST_PINNED,
    clip_rows,
    ends_of,
    find_excess,
    fit,
    rows_between,
    with_marks,
)
from laconic.compact.tokens import estimate
from laconic.compact.worth import is_blank, is_cheaper
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.filter import Filter
    from laconic.compact.hits import Hits
    from laconic.compact.lines import Lines
    from laconic.compact.masks import Mask
    from laconic.compact.stages.limit import Excess

# The shapes of test reports, after the one that shortens long lines, and all others.
_OF_TESTS = ("values", *GENERIC[: GENERIC.index("packages") + 1])
_OF_OTHERS = tuple(name for name in GENERIC if name not in _OF_TESTS)
MOST_LINES, MOST_BYTES = 200, 16 * 1024
_LARGE_LOG, _SAMPLE = 4096, 400  # characters of a log that is counted, and lines that tell
_SMALL = 300  # characters: an output up to this size is read fastest as it is
_ENDS = 10  # lines at each end that stay as they are
_CONTEXT = 2
_SHARE = 0.5  # of the budget, for the beginning
_NEARLY = 1.25  # of its budget: an answer of that size is shown whole
_WARNING = Pattern(r"(?i)\bwarn(?:ing)?s?\b")
_HEADING = Pattern(r"^In \S+ line \d+:$")  # the place of findings, as shellcheck writes it
_BELOW = 6  # lines up to the last of several findings in one place
# Numbers of several things in a line, which is what a command has to say: `0 upgraded, 9 removed`.
_SUM = pattern(r"(?:[A-Z][\w ]{0,30}: )?\d[\d,.]* [a-z][\w ()+-]{0,40}, \d[\d,.]* [a-z]")
_MOST_SUMS = 10  # of them, and of warnings; where there are more, they are something else
_SUMMARY = Pattern(
    r"(?i)\b\d+ (?:tests?|passed|passing|failed|failing|skipped)\b|^Tests?:|^ok\b(?! \d)"
)


def compact_generic(
    lines: Lines,
    status: int = 1,
    most_lines: int = MOST_LINES,
    most_bytes: int = MOST_BYTES,
    *,
    row: Filter | None = None,
    hits: Hits | None = None,
) -> Compacted | None:
    """Show an output by the shapes that it has; collapse what repeats in a large one.

    A status that is not known is a failure: then every diagnostic stays. row: what the table of
    commands says of this one. hits: what it searched for, if that is what it does.
    """
    name, kind = (row.id, row.kind) if row else ("generic", SUMMARY)
    if lines.size <= _SMALL or has_notice(lines) or is_blank(lines):
        return None
    if _is_document(lines):
        told = document(lines) if status == 0 else None
        return _cheaper(name, lines, (list(told), Written())) if told else None
    cleaned = clean(lines, is_text=kind == TEXT)
    if name == LOGS and not _is_large_log(cleaned):
        return None
    pinned = find_diagnostics(cleaned)
    asked = Asked(status, pinned, hits, is_answer=kind in (LISTING, TEXT))
    shown = _shaped(cleaned, asked, kind) if may_be_shaped(cleaned) else None
    if shown is not None:
        # endless errors that have no shape are counted
        is_endless = status != 0 and find_excess(pinned, cleaned) is not None
        if not is_endless or estimate("\n".join(texts_of(*shown))) <= MOST_PINNED:
            return _cheaper(name, lines, shown)
    if len(lines) <= most_lines and lines.size <= most_bytes:
        return None
    if asked.is_answer and shown is not None:
        return _cheaper(name, lines, shown)
    return _cheaper(name, lines, _cut(cleaned, asked, kind))


def _shaped(cleaned: Lines, asked: Asked, kind: str = SUMMARY) -> tuple[list[Row], Written] | None:
    """What the shapes make of an output; None if it is large, and mostly not a report of tests."""
    every: list[Row] = list(range(len(cleaned)))
    texts = texts_at(every, cleaned)
    rows = shaped(_OF_TESTS, every, texts, asked)
    if sum(len(texts[row]) for row in raw_of(rows)) > MOST_SHAPED:
        return None
    rows = shaped(_OF_OTHERS, rows, texts, asked)
    rows = without_blanks(rows, texts, bytes(len(cleaned)))
    status, pinned = asked.status, asked.pinned
    usual = SUCCESS_BUDGET if kind == SUMMARY else ANSWER_BUDGET
    budget = asked.budget + (FAILURE_BUDGET if status else usual)

    def shorten(some: list[Row]) -> list[Row]:
        return clip_rows(some, texts, WIDTH, pinned)

    sums = [row for row in raw_of(rows) if _SUM.match(texts[row])]
    kept = mask_of(sums if len(sums) <= _MOST_SUMS else (), len(cleaned))
    certain = pinned if status else find_certain(cleaned, looks_up=False)
    kept = union(kept, few_warnings(rows, cleaned))
    kept = union(kept, mask_of(asked.rare, len(cleaned)))
    kept = kept if asked.is_answer and not status else union(kept, certain)
    share = HEAD_SHARE[kind] if asked.is_answer else _SHARE
    if asked.is_answer and estimate("\n".join(texts_of(rows, texts))) <= _NEARLY * budget:
        budget = 0
    return fit(rows, shorten, texts, budget, share, kept), texts


def few_warnings(rows: list[Row], cleaned: Lines) -> Mask:
    """The warnings among these rows, if they are few: they are shown rather than other lines."""
    warnings = _WARNING.mask(cleaned)
    found = [row for row in raw_of(rows) if warnings[row]]
    return mask_of(found if len(found) <= _MOST_SUMS else (), len(cleaned))


def _is_large_log(lines: Lines) -> bool:
    """Tell whether nobody reads all these lines, because they are many, and those of a log."""
    if lines.size < _LARGE_LOG:
        return False
    first = list(islice(filter(None, lines.texts), _SAMPLE))
    return sum(is_of_log(text) for text in first) >= _SHARE * len(first)


def _cut(cleaned: Lines, asked: Asked, kind: str) -> tuple[list[Row], Written]:
    """The ends of an output that is too large for shapes, and every pinned line between them.

    Of errors without end only these are shown.
    """
    share = HEAD_SHARE[kind] if asked.is_answer else _SHARE
    total, (head, tail) = len(cleaned), ends_of(BUDGET, share)
    ends = mask_of((*range(min(head, total)), *range(max(0, total - tail), total)), total)
    wanted = union(asked.pinned, ends)
    again = repeated(cleaned, wanted)
    excess = find_excess(asked.pinned, cleaned, again)
    wanted = wanted if excess is None else asked.pinned
    rows = _with_marks(cleaned, range(total), wanted, again, excess)
    budget = BUDGET if asked.is_answer or asked.status else SUCCESS_BUDGET
    return _fitting(rows, cleaned, asked.pinned, excess, budget, share)


def _is_document(lines: Lines) -> bool:
    """Tell whether an output looks like JSON, whose lines are of no use one by one.

    What node prints looks like it, but for the quotes; a log of records is read line by line.
    """
    first = next(filter(None, map(str.lstrip, lines.chunks)), "")
    last = next(filter(None, map(str.rstrip, reversed(lines.chunks))), "")
    is_of_node = first[1:].lstrip()[:1] == "'"
    if first[:1] + last[-1:] not in ("{}", "[]") or is_of_node:
        return False
    some = list(islice(filter(None, lines.texts), _SAMPLE))
    return sum(map(is_record_of_log, some)) < _SHARE * len(some)


def mistakes(lines: Lines, context: int = _CONTEXT) -> Compacted | None:
    """Errors and warnings, each with the lines around it."""
    cleaned = clean(lines)
    found = union(find_diagnostics(cleaned), _WARNING.mask(cleaned))
    found = union(found, _headings(cleaned, found))
    return _picked("err", lines, cleaned, widened(found, context), found)


def _headings(cleaned: Lines, found: Mask) -> Mask:
    """The lines that alone say the place of what was found below them."""
    return both(_HEADING.mask(cleaned), widened(found, _BELOW))


def failures(lines: Lines) -> Compacted | None:
    """Failures with the lines around them, and what sums up a test run."""
    cleaned, total = clean(lines), len(lines)
    found = find_diagnostics(cleaned)
    near = widened(found, _CONTEXT)
    last = mask_of(range(max(0, total - 3), total), total)
    wanted = union(union(near, last), _SUMMARY.mask(cleaned))
    return _picked("test", lines, cleaned, wanted, found)


def summary(lines: Lines) -> Compacted | None:
    """The beginning, the end, and every diagnostic between them."""
    cleaned, total = clean(lines), len(lines)
    found = union(find_diagnostics(cleaned), _WARNING.mask(cleaned))
    found = union(found, _headings(cleaned, found))
    ends = mask_of((*range(min(5, total)), *range(max(0, total - _ENDS), total)), total)
    return _picked("summary", lines, cleaned, union(ends, found), found)


def _picked(
    name: str, lines: Lines, cleaned: Lines, wanted: Mask, pinned: Mask
) -> Compacted | None:
    if has_notice(lines) or is_blank(lines):
        return None
    again = repeated(cleaned, pinned)
    excess = find_excess(pinned, cleaned, again)
    rows = _with_marks(cleaned, range(len(lines)), wanted, again, excess)
    return _cheaper(name, lines, _fitting(rows, cleaned, pinned, excess))


def _fitting(
    rows: list[Row],
    cleaned: Lines,
    pinned: Mask,
    excess: Excess | None,
    budget: int = BUDGET,
    share: float = _SHARE,
) -> tuple[list[Row], Written]:
    """The rows that fit into the budget, and the texts of them."""
    kept = excess.left_of(pinned) if excess else pinned
    texts = texts_at(rows, cleaned)

    def shorten(some: list[Row]) -> list[Row]:
        return clip_rows(some, texts, WIDTH, kept)

    return fit(rows, shorten, texts, budget, share, kept), texts


def _cheaper(name: str, lines: Lines, shown: tuple[list[Row], Written]) -> Compacted | None:
    compacted = Compacted(name, lines, *shown)
    return compacted if is_cheaper(compacted) else None


def _with_marks(
    cleaned: Lines, part: range, wanted: Mask, again: Mask, excess: Excess | None
) -> list[Row]:
    """The wanted rows of a part and marks for the others.

    again: wanted lines that are equal to the one before, with which they are one row.
    """
    left = without(b"\1" * len(cleaned), again)
    wanted = without(wanted, again)
    if excess is not None:
        left, wanted = excess.left_of(left), excess.left_of(wanted)
    rows = rows_between(left, {}, part, wanted)
    follows = again[1:] + b"\0"
    repeating = [row for row in rows if isinstance(row, int) and follows[row]]
    runs = [range(row, follows.find(0, row) + 1) for row in repeating]
    marks = {run.start: row_of_equal(run, cleaned) for run in runs}
    if excess is not None:
        marks[excess.first] = excess.mark
    return with_marks(rows, marks)

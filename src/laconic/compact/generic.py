"""The compactor for commands without a filter, and the views that can be asked for by name.

Only large output is touched. Errs towards showing: diagnostics and the two ends always stay.
"""

from __future__ import annotations

from itertools import compress, count
from operator import ne

from laconic.compact.diagnostics import find_diagnostics
from laconic.compact.filter import BUDGET, WIDTH
from laconic.compact.notice import has_notice
from laconic.compact.patterns import Pattern
from laconic.compact.pipeline import is_cheaper
from laconic.compact.result import Compacted, Row, Shown, shortened
from laconic.compact.stages.clean import clean
from laconic.compact.stages.dedupe import dedupe
from laconic.compact.stages.limit import clip, fit, gap_row, with_gaps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.lines import Lines

MOST_LINES, MOST_BYTES = 200, 16 * 1024
_ENDS = 10  # lines at each end that stay as they are
_RUN = 6  # similar neighbours from which on only the first and the last are shown
_CONTEXT = 2
_VARYING = b"0123456789abcdefABCDEF"
_WARNING = Pattern(r"(?i)\bwarn(?:ing)?s?\b")
_SUMMARY = Pattern(
    r"(?i)\b\d+ (?:tests?|passed|passing|failed|failing|skipped|ok)\b|^Tests?:|^ok\b"
)


def compact_generic(
    lines: Lines, most_lines: int = MOST_LINES, most_bytes: int = MOST_BYTES
) -> Compacted | None:
    """Collapse what repeats in a large output; None for an output that is not large."""
    if (len(lines) <= most_lines and len(lines.text) <= most_bytes) or _is_document(lines.text):
        return None
    cleaned = clean(lines)
    pinned = find_diagnostics(cleaned)
    rows = _collapsed(dedupe(list(range(len(lines))), cleaned.texts), cleaned, pinned)
    return _finished("generic", lines, cleaned, rows, pinned)


def _is_document(text: str) -> bool:
    """Tell whether it looks like JSON: a part of it would be of no use."""
    inner = text.strip()
    return inner[:1] + inner[-1:] in ("{}", "[]")


def mistakes(lines: Lines, context: int = _CONTEXT) -> Compacted | None:
    """Errors and warnings, each with the lines around it."""
    cleaned = clean(lines)
    found = find_diagnostics(cleaned).union(_WARNING.hits(cleaned))
    near = {p for pos in found for p in range(pos - context, pos + context + 1)}
    return _picked("err", lines, cleaned, near, found)


def failures(status: int, lines: Lines) -> Compacted | None:
    """Failures with the lines around them, and what sums up a test run."""
    cleaned = clean(lines)
    found = find_diagnostics(cleaned) if status else set()
    near = {p for pos in found for p in range(pos - _CONTEXT, pos + _CONTEXT + 1)}
    last = range(max(0, len(lines) - 3), len(lines))
    near.update(last, _SUMMARY.hits(cleaned))
    return _picked("test", lines, cleaned, near, found)


def summary(lines: Lines) -> Compacted | None:
    """The beginning, the end, and every diagnostic between them."""
    cleaned = clean(lines)
    found = find_diagnostics(cleaned).union(_WARNING.hits(cleaned))
    total = len(lines)
    ends = {*range(min(5, total)), *range(max(0, total - _ENDS), total)}
    return _picked("summary", lines, cleaned, ends | found, found)


def _picked(
    name: str, lines: Lines, cleaned: Lines, wanted: set[int], pinned: set[int]
) -> Compacted | None:
    rows: list[Row] = list(range(len(lines)))
    return _finished(name, lines, cleaned, with_gaps(rows, wanted), pinned)


def _finished(
    name: str, lines: Lines, cleaned: Lines, rows: list[Row], pinned: set[int]
) -> Compacted | None:
    if has_notice(lines.text) or not lines.text.strip():
        return None
    texts = cleaned.texts

    def clipped(row: Row) -> Row:
        if isinstance(row, Shown) or row in pinned:
            return row
        return shortened(row, texts[row], clip(texts[row], WIDTH))

    rows = fit(rows, clipped, texts, BUDGET, 0.5, pinned)
    compacted = Compacted(name, lines, rows, cleaned.texts)
    return compacted if is_cheaper(compacted) else None


def _collapsed(rows: list[Row], cleaned: Lines, pinned: set[int]) -> list[Row]:
    """Of a run of lines with the same shape the first and the last stay."""
    shapes = _shapes(cleaned)
    for pos in (*pinned, *range(_ENDS), *range(-_ENDS, 0)):
        if -len(shapes) <= pos < len(shapes):
            shapes[pos] = b""
    found = [shapes[row] if isinstance(row, int) else b"" for row in rows]
    kept: list[Row] = []
    start = 0
    for end in (*compress(count(1), map(ne, found, found[1:])), len(rows)):
        first, last = rows[start], rows[end - 1]
        is_long = end - start >= _RUN and found[start] != b""
        if is_long and isinstance(first, int) and isinstance(last, int):
            kept += [first, gap_row(range(first + 2, last + 1)), last]
        else:
            kept += rows[start:end]
        start = end
    return kept


def _shapes(lines: Lines) -> list[bytes]:
    """Each line without what differs between lines of one kind; an empty shape is like no other.

    Numbers and hexadecimal digits go from all lines at once, which is a hundred times faster than
    to look for them; a line with a path is known by its first word and the number of its words.
    """
    raw = lines.text.encode("utf-8", "surrogateescape")
    shapes = raw.translate(None, _VARYING).split(b"\n")
    for pos, text in enumerate(lines.texts if "/" in lines.text else ()):
        if "/" in text:
            words = text.split(None, 1)
            if len(words) > 1 and "/" not in words[0]:
                shapes[pos] = b"%s %d" % (words[0].encode("utf-8", "replace"), text.count(" "))
    return shapes

"""A command that fails again: what is shown of it, to whoever has read the run before.

What was shown of the run before is not shown again, block by block; times and addresses do not
count. What sums the run up always stays, and a block that is no longer there is named.
"""

from __future__ import annotations

from collections import Counter

from laconic.compact.result import RAW, Compacted, Row
from laconic.compact.tokens import estimate
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from laconic.compact.result import Shown

# A line that belongs to the one above it: an excerpt, a message of a test, a line of a diff.
_GOES_ON = pattern(r"(?:\s|E\b|>|\||\+(?!\+\+)|-(?!--)|-->|~|\^|at |\.\.\.|\[|\d+ [|│]|$).*")
_SUM = pattern(
    r"(?i).*(?<![:.\d])\d+ (?:previous )?"
    r"(?:tests?|passed|passing|failed|failing|errors?|failures?|problems?)\b.*"
)
_CHANGING = pattern(
    r"(?m)^\[\.\.\. \d+ .*\]$|\b\d+(?:\.\d+)? ?(?:[mµun]?s|secs?|seconds?|min|minutes?)\b"
    r"|\b\d\d?:\d\d:\d\d(?:[.,]\d+)?\b|\b\d{4}-\d\d-\d\d\b|\b0x[0-9a-f]{4,}\b"
    r"|(?<=@ )\d{9,}\b|(?<=\.\.\.)\d{6,}(?=>)|(?<=/)pytest-\d+\b|(?<=/)tmp[\w.]{6,}"
)
_NAMING = pattern(r"\w\w")
_MOST_SUMS, _MOST_GONE = 3, 3
_WIDTH = 120
_WORTH = 0.5  # of what would be shown, so that it pays to look the rest up
_FEWEST_TOKENS = 60


def without_known(
    now: Compacted, before: Sequence[str], was_streamed: Callable[[Shown], bool]
) -> Compacted:
    """The same result without what was shown before; all of it where too much differs.

    before: the lines that were shown of the run before. was_streamed: of this one, while it ran.
    """
    texts = [row.text for row in now.shown]
    known = Counter(_blocks(before).values())
    wanted: set[int] = set()
    for rows, block in _blocks(texts).items():
        if known[block]:
            known[block] -= 1
        else:
            wanted.update(rows)
    told = [pos for pos, text in enumerate(texts) if text.strip()]
    sums = [pos for pos in told if _SUM.fullmatch(texts[pos])][-_MOST_SUMS:]
    streamed = {pos for pos, row in enumerate(now.shown) if was_streamed(row)}
    shown = sorted({*wanted, *sums, *told[-1:], *streamed})
    found = _with_rows(now, shown)
    heads = {head for block in _blocks(texts).values() for head in block.split("\n", 1)[:1]}
    left = (block.partition("\n")[0] for block in known.elements())
    gone = [h for h in left if _NAMING.search(h) and h not in heads and not _SUM.fullmatch(h)]
    is_all = not wanted - streamed - {*sums}
    found.again = "as in the run before" if is_all else "else as in the run before"
    found.gone = [_named(gone)] if gone else []
    cost, all_of_it = (estimate("\n".join(some)) for some in ([texts[p] for p in shown], texts))
    is_worth_it = cost <= _WORTH * all_of_it and all_of_it - cost >= _FEWEST_TOKENS
    return found if is_worth_it else now


def _blocks(texts: Sequence[str]) -> dict[tuple[int, ...], str]:
    """The text of each block, without what changes from run to run, by its lines."""
    starts = [pos for pos, text in enumerate(texts) if pos == 0 or not _GOES_ON.fullmatch(text)]
    ends = [*starts[1:], len(texts)]
    return {
        tuple(range(start, end)): _CHANGING.sub("*", "\n".join(texts[start:end])).rstrip()
        for start, end in zip(starts, ends, strict=True)
    }


def _with_rows(compacted: Compacted, wanted: Sequence[int]) -> Compacted:
    rows: list[Row] = []
    texts = list(compacted.lines.texts)
    for row in map(compacted.shown.__getitem__, wanted):
        rows.append(row.numbers[0] - 1 if row.kind == RAW else row)
        if row.kind == RAW:
            texts[row.numbers[0] - 1] = row.text
    return Compacted(compacted.filter, compacted.lines, rows, texts)


def _named(gone: Sequence[str]) -> str:
    heads = [head if len(head) <= _WIDTH else f"{head[:_WIDTH]}…" for head in gone[:_MOST_GONE]]
    more = f"; and {len(gone) - _MOST_GONE} more" if len(gone) > _MOST_GONE else ""
    return f"[no longer there: {'; '.join(heads)}{more}]"

"""Blocks that say the same but for some words: told once, the others by their head and those words.

A block is what stands between blank lines, or an indented part with the line above it. None of it
depends on a tool: failures of one cause, the same change in several files, resources of one kind.
"""

from __future__ import annotations

from itertools import groupby, pairwise

from laconic.compact.filter import FAILURE_BUDGET
from laconic.compact.result import MADE, RAW, SHORT, WHOLE, Shown, numbers_of
from laconic.compact.shapes.repeats import kind_of, values_of
from laconic.compact.shapes.rows import indent_of, made, text_of
from laconic.compact.tokens import estimate
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from laconic.compact.masks import Mask
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_WORD = pattern(r"\w[\w:./@-]*\w|\s+|.")
_FEWEST_LINES, _LONGEST = 2, 200  # lines of a block
_SHORTEST = 24  # tokens that are said once instead of twice
_FEWEST_COMMON = 4  # lines of a block of which some are told by another
_MOST_WORDS, _SHARE = 6, 0.4  # words that differ, and what telling them may cost of the block
_FEWEST_HEADS = 3  # of neighbouring copies that are told in one line
_MOST_MODELS = 8  # blocks of one form that others are compared with
_CERTAIN = {RAW: 0, WHOLE: 0, SHORT: 1, MADE: 2}  # what a line that stands for several is at most


class Models:
    """The blocks that were told, by the number of words in each line: others may be like them.

    pinned: of a failure, the lines that say what is wrong. If one of these differs, or another in
    what the head does not say, the block is told whole: what it is like may be hidden later, as a
    part of more than there is room for. Elsewhere the words that differ are told.
    """

    __slots__ = ("_known", "_pinned", "_said", "_texts")

    def __init__(self, texts: Texts, pinned: Mask | None = None) -> None:
        self._texts, self._pinned = texts, pinned
        self._known: dict[tuple[int, ...], list[list[list[str]]]] = {}
        self._said: dict[tuple[int, str], list[list[str]]] = {}

    def told(self, rows: list[Row]) -> list[Row]:
        """A block as it is, or its head and what differs if it is like one before it."""
        if not _FEWEST_LINES <= len(rows) <= _LONGEST:
            return rows
        words = [_WORD.findall(text_of(row, self._texts).rstrip()) for row in rows]
        models = self._known.setdefault(tuple(map(len, words)), [])
        for model in models:
            if copy := self._copy(rows, words, model):
                return copy
        if len(models) < _MOST_MODELS:
            models.append(words)
        return rows

    def _copy(
        self, rows: list[Row], words: list[list[str]], model: list[list[str]]
    ) -> list[Row] | None:
        """The head of a block with what differs from one before it, if that is little."""
        pairs: dict[str, str] = {}
        for own, other in zip(words, model, strict=True):
            for new, old in zip(own, other, strict=True):
                if pairs.setdefault(old, new) != new:
                    return None
        new_words = {old: new for old, new in pairs.items() if old != new}
        if len(new_words) > _MOST_WORDS or any(old.isspace() for old in new_words):
            return None
        in_head = set(words[0])
        told = {old: new for old, new in new_words.items() if new not in in_head}
        if self._pinned is not None:
            lines = zip(rows[1:], words[1:], strict=True)
            if any(self._differs(row, own, told, new_words) for row, own in lines):
                return None
        differs = ", ".join(f"{new} for {old}" for old, new in told.items())
        note = f"[as above, with {differs}]" if told else "[as above]"
        saved = _cost(rows[1:], self._texts)
        if saved < _SHORTEST or estimate(note) > _SHARE * saved:
            return None
        numbers = sorted({n for row in rows for n in numbers_of(row)})
        head = f"{text_of(rows[0], self._texts).rstrip()} {note}"
        return [Shown(_kind_of(rows), head, numbers)]

    def without_common(self, rows: list[Row]) -> list[Row]:
        """A block without the lines that one before it has, too, where that is much.

        The other block has as many lines, and begins with the same word.
        """
        said = [text_of(row, self._texts).strip() for row in rows]
        word = said[0].partition(" ")[0]
        if len(rows) < _FEWEST_COMMON or not word:
            return rows
        before = self._said.setdefault((len(rows), word), [])
        common = {n for n, text in enumerate(said) if n and any(text == o[n] for o in before)}
        common = {n for n in common if isinstance(rows[n], int) and not self._is_pinned(rows[n])}
        before.append(said)
        gone = [rows[n] for n in sorted(common)]
        if _cost(gone, self._texts) < _SHORTEST or len(before) > _MOST_MODELS:
            return rows
        indexes = sorted({n - 1 for row in gone for n in numbers_of(row)})
        mark = made(f"[{len(gone)} lines as in the block above]", indexes)
        return [*(row for n, row in enumerate(rows) if n not in common), mark]

    def _is_pinned(self, row: Row) -> bool:
        pinned = self._pinned or b""
        return bool(pinned) and any(pinned[n - 1] for n in numbers_of(row))

    def _differs(
        self, row: Row, own: list[str], told: dict[str, str], new_words: dict[str, str]
    ) -> bool:
        return not set((new_words if self._is_pinned(row) else told).values()).isdisjoint(own)


def blocks(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Tell blocks once that are alike, and what differs in the others beside their heads."""
    if asked.is_answer:
        return rows
    models = Models(texts, asked.pinned if asked.status else None)
    is_small = _cost(rows, texts) <= FAILURE_BUDGET  # so that nothing of it is hidden later
    found: list[Row] = []
    heads: list[Row] = []  # of neighbouring copies, and what is blank between them
    for part in _parts(rows, texts):
        told = models.told(part)
        if told is not part or (heads and not text_of(part[0], texts).strip()):
            heads += told
            continue
        found += [*_together(heads, texts), *(models.without_common(part) if is_small else part)]
        heads = []
    return [*found, *_together(heads, texts)]


def _together(heads: list[Row], texts: Texts) -> list[Row]:
    """Neighbouring copies in one line, if what differs between them can be told."""
    copies = [row for row in heads if text_of(row, texts).strip()]
    said = [text_of(row, texts) for row in copies]
    if len(copies) < _FEWEST_HEADS or len({kind_of(text) for text in said}) > 1:
        return heads
    values = values_of(list(range(len(said))), said)
    if not values:
        return heads
    numbers = sorted({n for row in copies for n in numbers_of(row)})
    rest = heads[heads.index(copies[-1]) + 1 :]
    more = f"{said[0]} [and {len(said) - 1} like it: {values}]"
    return [Shown(_kind_of(copies), more, numbers), *rest]


def _cost(rows: list[Row], texts: Texts) -> int:
    return estimate("\n".join(text_of(row, texts) for row in rows))


def _parts(rows: list[Row], texts: Texts) -> Iterator[list[Row]]:
    """The rows in blocks; blank ones stand alone."""
    for is_blank, group in groupby(rows, lambda row: not text_of(row, texts).strip()):
        some = list(group)
        if is_blank:
            yield from ([row] for row in some)
            continue
        indents = [indent_of(text_of(row, texts)) for row in some]
        starts = [n for n, (a, b) in enumerate(pairwise(indents), 1) if not b and a]
        for start, stop in pairwise([0, *starts, len(some)]):
            yield some[start:stop]


def _kind_of(rows: Iterable[Row]) -> str:
    """The kind of a row that stands for all of these."""
    kinds = (RAW if isinstance(row, int) else row.kind for row in rows)
    return max(kinds, key=lambda kind: _CERTAIN.get(kind, 2)).replace(RAW, WHOLE)

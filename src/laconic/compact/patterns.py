"""Searches many lines for regular expressions, as fast as plain `re` can.

A pattern is written for one line, and means what it means there. It is searched for in chunks of
many lines, which are split where it matches: so a line that does not match costs no step of Python.
"""

from __future__ import annotations

import re
from functools import cached_property, reduce
from itertools import chain, compress, count, cycle, repeat, starmap
from operator import mul, ne

from laconic.compact.bound import check
from laconic.compact.lines import Lines, decoded_lines, split_chunk, split_indexes
from laconic.compact.masks import indexes, mask_of, union
from laconic.compact.multiline import (
    FLAG,
    across_lines,
    alternatives,
    blind_to_digits,
    is_anchored,
    without_captures,
)
from laconic.patterns import compile_written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any, TypeVar

    from laconic.compact.masks import Mask

    Groups = tuple[str | None, ...]
    Columns = list[list[str | None]]
    T = TypeVar("T")


class Pattern:
    """One pattern, compiled when it is first used."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._searched = 0

    @cached_property
    def is_anchored(self) -> bool:
        return is_anchored(self.source)

    @cached_property
    def _is_blind(self) -> bool:
        return blind_to_digits(self.source) == self.source

    @cached_property
    def _blind(self) -> Pattern | None:
        """What matches in all lines that match, and takes every digit for any other."""
        source = blind_to_digits(self.source)
        return None if source is None else Pattern(source)

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        return compile_written(self.source)

    @cached_property
    def search(self) -> Callable[[str], re.Match[str] | None]:
        """Looks at one line."""
        # search() would try every position of the line again
        return self.compiled.match if self.is_anchored else self.compiled.search

    def mask(self, lines: Lines) -> Mask:
        """The lines that match."""
        if len(lines.chunks) <= _FEW_CHUNKS or (self._plain_text and not lines.has_numbers):
            return self._mask(lines)
        if self._is_blind:
            if lines.all_numbers:
                return lines.kinds.answers(self._mask_of_kinds, lines.all_numbers)
            places = _timed(range(len(lines.chunks)))
            return b"".join([self._mask_by_kinds(lines, number) for number in places])
        if self._blind is None:
            return self._mask(lines)
        perhaps = self._blind.mask(lines)
        if perhaps.count(1) > len(perhaps) // _SPARSE:
            return self._mask(lines)
        texts = lines.at(indexes(perhaps))
        return mask_of(compress(texts, self._mask(Lines(texts.values()))), len(perhaps))

    def search_all(self, lines: Lines) -> Mask:
        """The same without the kinds of lines: faster for one or two patterns."""
        return self._mask(lines)

    def _mask_by_kinds(self, lines: Lines, number: int) -> Mask:
        """The lines of a chunk that match, by what is known of their kinds."""
        numbers = lines.numbers(number)
        if numbers is None:
            return self._mask_in([(lines.chunks[number], lines.counts[number])])
        return lines.kinds.answers(self._mask_of_kinds, numbers)

    @cached_property
    def _mask_of_kinds(self) -> Callable[[list[bytes]], Mask]:
        return lambda texts: self._mask(decoded_lines(texts))

    def _mask(self, lines: Lines) -> Mask:
        return self._mask_in(list(zip(lines.chunks, lines.counts, strict=True)))

    def _mask_in(self, chunks: list[tuple[str, int]]) -> Mask:
        """The same for chunks, each with the number of its lines."""
        if self._over_lines is None:
            texts = chain.from_iterable(split_chunk(chunk) for chunk, _ in chunks)
            return bytes(map(bool, map(self.search, _timed(texts))))
        # compiling the pattern for runs takes longer than searching a few chunks without it
        self._searched += len(chunks)
        is_worth_it = self.is_anchored and self._searched > _FEW_CHUNKS
        search = self._mask_by_runs if is_worth_it else self._mask_of
        search = self._mask_of_plain if self._plain_text else search
        of_empty = b"\1" if self.search("") else b"\0"
        # a chunk of newlines alone mostly has lines that are cut: Excess.hollowed()
        return b"".join([of_empty * n if len(c) == n else search(c, n) for c, n in _timed(chunks)])

    def hits(self, lines: Lines) -> list[int]:
        """The indexes of the lines that match, in order."""
        return indexes(self.mask(lines))

    def captures(self, lines: Lines) -> Iterator[tuple[int, Groups]]:
        """The indexes of the lines that match, with what the groups captured there."""
        return chain.from_iterable(
            zip(found, rows_of(columns, len(found)), strict=True)
            for found, columns in self.captured(lines)
        )

    def captured(self, lines: Lines) -> Iterator[tuple[Sequence[int], Columns]]:
        """The same chunk by chunk, each group's values in a list of its own.

        For callers that cannot afford Python code for each line.
        """
        if self._over_lines is None:
            matches = ((pos, self.search(text)) for pos, text in enumerate(_timed(lines.texts)))
            found = [(pos, match.groups()) for pos, match in matches if match]
            columns = list(map(list, zip(*(groups for _, groups in found), strict=True)))
            return iter([([pos for pos, _ in found], columns)] if found else [])
        places = _timed(zip(lines.chunks, lines.counts, lines.firsts, strict=True))
        return filter(None, starmap(self._captured_in, places))

    def perhaps(self, lines: Lines) -> Mask:
        """The lines that match, and perhaps others, as far as kinds of lines tell it."""
        return b"\1" * len(lines) if self._blind is None else self._blind.mask(lines)

    def last(self, lines: Lines) -> Groups | None:
        """What the groups captured in the last line that matches, None without one."""
        if self._over_lines is None:
            found = [groups for _, groups in self.captures(lines)]
            return found[-1] if found else None
        pairs = zip(reversed(lines.chunks), reversed(lines.counts), strict=True)
        for chunk, total in _timed(pairs):
            captured = self._captured_in(chunk, total)
            if captured:
                return tuple(column[-1] for column in captured[1])
        return None

    def _captured_in(
        self, chunk: str, total: int, first: int = 0
    ) -> tuple[Sequence[int], Columns] | None:
        pieces, starts, *columns = self._split(first, chunk)
        matches = len(pieces) - 1
        if matches == 0:
            return None
        if self.is_anchored and matches == total:
            return range(first, first + total), columns
        found = list(split_indexes(pieces, starts))
        return (found, columns) if self.is_anchored else _first_of_each(found, columns)

    def _split(self, first: int, chunk: str) -> tuple[Any, ...]:
        """What is between the matches, what to count their lines from, and each group's values."""
        assert self._over_lines is not None
        step = self.compiled.groups + 1
        pieces = self._over_lines.split(chunk if self.is_anchored else chunk[1:])
        # the newline that an anchored match begins with is in none of the pieces
        starts = count(first) if self.is_anchored else repeat(first)
        return pieces[::step], starts, *(pieces[group::step] for group in range(1, step))

    def values(self, groups: Groups) -> dict[str, str]:
        """What was captured, by number and by name."""
        numbered = {str(number): value or "" for number, value in enumerate(groups, 1)}
        names = self.compiled.groupindex.items()
        return {**numbered, **{name: groups[number - 1] or "" for name, number in names}}

    @cached_property
    def _over_lines(self) -> re.Pattern[str] | None:
        """The pattern for many lines; None where they must be looked at one by one."""
        source = self._source_over_lines
        if source is None:
            return None
        whole = rf"\n(?:{source})" if self.is_anchored else rf"(?:{source})[^\n]*"
        return compile_written(whole, re.MULTILINE)

    @cached_property
    def _source_over_lines(self) -> str | None:
        is_single = self.is_anchored and len(alternatives(self.source)) == 1
        return across_lines(self.source.replace("^", "", 1) if is_single else self.source)

    @cached_property
    def _runs(self) -> re.Pattern[str]:
        """All neighbouring lines that match from their start, as the only group."""
        assert self._source_over_lines is not None
        line = rf"\n(?:{without_captures(self._source_over_lines)})[^\n]*"
        return compile_written(rf"({line}(?:{line})*)", re.MULTILINE)

    @cached_property
    def _plain_text(self) -> str:
        """What is in every line that matches: all of a pattern without signs, else nothing."""
        text = self.source.removeprefix("^").removesuffix("$")
        return text if re.escape(text).replace("\\ ", " ") == text else ""

    def _mask_of_plain(self, chunk: str, total: int) -> Mask:
        """The lines that have a text without signs, which is found several times faster."""
        if self._plain_text not in chunk:
            return bytes(total)
        is_at_end = self.source.endswith("$")
        if not self.is_anchored:
            pieces = f"{chunk}\n".split(self._plain_text + "\n" * is_at_end)
            return mask_of(split_indexes(pieces, count(-1, is_at_end)), total)
        pieces = chunk.split(f"\n{self._plain_text}")
        found = split_indexes(pieces, count())
        if is_at_end:
            found = compress(found, [not piece or piece[0] == "\n" for piece in pieces[1:]])
        return mask_of(found, total)

    def _mask_by_runs(self, chunk: str, total: int) -> Mask:
        pieces = self._runs.split(chunk)
        if len(pieces) == 1:
            return bytes(total)
        # what is between two runs, and a run, by turns
        return b"".join(map(mul, cycle(_NO_YES), map(str.count, pieces, repeat("\n"))))

    def _mask_of(self, chunk: str, total: int) -> Mask:
        pieces, starts, *_ = self._split(0, chunk)
        return mask_of(split_indexes(pieces, starts), total) if len(pieces) > 1 else bytes(total)


def _timed(pieces: Iterable[T]) -> Iterator[T]:
    """The same, as long as there is time."""
    for piece in pieces:
        check()
        yield piece


_FEW_CHUNKS = 4
_SPARSE = 4
_NO_YES = (b"\0", b"\1")


def rows_of(columns: Columns, count: int) -> Iterator[Groups]:
    """The values of all groups, match by match; of so many matches."""
    return zip(*columns, strict=True) if columns else repeat((), count)


def _first_of_each(found: list[int], columns: Columns) -> tuple[list[int], Columns]:
    """Leave out empty matches that may follow on the same line."""
    is_first = list(map(ne, found, [-1, *found]))
    return list(compress(found, is_first)), [list(compress(c, is_first)) for c in columns]


class Patterns:
    """Searches for any of several patterns; empty sets match nothing."""

    def __init__(self, sources: Iterable[str]) -> None:
        self.sources = tuple(sources)

    def __bool__(self) -> bool:
        return bool(self.sources)

    @cached_property
    def _parts(self) -> list[Pattern]:
        """Few patterns that find the same: one for all that can only match at the start.

        Those that name a digit are apart from the others, which kinds of lines tell of.
        """
        every = [p for source in self.sources for p in alternatives(without_captures(source))]
        joined = [p for p in every if is_anchored(p) and across_lines(p) is not None]
        blind = [p for p in joined if blind_to_digits(p) == p]
        rest = [p for p in every if p not in joined]
        parts = (blind, [p for p in joined if p not in blind])
        return [*map(Pattern, chain.from_iterable(map(_joined, parts))), *map(Pattern, rest)]

    def matches(self, text: str) -> bool:
        return any(part.search(text) for part in self._parts)

    def mask(self, lines: Lines) -> Mask:
        """The lines that match."""
        return reduce(union, (part.mask(lines) for part in self._parts), bytes(len(lines)))

    def hits(self, lines: Lines) -> list[int]:
        """The indexes of the lines that match, in order."""
        return indexes(self.mask(lines))


def _joined(sources: list[str]) -> list[str]:
    return [f"^(?:{'|'.join(map(_body, sources))})"] if len(sources) > 1 else sources


def _body(source: str) -> str:
    """What follows the `^` of a pattern, as one of several alternatives."""
    if source.startswith(FLAG):
        return f"(?i:{source.removeprefix(FLAG)[1:]})"
    return f"(?:{source[1:]})"

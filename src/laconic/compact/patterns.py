"""Regular expressions over many lines, as fast as plain `re` goes.

A pattern is written for one line, and means what it means there. It is searched for in chunks of
many lines, which are split where it matches: so a line that does not match costs no step of Python.
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import chain, compress, count, repeat

from laconic.compact.lines import split_indexes
from laconic.compact.multiline import (
    FLAG,
    across_lines,
    alternatives,
    is_anchored,
    without_captures,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from laconic.compact.lines import Lines

    Groups = tuple[str | None, ...]


class Pattern:
    """One pattern, compiled when it is first used."""

    def __init__(self, source: str) -> None:
        self.source = source

    @cached_property
    def is_anchored(self) -> bool:
        return is_anchored(self.source)

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        return re.compile(self.source)

    @cached_property
    def search(self) -> Callable[[str], re.Match[str] | None]:
        """Looks at one line."""
        # search() would try every position of the line again
        return self.compiled.match if self.is_anchored else self.compiled.search

    def hits(self, lines: Lines) -> list[int]:
        """The indexes of the lines that match, in order."""
        if self._over_lines is None:
            return list(compress(count(), map(self.search, lines.texts)))
        step = self.compiled.groups + 1
        found: list[int] = []
        for starts, pieces in self._split(lines):
            found += split_indexes(pieces[::step], starts)
        return found if self.is_anchored else sorted(set(found))

    def captures(self, lines: Lines) -> Iterator[tuple[int, Groups]]:
        """The indexes of the lines that match, with what the groups captured there."""
        if self._over_lines is None:
            found = ((pos, self.search(text)) for pos, text in enumerate(lines.texts))
            return ((pos, match.groups()) for pos, match in found if match)
        captured = chain.from_iterable(self._captures_of_chunks(lines))
        return captured if self.is_anchored else _first_of_each(captured)

    def _captures_of_chunks(self, lines: Lines) -> Iterator[Iterable[tuple[int, Groups]]]:
        step = self.compiled.groups + 1
        for starts, pieces in self._split(lines):
            columns = [pieces[group::step] for group in range(1, step)]
            groups: Iterable[Groups] = zip(*columns, strict=True) if columns else repeat(())
            yield zip(split_indexes(pieces[::step], starts), groups, strict=False)

    def values(self, groups: Groups) -> dict[str, str]:
        """What was captured, by number and by name."""
        numbered = {str(number): value or "" for number, value in enumerate(groups, 1)}
        names = self.compiled.groupindex.items()
        return {**numbered, **{name: groups[number - 1] or "" for name, number in names}}

    @cached_property
    def _over_lines(self) -> re.Pattern[str] | None:
        """The pattern for many lines; None where they must be looked at one by one."""
        is_single = self.is_anchored and len(alternatives(self.source)) == 1
        plain = self.source.replace("^", "", 1) if is_single else self.source
        source = across_lines(plain)
        if source is None:
            return None
        whole = rf"\n(?:{source})" if self.is_anchored else rf"(?:{source})[^\n]*"
        return re.compile(whole, re.MULTILINE)

    def _split(self, lines: Lines) -> Iterator[tuple[Iterable[int], list[Any]]]:
        """Each chunk with a match, as what is between the matches, and what to count from."""
        assert self._over_lines is not None
        split = self._over_lines.split
        for first, chunk in lines.chunks():
            pieces = split(chunk if self.is_anchored else chunk[1:])
            if len(pieces) > 1:
                # the newline that an anchored match begins with is in none of the pieces
                yield count(first) if self.is_anchored else repeat(first), pieces


def _first_of_each(captured: Iterable[tuple[int, Groups]]) -> Iterator[tuple[int, Groups]]:
    """Without the matches of nothing that may follow on the same line."""
    before = -1
    for pos, groups in captured:
        if pos != before:
            yield pos, groups
        before = pos


class Patterns:
    """Searches for any of several patterns; empty sets match nothing."""

    def __init__(self, sources: Iterable[str]) -> None:
        self.sources = tuple(sources)

    def __bool__(self) -> bool:
        return bool(self.sources)

    @cached_property
    def _parts(self) -> list[Pattern]:
        """Few patterns that find the same: one for all that can only match at the start."""
        every = [p for source in self.sources for p in alternatives(without_captures(source))]
        joined = [p for p in every if is_anchored(p) and across_lines(p) is not None]
        rest = [p for p in every if p not in joined]
        whole = f"^(?:{'|'.join(map(_body, joined))})"
        return [*([Pattern(whole)] if joined else []), *map(Pattern, rest)]

    def matches(self, text: str) -> bool:
        return any(part.search(text) for part in self._parts)

    def hits(self, lines: Lines) -> list[int]:
        """The indexes of the lines that match, in order."""
        found = [part.hits(lines) for part in self._parts]
        if len(found) == 1:
            return found[0]
        return sorted({pos for hits in found for pos in hits})


def _body(source: str) -> str:
    """What follows the `^` of a pattern, as one of several alternatives."""
    if source.startswith(FLAG):
        return f"(?i:{source.removeprefix(FLAG)[1:]})"
    return f"(?:{source[1:]})"

"""Sets of regular expressions over many lines, as fast as plain `re` goes.

A set is one expression of alternatives. Where each of its patterns begins with plain letters, the
whole text is searched for these first: most sets of a filter end there.
"""

from __future__ import annotations

import re
from itertools import compress, count, islice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from laconic.compact.lines import Lines

_STEP = 4096  # lines between two chances for a signal to end a run that takes too long
_PLAIN = re.compile(r"(?:[\w :;,\"'/<>=@%&~`!-]|\\[][.*+?(){}|^$\\/-])+")
_QUANTIFIER = frozenset("?*{")
_MOST_NEEDLES = 4
_RARE = 10  # a text is rare when fewer than one in so many lines has it
_FLAG = "(?i)"  # the only one that a pattern may begin with; elsewhere flags would join in


class Patterns:
    """Searches for any of several patterns; empty sets match nothing."""

    __slots__ = ("_anchored", "_floating", "_needles", "sources")

    def __init__(self, sources: Iterable[str]) -> None:
        self.sources = tuple(sources)
        anchored = [source for source in self.sources if is_anchored(source)]
        floating = [source for source in self.sources if not is_anchored(source)]
        # match() where search() would try every position of the line again
        self._anchored = _joined(anchored).match if anchored else None
        self._floating = _joined(floating).search if floating else None
        self._needles = needles(self.sources)

    def __bool__(self) -> bool:
        return bool(self.sources)

    def matches(self, text: str) -> bool:
        return bool(
            (self._anchored and self._anchored(text)) or (self._floating and self._floating(text))
        )

    def hits(self, lines: Lines) -> list[int]:
        """The indexes of the lines that match, in order."""
        if not self.sources:
            return []
        candidates = find_lines(lines, self._needles)
        if candidates is not None:
            return [pos for pos in candidates if self.matches(lines.texts[pos])]
        found: list[int] = []
        for search in filter(None, (self._anchored, self._floating)):
            for start in range(0, len(lines), _STEP):
                found += compress(count(start), map(search, lines.texts[start : start + _STEP]))
        return sorted(set(found)) if self._anchored and self._floating else found


class Pattern:
    """One pattern whose captured values are wanted."""

    __slots__ = ("_needles", "compiled", "search")

    def __init__(self, source: str) -> None:
        self.compiled = re.compile(source)
        self.search = self.compiled.match if is_anchored(source) else self.compiled.search
        self._needles = needles([source])

    def matches(self, lines: Lines) -> list[tuple[int, re.Match[str]]]:
        candidates = find_lines(lines, self._needles)
        if candidates is None:
            return _search_all(self.search, lines)
        search, texts = self.search, lines.texts
        return [(pos, match) for pos in candidates if (match := search(texts[pos]))]


def _search_all(
    search: Callable[[str], re.Match[str] | None], lines: Lines
) -> list[tuple[int, re.Match[str]]]:
    found: list[tuple[int, re.Match[str]]] = []
    for start in range(0, len(lines), _STEP):
        matches = list(map(search, lines.texts[start : start + _STEP]))
        found += zip(compress(count(start), matches), filter(None, matches), strict=True)
    return found


def find_lines(lines: Lines, wanted: tuple[str, ...]) -> list[int] | None:
    """The lines with one of these texts; None if they are many, or if nothing is wanted.

    Most patterns of a filter are met seldom: then this is ten times faster than to try each line.
    """
    if not wanted or len(wanted) > _MOST_NEEDLES:
        return None
    text, most = lines.text, len(lines) // _RARE
    offsets: list[int] = []
    for needle in wanted:
        if needle[0] == "\n" and text.startswith(needle[1:]):
            offsets.append(0)
        found = re.compile(re.escape(needle)).finditer(text)
        offsets += [match.end() - 1 for match in islice(found, most + 1)]
        if len(offsets) > most:
            return None
    return sorted(lines.indexes_at(offsets))


def needles(sources: Iterable[str]) -> tuple[str, ...]:
    """Texts of which one must be there for any of the patterns to match; none if that is open."""
    found = tuple(map(_needle, sources))
    return found if all(found) else ()


def values_of(match: re.Match[str]) -> dict[str, str]:
    """What a match captured, by number and by name."""
    numbered = {str(number): value or "" for number, value in enumerate(match.groups(), 1)}
    return {**numbered, **{name: value or "" for name, value in match.groupdict().items()}}


def is_anchored(source: str) -> bool:
    """Tell whether a pattern can only match at the start of a line."""
    return source.removeprefix(_FLAG).startswith("^") and "|" not in _outside_groups(source)


def _outside_groups(source: str) -> str:
    """The pattern without groups, sets and escapes: its alternatives show as `|`."""
    kept, depth, opened, pos = [], 0, -1, 0
    while pos < len(source):
        char = source[pos]
        if char == "\\":
            pos += 1
        elif opened >= 0:
            if char == "]" and source[opened + 1 : pos] not in ("", "^"):
                opened = -1
        elif char == "[":
            opened = pos
        elif char in "()":
            depth += 1 if char == "(" else -1
        elif depth == 0:
            kept.append(char)
        pos += 1
    return "".join(kept)


def _needle(source: str) -> str:
    """Text that must be there for a pattern to match, or nothing when that is not plain to see."""
    if "|" in _outside_groups(source):
        return ""
    body = source.removeprefix("^")
    plain = _PLAIN.match(body)
    if plain is None:
        return ""
    literal, rest = plain[0], body[plain.end() :]
    if rest[:1] in _QUANTIFIER:
        literal = re.sub(r"\\?.$", "", literal)
    text = re.sub(r"\\(.)", r"\1", literal)
    return f"\n{text}" if text and body != source else text


def _joined(sources: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(_group, sources)))


def _group(source: str) -> str:
    if source.startswith(_FLAG):
        return f"(?i:{source.removeprefix(_FLAG)})"
    return f"(?:{source})"

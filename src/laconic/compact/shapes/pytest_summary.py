"""Failures that only the summary of pytest names, as with --tb=no: like ones after the first."""

from __future__ import annotations

from laconic.compact.shapes.folded_names import folded
from laconic.compact.shapes.rows import made, placed, raw_of
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from laconic.compact.result import Row
    from laconic.compact.shapes.rows import Texts

_LINE = pattern(r"(?P<state>FAILED|ERROR) (?P<path>\S+?)::(?P<test>\S.*?) - (?P<message>\S.*)")
_FEWEST = 3  # others with the same message
_CUT = "..."  # what ends a message that is wider than the terminal
_SHORTEST = 12  # characters of a message that was cut, which tell what it is


class _Alike:
    """Failures with one message, of which longest is the most that is known."""

    __slots__ = ("longest", "state", "tests")

    def __init__(self, state: str, longest: str) -> None:
        self.state, self.longest = state, longest
        self.tests: dict[int, tuple[str, str]] = {}  # the path and the name, by the line

    def has(self, state: str, message: str) -> bool:
        if state != self.state or message == self.longest:
            return state == self.state
        short, long = sorted((message, self.longest), key=len)
        stem = short.removesuffix(_CUT)
        return short != stem and len(stem) >= _SHORTEST and long.startswith(stem)


def with_like_failures(rows: list[Row], texts: Texts) -> list[Row]:
    """Write failures with one message as the names of each file, after the first of them."""
    kinds: list[_Alike] = []
    for index in raw_of(rows):
        if match := _LINE.fullmatch(texts[index]):
            message = match["message"]
            kind = next((one for one in kinds if one.has(match["state"], message)), None)
            if kind is None:
                kind = _Alike(match["state"], message)
                kinds.append(kind)
            kind.longest = max(kind.longest, message, key=len)
            kind.tests[index] = match["path"], match["test"]
    instead: dict[int, list[Row]] = {}
    gone: set[int] = set()
    for kind in kinds:
        first, *others = kind.tests
        if len(others) >= _FEWEST:
            instead[first] = [first, *_of_files(kind, others)]
            gone |= set(others)
    return placed(rows, instead, gone | instead.keys())


def _of_files(kind: _Alike, others: list[int]) -> Iterator[Row]:
    """The names of the other tests by file, and before them how many there are."""
    files: dict[str, list[int]] = {}
    for index in others:
        files.setdefault(kind.tests[index][0], []).append(index)
    lead = f"[{len(others)} more {kind.state} like it:] "
    for path, some in files.items():
        yield made(f"{lead}{path}::{', '.join(folded([kind.tests[i][1] for i in some]))}", some)
        lead = "  "

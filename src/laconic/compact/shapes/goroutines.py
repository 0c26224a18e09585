"""Crash dumps and race reports of Go: goroutines of Go's own are counted, equal ones told once.

https://go.dev/doc/articles/race_detector#Report_Format and, for dumps, https://pkg.go.dev/runtime.
"""

from __future__ import annotations

from laconic.compact.shapes.native_frames import read_frame
from laconic.compact.shapes.rows import made, placed, raw_of, whole
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_GOROUTINE = pattern(r"goroutine (?P<number>\d+)(?: gp=\S+.*?)? \[(?P<state>[^\]]+)\]:")
_RULER = pattern(r"={18}")
_RACE = "WARNING: DATA RACE"
# `Read at 0x00c by goroutine 8:`, `Goroutine 8 (running) created at:`
_SECTION = pattern(
    r"(?:Previous )?\w+ at 0x[0-9a-f]+ by (?:goroutine \d+|main goroutine):"
    r"|Goroutine \d+ \(\w+\) created at:"
)
_CREATED = "created at:"
_CRASHED = "running"  # the goroutine in which a program panics
_ALARM = "testing.(*M).startAlarm"  # it ends tests that take too long
_VARIED = pattern(r"0x[0-9a-f]+|\d+")


class _Stack:
    """A heading, its place in the output, and the frames below it."""

    __slots__ = ("heading", "lines", "own")

    def __init__(self, heading: int) -> None:
        self.heading = heading
        self.lines = [heading]
        self.own: list[str] = []


def goroutines(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show each kind of goroutine once; of races that are alike, the first."""
    del asked
    lines = raw_of(rows)
    if not any(_GOROUTINE.fullmatch(texts[i]) or texts[i] == _RACE for i in lines):
        return rows
    instead, gone = _dumped(lines, texts)
    races, said_again = _raced(lines, texts)
    return placed(rows, {**instead, **races}, gone | said_again)


def _dumped(lines: list[int], texts: Texts) -> tuple[dict[int, list[Row]], set[int]]:
    stacks = [
        _stack(lines, pos, texts)
        for pos, index in enumerate(lines)
        if _GOROUTINE.fullmatch(texts[index])
    ]
    instead: dict[int, list[Row]] = {}
    gone: set[int] = set()
    has_own = any(stack.own for stack in stacks)
    foreign = [stack for stack in stacks if has_own and _is_foreign(stack, texts)]
    for stack in foreign:
        gone |= set(stack.lines)
    if foreign:
        number = f"{len(foreign)} goroutine{'s' if len(foreign) > 1 else ''}"
        instead[foreign[-1].heading] = [made(f"[{number} without own frames hidden]", gone)]
    alike: dict[tuple[str, ...], list[_Stack]] = {}
    for stack in stacks:
        if stack.own:
            alike.setdefault((_state(stack, texts), *stack.own), []).append(stack)
    for first, *others in alike.values():
        if others:
            numbers = " ".join(_number(stack, texts) for stack in others)
            heading = texts[first.heading]
            said = f"{heading} [and {len(others)} like it: {numbers}]"
            instead[first.heading] = [whole(said, [first.heading])]
            gone |= {line for stack in others for line in stack.lines}
    return instead, gone


def _is_foreign(stack: _Stack, texts: Texts) -> bool:
    """Tell whether nobody misses a goroutine: it has no own frames, and did not panic by itself."""
    has_crashed = _state(stack, texts) == _CRASHED
    is_alarm = any(texts[i].startswith(_ALARM) for i in stack.lines)
    return not stack.own and (is_alarm or not has_crashed)


def _state(stack: _Stack, texts: Texts) -> str:
    match = _GOROUTINE.fullmatch(texts[stack.heading])
    return match["state"].partition(",")[0] if match else ""


def _number(stack: _Stack, texts: Texts) -> str:
    match = _GOROUTINE.fullmatch(texts[stack.heading])
    return match["number"] if match else ""


def _stack(lines: list[int], pos: int, texts: Texts) -> _Stack:
    """Read the frames below a heading, and the blank line after them."""
    found = _Stack(lines[pos])
    pos += 1

    def line(offset: int) -> str:
        return texts[lines[pos + offset]] if 0 <= pos + offset < len(lines) else ""

    while frame := read_frame(line):
        found.lines += lines[pos : pos + frame.height]
        if not frame.is_foreign:
            found.own.append(frame.text)
        pos += frame.height
    if pos < len(lines) and not line(0).strip():
        found.lines.append(lines[pos])
    return found


def _raced(lines: list[int], texts: Texts) -> tuple[dict[int, list[Row]], set[int]]:
    """The headings of races, and what their reports say a second time, with their rulers.

    Races are alike if the same own frames read and write; where a goroutine was made is told once.
    """
    gone: set[int] = set()
    alike: dict[tuple[tuple[str, ...], ...], list[int]] = {}
    created: set[tuple[str, ...]] = set()
    for start in [pos for pos, index in enumerate(lines) if texts[index] == _RACE]:
        stacks, end = _stacks(lines, start + 1, texts)
        around = lines[max(start - 1, 0) : start] + lines[end : end + 1]
        gone |= {i for i in around if _RULER.fullmatch(texts[i])}
        kinds = [(_VARIED.sub("", texts[stack.heading]), *stack.own) for stack in stacks]
        race = tuple(kind for kind in kinds if not kind[0].endswith(_CREATED))
        if not all(len(kind) > 1 for kind in race):
            race = ((str(start),),)  # without own frames it is not known to be like another
        is_again = race in alike
        alike.setdefault(race, []).append(lines[start])
        gone |= {lines[start]} if is_again else set()
        for kind, stack in zip(kinds, stacks, strict=True):
            if is_again or kind in created:
                gone |= set(stack.lines)
            if kind[0].endswith(_CREATED):
                created.add(kind)
    return {first: [_heading(first, others)] for first, *others in alike.values()}, gone


def _stacks(lines: list[int], pos: int, texts: Texts) -> tuple[list[_Stack], int]:
    """The sections of a race that begin at this position, and the position after them."""
    found: list[_Stack] = []
    while pos < len(lines) and _SECTION.fullmatch(texts[lines[pos]]):
        found.append(_stack(lines, pos, texts))
        pos += len(found[-1].lines)
    return found, pos


def _heading(first: int, others: list[int]) -> Row:
    said = f"{_RACE} [and {len(others)} like it]" if others else _RACE
    return whole(said, [first, *others])

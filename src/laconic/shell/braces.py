"""Brace expansion as bash does it: `a{b,c}d`, `{1..9..2}`, also nested.

https://www.gnu.org/software/bash/manual/html_node/Brace-Expansion.html
"""

from __future__ import annotations

import re

from laconic.patterns import pattern

Cell = tuple[str, bool]  # a character, and whether it is quoted
MAX_FIELDS = 256
_MAX_BRACES = 40
_SEQUENCE = pattern(r"([-+]?[0-9]+|[A-Za-z])\.\.([-+]?[0-9]+|[A-Za-z])(?:\.\.([-+]?[0-9]+))?")


def expand_braces(cells: list[Cell]) -> list[list[Cell]] | None:
    """All results in order; None if there are too many or bash's result is not certain."""
    if sum(char == "{" and not quoted for char, quoted in cells) > _MAX_BRACES:
        return None
    opening, close = _first_expression(cells)
    if opening < 0:
        return [cells]
    inside = cells[opening + 1 : close]
    alternatives = _alternatives(inside)
    if alternatives is None:
        return None
    rests = expand_braces(cells[close + 1 :])
    if rests is None or len(alternatives) * len(rests) > MAX_FIELDS:
        return None
    before = cells[:opening]
    return [before + middle + rest for middle in alternatives for rest in rests]


def _first_expression(cells: list[Cell]) -> tuple[int, int]:
    """Return the positions of the first `{` that begins an expansion and of its `}`, or -1, -1."""
    for opening, cell in enumerate(cells):
        if cell != ("{", False) or (opening == 0 and cells[1:2] == [("}", False)]):
            continue
        close = _matching(cells, opening + 1)
        if close >= 0:
            return opening, close
    return -1, -1


def _matching(cells: list[Cell], start: int) -> int:
    """The `}` that ends an expansion: the first one on this level after a comma or `..`."""
    nested, separated = 0, False
    for pos in range(start, len(cells)):
        char, quoted = cells[pos]
        if quoted:
            continue
        if char == "}" and nested == 0 and separated:
            return pos
        if char == "{":
            nested += 1
        elif char == "}" and nested:
            nested -= 1
        elif nested == 0 and (char == "," or (char == "." and _is_range(cells, pos))):
            separated = True
    return -1


def _is_range(cells: list[Cell], pos: int) -> bool:
    return cells[pos + 1 : pos + 2] == [(".", False)] and cells[pos + 2 : pos + 3] != [("}", False)]


def _alternatives(inside: list[Cell]) -> list[list[Cell]] | None:
    if (",", False) not in inside:
        found = _sequence(inside)
        return found if found != [] else [[("{", False), *inside, ("}", False)]]
    results: list[list[Cell]] = []
    for item in _split(inside):
        expanded = expand_braces(item)
        if expanded is None:
            return None
        results += expanded
    return results


def _split(inside: list[Cell]) -> list[list[Cell]]:
    """Split at the commas of this level; an unmatched brace does not open a level."""
    items: list[list[Cell]] = [[]]
    nested = 0
    for pos, cell in enumerate(inside):
        if cell == (",", False) and nested == 0:
            items.append([])
            continue
        if cell == ("{", False) and _matching_any(inside, pos + 1) >= 0:
            nested += 1
        elif cell == ("}", False) and nested:
            nested -= 1
        items[-1].append(cell)
    return items


def _matching_any(cells: list[Cell], start: int) -> int:
    nested = 0
    for pos in range(start, len(cells)):
        if cells[pos] == ("{", False):
            nested += 1
        elif cells[pos] == ("}", False):
            if nested == 0:
                return pos
            nested -= 1
    return -1


def _sequence(inside: list[Cell]) -> list[list[Cell]] | None:
    """`1..9`, `a..e`, with a step; [] if it is not a sequence, None if not certain or too long."""
    if any(quoted for _, quoted in inside):
        return []
    match = _SEQUENCE.fullmatch("".join(char for char, _ in inside))
    if match is None:
        return []
    first, last, step_text = match.groups()
    if first.isalpha() != last.isalpha():
        return []
    step = abs(int(step_text or "1")) or 1
    if first.isalpha():
        if first.islower() != last.islower():
            return None  # the range runs over punctuation
        numbers = _range(ord(first), ord(last), step)
        return None if numbers is None else [[(chr(number), False)] for number in numbers]
    numbers = _range(int(first), int(last), step)
    if numbers is None:
        return None
    padded = any(re.fullmatch(r"[-+]?0[0-9]+", end) for end in (first, last))
    width = max(len(first), len(last)) if padded else 0
    return [[(char, False) for char in f"{number:0{width}d}"] for number in numbers]


def _range(first: int, last: int, step: int) -> range | None:
    numbers = range(first, last + 1, step) if first <= last else range(first, last - 1, -step)
    return numbers if len(numbers) <= MAX_FIELDS else None

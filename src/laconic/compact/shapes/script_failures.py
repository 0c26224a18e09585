"""What is shown of a failure in JavaScript: its place, its message, what differs, own frames."""

from __future__ import annotations

from itertools import pairwise

from laconic.compact.result import numbers_of
from laconic.compact.shapes.changes import has_words, telling
from laconic.compact.shapes.rows import indent_of, short
from laconic.compact.shapes.script_frames import Stack, read_place
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.masks import Mask
    from laconic.compact.shapes.failures import Failure
    from laconic.compact.shapes.rows import Texts
    from laconic.compact.shapes.runners import Runner

# The source around a place, and the mark below it, as the runners print them.
EXCERPT = pattern(r"\s*>?\s*\d+ ?\|(?: .*)?|\s+\|?\s*\^+\s*")
# What stands above a difference, in one line or two: the signs and whose they are.
_LEGEND = pattern(
    r"\s*\+ (?:actual|expected) - (?:actual|expected).*"
    r"|\s*- (?:Expected|Snapshot)\b.*\n\s*\+ Received\b.*"
)


def fill(
    failure: Failure, runner: Runner, body: list[int], texts: Texts, pinned: Mask, place: str
) -> None:
    """Read what is below the title; place: where the test begins, if the title has that."""
    place = place or next((m[1] for i in body if (m := runner.begun.fullmatch(texts[i]))), "")
    body = [i for i in body if not runner.noise.fullmatch(texts[i])]
    stack = Stack(body, texts)
    hidden = _equal(body, texts, pinned)
    hidden |= _values(runner, body, texts) if hidden else set()
    for index in body:
        text = texts[index]
        is_dull = EXCERPT.fullmatch(text) if stack.places else None
        if index not in hidden and index not in stack.places and text.strip() and not is_dull:
            said = runner.said.fullmatch(text)
            failure.rows.append(short(said[1], index, texts) if said else index)
    if place:
        line = place.rpartition(":")[0]
        same = [i for i, at in stack.own.items() if at.rpartition(":")[0].endswith(line)]
        if same and not stack.own[same[0]].endswith(place):
            place += f", {stack.own[same[0]].rpartition('/')[2]}"  # the column where it failed
        for index in same:
            del stack.own[index]
        failure.places = [place]
        failure.rows += stack.own_rows(texts)
    elif len(stack.own) == 1:
        failure.places = list(stack.own.values())
    else:
        failure.rows += stack.own_rows(texts) or stack.innermost[: not runner.is_below]
    failure.rows.sort(key=lambda row: numbers_of(row)[0])


def _values(runner: Runner, body: list[int], texts: Texts) -> set[int]:
    """The lines of values, of which a difference tells what an agent acts on."""
    found: set[int] = set()
    depth = -1  # that of the line above, if it names a value
    for index in body:
        text = texts[index]
        if depth < 0 or (text.strip() and indent_of(text) <= depth):
            depth = indent_of(text) if runner.values.fullmatch(text) else -1
        if depth >= 0:
            found.add(index)
    return found


def _equal(body: list[int], texts: Texts, pinned: Mask) -> set[int]:
    """What need not be shown of differences: all but one of them, and what is equal in that.

    None is shown if the message above it has every value that it tells apart.
    """
    heads = {pos: size for pos in range(len(body)) if (size := _legend(body[pos : pos + 2], texts))}
    gone: set[int] = set()
    is_told = False
    for start, following in pairwise([*heads, len(body)]):
        legend = body[start : start + heads[start]]
        block: list[int] = []
        for index in body[start + len(legend) : following]:
            if read_place(texts[index]) or EXCERPT.fullmatch(texts[index]):
                break
            block += [index] if texts[index].strip() else []
        column = indent_of(texts[legend[0]])
        changed = telling(block, texts, column, pinned)
        if not changed:
            continue
        words = "\n".join(texts[i] for i in body[: min(heads)])
        signed = [texts[i][column + 1 :].strip() for i in changed if texts[i][column] in "-+"]
        if is_told or all(has_words(words, text) for text in signed):
            gone |= {*legend, *(i for i in block if not pinned[i])}
        else:
            gone |= {*block} - changed | set(legend if len(legend) > 1 else ())
        is_told = True
    return gone


def _legend(lines: list[int], texts: Texts) -> int:
    """How many of two lines are the legend of a difference."""
    sizes = (n for n in (1, 2) if _LEGEND.fullmatch("\n".join(texts[i] for i in lines[:n])))
    return next(sizes, 0)

"""ava's report: each failure once, by its name and place, with the lines that differ.

https://github.com/avajs/ava/blob/main/docs/05-command-line.md describes its reporters.
"""

from __future__ import annotations

from laconic.compact.shapes.changes import telling
from laconic.compact.shapes.rows import each_in_place, find_form, made, placed, raw_of
from laconic.compact.shapes.script_frames import Stack
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.masks import Mask
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_FAILED = pattern(r"  ✘ \[fail\]: (\S.*)")
_RULER = pattern(r"  \u2500+")
_PLACE = pattern(r"  (?:\u203a (?:.* \()?)?(?:file://)?(\S+?\.\w+:\d+(?::\d+)?)\)?")
_SOURCE = pattern(r" +\d+: .*")
_DIFFERENCE = pattern(r"  Difference \(- actual, \+ expected\):")
_DUMPED = pattern(r"  (\w+) (?:\[.*\] )?\{")
_ITS_MESSAGE = pattern(r"    message: .*,")
_SIGN = 2  # the column of the signs of a difference


def ava(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show every failure in few lines; the overview of the tests has their names again."""
    lines = raw_of(rows)
    start = find_form(_RULER, lines, texts)
    failed = {i: m[1] for i in lines[:start] if (m := _FAILED.fullmatch(texts[i]))}
    if start == len(lines) or not failed:
        return rows
    names = set(failed.values())
    blocks: list[list[int]] = []
    for index in lines[start + 1 :]:
        text = texts[index]
        if _RULER.fullmatch(text):
            break
        if text.startswith("  ") and _is_name(text.strip(), names):
            blocks.append([])
        if blocks:
            blocks[-1].append(index)
    instead: dict[int, list[Row]] = {}
    gone = {i for i in lines if not texts[i].strip() or _RULER.fullmatch(texts[i])}
    for block in blocks:
        name = texts[block[0]].strip()
        again = [i for i, said in failed.items() if _is_name(name, {said})]
        gone.update(block, again)
        instead |= each_in_place(_failure(block, again, texts, asked.pinned))
    return placed(rows, instead, gone)


def _is_name(text: str, names: set[str]) -> bool:
    """Tell whether a text is the name of a test; in the overview a message may follow."""
    return bool(text) and (text in names or any(name.startswith(f"{text} ") for name in names))


def _failure(block: list[int], again: list[int], texts: Texts, pinned: Mask) -> list[Row]:
    """What is shown of a failure. again: where the overview has its name."""
    title, *body = block
    stack = Stack(body, texts)
    others = [i for i in body if i not in stack.places]
    placed_at = {i: match[1] for i in others if (match := _PLACE.fullmatch(texts[i]))}
    if len(stack.own) == 1:
        placed_at |= {i: place.removeprefix("file://") for i, place in stack.own.items()}
    shown: list[Row] = []
    at = find_form(_DIFFERENCE, body, texts)
    differing = telling(body[at + 1 :], texts, _SIGN, pinned)
    dumped, source = _dump(body, texts), _source(body, texts)
    for pos, index in enumerate(body):
        text = texts[index]
        is_dull = not text.strip() or index in stack.places or index in dumped
        if is_dull or index in source or _PLACE.fullmatch(text):
            continue
        if pos <= at or not differing or index in differing:
            shown.append(index)
    name = f"  ✘ [fail]: {texts[title].strip()}"
    *_, where = ("", *placed_at.values())
    head = made(f"{name} ({where})" if where else name, [title, *again, *placed_at])
    return [head, *shown, *(stack.own_rows(texts) if len(stack.own) > 1 else [])]


def _source(body: list[int], texts: Texts) -> set[int]:
    """The lines of source below a place; a value may have numbers as its keys, too."""
    found: set[int] = set()
    is_below = False
    for index in body:
        text = texts[index]
        if is_below and _SOURCE.fullmatch(text):
            found.add(index)
        elif text.strip():
            is_below = _PLACE.fullmatch(text) is not None
    return found


def _dump(body: list[int], texts: Texts) -> set[int]:
    """The object that was thrown, if all it has is a message that follows in a line of its own."""
    starts = [(pos, m[1]) for pos, i in enumerate(body) if (m := _DUMPED.fullmatch(texts[i]))]
    for pos, name in starts:
        end = next((p for p in range(pos, len(body)) if texts[body[p]] == "  }"), len(body))
        is_all = all(_ITS_MESSAGE.fullmatch(texts[i]) for i in body[pos + 1 : end])
        if is_all and any(texts[i].startswith(f"  {name}: ") for i in body[end + 1 :]):
            return set(body[pos : end + 1])
    return set()

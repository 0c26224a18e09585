"""mocha's report: each failure once, by its name and place, with the lines that differ."""

from __future__ import annotations

from itertools import takewhile

from laconic.compact.shapes.changes import has_words, telling
from laconic.compact.shapes.overview import headings
from laconic.compact.shapes.rows import each_in_place, find_form, made, placed, raw_of, whole
from laconic.compact.shapes.script_frames import Stack, read_place
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.masks import Mask
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_FAILING = pattern(r"  \d+ failing")
_TITLE = pattern(r"  (\d+)\) (\S.*)")
_NAME = pattern(r" {7,}\S.*")
_MARK = pattern(r"\s+(?:(?:\d+\)|[-✓✔√]) \S.*)")
_FAILED = pattern(r"\s+(\d+)\) (\S.*)")
_OF_MOCHA, _OF_NODE = "      + expected - actual", pattern(r"\+ actual - expected.*")
_SIGN = len("      ")  # the column of the signs of mocha's own difference


def mocha(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show every failure in few lines; the overview of the tests has their names again."""
    lines = raw_of(rows)
    start = find_form(_FAILING, lines, texts)
    if start == len(lines):
        return rows
    blocks = _blocks(lines[start:], texts)
    instead: dict[int, list[Row]] = {}
    gone = {i for i in lines if not texts[i].strip()}
    names: dict[str, str] = {}
    for block in blocks:
        gone.update(block)
        shown, name = _failure(block, texts, asked.pinned)
        names[name[0]] = name[-1]
        instead |= each_in_place(shown)
    return placed(rows, instead, gone | _overview(lines[:start], texts, asked, names))


def _blocks(lines: list[int], texts: Texts) -> list[list[int]]:
    """The lines of each failure, up to its last frame."""
    found: list[list[int]] = []
    is_inside = is_in_frames = False
    for index in lines:
        text = texts[index]
        if _TITLE.fullmatch(text):
            found.append([])
            is_inside, is_in_frames = True, False
        elif read_place(text):
            is_in_frames = True
        elif is_in_frames and text.strip():
            is_inside = False
        if is_inside:
            found[-1].append(index)
    return found


def _failure(block: list[int], texts: Texts, pinned: Mask) -> tuple[list[Row], list[str]]:
    """What is shown of a failure; and its number and the parts of its name."""
    title = _TITLE.fullmatch(texts[block[0]])
    assert title is not None
    head = [block[0]]
    if not texts[block[0]].endswith(":"):
        head += takewhile(lambda i: _NAME.fullmatch(texts[i]), block[1:])
        ends = [pos for pos, i in enumerate(head) if texts[i].endswith(":")]
        head = head[: ends[0] + 1] if ends else head[:1]
    name = [title[1], title[2].removesuffix(":")]
    name += [texts[i].strip().removesuffix(":") for i in head[1:]]
    body = block[len(head) :]
    stack = Stack(body, texts)
    kept = _said(body, texts, pinned)
    shown: list[Row] = [i for i in kept if texts[i].strip() and i not in stack.places]
    said = f"  {name[0]}) {' '.join(name[1:])}"
    if len(stack.own) == 1:
        [(line, where)] = stack.own.items()
        return [made(f"{said} ({where})", [*head, line]), *shown], name
    return [whole(said, head), *shown, *stack.own_rows(texts)], name


def _said(body: list[int], texts: Texts, pinned: Mask) -> list[int]:
    """The message and one of the differences below it, or none if the message has both values.

    node's assertions write one into the message, and mocha adds its own.
    """
    end = next((pos for pos, i in enumerate(body) if read_place(texts[i])), len(body))
    at = next((pos for pos, i in enumerate(body[:end]) if texts[i] == _OF_MOCHA), end)
    of_node = find_form(_OF_NODE, body[:at], texts)
    message, inside, below = body[:of_node], body[of_node + 1 : at], body[at + 1 : end]
    in_node, in_mocha = telling(inside, texts, 0, pinned), telling(below, texts, _SIGN, pinned)
    wrong = {i for i in below if pinned[i]}
    if in_node:
        return [*message, body[of_node], *_of(inside, in_node), *_of(below, wrong), *body[end:]]
    if not in_mocha:
        return body
    words = "\n".join(texts[i] for i in body[:at])
    signed = [texts[i][_SIGN + 1 :].strip() for i in in_mocha if texts[i][_SIGN:][:1] in ("-", "+")]
    if all(has_words(words, text) for text in signed):
        return [*body[:at], *_of(below, wrong), *body[end:]]
    return [*body[: at + 1], *_of(below, in_mocha), *body[end:]]


def _of(block: list[int], wanted: set[int]) -> list[int]:
    return [index for index in block if index in wanted]


def _overview(lines: list[int], texts: Texts, asked: Asked, names: dict[str, str]) -> set[int]:
    """Failed tests that are told below, and the headings of what is not shown."""
    marks = {i for i in lines if _MARK.fullmatch(texts[i])}
    failed = ((i, _FAILED.fullmatch(texts[i])) for i in marks)
    gone = {i for i, match in failed if match and names.get(match[1]) == match[2]}
    return gone | headings(lines, texts, asked.pinned, marks, gone)

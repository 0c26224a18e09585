"""The report of node's test runner for people: each failure once, in the list at the end.

https://nodejs.org/api/test.html#test-reporters: the tests come first, then the failed ones again.
"""

from __future__ import annotations

from laconic.compact.shapes.changes import NODE_LEGEND, of_node
from laconic.compact.shapes.rows import each_in_place, find_form, made, placed, raw_of
from laconic.compact.shapes.script_frames import Stack, read_place
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.masks import Mask
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_LISTED = pattern(r"✖ failing tests:")
_PLACE = pattern(r"test at (\S+?)(:\d+:\d+)")
_FAILED = pattern(r"( *)✖ (.*?)(?: \([\d.]+ms\))?((?: #.*)?)")
_TEST = pattern(r" *[✔✖▶﹣\u2139⚠] .*|\S.*")
_SUITE = pattern(r" *▶ .*")
_END = pattern(r" *\}")
_DULL = pattern(r" +(?:generatedMessage: \w+|diff: '(?:simple|full)'),?")
_CODE = pattern(r" +code: '(ERR_\w+)',?")
_OPERATOR = pattern(r" +operator: '(\w+)',?")
_OF_EQUALITY = frozenset(("equal", "deepEqual", "strictEqual", "deepStrictEqual"))
_GENERATED = pattern(r" +generatedMessage: true,?")
_VALUE = pattern(r" +(?:actual|expected): .*")


def spec(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show the list of failed tests, and of the overview only what that list does not have."""
    lines = raw_of(rows)
    start = find_form(_LISTED, lines, texts)
    if start == len(lines):
        return rows
    instead: dict[int, list[Row]] = {}
    gone = {i for i in lines if not texts[i].strip()}
    told: dict[str, set[str]] = {}  # what is said of the tests of a name
    pos = start + 1
    while pos < len(lines):
        block = _block(lines, pos, texts)
        if not block:
            pos += 1
            continue
        shown, name = _failure(block, texts, asked.pinned)
        told.setdefault(name, set()).update(texts[i].strip() for i in block)
        gone.update(block)
        instead |= each_in_place(shown)
        pos += len(block)
    if told:
        gone |= {lines[start], *_overview(lines[:start], texts, told)}
    return placed(rows, instead, gone)


def _block(lines: list[int], pos: int, texts: Texts) -> list[int]:
    """The place of a failed test, its name, and all below that is indented; else nothing."""
    following = lines[pos + 1] if pos + 1 < len(lines) else -1
    if following < 0 or not _PLACE.fullmatch(texts[lines[pos]]):
        return []
    if not texts[following].startswith("✖ "):
        return []
    end = pos + 2
    while end < len(lines) and (not texts[lines[end]].strip() or texts[lines[end]][0] == " "):
        end += 1
    return lines[pos:end]


def _failure(block: list[int], texts: Texts, pinned: Mask) -> tuple[list[Row], str]:
    """What is shown of a failure, and the name of its test."""
    place, failed = _PLACE.fullmatch(texts[block[0]]), _FAILED.fullmatch(texts[block[1]])
    assert place is not None
    assert failed is not None
    stack = Stack(block[2:], texts)
    where = place[1] + place[2]
    line = where.rpartition(":")[0]
    same = [i for i, at in stack.own.items() if at.rpartition(":")[0].endswith(f"/{line}")]
    if same and not stack.own[same[0]].endswith(where):
        where += f", {stack.own[same[0]].rpartition('/')[2]}"  # the column where it failed
    for index in same:
        del stack.own[index]
    shown: list[Row] = [made(f"✖ {failed[2]}{failed[3]} ({where})", block[:2])]
    shown += _said([i for i in block[2:] if texts[i].strip()], texts, pinned)
    return [*shown, *stack.own_rows(texts)], failed[2]


def _said(body: list[int], texts: Texts, pinned: Mask) -> list[Row]:
    """The message, with only the lines that differ, and the properties of the error."""
    first = next((pos for pos, i in enumerate(body) if read_place(texts[i])), len(body))
    properties = [i for i in body[first:] if not read_place(texts[i])]
    message = body[:first]
    is_told = any(NODE_LEGEND.fullmatch(texts[i]) for i in message)
    is_told = is_told or any(_GENERATED.fullmatch(texts[i]) for i in properties)
    message = of_node(message, texts, pinned)
    said = "\n".join(texts[i] for i in message)
    return [*message, *(i for i in properties if not _is_dull(texts[i], said, is_told=is_told))]


def _is_dull(text: str, message: str, *, is_told: bool) -> bool:
    """Tell whether a property adds nothing; is_told: node made the message of the values."""
    if code := _CODE.fullmatch(text):
        return f"[{code[1]}]" in message
    if operator := _OPERATOR.fullmatch(text):
        return is_told or operator[1] in _OF_EQUALITY
    is_value = is_told and _VALUE.fullmatch(text) is not None
    return is_value or any(form.fullmatch(text) for form in (_DULL, _END))


def _overview(lines: list[int], texts: Texts, told: dict[str, set[str]]) -> set[int]:
    """Failed tests, and what is said below them, if the list has it; suites stay as results."""
    gone: set[int] = set()
    said: set[str] | None = None
    for index in lines:
        text = texts[index]
        failed = _FAILED.fullmatch(text)
        if failed and failed[2] in told:
            gone.add(index)
            said = told[failed[2]]
        elif _SUITE.fullmatch(text):
            gone.add(index)
        elif _TEST.fullmatch(text):
            said = None
        elif said is not None and text.strip() in said:
            gone.add(index)
    return gone

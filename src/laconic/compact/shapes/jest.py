"""The reports of jest and playwright: each failure once, with the lines that differ.

https://jestjs.io/docs/configuration#verbose-boolean, https://playwright.dev/docs/test-reporters
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise

from laconic.compact.shapes.changes import telling
from laconic.compact.shapes.overview import headings
from laconic.compact.shapes.rows import (
    each_in_place,
    find_form,
    made,
    placed,
    raw_of,
    short,
    text_of,
    whole,
)
from laconic.compact.shapes.script_frames import Stack, read_place
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.masks import Mask
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_FILE = pattern(r" ?(?:FAIL|PASS) +(\S.*?)(?: \([\d.]+ m?s\))?")
_TITLE = pattern(r"  \u25cf \S.*|  \d+\) \S+:\d+:\d+ \u203a .*")
_NUMBER = pattern(r"^  (?:\u25cf |\d+\) |(?=console))")
_RULER = pattern(r"(.*?)(?: \u2500+)?")
_CONTEXT = pattern(r" {4}(?:Error Context: \S+|attachment #\d+: .*|\u2500+)")
_CONSOLE = "  \u25cf Console"
_PRINTED, _PRINTS = pattern(r"  console\.\w+"), pattern(r" +console\.\w+")
_MARK = pattern(r" +[✕\u00d7✓√○✎] .*")
_FAILED = pattern(r" +[✕\u00d7] (.*?)(?: \([\d.]+ m?s\))?")
_SKIPPED = pattern(r" +(?:\u25cb skipped|\u2193) \S.*")
_MOST_SKIPPED = 3
_SUMMARY = pattern(r"Summary of all failing tests")
_EXCERPT = pattern(r"\s*>?\s*\d+ \|(?: .*)?|\s+\|\s+\^+\s*")
_MATCHER = pattern(r"( +(?:Error: )?expect\(.*\)) // .*")
_PLACED = pattern(r"  \d+\) (\S+?):\d+:\d+ \u203a .*")
_PROGRESS = pattern(r"\[\d+/\d+\] (?:\[.*?\] \u203a )?\S+:\d+:\d+ \u203a .*")
_AGAIN = pattern(
    r"(?:  ✘ +\d+ | {4}(?:\[.*?\] \u203a )?)(\S+:\d+:\d+ \u203a .*?)(?: \([\d.]+m?s\)| \u2500+)?"
)
_EXPECTED, _RECEIVED = pattern(r" {4}- (?:Expected|Snapshot)\b.*"), pattern(r" {4}\+ Received\b.*")
_ADVICE = pattern(r" {4}Add a timeout value to this test to increase the timeout, .*")
_SIGN = 4  # the column of the signs of a difference


class _Block:
    """A failure, or what a test printed: its lines, its title, and what is shown of it.

    said: the texts of what is shown.
    """

    __slots__ = ("is_console", "lines", "said", "shown", "title")

    def __init__(self, lines: list[int], texts: Texts, pinned: Mask) -> None:
        self.lines = lines
        self.title = _NUMBER.sub("", _bare(texts[lines[0]]))
        self.is_console = self.title == "Console" or self.title.startswith("console.")
        self.shown = _console(lines, texts) if self.is_console else _failure(lines, texts, pinned)
        self.said = tuple(text_of(row, texts) for row in self.shown)


def jest(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show every failure in few lines; the overview of the tests and the summary repeat them."""
    lines = raw_of(rows)
    blocks = [_Block(block, texts, asked.pinned) for block in _blocks(lines, texts)]
    if not blocks:
        return rows
    instead: dict[int, list[Row]] = {}
    told: dict[tuple[str, ...], str] = {}
    names: set[str] = set()
    files = [(i, match[1]) for i in lines if (match := _FILE.fullmatch(texts[i]))]
    for block in blocks:
        file = "" if block.is_console else _above(files, block.lines[0])
        if (file, *block.said) in told:  # in the summary, or printed again
            continue
        below = block.said[1:]
        first = told.get(below) if below else None
        shown = block.shown
        if first is not None:
            shown = [made(f"{block.said[0]} [the same as {first}]", block.lines)]
        instead |= each_in_place(shown)
        told |= {(file, *block.said): block.title, below: first or block.title}
        names |= {block.title, block.title.rpartition(" \u203a ")[2]}
    instead |= _printed_often(blocks, texts)
    gone = {i for i in lines if not texts[i].strip()} | {i for b in blocks for i in b.lines}
    gone |= _overview(lines, texts, asked, names) | _summary(lines, texts, gone, instead)
    return placed(rows, instead, gone)


def _printed_often(blocks: list[_Block], texts: Texts) -> dict[int, list[Row]]:
    """What tests printed several times in one line: at the place of the first, how often."""
    equal: dict[str, list[_Block]] = {}
    for block in blocks:
        if block.is_console and len(block.said) == 1:
            equal.setdefault(block.said[0], []).append(block)
    found: dict[int, list[Row]] = {}
    for text, some in equal.items():
        if len(some) > 1:
            every = [i for block in some for i in block.lines]
            told = [i for i in every if texts[i].strip() and texts[i].strip() in text]
            found[every[0]] = [whole(f"{text} [x{len(some)}]", told)]
    return found


def _above(files: list[tuple[int, str]], index: int) -> str:
    """The file whose tests the line is about."""
    pos = bisect_left(files, (index, ""))
    return files[pos - 1][1] if pos else ""


def skips(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show the first of many tests that were skipped; the totals have their number."""
    del asked
    skipped = [i for i in raw_of(rows) if _SKIPPED.fullmatch(texts[i])]
    others = skipped[_MOST_SKIPPED:]
    if len(others) < _MOST_SKIPPED:
        return rows
    return placed(rows, {others[0]: [made(f"[{len(others)} more skipped]", others)]}, set(others))


def _blocks(lines: list[int], texts: Texts) -> list[list[int]]:
    """The lines of each failure, and of what is printed: the first, and all indented more."""
    found: list[list[int]] = []
    is_inside = False
    for index in lines:
        text = texts[index]
        if _TITLE.fullmatch(text) or _PRINTED.fullmatch(text):
            found.append([])
            is_inside = True
        elif text.strip() and not text.startswith("    "):
            is_inside = False
        if is_inside:
            found[-1].append(index)
    return found


def _console(block: list[int], texts: Texts) -> list[Row]:
    """What tests printed, without the places where they did; own frames of a printed trace stay.

    The place follows a blank line, the frames of a trace its message.
    """
    printed: dict[str, list[int]] = {}
    above = -1
    is_place = False
    for index in block:
        text = texts[index]
        place = read_place(text)
        is_place = not text.strip() or (is_place and place is not None)
        is_dull = is_place or text == _CONSOLE or _EXCERPT.fullmatch(text)
        if is_dull or (place and (place.is_foreign or above >= 0)):
            continue
        if above >= 0:
            said = f"{texts[above]} {text.strip()}"
            printed.setdefault(said, []).extend((above, index))
            above = -1
        elif _PRINTS.fullmatch(text):
            above = index
        else:
            printed.setdefault(text, []).append(index)
    last: list[Row] = [above] if above >= 0 else []
    return [*(_printed(text, found) for text, found in printed.items()), *last]


def _printed(text: str, found: list[int]) -> Row:
    count = len(found) // 2 if _PRINTS.match(text) else len(found)
    if count > 1:
        return whole(f"{text} [x{count}]", found)
    return whole(text, found) if len(found) > 1 else found[0]


def _failure(block: list[int], texts: Texts, pinned: Mask) -> list[Row]:
    """Name and place, the message, and own frames if there are several."""
    title, *body = block
    stack = Stack(body, texts)
    kept = _without_equal(body, texts, pinned)
    shown: list[Row] = []
    for index in body:
        text = texts[index]
        if index not in kept or index in stack.places or not text.strip():
            continue
        if any(form.fullmatch(text) for form in (_EXCERPT, _ADVICE, _CONTEXT)):
            continue
        matcher = _MATCHER.fullmatch(text)
        shown.append(short(matcher[1], index, texts) if matcher else index)
    name = _bare(texts[title])
    if len(stack.own) == 1:
        [(line, where)] = stack.own.items()
        file = _PLACED.fullmatch(name)
        if file and f"/{file[1]}:" in where:
            where = where[where.rindex(file[1]) + len(file[1]) :]
        return [made(f"{name} ({where})", [title, line]), *shown]
    if not stack.own:
        return [short(name, title, texts), *shown, *stack.innermost]
    return [whole(name, [title, next(iter(stack.own))]), *shown, *stack.own_rows(texts)]


def _bare(title: str) -> str:
    """The name of a test without the ruler after it."""
    found = _RULER.fullmatch(title)
    return found[1] if found else title


def _without_equal(body: list[int], texts: Texts, pinned: Mask) -> set[int]:
    """The lines without the legends of differences and the lines that are equal on both sides."""
    kept = set(body)
    for pos, index in enumerate(body[:-1]):
        if not (_EXPECTED.fullmatch(texts[index]) and _RECEIVED.fullmatch(texts[body[pos + 1]])):
            continue
        end = pos + 2
        while end < len(body) and not read_place(texts[body[end]]):
            if _EXCERPT.fullmatch(texts[body[end]]):
                break
            end += 1
        block = [i for i in body[pos + 2 : end] if texts[i].strip()]
        changed = telling(block, texts, _SIGN, pinned)
        if changed:
            kept -= {index, body[pos + 1], *block} - changed
    return kept


def _overview(lines: list[int], texts: Texts, asked: Asked, names: set[str]) -> set[int]:
    """Failed tests that are told below, and the headings of what is not shown."""
    lines = [i for i in lines if " | " not in texts[i]]  # the rows of a table
    marks = {i for i in lines if _MARK.fullmatch(texts[i])}
    gone = {i for i in marks if (m := _FAILED.fullmatch(texts[i])) and m[1].strip() in names}
    gone |= {i for i in lines if _PROGRESS.fullmatch(texts[i])}
    gone |= {i for i in lines if (m := _AGAIN.fullmatch(texts[i])) and m[1] in names}
    return gone | headings(lines, texts, asked.pinned, marks, gone)


def _summary(
    lines: list[int], texts: Texts, gone: set[int], instead: dict[int, list[Row]]
) -> set[int]:
    """The heading of the summary, and the files below it that have nothing new."""
    start = find_form(_SUMMARY, lines, texts)
    found = set(lines[start : start + 1])
    filled = [i for i in lines[start + 1 :] if texts[i].strip()]
    for index, following in pairwise(filled):
        is_told = following in gone and following not in instead
        if is_told and _FILE.fullmatch(texts[index]):
            found.add(index)
    return found

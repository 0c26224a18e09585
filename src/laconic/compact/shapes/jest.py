"""The reports of jest and playwright: each failure once, with the lines that differ.

https://jestjs.io/docs/configuration#verbose-boolean, https://playwright.dev/docs/test-reporters
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise

from laconic.compact.shapes.report import Report
from laconic.compact.shapes.rows import each_in_place, find_form, text_of, whole
from laconic.compact.shapes.script_failures import EXCERPT
from laconic.compact.shapes.script_frames import read_place
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_FILE = pattern(r" ?(?:FAIL|PASS) +(\S.*?)(?: \([\d.]+ m?s\))?")
_CONSOLE = "  \u25cf Console"
_PRINTED, _PRINTS = pattern(r"  console\.\w+"), pattern(r" +console\.\w+")
_SUMMARY = pattern(r"Summary of all failing tests")
_PLACED = pattern(r"\s*\d+\) (\S+?):\d+:\d+ \u203a .*")


def jest(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show every failure in few lines; the overview of the tests and the summary repeat them."""
    report = Report("jest", rows, texts, asked)
    if not report.is_one:
        return rows
    lines = report.lines
    files = [(i, match[1]) for i in lines if (match := _FILE.fullmatch(texts[i]))]
    for failure in report.failures:
        failure.scope = _above(files, failure.lines[0])
        for place in failure.places:
            file = _PLACED.fullmatch(failure.title)
            if file and f"/{file[1]}:" in place:
                failure.places = [place[place.rindex(file[1]) + len(file[1]) :]]
    equal: dict[tuple[str, ...], list[list[int]]] = {}  # blocks, by what is shown of them
    for block in _printed_blocks(lines, texts):
        report.gone.update(block)
        said = _console(block, texts)
        words = tuple(text_of(row, texts) for row in said)
        if words not in equal:
            report.instead |= each_in_place(said)
        equal.setdefault(words, []).append(block)
    for words, some in equal.items():
        if len(some) > 1 and len(words) == 1:
            every = [i for block in some for i in block]
            told = [i for i in every if texts[i].strip() and texts[i].strip() in words[0]]
            report.instead[every[0]] = [whole(f"{words[0]} [x{len(some)}]", told)]
    report.gone |= _summary(lines, texts, report.gone, report.told)
    return report.shown()


def _above(files: list[tuple[int, str]], index: int) -> str:
    """The file whose tests the line is about."""
    pos = bisect_left(files, (index, ""))
    return files[pos - 1][1] if pos else ""


def _printed_blocks(lines: list[int], texts: Texts) -> list[list[int]]:
    """What tests printed: the line that says so, and all below it that is indented more."""
    found: list[list[int]] = []
    is_inside = False
    for index in lines:
        text = texts[index]
        if text == _CONSOLE or _PRINTED.fullmatch(text):
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
        is_dull = is_place or text == _CONSOLE or EXCERPT.fullmatch(text)
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


def _summary(
    lines: list[int], texts: Texts, gone: set[int], told: dict[int, list[Row]]
) -> set[int]:
    """The heading of the summary, and the files below it that have nothing new."""
    start = find_form(_SUMMARY, lines, texts)
    found = set(lines[start : start + 1])
    filled = [i for i in lines[start + 1 :] if texts[i].strip()]
    for index, following in pairwise(filled):
        is_told = following in gone and not told.get(following)
        if is_told and _FILE.fullmatch(texts[index]):
            found.add(index)
    return found

"""PHPUnit's report: each failure once, by its name and places, and of values that differ what does.

https://docs.phpunit.de/en/11.5/textui.html shows its forms, also that of `--testdox`.
"""

from __future__ import annotations

from itertools import pairwise

from laconic.compact.result import Written
from laconic.compact.shapes.failures import Failure, shown, with_difference
from laconic.compact.shapes.rows import placed, raw_of
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.masks import Mask
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_TOTALS = pattern(r"Tests: \d+, Assertions: \d+.*\.|OK \(\d+ tests?, \d+ assertions?\)")
_TITLE = pattern(r"\d+\) (?:[\w\\]+(?:::\w.*)?|Warning|.*\.phpt|/\S.*\.\w+:\d+)")
_CLASS = pattern(r"(\d+\) )((?:\w+\\)+)(\w+)::")
_LISTED = pattern(r"( [✘∅☢⚠↩] \S.*?)(?: \[[\d.]+ m?s\])?")
_SIDE = pattern(r"   [│├┐┴┊╵╷].*")
_FRAME = pattern(r"/\S.*\.\w+:\d+|#\d+ (?:/[^()]*\(\d+\): .*|\[internal function\]: .*|\{main\})")
_LEGEND = pattern(r"--- (?:Expected|Actual)|\+\+\+ (?:Actual|Expected)|@@ .*@@.*|Stack trace:")
_END = pattern(
    r"(?:ERRORS|FAILURES|WARNINGS)!|OK\b.*|Tests: \d+, .*|--|There (?:was|were) \d+ .*:"
    r"|\d+ tests? triggered \d+ .*:"
    r"|Summary of .*|Time: .*"
)
_DULL = pattern(
    r"Summary of non-successful tests:|PHPUnit [\d.]+ by .*"
    r"|Time: .*|Runtime: .*|Configuration: .*|Random Seed: .*|--"
    r"|Test '.*' (?:started|ended)"  # of --debug
    r"|[.FESIRWDN]+(?: +\d+ / \d+ \( *\d+%\))?"
)
_CAUSE = "Caused by"
# Which tests met what is wrong, of deprecations, notices and warnings.
_TRIGGERED = "Triggered by:"
_INDENT = "   "
_MARK = " "


def may_begin_report(text: str) -> bool:
    return any(form.fullmatch(text) for form in (_DULL, _TITLE, _LISTED, _END, _TOTALS))


def phpunit(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show every failure in few lines, and the totals."""
    lines = raw_of(rows)
    if not any(_TOTALS.fullmatch(texts[i]) for i in lines):
        return rows
    failures = [_read(block, texts, asked.pinned) for block in _blocks(lines, texts)]
    _shorten_classes(failures)
    gone = {i for failure in failures for i in failure.lines}
    gone |= {i for i in lines if not texts[i].strip() or _DULL.fullmatch(texts[i])}
    return placed(rows, shown(failures, _MARK), gone)


def _blocks(lines: list[int], texts: Texts) -> list[list[int]]:
    """The lines of each failure: below a number, or in the list of `--testdox` beside a bar."""
    found: list[list[int]] = []
    is_inside = False
    for index in lines:
        text = texts[index]
        is_listed = _LISTED.fullmatch(text) is not None
        if is_listed or _TITLE.fullmatch(text):
            found.append([])
            is_inside = True
        elif _END.fullmatch(text):
            is_inside = False
        elif is_inside and text.strip() and _LISTED.fullmatch(texts[found[-1][0]]):
            is_inside = _SIDE.fullmatch(text) is not None
        elif is_inside and text.strip() and _FRAME.fullmatch(texts[found[-1][-1]]):
            # they are the last lines of a failure
            is_inside = _FRAME.fullmatch(text) is not None or text == _CAUSE
        if is_inside and text.strip():
            found[-1].append(index)
    return found


def _read(block: list[int], texts: Texts, pinned: Mask) -> Failure:
    title, *body = block
    said = Written({i: _beside(texts[i]) for i in body})
    failure = Failure(block, texts[title].rstrip(), _INDENT)
    if listed := _LISTED.fullmatch(texts[title]):
        failure.title = listed[1]
        failure.name = listed[1].strip()
    causes = [pos for pos, i in enumerate(body) if said[i] == _CAUSE]
    own = body[: causes[0]] if causes else body
    frames = [i for i in own if _FRAME.fullmatch(said[i])]
    failure.add_frames([_place(said[i]) for i in frames])
    if frames and all(said[i].startswith("#") for i in frames):  # the message has the place
        failure.places, failure.foreign = [], len(frames)
    message = [i for i in own if said[i].strip() and i not in frames]
    at = next((pos for pos, i in enumerate(message) if said[i] == _TRIGGERED), len(message))
    failure.said = with_difference(message[:at], _LEGEND, said, pinned)
    failure.said += _triggered(message[at:], said)
    for start, end in pairwise([*causes, len(body)]):
        failure.said.append(_cause(body[start:end], said, failure.places))
    return failure


def _triggered(lines: list[int], said: Written) -> list[tuple[str, list[int]]]:
    """The tests that met what is wrong, in one line; each namespace and directory once."""
    told: set[str] = set()
    parts: list[str] = []
    for index in lines:
        text = said[index].strip().removeprefix("* ")
        start, sign, name = text.rpartition("/" if text.startswith("/") else "\\")
        parts.append(name if start in told else text)
        told |= {start} if sign else set()
    return [(" ".join(parts), lines)] if lines else []


def _shorten_classes(failures: list[Failure]) -> None:
    """Tell the namespace of a class once, unless another has a class of the same name."""
    told: dict[str, str] = {}
    for failure in failures:
        match = _CLASS.match(failure.title)
        if match and told.setdefault(match[3], "") == match[2]:
            failure.title = match[1] + failure.title[match.start(3) :]
        elif match and not told[match[3]]:
            told[match[3]] = match[2]


def _cause(lines: list[int], said: Written, told: list[str]) -> tuple[str, list[int]]:
    """An exception that caused another, with the places that are not told yet."""
    filled = [i for i in lines if said[i].strip()]
    frames = [said[i] for i in filled if _FRAME.fullmatch(said[i]) and said[i] not in told]
    files = {place.rpartition(":")[0] for place in told}
    places = [_name(f) if f.rpartition(":")[0] in files else f for f in frames]
    words = [said[i] for i in filled if not _FRAME.fullmatch(said[i])]
    return " ".join([*words, *places]), filled


def _name(place: str) -> str:
    """The name of a file that is told, with its directory."""
    return "/".join(place.split("/")[-2:])


def _beside(text: str) -> str:
    """What is beside the bar of a list; the text itself without one."""
    return text[5:] if _SIDE.fullmatch(text) else text


def _place(frame: str) -> str:
    return frame.partition(" ")[2].partition("(")[0] if frame.startswith("#") else frame

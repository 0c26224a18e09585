"""What is shown of failed tests: title and places in one line, what is said below; equal ones once.

Reports differ in form only; `report` reads them.
"""

from __future__ import annotations

from laconic.compact.result import numbers_of
from laconic.compact.shapes.changes import telling
from laconic.compact.shapes.native_frames import is_of_library
from laconic.compact.shapes.rows import indent_of, made, text_of, whole
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Sequence
    from typing import TypeAlias

    from laconic.compact.masks import Mask
    from laconic.compact.result import Row
    from laconic.compact.shapes.rows import Texts

    Said: TypeAlias = tuple[str, list[int]]  # a line, and those that it is made of

_MOST_PLACES = 8  # own frames of one failure
_LONGEST = 160  # characters of two values that are in one line
_EXPECTED = pattern(r"\s*(?:#\s*)?(?:[Ee]xpected|got): +\S.*")
_ACTUAL = pattern(r"\s*(?:#\s*)?(?:got|[Aa]ctual|expected): +\S.*")
_BULLETS = " \u25cf\u2716"
_THERE, _THESE = "[same place]", "[same frames]"
_LONG_FRAMES = 24  # characters of frames but the last, which others have, too


class Failure:
    """lines: all that it is read from. title: with its number. name: by which others refer to it.

    code: the line of source that failed, if it is told. said: the message, each line with those
    that it is made of. places: the project's own frames. foreign: how many others there are.
    test: the name of the test. begins: where it does, if that is known. also: the titles of tests
    that failed in the same way. rows: what is shown below of the lines as they are. cut: lines of
    which not all is told.
    """

    __slots__ = (
        "also", "begins", "code", "cut", "foreign", "indent", "lines", "name", "places", "rows",
        "said", "test", "title",
    )  # fmt: skip

    def __init__(self, lines: list[int], title: str, indent: str = "") -> None:
        self.lines, self.title, self.indent = lines, title, indent
        self.code: Said | None = None
        self.said: list[Said] = []
        self.rows: list[Row] = []
        self.places: list[str] = []
        self.foreign = 0
        self.begins = self.test = ""
        self.also: list[str] = []
        self.cut: set[int] = set()
        self.name = title.split(maxsplit=1)[0]

    def add_frames(self, frames: list[str]) -> None:
        """Take over the frames of a trace, the innermost first; a library's are counted."""
        own = [text for text in frames if not is_of_library(text)]
        self.places = _once(own) if own else frames[:1]
        self.foreign = len(frames) - max(len(own), len(self.places))


def _once(frames: list[str]) -> list[str]:
    """Frames without those that are at the same place as the next: calls of built-in functions."""
    places = [text.partition(":in ")[0] for text in frames]
    return [
        t for t, at, after in zip(frames, places, [*places[1:], ""], strict=True) if at != after
    ]


def shown(failures: Iterable[Failure], texts: Texts, mark: str) -> dict[int, list[Row]]:
    """The rows of failures, by the first line of each; what an earlier one says is not told again.

    mark: what stands before places, or a bracket around them.
    """
    found: dict[int, list[Row]] = {}
    told: dict[tuple[object, ...], Failure] = {}
    codes: set[tuple[str, ...]] = set()
    before: tuple[str, ...] = ()
    firsts: list[tuple[Failure, Said | None, str]] = []
    last: tuple[str, ...] = ()
    for failure in failures:
        said = tuple(text.strip() for text, _ in failure.said)
        said += tuple(text_of(row, texts) for row in failure.rows)
        places = tuple(failure.places)
        keys = (
            (said, places),
            (said, places[:-1], "but the last place"),
            (said, failure.code and failure.code[0], "anywhere"),
        )
        again = (failure.title, *keys[0])
        found[failure.lines[0]] = []
        if (said or failure.code) and again in told:  # in a summary at the end
            continue
        told[again] = failure
        first, near, same = (told.setdefault(key, failure) for key in keys)
        is_next, last = said == last, said  # those are told together by another shape
        if (said or failure.code) and first is not failure:
            where = f"{mark}{failure.begins}" if failure.begins else ""
            first.also.append(f"{failure.title.strip(_BULLETS)}{where}")
            continue
        if said and len(places) > 1 and near is not failure:
            where = f"{mark}{places[-1]}"
            text = f"{failure.title}{where} [else the same as {near.name}]"
            found[failure.lines[0]] = [made(text, failure.lines)]
            before = places
            continue
        if said and same is not failure and not is_next:
            text = f"{failure.title}{_where(failure, mark)} [the same as {same.name}]"
            if len(text) < len(failure.title + "".join(said)):
                found[failure.lines[0]] = [made(text, failure.lines)]
                continue
        code = failure.code
        if code and (code[0], *places[:1]) in codes:
            code = None
        elif code:
            codes.add((code[0], *places[:1]))
        is_there = places == before and len("".join(places)) > len(_THERE)
        is_near = len(" ".join(places[:-1])) > _LONG_FRAMES and places[:-1] == before[:-1]
        if is_there:
            failure.places = []
        elif is_near:
            failure.places = [_THESE, places[-1]]
        firsts.append((failure, code, f" {_THERE}" if is_there else mark))
        before = places
    found |= {first.lines[0]: _rows(first, code, where, texts) for first, code, where in firsts}
    return found


def _rows(failure: Failure, code: Said | None, mark: str, texts: Texts) -> list[Row]:
    """Title and places, and what is said: behind them if there is room, else below."""
    title = failure.title + _where(failure, mark)
    also = f" [also {', '.join(failure.also)}]" if failure.also else ""
    said = [*([code] if code else []), *failure.said]
    if not code and not failure.rows and len(said) == 1 and len(said[0][0] + title) <= _LONGEST:
        return [made(f"{title}: {said[0][0].strip()}{also}", failure.lines)]
    below = {index for _, lines in said for index in lines}
    below |= {n - 1 for row in failure.rows for n in numbers_of(row)}
    others = [i for i in failure.lines if i not in below]
    is_whole = title + also == texts[others[0]]
    rows: list[Row] = [others[0] if is_whole else made(title + also, others)]
    if code:
        rows.append(made(f"{failure.indent}{code[0]}", code[1]))
    for text, lines in failure.said:
        row = whole if failure.cut.isdisjoint(lines) else made
        rows.append(row(f"{failure.indent}{text}", lines))
    return [*rows, *failure.rows]


def _where(failure: Failure, mark: str) -> str:
    """The places of a failure; those in the middle of many, and a library's, are counted."""
    places = failure.places
    hidden = len(places) - _MOST_PLACES
    if hidden > 0:
        half = _MOST_PLACES // 2
        places = [*places[:half], f"[{hidden} own frames hidden]", *places[-half:]]
    end = ")" if mark.endswith("(") else ""
    where = f"{mark}{' '.join(places)}{end}" if places and not mark.endswith(_THERE) else ""
    if mark.endswith(_THERE):
        where = mark
    if failure.foreign:
        where += f" [{failure.foreign} foreign frame{'s' if failure.foreign > 1 else ''} hidden]"
    return where


def joined_values(lines: Sequence[int], texts: Texts) -> list[Said]:
    """Lines without their indent; what was expected and what came are in one if they are short."""
    found: list[Said] = []
    pos = 0
    depth = min((indent_of(texts[i]) for i in lines), default=0)
    while pos < len(lines):
        text = texts[lines[pos]]
        following = texts[lines[pos + 1]] if pos + 1 < len(lines) else ""
        is_last = pos + 2 >= len(lines) or indent_of(texts[lines[pos + 2]]) <= indent_of(following)
        if _EXPECTED.fullmatch(text) and _ACTUAL.fullmatch(following) and is_last:
            both = f"{_plain(text)} {_plain(following)}"
            if len(both) <= _LONGEST:
                found.append((both, [lines[pos], lines[pos + 1]]))
                pos += 2
                continue
        found.append((text[depth:].rstrip(), [lines[pos]]))
        pos += 1
    return found


def _plain(text: str) -> str:
    return text.strip().removeprefix("#").strip()


def with_difference(
    message: list[int], legend: re.Pattern[str], texts: Texts, pinned: Mask
) -> list[Said]:
    """A message; of the difference below it, which begins with a line of the legend, what tells."""
    at = next((p for p, i in enumerate(message) if legend.fullmatch(texts[i])), len(message))
    column = indent_of(texts[message[at]]) if at < len(message) else 0
    below = [i for i in message[at:] if not legend.fullmatch(texts[i])]
    changed = telling(below, texts, column, pinned)
    told = ((texts[i][column:].rstrip(), [i]) for i in below if not changed or i in changed)
    return [*joined_values(message[:at], texts), *told]

"""What is shown of failed tests: title and places, what is said below; those that are alike once.

Reports differ in form only; `report` reads them, as the table says.
"""

from __future__ import annotations

from itertools import pairwise

from laconic.compact.result import Written, numbers_of
from laconic.compact.shapes.changes import has_words, telling
from laconic.compact.shapes.frame_forms import Place, is_of_library, read_place
from laconic.compact.shapes.rows import indent_of, made, text_of, whole
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.masks import Mask
    from laconic.compact.result import Row
    from laconic.compact.shapes.rows import Texts
    from laconic.compact.shapes.runners import Runner

_MOST_PLACES = 8  # own frames of one failure
_LONGEST = 160  # characters of a title and a message in one line
_FEW = 2  # titles of others that stand behind the first
_BULLETS = " \u25cf\u2716"
# The source around a place, and the mark below it, as the runners print them.
_EXCERPT = pattern(r"\s*>?\s*\d+ ?\|(?: .*)?|\s+\|?\s*\^[\^~ ]*\s*")
_IN_BLOCK = pattern(r":in [`'](?:.*#)?(?:block |<top |<main>|rescue in block ).*")


class Failure:
    """lines: all that it is read from. title: with its number. test: the name of the test.

    places: the project's own frames. foreign: how many others there are. begins: where the test
    does, if that is known. also: the titles of tests that failed in the same way. rows: what is
    said below the title.
    """

    __slots__ = ("also", "begins", "foreign", "lines", "places", "rows", "test", "title")

    def __init__(self, lines: list[int], title: str) -> None:
        self.lines, self.title = lines, title
        self.rows: list[Row] = []
        self.places: list[str] = []
        self.foreign = 0
        self.begins = self.test = ""
        self.also: list[str] = []


def fill(
    failure: Failure, runner: Runner, body: list[int], texts: Texts, pinned: Mask, place: str
) -> None:
    """Read what is below the title; place: where the test begins, if the title has that."""
    place = place or next((m[1] for i in body if (m := runner.begun.fullmatch(texts[i]))), "")
    said = Written({i: runner.beside.sub("", texts[i]) for i in body})
    body = [i for i in body if said[i].strip() and not runner.noise.fullmatch(said[i])]
    frames = {i: frame for i in body if (frame := _frame(failure, runner, said[i]))}
    hidden = _equal(runner, body, said, pinned)
    hidden |= _values(runner, body, said) if hidden else set()
    hidden |= {i for i in body if _EXCERPT.fullmatch(said[i])} if frames else set()
    for index in body:
        if index not in hidden and index not in frames:
            only = runner.said.fullmatch(said[index])
            failure.rows.append(_row(only[1] if only else said[index], index, texts))
    own = list(dict.fromkeys(f.text for f in frames.values() if not f.is_foreign))
    innermost = [f.text for f in frames.values() if f.text and f.is_known]
    own = own or innermost[: not (place or runner.is_below)]
    failure.foreign = 0 if runner.is_script else len(frames) - len(own)
    failure.places = _with_start(place, _once(own)) if place else _once(own)


def _row(text: str, index: int, texts: Texts) -> Row:
    if text == texts[index]:
        return index
    is_whole = not any(map(str.isalnum, texts[index].replace(text, "", 1)))
    return (whole if is_whole else made)(text, [index])


def _frame(failure: Failure, runner: Runner, text: str) -> Place | None:
    if runner.is_script:
        return read_place(text)
    match = runner.frame.fullmatch(text)
    if match is None:
        return None
    groups = match.groupdict()
    place, function = groups["place"] or "", groups.get("function") or ""
    is_test = function.rstrip("'").endswith(failure.test.rpartition("#")[2] or "\n")
    told = place if is_test or _IN_BLOCK.fullmatch(function) else place + function
    return Place(told, is_foreign=not place or is_of_library(place))


def _once(frames: list[str]) -> list[str]:
    """Frames without those that are at the same place as the next: calls of built-in functions."""
    places = [text.partition(":in ")[0] for text in [*frames, ""]]
    return [text for text, (at, after) in zip(frames, pairwise(places), strict=True) if at != after]


def _with_start(place: str, own: list[str]) -> list[str]:
    """The place of a test, with the column where it failed, and the other frames."""
    line = place.rpartition(":")[0]
    same = [at for at in own if at == place or at.rpartition(":")[0].endswith(line)]
    if same and not same[0].endswith(place):
        place += f", {same[0].rpartition('/')[2]}"
    return [*(at for at in own if at not in same), place]


def _values(runner: Runner, body: list[int], texts: Texts) -> set[int]:
    """The lines of values, of which a difference tells what an agent acts on."""
    found: set[int] = set()
    depth = -1  # that of the line above, if it names a value
    for index in body:
        text = texts[index]
        if depth < 0 or indent_of(text) <= depth:
            depth = indent_of(text) if runner.values.fullmatch(text) else -1
        if depth >= 0:
            found.add(index)
    return found


def _equal(runner: Runner, body: list[int], texts: Texts, pinned: Mask) -> set[int]:
    """What need not be shown of differences: all but one of them, and what is equal in that.

    None is shown if the message above it has every value that it tells apart.
    """
    legends = [pos for pos, i in enumerate(body) if runner.legend.fullmatch(texts[i])]
    heads = [pos for before, pos in pairwise([-2, *legends]) if pos != before + 1]
    heads = [p for p in heads if p == heads[0] or not texts[body[p]].lstrip().startswith("@@")]
    gone: set[int] = set()
    is_told = False
    for start, following in pairwise([*heads, len(body)]):
        legend = [body[pos] for pos in legends if start <= pos < following]
        block: list[int] = []
        for index in (i for i in body[start:following] if i not in legend):
            if read_place(texts[index]) or _EXCERPT.fullmatch(texts[index]):
                break
            block.append(index)
        column = indent_of(texts[legend[0]])
        changed = telling(block, texts, column, pinned)
        if not changed:
            continue
        words = "\n".join(texts[i] for i in body[: heads[0]])
        signed = [texts[i][column + 1 :].strip() for i in changed if texts[i][column] in "-+"]
        if is_told or all(has_words(words, text) for text in signed):
            gone |= {*legend, *(i for i in block if not pinned[i])}
        else:
            gone |= {*block} - changed | set(legend if len(legend) > 1 else ())
        is_told = True
    return gone


def shown(failures: list[Failure], texts: Texts, mark: str) -> dict[int, list[Row]]:
    """What is shown of failures, by the first line of each; alike ones with the first of them.

    mark: what is written before places, or a bracket around them.
    """
    firsts: dict[tuple[str, ...], Failure] = {}
    told: list[Failure] = []
    for failure in failures:
        said = tuple(text_of(row, texts).strip() for row in failure.rows)
        first = firsts.setdefault(said, failure) if said else failure
        if first is failure:
            told.append(failure)
            continue
        where = f"{mark}{failure.begins}" if failure.begins else ""
        if failure.places != first.places:
            where = _at(failure.places[:_MOST_PLACES], mark)
        title = f"{failure.title.strip(_BULLETS)}{where}"
        is_again = (failure.title, failure.places) == (first.title, first.places)
        if not is_again and title not in first.also:  # as it is in a summary at the end
            first.also.append(title)
    found: dict[int, list[Row]] = {failure.lines[0]: [] for failure in failures}
    return found | {failure.lines[0]: _rows(failure, mark, texts) for failure in told}


def _rows(failure: Failure, mark: str, texts: Texts) -> list[Row]:
    """Title and places, and what is said: behind them if there is room, else below."""
    title = failure.title + _where(failure, mark)
    also = f" [also {', '.join(failure.also)}]" if failure.also else ""
    is_long = len(failure.also) > _FEW
    last: list[Row] = [made(also[1:], failure.lines)] if is_long else []
    also = "" if is_long else also
    if len(failure.rows) == 1:
        said = text_of(failure.rows[0], texts).strip()
        if len(said + title) <= _LONGEST:
            return [made(f"{title}: {said}{also}", failure.lines), *last]
    below = {n - 1 for row in failure.rows for n in numbers_of(row)}
    others = [i for i in failure.lines if i not in below]
    is_whole = title + also == texts[others[0]]
    return [others[0] if is_whole else made(title + also, others), *failure.rows, *last]


def _where(failure: Failure, mark: str) -> str:
    """The places of a failure; those in the middle of many, and a library's, are counted."""
    places = failure.places
    hidden = len(places) - _MOST_PLACES
    if hidden > 0:
        half = _MOST_PLACES // 2
        places = [*places[:half], f"[{hidden} own frames hidden]", *places[-half:]]
    where = _at(places, mark)
    if failure.foreign:
        where += f" [{failure.foreign} foreign frame{'s' if failure.foreign > 1 else ''} hidden]"
    return where


def _at(places: list[str], mark: str) -> str:
    end = ")" if mark.endswith("(") else ""
    return f"{mark}{' '.join(places)}{end}" if places else ""

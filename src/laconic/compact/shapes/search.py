"""Hits of a search: each file once, and below it the number and text of each hit.

Beyond the budget the first hits of each file are shown, and the places of the others; or, where
there are too many, the places of all, and the texts that occur most.
"""

from __future__ import annotations

from collections import Counter

from laconic.compact.result import MADE, SHORT, Shown
from laconic.compact.shapes.entries import PATH
from laconic.compact.shapes.repeats import LOG_LINE, OF_REQUEST, kind_of
from laconic.compact.shapes.rows import indent_of, made, placed, raw_of, whole
from laconic.compact.tokens import estimate
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

# Tokens, as estimated: of hits, and of what sums up very many: a share of them, within bounds.
BUDGET, _OF_DIGEST, _LEAST, _PART = 1200, 4000, 600, 12
_OF_SEVERAL = 900  # tokens of the hits of files of which several are shown
_FEWEST, _SHARE = 4, 0.45
_SMALL = 150  # tokens, below which lines stay as long as they are
_WIDTH = 160  # characters of a line, up to which a hit is whole: an edit is written from it
# Hits of each file that are shown, as many as there is room for.
_SOME = (10**6, 64, 48, 32, 24, 16, 12, 10, 8, 6, 5, 4, 3, 2, 1)
_FEWEST_OF_LOG, _LOG_SHARE = 20, 0.8  # lines of a log, which are shown by kind
_STAMP = 60  # characters of a time, a level and a source, before the message of a line of a log
_OF_CONTEXT = 6  # lines for each hit with its context
_OFTEN = 3
_MOST_DIRECTORIES = 30  # of which the hits are counted
_FEW_PLACES = 4  # numbers of hits of a file whose texts are not shown
_OF_COUNT = 30  # tokens of the line that counts what is not shown
_LONGEST = 200  # characters of a hit that stands for others
_FEWEST_IN_BLOCK = 2
_FEWEST_SHARED = 3  # files of one directory, which is written once
# The line of a log begins with a time, whose hour, minute and second are not a place.
_NO_TIME = (
    r"(?!\W?(?:\d{4}[-/]\d\d[-/]\d\d[T _]|\w{3} [ \d]\d )?\d\d?:\d\d:\d\d)" rf"(?!{OF_REQUEST})"
)
_HIT = pattern(rf"{_NO_TIME}((?:[A-Za-z]:)?[^\s:][^:\n]{{0,300}}?):(\d+)([:])(.*)")
_CONTEXT = pattern(rf"{_NO_TIME}((?:[A-Za-z]:)?[^\s:][^:\n]{{0,300}}?)-(\d+)([-])(.*)")
_NUMBERED = pattern(rf"{_NO_TIME}()(\d+)([:-])(?!\d\d[:-]\d\d)(.*)")  # nor a date
_NAMED = pattern(r"((?:[\w.@+~-]+/)*[\w.@+~-]+\.\w+)()(:)(.*)")
# A path, perhaps after the revision that was searched: git-grep(1).
_CERTAIN = pattern(
    rf"{_NO_TIME}((?:[A-Za-z][\w./~^@-]*:)?(?=[\d_@+~/-]*(?:[^\W\d_]|\.))[\w.@+~/-]+):(\d+)(:)"
    r"(?!\d+:\d)(.*)"
)


class Hit:
    __slots__ = ("index", "number", "path", "sign", "text")

    def __init__(self, index: int, path: str, number: str, sign: str, text: str) -> None:
        self.index, self.path, self.number, self.sign, self.text = index, path, number, sign, text


def search(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show hits by file; the same rows if most lines are not hits."""
    if asked.status and not asked.is_listed:
        return rows  # lines with places after a failure may be anything, and are not cut
    lines = raw_of(rows)
    heads = _headings(lines, texts)
    found = _below(heads, lines, texts) if heads else _read(lines, texts, asked)
    named = [i for i in lines if texts[i].strip() and texts[i] != "--" and i not in heads]
    fewest = _SHARE * len(named) if asked.is_listed else len(named)
    if len(found) < max(_FEWEST, fewest):
        return _by_block(
            rows, texts, asked
        )  # a line between hits may be the heading of the hits below it
    shown = None if _is_long_log(found) else _fitting(found, _width(found, texts, asked), asked)
    shown = shown or _counted(found)
    asked.allow(_OF_DIGEST)
    first = found[0].index
    gone = {hit.index for hit in found} | {i for i in lines if texts[i] == "--"} | heads
    return placed(rows, {first: list(shown)}, gone)


def _fitting(hits: list[Hit], width: int, asked: Asked) -> list[Shown] | None:
    """The hits of each file, as many as there is room for; None if there is none for any."""
    fitting: list[Shown] | None = None
    low, high, most = 0, len(_SOME), 0  # whether all of them fit is tried first
    while low < high:
        shown = _by_file(hits, width, asked, _SOME[most])
        room = BUDGET if _SOME[most] == 1 else _OF_SEVERAL
        if sum(estimate(row.text) + 1 for row in shown) <= room:
            fitting, high = shown, most
        else:
            low = most + 1
        most = (low + high) // 2
    return fitting


def _is_log(hits: list[Hit]) -> bool:
    """Tell whether the hits are lines of logs."""
    return sum(LOG_LINE.match(hit.text) is not None for hit in hits) > _LOG_SHARE * len(hits)


def _is_long_log(hits: list[Hit]) -> bool:
    """Tell whether the hits are lines of one log, which repeat themselves with other times."""
    is_one = len({hit.path for hit in hits}) == 1 and all(hit.sign == ":" for hit in hits)
    return is_one and len(hits) >= _FEWEST_OF_LOG and _is_log(hits)


def _headings(lines: list[int], texts: Texts) -> set[int]:
    """The paths with hits below them, as `rg --heading` writes them: after a blank line, or first.

    Nothing if a blank line is followed by anything else.
    """
    found: set[int] = set()
    for before, index, after in zip([-1, *lines], lines, [*lines[1:], -1], strict=False):
        is_start = before < 0 or not texts[before].strip()
        if not is_start or not texts[index].strip():
            continue
        if after < 0 or not PATH.fullmatch(texts[index]) or not _NUMBERED.fullmatch(texts[after]):
            return set()
        found.add(index)
    return found


def _below(heads: set[int], lines: list[int], texts: Texts) -> list[Hit]:
    path, found = "", []
    for index in lines:
        if index in heads:
            path = texts[index]
        elif match := _NUMBERED.fullmatch(texts[index]):
            found.append(Hit(index, path, *match.groups()[1:]))
    return found


def _width(hits: list[Hit], texts: Texts, asked: Asked) -> int:
    """Where a line is cut; 0: nowhere."""
    cost = estimate("\n".join(texts[hit.index] for hit in hits))
    if cost < _SMALL or asked.status:  # what says what is wrong is not cut
        return 0
    return _WIDTH + (_STAMP if _is_log(hits) else 0)


def _by_block(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show neighbouring hits among lines of other kinds, each block at its place."""
    blocks = [block for block in _blocks(rows, texts) if len(block) >= _FEWEST_IN_BLOCK]
    hits = [hit for block in blocks for hit in block]
    if len(hits) < _FEWEST:
        return rows
    width = _width(hits, texts, asked)
    instead: dict[int, list[Row]] = {
        b[0].index: list(_by_file(b, width, asked, len(b))) for b in blocks
    }
    return placed(rows, instead, {hit.index for hit in hits})


def _blocks(rows: list[Row], texts: Texts) -> Iterator[list[Hit]]:
    """Neighbouring lines that are certainly hits: of named files, or with growing numbers."""
    block: list[Hit] = []
    paths = {m[1] for row in rows if isinstance(row, int) and (m := _CERTAIN.match(texts[row]))}
    for row in rows:
        hit = _certain(row, texts[row], paths) if isinstance(row, int) else None
        if hit is None or (block and not _continues(block[-1], hit)):
            yield block
            block = []
        if hit is not None:
            block.append(hit)
    yield block


def _certain(index: int, text: str, paths: set[str]) -> Hit | None:
    """The hit in a line, or a line of context, if its file has hits."""
    match = _CERTAIN.fullmatch(text) or _NUMBERED.fullmatch(text)
    if match is None:
        match = _CONTEXT.fullmatch(text)
        match = match if match and match[1] in paths else None
    return Hit(index, *match.groups()) if match else None


def _continues(before: Hit, hit: Hit) -> bool:
    """Tell whether a hit may be in one block with the hit before it."""
    if bool(before.path) != bool(hit.path):
        return False
    return hit.path != before.path or int(before.number) < int(hit.number)


def _read(lines: list[int], texts: Texts, asked: Asked) -> list[Hit]:
    """The hits, all in one form.

    What says that something is wrong, and would be in a file whose path has a blank, is not one.
    """
    for form in (_HIT, _NUMBERED, _NAMED):
        matches = [(i, form.fullmatch(texts[i])) for i in lines if texts[i] != "--"]
        found = [
            Hit(i, *m.groups()) for i, m in matches if m and not (asked.pinned[i] and " " in m[1])
        ]
        if form is _NUMBERED and any(not hit.text and not hit.sign for hit in found):
            continue
        if form is _NAMED and all(hit.text.isdigit() for hit in found):
            return []  # the hits of each file are counted
        if form is _HIT and len(found) < len(matches):
            paths = {hit.path for hit in found}
            found += [
                Hit(i, *m.groups())
                for i, t in _rest(matches, texts)
                if (m := _CONTEXT.fullmatch(t)) and m[1] in paths
            ]
            found.sort(key=lambda hit: hit.index)
        if len(found) >= _SHARE * max(1, len(matches)):
            return found
    return []


def _rest(matches: Sequence[tuple[int, object]], texts: Texts) -> list[tuple[int, str]]:
    return [(i, texts[i]) for i, match in matches if not match]


def _by_file(hits: list[Hit], width: int, asked: Asked, most: int) -> list[Shown]:
    """The hits below the names of their files, so many of each; of the others their places."""
    shown: list[Shown] = []
    files: dict[str, list[Hit]] = {}
    for hit in hits:
        files.setdefault(hit.path, []).append(hit)
    for directory, paths in _by_directory(files):
        every = [hit.index for path in paths for hit in files[path]]
        shown += [made(directory, every)] if directory else []
        same = _with_same_text({path: files[path] for path in paths}) if directory else {}
        shown += [_in_files(directory, hits, width, asked) for hits in same.values()]
        told = {hit.path for hits in same.values() for hit in hits}
        for path in paths:
            if path not in told:
                shown += _of_file(path.removeprefix(directory), files[path], width, asked, most)
    return shown


def _with_same_text(files: dict[str, list[Hit]]) -> dict[str, list[Hit]]:
    """The hits with the same text in several files, by that text."""
    texts: dict[str, list[Hit]] = {}
    for hits in files.values():
        if all(hit.number and hit.sign == ":" for hit in hits):
            texts.setdefault(hits[0].text.strip(), []).extend(hits)
    return {text: hits for text, hits in texts.items() if len(hits) >= _FEWEST_SHARED}


def _in_files(directory: str, hits: list[Hit], width: int, asked: Asked) -> Shown:
    """`import os [x3]: a.py:7 b.py:12 c.py:9`."""
    text = hits[0].text.strip()
    cut = _cut(text, width, asked)
    places = " ".join(f"{hit.path.removeprefix(directory)}:{hit.number}" for hit in hits)
    line = f"{cut} [x{len(hits)}]: {places}"
    if "…" in cut and "…" not in text:
        return Shown(SHORT, line, [hit.index + 1 for hit in hits])
    return whole(line, [hit.index for hit in hits])


def _of_file(path: str, hits: list[Hit], width: int, asked: Asked, most: int) -> list[Shown]:
    if any(hit.sign == "-" for hit in hits):
        some = hits[: most * _OF_CONTEXT]
        return [*_with_context(path, some), *_places_of(hits[len(some) :])]
    same: dict[tuple[str, str], list[Hit]] = {}
    for hit in hits:
        same.setdefault((hit.sign, hit.text.rstrip()), []).append(hit)
    groups = list(same.items())
    if path and len(groups) == 1:
        return [_line(f"{path}:", *groups[0], width, asked)]
    start = [made(f"{path}:", [hit.index for hit in hits])] if path else []
    rest = sorted((hit for _, members in groups[most:] for hit in members), key=lambda h: h.index)
    told = [_line("", key, members, width, asked) for key, members in groups[:most]]
    return [*start, *told, *_places_of(rest)]


def _places_of(hits: list[Hit]) -> list[Shown]:
    """The places of hits whose text is not shown, or their number if they have none."""
    if not hits:
        return []
    numbers = [hit.number for hit in hits if hit.sign == ":" and hit.number]
    start = f"{','.join(numbers)}: " if 0 < len(numbers) <= _FEW_PLACES else ""
    end = f", to line {numbers[-1]}" if len(numbers) > _FEW_PLACES else ""
    return [made(f"{start}[{len(numbers) or len(hits)} more{end}]", [hit.index for hit in hits])]


def _by_directory(files: dict[str, list[Hit]]) -> Iterator[tuple[str, list[str]]]:
    """The files in groups: those of a directory that have one text each, which share its name."""
    if any("/" not in path for path in files):
        yield "", list(files)
        return
    directories: dict[str, list[str]] = {}
    for path in files:
        directories.setdefault(path[: path.rfind("/") + 1], []).append(path)
    for directory, paths in directories.items():
        alone = [path for path in paths if len({hit.text.strip() for hit in files[path]}) == 1]
        is_shared = len(alone) >= _FEWEST_SHARED
        if is_shared:
            yield directory, alone
        yield "", [path for path in paths if not (is_shared and path in alone)]


def _with_context(path: str, hits: list[Hit]) -> list[Shown]:
    """Hits with context are read as text: in order, whole and indented."""
    shown = [made(f"{path}:", [hit.index for hit in hits])] if path else []
    for hit in hits:
        if hit.sign == "-" and not hit.text.strip():
            continue
        indent = hit.text[: indent_of(hit.text)]
        line = f"{hit.number}{hit.sign}{indent}{' '.join(hit.text.split())}"
        shown.append(whole(line, [hit.index]))
    return shown


def _line(start: str, key: tuple[str, str], hits: list[Hit], width: int, asked: Asked) -> Shown:
    sign, text = key
    numbers = ",".join(hit.number for hit in hits if hit.number)
    cut = _cut(text, width, asked)
    line = f"{start}{numbers}{sign if numbers else ''}{cut}"
    if "…" in cut and "…" not in text:
        return Shown(SHORT, line, [hit.index + 1 for hit in hits])
    return whole(line, [hit.index for hit in hits])


def _cut(text: str, width: int, asked: Asked) -> str:
    """A line cut to the width, around what was searched for; then its blanks are not kept."""
    if not width or len(text) <= width + 4:
        return text
    text = " ".join(text.split())
    if len(text) <= width + 4:
        return text
    start = asked.hits.first(text) if asked.hits else None
    if start is None or start < width * 2 // 3:
        return f"{text[:width].rstrip()}…"
    begin = max(0, start - width // 3)
    end = begin + width
    return f"…{text[begin:end].strip()}{'…' if end < len(text) else ''}"


def _counted(hits: list[Hit]) -> list[Shown]:
    """Hits per file, by directory, and the texts that occur often; of one file, kinds of lines."""
    every = [hit.index + 1 for hit in hits]
    files = Counter(hit.path for hit in hits)
    if len(files) == 1:
        return _of_one_file(hits)
    words = Counter(hit.text.strip() for hit in hits)
    many = f"{len(hits)} hits in {len(files)} files; {len(words)} different texts"
    numbers: dict[str, list[str]] = {}
    for hit in hits:
        numbers.setdefault(hit.path, []).append(hit.number)
    places = {path: f":{','.join(some)}" for path, some in numbers.items() if all(some)}
    room = sum(estimate(hit.text) + estimate(hit.path) for hit in hits) // _PART
    room = min(_OF_DIGEST, max(_LEAST, room))
    lines, what = _of_directories(places, every), "lines of each file"
    if len(places) < len(files) or sum(estimate(line.text) + 1 for line in lines) > room // 2:
        counts = {path: f"={count}" for path, count in files.items()}
        lines, what = _of_directories(counts, every), "hits per file"
    if sum(estimate(line.text) + 1 for line in lines) > room * 3 // 4:
        lines, what = _by_number(files, every), "hits and files per directory"
    shown = [Shown(MADE, f"[{many}; narrow the search to see more; {what}:]", every), *lines]
    left = room - sum(estimate(row.text) + 1 for row in shown)
    frequent = _frequent(words, left) or [f"[the first text: {hits[0].text.strip()[:100]}]"]
    return shown + [Shown(MADE, text, every) for text in frequent]


def _frequent(words: Counter[str], left: int) -> list[str]:
    """The texts that occur often, below how many hits they have, as far as there is room."""
    lines: list[str] = []
    total = 0
    for text, count in words.most_common():
        line = f"{count} x {text[:100]}"
        left -= estimate(line) + 1
        if count < _OFTEN or left < 0:
            break
        lines.append(line)
        total += count
    of_all = f"{total} of the {words.total()} hits"
    return [f"[texts that occur {_OFTEN} times and more: {of_all}]", *lines] if lines else []


def _of_directories(files: dict[str, str], every: list[int]) -> list[Shown]:
    """The files, each with what is said of it, in a line for each directory."""
    directories: dict[str, list[str]] = {}
    for path, said in files.items():
        start = path.rfind("/") + 1
        directories.setdefault(path[:start] or "./", []).append(f"{path[start:]}{said}")
    return [Shown(MADE, f"{d}: {' '.join(some)}", every) for d, some in directories.items()]


def _by_number(files: Counter[str], every: list[int]) -> list[Shown]:
    """How many hits the directories have, those with the most of them first."""
    hits: Counter[str] = Counter()
    for path, count in files.items():
        hits[path[: path.rfind("/") + 1] or "./"] += count
    many = Counter(path[: path.rfind("/") + 1] or "./" for path in files)
    told = [f"{d} {count} in {many[d]}" for d, count in hits.most_common(_MOST_DIRECTORIES)]
    more = [f"[{len(hits) - len(told)} more]"] if len(hits) > len(told) else []
    return [Shown(MADE, ", ".join([*told, *more]), every)]


def _of_one_file(hits: list[Hit]) -> list[Shown]:
    """The first hit of each kind, with the number of those like it; rare kinds have room first."""
    kinds: dict[str, list[Hit]] = {}
    for hit in hits:
        kinds.setdefault(kind_of(hit.text), []).append(hit)
    lines = {kind: _of_kind(members) for kind, members in kinds.items()}
    start = [made(f"{hits[0].path}:", [hits[0].index])] if hits[0].path else []
    left, shown = _OF_DIGEST - _OF_COUNT, set()
    for kind in sorted(kinds, key=lambda kind: len(kinds[kind])):
        left -= estimate(lines[kind].text) + 1
        if left < 0:
            break
        shown.add(kind)
    rest = [hit.index for kind, members in kinds.items() if kind not in shown for hit in members]
    many = f"{len(rest)} of {len(hits)} hits, in {len(kinds) - len(shown)} kinds of lines"
    end = [made(f"[not shown: {many}; narrow the search to see more]", rest)] if rest else []
    return [*start, *(line for kind, line in lines.items() if kind in shown), *end]


def _of_kind(hits: list[Hit]) -> Shown:
    first, others = hits[0], hits[1:]
    sign = first.sign if first.number else ""
    text = f"{first.number}{sign}{' '.join(first.text.split())[:_LONGEST]}"
    if not others:
        return Shown(SHORT, text, [first.index + 1])
    last = f", to line {others[-1].number}" if others[-1].number else ""
    return made(f"{text} [and {len(others)} like it{last}]", [hit.index for hit in hits])

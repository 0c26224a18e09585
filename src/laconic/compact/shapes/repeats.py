"""Lines of one kind, wherever they are: the first and the last are shown, the others counted.

Two lines are of one kind if they differ only in numbers, paths, names with digits and quoted words.
"""

from __future__ import annotations

from itertools import pairwise

from laconic.compact.diagnostics import is_diagnostic
from laconic.compact.shapes.folded_names import folded
from laconic.compact.shapes.rows import made, placed, raw_of, whole
from laconic.compact.tokens import estimate
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_MANY, _MANY_OF_LOG = 20, 6  # lines of one kind, of which only two are shown
_LOG_SHARE = 0.6  # of the lines of a log that begin with a time or a level
LOG_LINE = pattern(
    r"\W?(?:\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d"
    r"|\[ *\d+\.\d{6}\] |(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)\b)"
)
# Lines that say where they belong: of a log, with a place, and those of a trace.
_ALONE = pattern(
    rf"{LOG_LINE.pattern}|\s*[^\s:]+\.\w+:\d+(?::\d+)?: +\S|\s*File \"[^\"]*\", line \d+"
)
# The time that a line of a log begins with: klog's, ISO 8601, syslog's, the kernel's.
_STAMP = pattern(
    r"[\[(]?(?:[IWEF]\d{4} )?(?:\d{4}[-/]\d\d[-/]\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d+)?"
    r"(?:Z|[+-]\d\d:?\d\d)?[\])]? +(?:\d+ (?=\S+\.go:))?|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d "
    r"|\[ *\d+\.\d+\] "
)
_EQUAL = 3  # equal lines, of which one is
_MOST_MEMBERS = 500  # of one kind, whose words are compared
_MOST_VALUES = 60  # tokens of the words in which lines differ
_MASK = pattern(
    r"\"[^\"]*\"|'[^']*'|[\w.-]+(?:\[[\w,-]+\])?==\S+|\b0x[0-9a-fA-F]+|\b[0-9a-f]{7,64}\b"
    r"|[^\s=\[\](),;\"']*[/\\@][^\s=\[\](),;\"']*|[\w%.+~-]*\d[\w%.+~:-]*|\b[\w-]+\.[\w.-]*\w"
)
_PATH = pattern(r"(['\"]?(?:.*/)?)([^/]+?)((?:\.[A-Za-z]\w*)?['\"]?)")
_DIGITS = dict.fromkeys(map(ord, "0123456789"))
_WORDS = pattern(r"[A-Za-z]{2,}")


def repeats(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Fold kinds of lines that occur often, and lines that are equal."""
    lines = raw_of(rows)
    kinds = by_kind([index for index in lines if _says_something(texts[index])], texts)
    instead: dict[int, list[Row]] = {}
    gone: set[int] = set()
    stamped = sum(LOG_LINE.match(texts[index]) is not None for index in lines)
    many = _MANY_OF_LOG if stamped > _LOG_SHARE * len(lines) else _MANY
    filled = [index for index in lines if texts[index].strip()] if asked.status else []
    following = dict(pairwise([*filled, *filled[-1:]]))
    for kind, members in kinds.items():
        if not kind.strip("\0 ") and len(kind) < 8:  # noqa: PLR2004 - nothing but what varies
            continue
        if asked.status and _is_of_others(members, texts, following):
            continue
        folded_rows = _folded(kind, members, texts, asked, many)
        if folded_rows:
            instead |= folded_rows
            gone |= set(members) - set(folded_rows)
    return placed(rows, instead, gone)


def _is_of_others(members: list[int], texts: Texts, filled: Mapping[int, int]) -> bool:
    """Tell whether lines belong to what is around each of them, in a report of failures.

    What was expected of one test would be missing there if it were told at another, and the name of
    a test if only the names were counted. A line of a log, or with a place, stands alone, and so do
    lines that follow each other. filled: the lines that are not blank, with the next of each.
    """
    if all(_ALONE.match(texts[index]) for index in members):
        return False
    follows = sum(filled[above] == index for above, index in pairwise(members))
    if len({texts[index] for index in members}) == 1:
        return follows < len(members) - 1
    if 2 * follows >= len(members):
        return False
    nested = sum(texts[i][:1].isspace() or texts[filled[i]][:1].isspace() for i in members)
    return 2 * nested > len(members) or not _WORDS.search(kind_of(texts[members[0]]))


def _says_something(text: str) -> bool:
    """Tell whether a line is more than `}`."""
    return bool(text.strip()) and (_WORDS.search(text) is not None or len(text) > len("   "))


def by_kind(lines: list[int], texts: Texts) -> dict[str, list[int]]:
    """Lines by their kinds; those that differ only in digits are looked at once."""
    kinds: dict[str, list[int]] = {}
    known: dict[str, str] = {}
    for index in lines:
        plain = texts[index].translate(_DIGITS)
        if plain not in known:
            known[plain] = kind_of(texts[index])
        kinds.setdefault(known[plain], []).append(index)
    return kinds


def kind_of(text: str) -> str:
    return _MASK.sub("\0", text)


def _folded(
    kind: str, members: list[int], texts: Texts, asked: Asked, many: int
) -> dict[int, list[Row]]:
    """What replaces some of the lines; nothing if all stay."""
    first, last = members[0], members[-1]
    distinct = dict.fromkeys(texts[i] for i in members)
    if len(distinct) == 1:
        if len(members) < _EQUAL:
            return {}
        return {first: [whole(f"{texts[first]} [x{len(members)}]", members)]}
    if len(members) >= _EQUAL and len({_without_time(text) for text in distinct}) == 1:
        return {first: [whole(f"{texts[first]} [x{len(members)}, at other times]", [first])]}
    if len(members) < many or (asked.status and _is_wrong(kind, members, asked)):
        return {}
    values = values_of(members, texts)
    if values:
        said = f"{texts[first]} [and {len(members) - 1} like it: {values}]"
        return {first: [whole(said, [first])]}
    others = made(f"[{len(members) - 2} more lines like the next]", members[1:-1])
    return {first: [first], last: [others, last]}


def _without_time(text: str) -> str:
    stamp = _STAMP.match(text)
    return text[stamp.end() :] if stamp else text


def _is_wrong(kind: str, members: list[int], asked: Asked) -> bool:
    """Tell whether lines say what is wrong, and not only a name in some of them."""
    pinned = sum(asked.pinned[index] for index in members)
    return 2 * pinned > len(members) or is_diagnostic(kind.replace("\0", " "))


def values_of(members: list[int], texts: Texts) -> str:
    """The words in which lines differ, if there is one for each line and they are short."""
    if len(members) > _MOST_MEMBERS:
        return ""
    parts = [_MASK.findall(texts[i]) for i in members]
    if len({len(part) for part in parts}) != 1:
        return ""
    columns = [list(column) for column in zip(*parts, strict=True) if len(set(column)) > 1]
    names = [_names(column) for column in columns]
    if not names or any(column != names[0] for column in names):
        return ""
    varied = list(dict.fromkeys(names[0][1:]))
    text = ", ".join(folded(varied))
    return text if estimate(text) <= _MOST_VALUES else ""


def _names(values: list[str]) -> list[str]:
    """What varies in paths of one directory and ending, as in `s/f1.c`; other values are whole."""
    parts = [_PATH.fullmatch(value) for value in values]
    if len({part and (part[1], part[3]) for part in parts}) > 1:
        return values
    return [part[2] if part else value for part, value in zip(parts, values, strict=True)]

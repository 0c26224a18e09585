"""Lines of one kind, wherever they are: the first and the last are shown, the others counted.

Two lines are of one kind if they differ only in numbers, paths, names with digits and quoted words.
"""

from __future__ import annotations

from itertools import groupby, pairwise

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

# Lines of one kind, of which only two are shown, or one if it is told in what the others differ.
_MANY, _MANY_OF_LOG, _FEW = 20, 6, 4
_LOG_SHARE = 0.6  # of the lines of a log that begin with a time or a level
# A request that a server writes down: https://httpd.apache.org/docs/2.4/logs.html#accesslog
OF_REQUEST = r"(?:[^\s:]+|[\da-f:]+) \S+ \S+ \[\d\d/[A-Z][a-z]{2}/\d{4}[: ]\d\d:\d\d:\d\d\b"
LOG_LINE = pattern(
    r"\W?(?:\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d"
    r"|\[ *\d+\.\d{6}\] |[IWEF]\d{4} \d\d:\d\d:\d\d|\d+ (?:silly|verbose|info|http|timing) "
    rf"|{OF_REQUEST}"
    r"|(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)\b)"
)
# Lines that say where they belong: of a log, with a place, and those of a trace.
_ALONE = pattern(
    rf"{LOG_LINE.pattern}|\s*[^\s:]+\.\w+:\d+(?::\d+)?: +\S|\s*File \"[^\"]*\", line \d+"
)
_FINDING = pattern(r"\s*[^\s:]+\.\w+:\d+(?::\d+)?\b")  # each of them is to be mended
# The time that a line of a log begins with: klog's, ISO 8601, syslog's, the kernel's.
_STAMP = pattern(
    r"[\[(]?(?:[IWEF]\d{4} )?(?:\d{4}[-/]\d\d[-/]\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d+)?"
    r"(?:Z|[+-]\d\d:?\d\d)?[\])]? +(?:\d+ (?=\S+\.go:))?|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d "
    r"|\[ *\d+\.\d+\] "
)
_EQUAL = 3  # equal lines, of which one is
_MOST_MEMBERS = 500  # of one kind, whose words are compared
_MOST_VALUES = 60  # tokens of the words in which lines differ
# The same in a failed run: what a few lines name may be what is to be mended.
_FEW_OF_FAILURE, _MOST_OF_FAILURE = 50, 300
_SHARE = 0.5  # of the lines that are not shown, what the words may cost if they are few
_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}"
# What nobody reads beside a name: an identifier that was made up, and how far a run is.
_OPAQUE = pattern(rf"{_UUID}|[0-9a-f]{{12,64}}|\d+%")
_MASK = pattern(
    rf"{_UUID}|"
    r"\"[^\"]*\"|'[^']*'|[\w.-]+(?:\[[\w,-]+\])?==\S+|\b0x[0-9a-fA-F]+|\b[0-9a-f]{7,64}\b"
    r"|[^\s=\[\](),;\"']*[/\\@][^\s=\[\](),;\"']*|[\w%.+~-]*\d[\w%.+~:-]*|\b[\w-]+\.[\w.-]*\w"
)
# What says which kind of record a line of JSON is.
_TELLING = pattern(
    r"\"(?:@?level|severity|lvl|levelname|log\.level|@?message|msg|event|error|err|status)\""
    r" ?: ?(?:\"[^\"]*\"|\w+)"
)
# What a server answered, whose digits say more than others do.
_STATUS = pattern(r"(?:\"([A-Z]+) [^\"]* HTTP/[\d.]+\" |\"status\w*\" ?: ?)([1-5]\d\d)\b")
_PATH = pattern(r"(['\"]?(?:.*/)?)([^/]+?)((?:\.[A-Za-z]\w*)?['\"]?)")
_BLANKS = pattern(r"(?<=\[) +")
_DIGITS = dict.fromkeys(map(ord, "0123456789"))
_WORDS = pattern(r"[A-Za-z]{2,}")


def repeats(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Fold kinds of lines that occur often, and lines that are equal."""
    rows = _with_runs(rows, texts)
    lines = raw_of(rows)
    said = [index for index in lines if _says_something(texts[index])]
    kinds = list(by_kind(said, texts).items())
    answer = set() if asked.status else _rows_of_list(kinds, len(lines))
    instead: dict[int, list[Row]] = {}
    gone: set[int] = set()
    stamped = sum(is_of_log(texts[index]) for index in lines)
    is_log = stamped > _LOG_SHARE * len(lines)
    many = len(lines) + 1 if asked.is_answer else _MANY_OF_LOG if is_log else _MANY
    filled = [index for index in lines if texts[index].strip()] if asked.status else []
    following = dict(pairwise([*filled, *filled[-1:]]))
    if not is_log:
        kinds = [(kind, part) for kind, some in kinds for part in _parts(some, texts)]
    for kind, members in kinds:
        if not kind.strip("\0 ") and len(kind) < 8:  # noqa: PLR2004 - nothing but what varies
            continue
        if asked.status and _is_of_others(members, texts, following):
            continue
        folded_rows = _folded(kind, members, texts, asked, many)
        if folded_rows and not (len(folded_rows) > 1 and members[0] in answer):
            instead |= folded_rows
            gone |= set(members) - set(folded_rows)
    return placed(rows, instead, gone)


def _rows_of_list(kinds: list[tuple[str, list[int]]], total: int) -> set[int]:
    """Lines without words of their own that most of an output is made of: what was asked for."""
    wordless = (members for kind, members in kinds if not _WORDS.search(kind))
    found = {index for members in wordless for index in members}
    return found if 2 * len(found) > total else set()


def _with_runs(rows: list[Row], texts: Texts) -> list[Row]:
    """One row for many equal neighbours that say next to nothing, as `yes` writes them."""
    found: list[Row] = []
    for text, group in groupby(rows, lambda row: texts[row] if isinstance(row, int) else None):
        run = list(group)
        is_one = text is not None and len(run) >= _MANY_OF_LOG and text.strip()
        if text is None or not is_one or _says_something(text):
            found += run
        else:
            found.append(whole(f"{text} [x{len(run)}]", raw_of(run)))
    return found


def is_of_log(text: str) -> bool:
    """Tell whether a line begins as one of a log does, or is a record of JSON."""
    is_record = text[:2] == '{"' and text.rstrip()[-1:] == "}"
    return is_record or LOG_LINE.match(text) is not None


def is_record_of_log(text: str) -> bool:
    """Tell whether a line is a record of JSON that has a level or a message."""
    return text[:1] == "{" and text.rstrip()[-1:] == "}" and _TELLING.search(text) is not None


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
    return _WORDS.search(text) is not None or len(text.strip()) > len("   ")


def by_kind(lines: list[int], texts: Texts) -> dict[str, list[int]]:
    """Lines by their kinds; those that differ only in digits are looked at once."""
    kinds: dict[str, list[int]] = {}
    known: dict[str, str] = {}
    for index in lines:
        text = texts[index]
        plain = text.translate(_DIGITS) + _answer_in(text)
        if plain not in known:
            known[plain] = kind_of(text)
        kinds.setdefault(known[plain], []).append(index)
    return kinds


def _answer_in(text: str) -> str:
    """The method of a request and the status of the answer, if the line of a log has them."""
    match = _STATUS.search(text) if "HTTP/" in text or '"status' in text else None
    return f"{match[1] or ''} {match[2]}" if match else ""


def kind_of(text: str) -> str:
    """The line without what differs between those of a kind; a record keeps level and message."""
    if text[:2] == '{"' and text.rstrip()[-1:] == "}":
        kept = "".join(_TELLING.findall(text)).translate(_DIGITS)
        return _MASK.sub("\0", text) + kept + _answer_in(text)
    return _BLANKS.sub("", _MASK.sub("\0", text)) + _answer_in(text)


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
    if len(members) < min(many, _FEW) or (asked.status and _is_wrong(kind, members, asked)):
        return {}
    if asked.is_answer or (asked.status and all(_FINDING.match(texts[i]) for i in members)):
        return {}
    is_few = bool(asked.status) and len(members) <= _FEW_OF_FAILURE
    values = values_of(members, texts, _MOST_OF_FAILURE if is_few else _MOST_VALUES)
    cost = estimate("\n".join(texts[i] for i in members[1:]))
    is_told = len(members) >= many or (
        estimate(values) <= _SHARE * cost and _stand_alone(members, texts, asked)
    )
    if values and is_told:
        said = f"{texts[first]} [and {len(members) - 1} like it: {values}]"
        return {first: [whole(said, [first])]}
    if len(members) < many:
        return {}
    others = made(f"[{len(members) - 2} more lines like the next]", members[1:-1])
    return {first: [first], last: [others, last]}


def _stand_alone(members: list[int], texts: Texts, asked: Asked) -> bool:
    """Tell whether a few lines of a success are one after another, or say something alone."""
    is_one_block = members[-1] - members[0] == len(members) - 1
    return not asked.status and (is_one_block or not texts[members[0]][:1].isspace())


def _parts(members: list[int], texts: Texts) -> list[list[int]]:
    """Lines of a kind, apart by words of which there are few, if all of them cannot be told."""
    if not _FEW < len(members) <= _MOST_MEMBERS or values_of(members, texts):
        return [members]
    words = [_MASK.findall(texts[index]) for index in members]
    most = len(members) // _FEW
    few = [pos for pos, column in enumerate(zip(*words, strict=False)) if len(set(column)) <= most]
    parts: dict[tuple[str, ...], list[int]] = {}
    for index, own in zip(members, words, strict=True):
        parts.setdefault(tuple(own[pos] for pos in few), []).append(index)
    told = [part for part in parts.values() if len(part) >= _FEW and values_of(part, texts)]
    return list(parts.values()) if told else [members]


def _without_time(text: str) -> str:
    stamp = _STAMP.match(text)
    return text[stamp.end() :] if stamp else text


def _is_wrong(kind: str, members: list[int], asked: Asked) -> bool:
    """Tell whether lines say what is wrong, and not only a name in some of them."""
    pinned = sum(asked.pinned[index] for index in members)
    return 2 * pinned > len(members) or is_diagnostic(kind.replace("\0", " "))


def values_of(members: list[int], texts: Texts, most: int = _MOST_VALUES) -> str:
    """The words in which lines differ, if there is one for each line and they are short."""
    if len(members) > _MOST_MEMBERS:
        return ""
    parts = [_MASK.findall(texts[i]) for i in members]
    if len({len(part) for part in parts}) != 1:
        return ""
    columns = [list(column) for column in zip(*parts, strict=True) if len(set(column)) > 1]
    columns = [c for c in columns if not all(map(_OPAQUE.fullmatch, c))] or columns
    if not columns or len({tuple(_varied(column)) for column in columns}) > 1:
        return ""
    names = max(map(_names, columns), key=lambda names: len(names[0]))
    text = ", ".join(folded(list(dict.fromkeys(names[1:]))))
    return text if estimate(text) <= most else ""


def _varied(values: list[str]) -> list[str]:
    """The values without what they all begin and end with."""
    start = _common(values)
    end = _common([value[start:][::-1] for value in values])
    return [value[start : len(value) - end] for value in values]


def _common(values: list[str]) -> int:
    """How many characters all of them begin with."""
    low, high = min(values), max(values)
    pairs = zip(low, high, strict=False)
    return next((n for n, (one, other) in enumerate(pairs) if one != other), len(low))


def _names(values: list[str]) -> list[str]:
    """What varies in paths of one directory and ending, as in `s/f1.c`; other values are whole."""
    parts = [_PATH.fullmatch(value) for value in values]
    if len({part and (part[1], part[3]) for part in parts}) > 1:
        return values
    shown = [part and (part[2] if "/" in part[1] else f"{part[2]}{part[3]}") for part in parts]
    return [text.strip("\"'") if text else v for text, v in zip(shown, values, strict=True)]

"""The report of node's test runner as TAP: name, place, message and values of each failure.

What it prints is described in https://nodejs.org/api/test.html#test-reporters and, for the blocks
of details, in https://testanything.org/tap-version-13-specification.html.
"""

from __future__ import annotations

from itertools import groupby

from laconic.compact.shapes.changes import NODE_LEGEND, has_words, of_node
from laconic.compact.shapes.rows import each_in_place, indent_of, made, placed, raw_of, whole
from laconic.compact.shapes.script_frames import Stack, read_place
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

    from laconic.compact.masks import Mask
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_RESULT = pattern(r"( *)((?:not )?ok \d+ (?:- )?)(.*)")
_PASSED = pattern(r"ok \d+ (?!- |.*# (?:SKIP|TODO)).*")
_VERSION = "TAP version 13"
_KEY = pattern(r"( +)(\w+):(?: +(.*))?")
_DELIMITER = pattern(r" +(?:---|\.\.\.)")
_SUBTESTS = pattern(r"'\d+ subtests? failed'")
# Keys of node: others have blocks of this form, too.
_OWN = ("location", "stack", "error", "name", "operator")
_TOTAL = pattern(r"(#|\u2139) ((tests|suites|pass|fail|cancelled|skipped|todo) +(\d+))")
# Of what a file prints that cannot be run, and that node writes as comments.
_OF_NODE = pattern(r"#\s+at .*\(node:\S+\)|#\s+\^+|# Node\.js v\d\S*")
_TIME = pattern(r"(?:#|\u2139) duration_ms [\d.]+")
# What every failure has, and what says nothing beyond its message: a key, and its dull values, or
# none if all are.
_DULL: dict[str, tuple[str, ...]] = {
    "duration_ms": (),
    "location": (),
    "operator": (),
    "generatedMessage": (),
    "type": ("'test'", "'suite'"),
    "code": ("'ERR_TEST_FAILURE'", "'ERR_ASSERTION'"),
    "signal": ("~",),
    "failureType": (
        "'testCodeFailure'",
        "'subtestsFailed'",
        "'testTimeoutFailure'",
        "'cancelledByParent'",
    ),
}
_ERROR = pattern(r"[A-Z]\w*(?: \[\w+\])?: (.*)")
_OF_EQUALITY = pattern(r"'?(?:equal|(?:loose|deep|strict|deepStrict)Equal|===?)'?")
_FEWEST = 3


def tap(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Show every failure in few lines, and the totals in one."""
    lines = raw_of(rows)
    instead, gone = _totals(lines, texts)
    gone |= {i for i in lines if _OF_NODE.fullmatch(texts[i])}
    if instead and any(texts[i] == _VERSION for i in lines):
        gone |= _passed(lines, texts)
    results = [
        (pos, match) for pos, i in enumerate(lines) if (match := _RESULT.fullmatch(texts[i]))
    ]
    for pos, match in results:
        if not match[2].startswith("not ") or not asked.status:
            continue
        block = _details(lines, pos, len(match[1]), texts)
        keys = _keys(block, texts)
        if not any(key in keys for key in _OWN):
            continue
        gone.update(block)
        if "error" in keys and _SUBTESTS.fullmatch(keys["error"].value):
            continue  # the name of the suite, below its tests
        gone.add(lines[pos])
        instead |= each_in_place(_failure(lines[pos], keys, texts, asked.pinned))
    gone |= {i for pos, match in results for i in _message_of_mocha(lines, pos, match, texts)}
    return placed(rows, instead, gone)


def _message_of_mocha(lines: list[int], pos: int, match: re.Match[str], texts: Texts) -> list[int]:
    """The message below a failed test, if the error with its frames says the same below it."""
    if match[2].endswith("- ") or not match[2].startswith("not "):
        return []
    block = _details(lines, pos, len(match[1]), texts)
    said = [texts[i].strip() for i in block]
    for size in range(1, len(said) // 2 + 1):
        error = _ERROR.fullmatch(said[size])
        if error and [error[1], *said[size + 1 : 2 * size]] == said[:size]:
            return block[:size]
    return []


def _totals(lines: list[int], texts: Texts) -> tuple[dict[int, list[Row]], set[int]]:
    """Join the numbers of tests; those that are zero go, except for failures."""
    instead: dict[int, list[Row]] = {}
    gone: set[int] = set()
    for is_total, group in groupby(lines, lambda i: _TOTAL.fullmatch(texts[i]) is not None):
        run = list(group)
        if not is_total or len(run) < _FEWEST:
            continue
        found = [match for i in run if (match := _TOTAL.fullmatch(texts[i]))]
        told = [(i, m[2]) for i, m in zip(run, found, strict=True) if _tells(m[3], m[4])]
        gone.update(run)
        instead[run[0]] = [whole(" ".join(texts[i] for i, _ in told), [i for i, _ in told])]
        following = lines[lines.index(run[-1]) + 1 :][:1]
        gone.update(i for i in following if _TIME.fullmatch(texts[i]))
    return instead, gone


def _passed(lines: list[int], texts: Texts) -> set[int]:
    """Tests that passed, and the names above them, as tape prints both: the totals count them."""
    found: set[int] = set()
    name = -1
    for index in lines:
        text = texts[index]
        if _PASSED.fullmatch(text):
            found |= {index, name} if name >= 0 else {index}
        elif name in found and _RESULT.fullmatch(text):
            found.discard(name)
        if text.startswith("# ") and not _TOTAL.fullmatch(text):
            name = index
        elif not _RESULT.fullmatch(text):
            name = -1 if text.strip() and not text.startswith(" ") else name
    return found


def _tells(name: str, number: str) -> bool:
    return number != "0" or name == "fail"


def _details(lines: list[int], pos: int, indent: int, texts: Texts) -> list[int]:
    """The lines below a result that are indented more, up to the next result."""
    found: list[int] = []
    for index in lines[pos + 1 :]:
        text = texts[index]
        depth = indent_of(text)
        if text.strip() and (depth <= indent or _RESULT.fullmatch(text)):
            break
        found.append(index)
        if text.strip() == "...":
            break
    return found


class _Key:
    """A key of a block of details: its line, the value in it, and the lines below it."""

    __slots__ = ("index", "lines", "value")

    def __init__(self, index: int, value: str) -> None:
        self.index, self.value = index, value
        self.lines: list[int] = []


def _keys(block: list[int], texts: Texts) -> dict[str, _Key]:
    """The keys of a block by name; lines of no key are those of the empty one."""
    found: dict[str, _Key] = {}
    last: _Key | None = None
    depth = -1
    for index in block:
        text = texts[index]
        match = _KEY.fullmatch(text)
        if match and depth in (-1, len(match[1])):
            depth = len(match[1])
            last = found[match[2]] = _Key(index, match[3] or "")
        elif last and (not text.strip() or text.startswith(" " * (depth + 1))):
            last.lines.append(index)
        elif text.strip() and not _DELIMITER.fullmatch(text):
            found.setdefault("", _Key(index, "")).lines.append(index)
    return found


def _failure(index: int, keys: dict[str, _Key], texts: Texts, pinned: Mask) -> list[Row]:
    title = texts[index]
    indent = title[: indent_of(title)]
    below = _below(keys, "stack")
    frames: dict[Row, str] = {i: f" at {texts[i].strip()}" for i in below}  # as others write them
    stack = Stack(below, frames)
    own = {i: place.removeprefix("file://") for i, place in stack.own.items()}
    where = _place(keys) or next(iter(own.values()), "")
    same = [i for i, place in own.items() if _line(place) == _line(where)]
    if same and own[same[0]] != where:
        where += f", {own[same[0]].rpartition('/')[2]}"  # the column where it failed
    for line in same:
        del stack.own[line]
    rows: list[Row] = [made(f"{title} ({where})", [index]) if where else index]
    rows += _message(indent, keys, texts, pinned)
    rows += _values(indent, keys, texts)
    told = {"", "error", "stack", "expected", "actual"}
    told |= {"name"} if "error" in keys else set()
    told |= {"at"} if where and not _below(keys, "at") else set()
    for name, key in keys.items():
        if name not in told and not _is_dull(name, key.value):
            rows += [key.index, *key.lines]
    rows += stack.own_rows(texts)
    return [*rows, *_below(keys, "")]


def _is_dull(name: str, value: str) -> bool:
    return name in _DULL and (not _DULL[name] or value in _DULL[name])


def _line(place: str) -> str:
    """A place without its column."""
    return place.rpartition(":")[0]


def _place(keys: dict[str, _Key]) -> str:
    """Where a test failed, as `at` says, or where it begins."""
    at = read_place(f" at {_plain(keys['at'].value)}") if "at" in keys else None
    if at and not at.is_foreign:
        return at.text.removeprefix("file://")
    return _plain(keys["location"].value) if "location" in keys else ""


def _below(keys: dict[str, _Key], name: str) -> list[int]:
    return keys[name].lines if name in keys else []


def _plain(value: str) -> str:
    """A text of YAML without its quotes."""
    is_quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
    return value[1:-1].replace("''", "'") if is_quoted else value


def _message(indent: str, keys: dict[str, _Key], texts: Texts, pinned: Mask) -> list[Row]:
    """The kind of the error and its message; of a difference in it what differs."""
    error = keys.get("error")
    if error is None:
        return []
    name = _plain(keys["name"].value) if "name" in keys else ""
    lines = [i for i in error.lines if texts[i].strip()]
    first = texts[lines[0]].strip() if lines else _plain(error.value)
    known = [error.index, *([keys["name"].index] if name else []), *lines[:1]]
    start = f"{indent}  {name}: " if name and not first.startswith(name) else f"{indent}  "
    rows: list[Row] = [made(f"{start}{first}", known)]
    return [*rows, *of_node(lines, texts, pinned)[1:]]


def _leaves(key: _Key, texts: Texts) -> list[str]:
    """The single values of one that may have parts."""
    parts = (texts[i].rpartition(": ")[2].strip() for i in key.lines)
    return [_plain(text) for text in (key.value, *parts) if text and not text.endswith(":")]


def _values(indent: str, keys: dict[str, _Key], texts: Texts) -> list[Row]:
    """What was expected and what came, unless the message has it."""
    wanted: tuple[str, ...] = ("expected", "actual")
    found = {name: keys[name] for name in wanted if name in keys}
    of_error = _below(keys, "error")
    if any(NODE_LEGEND.fullmatch(texts[i]) for i in of_error):
        return []
    first = keys["error"].value if "error" in keys else ""
    message = "\n".join([first, *(texts[i] for i in of_error)])
    leaves = [text for key in found.values() for text in _leaves(key, texts)]
    if len(of_error) > len(found) and all(has_words(message, text) for text in leaves):
        return []
    if any(len(key.lines) > 1 for key in found.values()):
        return [i for key in found.values() for i in (key.index, *key.lines)]
    operator = keys.get("operator")
    if operator and ("error" not in keys or not _OF_EQUALITY.fullmatch(operator.value)):
        found = {"operator": operator, **found}
    return _in_one_line(indent, found, message, texts)


def _in_one_line(indent: str, keys: dict[str, _Key], message: str, texts: Texts) -> list[Row]:
    """Keys with their values, each of which is one line; none if the message has the values."""
    values = {
        name: texts[key.lines[0]].strip() if key.lines else key.value for name, key in keys.items()
    }
    told = {name: value for name, value in values.items() if value}
    if all(has_words(message, _plain(told[name])) for name in told if name != "operator"):
        return []
    text = " ".join(f"{name}: {value}" for name, value in told.items())
    return [made(f"{indent}  {text}", [i for n in told for i in (keys[n].index, *keys[n].lines)])]

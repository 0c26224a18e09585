"""What node prints of a program that crashed, and npm of a command: without what all of them have.

Before a trace node shows the line that threw, and behind it the properties of the error, most of
which are in its message (https://nodejs.org/api/errors.html#system-errors).
"""

from __future__ import annotations

from laconic.compact.shapes.frames import place_of
from laconic.compact.shapes.rows import placed, raw_of
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_HEAD = pattern(r"(?:file://)?(?P<path>node:[\w/]+|/\S+|[A-Za-z]:\\\S+):(?P<line>\d+)")
_CARET = pattern(r"\s*\^+\s*")
_VERSION = pattern(r"Node\.js v\d+\.\d+\.\d+\S*")
_PROPERTY = pattern(r"(?P<indent> +)(?P<key>\w+): (?P<value>.*?),?")
_DULL = frozenset(("errno", "generatedMessage", "operator", "diff"))
# Also what the message says in other words.
_EMPTY = frozenset(("[]", "{}", "undefined", "null", "''", "'MODULE_NOT_FOUND'"))
_MOST_BELOW = 30  # lines between the head and the frame of the same place
_OF_NPM = pattern(
    r"npm (?:error|ERR!)(?:| 404| A complete log of this run can be found in:.*"
    r"| For a full report see:| +/\S+(?:-debug-\d+\.log|-report\.txt)| node_modules/\S+"
    r"| 404 Note that you can also install from a| 404 tarball, folder, http url, or git url\."
    r"| To see a list of scripts, run:|   npm run)\s*"
)


_LINE_OF_NPM = pattern(r"npm (?:error|ERR!)")
_USAGE = pattern(r"npm (?:error|ERR!) Usage:")
_MORE_INFO = pattern(r"npm (?:error|ERR!) Run \"npm help .*")


def crash(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Leave out the source of node itself, and what the message of an error has."""
    del asked
    lines = raw_of(rows)
    gone = {i for i in lines if _VERSION.fullmatch(texts[i])}
    for pos, index in enumerate(lines):
        text = texts[index]
        if (head := _HEAD.fullmatch(text)) and (caret := _caret(lines, pos, texts)):
            below = [texts[i] for i in lines[caret + 1 : caret + _MOST_BELOW]]
            gone.add(lines[caret])
            if head["path"].startswith("node:"):
                gone.update(lines[pos:caret])
            elif any(f"{head['path']}:{head['line']}:" in line for line in below):
                gone.add(index)  # the first frame has it
        elif text.endswith(" {") and place_of(text):
            gone |= _properties(lines, pos, texts)
    return placed(rows, {}, gone)


def _caret(lines: list[int], pos: int, texts: Texts) -> int:
    """The position of the mark below the source of a place, 0 if there is none."""
    return next((p for p in (pos + 2, pos + 3) if _is_caret(lines, p, texts)), 0)


def _is_caret(lines: list[int], pos: int, texts: Texts) -> bool:
    return pos < len(lines) and _CARET.fullmatch(texts[lines[pos]]) is not None


def _properties(lines: list[int], pos: int, texts: Texts) -> set[int]:
    """The properties of an error that its message has, and the end if no other is left."""
    first = pos
    while first and place_of(texts[lines[first - 1]]):
        first -= 1
    begin = first
    while begin and texts[lines[begin - 1]].strip():
        begin -= 1
    message = "\n".join(texts[i] for i in lines[begin:first])
    found: set[int] = set()
    is_whole = True
    indent = ""
    for index in lines[pos + 1 :]:
        text = texts[index]
        match = _PROPERTY.fullmatch(text)
        if text.strip() == "}" and len(text) < len(indent) + 1:
            return found | {index} if is_whole else found
        if match is None or (indent and match["indent"] != indent):
            is_whole = False
            if not text.startswith(" "):
                break
            continue
        indent = match["indent"]
        is_dull = match["key"] in _DULL or match["value"] in _EMPTY
        is_dull = is_dull or match["value"].strip("'\"[] ") in message
        if is_dull:
            found.add(index)
        else:
            is_whole = False
    return found


def npm(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Leave out the advice, the usage and the names of logs that follow errors of npm."""
    del asked
    lines = raw_of(rows)
    gone = {i for i in lines if _OF_NPM.fullmatch(texts[i])}
    is_usage = False
    for index in lines:
        is_usage = is_usage or _USAGE.fullmatch(texts[index]) is not None
        is_usage = is_usage and _LINE_OF_NPM.match(texts[index]) is not None
        if is_usage:
            gone.add(index)
        is_usage = is_usage and not _MORE_INFO.fullmatch(texts[index])
    return placed(rows, {}, gone)

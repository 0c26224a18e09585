"""What node prints of a program that crashed: without what is the same in every such report.

Before a trace node prints the line that threw, and after it the properties of the error, most of
which its message has, too (https://nodejs.org/api/errors.html#system-errors).
"""

from __future__ import annotations

from laconic.compact.shapes.changes import has_words
from laconic.compact.shapes.rows import placed, raw_of
from laconic.compact.shapes.script_frames import read_place
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
# What node itself adds, which the message says in other words: the number of a system error, and
# how an assertion compares (https://nodejs.org/api/assert.html#class-assertassertionerror).
_DULL = pattern(r" +(?:errno: -\d+|requireStack: \[\]),?")
_OF_ASSERTION = pattern(
    r" +(?:generatedMessage: true|code: 'ERR_ASSERTION'"
    r"|operator: '(?:equal|(?:deep|strict|deepStrict)Equal|==)'|diff: '(?:simple|full)'),?"
)
_IS_ASSERTION = pattern(r" +code: 'ERR_ASSERTION',?")
# A number or a word by itself may be in any message, and mean something else there.
_LONG = 4
_MOST_BELOW = 30  # lines between the head and the frame of the same place


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
        elif text.endswith(" {") and read_place(text):
            gone |= _properties(lines, pos, texts)
    return placed(rows, {}, gone)


def _caret(lines: list[int], pos: int, texts: Texts) -> int:
    """The position of the mark below the source of a place, 0 if there is none."""
    return next((p for p in (pos + 2, pos + 3) if _is_caret(lines, p, texts)), 0)


def _is_caret(lines: list[int], pos: int, texts: Texts) -> bool:
    return pos < len(lines) and _CARET.fullmatch(texts[lines[pos]]) is not None


def _properties(lines: list[int], pos: int, texts: Texts) -> set[int]:
    """The properties of an error that its message has, and the end if no other is left."""
    message = _message(lines, pos, texts)
    below = (texts[i] for i in lines[pos + 1 : pos + _MOST_BELOW])
    is_assertion = any(_IS_ASSERTION.fullmatch(text) for text in below)
    found: set[int] = set()
    is_whole = True
    indent = ""
    for index in lines[pos + 1 :]:
        text = texts[index]
        match = _PROPERTY.fullmatch(text)
        if text.strip() == "}" and len(text) < len(indent) + 1:
            return found | {index} if is_whole else found
        if not text.startswith(" "):
            break
        if match is None or (indent and match["indent"] != indent):
            is_whole = False
            continue
        indent = match["indent"]
        is_dull = _DULL.fullmatch(text) or (is_assertion and _OF_ASSERTION.fullmatch(text))
        if is_dull or _is_told(match["value"], message):
            found.add(index)
        else:
            is_whole = False
    return found


def _message(lines: list[int], pos: int, texts: Texts) -> str:
    """The message of an error, above its frames; pos: the position of the last frame."""
    end = pos
    while end and read_place(texts[lines[end - 1]]):
        end -= 1
    start = end
    while start and texts[lines[start - 1]].strip():
        start -= 1
    return "\n".join(texts[i] for i in lines[start:end])


def _is_told(value: str, message: str) -> bool:
    """Tell whether a message has a text, or the only one of a list."""
    said = value.strip("'\"[] ")
    return len(said) >= _LONG and not said.isdigit() and has_words(message, said)

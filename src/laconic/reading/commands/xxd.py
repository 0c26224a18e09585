"""xxd: dumps a file; a second operand is written to.

Unsafe: the second operand. Options are told by their first letter only (`-ps` is -p).
"""

from __future__ import annotations

from laconic.knowledge.arguments import Argument
from laconic.knowledge.options import MAY_BE_OPTION
from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.types import Effect, Kind

_FLAGS = frozenset("abCEeiprudvh")
_WITH_VALUE = pattern(
    r"-(?:c|cols|g|group|groupsize|l|len|n|name|o|offset|s|skip|seek|R)(?P<attached>[+0-9-].*)?"
)


def judge(call: Call) -> None:
    files: list[Argument] = []
    todo = list(reversed(call.arguments))
    while todo:
        word = todo.pop()
        text = word.text or ""
        if not word.is_static and (word.splits or not word.leading or word.leading[0] == "-"):
            call.does(Effect.UNCLEAR, Kind.WORD, MAY_BE_OPTION, word)
        elif files or not text.startswith("-") or text == "-":
            files.append(word)  # the first file ends the options
        elif found := _WITH_VALUE.fullmatch(text):
            if not found["attached"] and todo and todo.pop().splits:
                call.does(Effect.UNCLEAR, Kind.VALUE, "a value that is not known", word)
        elif text != "--help" and text[1] not in _FLAGS:
            call.unlisted(Kind.OPTION, f"laconic does not know the option {text}", word)
    for file in files[:1]:
        call.reads(file)
    for file in files[1:]:
        call.writes(file)

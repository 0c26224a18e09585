"""jar: creates and updates archives; `-C DIR FILE` takes a file below another directory.

Unsafe: the archive that is written, and keys, passwords and tokens that are packed into it with a
directory. https://docs.oracle.com/en/java/javase/21/docs/specs/man/jar.html
"""

from __future__ import annotations

import posixpath

from laconic.knowledge.arguments import Argument
from laconic.reading.call import Call
from laconic.reading.commands.special_operands import judge as judge_special

_ARCHIVE = ("-f", "--file")
_WITH_VALUE = frozenset("-m --manifest -e --main-class --release --hash-modules -p".split())
_VALUES_OF_LETTERS = "fme"  # in the order in which the letters stand: `cfe x.jar Main a`


def judge(call: Call) -> None:
    todo = list(reversed(call.arguments))
    mode = call.path[1] if len(call.path) > 1 else todo.pop().leading if todo else ""
    if not mode.lstrip("-").startswith(("c", "u", "vc", "vu")):
        judge_special(call)
        return
    for letter in mode if not mode.startswith("--") else "":
        if letter in _VALUES_OF_LETTERS and todo:
            value = todo.pop()
            if letter == "f":
                call.writes(value)
    while todo:
        _judge_next(call, todo)


def _judge_next(call: Call, todo: list[Argument]) -> None:
    word = todo.pop()
    name, equals, _ = (word.text or word.leading).partition("=")
    if name == "-C" and len(todo) > 1:
        directory, file = todo.pop(), todo.pop()
        path = None
        if directory.text is not None and file.text is not None:
            path = posixpath.join(directory.text, file.text)
        call.reads_whole(Argument(path, directory.start, file.end, glob=file.glob))
    elif name in _ARCHIVE:
        archive = word.behind(len(name) + 1) if equals else todo.pop() if todo else word
        call.writes(archive)
    elif name in _WITH_VALUE:
        if not equals and todo:
            todo.pop()
    elif word.leading[:1] != "-":
        call.reads_whole(word)

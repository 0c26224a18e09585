"""dd: copies blocks.

Unsafe: of=FILE writes; of= a device destroys what is on it.
"""

from __future__ import annotations

from laconic.reading.call import Call
from laconic.types import Effect, Kind

_NAMES = frozenset(
    "if bs ibs obs cbs count skip iseek seek oseek conv iflag oflag status speed".split()
)
_SINKS = ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/fd/1", "/dev/tty", "/dev/zero")


def judge(call: Call) -> None:
    for argument in call.arguments:
        name, equals, value = argument.leading.partition("=")
        if argument.text in ("--help", "--version"):
            continue
        if argument.splits or not equals or name not in (*_NAMES, "of"):
            call.does(Effect.UNCLEAR, Kind.WORD, "a word that is not one of its settings", argument)
        elif name == "of" and value.startswith("/dev/") and value not in _SINKS:
            call.does(Effect.DESTROYS, "device", "overwrites a device", argument)
        elif name == "of" and argument.text is None:
            call.does(Effect.UNCLEAR, "target", "writes to a place that is not known", argument)
        elif name == "of":
            call.writes(argument.behind(3))
        elif name == "if":
            call.reads(argument.behind(3))

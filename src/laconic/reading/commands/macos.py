"""macOS programs whose first words decide what the rest means.

Unsafe: plutil -convert and -extract overwrite their input unless `-o -` is given (or the format is
raw); pmset does anything but `pmset -g`; dscl creates, changes and deletes records, and without a
command it reads commands from its input.
"""

from __future__ import annotations

from laconic.reading.call import Call
from laconic.types import Effect, Kind

_DSCL_OPTIONS = frozenset("-raw -plist -url -q".split())
_DSCL_READS = frozenset("read cat readall readpl readpli list ls search diff".split())


def judge(call: Call) -> None:
    _PROGRAMS[call.path[0]](call)


def _plutil(call: Call) -> None:
    parsed = call.parsed
    if not parsed.has("-convert", "-extract") or parsed.has("-o"):
        return
    prints = not parsed.has("-convert") and parsed.operands and parsed.operands[0].text == "raw"
    if not prints:
        call.does(
            Effect.PROJECT_WRITE,
            Kind.WRITE,
            "overwrites the property list",
            instead="add `-o -`, which prints it",
        )


def _pmset(call: Call) -> None:
    if not call.arguments or call.arguments[0].text != "-g":
        call.does(Effect.SYSTEM, "setting", "changes power settings")


def _dscl(call: Call) -> None:
    words = [argument.text for argument in call.arguments]
    while words and words[0] in _DSCL_OPTIONS:
        words.pop(0)
    command = words[1] if len(words) > 1 else None
    if command is None or command.removeprefix("-") not in _DSCL_READS or None in words:
        call.does(
            Effect.SYSTEM, "command", "changes the directory, or reads commands from its input"
        )


_PROGRAMS = {"plutil": _plutil, "pmset": _pmset, "dscl": _dscl}

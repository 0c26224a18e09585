"""tee: copies its input to files.

Unsafe: the files; `-` is a file of that name here.
"""

from __future__ import annotations

from laconic.reading.call import Call
from laconic.types import Effect, Kind


def judge(call: Call) -> None:
    for operand in call.parsed.operands if call.parsed is not None else ():
        if operand.text == "-":
            call.does(Effect.PROJECT_WRITE, Kind.WRITE, "writes a file named -", operand)

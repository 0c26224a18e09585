"""date: shows the time.

Unsafe: -s and an operand other than `+format` set the clock (but with -j they are only read).
"""

from __future__ import annotations

from laconic.reading.call import Call
from laconic.types import Effect, Kind


def judge(call: Call) -> None:
    if call.parsed.has("-j"):
        return
    for operand in call.parsed.operands:
        if not operand.leading.startswith("+"):
            call.does(Effect.SYSTEM, Kind.SET, "sets the clock", operand)

"""dc: a calculator that can run commands.

Unsafe: `!` runs a command, `?` runs what it reads, and so do strings made of numbers: only plain
calculations given by -e are harmless. Files are not known; of standard input the commands are.
"""

from __future__ import annotations

from laconic.knowledge.arguments import Argument
from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.types import Effect, Kind

_COMMAND = pattern(r"!\s*([^<>=!\n][^\n]*)")
_CALCULATION = pattern(r"[0-9A-F\s._+*/%^~|vpnfckKiIoOdrzZX-]*")


def judge(call: Call) -> None:
    codes = call.parsed.values("-e", "--expression")
    if not codes or call.parsed.operands:
        call.does(Effect.UNCLEAR, Kind.INPUT, "runs what it reads")
    given = Argument(call.situation.input_text or "", *call.span)
    for code in (*codes, given):
        for found in _COMMAND.finditer(code.text or ""):
            call.shell(Argument(found[1], code.start, code.end))
    for code in codes:
        if not code.is_static or not _CALCULATION.fullmatch(code.text or ""):
            call.does(Effect.UNCLEAR, Kind.CODE, "is more than a plain calculation", code)

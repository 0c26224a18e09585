"""dc: a calculator that can run commands.

Unsafe: `!` runs a command, `?` runs what it reads, and so do strings made of numbers: only plain
calculations given by -e are harmless. Standard input and files are not known.
"""

from __future__ import annotations

from laconic.patterns import pattern
from laconic.types import Effect, Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.reading.call import Call

_CALCULATION = pattern(r"[0-9A-F\s._+*/%^~|vpnfckKiIoOdrzZX-]*")


def judge(call: Call) -> None:
    if call.parsed is None:
        return
    codes = call.parsed.values("-e", "--expression")
    if not codes or call.parsed.operands:
        call.does(Effect.UNCLEAR, Kind.INPUT, "runs what it reads")
    for code in codes:
        if not code.is_static or not _CALCULATION.fullmatch(code.text or ""):
            call.does(Effect.UNCLEAR, Kind.CODE, "is more than a plain calculation", code)

"""less: shows files.

Unsafe: `+` operands (commands at start: `+!cmd` runs, `+s file` writes), -o and -O (log files), -k
and --lesskey-src (keys that run commands), a `$` in a value (more options follow it).
"""

from __future__ import annotations

from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.types import Effect, Kind

_HARMLESS_START = pattern(r"\+{1,2}(?:[0-9]*[gGF%]?|[/?][^\n\r]*)")


def judge(call: Call) -> None:
    for operand in call.parsed.operands:
        if operand.leading.startswith("+") and not (
            operand.is_static and _HARMLESS_START.fullmatch(operand.text or "")
        ):
            call.does(Effect.UNKNOWN, "start", "runs commands of less at its start", operand)
    for option in call.parsed.options:
        if option.value is not None and "$" in (option.value.text or "$"):
            call.does(
                Effect.UNCLEAR,
                Kind.OPTION,
                "a dollar sign ends the value and begins options",
                option.argument,
            )

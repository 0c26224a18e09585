"""Wrappers whose first operand is a number: timeout, chrt, taskset.

Unsafe: a first operand that is none; some versions then take it for the command.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.policy.call import Call

_NUMBER = re.compile(r"[0-9][0-9a-fA-Fx.,:smhd-]*")


def judge(call: Call) -> None:
    first = call.parsed.operands[:1] if call.parsed is not None else []
    for operand in first:
        if not operand.is_static or not _NUMBER.fullmatch(operand.text or ""):
            call.ask("number", "a number is expected in front of the command", operand)

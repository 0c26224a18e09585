"""Programs that join their operands by blanks and give them to a shell: watch and eval.

Unsafe: the shell code. With -x watch runs its operands as they are.
"""

from __future__ import annotations

from laconic.knowledge.arguments import Argument
from laconic.reading.call import Call


def judge(call: Call) -> None:
    operands = call.parsed.operands
    if not operands:
        return
    if call.parsed.has("-x", "--exec"):
        call.runs(operands)
    else:
        is_known = all(operand.is_static for operand in operands)
        code = " ".join(operand.text or "" for operand in operands) if is_known else None
        shells = call.situation.shells if call.path[0] == "eval" else None
        call.shell(Argument(code, operands[0].start, operands[-1].end), shells)

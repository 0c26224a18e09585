"""Wrappers whose first operand is a number: timeout, chrt, taskset.

Unsafe: a first operand that is none; some versions then take it for the command. Not unsafe is
`taskset --cpu-list=0 COMMAND`: taskset refuses it and runs nothing, and a build that took it would
have its number, so that the command decides.
"""

from __future__ import annotations

from laconic.knowledge.arguments import Argument
from laconic.knowledge.options import Parsed
from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.reading.commands.process_tuning import judge_running
from laconic.types import Effect, Kind

_NUMBER = pattern(r"[0-9][0-9a-fA-Fx.,:smhd-]*")
_LIST = "--cpu-list"


def judge(call: Call) -> None:
    parsed = call.parsed
    if judge_running(call):
        return
    if call.path == ("taskset",) and parsed.values(_LIST):
        _forgive_list(call, parsed)
        call.runs(parsed.operands)
        return
    _expect_number(call, parsed.operands[:1])
    if call.path == ("taskset",):
        call.runs(parsed.operands[1:])


def _expect_number(call: Call, first: list[Argument]) -> None:
    for operand in first:
        if not operand.is_static or not _NUMBER.fullmatch(operand.text or ""):
            call.does(Effect.UNCLEAR, "number", "a number is expected before the command", operand)


def _forgive_list(call: Call, parsed: Parsed) -> None:
    given = {o.argument.start for o in parsed.options if o.name == _LIST and o.argument.is_static}
    call.findings = [f for f in call.findings if f.kind is not Kind.OPTION or f.start not in given]

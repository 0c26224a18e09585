"""Wrappers that can also show or change a running process: taskset, chrt, prlimit and others.

Unsafe: with -p they work on a running process, and change it as soon as they are given a value.
"""

from __future__ import annotations

from laconic.reading.call import Call
from laconic.types import Effect

_PIDS = ("-p", "--pid")
# What may be given beside -p, and how many operands: chrt and taskset have the process as operand.
_SHOWING = {
    "choom": (frozenset(_PIDS), 0),
    "chrt": (frozenset((*_PIDS, "-a", "--all-tasks", "-v", "--verbose")), 1),
    "ionice": (frozenset(_PIDS), 0),
    "prlimit": (frozenset((*_PIDS, "-o", "--output", "--noheadings", "--raw", "--verbose")), 0),
    "taskset": (frozenset((*_PIDS, "-a", "--all-tasks", "-c", "--cpu-list")), 1),
}


def judge(call: Call) -> None:
    judge_running(call)


def judge_running(call: Call) -> bool:
    """Tell whether it is about a running process, and ask if it changes one."""
    parsed, program = call.parsed, call.path[0]
    if program not in _SHOWING or not parsed.has(*_PIDS):
        return False
    showing, operands = _SHOWING[program]
    for option in parsed.options:
        is_question = program == "prlimit" and option.value is None  # `--nofile`, without a value
        if option.name not in showing and not is_question:
            call.does(Effect.SYSTEM, "process", "changes a running process", option.argument)
    for operand in parsed.operands[operands:]:
        call.does(Effect.SYSTEM, "process", "changes a running process", operand)
    return True

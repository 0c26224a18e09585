"""Kills a program and all processes it started, even outside its process group or session.

A process belongs to a program if its parent does, or if its environment has the mark that the
program was started with: children inherit the mark, and keep it when their parent has ended.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Mapping

from laconic.machine import processes

MARK = "_LACONIC_STARTED_BY"
_MOST_ROUNDS = 20


def new_mark() -> str:
    """Return a new value of MARK for a program that is about to be started."""
    return f"{os.getpid()}-{os.urandom(8).hex()}"


def kill_all(program: int, mark: str) -> None:
    """Kill a program that leads a process group and was not waited for, and its descendants."""
    for _ in range(_MOST_ROUNDS):
        found = _family(program, mark)
        for number in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(number, signal.SIGKILL)
        if not found:
            break
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(program, signal.SIGKILL)  # where processes cannot be listed


def _family(program: int, mark: str) -> set[int]:
    """Return the living processes of a program."""
    parents = _parents()
    family = {program} | {number for number in parents if _has_mark(number, mark)}
    while more := {n for n, parent in parents.items() if parent in family} - family:
        family |= more
    return family & parents.keys() - {os.getpid()}


def _parents() -> Mapping[int, int]:
    """Return the parent of each living process; nothing if the system does not tell."""
    try:
        return processes.parents()
    except OSError:
        return {}


def _has_mark(number: int, mark: str) -> bool:
    """Tell whether a process was started with a mark."""
    try:
        return f"{MARK}={mark}".encode() in processes.environment_of(number)
    except OSError:
        return False

"""Kills a program and all processes it started, even outside its process group or session.

A process belongs to a program if its parent does, or if its environment has the mark that the
program was started with: children inherit the mark, and keep it when their parent has ended.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MARK = "_LACONIC_STARTED_BY"
_MOST_ROUNDS = 20
_PS_S = 2


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
    if os.path.isdir("/proc/self"):  # noqa: PTH112 - pathlib costs 6 ms
        return dict(_parents_in_proc())
    try:
        table = subprocess.check_output(["/bin/ps", "-A", "-o", "pid=,ppid=,stat="], timeout=_PS_S)
    except (OSError, subprocess.SubprocessError):
        return {}
    rows = (line.split() for line in table.splitlines())
    return {int(row[0]): int(row[1]) for row in rows if not row[2].startswith(b"Z")}


def _parents_in_proc() -> Iterator[tuple[int, int]]:
    for name in os.listdir("/proc"):  # noqa: PTH208 - as above
        if not name.isdecimal():
            continue
        with contextlib.suppress(OSError), open(f"/proc/{name}/stat", "rb") as stream:  # noqa: PTH123
            # 42 (a name (with) blanks) S 1 … (man 5 proc_pid_stat)
            state, parent = stream.read().rpartition(b")")[2].split()[:2]
            if state not in (b"Z", b"X"):
                yield int(name), int(parent)


def _has_mark(number: int, mark: str) -> bool:
    """Tell whether a process was started with a mark; only /proc shows that (man 5 proc)."""
    try:
        with open(f"/proc/{number}/environ", "rb") as stream:  # noqa: PTH123 - as above
            return f"{MARK}={mark}".encode() in stream.read().split(b"\0")
    except OSError:
        return False

"""Remembers when each agent last called its hook, and what last went wrong in it, for doctor."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Mapping

from laconic.settings.environ import state_directory
from laconic.types import Decision

OF_CATALOGUES = "catalogues/fault"  # it is noted where it happens, with the place in the code
_LONGEST = 500
_MOMENT_S = 5


def note_call(environ: Mapping[str, str], agent: str, event: str) -> None:
    """Write down that an agent called, unless that was written a moment ago."""
    state_dir = state_directory(environ)
    try:
        age = time.time() - os.stat(f"{state_dir}/hooks/{agent}").st_mtime  # noqa: PTH116 - as below
    except OSError:
        age = _MOMENT_S
    if not 0 <= age < _MOMENT_S:
        _write(state_dir, agent, event)


def note_fault(environ: Mapping[str, str], agent: str, fault: str) -> None:
    _write(state_directory(environ), f"{agent}.fault", fault)


def note_faults(environ: Mapping[str, str], agent: str, decision: Decision) -> None:
    """Write down what failed while a command was judged: that became a question."""
    for leaf in decision.leaves():
        if leaf.rule.rpartition("/")[2] == "fault" and leaf.rule != OF_CATALOGUES:
            note_fault(environ, agent, leaf.reason)


def note_unknown(environ: Mapping[str, str], words: str) -> None:
    """Write down that `laconic hook` was called with a name that there is not."""
    _write(state_directory(environ), "unknown", words)


def last_unknown(state_dir: str) -> tuple[float, str] | None:
    """Return when that last was, and the words after `laconic hook`."""
    return _read(state_dir, "unknown")


def last_seen(state_dir: str, agent: str) -> tuple[float, str] | None:
    """Return when the hook was last called and for which event; None if it never was."""
    return _read(state_dir, agent)


def last_fault(state_dir: str, agent: str) -> tuple[float, str] | None:
    return _read(state_dir, f"{agent}.fault")


def last_unanswered(state_dir: str) -> tuple[float, str] | None:
    """Return when the client last found nobody to answer a hook, and the agent; see laconic.c."""
    path = f"{state_dir}/hooks/unanswered"
    with contextlib.suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123 - as below
        return os.fstat(file.fileno()).st_mtime, file.read(_LONGEST)
    return None


def described(fault: Exception) -> str:
    """Describe a fault in one line: what happened, and where."""
    frame = fault.__traceback__
    while frame and frame.tb_next:
        frame = frame.tb_next
    code = frame.tb_frame.f_code if frame else None
    where = f" in {code.co_name} ({code.co_filename}:{frame.tb_lineno})" if code and frame else ""
    return f"{type(fault).__name__}: {fault}{where}"


def _write(state_dir: str, name: str, text: str) -> None:
    """Write a note if possible; a hook that cannot write it still answers."""
    folder = f"{state_dir}/hooks"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with contextlib.suppress(OSError):
        try:
            handle = os.open(f"{folder}/{name}", flags, 0o600)
        except FileNotFoundError:
            os.makedirs(folder, mode=0o700, exist_ok=True)  # noqa: PTH103 - pathlib costs 6 ms
            handle = os.open(f"{folder}/{name}", flags, 0o600)
        try:
            line = f"{time.time():.3f} {text[:_LONGEST]}"
            os.write(handle, line.encode("utf-8", "backslashreplace"))
        finally:
            os.close(handle)


def _read(state_dir: str, name: str) -> tuple[float, str] | None:
    try:
        with open(f"{state_dir}/hooks/{name}", encoding="utf-8", errors="replace") as file:  # noqa: PTH123 - as above
            stamp, _, text = file.read(_LONGEST * 2).partition(" ")
            return float(stamp), text
    except (OSError, ValueError):
        return None

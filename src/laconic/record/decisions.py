"""The log of decisions: JSON lines for the owner alone, without secrets, of bounded size.

A line is one write to a file opened with O_APPEND, so writers do not disturb each other (man 2
open); the process that moves a full file away holds a lock. A log that cannot be written never
stops anything.
"""

# pathlib and datetime take six milliseconds to load.
# ruff: noqa: PTH105, PTH116, PTH120, PTH123
from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
from functools import lru_cache
from os.path import dirname

from laconic.files import make_private
from laconic.secrets.redact import redact, redact_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from laconic.types import Decision

OWN = "cli"  # the agent of what a person asks by `laconic check`
ROTATE_BYTES = 4 << 20
_GENERATIONS = 3
_MOST_READ = 4 * ROTATE_BYTES
_LONGEST = 4000


def append(
    state_dir: str, decision: Decision, *, command: str, cwd: str, agent: str, now: float
) -> bool:
    """Add a decision; False if the log could not be written."""
    row: dict[str, Any] = {
        "time": _time(now),
        "verdict": decision.verdict.word,
        "effects": list(decision.effects.words),
        "rule": redact(decision.rule),
        "reason": _clipped(redact(decision.reason)),
        "cwd": _redacted_place(cwd),
        "agent": agent,
        "command": _clipped(redact(command)),
    }
    if decision.in_box:
        row["box"] = True
    line = (json.dumps(row) + "\n").encode()
    try:
        _write(log_path(state_dir), line)
    except OSError:
        return False
    return True


_redacted_place = lru_cache(maxsize=16)(redact_path)


def _time(now: float) -> str:
    """Format the local time with its UTC offset, in ISO 8601."""
    local = time.localtime(now)
    offset = time.strftime("%z", local)
    day = time.strftime("%Y-%m-%dT%H:%M:%S", local)
    return f"{day}.{int(now % 1 * 1000):03d}{offset[:3]}:{offset[3:]}"


def read(state_dir: str | os.PathLike[str], since: float = 0) -> Iterator[dict[str, Any]]:
    """Yield the decisions since then, the oldest first; invalid lines are skipped.

    Of a file that nobody has rotated for long only the end is read.
    """
    from datetime import datetime  # noqa: PLC0415 - see above

    path = log_path(state_dir)
    for generation in (*(_moved(path, n) for n in range(_GENERATIONS, 0, -1)), path):
        with contextlib.suppress(OSError), open(generation, "rb") as stream:
            if os.fstat(stream.fileno()).st_size > _MOST_READ:
                stream.seek(-_MOST_READ, os.SEEK_END)
            for line in stream:
                with contextlib.suppress(ValueError, TypeError, KeyError, RecursionError):
                    row = json.loads(line)
                    if datetime.fromisoformat(row["time"]).timestamp() >= since:
                        yield row


def log_path(state_dir: str | os.PathLike[str]) -> str:
    return f"{os.fspath(state_dir)}/decisions.jsonl"


def _clipped(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text)} characters)"


def _write(path: str, line: bytes) -> None:
    make_private(dirname(path))
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    handle = os.open(path, flags, 0o600)
    try:
        os.write(handle, line)
        is_full = os.fstat(handle).st_size > ROTATE_BYTES
    finally:
        os.close(handle)
    if is_full:
        _rotate(path)


def _rotate(path: str) -> None:
    """Move the full file away. A process that still has it open goes on writing to it."""
    lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.stat(path).st_size > ROTATE_BYTES:  # no other process has rotated it yet
            for number in range(_GENERATIONS, 1, -1):
                with contextlib.suppress(FileNotFoundError):
                    os.replace(_moved(path, number - 1), _moved(path, number))
            os.replace(path, _moved(path, 1))
    except (BlockingIOError, FileNotFoundError):
        pass  # another process is rotating it, or has just done so
    finally:
        os.close(lock)


def _moved(path: str, number: int) -> str:
    return f"{path}.{number}"

"""The log of decisions: JSON lines for the owner alone, without secrets, of bounded size.

A line is one write to a file opened for appending, so writers do not disturb each other; who moves
a full file away holds a lock. A log that cannot be written never stops anything.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from laconic.files import make_private
from laconic.redact import redact

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from laconic.types import Decision

ROTATE_BYTES = 4 << 20
_GENERATIONS = 3
_LONGEST = 4000


def append(
    state_dir: Path, decision: Decision, *, command: str, cwd: str, agent: str, now: float
) -> bool:
    """Add a decision; False if the log could not be written."""
    row = {
        "time": datetime.fromtimestamp(now, UTC).astimezone().isoformat(timespec="milliseconds"),
        "verdict": decision.verdict.word,
        "rule": redact(decision.rule),
        "reason": _clipped(redact(decision.reason)),
        "cwd": redact(cwd),
        "agent": agent,
        "command": _clipped(redact(command)),
    }
    line = (json.dumps(row) + "\n").encode()
    try:
        _write(log_path(state_dir), line)
    except OSError:
        return False
    return True


def read(state_dir: Path, since: float = 0) -> Iterator[dict[str, Any]]:
    """Give the decisions since then, the oldest first; a line that is none is left out."""
    path = log_path(state_dir)
    for generation in (*(_moved(path, n) for n in range(_GENERATIONS, 0, -1)), path):
        with contextlib.suppress(OSError), generation.open("rb") as stream:
            for line in stream:
                with contextlib.suppress(ValueError, TypeError, KeyError, RecursionError):
                    row = json.loads(line)
                    if datetime.fromisoformat(row["time"]).timestamp() >= since:
                        yield row


def log_path(state_dir: Path) -> Path:
    return state_dir / "decisions.jsonl"


def _clipped(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text)} characters)"


def _write(path: Path, line: bytes) -> None:
    make_private(path.parent)
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    handle = os.open(path, flags, 0o600)
    try:
        os.write(handle, line)
        is_full = os.fstat(handle).st_size > ROTATE_BYTES
    finally:
        os.close(handle)
    if is_full:
        _rotate(path)


def _rotate(path: Path) -> None:
    """Move the full file away. Who still has it open writes to it where it is now."""
    lock = os.open(
        path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
    )
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if path.stat().st_size > ROTATE_BYTES:  # nobody was faster
            for number in range(_GENERATIONS, 1, -1):
                with contextlib.suppress(FileNotFoundError):
                    _moved(path, number - 1).replace(_moved(path, number))
            path.replace(_moved(path, 1))
    except (BlockingIOError, FileNotFoundError):
        pass  # somebody else is at it, or has just done it
    finally:
        os.close(lock)


def _moved(path: Path, number: int) -> Path:
    return path.with_name(f"{path.name}.{number}")

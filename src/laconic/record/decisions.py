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
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from os.path import dirname
from typing import Any

from laconic import __version__
from laconic.files import make_private, open_handle
from laconic.secrets.redact import redact, redact_path
from laconic.types import Decision

OWN = "cli"  # the agent of what a person asks by `laconic check`
LEFT = "left"  # the word for what is left to the agent; the others are those of verdicts
UNCHECKED = "unchecked"  # in place of a verdict; client/laconic.c has it, too
ROTATE_BYTES = 4 << 20
_GENERATIONS = 3
_MOST_READ = 4 * ROTATE_BYTES
_LONGEST = 4000
_LONGEST_NAME = 200


def append(
    state_dir: str,
    decision: Decision,
    *,
    command: str,
    cwd: str,
    agent: str,
    now: float,
    about: Mapping[str, str] | None = None,
) -> bool:
    """Add a decision; False if the log could not be written.

    about: the `outcome`, which is what the agent was answered (allow, left, ask or deny), its
    `session`, `call` and `mode`, the kind of `event` if that was not the first, the `profile`, and
    the serial of the `policy`.
    """
    row: dict[str, Any] = {
        **_head(now, decision.verdict),
        "effects": list(decision.effects.words),
        "rule": redact(decision.rule),
        "reason": _clipped(redact(decision.reason)),
        "cwd": _redacted_place(cwd),
        "agent": agent,
        "command": as_logged(command),
    }
    if decision.in_box:
        row["box"] = True
    return _add(state_dir, row, about or {})


def append_unchecked(
    state_dir: str,
    rule: str,
    reason: str,
    *,
    agent: str,
    now: float,
    command: str = "",
    cwd: str = "",
    about: Mapping[str, str] | None = None,
) -> bool:
    """Add that a hook of an agent let something run unchecked, as far as it is known what.

    The client adds such a line itself if no Python can be started: client/laconic.c.
    """
    row = {**_head(now, UNCHECKED), "rule": rule, "reason": reason, "agent": agent}
    if command:
        row |= {"cwd": _redacted_place(cwd), "command": as_logged(command)}
    return _add(state_dir, row, about or {})


def _head(now: float, verdict: str) -> dict[str, Any]:
    """Return how each line begins; the id is random, and so differs on all machines."""
    return {
        "id": os.urandom(8).hex(),
        "time": _time(now),
        "version": __version__,
        "verdict": verdict,
    }


def _add(state_dir: str, row: dict[str, Any], about: Mapping[str, str]) -> bool:
    row |= {key: value[:_LONGEST_NAME] for key, value in about.items() if value}
    line = (json.dumps(row) + "\n").encode()
    try:
        _write(log_path(state_dir), line)
    except OSError:
        return False
    return True


def as_logged(command: str) -> str:
    """Return a command without its secrets, of bounded length."""
    return _clipped(redact(command))


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
    for generation in files(state_dir):
        with contextlib.suppress(OSError), open(generation, "rb") as stream:
            if os.fstat(stream.fileno()).st_size > _MOST_READ:
                stream.seek(-_MOST_READ, os.SEEK_END)
            for line in stream:
                with contextlib.suppress(ValueError, TypeError, KeyError, RecursionError):
                    row = json.loads(line)
                    if moment(row) >= since:
                        yield row


def files(state_dir: str | os.PathLike[str]) -> tuple[str, ...]:
    """Return the paths that the log may have, that of the oldest lines first."""
    path = log_path(state_dir)
    return (*(_moved(path, number) for number in range(_GENERATIONS, 0, -1)), path)


def moment(row: Mapping[str, Any]) -> float:
    """Return when a line was written, in seconds since 1970."""
    from datetime import datetime  # noqa: PLC0415 - see above

    return datetime.fromisoformat(row["time"]).timestamp()


def of_agents(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return one row for each command of an agent: what a person only checked is none.

    Some agents call a hook again when they are about to ask a person: this row joins the one of
    the same command, which gets what came of it and, if that is a question, `agent_asks`.
    """
    found: list[dict[str, Any]] = []
    last: dict[tuple[object, ...], dict[str, Any]] = {}
    for row in rows:
        if row.get("agent") == OWN:
            continue
        key = tuple(str(row.get(name, "")) for name in ("agent", "session", "command"))
        asks = {"agent_asks": True} if row.get("event") and outcome(row) == LEFT else {}
        before = last.pop(key, None) if row.get("event") else None
        if before is None:
            last[key] = row | asks
            found.append(last[key])
        else:
            before |= {"outcome": outcome(row), **asks}
    return found


def outcome(row: Mapping[str, Any]) -> str:
    """Return what the agent was answered; a line of an older laconic has the verdict only."""
    return str(row.get("outcome") or row.get("verdict", ""))


def log_path(state_dir: str | os.PathLike[str]) -> str:
    return f"{os.fspath(state_dir)}/decisions.jsonl"


def _clipped(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text)} characters)"


def _write(path: str, line: bytes) -> None:
    make_private(dirname(path))
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    with open_handle(path, flags) as handle:
        os.write(handle, line)
        is_full = os.fstat(handle).st_size > ROTATE_BYTES
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

"""The journal: each event is first a line in this file, and later a row of the records.

A run only writes a line. It opens no database, so a database can neither delay nor stop it. A line
is one write to a file opened for appending, under a shared lock. The process that brings the lines
into the records (`laconic.record.database`) renames the file first and takes an exclusive lock: a
late writer sees the lock, or that the file is gone, and opens the next one. So no line is lost, and
its random id keeps a line from being counted twice.
"""

from __future__ import annotations

import fcntl
import os
import time

from laconic.files import make_private
from laconic.record.kept import is_apart

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FULL_BYTES = 32 * 1024  # about eighty runs
MOST_APART = 1 << 20  # where nobody brings it in but the collector
_TRIES = 5
_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


def append(state_dir: str | os.PathLike[str], table: str, row: dict[str, Any]) -> bool:
    """Append a row for a table of the records; False if it cannot be written. Never raises."""
    try:
        size = _write(state_dir, line_of(table, row))
    except Exception:  # noqa: BLE001 - a command must not fail because nobody can write it down
        return False
    if size > FULL_BYTES and not is_apart(state_dir):
        from laconic.record.database import bring_in  # noqa: PLC0415 - one run in eighty pays

        bring_in(state_dir)
    return size > 0


def path_of(state_dir: str | os.PathLike[str]) -> str:
    return f"{os.fspath(state_dir)}/runs.journal"


def new_row_id() -> int:
    return int.from_bytes(os.urandom(8), "big") >> 1


def microseconds(now: float | None = None) -> int:
    return int((time.time() if now is None else now) * 1_000_000)


def plain(text: str) -> str:
    """Return a text that can be stored: bytes that are not UTF-8 are escaped."""
    return text.encode("utf-8", "backslashreplace").decode()


def line_of(table: str, row: dict[str, Any]) -> bytes:
    import json  # noqa: PLC0415 - the importer of this module may never write a line

    # The leading newline ends a line that a full disk has truncated.
    return f"\n{json.dumps([table, row])}\n".encode()


def _write(state_dir: str | os.PathLike[str], line: bytes) -> int:
    """Append a line; return the new size of the file, 0 if the line was not written."""
    for _ in range(_TRIES):
        handle = _open(state_dir)
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                raise
            except OSError:
                pass  # some file systems have no locks: whoever brings it in waits a moment
            status = os.fstat(handle)
            if status.st_size > MOST_APART and is_apart(state_dir):
                return 0
            if status.st_nlink:
                is_whole = os.write(handle, line) == len(line)
                return status.st_size + len(line) if is_whole else 0
        except BlockingIOError:
            pass  # the journal is being brought in, and the name now belongs to another file
        finally:
            os.close(handle)
    return 0


def _open(state_dir: str | os.PathLike[str]) -> int:
    try:
        return os.open(path_of(state_dir), _FLAGS, 0o600)
    except FileNotFoundError:
        from pathlib import Path  # noqa: PLC0415 - once in the life of a state directory

        make_private(Path(state_dir))
        return os.open(path_of(state_dir), _FLAGS, 0o600)

"""Remembers for each endpoint what it has taken: the places in the log, and the sums so far."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from laconic.errors import FileError, LaconicError
from laconic.export.identity import FOLDER
from laconic.export.sums import Counters, packed, unpacked
from laconic.files import make_private, open_handle, read_file, write_private

_MOST_BYTES = 16 << 20


class Cursor:
    """What one endpoint has taken.

    since: when its sums begin, 0 before the first. summed, sent: places in the log up to which
    decisions are in the sums, and were sent. days: what of the runs of each day is in the sums.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.since = 0.0
        self.counters: Counters = {}
        self.summed: dict[str, int] = {}
        self.sent: dict[str, int] = {}
        self.days: dict[str, list[int]] = {}

    def keep(self) -> None:
        """Write it down: from now on, what it says is not sent again."""
        document = {
            "since": self.since,
            "counters": packed(self.counters),
            "summed": self.summed,
            "sent": self.sent,
            "days": self.days,
        }
        write_private(self.path, json.dumps(document).encode())


def read_cursor(state_dir: Path, endpoint: str) -> Cursor:
    """Return what an endpoint has taken; a new one has taken nothing."""
    name = hashlib.blake2b(endpoint.encode(), digest_size=8).hexdigest()
    cursor = Cursor(state_dir / FOLDER / f"{name}.json")
    try:
        document = json.loads(read_file(cursor.path, _MOST_BYTES))
        _fill(cursor, document)
    except FileError:
        if cursor.path.exists():
            raise
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        hint = f"rm {cursor.path}   then all of the log is sent again"
        raise LaconicError(f"{cursor.path}: is damaged", hint) from error
    return cursor


def _fill(cursor: Cursor, document: Any) -> None:
    cursor.since = float(document["since"])
    cursor.counters = unpacked(document["counters"])
    cursor.summed = {str(name): int(end) for name, end in document["summed"].items()}
    cursor.sent = {str(name): int(end) for name, end in document["sent"].items()}
    cursor.days = {str(day): list(map(int, sums)) for day, sums in document["days"].items()}


@contextmanager
def alone(state_dir: Path) -> Iterator[None]:
    """Hold the lock of all exports; LaconicError if another one is under way."""
    make_private(state_dir / FOLDER)
    with open_handle(state_dir / FOLDER / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC) as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise LaconicError("another laconic export is under way") from error
        yield

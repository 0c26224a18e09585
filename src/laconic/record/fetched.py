"""Remembers which files commands were to fetch, so that a later command does not run them unseen.

It is written when the command is judged, before anything is fetched: a file counts that has changed
since then. The oldest are forgotten first.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping

from laconic.errors import FileError
from laconic.files import make_private, open_handle, read_file, write_private

NAME = "fetched.jsonl"
_MOST_BYTES = 64 * 1024
_LONGEST = 4096
_COUNTS_FOR = 7 * 24 * 60 * 60.0
_EARLIER = 2.0  # seconds that the clock of a file system may be behind


def remember(state_dir: str, found: Mapping[str, str]) -> None:
    """Write down real paths, each with the address that it comes from. What fails is forgotten."""
    path, now = f"{state_dir}/{NAME}", time.time()
    rows = [
        json.dumps({"time": now, "path": one, "from": address[:_LONGEST]}) + "\n"
        for one, address in found.items()
        if len(one) <= _LONGEST
    ]
    try:
        make_private(state_dir)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        with open_handle(path, flags) as handle:
            os.write(handle, "".join(rows).encode())
            is_full = os.fstat(handle).st_size > _MOST_BYTES
        if is_full:
            data = read_file(path)
            write_private(path, data[-_MOST_BYTES // 2 :].partition(b"\n")[2])
    except (OSError, FileError):
        return


def known(state_dir: str) -> dict[str, str]:
    """The files that may be those that were fetched, by their times, with their addresses."""
    try:
        lines = read_file(f"{state_dir}/{NAME}", 2 * _MOST_BYTES).splitlines()
    except FileError:
        return {}
    found: dict[str, str] = {}
    oldest = time.time() - _COUNTS_FOR
    for line in lines:
        try:
            row = json.loads(line)
            path, since = row["path"], float(row["time"])
            if since >= oldest and _has_changed(path, since):
                found[path] = str(row["from"])
        except (ValueError, TypeError, KeyError):
            continue
    return found


def _has_changed(path: str, since: float) -> bool:
    """Tell whether a file has come since then; so may one that is not there yet."""
    try:
        return os.lstat(path).st_ctime >= since - _EARLIER
    except OSError:
        return True

"""The spool: files that hold everything a command writes while it runs.

There is one file for both streams if they lead to the same place, so that their order is known;
else one for each. A process that has a spool open holds a lock on it: an unlocked spool belongs to
a dead process, and is moved into the raw store later.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Mapping, Sequence
from errno import EROFS

BOTH, OUT, ERR = "both", "out", "err"
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
_CHUNK = 1 << 20
_ALPHABET = "abcdefghjkmnopqrstuvwxyz23456789"  # as in record/store.py, which is slow to load


class Spool:
    """The open files by stream; each is written at its end and read anywhere.

    records: the directory where the run is written down and its output kept; "" for nowhere: then
    the files are in memory alone, and nothing of them may be hidden but secrets.
    """

    def __init__(self, records: str, raw_id: str, handles: dict[str, int]) -> None:
        self.records, self.raw_id, self.handles = records, raw_id, handles

    def path(self, stream: str) -> str:
        if not self.records:
            return f"/proc/self/fd/{self.handles[stream]}"
        return f"{self.records}/spool/{self.raw_id}.{stream}"

    @property
    def paths(self) -> dict[str, str]:
        return {stream: self.path(stream) for stream in self.handles}

    def size(self, stream: str) -> int:
        return os.fstat(self.handles[stream]).st_size

    def read(self, stream: str, start: int, end: int) -> bytes:
        """Return the bytes from start up to end, or up to the end of the file."""
        pieces = []
        while start < end:
            piece = os.pread(self.handles[stream], min(end - start, _CHUNK), start)
            if not piece:
                break
            pieces.append(piece)
            start += len(piece)
        return b"".join(pieces)

    def keep(self, store_mb: int, store_days: int) -> str:
        """Keep the output where it can be recalled; return its id. OSError if there is no room."""
        from laconic.record.store import Store  # noqa: PLC0415 - slow to load

        return Store(self.records, store_mb, store_days).keep(self.paths, self.raw_id)

    def note(self, command: str) -> None:
        """Write the command next to the spool, for the process that adopts the files."""
        if not self.records:
            return
        with os.fdopen(_create(f"{self.records}/spool", f"{self.raw_id}.cmd"), "wb") as file:
            file.write(command.encode("utf-8", "surrogateescape"))

    def remove(self) -> None:
        for name in (*self.handles, "cmd") if self.records else ():
            with contextlib.suppress(OSError):
                os.unlink(self.path(name))  # noqa: PTH108 - loads no pathlib


def new_id() -> str:
    return "".join(_ALPHABET[byte & 31] for byte in os.urandom(6))


def open_spool(
    state_dir: str, raw_id: str, streams: Sequence[str], command: str, environ: Mapping[str, str]
) -> Spool:
    """Create the files, readable only by the owner; raises OSError if that is not possible.

    Where the state directory may not be written, they are elsewhere, and at last in memory.
    """
    try:
        return _open(state_dir, raw_id, streams, command)
    except OSError as error:
        from laconic.record.kept import is_own, is_refused, made  # noqa: PLC0415 - in sandboxes

        if not is_refused(error):
            raise
    for place in made(environ, state_dir):
        with contextlib.suppress(OSError):
            if not os.path.lexists(f"{place}/spool") or is_own(f"{place}/spool"):
                return _open(place, raw_id, streams, command)
    if not hasattr(os, "memfd_create"):
        raise OSError(EROFS, os.strerror(EROFS), state_dir)
    return Spool("", raw_id, {stream: os.memfd_create(stream) for stream in streams})


def _open(records: str, raw_id: str, streams: Sequence[str], command: str) -> Spool:
    spool = Spool(records, raw_id, {})
    try:
        spool.note(command)
        for stream in streams:
            spool.handles[stream] = _create(f"{records}/spool", f"{raw_id}.{stream}")
    except OSError:
        spool.remove()
        raise
    return spool


def _create(directory: str, name: str) -> int:
    path = f"{directory}/{name}"
    try:
        handle = os.open(path, _FLAGS, 0o600)
    except FileNotFoundError:
        from pathlib import Path  # noqa: PLC0415 - once in the life of a state directory

        from laconic.files import make_private  # noqa: PLC0415

        make_private(Path(directory))
        handle = os.open(path, _FLAGS, 0o600)
    with contextlib.suppress(OSError):  # some file systems have no locks
        fcntl.flock(handle, fcntl.LOCK_SH)
    return handle

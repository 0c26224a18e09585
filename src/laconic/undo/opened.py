"""Directories of ours that are closed to us, opened while we have to look or write there."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable, Iterator

from laconic.undo.entry import Entry

LOOK, WRITE = stat.S_IRUSR | stat.S_IXUSR, stat.S_IRWXU


class Opened:
    """modes: what the directories have that are open now because of us."""

    def __init__(self) -> None:
        self.modes: dict[str, int] = {}

    def open(self, folders: Iterable[str], wanted: int) -> None:
        """Open those that are closed and ours, to look or to write; root needs none of this."""
        own = os.geteuid()
        if own == 0:
            return
        for path in sorted(folders):  # what is above comes first
            with contextlib.suppress(OSError):
                status = os.lstat(path)
                is_closed = status.st_mode & wanted != wanted
                if stat.S_ISDIR(status.st_mode) and status.st_uid == own and is_closed:
                    os.chmod(path, stat.S_IMODE(status.st_mode) | wanted)
                    self.modes[path] = stat.S_IMODE(status.st_mode)

    def close(self) -> None:
        close(self.modes)
        self.modes = {}

    def correct(self, path: str, entry: Entry | None) -> None:
        """Set the mode in an entry to what it is without us."""
        if entry is not None and path in self.modes:
            entry.mode = self.modes[path]


def close(modes: dict[str, int]) -> None:
    for path, mode in sorted(modes.items(), reverse=True):
        with contextlib.suppress(OSError):
            os.chmod(path, mode)


@contextlib.contextmanager
def opened(folders: Iterable[str], wanted: int = LOOK) -> Iterator[Opened]:
    made = Opened()
    try:
        made.open(folders, wanted)
        yield made
    finally:
        made.close()

"""Keeps what the shell itself is about to write (`> f`), and later looks what it has changed.

No `laconic run` sees such a line run. So the hook keeps the files before it answers, and the next
hook in the same project writes down what became of them.
"""

from __future__ import annotations

import contextlib
import os
from io import FileIO

from laconic.errors import LaconicError
from laconic.undo.analysis import project_of
from laconic.undo.keep import Keep
from laconic.undo.store import Held, Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.undo.hold import Holding
    from laconic.undo.keep import About

LIST = "undo/of-hooks"  # in the state directory: keeps whose lines have not been looked at


def keep_now(holding: Holding, about: About, state_dir: str) -> None:
    """Keep what a line will change; raises OSError or LaconicError, and then there is no undo."""
    if holding.survey is None:
        return
    store = Store(state_dir)
    held = store.keep(holding.reach, holding.survey, about)
    held.close()
    with store.lock(), _opened(state_dir, os.O_APPEND) as file:
        file.write(os.fsencode(held.path) + b"\n")


def finish_keeps(state_dir: str, directory: str) -> None:
    """Write down what the lines before this one have changed, in the same project."""
    left = []
    with Store(state_dir).lock():
        with _opened(state_dir, 0) as file:
            paths = [os.fsdecode(line) for line in file.read().split(b"\n") if line]
        for path in paths:
            with contextlib.suppress(OSError, LaconicError):
                keep = Keep(path)
                if project_of(keep.about.directory) != project_of(directory):
                    left.append(path)  # another agent's line, which may still run
                    continue
                Held(path, os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)).finish()
        if left:
            with _opened(state_dir, os.O_TRUNC) as file:
                file.write(b"".join(os.fsencode(path) + b"\n" for path in left))
        else:
            os.unlink(f"{state_dir}/{LIST}")  # noqa: PTH108 - pathlib takes six milliseconds to load


def _opened(state_dir: str, flags: int) -> FileIO:
    flags |= os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    return FileIO(os.open(f"{state_dir}/{LIST}", flags, 0o600), "r+")

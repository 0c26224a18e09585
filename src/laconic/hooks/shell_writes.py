"""Keeps what the shell itself is about to write (`> f`), and later looks what it has changed.

No `laconic run` sees such a line run. So the hook keeps the files before it answers, and the next
hook in the same project writes down what became of them.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Mapping
from io import FileIO

from laconic.errors import FileError, LaconicError
from laconic.files import read_file, write_private
from laconic.record.store import is_id
from laconic.run.spool import new_id
from laconic.settings.load import Settings
from laconic.undo.analysis import project_of, reach_of_line
from laconic.undo.around import about_run, begin
from laconic.undo.hold import Holding
from laconic.undo.keep import About, Keep
from laconic.undo.store import Held, Store, store_for

LIST = "undo/of-hooks"  # in the state directory: keeps whose lines have not been looked at
LINES = "undo/asked"  # there: lines that wait for an answer, by their ids
_YOUNG_S = 600
_DAY_S = 86400
_MOST_BYTES = 1 << 20


def keep_now(holding: Holding, about: About, settings: Settings) -> None:
    """Keep what a line will change; raises OSError or LaconicError, and then there is no undo."""
    if holding.survey is None:
        return
    store = store_for(settings)
    _list(store.keep(holding.reach, holding.survey, about), store, settings.directories.state_dir)


def hold_line(
    line: str, directory: str, environ: Mapping[str, str], settings: Settings, agent: str = ""
) -> str:
    """Keep what a line will change that begins to run now; return what is to be said before."""
    about = about_run(line, directory, environ)
    about.agent = about.agent or agent
    store = store_for(settings)
    around = begin(reach_of_line(line, directory, environ), about, store)
    if around.held is not None:
        _list(around.held, store, settings.directories.state_dir)
    return around.warning


def _list(held: Held, store: Store, state_dir: str) -> None:
    """Have the next hook look what became of it."""
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
                if time.time() - keep.time < _YOUNG_S and not keep.changes():
                    left.append(path)  # it may not have begun: agents run several at a time
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


# -- lines that wait for an answer -----------------------------------------------------------------


def note_line(state_dir: str, command: str) -> str:
    """Write down a line that may run soon; give the id that it is found by."""
    folder, name = f"{state_dir}/{LINES}", new_id()
    write_private(f"{folder}/{name}", command.encode("utf-8", "surrogateescape"))
    oldest = time.time() - _DAY_S
    for entry in os.scandir(folder):
        with contextlib.suppress(OSError):
            if entry.stat().st_mtime < oldest:
                os.unlink(entry.path)  # noqa: PTH108 - pathlib takes six milliseconds to load
    return name


def take_line(state_dir: str, name: str) -> str:
    """Give a line that is about to run, once; "" if there is none of this id."""
    path = f"{state_dir}/{LINES}/{name}"
    if not is_id(name):
        return ""
    try:
        line = read_file(path, _MOST_BYTES)
        os.unlink(path)  # noqa: PTH108 - as above
    except (OSError, FileError):
        return ""
    return line.decode("utf-8", "surrogateescape")

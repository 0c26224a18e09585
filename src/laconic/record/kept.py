"""Where outputs are kept that cannot be put with the records: a sandbox lets nobody write there.

Such a place has spools, outputs and a journal, never anything that decides: whatever a sandbox can
write is not believed outside of it. client/paths.c has the same places; change both.
"""

# pathlib takes six milliseconds to load.
# ruff: noqa: PTH102, PTH116
from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Mapping
from os.path import isabs

from laconic.files import hash_of

APART = "sandboxed"  # in the state directory: what the user lets sandboxes write
_NAME = "laconic-kept-"
_TMP = "/tmp"  # noqa: S108 - what is made there is looked at before it is used
REFUSED = (errno.EROFS, errno.EACCES, errno.EPERM)


def is_refused(error: OSError) -> bool:
    """Tell whether we may not write somewhere, as in an agent's sandbox."""
    return error.errno in REFUSED


def is_apart(directory: str | os.PathLike[str]) -> bool:
    """Tell whether a directory is not that of the records."""
    name = os.fspath(directory).rpartition("/")[2]
    return name == APART or name.startswith(_NAME)


def made(environ: Mapping[str, str], state_dir: str) -> Iterator[str]:
    """Return the places that we can write now, the best first; those below a temporary directory
    are made, for the owner alone.
    """
    given = f"{state_dir}/{APART}"
    if is_own(given):
        yield given
    for base in (environ.get("TMPDIR", ""), _TMP):
        if not isabs(base) or not _is_safe(base):
            continue
        path = f"{base}/{name_of(state_dir)}"
        try:
            os.mkdir(path, mode=0o700)
        except FileExistsError:
            pass
        except OSError:
            continue
        if is_own(path):
            yield path


def known(environ: Mapping[str, str], state_dir: str) -> list[str]:
    """Return the places where sandboxes may have kept something, as far as they are there.

    Claude Code gives its sandbox another TMPDIR than itself has, and so does sandbox-runtime.
    """
    user = os.geteuid()
    given = (environ.get(name, "") for name in ("TMPDIR", "CLAUDE_TMPDIR", "CLAUDE_CODE_TMPDIR"))
    bases = (*given, _TMP, f"{_TMP}/claude-{user}", f"{_TMP}/claude")
    name = name_of(state_dir)
    below = (f"{base.rstrip('/')}/{name}" for base in bases if isabs(base))
    return [path for path in dict.fromkeys((f"{state_dir}/{APART}", *below)) if is_own(path)]


def name_of(state_dir: str) -> str:
    """Return the name of a place below a temporary directory: by the records that it belongs to."""
    parts = (part for part in os.fsencode(state_dir).split(b"/") if part)
    return _NAME + hash_of(b"/" + b"/".join(parts))


def is_own(path: str) -> bool:
    """Tell whether a path is a directory of ours that nobody else can look into."""
    try:
        found = os.lstat(path)
    except OSError:
        return False
    return (
        stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077
    )


def _is_safe(directory: str) -> bool:
    """Tell whether what we make in a directory stays ours: nobody else may rename it there."""
    try:
        found = os.stat(directory)
    except OSError:
        return False
    is_alone = found.st_uid == os.geteuid() and not found.st_mode & 0o022
    return stat.S_ISDIR(found.st_mode) and (is_alone or bool(found.st_mode & stat.S_ISVTX))


def is_writable(directory: str) -> bool:
    """Tell whether something could be written in a directory, or where it would be made."""
    path = directory
    while not os.path.isdir(path):  # noqa: PTH112
        above = os.path.dirname(path)  # noqa: PTH120
        if above == path:
            return False
        path = above
    try:
        os.close(os.open(path, os.O_RDWR | getattr(os, "O_TMPFILE", 0) | os.O_CLOEXEC, 0o600))
    except OSError as error:
        # Not every file system has files without a name; a Landlock rule is known by trying alone.
        return not is_refused(error) and os.access(path, os.W_OK | os.X_OK)
    return True

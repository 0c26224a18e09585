"""Remembers what files of other programs were before laconic changed them, and writes them.

One record for each file: its first content, which no later installation overwrites, and the hash
of what laconic wrote last. While the file has that hash, the first content can be restored.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from laconic.errors import FileError, LaconicError
from laconic.files import read_file, reason, write_private

LIMIT = 8 << 20


class Original(NamedTuple):
    """A file that laconic changed. data: what it was, None if it was not there. written: the hash
    of what laconic wrote last. mixed: others changed it in between, so that putting `data` back
    would undo what they did. agents: for whom it was changed. made: the directories that were made
    for it.
    """

    path: Path
    data: bytes | None
    written: str = ""
    mixed: bool = False
    agents: tuple[str, ...] = ()
    made: tuple[Path, ...] = ()


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def find(state_dir: Path, path: Path) -> Original | None:
    return _read(_record(state_dir, path))


def find_all(state_dir: Path, agent: str) -> Iterator[Original]:
    """Return the files that laconic changed for an agent."""
    for record in sorted(_directory(state_dir).glob("*.json")):
        original = _read(record)
        if original and agent in original.agents:
            yield original


def save(state_dir: Path, original: Original) -> None:
    record = _record(state_dir, original.path)
    copy = record.with_suffix(".original")
    if original.data is not None:
        write_private(copy, original.data)
    else:
        copy.unlink(missing_ok=True)
    facts = {
        "path": str(original.path),
        "existed": original.data is not None,
        "written": original.written,
        "mixed": original.mixed,
        "agents": original.agents,
        "made": [str(path) for path in original.made],
    }
    write_private(record, json.dumps(facts, indent=1).encode())


def forget(state_dir: Path, path: Path) -> None:
    record = _record(state_dir, path)
    for each in (record, record.with_suffix(".original")):
        each.unlink(missing_ok=True)


def _read(record: Path) -> Original | None:
    """Return a record; None if it is missing or broken."""
    try:
        facts = json.loads(read_file(record))
        copy = record.with_suffix(".original")
        data = read_file(copy, LIMIT) if facts["existed"] else None
        made = tuple(map(Path, facts["made"]))
        agents = tuple(map(str, facts["agents"]))
        written, mixed = str(facts["written"]), bool(facts["mixed"])
        return Original(Path(facts["path"]), data, written, mixed, agents, made)
    except (FileError, ValueError, LookupError, TypeError):
        return None


def _directory(state_dir: Path) -> Path:
    return state_dir / "install"


def _record(state_dir: Path, path: Path) -> Path:
    name = hashlib.sha256(os.fsencode(path)).hexdigest()[:32]
    return _directory(state_dir) / f"{name}.json"


# -- files of others -------------------------------------------------------------------------------


def current(path: Path) -> bytes | None:
    """Return what a file holds; None if it is not there."""
    return read_file(path, LIMIT) if os.path.lexists(path) else None


def write(path: Path, before: bytes | None, after: bytes, mode: int) -> None:
    """Replace a file in one step, if it still holds what was read; mode and owner stay."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        if before is not None:
            mode = stat.S_IMODE(path.stat().st_mode)
        draft.unlink(missing_ok=True)
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(handle, "wb") as stream:
            stream.write(after)
            stream.flush()
            os.fsync(handle)
            os.fchmod(handle, mode)
            _keep_owner(handle, path)
        if current(path) != before:
            raise LaconicError(f"{path}: was changed by another program just now", "try again")
        draft.replace(path)
    except OSError as error:
        raise FileError(f"{path}: cannot be written: {reason(error)}") from error
    finally:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)


def _keep_owner(handle: int, path: Path) -> None:
    """Keep the owner if we may: root can edit another user's file."""
    with contextlib.suppress(OSError):
        status = path.stat()
        if (status.st_uid, status.st_gid) != (os.geteuid(), os.getegid()):
            os.fchown(handle, status.st_uid, status.st_gid)


def make_directories(path: Path) -> tuple[Path, ...]:
    """Make a directory and those above it; return the new ones, the outermost first."""
    missing = [each for each in (path, *path.parents) if not each.exists()][::-1]
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{path}: cannot be made: {reason(error)}") from error
    return tuple(missing)


def remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise FileError(f"{path}: cannot be removed: {reason(error)}") from error


def remove_directories(made: Iterable[Path]) -> None:
    """Remove directories, the innermost first; those that somebody uses stay."""
    for each in sorted(made, key=lambda path: len(path.parts), reverse=True):
        with contextlib.suppress(OSError):
            each.rmdir()

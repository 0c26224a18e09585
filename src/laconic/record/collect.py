"""Brings into the records what laconic has kept in a sandbox, as hostile input.

Everything there may have been written by whatever ran in the sandbox. So names, sizes and types are
checked, files are opened through their directory and copied, never moved, no id replaces one that
is known, and what is collected is marked. What is left for a liar is to lie about itself: it can
print what it wants anyway.
"""

# A directory is only reached through its descriptor, which pathlib does not do.
from __future__ import annotations

import contextlib
import fcntl
import json
import os
import stat
import time
import zlib
from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from typing import Any

from laconic.files import open_handle
from laconic.record.journal import append, path_of
from laconic.record.kept import known
from laconic.record.schema import COLUMNS
from laconic.record.store import COMPRESSED, STREAMS, Store, is_id

MOST_NAMES = 500
MOST_BYTES = 32 << 20  # of a file, as it is and unpacked; larger ones stay where they are
_MOST_IN_ALL = 128 << 20
_JOURNAL_BYTES = 2 << 20
MOST_RUNS = 3000
_LINE_BYTES = 8 << 10
_OLD_S = 600  # an output that nobody has written down by then belongs to a run that was killed
_DAYS_S = 30 * 86400
_CLOCK_S = 5
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_JOURNAL = os.path.basename(path_of(""))  # noqa: PTH119 - as above
SANDBOXED = "sandboxed"


class RefusedError(Exception):
    """A file is not what laconic would have kept."""


def collect(state_dir: str | os.PathLike[str], environ: Mapping[str, str]) -> int:
    """Collect from all places; return how many runs. Never raises."""
    count = 0
    for place in known(environ, os.fspath(state_dir)):
        with contextlib.suppress(OSError, RefusedError):
            count += _collect_place(place, Store(state_dir))
    return count


def uncollected(
    state_dir: str | os.PathLike[str], environ: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Return the runs that wait to be collected, for whoever cannot do that."""
    found: list[dict[str, Any]] = []
    for place in known(environ, os.fspath(state_dir)):
        with contextlib.suppress(OSError, RefusedError), opened(place) as directory:
            handle = open_file(directory, _JOURNAL, _JOURNAL_BYTES)
            try:
                found += rows(read_whole(handle, _JOURNAL_BYTES), time.time())
            finally:
                os.close(handle)
    return found


def _collect_place(place: str, store: Store) -> int:
    count = 0
    with opened(place) as directory, _journal(directory) as rows:
        outputs = _outputs(directory, {row["raw_id"] for row in rows}, store)
        for row in rows:
            raw_id = row["raw_id"] if row["raw_id"] in outputs else ""
            if not append(store.state_dir, "runs", row | {"raw_id": raw_id, SANDBOXED: 1}):
                raise OSError  # nothing of the journal is forgotten; what comes twice counts once
            count += 1
    return count


@contextlib.contextmanager
def opened(path: str, inside: int | None = None) -> Iterator[int]:
    """Open a directory of ours alone, by no link."""
    with open_handle(path, _DIRECTORY, inside=inside) as handle:
        found = os.fstat(handle)
        if found.st_uid != os.geteuid() or found.st_mode & 0o077:
            raise RefusedError
        yield handle


def open_file(directory: int, name: str, most: int) -> int:
    """Open a file of ours that has no other name, and is neither a link nor too large."""
    handle = os.open(name, _FILE, dir_fd=directory)
    found = os.fstat(handle)
    is_plain = stat.S_ISREG(found.st_mode) and found.st_nlink == 1
    if not is_plain or found.st_uid != os.geteuid() or found.st_size > most:
        os.close(handle)
        raise RefusedError
    return handle


def read_whole(handle: int, most: int) -> bytes:
    with open(handle, "rb", closefd=False) as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        raise RefusedError
    return data


# -- the journal -----------------------------------------------------------------------------------


@contextlib.contextmanager
def _journal(directory: int) -> Iterator[list[dict[str, Any]]]:
    """Give the rows of the journal, and remove it when they have been written down.

    A writer opens it anew if it is locked, or has lost its name.
    """
    try:
        handle = open_file(directory, _JOURNAL, _JOURNAL_BYTES)
    except FileNotFoundError:
        yield []
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        sound = rows(read_whole(handle, _JOURNAL_BYTES), time.time())
        yield list(islice(sound, MOST_RUNS))
        os.unlink(_JOURNAL, dir_fd=directory)
    finally:
        os.close(handle)


def rows(data: bytes, now: float) -> Iterator[dict[str, Any]]:
    """Return the runs in a journal, without what laconic would not have written."""
    for line in data.split(b"\n"):
        if not line or len(line) > _LINE_BYTES:
            continue
        with contextlib.suppress(ValueError, TypeError, RecursionError):
            table, row = json.loads(line)
            if table == "runs" and isinstance(row, dict) and _is_sound(row, now):
                yield row


def _is_sound(row: dict[str, Any], now: float) -> bool:
    if row.keys() != _KINDS.keys():
        return False
    if not all(fits(row[name]) for name, fits in _KINDS.items()):
        return False
    oldest, newest = (now - _DAYS_S) * 1e6, (now + _CLOCK_S) * 1e6
    return bool(row["id"] > 0 and oldest < row["time"] < newest)


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < 1 << 40


def _is_number(value: object) -> bool:
    return type(value) is int and 0 <= value < 1 << 63


def _is_flag(value: object) -> bool:
    return type(value) is int and value in (0, 1)


def _is_status(value: object) -> bool:
    return value is None or (type(value) is int and 0 <= value < 1 << 8)


def _is_count_or_none(value: object) -> bool:
    return value is None or _is_count(value)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_id_or_nothing(value: object) -> bool:
    return isinstance(value, str) and (not value or is_id(value))


_KINDS = {
    **dict.fromkeys(("command", "program", "filter", "project", "agent", "session"), _is_text),
    **dict.fromkeys(("duration_ms", "raw_bytes", "raw_tokens", "shown_tokens"), _is_count),
    **dict.fromkeys(("input_tokens", "output_tokens"), _is_count),
    **dict.fromkeys(("id", "time"), _is_number),
    **dict.fromkeys(("exact", "pipe_override"), _is_flag),
    "status": _is_status,
    "piped_tokens": _is_count_or_none,
    "raw_id": _is_id_or_nothing,
}
assert _KINDS.keys() == set(COLUMNS["runs"]) - {SANDBOXED}


# -- the outputs -----------------------------------------------------------------------------------


def _outputs(directory: int, named: set[str], store: Store) -> set[str]:
    """Copy the outputs that runs name, and those that nobody will write down; return their ids."""
    copied = set()
    left = _MOST_IN_ALL
    try:
        with opened("raw", directory) as raw:
            found = {
                raw_id: names
                for raw_id, names in _by_id(raw).items()
                if (raw_id in named or _is_old(raw, names)) and not store.has(raw_id)
            }
            others = _of_others(found, store)
            for raw_id, names in found.items():
                if raw_id in others:
                    _remove(raw, names)
                elif left > 0 and not store.has(raw_id):  # one that ran has perhaps ended
                    size = _copy(raw, raw_id, names, store)
                    left -= size or MOST_BYTES
                    if size:
                        copied.add(raw_id)
    except (FileNotFoundError, RefusedError):
        return copied
    return copied


def _of_others(raw_ids: Collection[str], store: Store) -> set[str]:
    """Return the ids that belong to runs outside: which still run, or whose output was removed.

    A sandbox may read them in the records. OSError if that cannot be told now.
    """
    if not raw_ids:
        return set()
    from laconic.record.database import ids_in  # noqa: PLC0415 - which loads this module

    running = {path.name.partition(".")[0] for path in store.spool_dir.glob("*")}
    return ids_in(store.state_dir, raw_ids) | running


def _by_id(directory: int) -> dict[str, list[str]]:
    """Return the names of outputs by their ids; of a directory that has too many, the first."""
    found: dict[str, list[str]] = {}
    with os.scandir(directory) as entries:
        for _, entry in zip(range(MOST_NAMES), entries, strict=False):
            raw_id, _, rest = entry.name.partition(".")
            if is_id(raw_id) and rest in _SUFFIXES:
                found.setdefault(raw_id, []).append(entry.name)
    return found


_SUFFIXES = frozenset(f"{stream}{suffix}" for stream in STREAMS for suffix in ("", COMPRESSED))


def _is_old(directory: int, names: list[str]) -> bool:
    with contextlib.suppress(OSError):
        changed = max(os.stat(n, dir_fd=directory, follow_symlinks=False).st_mtime for n in names)
        return time.time() - changed > _OLD_S
    return False


def _copy(directory: int, raw_id: str, names: list[str], store: Store) -> int:
    """Copy one output once all of it has been read; return how much that was, 0 if it was refused.

    What is refused is removed, so that it is looked at once.
    """
    parts = {}
    try:
        for name in names:
            handle = open_file(directory, name, MOST_BYTES)
            try:
                data = read_whole(handle, MOST_BYTES)
                is_packed = name.endswith(COMPRESSED)
                parts[name.split(".")[1]] = _unpacked(data) if is_packed else data
            finally:
                os.close(handle)
        store.keep(parts, raw_id)
        for path in store.paths(raw_id):
            path.chmod(0o400)  # a mark for the sweep: this may not displace what ran outside
    except (RefusedError, zlib.error):
        parts = {}
    except OSError:
        return 0
    _remove(directory, names)
    return sum(map(len, parts.values())) + bool(parts)


def _remove(directory: int, names: list[str]) -> None:
    for name in names:
        with contextlib.suppress(OSError):
            os.unlink(name, dir_fd=directory)


def _unpacked(data: bytes) -> bytes:
    unpacker = zlib.decompressobj()
    found = unpacker.decompress(data, MOST_BYTES)
    if not unpacker.eof:  # too large, or without its end
        raise RefusedError
    return found

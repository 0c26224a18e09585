"""Keeps the raw store within its bounds, and adopts the output that a killed laconic left."""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from laconic.files import open_handle
from laconic.record.journal import append, microseconds
from laconic.record.runs import Run, record_run
from laconic.record.store import STREAMS, Store, id_of, is_id

_DAY_S = 86400
_ROOM = 0.9  # the share of the bound that stays filled, so that the next sweep is not due at once
_LARGE = 8  # an output of more than an eighth of the bound is removed before all others
PURGED = "it was removed by laconic purge"
_YOUNG_S = 10  # a spool is locked right after it was made, and before anything is written to it
_DRAFT_S = 3600
KEPT_WHATEVER_AGE = 20
_END = "end"
_BYTES_OF_TOKEN = 4


class Kept:
    """The files of one id: how old the newest is, and how large they are together.

    is_foreign: whatever was in a sandbox may have written it.
    """

    def __init__(self, raw_id: str) -> None:
        self.raw_id, self.modified, self.size = raw_id, 0.0, 0
        self.is_foreign = False
        self.paths: list[str] = []


def sweep(store: Store, now: float) -> None:
    """Remove outputs that are too old, then the oldest until the rest fits; the newest stays.

    The newest few are never too old: a clock that runs ahead would make all of them so.

    A large output never displaces small ones: it is removed before them, unless it is the newest.
    Nor do those from sandboxes displace others, as soon as they take half of the room.
    """
    adopt(store, now)
    with _alone(store.directory) as is_alone:
        if is_alone:
            _sweep_alone(store, now)


@contextlib.contextmanager
def _alone(directory: Path) -> Iterator[bool]:
    """Lock a directory; False if another process works in it."""
    with open_handle(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC) as handle:
        yield _lock(handle)


def _lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _sweep_alone(store: Store, now: float) -> None:
    kept = sorted(_survey(store.directory, now), key=lambda output: output.modified)
    newest, oldest = kept[-1:], now - store.days * _DAY_S
    few = KEPT_WHATEVER_AGE if store.days else 0
    for output in kept[: max(0, len(kept) - few)]:
        if output.modified >= oldest:
            break
        _expire(store, output, f"it was older than {store.days} days", now)
        kept.remove(output)
    total = sum(output.size for output in kept)
    bound = store.limit_bytes if total <= store.limit_bytes else int(store.limit_bytes * _ROOM)
    larges = [output for output in kept if output.size > store.limit_bytes // _LARGE]
    smalls = [output for output in kept if output not in larges]
    reason = f"all outputs together were larger than {store.limit_bytes >> 20} MB"
    for output in dict.fromkeys((*_foreign(kept, store.limit_bytes // 2), *larges, *smalls)):
        # A large newest output is kept beyond the bound, so that no small one is removed for it.
        beyond = sum(one.size for one in newest if one in larges and one is not output)
        is_over = total > bound if output in larges else total - beyond > bound
        if output not in newest and is_over:
            _expire(store, output, reason, now)
            total -= output.size


def _foreign(kept: list[Kept], room: int) -> Iterator[Kept]:
    """Yield the oldest outputs from sandboxes, as far as all of them need more than their room."""
    beyond = sum(output.size for output in kept if output.is_foreign) - room
    for output in kept:
        if output.is_foreign and beyond > 0:
            yield output
            beyond -= output.size


def purge(
    store: Store, raw_ids: list[str] | None = None, before: float | None = None
) -> list[Kept]:
    """Remove all outputs, those with an id, or those before a time; return what was removed."""
    now = time.time()
    adopt(store, now)
    if not store.directory.is_dir():
        return []
    outputs = [
        one
        for one in _survey(store.directory, now)
        if (raw_ids is None or one.raw_id in raw_ids) and (before is None or one.modified < before)
    ]
    for one in outputs:
        _expire(store, one, PURGED, now)
    return outputs


def _expire(store: Store, output: Kept, reason: str, now: float) -> None:
    for path in output.paths:
        Path(path).unlink(missing_ok=True)
    row = {"raw_id": output.raw_id, "time": microseconds(now), "reason": reason}
    append(store.state_dir, "expired", row)


def _survey(directory: Path, now: float) -> Iterator[Kept]:
    """Look at every file once; remove drafts and tallies that are no longer needed."""
    outputs: dict[str, Kept] = {}
    with os.scandir(directory) as entries:
        for entry in entries:
            with contextlib.suppress(FileNotFoundError):
                status = entry.stat(follow_symlinks=False)
                raw_id = id_of(entry.name)
                if raw_id:
                    one = outputs.setdefault(raw_id, Kept(raw_id))
                    one.paths.append(entry.path)
                    one.size += status.st_size
                    one.is_foreign = one.is_foreign or not status.st_mode & stat.S_IWUSR
                    one.modified = max(one.modified, status.st_mtime)
                elif _is_left(entry.name, now - status.st_mtime):
                    Path(entry.path).unlink()
    yield from outputs.values()


def _is_left(name: str, age_s: float) -> bool:
    if name.startswith(".tally-"):
        return name.removeprefix(".tally-").isdecimal() and age_s > 2 * _DAY_S
    draft, _, process = name.removeprefix(".").rpartition(".")
    return bool(id_of(draft)) and process.isdecimal() and age_s > _DRAFT_S


# -- spools ----------------------------------------------------------------------------------------


def adopt(store: Store, now: float | None = None) -> list[str]:
    """Adopt the spools of a killed laconic, and what is new in others; return their ids.

    A spool is `<id>.<stream>`, and its writer holds a lock on it; `<id>.cmd` is its command, and
    `<id>.end` says how that ended, if it has and no server could write it down.
    """
    now = time.time() if now is None else now
    adopted = []
    with contextlib.suppress(OSError), _alone(store.spool_dir) as is_alone:
        for raw_id, paths in _spools(store.spool_dir).items() if is_alone else ():
            with contextlib.suppress(OSError):
                if _adopt_one(store, raw_id, paths, now):
                    adopted.append(raw_id)
    return adopted


def _spools(directory: Path) -> dict[str, dict[str, Path]]:
    spools: dict[str, dict[str, Path]] = {}
    for path in directory.iterdir():
        raw_id, _, kind = path.name.partition(".")
        if is_id(raw_id) and kind in (*STREAMS, "cmd", _END):
            spools.setdefault(raw_id, {})[kind] = path
    return spools


def _adopt_one(store: Store, raw_id: str, paths: dict[str, Path], now: float) -> bool:
    if store.has(raw_id):  # its command has left a background process, which may still write
        store.update(raw_id, {kind: path for kind, path in paths.items() if kind in STREAMS})
    is_begun = any(paths[kind].lstat().st_size for kind in STREAMS if kind in paths)
    is_young = any(now - path.lstat().st_mtime < _YOUNG_S for path in paths.values())
    if is_young and not is_begun and _END not in paths:
        return False
    if not all(_is_left_alone(path) for path in paths.values()):
        return False
    ended = paths.pop(_END, None)
    if ended:
        _record_end(store, raw_id, paths, ended)
        return True
    command = paths.pop("cmd", None)
    is_new = not store.has(raw_id) and any(path.stat().st_size for path in paths.values())
    if is_new:
        size = sum(path.stat().st_size for path in paths.values())
        text = command.read_text("utf-8", "replace") if command else ""
        # Use the run's own time, or `recall last` would point at it.
        began = min(path.stat().st_mtime for path in (*paths.values(), command) if path)
        store.keep(dict(paths), raw_id)
        record_run(store.state_dir, Run(text, raw_bytes=size, raw_id=raw_id), began)
    for path in (*paths.values(), *([command] if command else [])):
        path.unlink(missing_ok=True)
    return is_new


def _record_end(store: Store, raw_id: str, paths: dict[str, Path], ended: Path) -> None:
    """Record a run whose output was printed as it is, because no server answered in time."""
    spools = {kind: path for kind, path in paths.items() if kind in STREAMS}
    size = sum(path.stat().st_size for path in spools.values())
    status, duration, directory, *words = ended.read_bytes().decode("utf-8", "replace").split("\0")
    tokens = size // _BYTES_OF_TOKEN  # an estimate: nothing was saved, whatever they are
    run = Run(
        " ".join(words[:-1]),
        program=words[0].rpartition("/")[2],
        status=int(status),
        duration_ms=int(duration),
        raw_bytes=size,
        raw_chars=size,
        raw_tokens=tokens,
        shown_tokens=tokens,
        project=directory,
        raw_id=raw_id if size else "",
    )
    began = ended.stat().st_mtime - run.duration_ms / 1000
    ended.unlink()  # first: who dies now loses an entry, but never makes two
    if size:
        store.keep(spools, raw_id)
    record_run(store.state_dir, run, began)
    for path in paths.values():
        path.unlink(missing_ok=True)


def _is_left_alone(path: Path) -> bool:
    with open_handle(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK) as handle:
        return _lock(handle)

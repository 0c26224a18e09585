"""The records: one SQLite file; the journal is brought into it before anything is read.

Nothing here is needed to run a command. If the database is locked, full or read-only, the journal
stays as it is until the next time; a damaged database is set aside, and a new one is begun.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator
from errno import EBUSY, EIO
from pathlib import Path
from typing import NamedTuple

from laconic.errors import LaconicError
from laconic.files import make_private, open_handle
from laconic.record import journal
from laconic.record.collect import SANDBOXED, collect, uncollected
from laconic.record.kept import is_refused
from laconic.record.migrations import SCHEMA, NewerError, migrate, statements, version_of
from laconic.record.schema import COLUMNS
from laconic.record.store import Store
from laconic.record.sweep import adopt
from laconic.settings.environ import environment

DATABASE = "records.db"
BROKEN = "records.broken.db"
_BUSY_S = 0.05
_READER_PATIENCE_S = 2.0
_KEPT_US = 400 * 86400 * 1_000_000
_KEPT_ROWS = 1000  # of each table, however old
_DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
# Raised for values that no column takes: a number that is too large, a lone surrogate, a list.
_NOT_STORABLE = (OverflowError, ValueError, sqlite3.InterfaceError, sqlite3.ProgrammingError)


class Records(NamedTuple):
    """A connection for reading, and a note for the reader ("" for none)."""

    connection: sqlite3.Connection
    note: str


class _InUseError(Exception):
    """Another process of laconic is busy with the records."""


def bring_in(state_dir: str | os.PathLike[str], patience_s: float = 0) -> bool:
    """Turn the lines of the journal into rows; False if that must wait. Never raises."""
    try:
        _import(Path(state_dir), patience_s)
    except Exception:  # noqa: BLE001 - the journal waits; a command must not fail for it
        return False
    return True


def ids_in(state_dir: str | os.PathLike[str], raw_ids: Iterable[str]) -> set[str]:
    """Return which ids of outputs the records know, also of those that were removed.

    OSError if that cannot be told now.
    """
    if not bring_in(state_dir):
        raise OSError(EBUSY, os.strerror(EBUSY))
    known = (
        "SELECT raw_id FROM runs WHERE raw_id = ?1 "
        "UNION SELECT raw_id FROM expired WHERE raw_id = ?1"
    )
    try:
        with contextlib.closing(_open_to_read(Path(state_dir) / DATABASE)) as connection:
            return {raw_id for raw_id in raw_ids if connection.execute(known, (raw_id,)).fetchone()}
    except sqlite3.Error as error:
        raise OSError(EIO, os.strerror(EIO)) from error


@contextlib.contextmanager
def reading(state_dir: str | os.PathLike[str]) -> Iterator[Records]:
    """Open the records for reading, with everything that has happened so far."""
    directory = Path(state_dir)
    path = directory / DATABASE
    note, is_refused_here = "", False
    _adopt(directory)
    collect(directory, environment())
    try:
        try:
            _import(directory, _READER_PATIENCE_S)
        except (OSError, sqlite3.Error, _InUseError) as error:
            note = f"what ran last may be missing: {_reason(error)}" if _pending(directory) else ""
            is_refused_here = isinstance(error, OSError) and is_refused(error)
        with contextlib.closing(_open_to_read(path)) as connection:
            if is_refused_here:
                with contextlib.closing(_with_pending(connection, directory)) as more:
                    yield Records(more, "")
            else:
                yield Records(connection, note)
    except NewerError:
        raise LaconicError(f"{path}: was written by a newer laconic", "update laconic") from None
    except sqlite3.Error as error:
        if not is_damage(error):
            raise LaconicError(f"{path}: {error}", "laconic doctor") from error
        with contextlib.suppress(OSError, _InUseError), _alone(directory, _READER_PATIENCE_S):
            set_aside(directory)
        message = f"{path}: is damaged and was set aside as {BROKEN}"
        raise LaconicError(message, "type it again; laconic doctor says more") from error


def _adopt(directory: Path) -> None:
    """Bring in the runs of which no server could say how they ended."""
    with contextlib.suppress(OSError, ValueError):
        adopt(Store(directory))


# -- the journal -----------------------------------------------------------------------------------


def _import(directory: Path, patience_s: float) -> None:
    make_private(directory)
    with _alone(directory, patience_s):
        try:
            _import_alone(directory)
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            set_aside(directory)
            _import_alone(directory)


def _import_alone(directory: Path) -> None:
    with contextlib.closing(_open_to_write(directory / DATABASE)) as connection:
        for path in _closed_journals(directory):
            _import_file(connection, path)


def _closed_journals(directory: Path) -> list[Path]:
    """Rename the journal, so that no writer opens it any more; return it and earlier ones."""
    current = Path(journal.path_of(directory))
    with contextlib.suppress(FileNotFoundError):
        current.rename(current.with_name(f"{current.name}.{time.time_ns()}"))
    journals = sorted(directory.glob(f"{current.name}.*"))
    return [path for path in journals if path.is_file() and not path.is_symlink()]


def _import_file(connection: sqlite3.Connection, path: Path) -> None:
    with open_handle(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW) as handle:
        _lock(handle, _BUSY_S)  # a writer holds the lock only for one line
        with open(handle, "rb", closefd=False) as stream:
            _insert(connection, _entries(stream))
        path.unlink()  # before the lock is released, so that a late writer notices


def _entries(lines: Iterable[bytes]) -> Iterator[tuple[str, dict[str, object]]]:
    for line in lines:
        # A full disk truncates lines, and a newer laconic may have more tables.
        with contextlib.suppress(ValueError, TypeError):
            table, row = json.loads(line)
            if table in COLUMNS and isinstance(row, dict):
                yield table, row


def _insert(
    connection: sqlite3.Connection, entries: Iterable[tuple[str, dict[str, object]]]
) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        for table, row in entries:
            with contextlib.suppress(*_NOT_STORABLE):
                values = [row.get(name, _LATER.get(name)) for name in COLUMNS[table]]
                connection.execute(_INSERT[table], values)
        old = journal.microseconds() - _KEPT_US
        for table in COLUMNS:
            # A clock that runs ahead makes all of them old: the newest stay whatever it says.
            newest = f"SELECT time FROM {table} ORDER BY time DESC LIMIT 1 OFFSET {_KEPT_ROWS}"  # noqa: S608 - our own names
            connection.execute(
                f"DELETE FROM {table} WHERE time < ? AND time <= ({newest})",  # noqa: S608 - as above
                (old,),
            )
        connection.execute("COMMIT")
    except BaseException:  # also Ctrl-C: the transaction must not stay open
        with contextlib.suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


_INSERT = {
    table: f"INSERT OR IGNORE INTO {table} ({', '.join(names)}) "  # noqa: S608 - our own names
    f"VALUES ({', '.join('?' * len(names))})"
    for table, names in COLUMNS.items()
}


_LATER = {"sandboxed": 0}  # a journal has it only of what was collected


def _pending(directory: Path) -> bool:
    return any(directory.glob(f"{Path(journal.path_of(directory)).name}*"))


# -- the database ----------------------------------------------------------------------------------


def _open_to_write(path: Path) -> sqlite3.Connection:
    # SQLite creates the -wal and -shm files with the mode of the database file (os_unix.c,
    # findCreateFileMode).
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600))
    connection = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None)
    try:
        if not version_of(connection):
            connection.execute("PRAGMA journal_mode = WAL")
        # In WAL mode a power loss can cost the last rows, but never damages the file:
        # https://www.sqlite.org/pragma.html#pragma_synchronous
        connection.execute("PRAGMA synchronous = NORMAL")
        migrate(connection)
    except BaseException:  # also Ctrl-C: the file must not stay open
        connection.close()
        raise
    return connection


def _open_to_read(path: Path) -> sqlite3.Connection:
    if not path.exists():
        return _empty()
    connection = sqlite3.connect(path, timeout=_READER_PATIENCE_S, isolation_level=None)
    try:
        version = version_of(connection)
    except sqlite3.OperationalError:  # https://www.sqlite.org/wal.html#read_only_databases
        connection.close()
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?immutable=1", uri=True)
        version = version_of(connection)
    if version:
        return connection
    connection.close()
    return _empty()


def _with_pending(connection: sqlite3.Connection, directory: Path) -> sqlite3.Connection:
    """Return a copy in memory with what waits to be brought in, by whoever may write there."""
    copy = sqlite3.connect(":memory:", isolation_level=None)
    connection.backup(copy)
    if version_of(copy):
        migrate(copy)
    name = Path(journal.path_of(directory)).name
    for path in sorted(directory.glob(f"{name}*")):
        with contextlib.suppress(OSError), path.open("rb") as stream:
            _insert(copy, _entries(stream))
    waiting = uncollected(directory, environment())
    _insert(copy, [("runs", row | {SANDBOXED: 1}) for row in waiting])
    return copy


def _empty() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    for statement in statements(SCHEMA):
        connection.execute(statement)
    return connection


def is_damage(error: sqlite3.Error) -> bool:
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in _DAMAGE


def set_aside(directory: Path) -> None:
    """Move a damaged database out of the way; `laconic doctor` reports it."""
    for suffix in ("-shm", "-wal", ""):
        # Files that were set aside earlier must not be mixed up with this database.
        directory.joinpath(BROKEN + suffix).unlink(missing_ok=True)
        with contextlib.suppress(FileNotFoundError):
            directory.joinpath(DATABASE + suffix).rename(directory / (BROKEN + suffix))


@contextlib.contextmanager
def _alone(directory: Path, patience_s: float) -> Iterator[None]:
    """Hold the lock that every writer of the records takes."""
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    with open_handle(directory / "records.lock", flags) as handle:
        _lock(handle, patience_s)
        yield


def _lock(handle: int, patience_s: float) -> None:
    end = time.monotonic() + patience_s
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end:
                raise _InUseError("the records are in use") from None
            time.sleep(0.005)
        except OSError:
            time.sleep(_BUSY_S)  # no locks here: a writer that has the file open writes one line
            return
        else:
            return


def _reason(error: Exception) -> str:
    return error.strerror.lower() if isinstance(error, OSError) and error.strerror else str(error)

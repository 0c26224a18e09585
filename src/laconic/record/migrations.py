"""Brings the records of an older laconic to the tables of this one, one numbered step at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from laconic.record.schema import SCHEMA, statements

if TYPE_CHECKING:
    import sqlite3

# Step n (from 1) leads from version n to version n+1. A step is never changed once it is released;
# SCHEMA always says what comes out in the end.
MIGRATIONS: tuple[str, ...] = ()


class NewerError(Exception):
    """The records were written by a laconic that is newer than this one."""


def newest() -> int:
    return 1 + len(MIGRATIONS)


def version_of(connection: sqlite3.Connection) -> int:
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version


def migrate(connection: sqlite3.Connection) -> None:
    """Make or update the tables, all or nothing."""
    if version_of(connection) == newest():
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Read again: another process may have been at it before we had the lock.
        version = version_of(connection)
        if version > newest():
            raise NewerError
        for script in MIGRATIONS[version - 1 :] if version else (SCHEMA,):
            for statement in statements(script):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {newest()}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise

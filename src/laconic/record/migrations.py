"""Migrates the records of an older laconic to the current tables, one numbered step at a time."""

from __future__ import annotations

import sqlite3
from pathlib import Path

_DATA = Path(__file__).parent / "data"
# Step n (from 1) leads from version n to version n+1. A step never changes once it is released;
# SCHEMA is always the result of all steps, and docs/schema.md is generated from it.
MIGRATIONS = tuple((_DATA / f"{step}.sql").read_text("utf-8") for step in (1, 2))
SCHEMA = (_DATA / "schema.sql").read_text("utf-8")


class NewerError(Exception):
    """The records were written by a laconic that is newer than this one."""


def newest() -> int:
    return 1 + len(MIGRATIONS)


def version_of(connection: sqlite3.Connection) -> int:
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version


def statements(script: str) -> list[str]:
    """Split a script into statements; a trigger contains statements of its own."""
    parts = [""]
    for line in script.splitlines(keepends=True):
        parts[-1] += line
        if sqlite3.complete_statement(parts[-1]):
            parts.append("")
    return [statement for statement in parts if statement.strip()]


def migrate(connection: sqlite3.Connection) -> None:
    """Create or update the tables in one transaction."""
    if version_of(connection) == newest():
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Read again: another process may have migrated before we had the lock.
        version = version_of(connection)
        if version > newest():
            raise NewerError
        for script in MIGRATIONS[version - 1 :] if version else (SCHEMA,):
            for statement in statements(script):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {newest()}")
        connection.execute("COMMIT")
    except BaseException:  # also Ctrl-C: all steps or none
        connection.execute("ROLLBACK")
        raise

"""Migrates the records of an older laconic to the current tables, one numbered step at a time."""

from __future__ import annotations

import sqlite3

from laconic.record.schema import DAYS, SCHEMA, statements

# Step n (from 1) leads from version n to version n+1. A step never changes once it is released;
# SCHEMA is always the result of all steps.
MIGRATIONS: tuple[str, ...] = (
    """\
ALTER TABLE runs ADD COLUMN day TEXT NOT NULL DEFAULT '';
ALTER TABLE recalls ADD COLUMN day TEXT NOT NULL DEFAULT '';
UPDATE runs SET day = date(time / 1000000, 'unixepoch', 'localtime');
UPDATE recalls SET day = date(time / 1000000, 'unixepoch', 'localtime');
"""
    + DAYS
    + """INSERT INTO days
SELECT day, filter, program, project, exact, sum(runs), sum(hiding), sum(input_tokens),
    sum(output_tokens), sum(pipe_override), sum(recalls), sum(recalled), min(time), max(time)
FROM (
    SELECT day, filter, program, project, exact, 1 AS runs, raw_id <> '' AS hiding, input_tokens,
        output_tokens, pipe_override, 0 AS recalls, 0 AS recalled, time
    FROM runs
    UNION ALL
    SELECT day, filter, program, project, exact, 0, 0, 0, 0, 0, 1, tokens, time FROM recalls
) GROUP BY 1, 2, 3, 4, 5;
""",
    "ALTER TABLE runs ADD COLUMN sandboxed INTEGER NOT NULL DEFAULT 0;",
)


class NewerError(Exception):
    """The records were written by a laconic that is newer than this one."""


def newest() -> int:
    return 1 + len(MIGRATIONS)


def version_of(connection: sqlite3.Connection) -> int:
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version


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

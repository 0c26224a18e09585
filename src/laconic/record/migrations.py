"""Migrates the records of an older laconic to the current tables, one numbered step at a time."""

from __future__ import annotations

import sqlite3

from laconic.record.schema import SCHEMA, statements

# Step n (from 1) leads from version n to version n+1. A step never changes once it is released;
# SCHEMA is always the result of all steps.
MIGRATIONS: tuple[str, ...] = (
    """\
ALTER TABLE runs ADD COLUMN day TEXT NOT NULL DEFAULT '';
ALTER TABLE recalls ADD COLUMN day TEXT NOT NULL DEFAULT '';
UPDATE runs SET day = date(time / 1000000, 'unixepoch', 'localtime');
UPDATE recalls SET day = date(time / 1000000, 'unixepoch', 'localtime');
-- Sums of runs and recalls, kept by the triggers below: reports need not look at every run.
CREATE TABLE days (
    day TEXT NOT NULL,               -- these five are those of the runs and recalls
    filter TEXT NOT NULL,
    program TEXT NOT NULL,
    project TEXT NOT NULL,
    exact INTEGER NOT NULL,
    runs INTEGER NOT NULL,           -- how many
    hiding INTEGER NOT NULL,         -- runs that have a raw_id
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,  -- of the runs, without what was recalled
    pipe_override INTEGER NOT NULL,
    recalls INTEGER NOT NULL,        -- how many
    recalled_tokens INTEGER NOT NULL,
    first INTEGER NOT NULL,          -- not later than the first of them: microseconds since 1970
    last INTEGER NOT NULL,           -- not earlier than the last of them
    PRIMARY KEY (day, filter, program, project, exact)
) WITHOUT ROWID;

CREATE TRIGGER runs_stored AFTER INSERT ON runs
BEGIN
    UPDATE runs SET day = date(new.time / 1000000, 'unixepoch', 'localtime') WHERE id = new.id;
    INSERT INTO days VALUES (
        date(new.time / 1000000, 'unixepoch', 'localtime'),
        new.filter, new.program, new.project, new.exact, 1, new.raw_id <> '', new.input_tokens,
        new.output_tokens, new.pipe_override, 0, 0, new.time, new.time
    ) ON CONFLICT DO UPDATE SET runs = runs + 1, hiding = hiding + excluded.hiding,
        input_tokens = input_tokens + excluded.input_tokens,
        output_tokens = output_tokens + excluded.output_tokens,
        pipe_override = pipe_override + excluded.pipe_override,
        first = min(first, excluded.first), last = max(last, excluded.last);
END;

CREATE TRIGGER runs_removed AFTER DELETE ON runs
BEGIN
    UPDATE days SET runs = runs - 1, hiding = hiding - (old.raw_id <> ''),
        input_tokens = input_tokens - old.input_tokens,
        output_tokens = output_tokens - old.output_tokens,
        pipe_override = pipe_override - old.pipe_override
    WHERE (day, filter, program, project, exact)
        = (old.day, old.filter, old.program, old.project, old.exact);
    DELETE FROM days WHERE runs = 0 AND recalls = 0
        AND (day, filter, program, project, exact)
        = (old.day, old.filter, old.program, old.project, old.exact);
END;

CREATE TRIGGER recalls_stored AFTER INSERT ON recalls
BEGIN
    UPDATE recalls SET day = date(new.time / 1000000, 'unixepoch', 'localtime') WHERE id = new.id;
    INSERT INTO days VALUES (
        date(new.time / 1000000, 'unixepoch', 'localtime'),
        new.filter, new.program, new.project, new.exact, 0, 0, 0, 0, 0, 1, new.tokens, new.time,
        new.time
    ) ON CONFLICT DO UPDATE SET recalls = recalls + 1,
        recalled_tokens = recalled_tokens + excluded.recalled_tokens,
        first = min(first, excluded.first), last = max(last, excluded.last);
END;

CREATE TRIGGER recalls_removed AFTER DELETE ON recalls
BEGIN
    UPDATE days SET recalls = recalls - 1, recalled_tokens = recalled_tokens - old.tokens
    WHERE (day, filter, program, project, exact)
        = (old.day, old.filter, old.program, old.project, old.exact);
    DELETE FROM days WHERE runs = 0 AND recalls = 0
        AND (day, filter, program, project, exact)
        = (old.day, old.filter, old.program, old.project, old.exact);
END;
INSERT INTO days
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

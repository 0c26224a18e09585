"""The tables of the records, as SQL with comments; docs/schema.md is made from it."""

from __future__ import annotations

SCHEMA = """\
-- One row for each command that laconic ran.
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,          -- random, chosen by the run, so that none is counted twice
    time INTEGER NOT NULL,           -- when it ended: microseconds since 1970, UTC
    command TEXT NOT NULL,           -- as typed, without secrets; '' if laconic was killed
    program TEXT NOT NULL,           -- program and subcommand: git status
    filter TEXT NOT NULL,            -- what compacted the output: cargo/test; '' for nothing
    status INTEGER,                  -- exit status, 128+n for signal n; NULL if laconic was killed
    duration_ms INTEGER NOT NULL,    -- how long the command ran
    raw_bytes INTEGER NOT NULL,      -- all that it wrote
    raw_tokens INTEGER NOT NULL,     -- the same in tokens
    piped_tokens INTEGER,            -- what its own `| tail -5` would have left; NULL without one
    shown_tokens INTEGER NOT NULL,   -- what laconic printed, its notice included
    input_tokens INTEGER NOT NULL,   -- what the agent would have read without laconic: piped or raw
                                     -- tokens, up to the limit at which the agent itself cuts
    output_tokens INTEGER NOT NULL,  -- what the agent read: shown tokens, up to the same limit
    exact INTEGER NOT NULL,          -- 1 if a tokenizer counted, 0 if the tokens are estimates
    pipe_override INTEGER NOT NULL,  -- 1 if the pipe's own result was smaller and was printed
    project TEXT NOT NULL,           -- directory of the project
    agent TEXT NOT NULL,             -- claude-code, codex ...; '' if not known
    session TEXT NOT NULL,           -- the agent's own id of its session
    raw_id TEXT NOT NULL             -- id of the raw output: laconic recall ID; '' if none is kept
);

CREATE INDEX runs_by_time ON runs (time);

CREATE INDEX runs_by_raw_id ON runs (raw_id) WHERE raw_id <> '';

-- One row for each time that raw output was asked for again.
CREATE TABLE recalls (
    id INTEGER PRIMARY KEY,          -- random, as in runs
    time INTEGER NOT NULL,           -- microseconds since 1970, UTC
    raw_id TEXT NOT NULL,            -- what was asked for
    filter TEXT NOT NULL,            -- these three are those of the run
    program TEXT NOT NULL,
    project TEXT NOT NULL,
    tokens INTEGER NOT NULL,         -- what was printed, up to the limit of the agent
    exact INTEGER NOT NULL           -- as in runs
);

CREATE INDEX recalls_by_time ON recalls (time);

-- One row for each raw output that was removed to keep the store within its bounds.
CREATE TABLE expired (
    raw_id TEXT PRIMARY KEY,
    time INTEGER NOT NULL,           -- when it was removed: microseconds since 1970, UTC
    reason TEXT NOT NULL             -- why, in words
);
"""

COLUMNS = {
    "runs": (
        "id", "time", "command", "program", "filter", "status", "duration_ms", "raw_bytes",
        "raw_tokens", "piped_tokens", "shown_tokens", "input_tokens", "output_tokens", "exact",
        "pipe_override", "project", "agent", "session", "raw_id",
    ),
    "recalls": ("id", "time", "raw_id", "filter", "program", "project", "tokens", "exact"),
    "expired": ("raw_id", "time", "reason"),
}  # fmt: skip


def statements(script: str) -> list[str]:
    return [statement for statement in script.split(";\n") if statement.strip()]

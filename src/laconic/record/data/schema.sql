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
    raw_id TEXT NOT NULL,            -- id of the raw output: laconic recall ID; '' if none is kept
    day TEXT NOT NULL DEFAULT '',    -- 2026-11-15, by the machine's clock, when it was stored
    sandboxed INTEGER NOT NULL DEFAULT 0  -- 1 if a sandbox has written it, which may have lied
);

CREATE INDEX runs_by_time ON runs (time);

CREATE INDEX runs_by_raw_id ON runs (raw_id) WHERE raw_id <> '';

-- One row for each time that an agent asked for raw output again; a person's costs no tokens.
CREATE TABLE recalls (
    id INTEGER PRIMARY KEY,          -- random, as in runs
    time INTEGER NOT NULL,           -- microseconds since 1970, UTC
    raw_id TEXT NOT NULL,            -- what was asked for
    filter TEXT NOT NULL,            -- these three are those of the run
    program TEXT NOT NULL,
    project TEXT NOT NULL,
    tokens INTEGER NOT NULL,         -- what was printed, up to the limit of the agent
    exact INTEGER NOT NULL,          -- as in runs
    day TEXT NOT NULL DEFAULT ''     -- as in runs
);

CREATE INDEX recalls_by_time ON recalls (time);

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

-- One row for each raw output that was removed to keep the store within its bounds.
CREATE TABLE expired (
    raw_id TEXT PRIMARY KEY,
    time INTEGER NOT NULL,           -- when it was removed: microseconds since 1970, UTC
    reason TEXT NOT NULL             -- why, in words
);

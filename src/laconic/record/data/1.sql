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

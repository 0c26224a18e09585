"""Runs for the tests of the records: made on the spot, or read from cases/record/runs.txt."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

from laconic.record.database import DATABASE, bring_in
from laconic.record.journal import append, microseconds, new_row_id
from laconic.record.runs import Run, record_run

CASES = Path(__file__).parent / "cases" / "record"


def a_run(command="cargo test", **fields):
    standard = {"program": "cargo test", "filter_id": "cargo/test", "status": 0}
    return Run(command, **(standard | fields))


def rows(state_dir, query="SELECT command FROM runs ORDER BY command"):
    """Ask the database itself, after the journal was brought in."""
    assert bring_in(state_dir, patience_s=5)
    with closing(sqlite3.connect(Path(state_dir) / DATABASE)) as connection:
        found = connection.execute(query).fetchall()
    return [row[0] if len(row) == 1 else row for row in found]


def write_runs(state_dir, text):
    for line in text.splitlines():
        if line.startswith(">"):
            assert _write_recall(state_dir, *_cells(line[1:]))
        elif line and not line.startswith("#"):
            assert _write_run(state_dir, *_cells(line, 11))


def _cells(line, count=-1):
    cells = [cell.strip() for cell in line.split("|", count - 1 if count > 0 else -1)]
    return ["" if cell == "-" else cell for cell in cells]


def _seconds(text):
    return datetime.fromisoformat(text).timestamp()


def _write_run(
    state_dir, time, raw_id, status, filter_id, program, project, raw, piped, shown, flags, command
):
    run = Run(
        command.encode().decode("unicode_escape"),
        program=program,
        filter_id=filter_id,
        status=None if status == "?" else int(status),
        raw_tokens=int(raw),
        piped_tokens=int(piped) if piped else None,
        shown_tokens=int(shown),
        pipe_override="pipe" in flags,
        project=project,
        raw_id=raw_id,
    )
    return record_run(state_dir, run, _seconds(time))


def _write_recall(state_dir, time, raw_id, filter_id, program, project, tokens):
    row = {
        "id": new_row_id(),
        "time": microseconds(_seconds(time)),
        "raw_id": raw_id,
        "filter": filter_id,
        "program": program,
        "project": project,
        "tokens": int(tokens),
        "exact": 0,
    }
    return append(state_dir, "recalls", row)

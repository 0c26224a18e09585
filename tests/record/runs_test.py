"""Runs are written down: none is lost, none counted twice, and none ever stops a command."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from laconic.errors import LaconicError
from laconic.record import database, health, journal, migrations
from laconic.record.database import BROKEN, DATABASE, bring_in, reading
from laconic.record.hosts import DEFAULT_LIMIT, LIMITS, capped
from laconic.record.migrations import SCHEMA, statements
from laconic.record.runs import Run, record_run, row_of
from laconic.record.schema import COLUMNS
from records import CASES, a_run, rows

COUNT = "SELECT count(*) FROM runs"


@pytest.fixture
def state_dir(tmp_path):
    return tmp_path / "state"


def start(program, *arguments):
    return subprocess.Popen([sys.executable, "-c", program, *map(str, arguments)])


WRITER = """
import sys
from laconic.record.runs import Run, record_run
state_dir, name, count = sys.argv[1:]
for number in range(int(count)):
    assert record_run(state_dir, Run(f"{name} {number:04}", program="x", raw_tokens=1))
"""
IMPORTER = """
import sys
from laconic.record.database import bring_in
while True:
    bring_in(sys.argv[1])
"""


# -- what is written -----------------------------------------------------------------------------


def test_a_run_becomes_a_row_with_all_that_is_known(state_dir):
    run = Run(
        "cargo test | tail -5", program="cargo test", filter_id="cargo/test", status=101,
        duration_ms=1200, raw_bytes=400, raw_chars=390, raw_tokens=100, piped_tokens=20,
        shown_tokens=30, exact=True, pipe_override=True, project="/home/me/app",
        agent="claude-code", session="s1", raw_id="k3f9ab",
    )  # fmt: skip
    assert record_run(state_dir, run, now=1_790_000_000.25)
    (found,) = rows(state_dir, f"SELECT {', '.join(COLUMNS['runs'][1:])} FROM runs")
    assert found == (
        1_790_000_000_250_000, "cargo test | tail -5", "cargo test", "cargo/test", 101, 1200, 400,
        100, 20, 30, 20, 30, 1, 1, "/home/me/app", "claude-code", "s1", "k3f9ab", 0,
    )  # fmt: skip


def test_secrets_are_not_written_down(state_dir):
    secret = "ghp_" + "a1b2c3d4" * 4
    record_run(state_dir, Run(f"curl -H 'Authorization: Bearer {secret}' x", program=f"x {secret}"))
    assert secret.encode() not in Path(journal.path_of(state_dir)).read_bytes()
    assert rows(state_dir) == ["curl -H 'Authorization: [hidden]' x"]


@given(st.text(st.characters(codec=None)), st.integers(-(2**70), 2**70))
@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_text_and_no_number_stops_it(tmp_path_factory, text, number):
    state_dir = tmp_path_factory.mktemp("state")
    odd = Run(text, program=text, filter_id=text, project=text, session=text, raw_tokens=number)
    assert record_run(state_dir, odd)
    assert record_run(state_dir, a_run())
    assert "cargo test" in rows(state_dir)


def test_a_run_that_makes_no_sense_is_no_error(state_dir):
    assert record_run(state_dir, Run("x", raw_chars="many")) is False


def test_only_the_owner_can_read_the_records(state_dir):
    old = os.umask(0)
    try:
        record_run(state_dir, a_run())
        with reading(state_dir):
            record_run(state_dir, a_run())
            modes = {path.name: path.stat().st_mode & 0o777 for path in state_dir.iterdir()}
    finally:
        os.umask(old)
    assert {"records.db", "records.db-wal", "runs.journal"} <= set(modes)
    assert set(modes.values()) == {0o600}
    assert state_dir.stat().st_mode & 0o777 == 0o700


def test_the_hot_call_loads_nothing_heavy():
    program = "import sys; from laconic.record.runs import Run, record_run; print(*sys.modules)"
    bare = subprocess.run([sys.executable, "-Ic", "import sys; print(*sys.modules)"],
                          capture_output=True, text=True, check=True)  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-Ic", program], capture_output=True, text=True, check=True
    )
    heavy = {"argparse", "json", "pathlib", "rich", "sqlite3", "typing", "laconic.shell"}
    assert not heavy & (set(done.stdout.split()) - set(bare.stdout.split()))


def test_a_run_takes_a_moment_only(state_dir):
    record_run(state_dir, a_run())
    begun = time.process_time()
    for _ in range(300):
        record_run(state_dir, a_run())
    assert (time.process_time() - begun) / 300 < 0.003, "SQLite included"


# -- what an agent would have read ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("tokens", "raw_tokens", "raw_chars", "limit", "expected"),
    [
        (100, 100, 400, 30_000, 100),       # all of it fits
        (100, 100, 30_000, 30_000, 100),    # just
        (1000, 1000, 60_000, 30_000, 500),  # the agent would have cut half of it
        (400, 1000, 60_000, 30_000, 400),   # the pipe left less than that
        (0, 0, 0, 30_000, 0),
        (12_500_000, 12_500_000, 50_000_000, 30_000, 7500),
    ],
)  # fmt: skip
def test_what_the_agent_cuts_off_itself_is_not_counted(
    tokens, raw_tokens, raw_chars, limit, expected
):
    assert capped(tokens, raw_tokens, raw_chars, limit) == expected


@pytest.mark.parametrize("agent", ["codex", "claude-code", "nobody knows it"])
def test_each_agent_has_its_own_limit(agent):
    row = row_of(Run("x", agent=agent, raw_chars=4_000_000, raw_tokens=1_000_000,
                     shown_tokens=900_000))  # fmt: skip
    limit = LIMITS.get(agent, (DEFAULT_LIMIT, ""))[0]
    assert row["input_tokens"] == row["output_tokens"] == limit // 4
    assert (row["raw_tokens"], row["shown_tokens"]) == (1_000_000, 900_000)


# -- several at once -----------------------------------------------------------------------------


def test_eight_processes_lose_nothing_while_others_read(state_dir):
    writers = [start(WRITER, state_dir, name, 200) for name in "abcdefgh"]
    while any(writer.poll() is None for writer in writers):
        with reading(state_dir) as (connection, _):
            connection.execute(COUNT).fetchone()
    assert {writer.returncode for writer in writers} == {0}
    assert rows(state_dir) == [
        f"{name} {number:04}" for name in "abcdefgh" for number in range(200)
    ]
    assert list(state_dir.glob("runs.journal*")) == []


def test_a_database_that_somebody_holds_delays_nobody_and_nothing_is_lost(state_dir):
    record_run(state_dir, Run("first"))
    assert rows(state_dir) == ["first"]
    with contextlib.closing(sqlite3.connect(state_dir / DATABASE, isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        writers = [start(WRITER, state_dir, name, 200) for name in "abcdefgh"]
        assert [writer.wait(timeout=60) for writer in writers] == [0] * 8
        assert holder.execute(COUNT).fetchone() == (1,)
        with reading(state_dir) as (connection, note):
            assert connection.execute(COUNT).fetchone() == (1,)
        assert note == "what ran last may be missing: database is locked"
        assert health.findings(state_dir)[1].message.startswith("5")
        holder.execute("ROLLBACK")
    assert len(rows(state_dir)) == 1601


def test_an_importer_that_is_killed_loses_nothing_and_counts_nothing_twice(state_dir):
    writer = start(WRITER, state_dir, "a", 1500)
    random.seed(7)
    while writer.poll() is None:
        importer = start(IMPORTER, state_dir)
        time.sleep(0.05 + random.random() / 10)
        importer.kill()
        importer.wait()
    assert writer.returncode == 0
    assert rows(state_dir) == [f"a {number:04}" for number in range(1500)]


def test_a_journal_that_is_read_twice_is_counted_once(state_dir):
    record_run(state_dir, a_run())
    path = Path(journal.path_of(state_dir))
    lines = path.read_bytes()
    assert len(rows(state_dir)) == 1
    path.write_bytes(lines)
    assert len(rows(state_dir)) == 1


def test_who_has_the_old_journal_open_writes_to_the_new_one(state_dir, monkeypatch):
    record_run(state_dir, Run("first"))
    opened = journal._open

    def slow_open(directory):
        handle = opened(directory)
        monkeypatch.setattr(journal, "_open", opened)
        assert rows(state_dir) == ["first"]  # it was read and removed in the meantime
        return handle

    monkeypatch.setattr(journal, "_open", slow_open)
    assert record_run(state_dir, Run("second"))
    assert rows(state_dir) == ["first", "second"]


def test_who_meets_a_journal_that_is_being_read_writes_to_the_next(state_dir):
    record_run(state_dir, Run("first"))
    path = Path(journal.path_of(state_dir))
    with path.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert record_run(state_dir, Run("lost")) is False  # it was not renamed: nowhere to go
        path.rename(f"{path}.1")
        assert record_run(state_dir, Run("second"))
        assert not bring_in(state_dir)
    assert rows(state_dir) == ["first", "second"]


# -- faults --------------------------------------------------------------------------------------


@pytest.fixture
def old_records(state_dir):
    for number in range(300):
        record_run(state_dir, Run(f"old {number}"))
    assert len(rows(state_dir)) == 300
    return state_dir / DATABASE


@pytest.mark.parametrize("untouched", [0, 200])
def test_damaged_records_are_set_aside_and_what_waits_is_kept(state_dir, old_records, untouched):
    data = old_records.read_bytes()
    old_records.write_bytes(data[:untouched] + os.urandom(len(data) - untouched))
    assert record_run(state_dir, Run("new"))
    assert rows(state_dir) == ["new"]
    assert (state_dir / BROKEN).read_bytes()[:untouched] == data[:untouched]
    ok, (state, message, hint), _tokens = health.findings(state_dir)
    assert ok.state == "ok"
    assert state == "warn"
    assert f"{BROKEN}: damaged records, set aside on " in message
    assert ".recover" in hint


def test_damage_that_only_a_question_meets_is_told_once(state_dir, old_records):
    data = old_records.read_bytes()
    middle = len(data) // 2
    old_records.write_bytes(data[:middle] + os.urandom(3 * 4096) + data[middle + 3 * 4096 :])
    message = "is damaged and was set aside as records.broken.db"
    with pytest.raises(LaconicError, match=message), reading(state_dir) as (connection, _):
        connection.execute("SELECT total(length(command) + time) FROM runs NOT INDEXED").fetchall()
    assert rows(state_dir) == []


def test_a_database_without_its_directory_can_be_read(old_records):
    """In a sandbox the state directory may be read-only; root is not held up by modes."""
    directory = Path(tempfile.mkdtemp(dir="/tmp"))
    try:
        shutil.copy(old_records, directory)
        assert record_run(directory, Run("waits"))
        for path in (*directory.iterdir(), directory):
            if os.geteuid() == 0:
                os.chown(path, 65534, 65534)
        directory.chmod(0o555)
        health.findings(directory / "none")  # loads what another user may have no way to
        child = os.fork()
        if child == 0:
            os._exit(_read_as_nobody(directory))
        assert os.waitpid(child, 0)[1] == 0
    finally:
        directory.chmod(0o700)
        shutil.rmtree(directory)


def _read_as_nobody(directory):
    try:
        if os.geteuid() == 0:
            os.setuid(65534)
        assert not bring_in(directory)
        with reading(directory) as (connection, note):
            assert connection.execute(COUNT).fetchone() == (301,)  # with the one that waits
        assert note == ""
        finding, _tokens = health.findings(directory)
        assert finding.message.endswith("is read-only, so nothing is recorded")
    except BaseException:  # noqa: BLE001 - this is a child of the test: it must not go on
        traceback.print_exc()
        return 1
    return 0


def test_healthy_records_are_called_so(state_dir):
    record_run(state_dir, a_run())
    records, _tokens = health.findings(state_dir)
    assert records == ("ok", f"{state_dir / DATABASE}: 1 run", "")


def test_records_of_a_newer_laconic_are_left_alone(state_dir):
    record_run(state_dir, Run("first"))
    assert rows(state_dir) == ["first"]
    with contextlib.closing(sqlite3.connect(state_dir / DATABASE)) as connection:
        connection.execute("PRAGMA user_version = 99")
    assert record_run(state_dir, Run("second"))
    assert not bring_in(state_dir)
    with pytest.raises(LaconicError, match="was written by a newer laconic"), reading(state_dir):
        pass
    assert health.findings(state_dir)[0].state == "broken"
    with contextlib.closing(sqlite3.connect(state_dir / DATABASE)) as connection:
        connection.execute(f"PRAGMA user_version = {migrations.newest()}")
    assert rows(state_dir) == ["first", "second"]


@pytest.mark.parametrize("place", ["state", "runs.journal", "records.db"])
def test_something_else_in_its_place_stops_nothing(state_dir, place):
    if place == "state":
        state_dir.write_text("a file")
    else:
        (state_dir / place).mkdir(parents=True)
    written = record_run(state_dir, a_run())
    assert written is (place == "records.db")
    assert bring_in(state_dir) is (place == "runs.journal")
    if place == "runs.journal":  # what stood in the way was moved out of it
        assert record_run(state_dir, a_run())
        assert rows(state_dir) == ["cargo test"]


def test_a_link_in_the_place_of_the_journal_is_not_followed(state_dir, tmp_path):
    state_dir.mkdir()
    (tmp_path / "victim").write_text("untouched")
    Path(journal.path_of(state_dir)).symlink_to(tmp_path / "victim")
    assert record_run(state_dir, a_run()) is False
    assert (tmp_path / "victim").read_text() == "untouched"


def test_a_full_disk_stops_nothing_and_spoils_only_its_own_line(state_dir):
    program = f"""
import resource, signal
from laconic.record.runs import Run, record_run
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
print([record_run({str(state_dir)!r}, Run(f"run {{n}}")) for n in range(8)].count(True))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    fitted = int(done.stdout)
    assert 0 < fitted < 8
    assert record_run(state_dir, Run("run 9"))
    assert rows(state_dir) == [*(f"run {number}" for number in range(fitted)), "run 9"]


def test_without_room_for_the_database_the_journal_waits(state_dir):
    for number in range(40):
        record_run(state_dir, Run(f"run {number:02}"))
    program = f"""
import resource, signal
from laconic.record.database import bring_in
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
print(bring_in({str(state_dir)!r}))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout == b"False\n"
    assert rows(state_dir) == [f"run {number:02}" for number in range(40)]


def test_a_directory_without_records_is_read_as_empty(tmp_path, monkeypatch):
    monkeypatch.setattr(database, "_import", lambda *_: (_ for _ in ()).throw(OSError(30, "no")))
    with reading(tmp_path / "none") as (connection, note):
        assert connection.execute(COUNT).fetchone() == (0,)
    assert note == ""


def test_lines_that_are_none_are_left_out(state_dir):
    record_run(state_dir, Run("good"))
    path = Path(journal.path_of(state_dir))
    odd = ["", "{", "[]", '["runs"]', '["runs", 5]', '["sqlite_master", {"id": 1}]', '["runs", {}]',
           '["runs", {"id": {}, "command": "x"}]', json.dumps(["later", {"id": 1}])]  # fmt: skip
    with path.open("a") as stream:
        stream.write("\n".join(odd) + "\n")
        stream.flush()
        stream.buffer.write(b"\xff\xfe\n")
    assert rows(state_dir) == ["good"]


# -- migrations ----------------------------------------------------------------------------------


def shape(connection):
    found = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    return {name: " ".join(sql.split("--")[0].split()) for name, sql in found}


@pytest.mark.parametrize("path", sorted(CASES.glob("schema-*.sql")), ids=lambda path: path.stem)
def test_every_version_so_far_leads_to_the_tables_of_today(path, tmp_path):
    with (
        contextlib.closing(sqlite3.connect(tmp_path / "old.db", isolation_level=None)) as old,
        contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as new,
    ):
        old.executescript(path.read_text())
        old.execute(f"PRAGMA user_version = {path.stem.partition('-')[2]}")
        migrations.migrate(old)
        migrations.migrate(new)
        assert migrations.version_of(old) == migrations.version_of(new) == migrations.newest()
        for table, names in COLUMNS.items():
            for connection in (old, new):
                found = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
                # The day is not written down by a run: a trigger sets it.
                assert sorted({*found} - {"day"}) == sorted(names)
        assert shape(old).keys() == shape(new).keys()


def test_there_is_a_frozen_copy_of_every_version():
    copies = {path.stem for path in CASES.glob("schema-*.sql")}
    assert copies == {f"schema-{number}" for number in range(1, migrations.newest() + 1)}
    newest = (CASES / f"schema-{migrations.newest()}.sql").read_text()
    assert statements(newest) == statements(SCHEMA)


def test_a_migration_keeps_the_rows(state_dir, monkeypatch):
    record_run(state_dir, Run("old"))
    assert rows(state_dir) == ["old"]
    version = migrations.newest()
    steps = (*migrations.MIGRATIONS, "ALTER TABLE runs ADD COLUMN mood TEXT;\n")
    monkeypatch.setattr(migrations, "MIGRATIONS", steps)
    record_run(state_dir, Run("young"))
    assert rows(state_dir, "SELECT command, mood FROM runs ORDER BY time") == [
        ("old", None), ("young", None),
    ]  # fmt: skip
    assert rows(state_dir, "PRAGMA user_version") == [version + 1]


def test_a_migration_that_fails_changes_nothing(state_dir, monkeypatch):
    record_run(state_dir, Run("old"))
    assert rows(state_dir) == ["old"]
    step = "ALTER TABLE runs ADD COLUMN mood TEXT;\nALTER TABLE nothing ADD COLUMN x;\n"
    steps = (*migrations.MIGRATIONS, step)
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "MIGRATIONS", steps)
        record_run(state_dir, Run("young"))
        assert not bring_in(state_dir)
    assert rows(state_dir, "SELECT command FROM runs ORDER BY time") == ["old", "young"]


def test_runs_of_long_ago_are_forgotten(state_dir, monkeypatch):
    monkeypatch.setattr(database, "_KEPT_ROWS", 0)
    record_run(state_dir, Run("old"), time.time() - 401 * 86400)
    record_run(state_dir, Run("young"), time.time() - 399 * 86400)
    assert rows(state_dir) == ["young"]


def test_a_clock_that_runs_ahead_forgets_no_run(state_dir, monkeypatch):
    for number in range(30):
        record_run(state_dir, Run(f"run {number}"))
    record_run(state_dir, Run("ahead"), time.time() + 400 * 86400)
    monkeypatch.setattr(journal, "microseconds", lambda: int((time.time() + 420 * 86400) * 1e6))
    assert len(rows(state_dir)) == 31


@pytest.fixture
def no_locks(monkeypatch):
    def refuse(*_):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refuse)


@pytest.mark.usefixtures("no_locks")
def test_where_locks_are_refused_runs_are_recorded(state_dir):
    for number in range(3):
        assert record_run(state_dir, Run(f"run {number}"))
    assert rows(state_dir) == ["run 0", "run 1", "run 2"]
    with reading(state_dir) as (connection, note):
        assert (connection.execute("SELECT count(*) FROM runs").fetchone(), note) == ((3,), "")

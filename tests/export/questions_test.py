"""Rows of machines become one table, and the questions have the same answers on both engines."""

from __future__ import annotations

import json
import time
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

import laconic.export
from fleet_rows import CASES, read_rows
from laconic.cli import main as cli
from laconic.engine import decide, isolated_settings
from laconic.errors import LaconicError
from laconic.export.parquet import duckdb, opened, questions, write
from laconic.export.table import COLUMNS
from laconic.page.many import read_many
from laconic.record import decisions
from laconic.record.runs import record_run
from page.made_history import write_recall
from records import a_run

pytest.importorskip("duckdb", reason="not installed: duckdb")
DATA = Path(laconic.export.__file__).parent / "data"
NOW = time.time()
PLANTED = "hunter2", "planted"


@pytest.fixture
def table(tmp_path):
    """A file with all rows, and one with the first ten again, older."""
    given = list(read_rows())
    write(tmp_path / "all.parquet", given)
    again = [row._replace(exported=row.exported - 1, followed="") for row in given[:10]]
    write(tmp_path / "again.parquet", again)
    return tmp_path


def by_duckdb(table, query):
    with duckdb().connect() as connection:
        connection.execute(loading("duckdb").replace("DIR", str(table)))
        return plain(connection.execute(query).fetchall())


def by_clickhouse(table, query):
    session = pytest.importorskip("chdb.session", reason="not installed: chdb")
    with session.Session(str(table / "clickhouse")) as engine:
        engine.query("CREATE DATABASE d ENGINE = Atomic; USE d;")
        engine.query(loading("clickhouse").replace("DIR", str(table)))
        answer = engine.query(query, "JSONCompact").bytes()
    return plain(json.loads(answer)["data"])


def loading(engine):
    """The statement by which an engine reads the files of a directory."""
    return (DATA / f"load/{engine}.sql").read_text()


def plain(rows):
    """Return rows as texts of numbers, days and words."""
    return [[plain_value(value) for value in row] for row in rows]


def plain_value(value):
    if value is None:
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        return str(value)


def answers(name):
    lines = (CASES / f"{name}.out").read_text().splitlines()
    rows = [[cell.strip() for cell in line.split("|")] for line in lines if line[:1] != "#"]
    return [[None if cell == "NULL" else plain_value(cell) for cell in row] for row in rows]


@pytest.mark.parametrize("name", questions())
@pytest.mark.parametrize("ask", [by_duckdb, by_clickhouse])
def test_a_question_has_the_known_answer(table, ask, name):
    assert ask(table, questions()[name]) == answers(name)


def test_the_schema_is_what_is_written(tmp_path):
    write(tmp_path / "x.parquet", read_rows())
    with duckdb().connect() as connection:
        source = f"read_parquet('{tmp_path}/x.parquet')"
        found = connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()
    assert [name for name, *_ in found] == list(COLUMNS)
    assert (tmp_path / "x.parquet").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["x.parquet"]


def test_an_older_file_without_a_column_can_be_read(tmp_path):
    write(tmp_path / "new.parquet", read_rows())
    with duckdb().connect() as connection:
        connection.execute(
            f"COPY (SELECT * EXCLUDE (box, rule) FROM '{tmp_path}/new.parquet')"
            f" TO '{tmp_path}/old.parquet'"
        )
        connection.execute(f"COPY (SELECT 1 AS a) TO '{tmp_path}/foreign.parquet'")
    with opened([tmp_path / "old.parquet"]) as table:
        assert table.execute("SELECT count(*) FROM decisions WHERE rule = ''").fetchone() == (18,)
    with pytest.raises(LaconicError, match=r"foreign\.parquet: cannot be read: it has no column"):
        opened([tmp_path / "foreign.parquet"]).__enter__()


# -- a machine -------------------------------------------------------------------------------------


@pytest.fixture
def state_dir(home):
    return home / ".local/state/laconic"


def log(state_dir, command, agent="claude-code", **about):
    settings = isolated_settings({"HOME": "/home/me"})
    decision = decide(command, "/home/me/shop", settings, environ={"HOME": "/home/me"})
    known = {"command": command, "cwd": "/home/me/planted", "agent": agent, "now": NOW}
    about = {"outcome": str(decision.verdict), "session": "5b0e", **about}
    decisions.append(str(state_dir), decision, **known, about=about)


def exported(tmp_path, *words):
    path = tmp_path / "machine.parquet"
    assert cli.run(["export", "--parquet", str(path), *words]) == 0
    with opened([path]) as table:
        found = table.execute("SELECT * FROM decisions ORDER BY time").fetchall()
    return [dict(zip(COLUMNS, row, strict=True)) for row in found]


def test_a_machine_writes_what_it_decided_ran_and_recalled(state_dir, tmp_path):
    log(state_dir, "git push", call="toolu_9", profile="work")
    log(state_dir, "git push", agent=decisions.OWN)
    run = a_run("pytest", agent="claude-code", session="5b0e", raw_tokens=900, shown_tokens=90)
    run.raw_id = "k3f9ab"
    record_run(state_dir, run, NOW + 1)
    write_recall(state_dir, "k3f9ab", "pytest", "pytest", "/home/me/shop", 300, NOW + 2)
    decision, run, recall = exported(tmp_path)
    assert decision["kind"] == "decision"
    assert decision["time"] == datetime.fromtimestamp(int(NOW * 1000) / 1000, UTC).replace(
        tzinfo=None
    )
    assert decision["day"] == datetime.fromtimestamp(NOW, UTC).date()
    assert (decision["rule"], decision["effects"], decision["hard"]) == ("git/push", "sends", True)
    assert (decision["call"], decision["question"], decision["would_ask"]) == (
        "toolu_9",
        True,
        True,
    )
    assert (run["kind"], run["profile"], run["session"]) == ("run", "work", "5b0e")
    assert (run["input_tokens"], run["output_tokens"]) == (900, 90)
    assert (recall["kind"], recall["output_tokens"], recall["session"]) == ("recall", 300, "5b0e")
    assert len({row["person"] for row in (decision, run, recall)}) == 1
    assert exported(tmp_path, "--since", "2020-01-01")[0]["id"] == decision["id"]


def test_no_command_place_reason_or_secret_is_in_the_file(state_dir, tmp_path, home):
    for command in ("curl -u me:hunter2 https://h/planted", "./plantedtool", "PLANTED=1 planted"):
        log(state_dir, command)
    record_run(state_dir, a_run("./plantedtool", project="/planted"), NOW)
    text = json.dumps(exported(tmp_path), default=str).lower()
    assert [word for word in PLANTED if word in text] == []
    (home / ".config/laconic").mkdir(parents=True)
    (home / ".config/laconic/config.toml").write_text("[export]\ncommands = true\n")
    text = json.dumps(exported(tmp_path), default=str)
    assert "./plantedtool" in text
    assert "hunter2" not in text


def test_machines_with_one_key_name_people_and_projects_alike(tmp_path, home, monkeypatch, project):
    (home / "key").write_text("f" * 64)
    (home / ".config/laconic").mkdir(parents=True)
    config = home / ".config/laconic/config.toml"
    config.write_text('[export]\nkey_file = "~/key"\nteam = "payments"\n')
    (project / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (project / ".git/config").write_text(
        '[remote "origin"]\n\turl = https://me:pw@Git.example.com/acme/shop.git\n'
    )
    found = []
    for machine, url in enumerate(
        ("git@git.example.com:acme/shop", "ssh://git@git.example.com:22/acme/shop/")
    ):
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / f"state{machine}"))
        state = tmp_path / f"state{machine}/laconic"
        decision = decide("ls", "/", isolated_settings({"HOME": "/home/me"}), environ={})
        decisions.append(
            str(state), decision, command="ls", cwd=str(project), agent="codex", now=NOW
        )
        found += exported(tmp_path)
        (project / ".git/config").write_text(f'[remote "origin"]\n\turl = {url}\n')
        from laconic.export.identity import origin_of

        origin_of.cache_clear()
    first, second = found
    assert first["team"] == "payments"
    assert (first["person"], first["project"]) == (second["person"], second["project"])
    assert first["machine"] != second["machine"]
    config.write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state0"))
    (other,) = exported(tmp_path)
    assert other["person"] != first["person"]


def test_without_duckdb_it_says_what_to_type(state_dir, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(__import__("sys").modules, "duckdb", None)
    log(state_dir, "ls")
    assert cli.run(["export", "--parquet", str(tmp_path / "x")]) == 1
    assert capsys.readouterr().err == (
        "laconic: Parquet needs DuckDB, which is not installed beside laconic\n"
        "hint: pip install 'laconic[fleet]'\n"
    )
    assert list(tmp_path.glob("x*")) == []


# -- the page of many ------------------------------------------------------------------------------


def groups(data, kind):
    return {row["name"]: row for row in data["groups"] if row["kind"] == kind}


def test_the_page_adds_up_many_machines(table):
    data = read_many(table, now=NOW)
    assert data["many"] == {"teams": 2, "people": 5, "machines": 5}
    totals = data["totals"]
    assert (totals["decisions"], totals["questions"], totals["denied"]) == (13, 9, 1)
    assert (totals["prompts"], totals["prompts_saved"], totals["unchecked"]) == (12, 2, 1)
    assert (totals["runs"], totals["input"], totals["output"]) == (3, 6700, 970)
    assert totals["dollars"] == pytest.approx(0.00255)
    assert (data["first"], data["last"], data["unit"]) == ("2026-11-02", "2026-11-11", "day")
    assert sum(bar["decisions"] for bar in data["bars"]) == 13
    assert len(data["bars"]) == 10
    teams = groups(data, "team")
    assert (teams["a"]["decisions"], teams["a"]["questions"], teams["a"]["people"]) == (6, 3, 2)
    assert groups(data, "policy").keys() == {"17", "18", "none"}
    assert groups(data, "week").keys() == {"2026-11-02", "2026-11-09"}
    assert groups(data, "agent")["codex"]["denied"] == 1
    first = data["asked"][0]
    assert (first["rule"], first["times"], first["ran"], first["people"]) == ("npm/add", 6, 4, 5)


def test_the_page_reads_logs_too_and_nothing_beside_them(tmp_path, capsys):
    for machine in ("one", "two/laconic"):
        log(tmp_path / machine, "git push")
        (tmp_path / machine / "records.db").write_text("no database")
    data = read_many(tmp_path, now=NOW)
    assert data["many"]["machines"] == data["many"]["people"] == 2
    assert data["totals"]["questions"] == 2
    page = tmp_path / "page.html"
    assert cli.run(["report", "--from", str(tmp_path), "--html", str(page)]) == 0
    assert "2 decisions" in capsys.readouterr().out
    assert "planted" not in page.read_text()


def test_of_the_page_only_what_is_newer(table):
    since = datetime(2026, 11, 9, tzinfo=UTC).timestamp()
    data = read_many(table, now=NOW, since=since)
    assert data["totals"]["decisions"] == 9
    assert date.fromisoformat(data["first"]) == date(2026, 11, 9)


def test_a_directory_without_files_is_said(tmp_path):
    with pytest.raises(LaconicError, match="there is no Parquet file or log in it"):
        read_many(tmp_path, now=NOW)
    with pytest.raises(LaconicError, match="there is no such directory"):
        read_many(tmp_path / "x", now=NOW)

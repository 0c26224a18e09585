"""The log of decisions: many writers, rotation, disks that are full, secrets left out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path

import pytest

from laconic import __version__
from laconic.record import decisions
from laconic.types import Decision, Effect, Verdict

ASK = Decision(Verdict.ASK, "git/push", "publishes commits", effects=Effect.SENDS)


def append(state, command="git push", now=1_800_000_000.0, decision=ASK):
    return decisions.append(
        state, decision, command=command, cwd="/p", agent="claude-code", now=now
    )


def test_a_row_says_when_what_why_where_and_who(tmp_path):
    assert append(tmp_path)
    (row,) = decisions.read(tmp_path)
    at = datetime.fromisoformat(row.pop("time"))
    assert at.tzinfo is not None
    assert at.timestamp() == 1_800_000_000
    assert len(row.pop("id")) == 16
    assert row == {
        "version": __version__,
        "verdict": "ask",
        "effects": ["sends"],
        "rule": "git/push",
        "reason": "publishes commits",
        "cwd": "/p",
        "agent": "claude-code",
        "command": "git push",
    }


def test_each_row_has_an_id_of_its_own(tmp_path):
    for _ in range(20):
        append(tmp_path)
    assert len({row["id"] for row in decisions.read(tmp_path)}) == 20


def test_what_ran_unchecked_is_a_row_without_its_secrets(tmp_path):
    known = {"agent": "claude-code", "now": 1.8e9}
    words = "gate/disabled", "LACONIC_DISABLED is set"
    more = {"command": "curl -u me:hunter2 h", "cwd": "/p", "about": {"call": "toolu_9"}}
    assert decisions.append_unchecked(tmp_path, *words, **known, **more)
    assert decisions.append_unchecked(tmp_path, *words, **known)
    rows = decisions.of_agents(decisions.read(tmp_path))
    assert list(map(decisions.outcome, rows)) == [decisions.UNCHECKED] * 2
    assert (rows[0]["command"], rows[0]["call"]) == ("curl -u [hidden] h", "toolu_9")
    assert "command" not in rows[1]


def test_lines_of_an_older_laconic_are_read(tmp_path):
    Path(decisions.log_path(tmp_path)).write_text(
        '{"time": "2026-11-01T09:00:00.000+01:00", "verdict": "ask", "command": "git push"}\n'
    )
    (row,) = decisions.of_agents(decisions.read(tmp_path))
    assert (decisions.outcome(row), decisions.moment(row)) == ("ask", 1793520000)


def test_a_command_of_an_agent_is_one_row_also_if_the_agent_asks_about_it(tmp_path):
    def add(command, agent="codex", **about):
        row = {"command": command, "cwd": "/p", "agent": agent, "now": 1.8e9}
        assert decisions.append(tmp_path, ASK, **row, about=about)

    add("a", outcome="left", session="1")
    add("a", outcome="left", session="2")
    add("a", outcome="left", session="1", event="permission")
    add("b", outcome="left", session="1")
    add("b", outcome="allow", session="1", event="permission")  # an allowance for one run
    add("c", agent=decisions.OWN)
    add("d")
    rows = decisions.of_agents(decisions.read(tmp_path))
    found = [(row["command"], decisions.outcome(row), row.get("agent_asks")) for row in rows]
    assert found == [
        ("a", "left", True),
        ("a", "left", None),
        ("b", "allow", None),
        ("d", "ask", None),
    ]


def test_secrets_are_left_out_of_commands_and_reasons(tmp_path):
    told = Decision(Verdict.ASK, "x", "writes to https://me:hunter2@h")
    append(tmp_path, "curl -u me:hunter2 https://h", decision=told)
    assert b"hunter2" not in Path(decisions.log_path(tmp_path)).read_bytes()


def test_a_row_is_one_line_whatever_the_command(tmp_path):
    append(tmp_path, "echo 'a\nb\r\x1b[31m\udcff é\u2028'")
    assert Path(decisions.log_path(tmp_path)).read_bytes().count(b"\n") == 1
    assert next(decisions.read(tmp_path))["command"].startswith("echo 'a\nb")


def test_a_long_command_is_cut(tmp_path):
    append(tmp_path, "echo " + "x" * 100_000)
    assert Path(decisions.log_path(tmp_path)).stat().st_size < 10_000


def test_the_file_is_for_the_owner_alone(tmp_path):
    append(tmp_path / "state")
    assert Path(decisions.log_path(tmp_path / "state")).stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "state").stat().st_mode & 0o777 == 0o700


def test_since(tmp_path):
    for n in range(5):
        append(tmp_path, f"git push {n}", now=1_800_000_000.0 + n)
    found = [row["command"] for row in decisions.read(tmp_path, since=1_800_000_003.0)]
    assert found == ["git push 3", "git push 4"]


def test_lines_that_are_no_rows_are_left_out(tmp_path):
    append(tmp_path)
    with Path(decisions.log_path(tmp_path)).open("ab") as stream:
        stream.write(b'{"time": "x"}\n{\n[]\n\xff\n1\n{"time": null}\n')
    append(tmp_path)
    assert len(list(decisions.read(tmp_path))) == 2


def test_a_full_file_is_moved_away_and_the_oldest_is_dropped(tmp_path, monkeypatch):
    monkeypatch.setattr(decisions, "ROTATE_BYTES", 2000)
    for n in range(100):
        append(tmp_path, f"git push {n}", now=1_800_000_000.0 + n)
    names = {path.name for path in tmp_path.iterdir() if not path.name.endswith(".lock")}
    assert names == {"decisions.jsonl", *(f"decisions.jsonl.{n}" for n in (1, 2, 3))}
    found = [row["command"] for row in decisions.read(tmp_path)]
    assert found == [f"git push {n}" for n in range(100 - len(found), 100)]
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 4 * 2500


WRITER = """
import sys
from pathlib import Path
from laconic.record import decisions
from laconic.types import Decision, Effect, Verdict
decisions.ROTATE_BYTES = int(sys.argv[3])
for n in range(200):
    assert decisions.append(Path(sys.argv[1]), Decision(Verdict.ASK, "x", "y"),
                            command=f"{sys.argv[2]} {n}", cwd="/", agent="z", now=1800000000.0)
"""


@pytest.mark.parametrize("size", [10**9, 60_000])
def test_many_writers_lose_nothing(tmp_path, size):
    running = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), f"w{n}", str(size)])
        for n in range(4)
    ]
    assert [process.wait() for process in running] == [0] * 4
    rows = [row["command"] for row in decisions.read(tmp_path)]
    assert sorted(rows) == sorted(f"w{w} {n}" for w in range(4) for n in range(200))


def test_a_disk_that_is_full_stops_nothing(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    assert append(tmp_path) is False


@pytest.mark.parametrize("kind", ["directory", "pipe", "link", "file above"])
def test_a_log_that_cannot_be_written_stops_nothing(tmp_path, kind):
    path = Path(decisions.log_path(tmp_path))
    state = tmp_path
    if kind == "directory":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "link":
        path.symlink_to(tmp_path / "elsewhere")
    else:
        (tmp_path / "x").write_text("")
        state = tmp_path / "x/state"
    start = time.monotonic()
    assert append(state) is False
    assert time.monotonic() - start < 10
    assert not (tmp_path / "elsewhere").exists()


def test_a_rotation_that_somebody_else_is_at_is_left_to_them(tmp_path, monkeypatch):
    import fcntl

    monkeypatch.setattr(decisions, "ROTATE_BYTES", 10)
    with Path(tmp_path / "decisions.jsonl.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert append(tmp_path)
    assert json.loads(Path(decisions.log_path(tmp_path)).read_text())["rule"] == "git/push"


def test_of_a_very_large_file_only_the_end_is_read(tmp_path):
    path = Path(decisions.log_path(tmp_path))
    append(tmp_path, command="first")
    with path.open("ab") as file:
        file.write(b"no row\n" * (5 << 20))
    append(tmp_path, command="last")
    assert path.with_name(f"{path.name}.1").stat().st_size > 30 << 20
    assert [row["command"] for row in decisions.read(tmp_path)] == ["last"]

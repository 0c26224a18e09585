"""What the page says is what was recorded."""

from __future__ import annotations

import json
import time
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.engine import decide, isolated_settings
from laconic.page import read as page_read
from laconic.page.collect import Decided, Recorded, collect
from laconic.record import decisions, queries
from laconic.record.database import reading
from laconic.record.runs import record_run
from page.made_history import DAY, write_history, write_recall
from records import a_run

NOW = time.time()
EMPTY = Recorded((), (), (), (), 0, (), (), (), {})


@pytest.fixture
def state_dir(home):
    return home / ".local/state/laconic"


def read(state_dir, home, since=0.0):
    return page_read.read(state_dir, {"HOME": str(home)}, now=NOW, since=since)


def collected(**recorded):
    return collect(
        EMPTY._replace(**recorded), version="1", now="2026-11-15 09:00:00", since="", note=""
    )


def log(state_dir, agent, command, at=NOW):
    settings = isolated_settings({"HOME": "/home/me"})
    decision = decide(command, "/home/me/shop", settings, environ={"HOME": "/home/me"})
    decisions.append(str(state_dir), decision, command=command, cwd="/", agent=agent, now=at)
    return decision.verdict.word


def test_without_records_there_is_a_page_all_the_same(state_dir, home):
    data = read(state_dir, home)
    assert data["totals"]["runs"] == data["totals"]["decisions"] == 0
    assert len(data["bars"]) == 1
    json.dumps(data)


def test_the_sums_are_those_of_laconic_gain(state_dir, home):
    write_history(state_dir, home, NOW, days=20)
    data = read(state_dir, home)
    with reading(state_dir) as (connection, _):
        total = queries.total(queries.gain(connection))
        asked = sum(row.recalled_runs for row in queries.recalls(connection))
    totals = data["totals"]
    assert totals["runs"] == total.runs > 50
    assert (totals["input"], totals["output"]) == (total.input_tokens, total.output_tokens)
    assert (totals["recalls"], totals["recalled_runs"]) == (total.recalls, asked)
    for key, rows in (("runs", "filters"), ("input", "filters"), ("output", "filters")):
        assert sum(row[key] for row in data[rows]) == totals[key]
        assert sum(row[key] for row in data["bars"]) == totals[key]
    # Every run of the history belongs to a session, and its recalls do, too.
    for key in ("runs", "input", "output", "recalls"):
        assert sum(row[key] for row in data["sessions"]) == totals[key]
    assert len(data["sessions"]) == totals["sessions"]


def test_a_prompt_is_saved_where_the_agent_would_have_asked_and_laconic_allows(state_dir, home):
    allowed = [("claude-code", "git status"), ("claude-code", "cargo --version")]
    allowed += [("opencode", "cargo --version"), ("cli", "cargo --version")]
    for agent, command in allowed:
        assert log(state_dir, agent, command) == "allow"
    assert log(state_dir, "claude-code", "git push") == "ask"
    assert log(state_dir, "gemini", "rm -rf /") == "deny"
    totals = read(state_dir, home)["totals"]
    # Claude Code runs `git status` without a question, OpenCode everything; nobody asks a person.
    assert totals["prompts_saved"] == 1
    assert totals["prompts"] == 3
    assert totals["decisions"] == 5
    assert (totals["allowed"], totals["asked"], totals["denied"]) == (3, 1, 1)
    assert totals["checks"] == 1


def test_no_prompt_is_saved_where_agents_are_not_told_what_is_allowed(state_dir, home):
    config = home / ".config/laconic/config.toml"
    config.parent.mkdir(parents=True)
    log(state_dir, "claude-code", "cargo --version")
    for text, saved in (("", 1), ('[settings]\nprofile = "guard"\n', 0)):
        config.write_text(text)
        totals = read(state_dir, home)["totals"]
        assert (totals["prompts_saved"], totals["prompts"], totals["allowed"]) == (saved, 1, 1)


def test_what_was_asked_is_counted_by_command_and_by_rule(state_dir, home):
    for agent in ("claude-code", "codex", "claude-code"):
        log(state_dir, agent, "git push")
    log(state_dir, "codex", "rm -rf /")
    data = read(state_dir, home)
    assert [(row["command"], row["verdict"], row["times"]) for row in data["asked"]] == [
        ("git push", "ask", 3),
        ("rm -rf /", "deny", 1),
    ]
    assert data["asked"][0]["agents"] == "claude-code, codex"
    assert [(row["asked"], row["denied"]) for row in data["rules"]] == [(3, 0), (0, 1)]


def test_a_recall_costs_its_session_and_counts_for_its_filter(state_dir, home):
    run = a_run(raw_tokens=1000, shown_tokens=100, raw_id="abcdef", agent="codex", session="s1")
    record_run(state_dir, run, NOW - 60)
    record_run(state_dir, a_run(raw_tokens=10, shown_tokens=10), NOW - 50)
    write_recall(state_dir, "abcdef", "cargo/test", "cargo test", "", 300, NOW - 30)
    write_recall(state_dir, "abcdef", "cargo/test", "cargo test", "", 50, NOW - 20)
    data = read(state_dir, home)
    (session,) = data["sessions"]
    assert (session["runs"], session["input"], session["output"]) == (1, 1000, 450)
    assert session["recalls"] == 2
    (filtered,) = data["filters"]
    assert (filtered["hiding"], filtered["recalled_runs"], filtered["recalls"]) == (1, 1, 2)
    assert [(row["command"], row["tokens"]) for row in data["recalls"]] == [
        ("cargo test", 50),
        ("cargo test", 300),
    ]


def test_all_sessions_are_counted_though_the_newest_are_shown(state_dir, home, monkeypatch):
    monkeypatch.setattr("laconic.page.collect.MOST_SESSIONS", 2)
    for number in range(5):
        run = a_run(agent="codex", session=f"s{number}")
        assert record_run(state_dir, run, NOW - number)
        assert record_run(state_dir, run, NOW - 100)
    data = read(state_dir, home)
    assert [row["session"] for row in data["sessions"]] == ["s0", "s1"]
    assert [row["runs"] for row in data["sessions"]] == [2, 2]
    assert data["totals"]["sessions"] == 5


def test_a_transcript_tells_the_model_and_all_commands_of_its_session(state_dir, home):
    record_run(state_dir, a_run(agent="claude-code", session="5d1f"), NOW - 60)
    record_run(state_dir, a_run(agent="codex", session="77aa"), NOW - 60)
    write_history(state_dir, home, NOW, days=3, seed=2)
    folder = next((home / ".claude/projects").iterdir())
    next(folder.iterdir()).rename(folder / "5d1f.jsonl")
    rows = {row["session"]: row for row in read(state_dir, home)["sessions"]}
    assert rows["5d1f"]["models"] == "claude-opus-4-6"
    assert rows["5d1f"]["commands"] >= 3
    assert (rows["77aa"]["models"], rows["77aa"]["commands"]) == ("", None)


def test_only_what_is_newer_counts(state_dir, home):
    for age in (40 * DAY, 60):
        record_run(state_dir, a_run(raw_tokens=5, shown_tokens=5, session="s"), NOW - age)
        log(state_dir, "codex", "git push", NOW - age)
    for since, count in ((0.0, 2), (NOW - DAY, 1)):
        data = read(state_dir, home, since)
        assert data["totals"]["runs"] == len(data["runs"]) == count
        assert data["totals"]["asked"] == data["asked"][0]["times"] == count
        assert data["sessions"][0]["runs"] == count


def test_a_log_with_odd_lines_is_read_as_far_as_it_goes(state_dir, home):
    log(state_dir, "codex", "git push")
    lines = [
        {"time": "20260301T080000", "verdict": "ask", "command": "another form of a time"},
        {"time": "2026-W20-1", "verdict": "ask", "command": "and another"},
        {"time": "9999-12-31T00:00:00+00:00", "verdict": "ask", "command": "later"},
        {"time": "2026-01-01T00:00:00", "verdict": 7, "effects": 5, "command": ["x"], "rule": None},
        {"time": "2026-01-02T00:00:00", "effects": ["not-yet-known"], "agent": "claude-code"},
    ]
    with Path(decisions.log_path(state_dir)).open("a") as stream:
        stream.writelines(json.dumps(line) + "\n" for line in lines)
    data = read(state_dir, home)
    assert data["totals"]["decisions"] == 6
    assert len(data["bars"]) <= 401
    assert "2026-03-01 08:00" in {row["last"] for row in data["asked"]}
    json.dumps(data)


def decided(day, verdict="ask", command="x"):
    texts = "r", "why", "codex", command
    return Decided(f"{day}T08:00:00", verdict, (), *texts, True, verdict == "allow")


def test_with_many_days_there_is_a_bar_for_each_week_by_its_monday():
    data = collected(decisions=[decided("2026-06-04"), decided("2026-11-15")])
    assert data["unit"] == "week"
    assert data["bars"][0] == {
        "day": "2026-06-01", "runs": 0, "input": 0, "output": 0, "decisions": 1, "saved": 0,
        "allow": 0, "ask": 1, "deny": 0,
    }  # fmt: skip
    assert data["bars"][-1]["day"] == "2026-11-09"
    assert len(data["bars"]) == 24


@given(
    st.lists(
        st.tuples(
            st.dates(date(2025, 11, 1), date(2026, 11, 15)),
            st.sampled_from(("allow", "ask", "deny")),
        )
    )
)
def test_the_bars_hold_every_decision_of_the_last_400_days(made):
    data = collected(decisions=[decided(day, verdict) for day, verdict in made])
    bars = data["bars"]
    assert sum(bar["decisions"] for bar in bars) == len(made) == data["totals"]["decisions"]
    assert sum(bar["saved"] for bar in bars) == data["totals"]["prompts_saved"]
    assert sum(bar["ask"] + bar["deny"] for bar in bars) == sum(v != "allow" for _, v in made)
    assert len({bar["day"] for bar in bars}) == len(bars)


def test_what_a_reader_would_not_see_is_escaped_and_long_texts_are_clipped():
    hostile = "echo \u202e\x00\udcff\n" + "x" * 5000
    data = collected(decisions=[decided("2026-11-15", command=hostile)])
    shown = data["asked"][0]["command"]
    assert shown.startswith("echo \\u202e\\x00\\udcff\\nxxx")
    assert shown.endswith("… (5,009 characters)")
    assert len(shown) < 1100

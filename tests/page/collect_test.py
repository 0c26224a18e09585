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
REFUSED = "The user doesn't want to proceed with this tool use. The tool use was rejected"
EMPTY = Recorded(*[()] * 8, 0, *[()] * 3, 0, {}, {}, ())


@pytest.fixture
def state_dir(home):
    return home / ".local/state/laconic"


def read(state_dir, home, since=0.0):
    return page_read.read(state_dir, {"HOME": str(home)}, now=NOW, since=since)


def collected(**recorded):
    return collect(
        EMPTY._replace(**recorded),
        version="1",
        now="2026-11-15 09:00:00",
        since="",
        note="",
        prices="2026-11-15",
    )


def log(state_dir, agent, command, at=NOW, about=None, cwd="/"):
    settings = isolated_settings({"HOME": "/home/me"})
    decision = decide(command, "/home/me/shop", settings, environ={"HOME": "/home/me"})
    row = {"command": command, "cwd": cwd, "agent": agent, "now": at, "about": about}
    decisions.append(str(state_dir), decision, **row)
    return decision.verdict


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


def test_what_was_left_to_an_agent_saves_no_prompt(state_dir, home):
    for outcome in ("allow", decisions.LEFT):
        log(state_dir, "claude-code", "cargo --version", about={"outcome": outcome})
    totals = read(state_dir, home)["totals"]
    assert (totals["prompts_saved"], totals["prompts"]) == (1, 2)
    assert (totals["allowed"], totals["left"], totals["asked"]) == (1, 1, 0)


def test_what_an_agent_then_did_is_told_by_its_transcript(state_dir, home):
    """Of three equal commands the transcript has two; a person has refused the last."""
    about = {"outcome": "ask", "session": "5d1f"}
    for age in (30, 20, 10):
        log(state_dir, "claude-code", "git push", NOW - age, about=about)
    folder = home / ".claude/projects/-home-me-shop"
    folder.mkdir(parents=True)
    lines = []
    for number, (shown, is_error) in enumerate((("Everything up-to-date", False), (REFUSED, True))):
        use = {"type": "tool_use", "id": f"t{number}", "name": "Bash"}
        told = {"type": "tool_result", "tool_use_id": f"t{number}", "content": shown}
        for kind, block in (
            ("assistant", use | {"input": {"command": "git push"}}),
            ("user", told | {"is_error": is_error}),
        ):
            lines.append({"type": kind, "sessionId": "5d1f", "message": {"content": [block]}})
    (folder / "5d1f.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    data = read(state_dir, home)
    (row,) = data["asked"]
    assert (row["times"], row["ran"], row["refused"]) == (3, 1, 1)
    assert (data["totals"]["ran"], data["totals"]["refused"]) == (1, 1)


def test_an_agent_that_asks_after_all_is_counted_once(state_dir, home):
    left = {"outcome": decisions.LEFT, "session": "s"}
    log(state_dir, "codex", "npm test", NOW - 20, about=left)
    log(state_dir, "codex", "npm test", NOW - 19, about={**left, "event": "permission"})
    log(state_dir, "codex", "npm test", NOW - 9, about=left)
    data = read(state_dir, home)
    assert (data["totals"]["decisions"], data["totals"]["questions"]) == (2, 1)
    assert data["asked"][0]["times"] == 1


def test_the_first_section_has_what_would_end_most_questions(state_dir, home, tmp_path):
    (tmp_path / ".git").mkdir()
    for command, count in (("pytest -q", 5), ("npm test", 4), ("mkdir a", 3), ("git push", 9)):
        for _ in range(count):
            about = {"outcome": "ask"}
            log(state_dir, "claude-code", command, about=about, cwd=str(tmp_path))
    data = read(state_dir, home)
    assert data["totals"]["questions"] == 21
    assert [(row["line"], row["saved"]) for row in data["changes"]] == [
        ("laconic config set settings.profile work", 12)
    ]


def test_projects_agents_and_weeks_have_sums_of_their_own(state_dir, home):
    write_history(state_dir, home, NOW, days=20)
    data = read(state_dir, home)
    for kind in ("project", "agent", "week"):
        rows = [row for row in data["groups"] if row["kind"] == kind]
        for key in ("decisions", "questions", "denied", "runs", "input", "output"):
            assert sum(row[key] for row in rows) == data["totals"][key], (kind, key)
        dollars = sum(row["dollars"] or 0 for row in rows)
        assert dollars == pytest.approx(data["totals"]["dollars"])


def test_the_first_days_have_a_bar_for_each_hour(state_dir, home):
    for ago in (0, 3 * 3600):
        record_run(state_dir, a_run(raw_tokens=9, shown_tokens=4), NOW - ago)
        log(state_dir, "codex", "git push", NOW - ago)
    data = read(state_dir, home)
    assert (data["unit"], len(data["bars"])) == ("hour", 4)
    assert [bar["runs"] for bar in data["bars"]] == [1, 0, 0, 1]
    assert [bar["decisions"] for bar in data["bars"]] == [1, 0, 0, 1]


def test_what_was_asked_is_counted_by_command(state_dir, home):
    for agent in ("claude-code", "codex", "claude-code"):
        log(state_dir, agent, "git push")
    log(state_dir, "codex", "rm -rf /")
    data = read(state_dir, home)
    assert [(row["command"], row["verdict"], row["times"]) for row in data["asked"]] == [
        ("git push", "ask", 3),
        ("rm -rf /", "deny", 1),
    ]
    assert data["asked"][0]["agents"] == "claude-code, codex"


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
    is_asked = verdict == "ask"
    return Decided(
        f"{day}T08:00:00", verdict, (), *texts, is_saved=verdict == "allow", is_question=is_asked
    )


def test_with_many_days_there_is_a_bar_for_each_week_by_its_monday():
    data = collected(decisions=[decided("2026-06-04"), decided("2026-11-15")])
    assert data["unit"] == "week"
    assert data["bars"][0] == {
        "day": "2026-06-01", "runs": 0, "input": 0, "output": 0, "decisions": 1, "saved": 0,
        "allow": 0, "left": 0, "ask": 1, "deny": 0,
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

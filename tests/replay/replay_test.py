"""Past sessions once more: prompts, tokens and dollars, by profile."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import decide_cases
from laconic.cli import main as cli
from laconic.engine import outcome
from laconic.policy.profiles import PROFILES
from laconic.replay import prices
from laconic.replay.flow import asks
from laconic.replay.judge import ReplayJudge, with_profile
from laconic.replay.replay import Replayer
from laconic.sessions import find
from laconic.sessions.values import Builder, Step, Usage
from laconic.settings.load import process_environment, read_settings
from laconic.types import Effect, Outcome

CASES = Path(__file__).parent.parent / "cases/sessions"
PYTEST = (
    "============================= test session starts ==============================\n"
    "platform linux -- Python 3.11.2, pytest-8.3.3, pluggy-1.5.0\n"
    "rootdir: /p\ncollected 1000 items\n\n"
    + "".join(f"tests/test_{n}.py ..........   [{n:3d}%]\n" for n in range(100))
    + "\n============================= 1000 passed in 1.20s =============================\n"
)


@pytest.fixture
def project(tmp_path):
    (tmp_path / "project/.git").mkdir(parents=True)
    return tmp_path / "project"


@pytest.fixture
def judge():
    environ = process_environment()
    return ReplayJudge(read_settings(environ), environ, PROFILES)


def replayed(*paths, limit_s=0.0):
    environ = process_environment()
    replayer = Replayer(read_settings(environ), environ, PROFILES)
    return replayer.replay(find.find_in(paths), limit_s)


def transcript(path, commands, cwd="/home/dev/project", output="ok", read=90_000):
    lines = []
    for number, command in enumerate(commands):
        use = {
            "type": "tool_use",
            "id": f"t{number}",
            "name": "Bash",
            "input": {"command": command},
        }
        usage = {"cache_creation_input_tokens": 100, "cache_read_input_tokens": read}
        message = {"id": f"m{number}", "model": "claude-opus-4-5", "usage": usage, "content": [use]}
        same = {"sessionId": "s", "cwd": str(cwd), "permissionMode": "default"}
        lines.append({"type": "assistant", "message": message, **same})
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": output}
        lines.append({"type": "user", "message": {"content": [result]}, **same})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


# -- one command -----------------------------------------------------------------------------------


def test_each_profile_allows_leaves_or_asks(judge, project):
    def outcomes(command):
        return judge.judge("claude-code", Step(command, str(project))).outcomes

    assert outcomes("ls -la") == {
        "guard": Outcome.LEFT,
        "default": Outcome.ALLOWED,
        "work": Outcome.ALLOWED,
        "strict": Outcome.ALLOWED,
    }
    assert outcomes("git add -A") == {
        "guard": Outcome.LEFT,
        "default": Outcome.LEFT,
        "work": Outcome.ALLOWED,
        "strict": Outcome.ASKED,
    }
    assert set(outcomes("git push origin main").values()) == {Outcome.ASKED}


@given(command=st.text(), cwd=st.text(), output=st.binary(), mode=st.text(max_size=3))
@example(command="ls \ud800 \udcff", cwd="/p\ud800", output=b"", mode="")
@example(command="git log\0", cwd="/p\0", output=b"\xff\0" * 50, mode="")
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_step_is_judged(judge, command, cwd, output, mode):
    builder = Builder()
    builder.start("1", Step(command, f"/{cwd}", mode))
    builder.finish("1", output.decode("utf-8", "replace"), None)
    (step,) = builder.built("claude-code", "").steps
    judged = judge.judge("claude-code", step)
    assert set(judged.outcomes) == set(PROFILES)
    assert all(shown <= judged.tokens for shown in judged.shown.values())


EVERY_60TH = [case.command for _, case in decide_cases.ALL][::60]


@pytest.mark.parametrize("command", EVERY_60TH)
def test_what_a_strict_profile_allows_a_looser_one_allows(judge, project, command):
    """So that no decision is needed for it."""
    step = Step(command, str(project))
    own = {name: with_profile(judge.settings, name) for name in PROFILES}
    each = {n: outcome(judge.decide("claude-code", step, n), own[n]) for n in PROFILES}
    assert judge.judge("claude-code", step).outcomes == each


def test_an_output_is_compacted_where_the_command_is_rewritten(judge, project):
    step = Step("pytest -v", str(project), output=PYTEST.encode(), has_run=True, status=0)
    judged = judge.judge("claude-code", step)
    assert judged.shown["work"] < judged.tokens / 10
    assert judged.shown["default"] == judged.tokens  # it is left to the agent, as it was typed
    quiet = judge.judge("claude-code", step._replace(mode="bypassPermissions"))
    assert quiet.shown["default"] == judged.shown["work"]


@pytest.mark.parametrize(
    ("agent", "step", "effects", "expected"),
    [
        ("claude-code", Step("ls -la | head -3", "/p"), Effect.READS, False),
        ("claude-code", Step("git log && cd x", "/p"), Effect.READS, False),
        ("claude-code", Step("jq . a.json", "/p"), Effect.READS, True),
        ("claude-code", Step("git add x", "/p"), Effect.HISTORY, True),
        ("claude-code", Step("ls > x", "/p"), Effect.PROJECT_WRITE, True),
        ("claude-code", Step("mkdir x", "/p", "acceptEdits"), Effect.PROJECT_WRITE, False),
        ("claude-code", Step("black .", "/p", "acceptEdits"), Effect.PROJECT_WRITE, True),
        ("claude-code", Step("rm -r ~/x", "/p", "acceptEdits"), Effect.OUTSIDE_WRITE, True),
        ("claude-code", Step("git push", "/p", "bypassPermissions"), Effect.SENDS, False),
        ("claude-code", Step("ls", "/p", was_asked=True), Effect.READS, True),
        ("claude-code", Step("if then (", "/p"), Effect.UNCLEAR, True),
        ("codex", Step("cargo test", "/p", "untrusted"), Effect.PROJECT_CODE, True),
        (
            "codex",
            Step("cargo test", "/p", "on-request", was_asked=False),
            Effect.PROJECT_CODE,
            False,
        ),
        ("gemini", Step("ls", "/p"), Effect.READS, True),
        ("opencode", Step("git push", "/p"), Effect.SENDS, False),
    ],
)
def test_what_the_agent_itself_asks(agent, step, effects, expected):
    assert asks(agent, step, effects, ()) is expected


def test_the_users_rules_in_the_agents_settings_count(home, judge, project):
    rules = {"permissions": {"allow": ["Bash(npm run build:*)"], "ask": ["Bash(ls:*)"]}}
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").write_text(json.dumps(rules))
    assert not judge.judge("claude-code", Step("npm run build -- -v", str(project))).now
    assert judge.judge("claude-code", Step("npm run deploy", str(project))).now
    assert judge.judge("claude-code", Step("ls", str(project))).now
    assert not any((home / name).exists() for name in (".local/state/laconic/last-good",))


# -- prices ----------------------------------------------------------------------------------------


def test_the_longest_name_that_fits_has_the_price():
    assert prices.find("claude-opus-4-5-20251101").input == 5
    assert prices.find("claude-opus-4-1-20250805").input == 15
    assert prices.find("anthropic/claude-sonnet-4.5").cache_read == 0.3
    assert prices.find("gpt-5.5").cache_write == 5  # it has none of its own
    assert prices.find("gpt-50") is None


def test_what_is_held_is_paid_for_as_new_once_and_then_as_the_session_paid():
    price = prices.find("claude-opus-4-5")
    all_cached = Usage(cache_read=1000)
    assert price.of_held(1_000_000, 0, all_cached) == 0
    assert price.of_held(1_000_000, 1, all_cached) == 6.25
    assert price.of_held(1_000_000, 3, all_cached) == 6.25 + 2 * 0.5
    assert price.of_held(1_000_000, 3, Usage(input=1000)) == 6.25 + 2 * 5
    assert price.of(Usage(1_000_000, 1_000_000, 1_000_000, 1_000_000)) == 5 + 6.25 + 0.5 + 25


# -- all of them -----------------------------------------------------------------------------------


def test_the_sums_of_a_session(tmp_path, project):
    commands = ["git status", "git add -A", "git push origin main", "pytest -v", "git log"]
    tally = replayed(transcript(tmp_path / "s.jsonl", commands, project, PYTEST))
    assert (tally.files, tally.sessions, tally.commands, tally.outputs) == (1, 1, 5, 5)
    assert tally.asked_now == 3
    assert [tally.profiles[name].prompts for name in PROFILES] == [3, 3, 1, 3]
    work, default = tally.profiles["work"], tally.profiles["default"]
    assert work.compacted > default.compacted
    assert tally.tokens > default.shown_tokens > work.shown_tokens
    assert tally.tokens - work.shown_tokens > tally.tokens / 6
    assert sum(work.saved.values()) == tally.tokens - work.shown_tokens
    assert sum(work.saved.values()) > sum(default.saved.values()) > 0
    assert all(work.saved[view] == 0 for view in ("", "no/such"))
    assert work.saved_of.total() == work.saved.total()
    assert set(tally.printed) == {"git status", "git add", "git push", "pytest", "git log"}
    assert tally.printed.total() == tally.tokens
    assert tally.usage == Usage(cache_write=500, cache_read=450_000)
    assert tally.dollars == pytest.approx((500 * 6.25 + 450_000 * 0.5) / 1e6)
    assert default.dollars < work.dollars < tally.dollars


def test_no_more_is_saved_than_was_sent(tmp_path):
    path = transcript(tmp_path / "s.jsonl", ["pytest -v"] * 50, output=PYTEST, read=900)
    tally = replayed(path)
    assert 0 < tally.profiles["work"].dollars < tally.dollars


def test_many_commands_are_judged_by_several_processes_to_the_same_sums(tmp_path, monkeypatch):
    path = transcript(tmp_path / "s.jsonl", ["git status", "npm test"] * 120, output=PYTEST)
    alone = replayed(path)
    monkeypatch.setattr("laconic.replay.replay._ALONE", 10)
    shared = replayed(path)
    assert shared.commands == 240
    assert vars(shared.profiles["work"]) == vars(alone.profiles["work"])
    assert vars(shared.profiles["default"]) == vars(alone.profiles["default"])


def test_a_replay_with_a_time_limit_ends_in_time(tmp_path):
    path = transcript(tmp_path / "s.jsonl", [f"cd d{n} && npm test -- {n}" for n in range(20_000)])
    replayed(CASES / "codex.jsonl")  # what is loaded once
    start = time.monotonic()
    tally = replayed(path, limit_s=0.2)
    assert time.monotonic() - start < 5
    assert not tally.in_time
    assert 0 < tally.commands < 20_000


# -- the command -----------------------------------------------------------------------------------


def test_the_command_prints_what_would_have_been(capsys, tmp_path, project):
    path = transcript(tmp_path / "s.jsonl", ["git status", "git add -A"], project)
    assert cli.run(["replay", str(path)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("2 commands in 1 session (claude-code 2)\n")
    assert "of 100 of the 2 commands   now  guard  default   work  strict" in said
    assert "prompts                   50.0   50.0     50.0    0.0    50.0" in said
    assert f"list prices of {prices.date()}" in said


def test_savings_are_told_by_the_command_that_could_have_saved(capsys, tmp_path, project):
    commands = ["cd app && pytest -v", "cat x", "cat x", "sk-very-secret", "yarn sk-very-secret"]
    path = transcript(tmp_path / "s.jsonl", commands, project, PYTEST)
    assert cli.run(["replay", "--json", str(path)]) == 0
    sums = json.loads(capsys.readouterr().out)
    size = sums["tokens"] // 5
    assert sums["tokens_by_command"] == {"pytest": size, "cat": 2 * size, "yarn": size, "": size}
    saved = sums["profiles"]["work"]["saved_by_command"]
    assert set(saved) == {"pytest"}
    assert cli.run(["replay", "--profile", "work", str(path)]) == 0
    said = [line.split() for line in capsys.readouterr().out.splitlines()]
    begin = said.index(["tokens", "saved", "by", "command", "of", "work"])
    assert said[begin + 1] == ["cat", f"{2 * size:,}", "0"]
    assert ["pytest", f"{size:,}", f"{saved['pytest']:,}"] in said[begin:]


def test_one_profile_may_be_named(capsys, tmp_path, project):
    path = transcript(tmp_path / "s.jsonl", ["git add -A"], project)
    assert cli.run(["replay", "--profile", "relaxed", str(path)]) == 0
    said = capsys.readouterr().out
    assert "commands    now   work\n" in said
    assert "strict" not in said


def test_no_text_of_a_transcript_is_printed(capsys, tmp_path, project):
    commands = ["curl -H 'Authorization: Bearer sk-very-secret' https://x.example", "\x1b[31mred"]
    path = transcript(tmp_path / "s.jsonl", commands, project, "password: hunter2\x1b[2J")
    assert cli.run(["replay", str(path)]) == 0
    said = capsys.readouterr()
    assert not any(text in said.out + said.err for text in ("secret", "hunter2", "\x1b", "example"))


def test_without_sessions_it_says_so(capsys, tmp_path):
    assert cli.run(["replay"]) == 1
    assert "no sessions were found on this machine" in capsys.readouterr().err
    assert cli.run(["replay", str(tmp_path / "none")]) == 1
    assert "no such file or directory" in capsys.readouterr().err

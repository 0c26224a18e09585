"""laconic log: which decisions are printed, and how."""

from __future__ import annotations

import json
import time

import pytest

from laconic.record import decisions
from laconic.types import Decision, Effect, Verdict
from terminal import at_terminal, plain

CASES = (
    # seconds ago, agent, directory, verdict, effects, command
    (4 * 3600, "codex", "/home/me/app", Verdict.DENY, Effect.DESTROYS, "rm -rf /"),
    (3 * 3600, "claude-code", "/home/me/app/src", Verdict.ASK, Effect.SENDS, "npm publish"),
    (2 * 3600, "claude-code", "/home/me/app2", Verdict.ALLOW, Effect.READS, "git status"),
    (3600, "claude-code", "/home/me/app", Verdict.ASK, Effect.SENDS, "git push"),
    (60, decisions.OWN, "/home/me/app", Verdict.ASK, Effect.SENDS, "git push --tags"),
)


@pytest.fixture(autouse=True)
def _log(home):
    state_dir = str(home / ".local/state/laconic")
    for ago, agent, cwd, verdict, effects, command in CASES:
        decision = Decision(verdict, "the/rule", "the reason", 0, 1, effects=effects)
        append = {"command": command, "cwd": cwd, "agent": agent, "now": time.time() - ago}
        assert decisions.append(state_dir, decision, **append)


def commands(laconic, *words):
    status, out, err = laconic("log", "--json", *words)
    assert (status, err) == (0, "")
    return [json.loads(line)["command"] for line in out.splitlines()]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], ["rm -rf /", "npm publish", "git status", "git push"]),
        (["-n", "2"], ["git status", "git push"]),
        (["-n", "0"], []),
        (["--verdict", "deny"], ["rm -rf /"]),
        (["--verdict", "ask", "-n", "2"], ["npm publish", "git push"]),
        (["--agent", "claude-code"], ["npm publish", "git status", "git push"]),
        (["--agent", "cli"], ["git push --tags"]),
        (["--agent", "nobody"], []),
        (["--effect", "sends", "--agent", "claude-code"], ["npm publish", "git push"]),
        (["--effect", "destroys"], ["rm -rf /"]),
        (["--since", "150m"], ["git status", "git push"]),
    ],
)
def test_what_is_asked_for_is_printed(laconic, words, expected):
    assert commands(laconic, *words) == expected


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--agent", "claude"], "no agent claude is in the log, only claude-code, codex"),
        (["--agent", "codex", "--since", "2h"], "the log has no such decision"),
        (["--verdict", "left"], "the log has no such decision"),
    ],
)
def test_one_line_says_why_nothing_is_printed(laconic, words, said):
    assert laconic("log", *words) == (0, "", f"laconic: {said}\n")


def test_what_ran_unchecked_is_counted_and_named(laconic, home):
    assert "not checked" not in laconic("status")[1]
    known = {"agent": "codex", "now": time.time()}
    state_dir = str(home / ".local/state/laconic")
    decisions.append_unchecked(state_dir, "gate/no-start", "laconic could not start", **known)
    status, out, _ = laconic("log", "--verdict", "unchecked")
    assert status == 0
    assert "(gate/no-start): laconic could not start" in out
    assert json.loads(laconic("status", "--json")[1])["today"]["unchecked"] == 1
    assert "1 not checked" in laconic("status")[1]
    assert laconic("report", "--html", str(home / "page.html"))[0] == 0
    assert "no-start" not in (home / "page.html").read_text()


def test_what_was_left_to_the_agent_is_no_question_of_laconics(laconic, home):
    state_dir = str(home / ".local/state/laconic")
    decision = Decision(Verdict.ASK, "mkdir/write", "makes a directory", 0, 1)
    found = {"command": "mkdir x", "cwd": "/", "agent": "codex", "now": time.time()}
    decisions.append(state_dir, decision, **found, about={"outcome": "left"})
    assert "mkdir x" not in commands(laconic, "--verdict", "ask")
    assert commands(laconic, "--verdict", "left") == ["mkdir x"]
    assert "  left   mkdir x  (mkdir/write; reads): makes a directory" in laconic("log")[1]
    today = json.loads(laconic("status", "--json")[1])["today"]
    assert today["left"] == 1
    assert "1 left to the agent" in laconic("status")[1]
    assert "mkdir x" not in laconic("log", "--top")[1]


def test_a_project_is_a_directory_and_what_is_below(laconic, home, monkeypatch):
    state_dir = str(home / ".local/state/laconic")
    decision = Decision(Verdict.ASK, "the/rule", "the reason", 0, 1)
    for name in ("app", "app/src", "app2"):
        (home / name).mkdir()
        found = {"command": name, "cwd": str(home / name), "agent": "codex", "now": time.time()}
        decisions.append(state_dir, decision, **found)
    assert commands(laconic, "--project", str(home / "app")) == ["app", "app/src"]
    monkeypatch.chdir(home / "app2")
    assert commands(laconic, "--project") == ["app2"]
    assert laconic("log", "--project", str(home / "none"))[0] == 1


def test_ones_own_checks_are_there_for_who_asks_for_them_and_the_reason_is_told(laconic):
    first, *others = laconic("log")[1].splitlines()
    assert first[20:] == " deny   rm -rf /  (the/rule; destroys): the reason"
    assert [line[21:] for line in others[-2:]] == [
        "allow  git status  (the/rule; reads)",
        "ask    git push  (the/rule; sends): the reason",
    ]
    (own,) = laconic("log", "--agent", "cli")[1].splitlines()
    assert own[20:] == " ask    git push --tags  (the/rule; sends): the reason"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--effect", "send"], "there is no effect 'send'\nhint: did you mean: sends\n"),
        (["--verdict", "deyn"], "--verdict: there is no 'deyn'\nhint: did you mean: deny\n"),
        (["-n", "-3"], "-n takes a whole number, 0 or more\nhint: laconic log -n 50\n"),
    ],
)
def test_what_cannot_be_asked_for(laconic, words, message):
    assert laconic("log", *words) == (2, "", f"laconic: {message}")


def test_what_was_asked_most_comes_first_with_what_ends_it(laconic, home, tmp_path):
    (tmp_path / ".git").mkdir()
    state_dir = str(home / ".local/state/laconic")
    decision = Decision(Verdict.ASK, "pytest", "runs the project's code", 0, 1)
    for command, times in (("pytest -q", 3), ("cargo test", 2)):
        found = {"command": command, "cwd": str(tmp_path), "agent": "codex", "now": time.time()}
        for _ in range(times):
            decisions.append(state_dir, decision, **found)
    status, out, err = laconic("log", "--top", "-n", "2")
    assert (status, err) == (0, "")
    assert [line.partition("  ")[2] if line[0] == "2" else line for line in out.splitlines()] == [
        "pytest -q  (3 times)",
        "  runs the project's code",
        "  to end it: laconic allow --always 'pytest *'",
        "cargo test  (2 times)",
        "  runs the project's code",
        "  to end it: laconic allow --always 'cargo test *'",
    ]
    rows = [json.loads(line) for line in laconic("log", "--top", "--json")[1].splitlines()]
    assert [(row["command"], row["times"]) for row in rows][:2] == [
        ("pytest -q", 3),
        ("cargo test", 2),
    ]
    assert rows[0]["ends_by"] == ["laconic allow --always 'pytest *'"]
    assert {row["agent"] for row in rows} == {"codex", "claude-code"}


def test_nothing_asked_is_said(laconic):
    assert laconic("log", "--top", "--since", "1s") == (0, "nothing was asked\n", "")


@pytest.mark.parametrize("columns", [80, 200])
def test_the_log_fits_the_terminal(home, columns):
    command = "find . " + " ".join(f"-name 'file-{n}'" for n in range(60))
    decision = Decision(Verdict.ASK, "the/rule", "because " * 60, 0, 1, effects=Effect.SENDS)
    found = {"command": command, "cwd": "/x", "agent": "codex", "now": time.time()}
    assert decisions.append(str(home / ".local/state/laconic"), decision, **found)
    status, out = at_terminal(["log"], columns=columns)
    lines = plain(out).splitlines()
    assert status == 0
    assert max(map(len, lines)) == columns
    assert "\x1b[33mask" in out
    assert "\x1b[31mdeny" in out
    shortened = next(line for line in lines if "find . -name" in line)
    assert "…" in shortened
    assert "file-59'" in shortened


def test_a_log_without_agents_says_so(laconic, home):
    for path in (home / ".local/state/laconic").glob("decisions*"):
        path.unlink()
    said = "laconic: the log has no decision about an agent's command yet\n"
    assert laconic("log") == (0, "", said)

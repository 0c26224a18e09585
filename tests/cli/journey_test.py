"""Whole journeys through the real program: from an empty home to a working agent, and back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from laconic.hooks import call_log
from laconic.settings.load import process_environment
from terminal import at_terminal, plain

PROGRAM = str(Path(sys.executable).with_name("laconic"))


def laconic(*words, stdin=b"", **variables):
    """Run it as a person without a terminal does, without a server."""
    environ = {**os.environ, "LACONIC_NO_SERVER": "1", **variables}
    done = subprocess.run(
        [PROGRAM, *words], input=stdin, capture_output=True, check=False, env=environ
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture
def claude(home):
    (home / ".claude").mkdir()
    settings = home / ".claude/settings.json"
    settings.write_text('{"model": "opus"}\n')
    return settings


def call(command, project):
    """Call the hook as the agent would, with what is written in its settings."""
    sent = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": str(project)}
    data = json.dumps({**sent, "tool_input": {"command": command}}).encode()
    return laconic("hook", "claude-code", stdin=data)


def test_from_an_empty_home_to_a_working_agent_and_back(claude, project, home):
    before = claude.read_bytes()
    status, out, _ = laconic()
    assert status == 0
    assert "  laconic install --detect  laconic is not in any agent yet\n" in out
    status, out, err = laconic("install", "--detect")
    assert status == 1
    assert "there is no terminal to ask on" in err
    assert "laconic install --detect --yes\n" in err
    status, out, _ = laconic("install", "--detect", "--yes")
    assert status == 0
    assert "next: let Claude Code run a command, then type laconic to see that it called\n" in out
    assert "if Claude Code has run a command already" in laconic()[1]
    assert '"allow"' in call("git status", project)[1]
    assert '"ask"' in call("git push origin main", project)[1]
    out = laconic()[1]
    assert "  claude-code  called today  last " in out
    assert "  today 1 allowed, 1 asked, 0 denied\n" in out
    assert "laconic allow --always 'git push origin main'\n" in out
    assert laconic("log", "--agent", "claude-code", "--verdict", "ask")[1].count("\n") == 1
    status, out, _ = laconic("uninstall", "--all", "--purge", "--yes")
    assert status == 0
    assert claude.read_bytes() == before
    for place in (".config", ".local/state", ".cache"):
        assert not (home / place / "laconic").exists()
    assert "laconic is not in any agent yet" in laconic()[1]


def test_the_hook_of_another_version_is_named_by_status_and_doctor(claude):
    assert laconic("install", "claude-code", "--yes")[0] == 0
    assert "another version" not in laconic()[1]
    claude.write_text(claude.read_text().replace('"timeout": 10', '"timeout": 11'))
    assert (
        "laconic install claude-code  Claude Code has the hook of another version" in laconic()[1]
    )
    assert laconic("doctor")[1].splitlines()[-1].endswith("; look at: claude-code")
    assert laconic("install", "claude-code", "--yes")[0] == 0
    assert laconic("doctor")[1].splitlines()[-1].endswith("; not called yet: claude-code")


def test_a_hook_that_somebody_broke_is_repaired_and_one_that_was_taken_out_by_us_is_not(claude):
    assert laconic("install", "claude-code", "--yes")[0] == 0
    good = claude.read_bytes()
    assert laconic("doctor", "--fix", "claude-code")[0] == 0
    assert claude.read_bytes() == good
    document = json.loads(good)
    document["hooks"]["PreToolUse"][0]["matcher"] = "Bish"
    claude.write_text(json.dumps(document))
    assert "differs from what this laconic writes" in laconic("doctor", "claude-code")[1]
    status, out, _ = laconic("doctor", "--fix", "claude-code")
    assert status == 0
    assert out.startswith(f"claude-code: {claude} changed\n")
    assert json.loads(claude.read_bytes()) == json.loads(good)
    claude.write_text('{"model": "opus"}\n')
    status, out, _ = laconic("doctor", "claude-code")
    assert status == 1
    assert "laconic was installed there, and cannot be found in it" in out
    assert laconic("doctor", "--fix")[0] == 0
    assert b"laconic" in claude.read_bytes()
    assert laconic("uninstall", "claude-code")[0] == 0
    laconic("doctor", "--fix")
    assert b"laconic" not in claude.read_bytes()


def test_what_may_be_something_else_is_not_purged(tmp_path):
    place = tmp_path / "everything"
    (place / "of mine").mkdir(parents=True)
    status, out, err = laconic(
        "uninstall", "--all", "--purge", "--yes", LACONIC_STATE_DIR=str(place)
    )
    assert status == 1
    assert f"{place}: was left, as its name is not laconic\n" in err
    assert (place / "of mine").exists()
    assert "laconic is not in any agent now\n" in out


@pytest.mark.usefixtures("claude")
def test_nothing_is_purged_without_a_yes(home):
    assert laconic("install", "claude-code", "--yes")[0] == 0
    assert laconic("config", "set", "settings.profile", "work")[0] == 0
    status, _, err = laconic("uninstall", "--all", "--purge")
    assert status == 1
    assert "there is no terminal to ask on" in err
    assert (home / ".config/laconic/config.toml").exists()
    status, out = at_terminal(["uninstall", "--all", "--purge"], typed=b"y\n")
    assert status == 0
    assert "remove all that is in them? [y/N]" in out
    assert not (home / ".config/laconic").exists()


@pytest.mark.parametrize("words", [[], ["--all", "codex"], ["codex", "--purge"], ["--purge"]])
def test_what_to_uninstall_must_be_said(words):
    assert laconic("uninstall", *words)[0] == 2


# -- names of hooks --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "message", "fix"),
    [
        (["cluade-code"], "there is no agent 'cluade-code'", "laconic hook claude-code"),
        (["codex", "PreToolUze"], "codex has no event PreToolUze", "laconic hook codex PreToolUse"),
        (["claude code"], "there is no agent 'claude code'", "laconic hook claude-code"),
    ],
)
def test_a_mistyped_name_of_a_hook_is_silent_to_the_agent_and_told_by_the_doctor(
    words, message, fix
):
    assert laconic("hook", *words, stdin=b"{}")[::2] == (0, "")
    out = laconic("doctor")[1]
    assert f"`laconic hook {' '.join(words)}` was called just now, and {message}\n" in out
    assert f"write: {fix}\n" in out


def test_a_name_that_is_right_leaves_no_note(home):
    assert laconic("hook", "claude-code", stdin=b"{}")[0] == 0
    assert call_log.last_unknown(str(home / ".local/state/laconic")) is None
    call_log.note_unknown(process_environment(), "x")
    assert call_log.last_unknown(str(home / ".local/state/laconic"))[1] == "x"


# -- at a terminal ---------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", [80, 200])
@pytest.mark.parametrize(
    "words", [["doctor"], ["filters", "list"], ["rules", "list"], ["help"], ["history"], ["log"]]
)
@pytest.mark.usefixtures("claude")
def test_reports_fit_the_terminal(words, columns, project):
    laconic("install", "claude-code", "--yes")
    call("curl -d @notes.txt " + "https://example.com/a/very/long/path" * 5, project)
    laconic("run", "git", "log", "--grep", "x" * 300)
    status, out = at_terminal(words, columns=columns, LACONIC_NO_SERVER="1")
    assert status in {0, 1}
    lines = plain(out).splitlines()
    assert lines
    for line in lines:
        # A path is not broken: it could not be copied then.
        assert len(line) <= columns or max(map(len, line.split())) > columns - 20


def test_a_verdict_typed_at_a_terminal_has_its_colour():
    status, out = at_terminal(["check", "git push"])
    assert (status, out.startswith("\x1b[33mask\x1b[0m  publishes commits")) == (10, True)
    assert "\x1b[32mallow" in at_terminal(["explain", "git status"])[1]
    assert "\x1b" not in laconic("check", "git push")[1]


def test_a_client_in_python_is_said_once_with_what_it_costs(laconic, tmp_path, monkeypatch):
    program = tmp_path / "laconic"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setattr("laconic.cli.install.find_executable", lambda *_: str(program))
    first, again = (" ".join(laconic("install", "claude-code")[1].split()) for _ in range(2))
    assert "built without a C compiler: before each command the agent waits" in first
    assert "C compiler" not in again
    program.write_bytes(b"\x7fELF")
    laconic("uninstall", "claude-code", "--yes")
    native = laconic("install", "claude-code")[1]
    assert ("next:" in native, "C compiler" in native) == (True, False)

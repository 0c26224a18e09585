"""Which profile: a person at a terminal is asked once, and nobody else is."""

from __future__ import annotations

import json

import pytest

from install_sites import enter_project
from laconic.cli import main as cli
from terminal import LACONIC, run_at_terminal

QUESTION = b"profile [work]: "


@pytest.fixture(autouse=True)
def _place(tmp_path, monkeypatch):
    enter_project(tmp_path, monkeypatch)


@pytest.fixture
def config(home):
    return home / ".config/laconic/config.toml"


def at_a_terminal(*argv, answer=""):
    """Type a command at a terminal, and an answer when it asks; return what the terminal showed."""
    typed = [(QUESTION, f"{answer}\n".encode())]
    return run_at_terminal([*LACONIC, *argv], typed=typed)[1].decode()


def sessions(home, count):
    """Let Claude Code have asked about each second of some commands."""
    lines = []
    for number in range(count):
        command = "ls -la" if number % 2 else "git add -A"
        use = {
            "type": "tool_use",
            "id": f"t{number}",
            "name": "Bash",
            "input": {"command": command},
        }
        message = {"id": f"m{number}", "model": "claude-opus-4-5", "content": [use]}
        lines.append(
            {"type": "assistant", "sessionId": "s", "cwd": "/projects/p", "message": message}
        )
    path = home / ".claude/projects/-projects-p/s.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_a_person_is_asked_in_three_lines_with_numbers_of_past_sessions(home, config):
    sessions(home, 40)
    said = at_a_terminal("install", "claude-code", answer="")
    lines = said.splitlines()
    assert lines[0].startswith(
        "which profile? prompts per 100 of your last 40 commands; 50 without"
    )
    assert [line.split()[:2] for line in lines[1:4]] == [
        ["work", "0"], ["default", "50"], ["guard", "50"],
    ]  # fmt: skip
    assert "(recommended)" in lines[1]
    assert max(len(line) for line in lines if str(home) not in line) <= 80
    assert "then type laconic" in " ".join(lines)
    assert config.read_text() == '[settings]\nprofile = "work"\n'
    assert (home / ".claude/settings.json").exists()


def test_without_sessions_there_are_no_numbers(config):
    said = at_a_terminal("install", "claude-code", answer="guard")
    assert said.startswith("which profile?\n  work ")
    assert config.read_text() == '[settings]\nprofile = "guard"\n'
    assert "which profile" not in at_a_terminal("install", "claude-code")


def test_who_has_chosen_is_not_asked_and_a_configuration_keeps_its_comments(config):
    config.parent.mkdir(parents=True)
    config.write_text('# mine\n[settings]\nunknown = "ask" # why\n')
    at_a_terminal("install", "claude-code", answer="default")
    text = '# mine\n[settings]\nunknown = "ask" # why\nprofile = "default"\n'
    assert config.read_text() == text
    assert "which profile" not in at_a_terminal("install", "codex")
    assert config.read_text() == text


@pytest.mark.parametrize("option", ["--yes", "--dry-run", "--project"])
def test_these_options_ask_nothing(config, option):
    assert "which profile" not in at_a_terminal("install", "claude-code", option)
    assert not config.exists()


def test_without_a_terminal_nothing_is_asked_and_nothing_changes(config, capsys):
    assert cli.run(["install", "claude-code"]) == 0
    assert "profile" not in capsys.readouterr().out
    assert not config.exists()


def test_a_profile_may_be_named_and_named_again(config, capsys):
    assert cli.run(["install", "claude-code", "--profile", "work"]) == 0
    assert "the profile is work" in capsys.readouterr().out
    assert cli.run(["install", "--profile", "guard", "--dry-run"]) == 0
    assert "the profile would be guard" in capsys.readouterr().out
    assert config.read_text() == '[settings]\nprofile = "work"\n'
    assert cli.run(["install", "--profile", "guard"]) == 0
    assert config.read_text() == '[settings]\nprofile = "guard"\n'


def test_a_broken_configuration_is_left_as_it_is(config, capsys):
    config.parent.mkdir(parents=True)
    config.write_text("[settings\n")
    assert cli.run(["install", "--profile", "guard"]) == 1
    assert "left as it is" in capsys.readouterr().err
    assert config.read_text() == "[settings\n"
    assert "which profile" not in at_a_terminal("install", "claude-code")

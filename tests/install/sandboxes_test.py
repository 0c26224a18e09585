"""Outputs of an agent's sandbox may last, if a person wants that; nobody else's word counts."""

from __future__ import annotations

import json

import pytest

from install_sites import enter_project
from laconic.cli import main as cli
from laconic.install.sandboxes import here
from terminal import LACONIC, run_at_terminal

ON = {"sandbox": {"enabled": True, "filesystem": {"allowWrite": ["/data"]}}, "model": "x"}


@pytest.fixture(autouse=True)
def _place(tmp_path, monkeypatch):
    enter_project(tmp_path, monkeypatch)


@pytest.fixture
def settings(home):
    path = home / ".claude/settings.json"
    path.parent.mkdir()
    return path


@pytest.fixture
def place(home):
    return home / ".local/state/laconic/sandboxed"


def install(answer):
    typed = [(b"which profile?", b"\n"), (b"beyond /tmp?", answer)]
    return run_at_terminal([*LACONIC, "install", "claude-code"], typed=typed)[1].decode()


def writable(settings):
    return json.loads(settings.read_text())["sandbox"].get("filesystem", {}).get("allowWrite")


def test_a_person_may_let_the_sandbox_write_one_directory(settings, place):
    settings.write_text(json.dumps(ON, indent=1))
    assert f'"{place}"' in install(b"y\n")
    assert writable(settings) == ["/data", str(place)]
    assert place.stat().st_mode & 0o777 == 0o700
    said = install(b"y\n")
    assert "beyond /tmp?" not in said
    assert cli.run(["uninstall", "claude-code"]) == 0
    assert json.loads(settings.read_text()) == ON


def test_what_the_user_changed_since_stays(settings, place):
    settings.write_text(json.dumps(ON))
    install(b"y\n")
    document = json.loads(settings.read_text())
    document["model"] = "y"
    settings.write_text(json.dumps(document))
    assert cli.run(["uninstall", "claude-code"]) == 0
    assert json.loads(settings.read_text()) == ON | {"model": "y"}
    assert str(place) not in settings.read_text()


@pytest.mark.parametrize("answer", [b"n\n", b"\n"])
def test_without_a_yes_nothing_is_added(settings, place, answer):
    settings.write_text(json.dumps(ON))
    assert "beyond /tmp?" in install(answer)
    assert writable(settings) == ["/data"]
    assert not place.exists()


@pytest.mark.parametrize("words", [["--yes"], ["--dry-run"], []])
def test_without_a_person_nothing_is_asked(settings, place, words, capsys):
    settings.write_text(json.dumps(ON))
    assert cli.run(["install", "claude-code", *words]) == 0
    assert "beyond /tmp?" not in capsys.readouterr().out
    assert writable(settings) == ["/data"]
    assert not place.exists()


@pytest.mark.parametrize("sandbox", [{}, {"enabled": False}, {"enabled": "yes"}, 3])
def test_without_a_sandbox_nothing_is_asked(settings, sandbox):
    settings.write_text(json.dumps({"sandbox": sandbox}))
    assert "beyond /tmp?" not in install(b"y\n")


@pytest.mark.parametrize(
    ("variables", "name"),
    [
        ({"CODEX_SANDBOX_NETWORK_DISABLED": "1"}, "the sandbox of Codex"),
        ({"CODEX_THREAD_ID": "x"}, "the sandbox of Codex"),
        ({"SANDBOX_RUNTIME": "1"}, "the sandbox of Claude Code"),
        ({"SANDBOX": "sandbox-exec"}, "the sandbox of Gemini CLI"),
        ({}, "a sandbox"),
    ],
)
def test_a_sandbox_has_the_name_that_its_variables_give(variables, name, tmp_path, monkeypatch):
    assert here(variables, str(tmp_path)) == ("", "")
    monkeypatch.setattr("laconic.record.kept._TMP", str(tmp_path))  # where a place is made
    monkeypatch.setattr("laconic.record.kept.is_writable", lambda _: False)
    assert here(variables, str(tmp_path))[0] == name


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ('sandbox_mode = "danger-full-access"', "its sandbox is off"),
        ('sandbox_mode = "workspace-write"', "in its sandbox there is no box"),
        ("", "in its sandbox there is no box"),
        ("sandbox_mode = [", "in its sandbox there is no box"),
    ],
)
def test_the_doctor_says_whether_codex_has_a_sandbox(home, capsys, mode, said):
    (home / ".codex").mkdir()
    (home / ".codex/config.toml").write_text(mode)
    cli.run(["install", "codex", "--yes"])
    capsys.readouterr()
    cli.run(["doctor", "codex", "--json"])
    findings = json.loads(capsys.readouterr().out)["findings"]
    (message,) = (one["message"] for one in findings if one["check"] == "sandbox")
    assert message.startswith(said)

"""Installs of the project run in the box where that has a network; others are asked about."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from box.conftest import LACONIC
from hook_fixture import ask_here, ask_hook
from laconic.box.usable import remember

HOSTS = '[box]\nhosts = ["registry.example.org"]\n'
CASES = Path(__file__).parents[1] / "cases/box/installs.tsv"


def rows():
    lines = CASES.read_text().splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


@pytest.fixture
def settings(home, can_box, monkeypatch):  # noqa: ARG001 - it may skip
    monkeypatch.setenv("LACONIC_NO_SERVER", "1")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    remember(dict(os.environ), is_good=True)

    def write(profile, further):
        path = home / ".config/laconic/config.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'[settings]\nprofile = "{profile}"\n{further}')

    return write


def test_what_stays_in_the_project_is_not_asked_about(project, settings):
    (project / ".venv/bin").mkdir(parents=True)
    settings("work", HOSTS)
    wrong = []
    for where, command in rows():  # in this process: to start one takes a hundred times as long
        said, text = ask_here(command, project)
        if (said == "allow", "--box" in text) != (where == "here", where == "here"):
            wrong.append((where, command, said, text))
    assert wrong == []
    assert ask_hook(LACONIC, "npm ci", project) == ask_here("npm ci", project)


@pytest.mark.parametrize(
    ("profile", "further"),
    [
        ("default", HOSTS),
        ("work", ""),
        ("work", HOSTS + 'network = "none"\n'),
        ("strict", HOSTS),
    ],
)
def test_without_the_network_and_in_other_profiles_they_are_asked_about(
    project, settings, profile, further
):
    settings(profile, further)
    said, text = ask_hook(LACONIC, "npm ci", project, "claude-code")
    assert said != "allow"
    assert "--box" not in text


def test_who_learns_or_allows_a_host_is_asked(project, settings):
    settings("work", HOSTS)
    for command in ("laconic box learn --yes", "laconic allow --host x.example.org"):
        assert ask_hook(LACONIC, command, project, "claude-code")[0] != "allow"


def test_who_installs_on_a_new_machine_is_told_how_boxes_get_a_network(home, can_box):  # noqa: ARG001
    npm = home / "bin/npm"
    npm.parent.mkdir()
    npm.write_text("#!/bin/sh\n")
    npm.chmod(0o755)
    environ = {**os.environ, "PATH": f"{npm.parent}:{os.environ['PATH']}"}
    words = [*LACONIC, "install", "claude-code", "--profile", "work", "--yes"]
    done = subprocess.run(words, env=environ, cwd=home, capture_output=True, text=True, check=True)
    assert "laconic box learn" in done.stdout


def test_laconic_box_learn_in_a_box_is_refused(project, settings):
    settings("work", HOSTS)
    done = subprocess.run(
        [*LACONIC, "box", "--raw", *LACONIC, "box", "learn", "--yes"],
        cwd=project, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode != 0

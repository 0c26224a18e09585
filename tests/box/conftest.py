"""What every test of the box needs: a project, and a machine that can make boxes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from box.installation import missing
from laconic.box import home as homes
from laconic.box.plan import make_plan
from laconic.settings.load import read_settings

LACONIC = [sys.executable, "-I", "-m", "laconic"]


@pytest.fixture(scope="session")
def can_box():
    """Skip, and say why, where there can be no box."""
    lacking = missing()
    if not lacking and not Path(sys.executable).with_name("laconic-box").exists():
        lacking = "laconic-box was not compiled"
    if lacking:
        pytest.skip(lacking)


@pytest.fixture
def project(tmp_path, home):
    """A repository with a commit, and an identity to commit with."""
    place = tmp_path / "project"
    place.mkdir()
    (home / ".gitconfig").write_text("[user]\nname = a\nemail = a@example.org\n")
    git(place, "init", "-q", "-b", "main")
    (place / "a").write_text("a\n")
    git(place, "add", ".")
    git(place, "commit", "-qm", "a")
    return place


def git(place, *words):
    return subprocess.run(["git", *words], cwd=place, check=True, capture_output=True, text=True)


class Box:
    """Runs commands in the box of a project."""

    def __init__(self, project):
        self.project = project

    def words(self, *command):
        return [*LACONIC, "box", "--raw", *command]

    def run(self, *command, **options):
        options = {
            "cwd": self.project,
            "capture_output": True,
            "text": True,
            "timeout": 60,
        } | options
        return subprocess.run(self.words(*command), check=False, **options)

    def sh(self, script, **options):
        return self.run("bash", "-c", script, **options)

    def start(self, script, **options):
        pipe = subprocess.PIPE
        options = {"cwd": self.project, "stdout": pipe, "stderr": pipe, "text": True} | options
        return subprocess.Popen(self.words("bash", "-c", script), **options)

    @property
    def directory(self):
        state = Path(os.environ["XDG_STATE_HOME"]) / "laconic/box"
        return next(d for d in state.iterdir() if (d / "project").read_text() == str(self.project))


@pytest.fixture
def box(project, can_box):  # noqa: ARG001 - it may skip
    return Box(project)


def change_part(journal, name, change):
    """Change a part of the journal of a box; change: what it becomes, from what it is."""
    data, made = Path(journal).read_bytes(), b""
    while data:
        own, length, data = data.split(b"\0", 2)
        part, data = data[: int(length)], data[int(length) :]
        if own == name.encode():
            part = change(part)
        made += b"%s\0%d\0%s" % (own, len(part), part)
    Path(journal).write_bytes(made)


def forbid_overlays(project):
    """Have it known that this machine makes no overlays."""
    environ = dict(os.environ)
    plan = make_plan(str(project), read_settings(environ, project), environ)
    homes.remember(plan, "an overlay cannot be mounted")

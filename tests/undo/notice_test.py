"""A notice says how to bring back what neither git nor the agent can, and nothing else."""

from __future__ import annotations

import os
import subprocess

import pytest

from laconic.undo.analysis import reach_of
from laconic.undo.around import about_run, begin, notice
from laconic.undo.store import Store

LINES = "".join(f"line {n}\n" for n in range(40))
SETUP = """
git init -q -b main . && git config user.email a@example.org && git config user.name a
cp lines tracked && git add tracked && git commit -qm one
cp lines more && git add more && git commit -qm two
git branch other && cp lines dirty && git add dirty && git commit -qm three
echo a line of mine >> dirty && sed 's/line/other/' lines > untracked && git stash list
"""
SILENT = [
    "git rm -q --cached tracked",
    "rm tracked",
    "git rm -q tracked more",
    "git branch -D other",
    "git stash",
    "git checkout -q -m other",
    "sed -i s/9/nine/ untracked",
    "sed -i s/9/nine/ tracked",
    "mv tracked moved",
    "truncate -s 0 tracked",
]
SAID = [
    "rm untracked",
    "git clean -fdq",
    "git checkout -- dirty",
    "git reset -q --hard",
    "git restore dirty",
    "truncate -s 0 untracked",
    "cp more untracked",
    "sed -i d dirty",
]


@pytest.fixture
def run(tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    (project / "lines").write_text(LINES)
    environ = {**os.environ, "HOME": str(tmp_path)}
    subprocess.run(["bash", "-ec", SETUP], cwd=project, env=environ, check=True)

    def kept(command: str) -> str:
        reach = reach_of(command.split(), str(project), environ)
        about = about_run(command, str(project), environ)
        around = begin(reach, about, Store(tmp_path / "state"))
        assert around.held is not None
        subprocess.run(command.split(), cwd=project, env=environ, check=False, capture_output=True)
        return notice(around.finish(), "laconic")

    return kept


@pytest.mark.parametrize("command", SILENT)
def test_what_git_or_the_agent_can_bring_back_needs_no_notice(run, command):
    assert run(command) == ""


@pytest.mark.parametrize("command", SAID)
def test_what_is_nowhere_else_has_one(run, command):
    assert run(command).startswith("[laconic: kept 1 file before this ran; laconic undo ")

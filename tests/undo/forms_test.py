"""A few destructive commands of each kind, run for real and taken back; `make undo` runs all."""

from __future__ import annotations

from pathlib import Path

import pytest

from laconic.undo.hold import hold_line
from undo.forms import check_form, read_forms
from undo.world import World

CASES = Path(__file__).parent.parent / "cases" / "undo"
CORE = (
    "rm -rf $'new\\nline.txt' $'caf\\xe9.txt'",
    "mv dir ../outside",
    "echo x > ut/dangling",
    "sed -i --follow-symlinks s/a/Z/ link",
    "git checkout -- .",
    "git stash push -q -a",
    "git worktree remove --force ../wt",
    "git submodule deinit -f sm",
)
# Without hooks these are known exactly, so that nothing around them has to be kept.
EXACT = (
    "rm -r dir ut", "mv a.txt b.txt dir", "cp -r ../src/. .", "sed -i s/a/Z/ a.txt b.txt",
    "echo x > link", "tar xf ../a.tar", "find . -name '*.txt' -delete", "truncate -s 0 a.txt",
    "git checkout -- .", "git checkout .", "git reset --hard HEAD~1", "git clean -fdx",
    "git stash -u", "git stash drop", "git stash pop", "git switch -f feature", "git merge feature",
    "git cherry-pick feature", "git revert HEAD", "git rebase feature", "git branch -D feature",
    "git commit --amend -m x", "git rm -rf dir", "git apply ../p.diff", "git gc",
    "git worktree remove ../wt", "git restore --source=feature .", "git checkout -q v1",
)  # fmt: skip


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return World(tmp_path_factory.mktemp("world"), hooks=False)


def test_there_are_enough_forms():
    forms = [form["form"] for path in sorted(CASES.glob("*.jsonl")) for form in read_forms(path)]
    assert len(forms) >= 120
    assert set(CORE) <= set(forms)


@pytest.mark.parametrize("form", CORE)
def test_a_destructive_command_comes_back_exactly(form, world):
    assert check_form(world, {"form": form}) == []


@pytest.mark.parametrize("line", EXACT)
def test_a_known_command_needs_nothing_around_it(line, world):
    if line == EXACT[0]:
        world.renew()
    found = hold_line(line, str(world.project), world.environment)
    assert found.reach.doubts == []
    assert found.is_complete

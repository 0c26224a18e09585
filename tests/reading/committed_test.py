"""What git brings into the work tree, and what it prints, by the trees of real repositories."""

from __future__ import annotations

import subprocess

import pytest

from laconic.knowledge.catalog import library
from laconic.policy.rules import Rules
from laconic.reading.decide import decide
from laconic.reading.facts import read_facts
from laconic.types import Effect

START = "git init -q; echo a > a.txt; mkdir sub; echo b > sub/b.txt; git add .; git commit -qm a"
# The branch `evil` brings a file that a shell reads, `plain` one that nothing runs.
BRANCHES = """
git checkout -q -b evil; echo x > .envrc; git add -f .envrc; git commit -qm e; git checkout -q main
git checkout -q -b plain; echo x > c.txt; git add c.txt; git commit -qm p; git checkout -q main
""".strip()
SECRET = "echo TOKEN=x > .env; git add -f .env; git commit -qm s"
IMPORTED = "printf 'M 644 inline .husky/pre-commit\\ndata 2\\nx\\n' > imp"
BRINGS = [
    (BRANCHES, "git checkout evil"),
    (BRANCHES, "git switch -c x evil"),
    (BRANCHES, "git -C sub checkout evil"),
    (BRANCHES, "cd sub && git merge --squash evil"),
    (BRANCHES, "git rebase evil"),
    (BRANCHES, "git cherry-pick main..evil"),
    (BRANCHES, "git pull . evil"),
    (BRANCHES, "git reset --hard evil"),
    (BRANCHES, "git checkout evil -- ."),
    (BRANCHES, "git restore -s evil ."),
    (BRANCHES, "git read-tree -u -m evil"),
    (BRANCHES, "git worktree add wt evil"),
    (BRANCHES, "git clone -b evil . copy"),
    (BRANCHES, "git branch x evil; git checkout x"),
    (BRANCHES, "git checkout $(git rev-parse evil)"),
    (BRANCHES, "git rev-parse evil | xargs git checkout"),
    (BRANCHES, "git bisect start evil main"),
    (f"{BRANCHES}; git reset -q evil", "git checkout ."),
    (f"{BRANCHES}; git read-tree evil", "git checkout-index -f -a"),
    (f"{BRANCHES}; git symbolic-ref HEAD refs/heads/evil", "git reset --hard"),
    (f"{BRANCHES}; git replace HEAD evil", "git reset --hard"),
    (f"{BRANCHES}; git checkout -q evil; git rm -q .envrc; git commit -qm r", "git revert HEAD"),
    (f"{BRANCHES}; git gc -q", "git checkout evil"),
    ("echo x > .envrc; git stash -q -u", "git stash pop"),
    ("echo x > .envrc; git add .envrc; git stash -q", "git stash apply"),
    (IMPORTED, "git fast-import < imp"),
    ("", "git update-index --index-info < x; git checkout ."),
]
PRINTS = [
    (SECRET, "git show"),
    (SECRET, "git show HEAD"),
    (SECRET, "git log -p -1"),
    (SECRET, "git log -S x --patch"),
    (SECRET, "git diff HEAD~1"),
    (SECRET, "git diff-tree -p HEAD"),
    (SECRET, "git archive HEAD"),
    (SECRET, "git bundle create x.bundle HEAD"),
    (SECRET, "git format-patch -1 --stdout"),
    (SECRET, "git grep TOKEN"),
    (SECRET, "git cat-file --batch-all-objects --batch"),
    (f"{SECRET}; echo TOKEN=y > .env", "git diff"),
    ("echo x > .env; git add -f .env", "git diff --staged"),
    ("echo x > .env; git stash -q -u", "git stash show -p -u"),
    ("echo x > .env", "git add -f .env"),
    ("echo x > .env", "git stash -u"),
    ("echo x > .env; echo .env > .gitignore", "git stash -a"),
]
HARMLESS = [
    (BRANCHES, "git checkout plain"),
    (BRANCHES, "git merge plain"),
    (BRANCHES, "git checkout evil -- a.txt"),
    (BRANCHES, "git checkout -b topic"),
    (f"{BRANCHES}; git checkout -q plain; git merge -q --no-edit evil", "git merge main"),
    (BRANCHES, "git fetch origin && git checkout elsewhere"),
    (SECRET, "git show --stat HEAD"),
    (SECRET, "git show HEAD~1"),
    (SECRET, "git diff"),
    (SECRET, "git diff HEAD~1 -- a.txt"),
    ("echo x > .env; echo .env* > .gitignore", "git stash -u"),
    ("", "git add -A"),
]


@pytest.fixture
def effects(tmp_path):
    def of(setup: str, command: str) -> Effect:
        environ = {"HOME": str(tmp_path), "PATH": "/usr/local/bin:/usr/bin:/bin"}
        for name in ("GIT_AUTHOR", "GIT_COMMITTER"):
            environ |= {f"{name}_NAME": "u", f"{name}_EMAIL": "u@example.com"}
        settings = "git config --global init.defaultBranch main"
        project = tmp_path / "project"
        project.mkdir()
        line = f"{settings}; {START}; {setup}"
        subprocess.run(["bash", "-c", line], cwd=project, env=environ, check=True)
        facts = read_facts(str(project), environ)
        return decide(command, library(), Rules("work"), facts).effects

    return of


@pytest.mark.parametrize(("setup", "command"), BRINGS)
def test_git_brings_what_decides_what_runs_later(effects, setup, command):
    assert Effect.GUARDED_WRITE in effects(setup, command)


@pytest.mark.parametrize(("setup", "command"), PRINTS)
def test_git_shows_a_secret(effects, setup, command):
    assert Effect.SECRETS in effects(setup, command)


@pytest.mark.parametrize(("setup", "command"), HARMLESS)
def test_other_commits_are_not_suspected(effects, setup, command):
    assert not effects(setup, command) & (Effect.GUARDED_WRITE | Effect.SECRETS)

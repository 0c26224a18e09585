"""What only a deleted ref held comes back with it, even after git has collected its garbage."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from laconic.undo import held_objects
from laconic.undo.restore import ConflictError, undo
from undo.kills import run

ENVIRON = {
    **os.environ, "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b",
    "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b", "HOME": "/nonexistent",
}  # fmt: skip


def git(project, *words):
    done = subprocess.run(
        ["git", *words], cwd=project, env=ENVIRON, check=True, capture_output=True, text=True
    )
    return done.stdout


def collect_garbage(project):
    every = "git reflog expire --expire=now --expire-unreachable=now --all; git gc -q --prune=now"
    subprocess.run(["bash", "-c", every], cwd=project, env=ENVIRON, check=True)


def check_that_it_comes_back(store, project, command, name):
    """Undo a command that removed a ref, after git has collected its garbage."""
    tip = git(project, "rev-parse", name)
    keep = run(store, command, project)
    collect_garbage(project)
    undo(store, store.find(keep.id), force=True)
    assert git(project, "rev-parse", name) == tip
    git(project, "fsck", "--strict")


def commit(project, name, text="x\n"):
    (project / name).parent.mkdir(exist_ok=True)
    (project / name).write_text(text)
    git(project, "add", name)
    git(project, "commit", "-qm", name)


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    made = tmp_path_factory.mktemp("template") / "project"
    made.mkdir()
    git(made, "init", "-q", "-b", "main")
    for number in range(5):
        commit(made, f"dir/{number}", f"{number}\n")
    git(made, "checkout", "-qb", "topic")
    for number in range(3):
        commit(made, f"topic/{number}", f"topic {number}\n")
    git(made, "tag", "-a", "v1", "-m", "tagged")
    git(made, "checkout", "-q", "main")
    commit(made, "main", "main\n")
    return made


@pytest.fixture
def project(template, tmp_path):
    return shutil.copytree(template, tmp_path / "project")


STATES = ("true", "git gc -q", "git pack-refs --all")
COMMANDS = {
    "git tag -d v1 && git branch -D topic": ("topic", "v1^{tag}"),
    "git branch -D topic && git tag -d v1": ("topic", "v1^{tag}"),
    "git update-ref -d refs/heads/topic && git update-ref -d refs/tags/v1": ("topic", "v1"),
    "git stash clear": ("stash@{0}", "stash@{1}"),
    "git stash drop": ("stash", "stash^2", "stash@{1}"),
    "git stash drop stash@{1}": ("stash@{1}", "stash@{1}^2", "stash@{0}"),
    "git branch -D topic && git tag -d v1 && git stash drop": ("topic", "v1^{tag}", "stash"),
}
CASES = [(before, *row) for before in STATES[:2] for row in COMMANDS.items()]


@pytest.mark.parametrize(("before", "command", "names"), CASES)
def test_it_comes_back_after_garbage_was_collected(store, project, before, command, names):
    for text in ("one\n", "two\n"):
        (project / "main").write_text(text)
        git(project, "stash")
    subprocess.run(["bash", "-c", before], cwd=project, env=ENVIRON, check=True)
    ids = [git(project, "rev-parse", name) for name in names]
    listed = git(project, "rev-list", "--objects", *names)
    keep = run(store, command, project)
    collect_garbage(project)
    gone = ["git", "cat-file", "-e", ids[0].strip()]
    assert subprocess.run(gone, cwd=project, check=False, capture_output=True).returncode
    undo(store, store.find(keep.id), force=True)
    assert [git(project, "rev-parse", name) for name in names] == ids
    assert git(project, "rev-list", "--objects", *names) == listed
    git(project, "fsck", "--strict")


def tips(project):
    return git(project, "for-each-ref", "--format=%(refname) %(objectname)")


@pytest.mark.parametrize("before", STATES[::2])
@pytest.mark.parametrize(
    "command",
    [
        "git commit -q --amend -m other",
        "git update-ref refs/heads/topic main",
        "git tag -f v1 main",
        "git branch new && git tag other",
        "git branch -m topic renamed",
        "git branch -D topic",
        "git checkout -q -b another && git commit -q --allow-empty -m x",
    ],
)
def test_refs_come_back_by_name_after_they_were_packed(store, project, before, command):
    subprocess.run(["bash", "-c", before], cwd=project, env=ENVIRON, check=True)
    was = tips(project)
    keep = run(store, command, project)
    git(project, "pack-refs", "--all", "--prune")
    left = tips(project)
    again = undo(store, keep)
    assert tips(project) == was
    git(project, "fsck", "--strict")
    undo(store, store.find(again))
    assert tips(project) == left


def test_refs_that_the_command_did_not_change_stay_when_it_is_undone(store, project):
    git(project, "pack-refs", "--all")
    keep = run(store, "git branch -D topic", project)
    commit(project, "later")
    git(project, "branch", "later")
    git(project, "gc", "-q")
    tip = git(project, "rev-parse", "main", "later")
    undo(store, keep)
    assert git(project, "rev-parse", "main", "later") == tip
    git(project, "rev-parse", "topic")


def test_a_ref_that_somebody_has_moved_since_stops_the_undo(store, project):
    git(project, "pack-refs", "--all")
    keep = run(store, "git update-ref refs/heads/topic main~1", project)
    git(project, "update-ref", "refs/heads/topic", "main~2")
    git(project, "pack-refs", "--all")
    was = tips(project)
    with pytest.raises(ConflictError) as caught:
        undo(store, keep)
    assert any(path.endswith("/refs/heads/topic") for path in caught.value.plan.conflicts)
    assert tips(project) == was


def test_a_project_below_a_directory_that_is_called_refs(tmp_path, store):
    made = tmp_path / "refs" / "logs" / "refs" / "project"
    made.mkdir(parents=True)
    git(made, "init", "-q", "-b", "main")
    commit(made, "a")
    git(made, "checkout", "-qb", "topic")
    commit(made, "b")
    git(made, "checkout", "-q", "main")
    check_that_it_comes_back(store, made, "git branch -D topic", "topic")


def test_what_another_ref_holds_is_not_kept(store, project):
    git(project, "tag", "-d", "v1")
    git(project, "branch", "same", "topic")
    keep = run(store, "git branch -D topic", project)
    assert not list(Path(keep.path).glob("held-objects*"))
    git(project, "branch", "older", "main~2")
    keep = run(store, "git branch -D older", project)
    assert not list(Path(keep.path).glob("held-objects*"))


def test_only_what_is_new_is_kept(store, project):
    git(project, "tag", "-d", "v1")
    keep = run(store, "git branch -D topic", project)
    held = Path(keep.path, "held-objects0").read_bytes()
    # Three commits, three trees of the top and three of the directory, and three files.
    count, at = 0, held.index(b"\0") + 1
    while at < len(held):
        at += 24 + int.from_bytes(held[at + 20 : at + 24], "big")
        count += 1
    assert count == 12


def test_a_tag_that_alone_holds_its_commit(store, project):
    git(project, "branch", "-D", "topic")
    check_that_it_comes_back(store, project, "git tag -d v1", "v1^{commit}")


def test_too_much_is_not_kept_and_the_ref_comes_back_all_the_same(store, project, monkeypatch):
    monkeypatch.setattr(held_objects, "_MOST_OBJECTS", 5)
    tip = git(project, "rev-parse", "topic")
    keep = run(store, "git branch -D topic", project)
    undo(store, keep)
    assert git(project, "rev-parse", "topic") == tip

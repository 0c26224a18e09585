"""A command that is tried changes nothing; what it would have changed can be kept, and undone."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from box.conftest import LACONIC
from laconic.box import attempt as attempts
from laconic.settings.load import read_settings
from laconic.undo.keep import About
from laconic.undo.restore import undo
from laconic.undo.store import Store

ROOT = os.geteuid() == 0


def fill(place):
    """Put something of every kind there."""
    (place / "text").write_text("one\ntwo\n")
    (place / "tree/inner").mkdir(parents=True)
    (place / "tree/inner/leaf").write_text("leaf\n")
    (place / "tree/other").write_text("other\n")
    (place / "empty").mkdir()
    (place / "link").symlink_to("text")
    (place / "program").write_text("#!/bin/sh\n")
    (place / "program").chmod(0o755)
    (place / "with\nnewline").write_text("x")
    (place / os.fsdecode(b"not-\xff-utf8")).write_text("x")
    os.mkfifo(place / "pipe")


def tree(place):
    """Everything below a directory that a command could have changed, but for times."""
    found = {}
    for path in sorted(place.rglob("*")):
        name, status = str(path.relative_to(place)), path.lstat()
        if name.startswith(".git"):
            continue
        kind = stat.S_IFMT(status.st_mode)
        content = os.readlink(path) if kind == stat.S_IFLNK else ""
        if kind == stat.S_IFREG:
            content = path.read_bytes() if os.access(path, os.R_OK) else "closed"
        found[name] = (kind, stat.S_IMODE(status.st_mode), content)
    return found


SCRIPTS = {
    "nothing": "cat text > /dev/null",
    "touched": "touch text; mkdir x; rmdir x; cp text y; mv y text",
    "added": "echo new > new; mkdir -p a/b; echo x > a/b/c; ln -s a l; mkfifo p; mkdir e",
    "changed": "echo three >> text; sed -i s/leaf/blatt/ tree/inner/leaf",
    "deleted": "rm text link pipe; rm -r tree; rmdir empty",
    "modes": "chmod 600 text; chmod 700 tree; chmod 644 program",
    "closed": "echo x > closed; chmod 0 closed; mkdir shut; echo y > shut/y; chmod 0 shut",
    "file to directory": "rm text; mkdir text; echo x > text/x",
    "directory to file": "rm -r tree; echo x > tree",
    "directory to link": "rm -r tree; ln -s empty tree",
    "link to file": "rm link; echo x > link",
    "made anew": "rm -r tree; mkdir tree; echo n > tree/new; echo o > tree/other",
    "renamed": "mv tree baum; mv text dokument; mv empty leer",
    "emptied": "rm -r tree/*; : > text",
    "odd names": "rm with*; echo y > not-*; echo z > $'new\\nline'; echo z > $'new\\xfe'",
    "large": "head -c 3000000 /dev/zero > zero; truncate -s 5000000 holes",
}


class Place:
    def __init__(self, project, by_copy):
        self.project, self.by_copy = project, by_copy
        self.state = attempts.tries(read_settings(dict(os.environ), project))
        self.undo = Store(read_settings(dict(os.environ), project).directories.state)

    def attempt(self, script):
        environ = dict(os.environ)
        settings = read_settings(environ, self.project)
        where = str(self.project)
        made = attempts.begin(where, where, settings, environ, by_copy=self.by_copy)
        assert made.way == ("copy" if self.by_copy else "overlay")
        done = subprocess.run(
            [*made.box.words, "bash", "-c", script], cwd=self.project, check=False,
            capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return made.finish(About(script, where))


@pytest.fixture(params=["overlay", "copy"])
def place(request, project, can_box):  # noqa: ARG001 - it may skip
    fill(project)
    return Place(project, request.param == "copy")


@pytest.mark.parametrize("name", SCRIPTS)
def test_what_is_kept_is_what_the_command_would_have_done(place, tmp_path, name):
    wanted = tmp_path / "wanted"
    subprocess.run(["cp", "-a", place.project, wanted], check=True)
    subprocess.run(["bash", "-c", SCRIPTS[name]], cwd=wanted, check=True)
    before = tree(place.project)
    tried = place.attempt(SCRIPTS[name])
    assert tree(place.project) == before, "nothing has changed"
    if name in ("nothing", "touched"):
        assert tried is None
        assert place.state.paths() == []
        return
    taken_back_by = attempts.keep_attempt(place.undo, tried, [], force=False)
    assert tree(place.project) == tree(wanted)
    assert place.state.paths() == [], "nothing is left of the trial"
    if name == "closed" and not ROOT:
        (place.project / "shut").chmod(0o700)
        return  # an undo does not look into directories that are closed to us
    undo(place.undo, place.undo.find(taken_back_by))
    assert tree(place.project) == before


def test_commits_are_kept_and_undone(place):
    tried = place.attempt("git add text && git commit -qm second && git branch other")
    assert git(place, "log", "--oneline").count("\n") == 1
    done = attempts.keep_attempt(place.undo, tried, [], force=False)
    assert git(place, "log", "--format=%s", "other") == "second\na\n"
    assert git(place, "fsck", "--strict") == ""
    undo(place.undo, place.undo.find(done))
    assert git(place, "log", "--format=%s") == "a\n"
    assert git(place, "branch", "--format=%(refname:short)") == "main\n"


def git(place, *words):
    done = subprocess.run(
        ["git", *words], cwd=place.project, check=True, capture_output=True, text=True
    )
    return done.stdout


def test_what_decides_what_runs_later_is_never_kept(place):
    script = (
        "mkdir .vscode; echo x > .vscode/tasks.json; mkdir deep; echo x > deep/.envrc; echo y > y;"
        "git init -q n; git -C n config core.fsmonitor evil; printf evil > n/.git/hooks/pre-commit;"
        "chmod +x n/.git/hooks/pre-commit"
    )
    tried = place.attempt(script)
    assert tried.about.notes == [
        ".vscode decides what runs later", "deep/.envrc decides what runs later",
    ]  # fmt: skip
    attempts.keep_attempt(place.undo, tried, [], force=False)
    assert (place.project / "y").exists()
    assert not (place.project / ".vscode").exists()
    assert not (place.project / "deep/.envrc").exists()
    assert not (place.project / "n/.git/config").exists(), "as after a box, it is in quarantine"
    assert not (place.project / "n/.git/hooks").exists()


def test_it_stops_where_a_file_has_changed_since(place):
    tried = place.attempt("echo three >> text; echo new > new")
    (place.project / "text").write_text("mine\n")
    with pytest.raises(attempts.LaconicError, match="text changed after the command"):
        attempts.keep_attempt(place.undo, tried, [], force=False)
    assert (place.project / "text").read_text() == "mine\n"
    assert not (place.project / "new").exists(), "all or nothing"
    attempts.keep_attempt(place.undo, tried, [], force=True)
    assert (place.project / "text").read_text() == "one\ntwo\nthree\n"


def test_it_stops_where_a_file_has_changed_while_the_command_ran(place):
    environ = dict(os.environ)
    where = str(place.project)
    settings = read_settings(environ, where)
    made = attempts.begin(where, where, settings, environ, by_copy=place.by_copy)
    (place.project / "text").write_text("mine\n")
    words = [*made.box.words, "bash", "-c", "echo three > text"]
    subprocess.run(words, cwd=where, check=True, capture_output=True)
    tried = made.finish(About("x", where))
    with pytest.raises(attempts.LaconicError, match="text changed after the command"):
        attempts.keep_attempt(place.undo, tried, [], force=False)


def test_what_others_put_into_a_directory_that_goes_stays(place):
    tried = place.attempt("rm -r tree")
    (place.project / "tree/mine").write_text("mine")
    attempts.keep_attempt(place.undo, tried, [], force=False)
    assert [path.name for path in (place.project / "tree").iterdir()] == ["mine"]


def test_nothing_outside_can_be_written_and_guarded_files_stay(place, tmp_path):
    (tmp_path / "outside").mkdir()
    script = f"echo x > {tmp_path}/outside/x; echo x >> .git/config; echo x > .git/hooks/x; true"
    assert place.attempt(script) is None
    assert not list((tmp_path / "outside").iterdir())


@pytest.mark.skipif(not ROOT, reason="only root can have files of others")
def test_files_of_other_owners_stay_theirs(project, can_box):  # noqa: ARG001
    fill(project)
    os.chown(project / "text", 1234, 1234)
    place = Place(project, by_copy=False)
    tried = place.attempt("echo new > new; chmod 600 program")
    attempts.keep_attempt(place.undo, tried, [], force=False)
    assert (project / "text").stat().st_uid == 1234


# -- the commands ----------------------------------------------------------------------------------


def laconic(place, *words):
    return subprocess.run(
        [*LACONIC, *words], cwd=place, check=False, capture_output=True, text=True, timeout=60
    )


def test_try_keep_undo_and_drop_as_typed(project, can_box):  # noqa: ARG001
    fill(project)
    words = ("bash", "-c", "echo said; echo three >> text; rm tree/other; exit 3")
    done = laconic(project, "try", *words)
    assert (done.returncode, done.stdout) == (3, "said\n")
    assert "  changed  text" in done.stderr
    assert "8 B -> 14 B" in done.stderr
    assert "  deleted  tree/other" in done.stderr
    assert "+three" in done.stderr
    name = done.stderr.partition("changed; ")[2].split()[0]
    tried = Path(os.environ["XDG_STATE_HOME"], "laconic/try")
    folders = [path for path in tried.glob("**/*") if path.is_dir()]
    assert folders, "what was tried is there"
    assert all(path.stat().st_mode & 0o700 == 0o700 for path in folders), "so that rm -r removes it"
    assert name in laconic(project, "try", "--list").stdout
    assert "+three" in laconic(project, "keep", name, "--diff").stdout
    assert "three" not in (project / "text").read_text()
    kept = laconic(project, "keep", name)
    assert "done, 2 changes; laconic undo" in kept.stdout, kept.stderr
    assert "three" in (project / "text").read_text()
    assert laconic(project, "keep", name).returncode == 1
    assert laconic(project, "undo").returncode == 0
    assert (project / "text").read_text() == "one\ntwo\n"
    assert (project / "tree/other").exists()


def test_a_part_can_be_kept_and_the_rest_dropped(project, can_box):  # noqa: ARG001
    fill(project)
    laconic(project, "try", "bash", "-c", "echo x > text; echo y > tree/other")
    assert laconic(project, "keep", "last", "tree").returncode == 0
    assert (project / "text").read_text() == "one\ntwo\n"
    assert (project / "tree/other").read_text() == "y\n"
    assert "forgotten: bash -c" in laconic(project, "drop").stdout
    assert laconic(project, "drop").returncode == 1


def test_json_has_kinds_sizes_and_modes(project, can_box):  # noqa: ARG001
    fill(project)
    done = laconic(project, "try", "--json", "bash", "-c", "chmod 600 text; echo x > new; rm link")
    found = json.loads(done.stderr)
    assert {(row["change"], row["path"]) for row in found["changes"]} == {
        ("changed", "text"), ("added", "new"), ("deleted", "link"),
    }  # fmt: skip
    row = next(row for row in found["changes"] if row["path"] == "text")
    assert (row["before"]["mode"], row["after"]["mode"], row["after"]["size"]) == (
        f"{0o666 & ~current_umask():04o}", "0600", 8,
    )  # fmt: skip


def current_umask():
    value = os.umask(0)
    os.umask(value)
    return value


def test_what_cannot_be_tried_is_not_run(project, can_box, monkeypatch):  # noqa: ARG001
    from laconic.box import layers

    monkeypatch.setattr(layers, "_MOST_ENTRIES", 3)
    fill(project)
    with pytest.raises(attempts.LaconicError, match="has more than"):
        Place(project, by_copy=True).attempt("true")
    assert Place(project, by_copy=True).state.paths() == []


def test_purge_removes_what_was_tried(project, can_box):  # noqa: ARG001
    fill(project)
    laconic(project, "try", "bash", "-c", "mkdir d; echo x > d/x; chmod 0 d; rm text")
    assert "1 command that you tried" in laconic(project, "purge").stdout
    assert Place(project, by_copy=False).state.paths() == []


def test_a_worktree_and_its_repository_elsewhere(project, can_box, tmp_path):  # noqa: ARG001
    fill(project)
    other = tmp_path / "worktree"
    subprocess.run(["git", "worktree", "add", "-q", other], cwd=project, check=True)
    done = laconic(other, "try", "bash", "-c", "echo b > b; git add b; git commit -qm second")
    assert done.returncode == 0, done.stderr
    log = ["git", "log", "--format=%s"]
    assert subprocess.check_output(log, cwd=other, text=True) == "a\n"
    kept = laconic(other, "keep")
    assert kept.returncode == 0, kept.stderr
    assert subprocess.check_output(log, cwd=other, text=True) == "second\na\n"
    shutil.rmtree(other)

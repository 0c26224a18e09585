"""What a command in the box destroys in its project can be taken back."""

from __future__ import annotations

import os
import subprocess
import time

import pytest

from box.conftest import LACONIC, git
from laconic.box import rolling

RUN = [*LACONIC, "run", "--box"]


def run(place, *words):
    return subprocess.run(
        [*LACONIC, *words], cwd=place, capture_output=True, text=True, check=False, timeout=60
    )


def contents(place):
    return {
        str(path.relative_to(place)): path.read_bytes()
        for path in place.rglob("*")
        if path.is_file() and not path.is_symlink()
    }


@pytest.fixture
def full(box):
    """A project with history, and files that git does not know."""
    place = box.project
    (place / "src/deep").mkdir(parents=True)
    for name in ("src/deep/x", "src/y", "b"):
        (place / name).write_text(f"{name}\n")
    git(place, "add", "-A")
    git(place, "commit", "-qm", "more")
    git(place, "branch", "other")
    (place / "notes").write_text("not known to git\n")
    (place / "src/link").symlink_to("y")
    (place / "Makefile").write_text("clean:\n\trm -rf build $(TMP)/* .git src *\n")
    return place


@pytest.mark.parametrize("way", [["run", "--box"], ["run", "--box", "--raw"], ["box"]])
def test_what_a_makefile_removes_comes_back_with_the_history(full, way):
    before = contents(full)
    log = git(full, "log", "--oneline", "--all").stdout
    run(full, *way, "bash", "-c", "rm -rf .git/objects .git/refs .git/HEAD .git/index src * .git")
    assert not (full / ".git/objects").exists()
    assert not (full / "src").exists()
    done = run(full, "undo", "--yes")
    assert done.returncode == 0, done.stderr
    assert contents(full) == before
    assert os.readlink(full / "src/link") == "y"
    assert git(full, "log", "--oneline", "--all").stdout == log
    assert git(full, "fsck", "--full").returncode == 0
    assert git(full, "status", "--porcelain", "src").stdout == "?? src/link\n"


def test_a_half_done_edit_is_taken_back(full):
    (full / ".github/workflows").mkdir(parents=True)
    (full / ".github/workflows/ci.yml").write_text("on: push\n")
    program = "for n in ('b', '.github/workflows/' + 'ci.yml'): open(n, 'w').write('x')"
    done = run(full, "run", "--box", "python3", "-c", program)
    assert "the box does not change .github/workflows/ci.yml" in done.stderr + done.stdout
    assert (full / "b").read_text() == "x"
    assert run(full, "undo", "--yes").returncode == 0
    assert (full / "b").read_text() == "b\n"


def test_only_the_last_command_is_taken_back(full):
    run(full, "run", "--box", "bash", "-c", "rm b")
    run(full, "run", "--box", "bash", "-c", "rm notes; echo new > made")
    assert run(full, "undo", "--yes").returncode == 0
    assert (full / "notes").exists()
    assert not (full / "b").exists()
    assert (full / "made").exists()


def test_a_command_that_destroys_nothing_leaves_nothing_to_take_back(full):
    run(full, "run", "--box", "bash", "-c", "cat b; echo x > new; git commit -qam x")
    assert "there is nothing to undo" in run(full, "undo", "--list").stderr


def test_caches_and_large_files_are_left_out(full):
    (full / "node_modules").mkdir()
    (full / "node_modules/x").write_text("x\n")
    (full / "large").write_bytes(bytes(rolling._LARGEST + 1))
    run(full, "run", "--box", "rm", "-r", "node_modules", "large", "b")
    run(full, "undo", "--yes")
    assert (full / "b").exists()
    assert not (full / "node_modules").exists()
    assert not (full / "large").exists()


def test_a_file_that_is_kept_has_no_second_name(full):
    run(full, "run", "--box", "true")
    assert {(full / name).stat().st_nlink for name in ("b", "src/y", "notes")} == {1}


@pytest.mark.parametrize("way", [["run", "--box", "--raw"], ["run", "--box"], ["box", "--raw"]])
def test_what_others_change_after_the_command_is_not_taken_for_its_doing(full, way):
    run(full, *way, "bash", "-c", "cat b > /dev/null; echo x > src/y; rm notes")
    time.sleep(0.05)  # file systems take their times from a clock that ticks every few milliseconds
    (full / "b").write_text("an edit of the agent's\n")
    assert run(full, "undo", "--yes").returncode == 0
    assert (full / "b").read_text() == "an edit of the agent's\n"
    assert (full / "src/y").read_text() == "src/y\n"
    assert (full / "notes").exists()


def test_after_a_command_that_changed_nothing_there_is_nothing_to_take_back(full):
    run(full, "run", "--box", "--raw", "cat", "b")
    time.sleep(0.05)
    (full / "b").write_text("an edit of the agent's\n")
    assert run(full, "undo", "--yes").returncode == 1
    assert (full / "b").read_text() == "an edit of the agent's\n"

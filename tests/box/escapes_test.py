"""A few of the ways out of the box, as the user that runs the tests; `make box` tries them all."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from box.escapes import CASES, PATH, Attempt, out_of, read
from box.installation import fit_directory
from box.world import World

FILES = sorted(CASES.iterdir())
EVERY = 29  # which makes it a dozen
SHORT = [attempt for file in FILES for attempt in read(file)][::EVERY]
STEPS = (
    Attempt("by path", "echo x > $OUT/m", "exists", "$OUT/m"),
    Attempt("a secret", "cat $UHOME/.netrc", "stdout", ""),
    Attempt("a socket", "bash -c 'echo x > /dev/tcp/127.0.0.1/$TCP'", "hit", ""),
    Attempt("guarded", "echo x >> .git/config", "changed", "$PROJECT/.git/config"),
    Attempt("appearing", "mkdir .idea", "exists", "$PROJECT/.idea"),
    Attempt("a process", "kill -9 $VICTIM", "victim", ""),
    Attempt("any change", "echo x > $OUT/n", "outside", ""),
    Attempt("no sign of its own", "rm -f $UHOME/.zshrc", "exists", "/nonexistent"),
)


@pytest.fixture(scope="module")
def world():
    place = fit_directory()
    found = World(place / "world", PATH)
    yield found
    found.close()
    shutil.rmtree(place, ignore_errors=True)


@pytest.mark.usefixtures("can_box")
@pytest.mark.parametrize("attempt", SHORT, ids=lambda attempt: attempt.name)
def test_it_does_not_get_out(world, attempt):
    words = [sys.executable, "-I", "-m", "laconic", "box", "--raw"]
    assert not out_of(attempt, world, words)


@pytest.mark.parametrize("attempt", STEPS, ids=lambda attempt: attempt.name)
def test_without_a_box_it_is_noticed(world, attempt):
    assert out_of(attempt, world, [])
    (world.home / ".zshrc").write_text("# mine\n")


def test_there_are_enough_ways_each_with_a_name_of_its_own():
    names = [attempt.name for file in FILES for attempt in read(file)]
    assert len(names) == len(set(names)) >= 200


def test_a_file_of_objects_is_read_as_well(tmp_path: Path):
    file = tmp_path / "ways.jsonl"
    file.write_text('{"id": "x", "class": "c", "command": "true", "success": {"kind": "stdout"}}\n')
    assert list(read(file)) == [Attempt("x", "true", "stdout", "")]


def test_commands_without_a_sign_are_read_if_they_are_proven(tmp_path: Path):
    file = tmp_path / "past.jsonl"
    rows = ('{"command": "ls `x`", "proven": true}', '{"command": "y", "proven": false}')
    file.write_text("\n".join(rows))
    assert list(read(file)) == [Attempt("past-001", "ls `x`", "outside", "")]

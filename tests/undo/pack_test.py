"""Small files lie in one file of a keep; what nobody needs of it is given back."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from laconic.undo.pack import LARGEST
from laconic.undo.restore import undo
from undo.kills import kept, run


@pytest.fixture
def project(tmp_path):
    made = tmp_path / "project"
    made.mkdir()
    for number in range(40):
        (made / f"f{number}").write_bytes(os.urandom(100_000))
    (made / "empty").touch()
    (made / "large").write_bytes(os.urandom(LARGEST + 1))
    return made


def contents(project):
    return {path.name: path.read_bytes() for path in project.iterdir()}


def files_of(keep):
    return sorted(path.name for path in Path(keep.path, "data").iterdir())


def test_small_files_share_one_and_large_ones_have_their_own(store, project):
    before = contents(project)
    keep = run(store, "for f in *; do echo x > $f; done", project)
    assert len(files_of(keep)) == 2
    again = undo(store, keep)
    assert contents(project) == before
    undo(store, store.find(again))
    assert contents(project)["f0"] == b"x\n"


def test_the_room_of_what_was_not_changed_is_given_back(store, project):
    before = contents(project)
    held = kept(store, "truncate -s 1 *", project)
    (project / "f3").write_text("x\n")
    (project / "f30").write_text("x\n")
    keep = held.finish()
    assert files_of(keep) == ["pack"]
    assert keep.size < 300_000
    undo(store, keep)
    assert contents(project) == before


def test_nothing_is_left_of_a_pack_that_nobody_needs(store, project):
    held = kept(store, "truncate -s 1 *", project)
    (project / "large").write_text("x\n")
    keep = held.finish()
    assert len(files_of(keep)) == 1
    assert "pack" not in files_of(keep)


def test_holes_stay_holes(store, project):
    with (project / "f0").open("wb") as file:
        file.truncate(100_000)
    keep = run(store, "echo x > f0", project)
    undo(store, keep)
    assert (project / "f0").stat().st_blocks == 0

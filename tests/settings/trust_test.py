"""Trust is in bytes: a changed, added or removed file ends it."""

from __future__ import annotations

import json
import os

import pytest

from laconic.errors import LaconicError
from laconic.settings import trust


@pytest.fixture
def root(tmp_path):
    directory = tmp_path / "project"
    (directory / ".laconic/filters/git").mkdir(parents=True)
    (directory / ".laconic/config.toml").write_text("# config")
    (directory / ".laconic/filters/git/diff.toml").write_text("# filter")
    (directory / ".laconic/notes.txt").write_text("not ours")
    return directory


@pytest.fixture
def state(tmp_path):
    return tmp_path / "state/laconic"


def is_trusted(state, root):
    pinned = trust.find_pin(state, root)
    return pinned is not None and not trust.differences(pinned, trust.take_snapshot(root))


def pin(state, root):
    return trust.pin(state, trust.take_snapshot(root))


def test_a_snapshot_holds_the_files_that_matter(root):
    files = trust.take_snapshot(root).files
    assert dict(files) == {"config.toml": b"# config", "filters/git/diff.toml": b"# filter"}


def test_nothing_is_trusted_until_it_is_pinned(state, root):
    assert not is_trusted(state, root)
    pin(state, root)
    assert is_trusted(state, root)
    assert trust.unpin(state, root)
    assert not trust.unpin(state, root)
    assert not is_trusted(state, root)


def change(root):
    (root / ".laconic/config.toml").write_text("# confiG")


def add(root):
    (root / ".laconic/rules").mkdir()
    (root / ".laconic/rules/new.toml").write_text("")


def remove(root):
    (root / ".laconic/filters/git/diff.toml").unlink()


def rename(root):
    (root / ".laconic/filters/git/diff.toml").rename(root / ".laconic/filters/diff.toml")


@pytest.mark.parametrize(
    ("act", "line"),
    [
        (change, "config.toml was changed"),
        (add, "rules/new.toml was added"),
        (remove, "filters/git/diff.toml was removed"),
        (rename, "filters/diff.toml was added"),
    ],
)
def test_any_difference_ends_the_trust_and_is_named(state, root, act, line):
    pinned = pin(state, root)
    act(root)
    assert not is_trusted(state, root)
    assert line in trust.differences(pinned, trust.take_snapshot(root))


def test_a_file_that_is_none_of_ours_does_not_matter(state, root):
    pin(state, root)
    (root / ".laconic/notes.txt").write_text("other")
    assert is_trusted(state, root)


def test_a_copy_of_a_trusted_project_is_not_trusted(state, root):
    pin(state, root)
    copy = root.rename(root.with_name("copy"))
    assert not is_trusted(state, copy)


def test_a_linked_directory_is_refused(state, root, tmp_path):
    (root / ".laconic").rename(tmp_path / "elsewhere")
    (root / ".laconic").symlink_to(tmp_path / "elsewhere")
    snapshot = trust.take_snapshot(root)
    assert snapshot.files == {}
    with pytest.raises(LaconicError, match="is a symbolic link; this project cannot be trusted"):
        trust.pin(state, snapshot)


@pytest.mark.parametrize("name", [".laconic/filters/out.toml", ".laconic/rules"])
def test_a_link_out_of_the_project_is_refused(state, root, tmp_path, name):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.toml").write_text("secret")
    (root / name).symlink_to(outside / "x.toml" if name.endswith("toml") else outside)
    with pytest.raises(LaconicError, match="leads out of the project"):
        pin(state, root)


def test_a_link_inside_the_project_is_pinned_by_what_it_shows(state, root):
    (root / "shared.toml").write_text("one")
    (root / ".laconic/filters/in.toml").symlink_to("../../shared.toml")
    pin(state, root)
    assert is_trusted(state, root)
    (root / "shared.toml").write_text("two")
    assert not is_trusted(state, root)


def test_a_link_that_turns_outside_ends_the_trust(state, root, tmp_path):
    pin(state, root)
    config = root / ".laconic/config.toml"
    config.rename(tmp_path / "same.toml")
    config.symlink_to(tmp_path / "same.toml")
    assert not is_trusted(state, root)


def test_a_pipe_in_place_of_a_file_neither_hangs_nor_passes(state, root):
    os.mkfifo(root / ".laconic/filters/pipe.toml")
    with pytest.raises(LaconicError, match="is not a regular file"):
        pin(state, root)


def test_a_project_with_very_many_files_is_refused(state, root):
    for number in range(501):
        (root / f".laconic/filters/{number}.toml").write_text("")
    with pytest.raises(LaconicError, match="has more than 500 files"):
        pin(state, root)


def test_pins_belong_to_the_owner_alone(state, root):
    pin(state, root)
    (path,) = (state / "trust").iterdir()
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert state.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"root": 1}', '{"root": "/", "sha256": 3}', "\xff"]
)
def test_a_damaged_pin_is_no_trust(state, root, text):
    pin(state, root)
    (path,) = (state / "trust").iterdir()
    path.write_text(text)
    assert not is_trusted(state, root)


def test_a_pin_of_another_project_under_our_name_is_no_trust(state, root):
    pin(state, root)
    (path,) = (state / "trust").iterdir()
    document = json.loads(path.read_text())
    path.write_text(json.dumps(document | {"root": "/other"}))
    assert not is_trusted(state, root)


def test_pins_are_listed(state, root):
    assert trust.list_pins(state) == []
    pinned = pin(state, root)
    (state / "trust/junk.json").write_text("junk")
    assert trust.list_pins(state) == [pinned]

"""Looking for files: sooner than the standard library does, and with the same result."""

from __future__ import annotations

import os

import pytest

from laconic.files import is_there, real_path, upwards

PATHS = (
    "", "/", "//", ".", "..", "plain", "plain/below", "plain/./below", "plain//below", "plain/",
    "plain/../plain", "link", "link/below", "dangling", "dangling/x", "loop", "loop/x", "missing",
    "missing/x", "file", "file/x", ".hidden", "plain/back/plain", "link/..",
)  # fmt: skip


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "plain/below").mkdir(parents=True)
    (tmp_path / ".hidden").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("plain")
    (tmp_path / "plain/back").symlink_to("..")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "loop").symlink_to("loop")
    return tmp_path


@pytest.mark.parametrize("name", PATHS)
def test_a_path_is_as_real_as_the_standard_library_says(tree, name, monkeypatch):
    monkeypatch.chdir(tree)
    for path in (name, f"{tree}/{name}"):
        assert real_path(path) == os.path.realpath(path)


@pytest.mark.parametrize("name", PATHS)
def test_what_is_there_is_what_the_standard_library_finds(tree, name):
    assert is_there(f"{tree}/{name}") == os.path.lexists(f"{tree}/{name}")


@pytest.mark.parametrize(
    ("directory", "most", "above"),
    [
        ("/a/b", 9, ["/a/b", "/a", "/"]),
        ("/a/b", 2, ["/a/b", "/a"]),
        ("/", 9, ["/"]),
        ("//", 9, ["//"]),
        ("a", 9, ["a", ""]),
    ],
)
def test_a_walk_upwards_ends_at_the_top_or_its_limit(directory, most, above):
    assert list(upwards(directory, most)) == above

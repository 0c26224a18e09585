"""What a box can use of the user's caches where its home has links to the real one."""

from __future__ import annotations

import os

import pytest

from box.conftest import forbid_overlays


@pytest.fixture(autouse=True)
def _without_overlays(project):
    forbid_overlays(project)


@pytest.fixture
def npm(home):
    """A cache as npm writes it: an index of two levels, and contents."""
    cache = home / ".npm/_cacache"
    for name in ("index-v5/ab/cd/entry", "content-v2/sha512/12/34/blob", "tmp/x"):
        (cache / name).parent.mkdir(parents=True, exist_ok=True)
        (cache / name).write_text(f"{name}\n")
    return cache


def test_the_index_is_a_copy_that_can_be_written_and_the_contents_are_read(box, npm):
    script = (
        "cd $npm_config_cache/_cacache && cat index-v5/ab/cd/entry content-v2/sha512/12/34/blob && "
        "echo own > index-v5/ab/cd/entry && ! touch content-v2/x 2> /dev/null"
    )
    done = box.sh(script)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "index-v5/ab/cd/entry\ncontent-v2/sha512/12/34/blob\n"
    assert (npm / "index-v5/ab/cd/entry").read_text() == "index-v5/ab/cd/entry\n"
    assert box.sh("cat $npm_config_cache/_cacache/index-v5/ab/cd/entry").stdout == "own\n"


def test_what_is_new_outside_is_there_the_next_time(box, npm):
    box.run("true")
    (npm / "index-v5/ab/ef").mkdir()
    (npm / "index-v5/ab/ef/new").write_text("new\n")
    (npm / "tmp/y").write_text("")  # npm writes there first, and then moves it
    assert box.sh("cat $npm_config_cache/_cacache/index-v5/ab/ef/new").stdout == "new\n"


@pytest.mark.parametrize("place", [".", "npm", "npm/_cacache", "npm/_cacache/index-v5/ab/cd"])
def test_a_link_in_its_place_is_not_followed(box, npm, tmp_path, place):
    target = tmp_path / "target"
    (target / "ab/cd").mkdir(parents=True)
    box.run("true")
    last = f"~/.cache/{place}" if place != "." else "~/.cache/npm/_cacache/index-v5"
    done = box.sh(f"rm -rf {last} && ln -s {target} {last}")
    assert done.returncode == 0, done.stderr
    before = sorted(str(path) for path in target.rglob("*"))
    (npm / "tmp/z").write_text("")
    box.run("true")
    assert sorted(str(path) for path in target.rglob("*")) == before


def test_caches_that_are_only_read_are_there(box, home):
    (home / ".cache/ms-playwright").mkdir(parents=True)
    (home / ".cache/ms-playwright/b").write_text("browser\n")
    (home / ".cache/other").mkdir()
    done = box.sh("cat ~/.cache/ms-playwright/b; ls ~/.cache; touch ~/.cache/mine")
    assert done.stdout.splitlines() == ["browser", "ms-playwright"]
    assert sorted(os.listdir(home / ".cache")) == ["ms-playwright", "other"]

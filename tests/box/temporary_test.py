"""Temporary files that a command in the box names: it can read them, and writes its own."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from box.conftest import LACONIC
from box.installation import fit_directory
from laconic.box.temporary import can_be_read, named


@pytest.fixture
def place(can_box):  # noqa: ARG001 - it may skip
    """A project and a home that are not below /tmp."""
    base = fit_directory()
    if str(base).startswith("/tmp/") or sys.prefix.startswith("/tmp/"):
        base.rmdir()
        pytest.skip("the box shows what it needs below /tmp, where this runs")
    (base / "home").mkdir()
    (base / "project").mkdir()
    subprocess.run(["git", "init", "-q", base / "project"], check=True)
    yield base
    shutil.rmtree(base)


@pytest.fixture
def scratch():
    """A directory below /tmp, and outside the box."""
    found = Path(tempfile.mkdtemp(prefix="laconic-test-", dir="/tmp"))
    yield found
    shutil.rmtree(found)


def run(place, script, *words):
    environ = {
        "HOME": str(place / "home"),
        "XDG_STATE_HOME": str(place / "home/state"),
        "PATH": "/usr/local/bin:/usr/bin:/bin",
    }
    return subprocess.run(
        [*LACONIC, "box", "--raw", "bash", "-c", script, *words],
        cwd=place / "project", env=environ, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip


def test_a_file_that_is_named_is_there_and_cannot_be_changed(place, scratch):
    (scratch / "in").write_text("data\n")
    (scratch / "in").chmod(0o750)
    done = run(place, f"cat {scratch}/in; stat -c %a {scratch}/in; echo x > {scratch}/in")
    assert done.stdout == "data\n750\n"
    assert (scratch / "in").read_text() == "data\n"


def test_it_comes_in_as_it_is_every_time(place, scratch):
    (scratch / "tool").write_text("#!/bin/sh\necho runs\n")
    (scratch / "tool").chmod(0o755)
    assert run(place, f"{scratch}/tool").stdout == "runs\n"
    (scratch / "tool").write_text("#!/bin/sh\necho changed\n")
    assert run(place, f"{scratch}/tool").stdout == "changed\n"


def test_what_is_written_stays_in_the_box_and_lasts(place, scratch):
    run(place, f"echo x > {scratch}/out")
    assert not (scratch / "out").exists()
    assert run(place, f"cat {scratch}/out").stdout == ""  # its directory is not named
    name = f"/tmp/out-{scratch.name}"
    run(place, f"echo x > {name}")
    assert not Path(name).exists()
    assert run(place, f"cat {name}").stdout == "x\n"


def test_a_link_on_the_way_in_the_box_is_not_followed(place, scratch):
    target = place / "target"
    target.mkdir()
    (scratch / "d").mkdir()
    (scratch / "d/in").write_text("data\n")
    run(place, f"mkdir -p /t''mp/{scratch.name}; ln -s {target} /t''mp/{scratch.name}/d")
    run(place, f"cat {scratch}/d/in")
    assert list(target.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["./x", "/tmp/a"], ["/tmp/a"]),
        (["./x", "--out=/tmp/a.json"], ["/tmp/a.json"]),
        (["bash", "-c", "a > /tmp/b; c '/var/tmp/d'"], ["/tmp/b", "/var/tmp/d"]),
        (["./x", "/tmp/../etc/passwd", "/tmp", "/tmp/", "a/tmp/b", "/x/tmp/c"], []),
        (["./x", "/tmp/a", "/tmp/./a", "/tmp//a"], ["/tmp/a"]),
    ],
)
def test_which_names_count(words, found):
    assert named(words) == found


def test_what_cannot_be_used_as_outside(scratch):
    (scratch / "d").mkdir()
    (scratch / "f").write_text("")
    (scratch / "l").symlink_to("f")
    (scratch / "ld").symlink_to("d")
    (scratch / "id_rsa").write_text("")
    usable = {
        name: [can_be_read(f"{scratch}/{name}", ["/srv/project"], is_made=made) for made in (0, 1)]
        for name in ("f", "new", "d", "l", "ld/x", "no/x", "id_rsa")
    }
    assert [name for name, found in usable.items() if found[0]] == ["f"]
    assert [name for name, found in usable.items() if found[1]] == ["f", "new"]
    assert not can_be_read(f"{scratch}/f", [str(scratch / "d")])
    assert not can_be_read("/run/x", [], is_made=True)

"""Temporary files that a command in the box names: it can read them, and make them."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from box.conftest import LACONIC
from box.installation import fit_directory
from laconic.box.temporary import environments, is_shared, named


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


def run(place, script, *words, environ=None):
    environ = {
        **(environ or {}),
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
    assert f"{scratch}/in was changed in the box only" in done.stderr


def test_it_comes_in_as_it_is_every_time(place, scratch):
    (scratch / "tool").write_text("#!/bin/sh\necho runs\n")
    (scratch / "tool").chmod(0o755)
    assert run(place, f"{scratch}/tool").stdout == "runs\n"
    (scratch / "tool").write_text("#!/bin/sh\necho changed\n")
    assert run(place, f"{scratch}/tool").stdout == "changed\n"


def test_what_is_made_under_a_name_of_the_line_is_there_outside(place, scratch):
    done = run(
        place,
        f"echo x > {scratch}/out; chmod 750 {scratch}/out; mkdir {scratch}/d; touch {scratch}/d/f",
    )
    assert (scratch / "out").read_text() == "x\n"
    assert (scratch / "out").stat().st_mode & 0o777 == 0o750
    assert [one.name for one in (scratch / "d").iterdir()] == ["f"]
    assert done.stderr == ""
    done = run(place, f"echo y > {scratch}/out")  # it is the box's own, and may change again
    assert ((scratch / "out").read_text(), done.stderr) == ("y\n", "")
    (scratch / "out").write_text("mine\n")
    done = run(place, f"echo z > {scratch}/out")
    assert (scratch / "out").read_text() == "mine\n"
    assert "in the box only" in done.stderr


def test_what_is_made_under_another_name_stays_in_the_box_and_lasts(place, scratch):
    name = f"out-{scratch.name}"
    run(place, f"cd /t''mp; echo x > {name}")
    assert not Path(f"/tmp/{name}").exists()
    assert run(place, f"cd /t''mp; cat {name}").stdout == "x\n"


def test_what_is_made_under_the_value_of_a_variable_is_there_outside(place, scratch):
    variables = {"OUT": f"{scratch}/out", "KEY": f"{scratch}/there"}
    (scratch / "there").write_text("data\n")
    done = run(place, 'mkdir "$OUT"; echo x > "$OUT/f"; cat "$KEY"', environ=variables)
    assert (scratch / "out/f").read_text() == "x\n"
    assert done.stdout == ""  # what the line does not name does not come in


def test_what_was_brought_out_and_is_removed_there_is_gone_in_the_box(place, scratch):
    run(place, f"mkdir {scratch}/d; echo x > {scratch}/d/f; echo y > {scratch}/f")
    shutil.rmtree(scratch / "d")
    (scratch / "f").unlink()
    done = run(place, f"ls {scratch}/f; mkdir {scratch}/d && ls {scratch}/d && echo new")
    assert done.stdout == "new\n"


def test_what_is_too_large_stays_as_a_whole_and_is_said(place, scratch):
    done = run(place, f"mkdir {scratch}/d; touch {scratch}/d/{{1..1200}}")
    assert not (scratch / "d").exists()
    assert f"{scratch}/d was changed in the box only: it is too large" in done.stderr


def test_no_link_comes_out(place, scratch):
    secret = place / "secret"
    secret.write_text("data\n")
    links = f"ln -s {secret} {scratch}/l; mkdir {scratch}/d; ln -s {secret} {scratch}/d/l"
    run(place, f"{links}; mkfifo {scratch}/p")
    assert sorted(one.name for one in scratch.iterdir()) == ["d"]
    assert list((scratch / "d").iterdir()) == []


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
    names = ("f", "new", "d", "l", "ld/x", "no/x", "id_rsa")
    shared = [name for name in names if is_shared(f"{scratch}/{name}", ["/srv/project"])]
    assert shared == ["f", "new"]
    assert not is_shared(f"{scratch}/new", [str(scratch)])
    assert not is_shared(f"{scratch}/new", [f"{scratch}/new/project"])
    assert is_shared(f"{scratch}/new", [str(scratch / "d")])
    assert not is_shared("/run/x", [])
    (scratch / "d/.git").mkdir()
    assert not is_shared(f"{scratch}/d/new", ["/srv/project"])  # another project
    assert not is_shared(f"{scratch}/d/.git/new", ["/srv/project"])


def environment_in(scratch):
    made = scratch / "v"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", made], check=True)
    (made / "bin/tool").write_text(f"#!{made}/bin/python\nimport sys; print(sys.prefix)\n")
    (made / "bin/tool").chmod(0o755)
    (made / "notes").write_text("of somebody\n")
    return made


def test_a_python_environment_can_be_used_and_not_be_changed(place, scratch):
    made = environment_in(scratch)
    code = "import sys; print(sys.prefix)"
    for line in (f"{made}/bin/python -c '{code}'", f"{made}/bin/tool"):
        done = run(place, line)
        assert (done.stdout, done.stderr) == (f"{made}\n", "")
    assert run(place, f". {made}/bin/activate && python -c '{code}'").stdout == f"{made}\n"
    assert run(place, f"ls {made}; echo x > {made}/bin/tool").stdout.split() == [
        name for name in ("bin", "lib", "lib64", "pyvenv.cfg") if not (made / name).is_symlink()
    ]
    assert "import sys" in (made / "bin/tool").read_text()


def test_what_only_looks_like_an_environment_is_not_shown(scratch):
    made = environment_in(scratch)
    parts = [f"{made}/pyvenv.cfg", f"{made}/bin", f"{made}/lib"]
    assert environments([f"{made}/bin/python"]) == parts
    assert environments([str(made), f"{made}/bin/tool"]) == parts
    assert environments([str(scratch), str(scratch / "other"), "/tmp", "/etc/passwd"]) == []
    (scratch / "link").symlink_to(made)
    assert environments([f"{scratch}/link/bin/python"]) == []
    shutil.rmtree(made / "lib")
    (made / "lib").symlink_to(Path.home())
    assert environments([f"{made}/bin/python"]) == parts[:2]
    (made / "pyvenv.cfg").unlink()
    assert environments([f"{made}/bin/python"]) == []


@pytest.fixture
def below(place, scratch):
    """The same place, with a project below /tmp, and a directory of ours beside that."""
    (scratch / "project").mkdir()
    subprocess.run(["git", "init", "-q", scratch / "project"], check=True)
    (place / "project").rename(place / "other")
    (place / "project").symlink_to(scratch / "project")
    return place


def test_a_project_below_tmp_gets_what_a_line_names_beside_it(below, scratch):
    (scratch / "in").write_text("data\n")
    done = run(below, f"cat {scratch}/in > {scratch}/out; mkdir {scratch}/d; touch {scratch}/d/f f")
    assert (done.stdout, done.stderr) == ("", "")
    assert (scratch / "out").read_text() == "data\n"
    assert [one.name for one in (scratch / "d").iterdir()] == ["f"]
    assert (scratch / "project/f").exists()
    done = run(below, f"cat {scratch}/out; cat {scratch}/d/f")  # a directory does not come in
    assert done.stdout == "data\n"
    fresh = next((below / "home/state/laconic/box").glob("*/fresh"))
    assert list(fresh.iterdir()) == []


def test_links_that_it_leaves_behind_there_lead_nobody_astray(below, scratch):
    there = f"/tmp/laconic-{scratch.name}"
    run(below, f"ln -s /etc {there}; mv {scratch} {scratch}-2; ln -s / {scratch}; echo {there}")
    done = run(below, f"ls {there}; ls; pwd; echo x > {scratch}/new")
    assert "No such file" in done.stderr
    assert done.stdout == f"{scratch}/project\n"
    assert (scratch / "new").read_text() == "x\n"

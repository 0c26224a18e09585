"""laconic in a container: a root, a home and namespaces of its own, as docker makes them.

There is no docker here: bubblewrap makes the same of the files of this machine.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import warm_server
from clients import INSTALLED, bin_dir
from laconic.record import kept

__all__ = ["bin_dir"]  # a fixture

LONG = "for n in $(seq 300); do echo line $n; done"
BWRAP = shutil.which("bwrap", path="/usr/bin:/usr/local/bin")  # not for the commands of tests
WORDS = [BWRAP, "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--tmpfs", "/tmp"]
# In a checkout below /tmp, which the container has of its own.
ROOT = str(Path(__file__).parents[2])
CHECKOUT = ["--ro-bind", ROOT, ROOT] if ROOT.startswith("/tmp/") else []
VARIABLES = {"HOME": "/mnt/home", "PATH": "/mnt/laconic:/usr/bin:/bin", "AI_AGENT": "x"}


def can_enter():
    done = subprocess.run([*WORDS, "/bin/true"], capture_output=True, check=False)
    return done.returncode == 0


pytestmark = [
    pytest.mark.skipif(BWRAP is None, reason="not installed: bwrap"),
    warm_server.needs_compiler,
    pytest.mark.parametrize("bin_dir", [INSTALLED], indirect=True, scope="module"),
]


@pytest.fixture
def container(bin_dir, tmp_path):
    """Run words in a container of an image; what is in its home and project stays for the next."""
    if not can_enter():
        pytest.skip("there are no namespaces of users here")
    (tmp_path / "project/.git").mkdir(parents=True)
    (tmp_path / "home").mkdir()

    def call(*words, has_laconic=True, options=()):
        places = [
            *CHECKOUT,
            *("--tmpfs", "/mnt", "--bind", tmp_path / "project", "/mnt/project"),
            *("--bind", tmp_path / "home", "/mnt/home", "--proc", "/proc", "--dev", "/dev"),
            *(("--ro-bind", bin_dir, "/mnt/laconic") if has_laconic else ()),
            *("--chdir", "/mnt/project", *options),
        ]
        return subprocess.run(
            [*WORDS, *places, *words],
            env=VARIABLES,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    return call


def test_a_container_has_records_of_its_own(container, tmp_path):
    done = container("laconic", "run", "sh", "-c", f"{LONG}; exit 7")
    assert done.returncode == 7
    assert done.stdout.count("\n") < 100
    again = container("laconic", "recall", "last", "--raw")
    assert again.stdout.count("\n") == 300
    assert (tmp_path / "home/.local/state/laconic/raw").is_dir()
    assert kept.known({}, "/mnt/home/.local/state/laconic") == []


def test_a_box_that_a_container_cannot_make_is_refused(container, tmp_path):
    options = ["--unshare-user", "--disable-userns", "--cap-drop", "ALL", "--uid", "1000"]
    done = container("laconic", "run", "--box", "touch", "x", options=options)
    assert done.returncode == 125
    assert "there is no box" in done.stderr
    assert "the command was not run" in done.stderr
    assert not (tmp_path / "project/x").exists()
    said = json.loads(container("laconic", "doctor", "--json", options=options).stdout)
    (found,) = [one for one in said["findings"] if one["check"] == "box"]
    assert (found["state"], bool(found["fix"])) == ("disabled", True)


@pytest.fixture
def rewritten(bin_dir, tmp_path):
    """What a hook on the machine itself makes of a line that will run in the container."""
    call = json.loads(warm_server.hook_input("find /usr/bin"))
    environ = {"HOME": str(tmp_path), "PATH": f"{bin_dir}:{os.defpath}", "LACONIC_NO_SERVER": "1"}
    done = subprocess.run(
        ["laconic", "hook", "claude-code"],
        executable=bin_dir / "laconic",
        input=json.dumps(call | {"cwd": str(tmp_path)}),
        env=environ,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)["hookSpecificOutput"]["updatedInput"]["command"]


def test_a_line_that_a_hook_outside_has_rewritten_runs_inside(container, rewritten):
    assert rewritten.startswith("laconic run ")
    done = container("sh", "-c", rewritten)
    raw = container("find", "/usr/bin")
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout) < len(raw.stdout) / 2


def test_where_laconic_is_not_in_the_image_the_shell_says_so(container, rewritten):
    done = container("sh", "-c", rewritten, has_laconic=False)
    assert done.returncode == 127
    assert "laconic: not found" in done.stderr


def test_no_home_of_the_machine_is_needed(container, tmp_path):
    """An image without a home: outputs are kept in its /tmp, as long as that lasts."""
    line = f"laconic run sh -c '{LONG}'; laconic recall last --raw | wc -l"
    options = ["--ro-bind", Path("/etc"), "/mnt/home", "--setenv", "HOME", "/mnt/home"]
    done = container("sh", "-c", line, options=options)
    assert done.stdout.split()[-1] == "300"
    assert list((tmp_path / "home").iterdir()) == []

"""The runners that hold one contract: the one in Python, and the one in C, cold and warm.

RUN and LACONIC are the words that start the one a test is about; tests use them as they are.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

import warm_server

IN_PYTHON = [sys.executable, "-m", "laconic"]
LACONIC = list(IN_PYTHON)
RUN = [*LACONIC, "run"]

PYTHON = "python"
COLD = pytest.param("c", marks=warm_server.needs_client)
WARM = pytest.param("c and server", marks=warm_server.needs_client)
# For a fault with which no server starts: the client does then what it does without one.
every_start = pytest.mark.parametrize("runner", [PYTHON, COLD], indirect=True)


@pytest.fixture(scope="session")
def bin_dir():
    """An installation with the client as it is, one with sanitizers, and a copy of the package."""
    with tempfile.TemporaryDirectory(prefix="lac") as directory:
        folder = Path(directory)
        warm_server.build_client(folder / "laconic")
        (folder / "checked").mkdir()
        for place in (folder, folder / "checked"):
            warm_server.write_program(place, package=folder / "lib/laconic")
        warm_server.compile_client(folder / "checked/laconic", *warm_server.SANITIZED)
        yield folder


@pytest.fixture(scope="session")
def runtime():
    """A directory for the socket of one server, which all tests share."""
    directory = warm_server.runtime_directory()
    yield directory
    shutil.rmtree(directory, ignore_errors=True)


@pytest.fixture(params=[PYTHON, COLD, WARM], autouse=True)
def runner(request, monkeypatch, home):
    """Start commands by this runner; return the installation that it belongs to."""
    monkeypatch.setenv("LACONIC_NO_SERVER", "1")
    words, place = IN_PYTHON, None
    if request.param != PYTHON:
        folder = request.getfixturevalue("bin_dir")
        place = folder / "checked" if request.param == "c" else folder
        words = [str(place / "laconic")]
    if request.param == "c":
        monkeypatch.setenv("ASAN_OPTIONS", "detect_leaks=0")  # an exiting process frees nothing
    if request.param == "c and server":
        monkeypatch.delenv("LACONIC_NO_SERVER")
        runtime = request.getfixturevalue("runtime")
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
        move_in(runtime / "home", home, monkeypatch)
        have_server(words)
    LACONIC[:], RUN[:] = words, [*words, "run"]
    yield Runner(request.param, place)
    LACONIC[:], RUN[:] = IN_PYTHON, [*IN_PYTHON, "run"]


def move_in(name, home, monkeypatch):
    """Give this test's home the name that all have for their server, which serves one home."""
    name.unlink(missing_ok=True)
    name.symlink_to(home)
    for variable, tail in (
        ("HOME", ""), ("XDG_CONFIG_HOME", "/.config"), ("XDG_STATE_HOME", "/.local/state"),
        ("XDG_CACHE_HOME", "/.cache"),
    ):  # fmt: skip
        monkeypatch.setenv(variable, f"{name}{tail}")


@pytest.fixture
def state(home):
    return home / ".local/state/laconic"


class Runner:
    def __init__(self, name, place):
        self.name, self.place = name, place


def have_server(words):
    """Wait until calls are answered by a server."""
    place = Path(words[0]).parent

    def is_up():
        if not warm_server.status_of(place, os.environ):
            subprocess.run(
                [*words, "hook", "claude-code"], input=b"{}", capture_output=True, check=False
            )
        return warm_server.status_of(place, os.environ)

    warm_server.wait_for(is_up)


@pytest.fixture
def broken(runner, tmp_path, monkeypatch):
    """Make a module of laconic fail in the processes that a test starts, and in its server."""
    folder, own = runner.place or tmp_path, None

    def break_(code):
        nonlocal own
        (folder / "sitecustomize.py").write_text(code)
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        if runner.name == "c and server":
            own = warm_server.runtime_directory()
            monkeypatch.setenv("XDG_RUNTIME_DIR", str(own))
            have_server(LACONIC)

    yield break_
    with contextlib.suppress(FileNotFoundError):
        (folder / "sitecustomize.py").unlink()
    if own:
        subprocess.run([*LACONIC, "server", "stop"], capture_output=True, check=True)
        shutil.rmtree(own)


def run(*words, flags=(), **more):
    more.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run([*RUN, *flags, *words], capture_output=True, check=False, **more)


def shell(line, *parameters, **more):
    return run("sh", "-c", line, "sh", *parameters, **more)


_started = []


def start(*words, **more):
    process = subprocess.Popen(
        [*RUN, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more
    )
    _started.append(process)
    return process


@pytest.fixture(autouse=True)
def no_process_left():
    """A test that fails leaves nothing running."""
    yield
    while _started:
        process = _started.pop()
        process.kill()
        process.stdout.close()
        process.wait()


def read_until(process, wanted, seconds=warm_server.PATIENCE_S):
    """Read what a process prints until it has printed this."""
    os.set_blocking(process.stdout.fileno(), False)
    found = b""

    def has_it():
        nonlocal found
        with contextlib.suppress(TypeError):
            found += process.stdout.read() or b""
        return wanted in found

    wait_for(has_it, seconds)
    os.set_blocking(process.stdout.fileno(), True)
    return found


def end(process):
    process.terminate()
    return process.communicate(timeout=warm_server.PATIENCE_S)[0]


def wait_for(condition, seconds=warm_server.PATIENCE_S):
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)
    return found


def is_running(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"

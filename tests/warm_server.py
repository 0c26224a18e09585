"""An installation for tests: the client, laconic-py beside it, and a server of its own."""

from __future__ import annotations

import compileall
import contextlib
import fcntl
import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

import hatch_build
import pytest

from laconic import __version__
from laconic.server import control, wire

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ROOT = Path(__file__).parent.parent
SOURCES = sorted((ROOT / "client").glob("*.c"))
FLAGS = ("-std=c11", "-D_GNU_SOURCE", "-g", "-O1", "-Wall", "-Wextra", "-Wshadow", "-Werror")
SANITIZED = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
PATIENCE_S = 60  # a test that waits longer hangs; a busy machine takes its time
COMPILER = shutil.which(os.environ.get("CC", "cc"))
# A client that was compiled elsewhere, which is tested in place of one that is compiled here.
GIVEN = os.environ.get("LACONIC_TEST_CLIENT", "")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
needs_client = pytest.mark.skipif(not (COMPILER or GIVEN), reason="there is no C compiler")


def build_client(target: Path) -> None:
    """Make it as an installer does."""
    if GIVEN:
        shutil.copy(GIVEN, target)
        return

    def build(path: Path) -> None:
        assert hatch_build.compile_client(ROOT / "client", path, __version__) == ""

    _have_once("installed", build, target)


def compile_client(target: Path, *extra: str, version: str = __version__) -> None:
    if GIVEN and (extra, version) == (SANITIZED, __version__):
        shutil.copy(GIVEN, target)
        return
    if COMPILER is None:
        pytest.skip("there is no C compiler")

    def build(path: Path) -> None:
        told = [f'-DLACONIC_VERSION="{version}"', *SOURCES, *extra, "-o", path]
        done = subprocess.run(
            [COMPILER, *FLAGS, *told], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr

    _have_once("-".join((version, *extra)).replace("/", "-"), build, target)


def _have_once(name: str, build: Callable[[Path], None], target: Path) -> None:
    """Copy what one of the processes of a test run has built: that takes seconds."""
    made = _made_once(name, build)
    if made is None:
        build(target)
    else:
        shutil.copy(made, target)


def _made_once(name: str, build: Callable[[Path], None]) -> Path | None:
    """Return what all processes of a test run share; None where this is not a test run."""
    if "TESTS_PLACE" not in os.environ:
        return None
    made = Path(os.environ["TESTS_PLACE"], name)
    with Path(f"{made}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            new = Path(f"{made}.new")
            build(new)
            new.rename(made)
    return made


def _copy_package(target: Path) -> None:
    """Copy the package with its bytecode; in a test run, all copies share the files of one."""
    made = _made_once("package", _build_package)
    if made is None:
        shutil.copytree(ROOT / "src/laconic", target)
    else:
        shutil.copytree(made, target, copy_function=_linked)


def _build_package(path: Path) -> None:
    shutil.copytree(ROOT / "src/laconic", path)
    compileall.compile_dir(path, quiet=1)  # else each process that loads a copy would do that


def _linked(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # on another file system
        shutil.copy2(source, target)


def write_program(
    directory: Path,
    name: str = "laconic-py",
    function: str = "main",
    package: Path | None = None,
) -> Path:
    """Write a script as an installer does, with a copy of the package as it is now.

    A server ends when its files are edited; nobody edits the copy, whose files those of other
    tests are as well. A sitecustomize.py beside the script is run first: a test can break something
    there.
    """
    package = package or directory / "lib" / "laconic"
    if not package.exists():
        _copy_package(package)
    program = directory / name
    made = hatch_build.script_for(function)
    place = (
        f"\nimport sys, os\nsys.path.insert(0, {str(package.parent)!r})\n"
        f"if os.path.exists(path := {str(directory / 'sitecustomize.py')!r}):\n"
        "    exec(open(path).read())\n"
    )
    hatch_build.write(program, made.replace("\nimport sys\n", place, 1))
    record = hatch_build.INTERPRETER.replace("#!python", f"#!{sys.executable}", 1)
    hatch_build.write(directory / "laconic-interpreter", record)
    return program


def hook_input(command: str = "git status") -> bytes:
    call = {
        "session_id": "s",
        "transcript_path": "/nonexistent",
        "cwd": "/",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command},
    }
    return json.dumps(call).encode()


def verdict(output: bytes) -> str:
    return json.loads(output)["hookSpecificOutput"]["permissionDecision"]


def install(bin_dir: Path, home: Path) -> Installation:
    """Write the programs as an installer does, for a user with this home."""
    build_client(bin_dir / "laconic")  # it is tried with no other file beside it
    write_program(bin_dir)
    environ = {
        "HOME": str(home),
        "PATH": f"{bin_dir}:{os.environ['PATH']}",
        "XDG_STATE_HOME": str(home / "state"),
    }
    return Installation(bin_dir, environ)


def runtime_directory() -> Path:
    """Make a directory for a socket: of a short name, and no temporary one, which is not used."""
    home = pwd.getpwuid(os.getuid()).pw_dir
    own = home if os.access(home, os.W_OK) else "/var/tmp"
    above = "/var/lib" if os.geteuid() == 0 else own
    return Path(tempfile.mkdtemp(prefix="lac", dir=above))


def status_of(bin_dir: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """Ask the server of an installation from here: a call of `server status` starts a Python."""
    program = str(bin_dir.resolve() / "laconic-py")
    with mock.patch.object(control, "find_program", return_value=program):
        return control.ask(wire.Kind.STATUS, environ) or {}


class Installation:
    """A directory with the executables; every test has directories of its own for the rest."""

    def __init__(self, bin_dir: Path, environ: dict[str, str]) -> None:
        has_client = COMPILER or (bin_dir / "laconic").exists()
        self.bin_dir, self.client = bin_dir, bin_dir / ("laconic" if has_client else "laconic-py")
        self.runtime = runtime_directory()
        self.environ = environ | {"XDG_RUNTIME_DIR": str(self.runtime)}
        self.environ["ASAN_OPTIONS"] = "detect_leaks=0"  # an exiting process frees nothing

    def run(self, *words: str, **options) -> subprocess.CompletedProcess[bytes]:
        options.setdefault("env", self.environ)
        options.setdefault("timeout", PATIENCE_S)
        if "stdout" not in options:
            options["capture_output"] = True
        if "input" not in options:
            options.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.run([self.client, *words], check=False, **options)

    def hook(self, command: str = "git status", **options) -> subprocess.CompletedProcess[bytes]:
        return self.run("hook", "claude-code", input=hook_input(command), **options)

    def popen(self, *words: str, **options) -> subprocess.Popen[bytes]:
        options.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.Popen(
            [self.client, *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environ,
            **options,
        )

    # -- the server

    def status(self) -> dict[str, str]:
        """Return what the server says of itself; empty without one."""
        return status_of(self.bin_dir, self.environ)

    def warm_up(self) -> int:
        """Have a server; return its process id."""
        self.hook()
        spools = Path(self.environ["XDG_STATE_HOME"], "laconic", "spool")
        spools.mkdir(0o700, parents=True, exist_ok=True)
        return int(wait_for(lambda: self.status().get("process"), told=self.log))

    def log(self) -> str:
        return self.run("server", "log").stdout.decode()

    @property
    def socket(self) -> Path:
        return next((self.runtime / "laconic").glob("*.sock"))

    def calls(self) -> int:
        return int(self.status().get("calls", 0))

    def workers(self, server: int) -> list[int]:
        return children_of(server)

    def close(self) -> None:
        server = self.status().get("process")
        if server:
            for pid in [int(server), *self.workers(int(server))]:
                kill(pid)
        shutil.rmtree(self.runtime, ignore_errors=True)


def children_of(parent: int) -> list[int]:
    """Return the processes that say that this one is their parent.

    /proc/PID/task/TID/children may leave out one that runs:
    https://man7.org/linux/man-pages/man5/proc_tid_children.5.html
    """
    found = []
    for directory in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended
            if _status_of(directory)[1] == str(parent):
                found.append(int(directory.name))
    return found


def state_of(process: int) -> str:
    """Return the letter of a process's state: T if it is stopped."""
    return _status_of(Path("/proc", str(process)))[0]


def _status_of(directory: Path) -> list[str]:
    """Return the fields after the name: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html"""
    _, _, fields = (directory / "stat").read_text().rpartition(")")
    return fields.split()


def until(path: Path | str) -> str:
    """Return shell code that goes on once there is such a file."""
    return f"while [ ! -e {path} ]; do sleep 0.05; done"


def kill(pid: int, number: int = signal.SIGKILL) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def wait_for(condition, seconds: float = PATIENCE_S, told=str):
    """Return what the condition gives, once that is something."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = condition()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError(f"it did not happen in time\n{told()}")

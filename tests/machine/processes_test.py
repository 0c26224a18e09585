"""What the system tells of processes: as Linux tells it, and by simulated calls of macOS."""

from __future__ import annotations

import contextlib
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from laconic.machine import libproc, processes
from laconic.run import descendants
from machine import needs
from macos import Library

pytestmark = pytest.mark.skipif(
    not Path("/proc/self").is_dir(), reason="the simulation takes its facts from /proc"
)


@pytest.fixture(params=["linux", "darwin"])
def system(request, monkeypatch):
    monkeypatch.setattr(processes.sys, "platform", request.param)
    monkeypatch.setattr(libproc, "_library", Library)
    return request.param


@contextlib.contextmanager
def child(**options):
    code = "import sys; sys.stderr.write('.'); sys.stderr.flush(); input()"
    command = [sys.executable, "-c", code, "a word", ""]
    options = {"stdin": subprocess.PIPE, "env": {"LACONIC_A": "1 2", "B": ""}} | options
    with subprocess.Popen(command, stderr=subprocess.PIPE, **options) as started:
        assert started.stderr.read(1) == b"."
        try:
            yield started.pid
        finally:
            started.kill()


@pytest.mark.usefixtures("system")
def test_a_process_is_described(tmp_path):
    with (tmp_path / "out").open("wb") as out, child(stdout=out) as number:
        assert processes.parent_of(number) == os.getpid()
        assert processes.name_of(number).startswith(b"python")
        assert processes.words_of(number)[-2:] == [b"a word", b""]
        assert sorted(processes.environment_of(number)) == [b"B=", b"LACONIC_A=1 2"]
        assert processes.parents()[number] == os.getpid()
        assert processes.file_of(number, 1) == processes.file_of(os.getpid(), out.fileno())
        assert processes.file_of(number, 1) != processes.file_of(number, 0)
        assert processes.file_of(number, 2) != processes.file_of(number, 0)
    assert processes.resident_bytes() > 1 << 20


def test_a_terminal_is_one(system):
    ours, theirs = pty.openpty()
    options = {"stdin": theirs, "stdout": theirs, "start_new_session": True}
    if system == "darwin":  # which knows controlling terminals only
        import fcntl
        import termios

        options["preexec_fn"] = lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    with child(**options) as number:
        assert processes.is_at_terminal(number)
    with child(stdout=subprocess.DEVNULL, start_new_session=True) as number:
        assert not processes.is_at_terminal(number)
    os.close(ours)
    os.close(theirs)


@pytest.mark.usefixtures("system")
@pytest.mark.parametrize(
    "question", [processes.parent_of, processes.name_of, processes.words_of,
                 processes.environment_of, processes.is_at_terminal]
)  # fmt: skip
def test_what_is_not_told_is_an_error(question):
    with pytest.raises(OSError, match=r"."):
        question(99_999_999)


@pytest.mark.usefixtures("system")
def test_a_closed_descriptor_is_an_error():
    with pytest.raises(OSError, match=r"."):
        processes.file_of(os.getpid(), 9_999)


FAMILY = """
import os, sys
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.write(1, b"%d\\n" % os.getpid())
        input()
    os._exit(0)
os.wait()
input()
"""


@pytest.mark.usefixtures("system")
def test_who_has_left_the_session_and_lost_its_parent_is_ended_with_the_others():
    mark = descendants.new_mark()
    environ = {descendants.MARK: mark}
    command = [sys.executable, "-c", FAMILY]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, env=environ, process_group=0, **pipes) as started:
        apart = int(started.stdout.readline())
        descendants.kill_all(started.pid, mark)
        assert started.stdout.read() == b""  # nobody has it open any more
        assert apart not in processes.parents()


OTHER_NAMESPACE = ["unshare", "-Urpf"]
TELLS = """
import os
from laconic.machine import processes
own = processes.own_number()
print(own != os.getpid(), processes.parent_of(own) != os.getppid(), processes.resident_bytes() > 0)
try:
    print(processes.parents())
except PermissionError:
    print("refused")
"""


@needs("unshare")
def test_numbers_of_another_namespace_are_not_taken_for_our_own():
    """What Claude Code's sandbox has as /proc; with such numbers others would be killed."""
    tried = subprocess.run([*OTHER_NAMESPACE, "true"], capture_output=True, check=False)
    if tried.returncode:
        pytest.skip(f"there are no namespaces of users here: {tried.stderr.decode()}")
    said = subprocess.check_output([*OTHER_NAMESPACE, sys.executable, "-c", TELLS], text=True)
    assert said.split() == ["True", "True", "True", "refused"]

"""What the system tells of processes: as Linux tells it, and by simulated calls of macOS."""

from __future__ import annotations

import contextlib
import ctypes
import os
import pty
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from laconic.machine import libproc, processes
from machine import needs

pytestmark = pytest.mark.skipif(
    not Path("/proc/self").is_dir(), reason="the simulation takes its facts from /proc"
)


class Library:
    """Answers the calls of libproc with the structures of macOS, filled from /proc."""

    def proc_listpids(self, _kind, _about, room, _size):
        numbers = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal()]
        data = struct.pack(f"={len(numbers)}i", *numbers)
        if room is not None:
            ctypes.memmove(room, data, len(data))
        return len(data)

    def proc_pidinfo(self, number, flavor, _about, room, size):
        try:
            stat = Path(f"/proc/{number}/stat").read_bytes().rpartition(b")")[2].split()
            comm = Path(f"/proc/{number}/comm").read_bytes()[:-1]
            pages = int(Path(f"/proc/{number}/statm").read_bytes().split()[1])
        except OSError:
            ctypes.set_errno(3)
            return 0
        if flavor == libproc.OF_TASK.flavor:
            return filled(room, size, libproc.OF_TASK, pages * 4096)
        state = 5 if stat[0] == b"Z" else 2
        terminal = int(stat[4]) or 0xFFFFFFFF
        return filled(room, size, libproc.OF_PROCESS, state, int(stat[1]), comm, terminal)

    def proc_pidfdinfo(self, number, descriptor, flavor, room, size):
        try:
            found = Path(f"/proc/{number}/fd/{descriptor}").stat()
            is_pipe = str(Path(f"/proc/{number}/fd/{descriptor}").readlink()).startswith("pipe:")
        except OSError:
            return 0
        if is_pipe and flavor == libproc.OF_PIPE.flavor:
            return filled(room, size, libproc.OF_PIPE, found.st_ino)
        if not is_pipe and flavor == libproc.OF_FILE.flavor:
            return filled(room, size, libproc.OF_FILE, found.st_dev & 0xFFFFFFFF, found.st_ino)
        return 0

    def sysctl(self, name, _count, room, size, _new, _length):
        try:
            words = Path(f"/proc/{name[2]}/cmdline").read_bytes()
            variables = Path(f"/proc/{name[2]}/environ").read_bytes()
        except OSError:
            ctypes.set_errno(22)
            return -1
        head = struct.pack("=i", words.count(b"\0")) + b"/bin/program\0\0\0\0"
        data = head + words + variables + b"\0more of the kernel's"
        ctypes.memmove(room, data, len(data))
        size._obj.value = len(data)
        return 0


def filled(room, size, layout, *values):
    assert size == layout.size
    for (_, offset, kind), value in zip(layout.fields, values, strict=True):
        struct.pack_into(kind, room, offset, value)
    return size


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

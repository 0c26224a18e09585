"""Tells what a process is, by numbers: its parent, name, words, environment and open files.

Where the system does not tell, because /proc is hidden or the process is another's, each raises an
OSError if it says nothing else.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Hashable


def own_number() -> int:
    """Return the number of this process, by which the others here tell about it.

    In a sandbox /proc may be that of another namespace, where it has a number that getpid() does
    not know: https://man7.org/linux/man-pages/man7/pid_namespaces.7.html
    """
    with contextlib.suppress(OSError, ValueError):
        if sys.platform != "darwin":
            return int(os.readlink("/proc/self"))  # noqa: PTH115 - pathlib costs 6 ms
    return os.getpid()


def parent_of(number: int) -> int:
    if sys.platform == "darwin":
        from laconic.machine import libproc  # noqa: PLC0415 - ctypes takes 10 ms

        return libproc.facts(number).parent
    return int(_stat(number)[1])


def name_of(number: int) -> bytes:
    """Return the first 15 bytes of its name."""
    if sys.platform == "darwin":
        from laconic.machine import libproc  # noqa: PLC0415 - as above

        return libproc.facts(number).name
    return _read(number, "comm").rstrip(b"\n")


def words_of(number: int) -> list[bytes]:
    """Return the words that it was started with."""
    if sys.platform == "darwin":
        from laconic.machine import libproc  # noqa: PLC0415 - as above

        return libproc.arguments(number)[0]
    return _read(number, "cmdline").split(b"\0")[:-1]


def environment_of(number: int) -> list[bytes]:
    """Return the variables that it was started with, each as NAME=value."""
    if sys.platform == "darwin":
        from laconic.machine import libproc  # noqa: PLC0415 - as above

        return libproc.arguments(number)[1]
    return _read(number, "environ").split(b"\0")[:-1]


def file_of(number: int, descriptor: int) -> Hashable:
    """Return what a descriptor of it leads to, as a value to compare with another of these."""
    if sys.platform == "darwin":
        from laconic.machine import libproc  # noqa: PLC0415 - as above

        return libproc.file_of(number, descriptor)
    found = os.stat(f"/proc/{number}/fd/{descriptor}")  # noqa: PTH116 - pathlib costs 6 ms
    return found.st_dev, found.st_ino


def reader_name(descriptor: int) -> bytes:
    """Return the name of the program that a shell has put behind a pipe of ours; b"" without one.

    Such a program has the pipe as its stdin, and is a child of our parent or of the parent of that.
    """
    try:
        own, behind = own_number(), file_of(own_number(), descriptor)
        shells = (parent_of(own), parent_of(parent_of(own)))
        others = [number for number, parent in parents().items() if parent in shells]
    except OSError:
        return b""
    for number in others:
        with contextlib.suppress(OSError):
            if number != own and file_of(number, 0) == behind:
                return name_of(number)
    return b""


def is_at_terminal(number: int) -> bool:
    """Tell whether a person at a terminal sees and answers it; macOS tells only if it has one."""
    if sys.platform == "darwin":
        from laconic.machine import libproc  # noqa: PLC0415 - as above

        return libproc.facts(number).has_terminal
    os.stat(f"/proc/{number}/fd")  # noqa: PTH116 - pathlib costs 6 ms; raises if it has ended
    return all(_is_terminal(f"/proc/{number}/fd/{descriptor}") for descriptor in (0, 1))


def _is_terminal(path: str) -> bool:
    try:
        found = os.stat(path)  # noqa: PTH116 - pathlib costs 6 ms
    except FileNotFoundError:
        return False  # it is closed
    return stat.S_ISCHR(found.st_mode) and found.st_rdev != os.stat(os.devnull).st_rdev  # noqa: PTH116


def parents() -> dict[int, int]:
    """Return the parent of each living process that may be looked at, by numbers for kill()."""
    if sys.platform == "darwin":
        from laconic.machine import libproc  # noqa: PLC0415 - as above

        return libproc.parents()
    if own_number() != os.getpid():
        raise PermissionError("/proc is not of this process's namespace")
    found = {}
    for name in os.listdir("/proc"):  # noqa: PTH208 - pathlib costs 6 ms
        if not name.isdecimal():
            continue
        with contextlib.suppress(OSError):
            state, parent = _stat(int(name))[:2]
            if state not in (b"Z", b"X"):
                found[int(name)] = int(parent)
    return found


def resident_bytes() -> int:
    """Return how much memory this process holds; 0 if the system does not tell."""
    with contextlib.suppress(OSError):
        if sys.platform == "darwin":
            from laconic.machine import libproc  # noqa: PLC0415 - as above

            return libproc.resident_bytes(os.getpid())
        return int(_read(own_number(), "statm").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def _stat(number: int) -> list[bytes]:
    """Return the fields of /proc/PID/stat from the state on (man 5 proc_pid_stat)."""
    return _read(number, "stat").rpartition(b")")[2].split()


def _read(number: int, name: str) -> bytes:
    with open(f"/proc/{number}/{name}", "rb") as file:  # noqa: PTH123 - pathlib costs 6 ms
        return file.read()

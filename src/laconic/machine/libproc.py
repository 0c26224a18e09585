"""Asks macOS about processes: libproc, and the kernel for words and variables.

Not yet run on a Mac. The structures are those of sys/proc_info.h, with which a test compares them:
https://github.com/apple-oss-distributions/xnu/blob/main/bsd/sys/proc_info.h
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import struct
from collections.abc import Hashable
from typing import NamedTuple

_ALL_PROCESSES = 1  # PROC_ALL_PIDS
_ENDED = 5  # SZOMB of sys/proc.h
_NO_DEVICE = 0xFFFFFFFF  # NODEV of sys/param.h
_WORDS_AND_VARIABLES = (1, 49)  # CTL_KERN, KERN_PROCARGS2


class Layout(NamedTuple):
    """A structure of proc_info.h: how it is asked for, its size, and where our fields are in it."""

    flavor: int
    size: int
    fields: tuple[tuple[str, int, str], ...]  # name in the header, offset, format of struct

    def read(self, data: bytes) -> list[int | bytes]:
        return [struct.unpack_from(kind, data, offset)[0] for _, offset, kind in self.fields]


OF_PROCESS = Layout(
    3,
    136,
    (
        ("pbi_status", 4, "=I"),
        ("pbi_ppid", 16, "=I"),
        ("pbi_comm", 48, "16s"),
        ("e_tdev", 108, "=I"),
    ),
)
OF_TASK = Layout(4, 96, (("pti_resident_size", 8, "=Q"),))
OF_FILE = Layout(1, 176, (("pvi.vi_stat.vst_dev", 24, "=I"), ("pvi.vi_stat.vst_ino", 32, "=Q")))
OF_PIPE = Layout(6, 184, (("pipeinfo.pipe_handle", 160, "=Q"),))


class Facts(NamedTuple):
    """What is told of a process."""

    is_alive: bool
    parent: int
    name: bytes
    has_terminal: bool


def facts(number: int) -> Facts:
    status, parent, name, device = OF_PROCESS.read(_process_info(number, OF_PROCESS))
    assert isinstance(parent, int)
    assert isinstance(name, bytes)
    is_alive, has_terminal = status != _ENDED, device != _NO_DEVICE
    return Facts(is_alive, parent, name.partition(b"\0")[0], has_terminal)


def parents() -> dict[int, int]:
    found = {}
    for number in _numbers():
        with contextlib.suppress(OSError):
            told = facts(number)
            if told.is_alive:
                found[number] = told.parent
    return found


def resident_bytes(number: int) -> int:
    (size,) = OF_TASK.read(_process_info(number, OF_TASK))
    assert isinstance(size, int)
    return size


def file_of(number: int, descriptor: int) -> Hashable:
    """Return the device and number of a file, or the handle of a pipe."""
    for layout in (OF_FILE, OF_PIPE):
        with contextlib.suppress(OSError):
            return tuple(layout.read(_file_info(number, descriptor, layout)))
    raise OSError(errno.EBADF, os.strerror(errno.EBADF))


def arguments(number: int) -> tuple[list[bytes], list[bytes]]:
    """Return the words and the variables that a process was started with."""
    return split_arguments(_arguments(number))


def split_arguments(data: bytes) -> tuple[list[bytes], list[bytes]]:
    """Take apart a number of words, the path of the program, NULs, the words, and variables."""
    (count,) = struct.unpack_from("=i", data)
    _, _, rest = data[4:].partition(b"\0")
    parts = rest.lstrip(b"\0").split(b"\0")
    variables = parts[count:]
    end = variables.index(b"") if b"" in variables else len(variables)
    return parts[:count], variables[:end]


# -- calls -----------------------------------------------------------------------------------------


def _library() -> ctypes.CDLL:
    return ctypes.CDLL("/usr/lib/libSystem.B.dylib", use_errno=True)


def _numbers() -> list[int]:
    call = _library().proc_listpids
    room = call(_ALL_PROCESSES, 0, None, 0) + 4096  # more may start meanwhile
    data = ctypes.create_string_buffer(room)
    got = call(_ALL_PROCESSES, 0, data, room)
    return [number for (number,) in struct.iter_unpack("=i", data.raw[: max(got, 0) // 4 * 4])]


def _process_info(number: int, layout: Layout) -> bytes:
    data = ctypes.create_string_buffer(layout.size)
    call = _library().proc_pidinfo
    got = call(number, layout.flavor, ctypes.c_uint64(0), data, layout.size)
    return _whole(data.raw, got, layout)


def is_sandboxed(number: int) -> bool:
    """Tell whether a process is in a sandbox; which rules that has cannot be asked.

    No header has it: https://chromium.googlesource.com/chromium/src/+/main/sandbox/mac/seatbelt.cc
    """
    return bool(_library().sandbox_check(number, None, 0))


def _file_info(number: int, descriptor: int, layout: Layout) -> bytes:
    data = ctypes.create_string_buffer(layout.size)
    got = _library().proc_pidfdinfo(number, descriptor, layout.flavor, data, layout.size)
    return _whole(data.raw, got, layout)


def _whole(data: bytes, got: int, layout: Layout) -> bytes:
    if got != layout.size:
        number = ctypes.get_errno() or errno.ESRCH
        raise OSError(number, os.strerror(number))
    return data


def _arguments(number: int) -> bytes:
    data = ctypes.create_string_buffer(os.sysconf("SC_ARG_MAX"))
    size = ctypes.c_size_t(len(data))
    name = (ctypes.c_int * 3)(*_WORDS_AND_VARIABLES, number)
    if _library().sysctl(name, 3, data, ctypes.byref(size), None, ctypes.c_size_t(0)) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return data.raw[: size.value]

"""Remembers whether a box can be made here, so that a hook need not try.

A trial takes a tenth of a second. What it found holds as long as bubblewrap, our own program and
the kernel are the same; nothing known means that there is no box.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from os.path import dirname, join, realpath

from laconic.box.bubblewrap import find_bubblewrap, find_helper
from laconic.errors import FileError, LaconicError
from laconic.files import make_private, read_file, write_private
from laconic.settings.environ import state_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_GOOD, _BAD = "good", "bad"
_DAY_S = 86400  # after which it is tried again
_MINUTE_S = 60  # a trial that was begun is left alone for that long
_asked: list[bool] = []
_ROOT = dirname(dirname(dirname(realpath(__file__))))
_TRY = (
    "import os, sys; sys.path.append(sys.argv.pop(1)); "
    "from laconic.box.trial import try_box; try_box(os.environ)"
)


def is_usable(environ: Mapping[str, str]) -> bool | None:
    """Tell whether a trial has made a good box here; None if that is not known."""
    _asked[:] = [True]
    outcome, age_s = _read(environ)
    return None if not outcome or (outcome != _GOOD and age_s > _DAY_S) else outcome == _GOOD


def was_asked_for() -> bool:
    """Tell whether this process was asked for a box since the last time that this was asked."""
    asked = bool(_asked)
    _asked.clear()
    return asked


def wants_trial(environ: Mapping[str, str]) -> bool:
    """Tell whether it should be tried: nothing is known, or only something old."""
    outcome, age_s = _read(environ)
    return not outcome or age_s > _DAY_S


def _read(environ: Mapping[str, str]) -> tuple[str, float]:
    """Return what the last trial found, if it was about these programs, and how long ago it was."""
    path = _path(environ)
    try:
        outcome, _, stamp = read_file(path).decode("utf-8", "surrogateescape").partition("\n")
        age_s = time.time() - os.lstat(path).st_mtime
    except (OSError, FileError):
        return "", 0.0
    return (outcome, abs(age_s)) if stamp == _stamp(environ) else ("", 0.0)


def remember(environ: Mapping[str, str], *, is_good: bool) -> None:
    """Write down what a trial found."""
    path = _path(environ)
    with contextlib.suppress(OSError):
        make_private(dirname(path))
        text = f"{_GOOD if is_good else _BAD}\n{_stamp(environ)}"
        write_private(path, text.encode("utf-8", "surrogateescape"))


def _path(environ: Mapping[str, str]) -> str:
    return join(state_directory(environ), "box", "usable")


def _stamp(environ: Mapping[str, str]) -> str:
    """Say which programs and which kernel a trial was about."""
    programs = [find_bubblewrap(environ)]
    with contextlib.suppress(LaconicError):
        programs.append(find_helper())
    about = [f"{os.uname().release} {os.uname().version} {os.geteuid()}"]
    for path in programs:
        with contextlib.suppress(OSError):
            status = os.stat(path)
            times = f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns}"
            about.append(f"{path} {status.st_dev} {status.st_ino} {times}")
    return "\n".join(about)


def try_in_background(environ: Mapping[str, str]) -> None:
    """Start a trial, which a later call profits from; one at a time."""
    mark = f"{_path(environ)}.trial"
    make_private(dirname(mark))
    with contextlib.suppress(FileNotFoundError):
        if 0 <= time.time() - os.lstat(mark).st_mtime < _MINUTE_S:
            return
    write_private(mark, b"")
    words = [sys.executable, "-I", "-S", "-c", _TRY, _ROOT]
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    try:
        os.setsid()
        if os.fork() == 0:
            os.chdir("/")
            handle = os.open("/dev/null", os.O_RDWR)
            for number in range(3):
                os.dup2(handle, number)
            os.closerange(3, 1 << 16)
            os.execve(words[0], words, dict(environ))  # noqa: S606 - our own
    finally:
        os._exit(0)

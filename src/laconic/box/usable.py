"""Remembers whether a box can be made here, so that only the first hook has to try.

A trial takes a tenth of a second. What it found holds as long as bubblewrap, our own program and
the kernel are the same; that there is no box holds for a day, and for a minute if the machine was
too slow or too full to try it.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Mapping
from os.path import dirname, join

from laconic.box.bubblewrap import find_bubblewrap, find_helper
from laconic.errors import FileError, LaconicError
from laconic.files import make_private, read_file, write_private
from laconic.settings.environ import state_directory

_GOOD, _BAD, _HINDERED = "good", "bad", "hindered"
_HOLDS_S = {_GOOD: float("inf"), _BAD: 86_400, _HINDERED: 60}


def is_usable(environ: Mapping[str, str]) -> bool | None:
    """Tell whether a trial has made a good box here; None if that is not known.

    Nobody has run the rules for macOS on a Mac yet: `laconic box` uses them, and hooks do not.
    """
    if sys.platform == "darwin":
        return False
    outcome, age_s = _read(environ)
    return None if age_s > _HOLDS_S.get(outcome, -1) else outcome == _GOOD


def _read(environ: Mapping[str, str]) -> tuple[str, float]:
    """Return what the last trial found, if it was about these programs, and how long ago it was."""
    path = _path(environ)
    try:
        outcome, _, stamp = read_file(path).decode("utf-8", "surrogateescape").partition("\n")
        age_s = time.time() - os.lstat(path).st_mtime
    except (OSError, FileError):
        return "", 0.0
    return (outcome, abs(age_s)) if stamp == _stamp(environ) else ("", 0.0)


def remember(environ: Mapping[str, str], *, is_good: bool, is_hindered: bool = False) -> None:
    """Write down what a trial found. is_hindered: it could not be made."""
    path = _path(environ)
    outcome = _GOOD if is_good else _HINDERED if is_hindered else _BAD
    with contextlib.suppress(OSError):
        make_private(dirname(path))
        text = f"{outcome}\n{_stamp(environ)}"
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

"""Tells whether we are in a box already, by what only a box has, and not by a variable."""

from __future__ import annotations

import os
import sys
from functools import cache
from os.path import dirname, isabs

from laconic.box.bubblewrap import INSIDE
from laconic.settings.environ import environment

_SIGNS = {"NoNewPrivs:": "1", "Seccomp:": "2"}


@cache
def is_inside() -> bool:
    """Tell whether this process was started in a box of ours.

    Anybody can set a variable. No command outside can make the root read-only, take all privileges
    from itself and put a file into /run, and still reach what a box does not reach. On macOS a
    variable names a place, which our rules alone leave open.
    """
    if sys.platform == "darwin":
        return _is_inside_on_macos()
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as file:
            fields = dict(line.split()[:2] for line in file if len(line.split()) > 1)
        is_read_only = bool(os.statvfs("/").f_flag & os.ST_RDONLY)
        return (
            os.access(INSIDE, os.F_OK)
            and is_read_only
            and all(fields.get(name) == value for name, value in _SIGNS.items())
            and int(fields.get("CapBnd:", "1"), 16) == 0
        )
    except (OSError, ValueError):
        return False


def _is_inside_on_macos() -> bool:
    """A sandbox in which our temporary directory can be written, and what it is in not be read."""
    from laconic.machine.libproc import is_sandboxed  # noqa: PLC0415 - ctypes takes 10 ms

    own = environment().get("TMPDIR", "")
    return (
        isabs(own)
        and os.access(own, os.W_OK)
        and not os.access(dirname(own), os.R_OK)
        and is_sandboxed(os.getpid())
    )

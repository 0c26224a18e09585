"""The hooks of a whole machine: in settings of agents that are root's, and count for every user.

What they name must be root's as well, or whoever may write it decides what is checked.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import laconic
from laconic.errors import LaconicError
from laconic.install.install import Site
from laconic.install.recipe import Recipe
from laconic.settings.managed import ROOT, unfit

# Where root remembers what the files were; a user's records are the user's.
RECORDS = Path("/var/db/laconic" if sys.platform == "darwin" else "/var/lib/laconic")
_ANYBODY_RUNS = 0o5
_HINT = "install laconic for all users, as root: python3 -m venv /opt/laconic"


def managed_site(site: Site, records: Path = RECORDS) -> Site:
    """Return the machine as root sees it; LaconicError if that cannot be.

    Optional hooks are of the user's, so none is asked for here.
    """
    if os.geteuid() != ROOT:
        raise LaconicError("only root can change the settings of a whole machine", "use sudo")
    for path in (Path(site.executable), Path(sys.executable), Path(laconic.__file__)):
        for fault in _faults(path):
            raise LaconicError(fault, _HINT)
    return site._replace(state_dir=records, asked_for=frozenset())


def has_managed(recipe: Recipe) -> bool:
    return any(file.managed for file in recipe.files)


def _faults(path: Path) -> Iterator[str]:
    """Say what keeps a program from being root's and everybody's, on the way to it."""
    real = Path(os.path.realpath(path))
    for each in (real, *real.parents):
        status = each.stat()
        is_shared = bool(status.st_mode & stat.S_ISVTX)  # there only its owner can replace it
        fault = unfit(str(each), status)
        if fault and not (is_shared and status.st_uid == ROOT):
            yield f"every user is to run {path}, but {fault[0]}"
        is_open = status.st_mode & _ANYBODY_RUNS & (_ANYBODY_RUNS if each == real else 1)
        if not is_open:
            yield f"every user is to run {path}, but others than root cannot reach {each}"

"""Tries for real whether this machine can make a box, and whether the box holds."""

from __future__ import annotations

import os
import subprocess
import tempfile
from os.path import isdir, join, lexists

from laconic.box.bubblewrap import find_engine
from laconic.box.launch import open_box
from laconic.box.usable import remember
from laconic.errors import LaconicError
from laconic.settings.load import isolated_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_LIMIT_S = 20
_STATUS = 7
# Says one word for each thing that a box must not allow, then `done`.
_ATTEMPTS = r"""
touch "$1" 2> /dev/null && echo writes
grep -q secret "$2" 2> /dev/null && echo reads
printenv TRIAL_TOKEN > /dev/null && echo variables
grep -vE '^(Inter| face| *lo:)' /proc/net/dev > /dev/null && echo network
mkdir .vscode
touch made && echo done
exit 7
"""
_USER_NAMESPACES = (
    "allow user namespaces: sysctl kernel.apparmor_restrict_unprivileged_userns on Ubuntu, "
    "kernel.unprivileged_userns_clone on Debian, --security-opt seccomp=unconfined in a container"
)


class Trial:
    """What was found: whether there is a box, what is to be said of it, and what would help."""

    __slots__ = ("hint", "is_good", "message")

    def __init__(self, message: str, hint: str = "", *, is_good: bool = False) -> None:
        self.message, self.hint, self.is_good = message, hint, is_good


def try_box(environ: Mapping[str, str]) -> Trial:
    """Make a box and try to get out of it; what is found is remembered for the hooks."""
    trial = _try_box(environ)
    remember(environ, is_good=trial.is_good)
    return trial


def _try_box(environ: Mapping[str, str]) -> Trial:
    try:
        engine = find_engine(environ)
        with tempfile.TemporaryDirectory(prefix="laconic-trial-") as place:
            fault = _attempt(os.path.realpath(place), environ)
    except LaconicError as error:
        return Trial(f"there is no box: {error.message}", error.hint)
    except (OSError, subprocess.TimeoutExpired) as error:
        return Trial(f"there is no box: {error}", _USER_NAMESPACES)
    if fault:
        return Trial(f"there is no box: {fault}", _USER_NAMESPACES)
    message = (
        f"{engine.bwrap} {engine.version} makes boxes: tried for real, nothing was written, read "
        "or reached outside"
    )
    if os.geteuid() == 0 and not _has_process_limit():
        message += "; as root here, the number of processes in it has no limit"
    return Trial(message, is_good=True)


def _attempt(place: str, environ: Mapping[str, str]) -> str:
    """Try a box in a scratch directory; return what is wrong with it, or nothing."""
    project, outside, home = join(place, "project"), join(place, "outside"), join(place, "home")
    secret = join(home, ".ssh", "id_rsa")
    for directory in (project, outside, join(home, ".ssh")):
        os.makedirs(directory)
    with open(secret, "w", encoding="utf-8") as file:
        file.write("secret\n")
    own = {**environ, "HOME": home, "LACONIC_STATE_DIR": join(place, "state")}
    own["TRIAL_TOKEN"] = "secret"  # noqa: S105 - it is none
    words = open_box(project, project, isolated_settings(own), own).words
    if not words:
        return "this is one already"
    written = join(outside, "written")
    done = subprocess.run(  # noqa: S603 - our own
        [*words, "/bin/sh", "-c", _ATTEMPTS, "sh", written, secret],
        cwd=project,
        env=own,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_LIMIT_S,
        check=False,
    )
    said = done.stdout.split()
    if done.returncode != _STATUS or said[-1:] != ["done"]:
        return done.stderr.strip().partition("\n")[0] or f"it ended with {done.returncode}"
    if said[:-1] or lexists(written):
        return f"it does not hold: {', '.join(said[:-1])}"
    if lexists(join(project, ".vscode")):
        return "it does not hold: guarded names stay"
    return "" if lexists(join(project, "made")) else "nothing can be written in its project"


def _has_process_limit() -> bool:
    """Tell whether a control group can limit processes, as box/outside.c wants it."""
    return isdir("/sys/fs/cgroup/pids") or os.access(
        "/sys/fs/cgroup/cgroup.subtree_control", os.W_OK
    )

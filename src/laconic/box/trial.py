"""Tries for real whether this machine can make a box, and whether the box holds."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from os.path import isdir, join, lexists
from typing import NamedTuple

from laconic.box.bubblewrap import find_bubblewrap, find_engine, version_of
from laconic.box.home import described
from laconic.box.launch import open_box
from laconic.box.plan import Plan, directory_of
from laconic.box.usable import remember
from laconic.errors import LaconicError
from laconic.files import home as home_of
from laconic.settings.environ import state_directory
from laconic.settings.load import isolated_settings

_LIMIT_S = 5  # a hook has a little more
_STATUS = 7
_BWRAP = "bwrap"
_MOST_PIDS = 2300  # what box/own.c sets, where the kernel has a limit for each namespace
# Says what made the box and how many processes it can have, one word for each thing that a box must
# not allow, then `done`.
_ATTEMPTS = r"""
touch "$1" 2> /dev/null && echo writes
grep -q secret "$2" 2> /dev/null && echo reads
printenv TRIAL_TOKEN > /dev/null && echo variables
mkdir .vscode
touch made && echo done
exit 7
"""
_OF_LINUX = r"""
cat /proc/1/comm /proc/sys/kernel/pid_max
grep -vE '^(Inter| face| *lo:)' /proc/net/dev > /dev/null && echo network
"""
# nc(1): it only looks whether somebody listens there.
_OF_MACOS = r"""
echo sandbox-exec unknown
nc -z -w 1 127.0.0.1 "$3" > /dev/null 2>&1 && echo network
"""
_NOT_RUN_YET = "; only `laconic box` uses them: nobody has run these rules on a Mac before you"
_USER_NAMESPACES = (
    "allow user namespaces: sysctl kernel.apparmor_restrict_unprivileged_userns on Ubuntu, "
    "kernel.unprivileged_userns_clone on Debian, --security-opt seccomp=unconfined in a container"
)


class Trial:
    """What was found: whether there is a box, what is to be said of it, and what would help.

    is_hindered: the machine was too slow or too full to try it.
    """

    def __init__(
        self, message: str, hint: str = "", *, is_good: bool = False, is_hindered: bool = False
    ) -> None:
        self.message, self.hint = message, hint
        self.is_good, self.is_hindered = is_good, is_hindered


def try_box(environ: Mapping[str, str]) -> Trial:
    """Make a box and try to get out of it; what is found is remembered for the hooks."""
    trial = _try_box(environ)
    remember(environ, is_good=trial.is_good, is_hindered=trial.is_hindered)
    return trial


def _try_box(environ: Mapping[str, str]) -> Trial:
    try:
        engine = find_engine(environ)
        with tempfile.TemporaryDirectory(prefix="laconic-trial-") as place:
            made = _attempt(os.path.realpath(place), environ)
    except LaconicError as error:
        return Trial(f"there is no box: {error.message}", error.hint or _hint(environ))
    except (OSError, subprocess.TimeoutExpired) as error:
        return Trial(f"there is no box: {error}", _hint(environ), is_hindered=True)
    by = engine.helper if made.by != _BWRAP else f"{engine.bwrap} {version_of(engine.bwrap)}"
    message = f"{by} makes boxes: tried for real, nothing was written, read or reached outside"
    if sys.platform == "darwin":
        return Trial(message + _NOT_RUN_YET, is_good=True)
    if os.geteuid() == 0 and not made.has_limit and not _has_process_limit():
        message += "; as root here, the number of processes in it has no limit"
    if lacking := _of_home(environ, engine.helper):
        message += f"; {lacking}"
    return Trial(message, is_good=True)


def _of_home(environ: Mapping[str, str], helper: str) -> str:
    """Say what is wrong with the user's own home, which is another one than that of the trial."""
    home = os.path.realpath(home_of(environ))
    return described(Plan("/", directory_of(state_directory(environ), "/"), home), helper)


def _hint(environ: Mapping[str, str]) -> str:
    """Say what would help: bubblewrap, if it is missing or too old, else a kernel setting."""
    if sys.platform == "darwin":
        return ""
    try:
        version_of(find_bubblewrap(environ))
    except LaconicError as error:
        return f"{error.message}: {error.hint}; or {_USER_NAMESPACES}"
    return _USER_NAMESPACES


class _Made(NamedTuple):
    """A box that held: the name of its first process, and whether it limits processes itself."""

    by: str
    has_limit: bool


def _attempt(place: str, environ: Mapping[str, str]) -> _Made:
    """Try a box in a scratch directory; LaconicError says what is wrong with it."""
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
        raise LaconicError("this is a box already")
    written = join(outside, "written")
    attempts = (_OF_MACOS if sys.platform == "darwin" else _OF_LINUX) + _ATTEMPTS
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = str(listener.getsockname()[1])
        done = subprocess.run(  # noqa: S603 - our own
            [*words, "/bin/sh", "-c", attempts, "sh", written, secret, port],
            cwd=project,
            env=own,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
            check=False,
        )
    by, most, *said = [*done.stdout.split(), "", ""]
    said = said[:-2]
    if done.returncode != _STATUS or said[-1:] != ["done"]:
        said_first = done.stderr.strip().partition("\n")[0]
        raise LaconicError(said_first or f"it ended with {done.returncode}")
    if said[:-1] or lexists(written):
        raise LaconicError(f"it does not hold: {', '.join(said[:-1])}")
    if lexists(join(project, ".vscode")):
        raise LaconicError("it does not hold: guarded names stay")
    if not lexists(join(project, "made")):
        raise LaconicError("nothing can be written in its project")
    return _Made(by, most.isdigit() and int(most) <= _MOST_PIDS)


def _has_process_limit() -> bool:
    """Tell whether a control group can limit processes, as box/outside.c wants it."""
    return isdir("/sys/fs/cgroup/pids") or os.access(
        "/sys/fs/cgroup/cgroup.subtree_control", os.W_OK
    )

"""Carries out a plan: finds what makes boxes here, and writes its arguments in bubblewrap's form.

laconic-box understands those that a plan needs, and makes the box itself (box/own.c). Where only
bubblewrap may have namespaces, as on Ubuntu, it starts the system's.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Mapping, Sequence
from os.path import basename, dirname, isabs, isdir, isfile, join, lexists, realpath

from laconic.box.home import FOLDER, LINKED, TOP
from laconic.box.layers import Layer
from laconic.box.mounts import mounted_in
from laconic.box.places import is_below
from laconic.box.plan import Plan
from laconic.errors import LaconicError

INSIDE = "/run/laconic-box"  # box/box.h names it, too
NAMES = "resolv.conf"  # in the directory of a box
_HELPER = "laconic-box"
_PROGRAMS = ("laconic", "laconic-py")
_OLDEST = (0, 8, 0)  # the first with --disable-userns
_SYSTEM = ("/usr/bin", "/usr/local/bin", "/bin")
_INSTALL = (
    "install bubblewrap: apt install bubblewrap, dnf install bubblewrap, pacman -S bubblewrap"
)
_TINY, _SMALL, _LARGE = str(64 << 10), str(64 << 20), str(1 << 30)
# Files of the kernel that belong to root, and that root without any capability could still write.
# What nobody needs is covered by an empty directory, which takes bubblewrap less time than a bind.
_OF_KERNEL = ("/proc/sys", "/proc/sysrq-trigger", "/proc/mtrr")
_OF_KERNEL_COVERED = (
    "/proc/irq", "/proc/bus", "/proc/fs", "/proc/acpi", "/proc/scsi", "/proc/driver", "/proc/tty",
)  # fmt: skip


class Engine:
    """What makes boxes on this machine; bwrap: empty if there is none."""

    def __init__(self, bwrap: str, helper: str) -> None:
        self.bwrap, self.helper = bwrap, helper


def find_engine(environ: Mapping[str, str], project: str = "/nonexistent") -> Engine:
    """Find our helper, and bubblewrap if it is there; LaconicError says what is missing.

    The project cannot bring its own: what is in it, and in temporary directories, is not used.
    """
    if sys.platform == "darwin":
        from laconic.box.seatbelt import find_program  # noqa: PLC0415 - not for others

        return Engine("", find_program())
    if sys.platform != "linux":
        raise LaconicError(f"there is no box on {sys.platform}")
    return Engine(find_bubblewrap(environ, project), find_helper())


def find_bubblewrap(environ: Mapping[str, str], project: str = "/nonexistent") -> str:
    """Find the program on the PATH, but not in the project or where everybody can write."""
    entries = [*_SYSTEM, *filter(isabs, environ.get("PATH", "").split(":"))]
    unsafe = (project, "/tmp", "/var/tmp", "/dev/shm")  # noqa: S108 - where not to look
    for path in (realpath(join(entry, "bwrap")) for entry in entries):
        is_program = isfile(path) and os.access(path, os.X_OK)
        if is_program and not any(is_below(path, place) for place in unsafe):
            return path
    return ""


def find_helper() -> str:
    """Find laconic-box, beside our interpreter or beside the program that was typed."""
    places = [dirname(sys.executable)]
    if basename(sys.argv[0]) in _PROGRAMS and isabs(sys.argv[0]):
        places.append(dirname(realpath(sys.argv[0])))
    paths = [join(place, _HELPER) for place in places]
    for path in paths:
        if isfile(path) and os.access(path, os.X_OK):
            return path
    hint = "install laconic again, where a C compiler is: pipx reinstall laconic"
    raise LaconicError(f"{paths[0]} is not there, so there is no box", hint)


def version_of(bwrap: str) -> str:
    """Ask bubblewrap for its version; LaconicError if it is missing, or too old for a box."""
    import subprocess  # noqa: PLC0415 - it takes seven milliseconds to load

    if not bwrap:
        raise LaconicError("bubblewrap is not installed", _INSTALL)
    done = subprocess.run(  # noqa: S603 - found by ourselves
        [bwrap, "--version"], env={}, capture_output=True, text=True, check=False
    )
    version = done.stdout.strip().rpartition(" ")[2]
    numbers = tuple(int(part) for part in version.split(".") if part.isdigit())
    if numbers < _OLDEST:
        wanted = ".".join(map(str, _OLDEST))
        message = f"{bwrap} is version {version or 'unknown'}, and a box needs {wanted}"
        raise LaconicError(message, _INSTALL)
    return version


def arguments(
    plan: Plan,
    engine: Engine,
    directory: str,
    covered: Collection[str],
    layers: Sequence[Layer] = (),
) -> list[str]:
    """Return bubblewrap's arguments; later ones act on what earlier ones have made.

    directory: the one to start in, in the project. covered: what is hidden and a directory. layers:
    what stands for writable directories.
    """
    from laconic.box.layers import merged_path  # noqa: PLC0415 - for trials

    own = plan.directory
    words = [
        "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts",
        "--disable-userns",
        "--cap-drop", "ALL",  # root would keep all of them
        "--die-with-parent",
        "--ro-bind", "/", "/",
        "--dev", "/dev",
        "--size", _LARGE, "--perms", "1777", "--tmpfs", "/dev/shm",  # noqa: S108 - made anew
        "--proc", "/proc",
    ]  # fmt: skip
    if not plan.has_network:
        words.append("--unshare-net")
    for path in _OF_KERNEL[: None if os.geteuid() == 0 else 1]:
        words += ["--ro-bind", path, path] if lexists(path) else []
    for path in _OF_KERNEL_COVERED if os.geteuid() == 0 else ():
        words += ["--size", _TINY, "--perms", "0555", "--tmpfs", path] if isdir(path) else []
    words += ["--size", _SMALL, "--perms", "0755", "--tmpfs", "/run"]
    words += ["--ro-bind", engine.helper, INSIDE]
    words += [] if plan.overlays else ["--bind", join(own, "home"), LINKED]
    for place, own_place in plan.own_places.items():
        is_kept = dirname(own_place) == own
        if is_kept and any(is_below(path, place) for path in (*plan.shown, *plan.write)):
            # What the project left behind there must not lead the mounts below it astray.
            words += ["--size", _LARGE, "--perms", "1777", "--tmpfs", place]
        elif isdir(place):
            words += ["--bind", own_place, place]
    for path in plan.shown:
        words += ["--ro-bind", path, path]
    if plan.has_own_top:
        words += ["--bind", join(own, FOLDER, TOP), plan.user_home]
    for one in plan.overlays:
        words += ["--bind", one.merged, one.lower]
    for path in plan.read_only:
        words += ["--ro-bind", path, path]
    for path in (*plan.write, *plan.pinned):
        words += ["--bind", merged_path(path, layers), path]
    for path in plan.guarded:
        words += ["--ro-bind", merged_path(path, layers), path]
    for path in plan.hidden:
        if path in covered:  # its owner could write it, and it is gone with the box
            words += ["--size", _TINY, "--perms", "0500", "--tmpfs", path]
        else:  # not /dev/null, which cannot be opened on a mount without devices
            words += ["--ro-bind", join(own, "empty"), path]
    if not plan.has_network and (servers := name_servers()):
        words += ["--ro-bind", join(own, NAMES), servers]
    words += ["--chdir", directory, "--clearenv"]
    for name, value in plan.variables.items():
        words += ["--setenv", name, value]
    return words


def expected_mounts(plan: Plan, covered: Collection[str]) -> list[str]:
    """Return what must be mounted when the box is ready, as box/mounts.c reads it.

    A letter and a path each: w what can be written, p and g what is pinned or guarded and lies in
    the former, c what is covered, h a directory that is hidden by an empty one, t what the kernel
    has its own mounts in.
    """
    own = [place for place in ("/tmp", "/var/tmp") if isdir(place)]  # noqa: S108 - made anew
    own += [one.lower for one in plan.overlays] or [LINKED]
    own += [plan.user_home] if plan.has_own_top else []
    mounts = [f"w{path}" for path in (*plan.write, *own, "/run", *mounted_in(plan.write))]
    mounts += [f"p{path}" for path in plan.pinned]
    mounts += [f"g{path}" for path in plan.guarded]
    mounts += [f"{'h' if path in covered else 'c'}{path}" for path in plan.hidden]
    mounts += [f"c{path}" for path in (*plan.shown, *plan.read_only)]
    if not plan.has_network and (servers := name_servers()):
        mounts.append(f"c{servers}")
    return [*mounts, "t/dev", "t/proc"]


def name_servers() -> str:
    """Return the file that names name servers (man 5 resolv.conf); nothing if there is none.

    Where it is missing, the C library asks this machine, which is what ours says.
    """
    path = realpath("/etc/resolv.conf")
    return path if isfile(path) else ""

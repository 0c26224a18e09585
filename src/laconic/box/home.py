"""Plans the home of a box: the user's own, at its own path, with an overlay over it.

What is there is read as it is now, and what a command writes stays with the box of the project
(box/home.c). The kernel puts no overlay over a directory with mounts below it that came from
outside: then the top of the home is the box's own, and its directories have overlays one by one,
or can only be read. Where there can be no overlay at all, the home is a directory of the box with
links to what is in the real one.
"""

from __future__ import annotations

import contextlib
import os
import pwd
from os.path import basename, dirname, isabs, isdir, islink, join, realpath
from typing import NamedTuple

from laconic.box.places import PRIVATE, is_below
from laconic.errors import FileError
from laconic.files import make_private, read_file, write_private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from laconic.box.plan import Plan

LINKED = "/run/home"  # where the home is in a box that has links to the real one
FOLDER = "over"  # of the directory of a box: what belongs to the overlays
TOP = "top"  # of FOLDER: what the box has in place of a home with mounts in it
# Programs keep what they download or build there; these may name places that are not in the home.
_CACHES = (
    "CARGO_HOME", "GOPATH", "GOMODCACHE", "GOCACHE", "npm_config_cache", "YARN_CACHE_FOLDER",
    "PNPM_HOME", "PIP_CACHE_DIR", "UV_CACHE_DIR", "POETRY_CACHE_DIR", "XDG_CACHE_HOME",
    "XDG_DATA_HOME", "GRADLE_USER_HOME", "CCACHE_DIR", "SCCACHE_DIR", "DENO_DIR", "GEM_HOME",
    "BUNDLE_PATH", "NUGET_PACKAGES", "COMPOSER_HOME", "PUB_CACHE", "MIX_HOME", "HEX_HOME",
)  # fmt: skip
_NOT_PLAIN = frozenset(',:\\"\n\t ')  # an option of mount would have to quote them
_MOST = 40  # box/box.h has room for a few more
_PROBE = "--can-overlay"  # box/box.h
_GOOD, _UNKNOWN = "good", "it was not tried yet"
_MEMORY = "home-overlay"  # beside the directory of all boxes: what the last probe found
_known: dict[str, str] = {}


class Overlay(NamedTuple):
    """A directory that is read as it is, and written elsewhere: upper; work is the kernel's."""

    lower: str
    upper: str
    work: str
    merged: str


def plan_home(plan: Plan, environ: Mapping[str, str]) -> None:
    """Say which directories have overlays; none if the home has to be one of links."""
    home, over = plan.user_home, join(plan.directory, FOLDER)
    is_writable = any(is_below(home, root) for root in plan.write)
    if is_writable or not isdir(home) or why_not(plan):
        return
    mounts = _mounts_below(home, plan.mounts)
    if not mounts:
        plan.overlays.append(_overlay(home, over, ""))
    else:
        plan.has_own_top = True
        for name in sorted(os.listdir(home)):
            path = join(home, name)
            if islink(path) or path in plan.write:
                continue
            is_plain = isdir(path) and not any(is_below(one, path) for one in mounts)
            if is_plain and (name[0] == "." or name == "go") and len(plan.overlays) < _MOST // 2:
                plan.overlays.append(_overlay(path, over, name))
            else:
                plan.read_only.append(path)
    account = home_of_account()
    if not any(is_below(account, one) for one in (home, *plan.write)) and _fits(account, plan):
        # The first: the home may be below it.
        plan.overlays.insert(0, _overlay(account, over, account.replace("/", "-")))
    further = [path for name in _CACHES for path in environ.get(name, "").split(":")]
    for path in map(realpath, filter(isabs, further)):
        if len(plan.overlays) < _MOST and _is_elsewhere(path, plan) and _fits(path, plan):
            plan.overlays.append(_overlay(path, over, path.replace("/", "-")))
    plan.home_path = home


def home_of_account() -> str:
    """Return the home that the password file names, which Java takes; nothing if there is none."""
    try:
        return realpath(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        return ""


def _overlay(lower: str, over: str, name: str) -> Overlay:
    place = join(over, "further", name) if name else over
    return Overlay(lower, join(place, "upper"), join(place, "work"), join(place, "merged"))


def _is_elsewhere(path: str, plan: Plan) -> bool:
    known = (*plan.write, plan.user_home, *(one.lower for one in plan.overlays))
    is_deep = path.count("/") > 1
    return is_deep and not any(is_below(path, one) or is_below(one, path) for one in known)


def _fits(path: str, plan: Plan) -> bool:
    """Tell whether a directory outside of the home can have an overlay."""
    return (
        isdir(path)
        and os.access(path, os.W_OK)
        and not any(is_below(path, one) or is_below(one, path) for one in PRIVATE)
        and not _NOT_PLAIN & set(path)
        and not _mounts_below(path, plan.mounts)
    )


def _mounts_below(directory: str, mounts: Iterable[str]) -> list[str]:
    return [point for point in mounts if point != directory and is_below(point, directory)]


def prepare(plan: Plan) -> None:
    """Make the directories of the overlays."""
    for one in plan.overlays:
        if not isdir(one.merged):
            for path in (one.upper, one.work, one.merged, join(plan.directory, FOLDER, "in")):
                make_private(path)
    if plan.has_own_top:
        _furnish(plan, join(plan.directory, FOLDER, TOP))


def _furnish(plan: Plan, top: str) -> None:
    """Make places for what is mounted in a top of the box's own; what stands there goes aside."""
    make_private(top)
    for path in (*plan.read_only, *plan.write, *(one.lower for one in plan.overlays)):
        if dirname(path) != plan.user_home:
            continue
        place = join(top, basename(path))
        is_file = not isdir(path)
        if islink(place) or (os.path.lexists(place) and isdir(place) == is_file):
            put_aside(plan, place)
        with contextlib.suppress(FileExistsError):
            if is_file:
                os.close(os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            else:
                os.mkdir(place, 0o700)
    for name in os.listdir(plan.user_home):
        with contextlib.suppress(OSError):
            if islink(join(plan.user_home, name)) and not os.path.lexists(join(top, name)):
                os.symlink(os.readlink(join(plan.user_home, name)), join(top, name))


def put_aside(plan: Plan, path: str) -> None:
    """Move away what a box has at a name that has come to be in the real home."""
    aside = join(plan.directory, FOLDER, "aside")
    make_private(aside)
    os.rename(path, join(aside, f"{os.urandom(4).hex()}-{basename(path)}"))


# -- whether there can be overlays -----------------------------------------------------------------


def why_not(plan: Plan) -> str:
    """Say why there is no overlay over the home, as far as it is known; nothing if there can be."""
    if _NOT_PLAIN & set(f"{plan.user_home}{plan.directory}"):
        return "its path has a character that an overlay cannot have"
    stamp = _stamp(plan)
    if not stamp:
        return "it is not there"
    if stamp not in _known:
        with contextlib.suppress(FileError):
            text = read_file(join(dirname(dirname(plan.directory)), _MEMORY)).decode(
                "utf-8", "replace"
            )
            found, _, about = text.partition("\n")
            _known[about] = found
    found = _outcome(stamp)
    return "" if found == _GOOD else found


def _outcome(stamp: str) -> str:
    return _known.get(stamp, _UNKNOWN)


def described(plan: Plan, helper: str) -> str:
    """Say, for a person, what the box lacks of the home; nothing if it has all of it."""
    try_overlay(plan, helper)
    if reason := why_not(plan):
        return f"the home is at {LINKED} in it, with links, and caches are cold: {reason}"
    mounts = _mounts_below(plan.user_home, plan.mounts)
    if mounts:
        what = f"{mounts[0]} is mounted in the home"
        return f"{what}, so that what is beside its caches can only be read there"
    return ""


def try_overlay(plan: Plan, helper: str) -> bool:
    """Try whether the kernel makes such an overlay, if that is not known; tell whether it now does.

    What is found is remembered for this machine.
    """
    stamp = _stamp(plan)
    if not stamp or _outcome(stamp) != _UNKNOWN:
        return False
    place = join(dirname(plan.directory), f"probe-{os.urandom(6).hex()}")
    try:
        found = _probe(plan, helper, place) or _GOOD
    finally:
        _remove_probe(place)
    remember(plan, found)
    return found == _GOOD


def remember(plan: Plan, found: str) -> None:
    """Write down what a probe has found for this home."""
    stamp = _stamp(plan)
    _known[stamp] = found
    with contextlib.suppress(OSError):
        place = dirname(dirname(plan.directory))
        make_private(place)
        text = f"{found}\n{stamp}".encode("utf-8", "surrogateescape")
        write_private(join(place, _MEMORY), text)


def _probe(plan: Plan, helper: str, place: str) -> str:
    import subprocess  # noqa: PLC0415 - it takes seven milliseconds to load

    own = [join(place, name) for name in ("upper", "work", "merged")]
    for path in own:
        make_private(path)
    lower = own[2] if _mounts_below(plan.user_home, plan.mounts) else plan.user_home
    done = subprocess.run(  # noqa: S603 - our own
        [helper, _PROBE, lower, *own], env={}, capture_output=True, text=True, check=False
    )
    return done.stdout.strip() or (f"status {done.returncode}" if done.returncode else "")


def _remove_probe(place: str) -> None:
    from laconic.undo.store import remove_tree  # noqa: PLC0415 - once for a machine

    with contextlib.suppress(OSError):
        remove_tree(place)


def _stamp(plan: Plan) -> str:
    """Say what a probe was about: the kernel, who we are, and both file systems."""
    try:
        devices = [os.stat(path).st_dev for path in (plan.user_home, _there(plan))]
    except OSError:
        return ""
    is_parted = bool(_mounts_below(plan.user_home, plan.mounts))
    return f"{os.uname().release} {os.geteuid()} {devices} {is_parted} {plan.user_home}"


def _there(plan: Plan) -> str:
    """Return the directory of boxes, or the nearest one above it that is there."""
    path = dirname(plan.directory)
    while not isdir(path):
        path = dirname(path)
    return path

"""Opens the box for one command: writes down what laconic-box needs, and says how to start it.

All of it is in the journal of the box. If a box is killed, the journal is read before the next box
of the project is opened, and what the first one left behind is looked at.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import sys
import time
from os.path import basename, dirname, isdir, join

from laconic.box import caches, leftovers, seccomp, temporary
from laconic.box.bubblewrap import arguments, expected_mounts, find_engine
from laconic.box.inside import is_inside
from laconic.box.places import is_below
from laconic.box.plan import make_plan
from laconic.errors import LaconicError
from laconic.files import make_private, write_private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from laconic.box.bubblewrap import Engine
    from laconic.box.layers import Layer
    from laconic.box.plan import Plan
    from laconic.settings.load import Settings

_REFUSED = "refused"
_OLDEST_TOLD_S = 3600
_YOUNGEST_LEFT_S = 10  # a younger box may be about to start
_COARSE_CLOCK = 5  # CLOCK_REALTIME_COARSE of linux/time.h, which file systems take their times from
_ROOT = dirname(dirname(dirname(os.path.realpath(__file__))))
_LOOK = (
    "import sys; sys.path.append(sys.argv.pop(1)); "
    "from laconic.box.leftovers import main; sys.exit(main(sys.argv[1:]))"
)


class OpenBox:
    """A box that is ready for one command; words: what starts it, none if we are in a box."""

    __slots__ = ("directory", "place", "plan", "words")

    def __init__(self, words: list[str], plan: Plan | None, place: str, directory: str) -> None:
        self.words, self.plan, self.place, self.directory = words, plan, place, directory

    def notice(self, status: int, out: str, err: str, command: str, launcher: str) -> str:
        """Say what the box refused, when the command has ended; nothing if it refused nothing."""
        if self.plan is None:
            return ""
        path = join(self.plan.directory, _REFUSED, basename(self.place))
        try:
            with open(path, encoding="ascii") as file:
                bits = int(file.read())
            os.unlink(path)
        except (OSError, ValueError):
            bits = 0
        from laconic.box.refusals import Ended, notice  # noqa: PLC0415 - the command runs first

        return notice(self.plan, Ended(status, bits, self.directory, out, err), command, launcher)


def project_of(cwd: str, environ: Mapping[str, str]) -> str:
    """Return the project that a directory is in; LaconicError if it is in none."""
    from laconic.reading.facts import NOWHERE, read_facts  # noqa: PLC0415 - not where it is known

    project = read_facts(cwd, environ).project if cwd else NOWHERE
    if project == NOWHERE:
        hint = "go to a project, which has a directory .git or .laconic"
        raise LaconicError(f"{cwd or 'this directory'} is not in a project", hint)
    return project


def open_box(
    project: str,
    cwd: str,
    settings: Settings,
    environ: Mapping[str, str],
    told: str = "",
    *,
    words: Sequence[str] = (),
    is_elsewhere: bool = False,
) -> OpenBox:
    """Open the box of a project for one command; raises LaconicError if there can be none here.

    told: the command as it is typed outside, if nobody waits for it to say what was refused.
    words: the command, which may name temporary files.
    is_elsewhere: the command may begin outside the project, where it can only read.
    """
    if is_inside():
        return OpenBox([], None, "", cwd)
    started = coarse_now()
    engine = find_engine(environ, project)
    plan = plan_here(project, settings, environ)
    paths = temporary.named(words)
    return open_planned(
        plan, engine, cwd, told, (), started, paths=paths, is_elsewhere=is_elsewhere
    )


def plan_here(project: str, settings: Settings, environ: Mapping[str, str]) -> Plan:
    """Plan the box of a project, once the directory of laconic's files is there to be hidden."""
    with contextlib.suppress(OSError):
        make_private(settings.directories.state_dir)
    return make_plan(project, settings, environ)


def coarse_now() -> int:
    """Return the time that a file system would give to a file now."""
    return time.clock_gettime_ns(_COARSE_CLOCK)


def open_planned(
    plan: Plan,
    engine: Engine,
    cwd: str,
    told: str,
    layers: Sequence[Layer] = (),
    started: int = 0,
    *,
    paths: Sequence[str] = (),
    is_elsewhere: bool = False,
) -> OpenBox:
    """Open the box of a plan; layers: what stands for its writable directories, in a trial.

    paths: temporary files that the command names.
    """
    prepare(plan)
    look_at_killed(plan)
    here = os.path.realpath(cwd)
    if not is_elsewhere and not is_below(here, plan.project):
        raise LaconicError(f"{here} is not in the project {plan.project}")
    temporary.bring_in(plan, paths)
    place = _write_down(plan, engine, here, leftovers.record(plan, started, told), layers)
    return OpenBox([engine.helper, place, engine.bwrap], plan, place, here)


def prepare(plan: Plan) -> None:
    """Make what the box has of its own for good: a home, temporary directories, an empty file."""
    own = plan.directory
    if any(is_below(own, path) for path in plan.write):
        hint = "unset LACONIC_STATE_DIR, or let it name a place outside the project"
        raise LaconicError(f"{own} is in the project, so there is no box", hint)
    known = _names(own)
    for name in ("open", _REFUSED, "quarantine", "tmp", "vartmp", "home"):
        if name not in known:
            make_private(join(own, name))
    if "empty" not in known:
        with contextlib.suppress(FileExistsError):
            os.close(os.open(join(own, "empty"), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o400))
    if "project" not in known:
        with contextlib.suppress(OSError):
            write_private(join(own, "project"), os.fsencode(plan.project))
    make_private(join(own, "home", caches.OWN))
    _furnish_home(plan)


def _furnish_home(plan: Plan) -> None:
    """Fill the home with links to the real one: it can be read, and new files land here.

    This is done before a program could make directories of the same names. A command in the box can
    change the links, but not the directory that they are in.
    """
    home = join(plan.directory, "home")
    caches.fill(plan)
    for name in set(_names(plan.user_home)).difference(_names(home)):
        with contextlib.suppress(FileExistsError):
            os.symlink(join(plan.user_home, name), join(home, name))


def _names(directory: str) -> list[str]:
    try:
        return os.listdir(directory)
    except OSError:
        return []


def _write_down(
    plan: Plan, engine: Engine, cwd: str, record: dict[str, Any], layers: Sequence[Layer]
) -> str:
    place = join(plan.directory, "open", os.urandom(6).hex())
    look = [sys.executable, "-I", "-S", "-c", _LOOK, _ROOT, place]
    if layers:
        record = leftovers.of_trial(record)
    directories = frozenset(filter(isdir, plan.hidden))
    parts = {
        leftovers.PLAN: json.dumps(record).encode("utf-8", "surrogateescape"),
        "watched": _texts([] if layers else plan.missing),
        "overlays": _texts([word for layer in layers for word in layer.words]),
        "facts": _texts(leftovers.facts(record)),
        "after": _texts(look),
        "filter": seccomp.program(os.uname().machine),
        "mounts": _texts(expected_mounts(plan, directories)),
        "args": _texts(arguments(plan, engine, cwd, directories, layers)),
    }
    data = b"".join(b"%s\0%d\0%s" % (name.encode(), len(p), p) for name, p in parts.items())
    handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    return place


def _texts(words: list[str]) -> bytes:
    return os.fsencode("\0".join(words) + "\0") if words else b""


def look_at_killed(plan: Plan) -> None:
    """Look at what boxes of this project left behind that were killed."""
    for name in _names(join(plan.directory, _REFUSED)):  # nobody was there to say it
        with contextlib.suppress(OSError):
            path = join(plan.directory, _REFUSED, name)
            if time.time() - os.lstat(path).st_mtime > _OLDEST_TOLD_S:
                os.unlink(path)
    for name in _names(join(plan.directory, "open")):
        place = join(plan.directory, "open", name)
        try:
            if time.time() - os.lstat(place).st_mtime < _YOUNGEST_LEFT_S:
                continue
            with open(place, "rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                leftovers.main([place, "end"])
        except BlockingIOError:
            continue  # it is open
        except (OSError, ValueError, KeyError):  # it was never started, or by another laconic
            leftovers.forget(place)

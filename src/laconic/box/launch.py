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

from laconic.box import caches, home, leftovers, seatbelt, seccomp, temporary
from laconic.box.bubblewrap import NAMES, arguments, expected_mounts, find_engine
from laconic.box.inside import is_inside
from laconic.box.places import is_below
from laconic.box.plan import make_plan
from laconic.box.rolling import JOURNALS, Rolling
from laconic.door.neighbours import FOLDER as PORTS
from laconic.door.neighbours import published
from laconic.errors import LaconicError
from laconic.files import make_private, names_in, write_private
from laconic.record.kept import is_writable
from laconic.undo.store import store_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from laconic.box.bubblewrap import Engine
    from laconic.box.layers import Layer
    from laconic.box.plan import Plan
    from laconic.settings.load import Settings
    from laconic.undo.store import Store

_REFUSED = "refused"
_OLDEST_TOLD_S = 3600
_MOST_NEIGHBOURS = 12  # box/box.h has room for a few more
_YOUNGEST_LEFT_S = 10  # a younger box may be about to start
_COARSE_CLOCK = 5  # CLOCK_REALTIME_COARSE of linux/time.h, which file systems take their times from
_ROOT = dirname(dirname(dirname(os.path.realpath(__file__))))
_DOOR = (
    "import sys; sys.path.append(sys.argv.pop(1)); "
    "from laconic.door.main import main; import os; os._exit(main(sys.argv[1:], os.environ))"
)
_LOOK = (
    "import sys; sys.path.append(sys.argv.pop(1)); "
    "from laconic.box.leftovers import main; sys.exit(main(sys.argv[1:]))"
)


class OpenBox:
    """A box that is ready for one command; words: what starts it, none if we are in a box.

    store: where what the command destroys is kept for an undo.
    """

    def __init__(self, words: list[str], plan: Plan | None, place: str, directory: str) -> None:
        self.words, self.plan, self.place, self.directory = words, plan, place, directory
        self.store: Store | None = None

    def notice(self, status: int, out: str, err: str, command: str, launcher: str) -> str:
        """Say what the box refused, when the command has ended; nothing if it refused nothing."""
        if self.plan is None:
            return ""
        if self.store is not None:
            with contextlib.suppress(OSError):
                Rolling(self.plan.directory, self.plan.project).finish(self.store)
        path = join(self.plan.directory, _REFUSED, basename(self.place))
        try:
            with open(path, encoding="ascii") as file:
                bits = int(file.read())
            os.unlink(path)
        except (OSError, ValueError):
            bits = 0
        from laconic.box import refusals, withheld, written  # noqa: PLC0415 - the command runs first

        ended = refusals.Ended(status, bits, self.directory, out, err)
        lines = [
            refusals.notice(self.plan, ended, command, launcher),
            withheld.notice(self.plan, status, out, err),
            written.notice(self.plan, launcher),
        ]
        return "".join(lines)


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
    *,
    words: Sequence[str] = (),
    outside: str = "",
    is_elsewhere: bool = False,
) -> OpenBox:
    """Open the box of a project for one command; raises LaconicError if there can be none here.

    words: the command, which may name temporary files. outside: as it is typed to run without it.
    is_elsewhere: the command may begin outside the project, where it can only read.
    """
    if is_inside():
        return OpenBox([], None, "", cwd)
    started = coarse_now()
    refuse_in_sandbox(settings)
    engine = find_engine(environ, project)
    named = temporary.named(words)
    plan = plan_here(project, settings, environ, engine, temporary.environments(named))
    paths = [*named, *temporary.named_by(plan.variables)]
    rolling = Rolling(plan.directory, plan.project)
    if not settings.is_isolated:
        with contextlib.suppress(OSError):
            rolling.finish(store_for(settings), is_late=True)
    opened = open_planned(
        plan, engine, cwd, (), started, paths=paths, outside=outside, is_elsewhere=is_elsewhere
    )
    if not settings.is_isolated:
        opened.store = store_for(settings)
        with contextlib.suppress(OSError):
            rolling.renew(" ".join(words))
    return opened


def refuse_in_sandbox(settings: Settings) -> None:
    """Raise LaconicError where nothing of ours can be written, as in an agent's own sandbox."""
    state_dir = settings.directories.state_dir
    if not is_writable(state_dir):
        message = f"there is no box in an agent's sandbox, where {state_dir} cannot be written"
        raise LaconicError(message, "laconic doctor says more; outside of the sandbox it works")


def plan_here(
    project: str,
    settings: Settings,
    environ: Mapping[str, str],
    engine: Engine,
    further: Sequence[str] = (),
) -> Plan:
    """Plan the box of a project, once the directory of laconic's files is there to be hidden.

    further: see `make_plan`.
    """
    with contextlib.suppress(OSError):
        make_private(settings.directories.state_dir)
    plan = make_plan(project, settings, environ, further)
    if sys.platform == "darwin" or plan.overlays or not home.try_overlay(plan, engine.helper):
        return plan
    return make_plan(project, settings, environ, further)


def coarse_now() -> int:
    """Return the time that a file system would give to a file now; 0 where nothing asks for it."""
    if sys.platform == "darwin":
        return 0
    return time.clock_gettime_ns(_COARSE_CLOCK)


def open_planned(
    plan: Plan,
    engine: Engine,
    cwd: str,
    layers: Sequence[Layer] = (),
    started: int = 0,
    *,
    paths: Sequence[str] = (),
    outside: str = "",
    watch: str = "",
    is_elsewhere: bool = False,
) -> OpenBox:
    """Open the box of a plan; layers: what stands for its writable directories, in a trial.

    paths: temporary files that the command names. watch: a file for all hosts that it contacts,
    which then lets it contact all.
    """
    prepare(plan)
    look_at_killed(plan)
    here = os.path.realpath(cwd)
    if not is_elsewhere and not is_below(here, plan.project):
        raise LaconicError(f"{here} is not in the project {plan.project}")
    if sys.platform == "darwin":
        if layers or watch:
            raise LaconicError("the box of macOS can neither try a command nor watch its network")
        return OpenBox(seatbelt.start(plan), plan, "", here)
    temporary.make_own(plan, paths)
    brought = temporary.bring_in(plan, paths)
    place = _write_down(
        plan, engine, here, leftovers.record(plan, started, brought), layers, (outside, watch)
    )
    return OpenBox([engine.helper, place, engine.bwrap], plan, place, here)


def prepare(plan: Plan) -> None:
    """Make what the box has of its own for good: a home, temporary directories, an empty file."""
    own = plan.directory
    if any(is_below(own, path) for path in plan.write):
        hint = "unset LACONIC_STATE_DIR, or let it name a place outside the project"
        raise LaconicError(f"{own} is in the project, so there is no box", hint)
    known = names_in(own)
    for name in (JOURNALS, _REFUSED, PORTS, "quarantine", "tmp", "vartmp", "home"):
        if name not in known:
            make_private(join(own, name))
    if "empty" not in known:
        with contextlib.suppress(FileExistsError):
            os.close(os.open(join(own, "empty"), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o400))
    if NAMES not in known:
        write_private(join(own, NAMES), b"# laconic: names lead to it\nnameserver 127.0.0.1\n")
    if "project" not in known:
        with contextlib.suppress(OSError):
            write_private(join(own, "project"), os.fsencode(plan.project))
    if plan.overlays:
        home.prepare(plan)
    else:
        make_private(join(own, "home", caches.OWN))
        _furnish_home(plan)


def _furnish_home(plan: Plan) -> None:
    """Fill the home with links to the real one: it can be read, and new files land here.

    What a program has made under a name that the real home has now goes aside. A command in the
    box can change the links, but not the directory that they are in.
    """
    place = join(plan.directory, "home")
    caches.fill(plan)
    for name in set(names_in(plan.user_home)) - {caches.OWN}:
        path, target = join(place, name), join(plan.user_home, name)
        with contextlib.suppress(OSError):
            if os.path.islink(path) and os.readlink(path) == target:
                continue
            if os.path.lexists(path):
                home.put_aside(plan, path)
            os.symlink(target, path)


def _write_down(
    plan: Plan,
    engine: Engine,
    cwd: str,
    record: dict[str, Any],
    layers: Sequence[Layer],
    told: tuple[str, str],
) -> str:
    outside, watch = told
    place = join(plan.directory, JOURNALS, os.urandom(6).hex())
    look = [sys.executable, "-I", "-S", "-c", _LOOK, _ROOT, place]
    if layers:
        record = leftovers.of_trial(record)
    directories = frozenset(filter(isdir, plan.hidden))
    parts = {
        leftovers.PLAN: json.dumps(record).encode("utf-8", "surrogateescape"),
        "watched": _texts([] if layers else plan.missing),
        "overlays": _texts([word for layer in layers for word in layer.words]),
        "home": _texts(_home(plan)),
        "facts": _texts(leftovers.facts(record)),
        "after": _texts(look),
        "filter": seccomp.program(os.uname().machine),
        "mounts": _texts(expected_mounts(plan, directories)),
        "args": _texts(arguments(plan, engine, cwd, directories, layers)),
    }
    if not plan.has_network:
        door = [sys.executable, "-I", "-S", "-c", _DOOR, _ROOT, place]
        parts["door"] = _texts(door)
        neighbours = set() if layers else published(plan.directory) - set(plan.ports)
        shown = sorted(neighbours)[:_MOST_NEIGHBOURS]
        parts["ports"] = _texts([str(port) for port in (*plan.ports, *shown)])
        parts["network"] = json.dumps(
            {
                "hosts": plan.hosts,
                "has_hosts": plan.has_hosts,
                "neighbours": shown,
                "launcher": outside.partition(" run --outside")[0] or "laconic",
                "outside": outside,
                "watch": watch,
            }
        ).encode()
    data = b"".join(b"%s\0%d\0%s" % (name.encode(), len(p), p) for name, p in parts.items())
    handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    return place


def _home(plan: Plan) -> list[str]:
    """Return the overlays of the home as box/home.c reads them."""
    if not plan.overlays:
        return []
    return [join(plan.directory, home.FOLDER), *(path for one in plan.overlays for path in one)]


def _texts(words: list[str]) -> bytes:
    return os.fsencode("\0".join(words) + "\0") if words else b""


def look_at_killed(plan: Plan) -> None:
    """Look at what boxes of this project left behind that were killed."""
    for name in names_in(join(plan.directory, _REFUSED)):  # nobody was there to say it
        with contextlib.suppress(OSError):
            path = join(plan.directory, _REFUSED, name)
            if time.time() - os.lstat(path).st_mtime > _OLDEST_TOLD_S:
                os.unlink(path)
    for name in names_in(join(plan.directory, JOURNALS)):
        place = join(plan.directory, JOURNALS, name)
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

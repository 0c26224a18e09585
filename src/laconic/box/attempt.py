"""`laconic try`: a command runs in the box, and what it changes is put beside the project.

The changes are stored in the form of a keep of `undo`, whose kept state is what the command made.
Applying the trial restores that state, with the same journal, and can be undone.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Mapping
from os.path import isdir, join, relpath
from typing import Any

from laconic.box import leftovers
from laconic.box.bubblewrap import find_engine
from laconic.box.inside import is_inside
from laconic.box.launch import (
    OpenBox,
    coarse_now,
    open_planned,
    plan_here,
    refuse_in_sandbox,
)
from laconic.box.layers import Layer, why_not_overlay
from laconic.box.mounts import mounted_in
from laconic.box.places import guarded_anywhere, is_below, matching
from laconic.box.plan import Plan
from laconic.errors import LaconicError
from laconic.settings.load import Settings
from laconic.undo.entry import DIRECTORY, FILE, OTHER, Entry, digest_of, is_alike, look
from laconic.undo.keep import AFTER, DATA, MANIFEST, About, Keep, write
from laconic.undo.restore import apply
from laconic.undo.store import Store, remove_tree, store_for
from laconic.undo.survey import TooMuchError

FOLDER = "try"
_RECORD = "box"  # what must be known of the plan when the trial is applied
_MOST_NOTES = 20


class Attempt:
    """A trial whose command is about to run, or runs; box: where it runs.

    way: how the project is kept apart from it.
    """

    def __init__(self, path: str, plan: Plan, layers: list[Layer], way: str) -> None:
        self.path, self._plan, self._layers, self.way = path, plan, layers, way
        self._handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        fcntl.flock(self._handle, fcntl.LOCK_EX)  # it counts as running while this is open
        self._started = coarse_now()
        self.box: OpenBox

    def finish(self, about: About) -> Keep | None:
        """Write down what the command would have changed; None if that is nothing."""
        wanted: dict[str, Entry | None] = {}
        present: dict[str, Entry | None] = {}
        held_back: list[str] = []
        for layer in self._layers:
            for path, left, where in layer.changed():
                now = look(path)
                if path in wanted or _is_same(left, now, where, path):
                    continue
                if self._is_guarded(path):
                    if not any(is_below(path, above) for above in held_back):
                        held_back.append(path)
                    continue
                if left is not None and left.kind == FILE:
                    left.data = relpath(where, join(self.path, DATA))
                wanted[path], present[path] = left, self._as_at_start(now)
        about.notes = [
            f"{relpath(path, self._plan.project)} decides what runs later"
            for path in held_back[:_MOST_NOTES]
        ]
        if len(held_back) > _MOST_NOTES:
            about.notes.append(f"{len(held_back) - _MOST_NOTES} more of that kind")
        if not wanted and not held_back:
            self.drop()
            return None
        self._write(about, wanted, present)
        for layer in self._layers:
            remove_tree(layer.work)  # fs/overlayfs/super.c leaves a closed directory in it
        os.close(self._handle)
        return Keep(self.path)

    def _as_at_start(self, now: Entry | None) -> Entry | None:
        """Return the state at the start; what others changed during the run is a conflict."""
        if now is not None and now.kind != DIRECTORY and now.changed_ns >= self._started:
            return Entry(OTHER, 0, (0, 0), 0)
        return now

    def _is_guarded(self, path: str) -> bool:
        plan = self._plan
        inner = (
            path[len(plan.project) :].strip("/").split("/") if is_below(path, plan.project) else []
        )
        return (
            any(is_below(path, one) for one in (*plan.missing, *plan.guarded))
            or path in plan.links
            or not guarded_anywhere().isdisjoint(inner)
            or self._is_never_written(path)
        )

    def _is_never_written(self, path: str) -> bool:
        if not self._plan.never_write:
            return False
        for layer in self._layers:
            place = layer.merged if layer.copied is not None else layer.upper
            paths = matching(place, self._plan.never_write)
            if path in {join(layer.path, relpath(one, place)) for one in paths}:
                return True
        return path in matching(self._plan.project, self._plan.never_write)

    def _write(
        self, about: About, wanted: dict[str, Entry | None], present: dict[str, Entry | None]
    ) -> None:
        rows = {path: entry and entry.row() for path, entry in wanted.items()}
        now = {path: entry and entry.row() for path, entry in present.items()}
        os.mkdir(join(self.path, DATA), 0o700)
        write(join(self.path, _RECORD), leftovers.record(self._plan, 0))
        write(join(self.path, AFTER), {"changed": now, "flat": {}})
        manifest = {
            "command": about.command,
            "directory": about.directory,
            "of": "",
            "agent": about.agent,
            "session": about.session,
            "notes": about.notes,
            "timed": [],
            "time": time.time(),
            "places": [],
            "left_out": [],
            "stores": [join(one, "objects") for one in self._plan.repository.directories],
            "before": rows,
            "flat": {},
        }
        write(join(self.path, MANIFEST), manifest)

    def drop(self) -> None:
        """Remove everything: nothing changed, or the command did not run."""
        remove_tree(self.path)
        os.close(self._handle)


def begin(
    project: str,
    cwd: str,
    settings: Settings,
    environ: Mapping[str, str],
    *,
    by_copy: bool = False,
) -> Attempt:
    """Prepare a trial; raises LaconicError, with the reason, if there can be none here.

    by_copy: copy the project, even if there could be an overlay.
    """
    if is_inside():
        raise LaconicError("this is a box already, and nothing can be tried in it")
    refuse_in_sandbox(settings)
    engine = find_engine(environ, project)
    plan = plan_here(project, settings, environ, engine)
    plan.write = [path for path in plan.write if isdir(path)]
    if inner := mounted_in(plan.write):
        raise LaconicError(f"{inner[0]} is a file system of its own, over which nothing can be put")
    store = tries(settings)
    store.remove_old(time.time())
    path = store.new_path()
    os.mkdir(path, 0o700)
    try:
        layers = [Layer(one, path, number) for number, one in enumerate(plan.write)]
        for layer in layers:
            layer.prepare()
        reason = "a copy was asked for" if by_copy else why_not_overlay(engine.helper, layers)
        if reason:
            _copy(layers, reason)
        attempt = Attempt(path, plan, layers, "copy" if reason else "overlay")
        attempt.box = open_planned(plan, engine, cwd, layers)
    except BaseException:  # also Ctrl-C: no half-made layers stay
        remove_tree(path)
        raise
    return attempt


def _copy(layers: list[Layer], reason: str) -> None:
    try:
        for layer in layers:
            layer.copy()
    except TooMuchError as error:
        message = f"it cannot be tried: there is no overlay ({reason}), and {error.message}"
        raise LaconicError(message, "run it in the box: laconic box COMMAND") from error
    except OSError as error:
        message = f"it cannot be tried: there is no overlay ({reason}), and no copy: {error}"
        raise LaconicError(message, "run it in the box: laconic box COMMAND") from error


def tries(settings: Settings) -> Store:
    """Return the place where trials are kept."""
    return store_for(settings, FOLDER)


def keep_attempt(store: Store, tried: Keep, only: list[str], *, force: bool) -> str:
    """Apply what a trial would have changed; return the id that takes it back, or nothing.

    What makes programs run later, and is not known by its name, is moved to quarantine, as after a
    box. Raises what an undo raises.
    """
    about = About(f"keep {tried.id}: {tried.about.command}", tried.about.directory)
    about.agent, about.session = tried.about.agent, tried.about.session
    record: dict[str, Any] = tried.read(_RECORD)
    record["started"] = coarse_now()
    done = apply(store, tried, only, force=force, about=about)
    leftovers.put_right(record)
    if not only:
        remove_tree(tried.path)
    return done


def _is_same(left: Entry | None, now: Entry | None, where: str, path: str) -> bool:
    """Tell whether a file was only touched; a new time alone is not a change."""
    if left is None or now is None:
        return left is now
    if not is_alike(left, now):
        return False
    if left.kind != FILE:
        return True
    return left.size == now.size and digest_of(where) == digest_of(path)

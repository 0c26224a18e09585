"""When a box has ended, moves what must not have come into being to quarantine, and names it.

What the command has made below /tmp under a name of its line is brought out (`temporary`).

Whatever has a guarded name, or makes git run a program, is moved away and never deleted. Another
box of the project may still run, so nothing here follows a link that a command could have made:
directories are opened one below the other.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import time
from os.path import basename, dirname, join, relpath

from laconic.box.below import close_again, open_up, parent_of
from laconic.box.nested import find_nested
from laconic.box.places import guarded_anywhere, is_below, matching
from laconic.box.repository import gitlinks
from laconic.box.temporary import bring_out, remove_own

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from laconic.box.plan import Plan
    from laconic.box.temporary import Stamp

NO_ROUTE, NO_PORT, NO_SERVER = 1, 2, 4  # what a network refuses: box/box.h
_MOST_NOTICES = 8
PLAN = "plan"  # the first part of a journal


def record(
    plan: Plan, started: int, brought: Sequence[tuple[str, Stamp, Stamp]] = ()
) -> dict[str, Any]:
    """Return what must be known of a plan when its box has ended.

    brought: temporary files, as `temporary.bring_in` returns them.
    """
    return {
        "has_network": plan.has_network,
        "project": plan.project,
        "directory": plan.directory,
        "write": plan.write,
        "guarded": plan.guarded,
        "missing": plan.missing,
        "links": plan.links,
        "repositories": plan.repository.directories,
        "gitlinks": sorted(plan.repository.gitlinks),
        "never_write": plan.never_write,
        "started": started,
        "temporary": list(brought),
        "own_places": plan.own_places,
    }


def facts(known: dict[str, Any]) -> list[str]:
    """Return what box/leftovers.c needs to know to tell whether anything must be looked at.

    A letter and a text each: s when the box was opened, r a writable directory, k a git directory
    that is known, g what could not be changed, n a name that counts anywhere, i git's index; a if
    it must be looked at in any case.
    """
    if known["links"] or known["never_write"] or known["temporary"]:
        return ["a"]
    told = [f"s{known['started']}", *(f"r{path}" for path in known["write"])]
    told += [f"k{path}" for path in known["repositories"]]
    told += [f"g{path}" for path in known["guarded"]]
    told += [f"n{name}" for name in guarded_anywhere()]
    return [*told, *(f"i{path}/index" for path in known["repositories"][:1])]


def main(argv: list[str]) -> int:
    """Look at one box; argv: its journal, and `end`, or `while` it still runs.

    A number may follow: what its network refused; and guarded paths that were gone when the box was
    made. `trim` looks at how much the box has in place of the home.
    """
    place, when, *further = argv
    if when == "trim":
        from laconic.box.written import trim  # noqa: PLC0415 - once an hour

        trim(dirname(dirname(place)))
        return 0
    with open(place, "rb") as file:
        name, length, data = file.read().split(b"\0", 2)
    if name.decode() != PLAN:
        raise ValueError(f"{place} is not the journal of a box")
    known = json.loads(data[: int(length)].decode("utf-8", "surrogateescape"))
    known["missing"] += further[1:]
    put_right(known, is_over=when == "end")
    if further:
        _note_refused(place, known, int(further[0]))
    if when == "end":
        forget(place)
    return 0


def of_trial(known: dict[str, Any]) -> dict[str, Any]:
    """Return the record of a trial: it cannot leave anything behind where the real files are."""
    nothing: dict[str, Any] = {"write": [], "missing": [], "links": {}, "repositories": []}
    return known | nothing | {"never_write": [], "gitlinks": [], "temporary": []}


def put_right(known: dict[str, Any], *, is_over: bool = True) -> None:
    """Move away what must not be there, and say so; bring out temporary files."""
    if is_over and known.get("temporary"):
        own_places = known["own_places"]
        for path, why in bring_out(known["directory"], own_places, known["temporary"]):
            _say(f"{path} was changed in the box only: {why}")
        remove_own(own_places)  # a box of a trial has none
    moved = list(_put_right(known, is_over=is_over))
    if not moved:
        return
    from laconic.shell.words import quoted  # noqa: PLC0415 - seldom

    for path, kept in moved[:_MOST_NOTICES]:
        name = relpath(path, known["project"])
        back = f"mv {quoted(kept)} {quoted(path)}"
        _say(f"the box moved {name} away, which decides what runs later; if you want it: {back}")
    if len(moved) > _MOST_NOTICES:
        _say(f"and {len(moved) - _MOST_NOTICES} more: {dirname(moved[0][1])}")


def _note_refused(place: str, known: dict[str, Any], bits: int) -> None:
    """Write down what the network refused, for whoever waits for the command."""
    if not bits or known["has_network"]:
        return
    with (
        contextlib.suppress(OSError),
        open(join(known["directory"], "refused", basename(place)), "w", encoding="ascii") as file,
    ):
        file.write(str(bits))


def _say(text: str) -> None:
    """Print a notice; names that a command has chosen cannot do anything to a terminal."""
    shown = "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text)
    with contextlib.suppress(OSError):
        os.write(2, f"laconic: {shown}\n".encode("utf-8", "backslashreplace"))


def forget(place: str) -> None:
    """Remove the journal of a box that has ended."""
    with contextlib.suppress(OSError):
        os.unlink(place)


def _put_right(known: dict[str, Any], *, is_over: bool) -> Iterator[tuple[str, str]]:
    """Move away what must not be there; yield each path, and where it is now."""
    keep = join(known["directory"], "quarantine", f"{time.time_ns():x}")
    started = known["started"]
    for link, target in known["links"].items():
        yield from _restore_link(link, target, known, keep)
    for path in known["missing"]:
        root = next(root for root in known["write"] if is_below(path, root))
        if moved := _move(root, path, keep):
            yield path, moved
            _remove_empty(root, dirname(path), started)
    if not is_over:
        return
    for path in matching(known["project"], known.get("never_write", ())):
        is_guarded = any(is_below(path, guarded) for guarded in known["guarded"])
        if (
            not is_guarded
            and path not in known["links"]
            and (moved := _move(known["project"], path, keep))
        ):
            yield path, moved
    own = known["repositories"]
    links = gitlinks(known["project"], own[:1]) - set(known["gitlinks"])
    for root in known["write"]:
        for path in find_nested(root, own, started, links, set(known["guarded"])):
            if moved := _move(root, path, keep):
                yield path, moved


def _restore_link(
    link: str, target: str, known: dict[str, Any], keep: str
) -> Iterator[tuple[str, str]]:
    root = next(root for root in known["write"] if is_below(link, root))
    with parent_of(root, link) as handle:
        if handle is None:
            return
        name = basename(link)
        with contextlib.suppress(OSError):
            if os.readlink(name, dir_fd=handle) == target:
                return
        if moved := _move(root, link, keep):
            yield link, moved
        with contextlib.suppress(OSError):
            os.symlink(target, name, dir_fd=handle)


def _move(root: str, path: str, keep: str) -> str:
    """Move a path into the quarantine, if it is there; return where it is now, or nothing."""
    name = basename(path)
    with parent_of(root, path) as handle:
        if handle is None:
            return ""
        try:
            os.lstat(name, dir_fd=handle)
        except OSError:
            return ""
        os.makedirs(keep, 0o700, exist_ok=True)
        kept = join(keep, f"{len(os.listdir(keep))}-{name}")
        above, mode = dirname(path), open_up(root, dirname(path))
        open_up(root, path)  # a directory that is closed to us could not be moved
        try:
            os.rename(name, kept, src_dir_fd=handle)
        except OSError:
            kept = _copy_away(name, handle, kept)
        finally:
            if mode is not None:
                close_again(root, above, mode)
        return kept


def _copy_away(name: str, handle: int, kept: str) -> str:
    """Copy to another file system, and remove; nothing is followed."""
    import shutil  # noqa: PLC0415 - seldom

    source = f"/proc/self/fd/{handle}/{name}"
    try:
        if stat.S_ISDIR(os.lstat(name, dir_fd=handle).st_mode):
            with contextlib.suppress(shutil.Error, OSError):
                shutil.copytree(source, kept, symlinks=True)
            shutil.rmtree(name, dir_fd=handle)
        else:
            with contextlib.suppress(shutil.Error, OSError):
                shutil.copy2(source, kept, follow_symlinks=False)
            os.unlink(name, dir_fd=handle)
    except OSError:
        return ""
    return kept


def _remove_empty(root: str, directory: str, started: int) -> None:
    """Remove a directory that the command made for what was moved away, if it is empty."""
    while directory != root:
        with parent_of(root, directory) as handle:
            try:
                assert handle is not None
                is_new = os.lstat(basename(directory), dir_fd=handle).st_ctime_ns >= started
                if not is_new:
                    return
                os.rmdir(basename(directory), dir_fd=handle)
            except (OSError, AssertionError):
                return
        directory = dirname(directory)

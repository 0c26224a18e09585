"""Programs that copy, move, link and write files under names that follow from their arguments."""

from __future__ import annotations

import os
from collections.abc import Iterator

from laconic.knowledge.options import Parsed
from laconic.reading.acts import Verb
from laconic.undo.call import PlacedCall, is_device, texts
from laconic.undo.reach import COPY, HARD_LINK, Reach

_MOST_NAMES = 50_000


def copying(call: PlacedCall, reach: Reach) -> None:
    parsed = call.parsed
    sources, target, is_into = _ends(call, parsed)
    has_parents = parsed.has("--parents")
    for source in sources:
        name = source.lstrip("/") if has_parents else os.path.basename(source.rstrip("/"))
        for path in call.paths(source):
            if source in call.globs and not has_parents:
                name = os.path.basename(path.rstrip("/"))
            place = os.path.join(target, name) if is_into else target
            if name in (".", "..", ""):  # `cp -r src/. dst`
                place = target
            for below in _names_below(path):
                _written(reach, os.path.join(place, below) if below else place)
                _backups(reach, parsed, os.path.join(place, below) if below else place)


def moving(call: PlacedCall, reach: Reach) -> None:
    parsed = call.parsed
    sources, target, is_into = _ends(call, parsed)
    for source in sources:
        for path in call.paths(source):
            # Not by a link: the file lives on under its new name, and may be written there later.
            reach.add(path, deep=True)
            place = os.path.join(target, os.path.basename(path.rstrip("/"))) if is_into else target
            reach.add(place, deep=True, how=_replaced(parsed))
            _backups(reach, parsed, place)


def linking(call: PlacedCall, reach: Reach) -> None:
    parsed = call.parsed
    operands = texts(parsed.operands)
    if len(operands) == 1 and not parsed.has("-t", "--target-directory"):
        operands = [*operands, "."]
        sources, target, is_into = operands[:1], call.path("."), True
    else:
        sources, target, is_into = _ends(call, parsed)
    if parsed.has("-n", "--no-dereference") and os.path.islink(target):
        is_into = False
    for source in sources:
        for path in call.paths(source):
            place = os.path.join(target, os.path.basename(path.rstrip("/"))) if is_into else target
            reach.add(place, deep=True, how=_replaced(parsed))
            _backups(reach, parsed, place)


def installing(call: PlacedCall, reach: Reach) -> None:
    parsed = call.parsed
    if parsed.has("-d", "--directory"):
        for word in texts(parsed.operands):
            call.name_only(reach, word)
        return
    sources, target, is_into = _ends(call, parsed)
    for source in sources:
        for path in call.paths(source):
            place = os.path.join(target, os.path.basename(path)) if is_into else target
            _written(reach, place)
            _backups(reach, parsed, place)


def _ends(call: PlacedCall, parsed: Parsed) -> tuple[list[str], str, bool]:
    """Return sources, target, and whether the sources go into the target under their own names."""
    operands = texts(parsed.operands)
    into = texts(parsed.values("-t", "--target-directory"))
    if into:
        return operands, call.path(into[-1]), True
    if not operands:
        return [], call.directory, False
    target = call.path(operands[-1])
    if parsed.has("-T", "--no-target-directory"):
        return operands[:-1], target, False
    is_into = os.path.isdir(target) or len(operands) > 2  # noqa: PLR2004 - several go into one
    return operands[:-1], target, is_into


def _names_below(path: str) -> Iterator[str]:
    """Return "" for the path itself, and every name below it, relative to it."""
    yield ""
    if not os.path.isdir(path):
        return
    count = 0
    for directory, folders, files in os.walk(path):
        start = os.path.relpath(directory, path)
        for name in (*folders, *files):
            yield os.path.normpath(os.path.join(start, name))
            count += 1
            if count > _MOST_NAMES:
                return


def _written(reach: Reach, path: str) -> None:
    """Add a file that is written in place or replaced, and what a link there leads to."""
    if is_device(path):
        return
    reach.add(path)
    if os.path.islink(path):
        reach.add(os.path.realpath(path))


def _replaced(parsed: Parsed) -> str:
    """Tell how to keep a file that another one replaces; with a backup it stays on the disk."""
    return COPY if parsed.has("-b", "--backup", "-S", "--suffix") else HARD_LINK


def _backups(reach: Reach, parsed: Parsed, path: str) -> None:
    if parsed.has("-b", "--backup", "-S", "--suffix"):
        suffixes = texts(parsed.values("-S", "--suffix")) or ["~"]
        reach.add(f"{path}{suffixes[-1]}", deep=True)
        reach.add(f"{path}.~", prefix=True, deep=True)


# -- files by other names --------------------------------------------------------------------------


def split(call: PlacedCall, reach: Reach) -> None:
    parsed = call.parsed
    operands = texts(parsed.operands)
    prefix = operands[1] if len(operands) > 1 else "x"
    reach.add(call.path(prefix), prefix=True)


def csplit(call: PlacedCall, reach: Reach) -> None:
    parsed = call.parsed
    prefix = (texts(parsed.values("-f", "--prefix")) or ["xx"])[-1]
    reach.add(call.path(prefix), prefix=True)


def rsync(call: PlacedCall, reach: Reach) -> None:
    parsed = call.parsed
    operands = texts(parsed.operands)
    if parsed.has("-n", "--dry-run") or len(operands) < 2:  # noqa: PLR2004 - source and target
        return
    *sources, target = operands
    if ":" in target.partition("/")[0]:
        reach.beyond.append("rsync: it changes another machine")
        return
    deletes = any(option.name.startswith("--del") for option in parsed.options)
    for source in sources:
        if ":" in source.partition("/")[0]:
            call.tree(reach, target)
            call.doubt(reach, "the names come from another machine")
            continue
        for path in call.paths(source):
            place = call.path(target)
            if parsed.has("-R", "--relative"):
                place = os.path.join(place, source.lstrip("/"))
            elif not path.endswith("/"):
                is_into = os.path.isdir(place) or os.path.isdir(path) or len(sources) > 1
                place = os.path.join(place, os.path.basename(path)) if is_into else place
            if deletes:
                reach.add(place, deep=True)
            for below in _names_below(path):
                _written(reach, os.path.join(place, below) if below else place)
            if parsed.has("--remove-source-files"):
                reach.add(path, deep=True, how=COPY)
    for word in texts(parsed.values("--backup-dir", "--partial-dir")):
        call.tree(reach, word)
    if parsed.has("-b", "--backup"):
        call.doubt(reach, "the names of the backups are not known")


def patch(call: PlacedCall, reach: Reach) -> None:
    """The files that the gate finds in the patch, with what is put beside them."""
    suffixes = (".orig", ".rej", "~", *texts(call.parsed.values("-z", "--suffix")))
    written = call.acted_on(Verb.WRITE)
    is_looking = call.parsed.has("--dry-run", "-C", "--check", "-v", "--version", "--help")
    if not written and not is_looking:
        call.doubt(reach, "the names in the patch are not known")
    for path in map(call.path, written):
        reach.add_followed(path)
        reach.add(f"{path}.~", prefix=True)  # numbered backups
        for suffix in suffixes:
            reach.add(f"{path}{suffix}")


def trap(call: PlacedCall, reach: Reach) -> None:
    if call.acted_on(Verb.SHELL):
        call.doubt(reach, "what it runs later is not followed")

"""Keeps the objects of git that only a deleted ref held, until the ref may come back.

They stay in the repository until git collects garbage, which may be at once. Nothing is kept twice:
what another ref holds is left out, as by `git rev-list --objects GONE --not --all`.
"""

from __future__ import annotations

import contextlib
import heapq
import os
import zlib
from collections.abc import Iterable, Iterator

from laconic.git.objects import MissingObjectError, Objects
from laconic.undo.refs import read_file

_ID = 20  # the bytes of an object's id
_MOST_REFS, _MOST_COMMITS, _MOST_OBJECTS, _MOST_BYTES = 2_000, 20_000, 20_000, 64 << 20
_TREE, _SUBMODULE = b"40000", b"160000"
_GONE, _KEPT = 1, 2
# git walks on for a while, too (limit_list() in revision.c): the dates of commits may be equal
# or wrong.
_SLOP = 20
_ZERO = bytes(_ID)


class TooManyError(Exception):
    """There are more objects than are kept."""


def gone_ids(repository: str, path: str, before: bytes) -> set[bytes]:
    """Return the objects that a file of refs named before, in this text, and no longer names."""
    now = read_file(path)
    if path.startswith(f"{repository}/logs/"):
        # A stash is known by its log alone: old and new id, then who and why.
        if path != f"{repository}/logs/refs/stash":
            return set()
        return _ids(before, 1) - _ids(now, 1)
    return _ids(before, 0) - _ids(now, 0)


def _ids(text: bytes, column: int) -> set[bytes]:
    ids = set()
    for line in text.splitlines():
        name = line.lstrip(b"^").split(b" ")[column : column + 1]
        with contextlib.suppress(ValueError, IndexError):
            one = bytes.fromhex(name[0].decode("ascii", "replace"))
            if len(one) == _ID and one != _ZERO:
                ids.add(one)
    return ids


def write_held(repository: str, gone: set[bytes], target: str) -> None:
    """Write the objects that only these held into a file. Raises TooManyError, and writes none.

    The file has the path of the repository and a NUL; then for each object its id, a length, and
    that many bytes, which are what git has in the file of a loose object.
    """
    objects = Objects(f"{repository}/objects")
    kept = set(_all_refs(repository))
    records: list[bytes] = []
    size = 0
    for one in _objects(objects, _only_in(objects, gone, kept)):
        kind, content = objects.read(one)
        data = zlib.compress(b"%b %d\0%b" % (kind, len(content), content), 1)
        records.append(one + len(data).to_bytes(4, "big") + data)
        size += len(data)
        if len(records) > _MOST_OBJECTS or size > _MOST_BYTES:
            raise TooManyError
    if records:
        handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with open(handle, "wb") as file:
            file.write(os.fsencode(repository) + b"\0" + b"".join(records))


def put_back(source: str) -> None:
    """Put objects that a repository no longer has back into it."""
    try:
        with open(source, "rb") as file:
            place, _, data = file.read().partition(b"\0")
    except FileNotFoundError:
        return
    directory = f"{os.fsdecode(place)}/objects"
    if not os.path.isdir(directory):
        return
    objects = Objects(directory)
    at = 0
    while at < len(data):
        one, size = data[at : at + _ID], int.from_bytes(data[at + _ID : at + _ID + 4], "big")
        at += _ID + 4
        try:
            objects.read(one)
        except MissingObjectError:
            _write_loose(directory, one.hex(), data[at : at + size])
        at += size


def _write_loose(directory: str, name: str, data: bytes) -> None:
    folder = f"{directory}/{name[:2]}"
    if not os.path.isdir(folder):
        os.mkdir(folder)
    new = os.path.join(folder, "tmp_obj_laconic")  # git prune removes tmp_obj_*: builtin/prune.c
    handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o444)
    with open(handle, "wb") as file:
        file.write(data)
    os.replace(new, f"{folder}/{name[2:]}")


# -- what only some refs hold ----------------------------------------------------------------------


def _all_refs(repository: str) -> Iterator[bytes]:
    loose = [
        os.path.join(directory, name)
        for directory, _, names in os.walk(f"{repository}/refs")
        for name in names
    ]
    files = [f"{repository}/HEAD", *loose]
    with contextlib.suppress(OSError):
        files += [f"{repository}/worktrees/{n}/HEAD" for n in os.listdir(f"{repository}/worktrees")]
    if len(files) > _MOST_REFS:
        raise TooManyError
    for path in files:
        yield from _ids(read_file(path), 0)
    yield from _ids(read_file(f"{repository}/logs/refs/stash"), 1)
    # What a ref is that has a file, its line among the packed ones does not say.
    names = {os.fsencode(path[len(repository) + 1 :]) for path in loose}
    for line in read_file(f"{repository}/packed-refs").splitlines():
        if line[:1] != b"^" and line.partition(b" ")[2] not in names:
            yield from _ids(line, 0)


def _only_in(objects: Objects, gone: Iterable[bytes], kept: Iterable[bytes]) -> list[bytes]:
    """Return the commits, tags and the like that only the first lead to."""
    marks: dict[bytes, int] = {}
    queue: list[tuple[int, bytes]] = []
    parents: dict[bytes, list[bytes]] = {}

    def mark(one: bytes, bits: int) -> None:
        known = marks.get(one, 0)
        if known | bits != known:
            marks[one] = known | bits
            with contextlib.suppress(MissingObjectError):
                heapq.heappush(queue, (-_date(objects, one), one))

    for one in gone:
        mark(one, _GONE)
    for one in kept:
        mark(one, _KEPT)
    slop = _SLOP
    while queue and slop:
        one = heapq.heappop(queue)[1]
        is_open = marks[one] != _KEPT or any(marks[other] == _GONE for _, other in queue)
        slop = _SLOP if is_open else slop - 1
        if one not in parents:
            if len(parents) > _MOST_COMMITS:
                raise TooManyError
            with contextlib.suppress(MissingObjectError):
                parents[one] = _leads_to(objects, one)
        for parent in parents.get(one, ()):
            mark(parent, marks[one])
    return [one for one, bits in marks.items() if bits == _GONE]


def _leads_to(objects: Objects, one: bytes) -> list[bytes]:
    kind, content = objects.read(one)
    if kind == b"tag":  # `object ID` is its first line: git-mktag(1)
        return [bytes.fromhex(content[7 : 7 + 2 * _ID].decode())]
    return objects.commit(one)[1] if kind == b"commit" else []


def _date(objects: Objects, one: bytes) -> int:
    """Return when a commit was made; a tag and anything else count as new."""
    kind, content = objects.read(one)
    head = content.partition(b"\n\n")[0]
    start = head.find(b"\ncommitter ")
    if kind != b"commit" or start < 0:
        return 1 << 62
    line = head[start + 1 :].partition(b"\n")[0]
    return int(line.rsplit(b" ", 2)[1])


def _objects(objects: Objects, found: Iterable[bytes]) -> Iterator[bytes]:
    """Return these objects, and what is in the trees of commits that their parents do not have."""
    seen: set[bytes] = set()
    for one in found:
        kind = objects.read(one)[0]
        new = [one] if kind != b"tree" else []
        if kind == b"commit":
            tree, parents = objects.commit(one)
            theirs = [objects.commit(parent)[0] for parent in parents]
            new += _new_in(objects, tree, theirs)
        elif kind == b"tree":
            new += _new_in(objects, one, [])
        yield from (each for each in new if each not in seen)
        seen.update(new)


def _new_in(objects: Objects, tree: bytes, others: list[bytes]) -> Iterator[bytes]:
    if tree in others:
        return
    yield tree
    known = [objects.tree(other) for other in others]
    for name, (mode, one) in objects.tree(tree).items():
        sides = [side[name] for side in known if name in side]
        if mode == _SUBMODULE or (mode, one) in sides:
            continue
        if mode == _TREE:
            yield from _new_in(objects, one, [side[1] for side in sides if side[0] == _TREE])
        else:
            yield one

"""Reads commits and trees of a git repository, loose or packed, without starting git.

https://git-scm.com/docs/gitformat-pack and https://git-scm.com/book/en/v2/Git-Internals-Git-Objects
"""

from __future__ import annotations

import contextlib
import mmap
import os
import zlib
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from hashlib import sha1

_LENGTH = 20
_TYPES = {1: b"commit", 2: b"tree", 3: b"blob", 4: b"tag"}
_OFFSET_DELTA, _REF_DELTA = 6, 7
_MOST_BYTES = 64 << 20
_TREE_MODE = b"40000"
_FANOUT, _HEAD = 256 * 4, 8
_MOST_ALTERNATES = 5


class MissingObjectError(Exception):
    """An object is not here, or cannot be read."""


class Pack:
    """One pack with its index, version 2."""

    def __init__(self, index_path: str) -> None:
        self._path = index_path.removesuffix(".idx") + ".pack"
        self._data: mmap.mmap | None = None
        self._index = _mapped(index_path)
        if self._index[:8] != b"\xfftOc\0\0\0\2":
            raise MissingObjectError(index_path)
        self._count = self._number(_HEAD + _FANOUT - 4)

    def _number(self, at: int) -> int:
        return int.from_bytes(self._index[at : at + 4], "big")

    def _id_at(self, position: int) -> bytes:
        at = _HEAD + _FANOUT + position * _LENGTH
        return self._index[at : at + _LENGTH]

    def _range(self, first: int) -> range:
        low = self._number(_HEAD + 4 * (first - 1)) if first else 0
        return range(low, self._number(_HEAD + 4 * first))

    def offset(self, object_id: bytes) -> int | None:
        where = self._range(object_id[0])
        position = bisect_left(where, object_id, key=self._id_at)
        if position == len(where) or self._id_at(where[position]) != object_id:
            return None
        offsets = _HEAD + _FANOUT + self._count * (_LENGTH + 4)
        value = self._number(offsets + 4 * where[position])
        if value & 0x80000000:
            large = offsets + 4 * self._count + 8 * (value & 0x7FFFFFFF)
            value = int.from_bytes(self._index[large : large + 8], "big")
        return value

    def starting(self, prefix: str) -> Iterator[bytes]:
        """Return the ids that begin with these hexadecimal digits."""
        for position in self._range(int(prefix[:2], 16)):
            object_id = self._id_at(position)
            if object_id.hex().startswith(prefix):
                yield object_id

    def read(self, offset: int, objects: Objects) -> tuple[bytes, bytes]:
        if self._data is None:
            self._data = _mapped(self._path)
        data, at = self._data, offset
        byte = data[at]
        kind, shift = byte >> 4 & 7, 4
        size = byte & 15
        while byte & 128:
            at += 1
            byte = data[at]
            size |= (byte & 127) << shift
            shift += 7
        at += 1
        if size > _MOST_BYTES:
            raise MissingObjectError(self._path)
        if kind == _OFFSET_DELTA:
            back, at = read_offset(data, at)
            base_kind, base = self.read(offset - back, objects)
            return base_kind, _patched(base, self._inflated(at, size))
        if kind == _REF_DELTA:
            base_kind, base = objects.read(data[at : at + _LENGTH])
            return base_kind, _patched(base, self._inflated(at + _LENGTH, size))
        return _TYPES[kind], self._inflated(at, size)

    def _inflated(self, at: int, size: int) -> bytes:
        assert self._data is not None
        # Compressed data is at most a little longer than the data itself (zlib's compressBound()).
        return zlib.decompressobj().decompress(self._data[at : at + size + size // 100 + 64], size)


def read_offset(data: bytes | mmap.mmap, at: int) -> tuple[int, int]:
    """Read a number as packs write offsets; return it, and the position after it.

    https://git-scm.com/docs/gitformat-pack, "offset encoding".
    """
    byte = data[at]
    value = byte & 127
    while byte & 128:
        at += 1
        byte = data[at]
        value = ((value + 1) << 7) | (byte & 127)
    return value, at + 1


def blob_id(data: bytes) -> bytes:
    """Return what git calls the content of a file."""
    return sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).digest()


def _mapped(path: str) -> mmap.mmap:
    with open(path, "rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _patched(base: bytes, delta: bytes) -> bytes:
    """Apply a delta: copies from the base, and new bytes."""
    _, at = _delta_size(delta, 0)
    _, at = _delta_size(delta, at)
    pieces = []
    while at < len(delta):
        byte = delta[at]
        at += 1
        if byte & 128:
            offset = size = 0
            for bit in range(4):
                if byte & 1 << bit:
                    offset |= delta[at] << 8 * bit
                    at += 1
            for bit in range(3):
                if byte & 16 << bit:
                    size |= delta[at] << 8 * bit
                    at += 1
            pieces.append(base[offset : offset + (size or 0x10000)])
        else:
            pieces.append(delta[at : at + byte])
            at += byte
    return b"".join(pieces)


def _delta_size(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if not byte & 128:
            return value, at


class Objects:
    """The objects of a repository, and of those that it borrows from.

    replaced: those that other objects stand for.
    """

    def __init__(self, directory: str, replaced: Mapping[bytes, bytes] | None = None) -> None:
        self.directories, self._replaced = [directory], replaced or {}
        self._packs: list[Pack] | None = None
        for one in self.directories[:_MOST_ALTERNATES]:
            with contextlib.suppress(OSError), open(f"{one}/info/alternates", "rb") as file:
                for line in file.read(_MOST_BYTES).splitlines():
                    self.directories.append(os.path.join(one, os.fsdecode(line)))

    def read(self, object_id: bytes) -> tuple[bytes, bytes]:
        """Return kind and content; raises MissingObjectError."""
        object_id = self._replaced.get(object_id, object_id)
        name = object_id.hex()
        try:
            for directory in self.directories:
                with (
                    contextlib.suppress(FileNotFoundError),
                    open(f"{directory}/{name[:2]}/{name[2:]}", "rb") as file,
                ):
                    data = zlib.decompressobj().decompress(file.read(_MOST_BYTES), _MOST_BYTES)
                    header, _, content = data.partition(b"\0")
                    return header.split(b" ")[0], content
            for pack in self.packs():
                offset = pack.offset(object_id)
                if offset is not None:
                    return pack.read(offset, self)
        except (OSError, zlib.error, IndexError, KeyError, ValueError, RecursionError) as error:
            raise MissingObjectError(name) from error
        raise MissingObjectError(name)

    def has(self, object_id: bytes) -> bool:
        """Tell whether an object is here; it is not read."""
        name = object_id.hex()
        is_loose = any(os.path.exists(f"{one}/{name[:2]}/{name[2:]}") for one in self.directories)
        return is_loose or any(pack.offset(object_id) is not None for pack in self.packs())

    def packs(self) -> list[Pack]:
        if self._packs is None:
            self._packs = []
            for directory in self.directories:
                with contextlib.suppress(OSError):
                    for name in os.listdir(f"{directory}/pack"):
                        if name.endswith(".idx"):
                            with contextlib.suppress(MissingObjectError, OSError, ValueError):
                                self._packs.append(Pack(f"{directory}/pack/{name}"))
        return self._packs

    def starting(self, prefix: str) -> bytes | None:
        """Return the only object whose name begins with these digits."""
        ids = set()
        for directory in self.directories:
            with contextlib.suppress(OSError):
                for name in os.listdir(f"{directory}/{prefix[:2]}"):
                    if name.startswith(prefix[2:]):
                        ids.add(bytes.fromhex(prefix[:2] + name))
        for pack in self.packs():
            ids.update(pack.starting(prefix))
        return ids.pop() if len(ids) == 1 else None

    def commit(self, object_id: bytes) -> tuple[bytes, list[bytes]]:
        """Return the tree and the parents of a commit; a tag leads to its commit."""
        kind, content = self.read(object_id)
        if kind == b"tree":
            return object_id, []
        head = content.partition(b"\n\n")[0].split(b"\n")
        fields = [line.split(b" ", 1) for line in head if b" " in line]
        if kind == b"tag":
            return self.commit(bytes.fromhex(fields[0][1].decode()))
        if kind != b"commit":
            raise MissingObjectError(object_id.hex())
        ids = {key: bytes.fromhex(value.decode()) for key, value in fields[:1]}
        parents = [bytes.fromhex(value.decode()) for key, value in fields if key == b"parent"]
        return ids[b"tree"], parents

    def tree(self, object_id: bytes) -> dict[bytes, tuple[bytes, bytes]]:
        """Return the names in a tree, each with mode and object."""
        kind, data = self.read(object_id)
        if kind != b"tree":
            raise MissingObjectError(object_id.hex())
        found, at = {}, 0
        while at < len(data):
            blank = data.index(b" ", at)
            end = data.index(b"\0", blank)
            found[data[blank + 1 : end]] = data[at:blank], data[end + 1 : end + 1 + _LENGTH]
            at = end + 1 + _LENGTH
        return found

    def when(self, object_id: bytes) -> int:
        """Return the time of a commit, in seconds; 0 if it does not say so."""
        for line in self.read(object_id)[1].partition(b"\n\n")[0].split(b"\n"):
            if line.startswith(b"committer "):
                seconds = line.rsplit(b" ", 2)[1]
                return int(seconds) if seconds.isdigit() else 0
        return 0

    def names(self, object_id: bytes, start: bytes = b"") -> Iterator[bytes]:
        """Return all paths in a tree."""
        return (name for name, _ in self.entries(object_id, start))

    def entries(
        self, object_id: bytes, start: bytes = b""
    ) -> Iterator[tuple[bytes, tuple[bytes, bytes]]]:
        """Return all paths in a tree, each with mode and object."""
        for name, (mode, child) in self.tree(object_id).items():
            if mode == _TREE_MODE:
                yield from self.entries(child, start + name + b"/")
            else:
                yield start + name, (mode, child)

    def differences(self, one: bytes, other: bytes, start: bytes = b"") -> Iterator[bytes]:
        """Return the paths that differ between two trees; equal directories are not read."""
        if one == other:
            return
        first, second = self.tree(one), self.tree(other)
        for name in first.keys() | second.keys():
            mine, theirs = first.get(name), second.get(name)
            if mine == theirs:
                continue
            sides = [side for side in (mine, theirs) if side]
            trees = [side[1] for side in sides if side[0] == _TREE_MODE]
            if len(trees) == 2:  # noqa: PLR2004 - a directory on both sides
                yield from self.differences(trees[0], trees[1], start + name + b"/")
                continue
            for tree in trees:
                yield from self.names(tree, start + name + b"/")
            if len(trees) < len(sides):
                yield start + name

"""Reads the index of a git repository.

https://git-scm.com/docs/index-format

git itself is not asked, because it runs programs that the repository names.
"""

from __future__ import annotations

import os
import struct
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_HEADER = struct.Struct(">4sII")
_EXTENSION = struct.Struct(">4sI")
_ENTRY = struct.Struct(">10I20sH")
_EXTENDED_FLAG, _NAME_MASK = 0x4000, 0x0FFF
_SECOND = 10**9
_WORD = 0xFFFFFFFF
_TYPE, _SUBMODULE, _LINK, _EXECUTABLE = 0o170000, 0o160000, 0o120000, 0o100
_MOST_BYTES = 256 << 20
_VERSIONS = (2, 3, 4)
_PADDING = 8


class UnreadableError(ValueError):
    """It is not an index, or one that we cannot read."""


class Tracked(NamedTuple):
    """An entry; status: the ten numbers that git keeps of the file."""

    name: bytes
    status: tuple[int, ...]
    object_id: bytes
    flags: int
    extended: int

    @property
    def mode(self) -> int:
        return self.status[6]

    @property
    def is_submodule(self) -> bool:
        return self.status[6] & _TYPE == _SUBMODULE


class CacheTree:
    """What an index knows of a directory as git would write it; object_id empty: not valid."""

    __slots__ = ("below", "object_id")

    def __init__(self, object_id: bytes) -> None:
        self.object_id = object_id
        self.below: dict[bytes, CacheTree] = {}


class Index:
    """A whole index. is_split: a part of it is in another file, so the entries are not all."""

    __slots__ = ("entries", "is_split", "tree")

    def __init__(self, path: str) -> None:
        self.entries: list[Tracked] = []
        self.tree: CacheTree | None = None
        self.is_split = False
        with open(path, "rb") as file:
            data = file.read(_MOST_BYTES)
        try:
            self._read_extensions(data, self._read_entries(data))
        except (struct.error, ValueError, IndexError) as error:
            raise UnreadableError(f"{path} cannot be read as an index") from error

    def _read_entries(self, data: bytes) -> int:
        signature, version, count = _HEADER.unpack_from(data)
        if signature != b"DIRC" or version not in _VERSIONS:
            raise ValueError("not an index")
        at, name = _HEADER.size, b""
        unpack, size, found = _ENTRY.unpack_from, _ENTRY.size, data.index
        for _ in range(count):
            start = at
            *status, object_id, flags = unpack(data, at)
            at += size
            extended = 0
            if flags & _EXTENDED_FLAG:
                extended = int.from_bytes(data[at : at + 2], "big")
                at += 2
            if version == 4:  # noqa: PLR2004 - what names share is written once
                shared, at = _variable(data, at)
                end = found(0, at)
                name = name[: len(name) - shared] + data[at:end]
                at = end + 1
            else:
                end = found(0, at)
                name = data[at:end]
                at = start + ((end - start + _PADDING) & -_PADDING)
            self.entries.append(Tracked(name, tuple(status), object_id, flags, extended))
        return at

    def _read_extensions(self, data: bytes, at: int) -> None:
        end = len(data) - 20  # the checksum
        while at + _EXTENSION.size <= end:
            signature, size = _EXTENSION.unpack_from(data, at)
            at += _EXTENSION.size
            if signature == b"TREE":
                self.tree, _ = _cache_tree(data[at : at + size], 0)
            elif signature == b"link":
                self.is_split = True
            at += size

    def differing(self, top: str) -> Iterator[bytes]:
        """Give the names of files that are there and not known to be as the index says.

        This takes no notice of assume-unchanged and skip-worktree, as git's checkouts do not.
        """
        start, lstat = os.fsencode(top) + b"/", os.lstat
        for name, status, _, _, _ in self.entries:
            try:
                now = lstat(start + name)
            except OSError:
                continue
            changed_s, _, modified_s, modified_ns, _, inode, mode, _, _, size = status
            if (
                now.st_mtime_ns != modified_s * _SECOND + modified_ns
                or now.st_size & _WORD != size
                or now.st_ino & _WORD != inode
                or now.st_ctime_ns // _SECOND & _WORD != changed_s
                or (
                    mode & _TYPE != _LINK
                    and bool(now.st_mode & _EXECUTABLE) != bool(mode & _EXECUTABLE)
                )
            ) and mode & _TYPE != _SUBMODULE:
                yield name


def _variable(data: bytes, at: int) -> tuple[int, int]:
    """Read a number as offsets in packs are written."""
    byte = data[at]
    value = byte & 127
    while byte & 128:
        at += 1
        byte = data[at]
        value = ((value + 1) << 7) | (byte & 127)
    return value, at + 1


def _cache_tree(data: bytes, at: int) -> tuple[CacheTree, int]:
    """Read one directory and those below it; the caller has read its name."""
    at = data.index(0, at) + 1
    end = data.index(b"\n", at)
    count, below = map(int, data[at:end].split(b" "))
    at = end + 1
    object_id = b""
    if count >= 0:
        object_id = data[at : at + 20]
        at += 20
    made = CacheTree(object_id)
    for _ in range(below):
        name = data[at : data.index(0, at)]
        made.below[name], at = _cache_tree(data, at)
    return made, at


def meaning(path: str) -> str:
    """Give a digest of what an index says, times and inodes left out; "" if it cannot be read.

    `git status` writes the times anew, and that must not look like somebody's change.
    """
    from hashlib import blake2b  # noqa: PLC0415 - few commands change an index

    found = blake2b(digest_size=16)
    try:
        for one in Index(path).entries:
            row = (one.name, one.mode, one.object_id, one.flags & ~_NAME_MASK, one.extended)
            found.update(repr(row).encode())
    except (OSError, ValueError):
        return ""
    return found.hexdigest()

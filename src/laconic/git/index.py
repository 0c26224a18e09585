"""Reads the index of a git repository.

https://git-scm.com/docs/index-format

git itself is not asked, because it runs programs that the repository names.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

from laconic.git.objects import read_offset

_HEADER = struct.Struct(">4sII")
_EXTENSION = struct.Struct(">4sI")
_ENTRIES = {20: struct.Struct(">10I20sH"), 32: struct.Struct(">10I32sH")}  # SHA-1, SHA-256
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
    """An entry; fields: the ten numbers that git keeps of the file, the object, and the flags."""

    name: bytes
    fields: tuple[Any, ...]
    extended: int

    @property
    def mode(self) -> int:
        return self.fields[6]  # type: ignore[no-any-return]

    @property
    def object_id(self) -> bytes:
        return self.fields[10]  # type: ignore[no-any-return]

    @property
    def flags(self) -> int:
        return self.fields[11]  # type: ignore[no-any-return]


class CacheTree:
    """What an index knows of a directory as git would write it; object_id empty: not valid."""

    __slots__ = ("below", "object_id")

    def __init__(self, object_id: bytes) -> None:
        self.object_id = object_id
        self.below: dict[bytes, CacheTree] = {}


class Index:
    """A whole index. is_split: entries are missing, because of another file or a sparse one."""

    __slots__ = ("_tree", "entries", "is_split")

    def __init__(self, path: str, data: bytes | None = None, hash_bytes: int = 20) -> None:
        """Read an index; data: what is in it, if that is known. Raises OSError, UnreadableError."""
        self.entries: list[Tracked] = []
        self._tree = b""
        self.is_split = False
        if data is None:
            with open(path, "rb") as file:
                data = file.read(_MOST_BYTES)
        try:
            end = self._read_entries(data, _ENTRIES[hash_bytes])
            self._read_extensions(data, end, hash_bytes)
        except (struct.error, ValueError, IndexError) as error:
            raise UnreadableError(f"{path} cannot be read as an index") from error

    def _read_entries(self, data: bytes, entry: struct.Struct) -> int:
        signature, version, count = _HEADER.unpack_from(data)
        if signature != b"DIRC" or version not in _VERSIONS:
            raise ValueError("not an index")
        at, name = _HEADER.size, b""
        unpack, size, found = entry.unpack_from, entry.size, data.index
        add, new = self.entries.append, tuple.__new__  # there may be a hundred thousand
        for _ in range(count):
            start = at
            fields = unpack(data, at)
            at += size
            extended = 0
            if fields[11] & _EXTENDED_FLAG:
                extended = int.from_bytes(data[at : at + 2], "big")
                at += 2
            if version == 4:  # noqa: PLR2004 - what names share is written once
                shared, at = read_offset(data, at)
                end = found(0, at)
                name = name[: len(name) - shared] + data[at:end]
                at = end + 1
            else:
                end = found(0, at)
                name = data[at:end]
                at = start + ((end - start + _PADDING) & -_PADDING)
            add(new(Tracked, (name, fields, extended)))
            if name.endswith(b"/"):  # a whole directory, in a sparse index
                self.is_split = True
        return at

    def _read_extensions(self, data: bytes, at: int, hash_bytes: int) -> None:
        end = len(data) - hash_bytes  # the checksum
        while at + _EXTENSION.size <= end:
            signature, size = _EXTENSION.unpack_from(data, at)
            at += _EXTENSION.size
            if signature == b"TREE":
                self._tree = data[at : at + size]
            elif signature == b"link":
                self.is_split = True
            at += size

    @property
    def tree(self) -> CacheTree | None:
        return _cache_tree(self._tree, 0)[0] if self._tree else None

    @property
    def tree_id(self) -> bytes:
        """The tree that the whole index is, if git has noted that; else empty."""
        end = self._tree.find(b"\n")
        is_valid = end > 0 and not self._tree.startswith(b"\0-")
        return self._tree[end + 1 : end + 21] if is_valid else b""

    def differing(self, top: str, *, or_absent: bool = False) -> Iterator[bytes]:
        """Return the names of files that are there and not known to be as the index says.

        or_absent: also of those that are not there.
        This takes no notice of assume-unchanged and skip-worktree, as git's checkouts do not.
        """
        start, lstat = os.fsencode(top) + b"/", os.lstat
        for name, fields, _ in self.entries:
            try:
                now = lstat(start + name)
            except OSError:
                if or_absent:
                    yield name
                continue
            changed_s, _, modified_s, modified_ns, _, inode, mode, _, _, size, _, _ = fields
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


def submodules(path: str, data: bytes, hash_bytes: int = 20) -> list[bytes]:
    """Return the names of submodules in an index; none if it cannot be read."""
    if _SUBMODULE.to_bytes(4, "big") not in data:
        return []
    try:
        entries = Index(path, data, hash_bytes).entries
    except UnreadableError:
        return []
    return [one.name for one in entries if one.mode & _TYPE == _SUBMODULE]


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
    """Return a digest of what an index says, times and inodes left out; "" if it cannot be read.

    `git status` writes the times anew, and that must not look like somebody's change.
    """
    from hashlib import blake2b  # noqa: PLC0415 - few commands change an index

    try:
        rows = [
            b"%b\0%b%o %o %o\n" % (name, fields[10], fields[6], fields[11] & ~_NAME_MASK, extended)
            for name, fields, extended in Index(path).entries
        ]
    except (OSError, ValueError):
        return ""
    return blake2b(b"".join(rows), digest_size=16).hexdigest()

"""What is at a path: kind, mode, owner, times, link target, extended attributes, content.

Nothing here follows a symbolic link at the end of a path.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FILE, DIRECTORY, LINK, FIFO, OTHER = "file", "dir", "link", "fifo", "other"
_KINDS = {
    stat.S_IFREG: FILE,
    stat.S_IFDIR: DIRECTORY,
    stat.S_IFLNK: LINK,
    stat.S_IFIFO: FIFO,
}
_DIGEST_BYTES = 16
_CHUNK = 1 << 20


class Entry:
    """One thing in the file system.

    data: the name of its copy in the keep, if its content was kept. digest: of its content, where
    somebody needed it. meaning: of a git index, a digest that leaves out the times of files.
    """

    __slots__ = (
        "attributes", "changed_ns", "data", "digest", "inode", "kind", "links", "meaning", "mode",
        "modified_ns", "owner", "size", "target",
    )  # fmt: skip

    def __init__(self, kind: str, mode: int, owner: tuple[int, int], modified_ns: int) -> None:
        self.kind, self.mode, self.owner, self.modified_ns = kind, mode, owner, modified_ns
        self.size = self.inode = self.changed_ns = 0
        self.links = 1
        self.target = self.digest = self.data = self.meaning = ""
        self.attributes: dict[str, str] = {}

    def row(self) -> list[Any]:
        """Return the entry as JSON can hold it; the keep's manifest has one row per path."""
        row: list[Any] = [
            self.kind, self.mode, *self.owner, self.modified_ns, self.size, self.inode,
            self.changed_ns, self.links, self.data, self.digest,
        ]  # fmt: skip
        if self.target or self.attributes or self.meaning:
            row.append({"to": self.target, "x": self.attributes, "m": self.meaning})
        return row

    @classmethod
    def from_row(cls, row: list[Any]) -> Entry:
        entry = cls(row[0], row[1], (row[2], row[3]), row[4])
        entry.size, entry.inode, entry.changed_ns, entry.links = row[5:9]
        entry.data, entry.digest = row[9:11]
        if len(row) > 11:  # noqa: PLR2004 - the rare fields come after the others
            entry.target, entry.attributes = row[11]["to"], row[11]["x"]
            entry.meaning = row[11]["m"]
        return entry


def look(path: str) -> Entry | None:
    """Look at a path; None if nothing is there."""
    try:
        status = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            return None
        raise
    return of_status(path, status)


class Looker:
    """Looks at paths whose directories must be real: a link would lead to another place."""

    __slots__ = ("_real",)

    def __init__(self) -> None:
        self._real: dict[str, bool] = {}

    def is_here(self, path: str) -> bool:
        """Tell whether no directory above a path is a link, or gone."""
        parent = os.path.dirname(path)
        if parent not in self._real:
            self._real[parent] = os.path.realpath(parent) == parent
        return self._real[parent]

    def look(self, path: str) -> Entry | None:
        return look(path) if self.is_here(path) else None


def of_status(path: str, status: os.stat_result) -> Entry:
    kind = _KINDS.get(stat.S_IFMT(status.st_mode), OTHER)
    owner = (status.st_uid, status.st_gid)
    entry = Entry(kind, stat.S_IMODE(status.st_mode), owner, status.st_mtime_ns)
    entry.inode, entry.changed_ns = status.st_ino, status.st_ctime_ns
    if kind != DIRECTORY:
        entry.size, entry.links = status.st_size, status.st_nlink
    if kind == LINK:
        entry.target = os.readlink(path)
    entry.attributes = _attributes(path)
    return entry


def _attributes(path: str) -> dict[str, str]:
    if sys.platform == "darwin":  # Python has no calls for it there
        return {}
    with contextlib.suppress(OSError):
        return {
            name: os.getxattr(path, name, follow_symlinks=False).hex()
            for name in os.listxattr(path, follow_symlinks=False)
        }
    return {}


def digest_of(path: str, start: int = 0, size: int | None = None) -> str:
    """Return a digest of a regular file's content, or of a part of it; "" if it cannot be read."""
    from hashlib import blake2b  # noqa: PLC0415 - most files are known by their times

    digest = blake2b(digest_size=_DIGEST_BYTES)
    try:
        with open(open_to_read(path), "rb", buffering=0) as file:
            if size is not None:
                file.seek(start)
                digest.update(file.read(size))
            else:
                while piece := file.read(_CHUNK):
                    digest.update(piece)
    except OSError:
        return ""
    return digest.hexdigest()


def sum_of(path: str, start: int = 0, size: int | None = None) -> int:
    """Return a checksum of a file's content, or of a part of it; -1 if it cannot be read."""
    from zlib import crc32  # noqa: PLC0415 - only where something was changed

    found, left = 0, size
    try:
        with open(open_to_read(path), "rb", buffering=0) as file:
            file.seek(start)
            while piece := file.read(_CHUNK if left is None else min(_CHUNK, left)):
                found = crc32(piece, found)
                left = None if left is None else left - len(piece)
    except OSError:
        return -1
    return found


def open_to_read(path: str) -> int:
    """Open a file without following a link and without waiting for a pipe's other end."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    return os.open(path, flags)


def is_untouched(one: Entry | None, other: Entry | None) -> bool:
    """Tell whether nobody has touched it in between, by the change time (man 7 inode)."""
    if one is None or other is None:
        return one is other
    return (
        one.kind == other.kind
        and one.inode == other.inode
        and one.changed_ns == other.changed_ns
        and one.size == other.size
        and one.modified_ns == other.modified_ns
    )


def is_alike(one: Entry | None, other: Entry | None) -> bool:
    """Tell whether kind, mode, owner, link target and attributes are equal; not the content."""
    if one is None or other is None:
        return one is other
    return (
        one.kind == other.kind
        and one.owner == other.owner
        and (one.mode == other.mode or one.kind == LINK)
        and one.target == other.target
        and one.attributes == other.attributes
    )


def has_same_content(one: Entry, other: Entry) -> bool:
    """Compare two regular files by their digests, which must be known, or by what they mean."""
    if one.meaning and one.meaning == other.meaning:
        return True
    return one.size == other.size and bool(one.digest) and one.digest == other.digest

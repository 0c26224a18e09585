"""Reads the policy of this machine: one file of root's that speaks below and above every user's.

Where it is stands here and nowhere else: no variable, option or home names another place. A file
that anybody else may have written is not the policy, and neither is it as if there were none.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
import time

# pathlib takes six milliseconds to load.

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Self

# client/paths.c has it, too.
FOLDER = "/Library/Application Support/laconic" if sys.platform == "darwin" else "/etc/laconic"
POLICY, LAST_GOOD = "policy.toml", "policy.good.toml"
PATH = f"{FOLDER}/{POLICY}"
ROOT = 0
LIMIT = 1 << 20
_DAY_S = 86400
_OTHERS_WRITE = 0o022
_ASKS = b'on_failure = "ask"'

# What was read: the path, the bytes of the policy or what is wrong with it, those of the last good
# one, and the day, because a policy may expire.
Read = tuple[str, bytes | None, tuple[str, str], bytes | None, str]


class Managed:
    """What the policy says besides its two tables, and what it requires by name.

    said: what a reason calls it. is_broken: it is not in force as it was written; then `strict`
    and the last good one are. user_rules, agent_rules, trust: whether these count. allowances: how
    long they may last, in seconds; 0 for none. only_once: they count for one run. on_failure: what
    a hook answers that cannot decide. expires: the last day, as in 2027-01-31. lists: what it adds
    to each list, by dotted name. asks, denies: the effects that it requires to be asked about or
    denied, as words. profile: the loosest there may be. locked: the keys that it decides.
    """

    __slots__ = (
        "agent_rules", "allowances", "asks", "denies", "expires", "is_broken", "is_expired",
        "lists", "locked", "name", "on_failure", "only_once", "profile", "serial", "trust",
        "user_rules",
    )  # fmt: skip

    name: str
    serial: int
    expires: str
    is_broken: bool
    is_expired: bool
    user_rules: bool
    agent_rules: bool
    trust: bool
    allowances: float
    only_once: bool
    on_failure: str
    profile: str
    lists: Mapping[str, frozenset[str]]
    asks: tuple[str, ...]
    denies: tuple[str, ...]
    locked: frozenset[str]

    def __init__(self, **values: Any) -> None:
        for name in self.__slots__:
            object.__setattr__(self, name, values[name])

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a policy does not change: {name}")

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, ({name: getattr(self, name) for name in self.__slots__},)

    @property
    def said(self) -> str:
        if self.is_broken and not self.serial:
            return "this machine's policy, which is broken"
        return f"the policy of {self.name} (serial {self.serial})"

    @property
    def logged(self) -> str:
        """What the log of decisions says."""
        return "broken" if self.is_broken else str(self.serial)

    @property
    def requires(self) -> bool:
        """Tell whether it has a say over the user's."""
        return bool(self.locked)

    def has(self, name: str, entry: str) -> bool:
        """Tell whether it requires an entry in a list: `commands.deny`."""
        return entry in self.lists.get(name, ())

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        return cls(**values)


def _made(values: Mapping[str, Any]) -> Managed:
    return Managed.of(values)


class UnfitError(Exception):
    """A file that cannot be root's policy. Its text is a message and a hint."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.row = message, hint


def read_policy(folder: str = FOLDER, owner: int = ROOT) -> Read | None:
    """Return what the file holds, or what is wrong with it; None if there is none.

    What has been read is known by its status, which only root can keep as it is.
    """
    path = f"{folder}/{POLICY}"
    try:
        place, file = os.lstat(folder), os.lstat(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        return path, None, _why(path, error), None, _today()
    mark = folder, owner, int(time.time() // _DAY_S), *map(_identity, (place, file))
    if _last_read and _last_read[0][0] == mark:
        return _last_read[0][1]
    found = _read(folder, owner, path)
    _last_read[:] = [(mark, found)]
    return found


_last_read: list[tuple[Any, Read | None]] = []


def _identity(found: os.stat_result) -> tuple[int, ...]:
    return (
        found.st_dev, found.st_ino, found.st_mode, found.st_uid, found.st_size,
        found.st_mtime_ns, found.st_ctime_ns,
    )  # fmt: skip


def _today() -> str:
    return time.strftime("%Y-%m-%d", time.gmtime())


def _read(folder: str, owner: int, path: str) -> Read | None:
    try:
        place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        return path, None, _why(folder, error), None, _today()
    try:
        return _read_in(place, folder, owner, path)
    finally:
        os.close(place)


def _read_in(place: int, folder: str, owner: int, path: str) -> Read:
    if fault := unfit(folder, os.fstat(place), owner):
        return path, None, fault, None, _today()
    data = copy = None
    fault = ("", "")
    try:
        data = _read_file(place, POLICY, path, owner)
    except UnfitError as error:
        fault = error.row
    with contextlib.suppress(UnfitError):
        copy = _read_file(place, LAST_GOOD, f"{folder}/{LAST_GOOD}", owner)
    return path, data, fault, copy, _today()


def _read_file(place: int, name: str, path: str, owner: int) -> bytes:
    try:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        handle = os.open(name, flags, dir_fd=place)
    except OSError as error:
        raise UnfitError(*_why(path, error)) from error
    try:
        status = os.fstat(handle)
        if fault := unfit(path, status, owner):
            raise UnfitError(*fault)
        data = bytearray()
        while len(data) <= LIMIT and (piece := os.read(handle, LIMIT)):
            data += piece
    except OSError as error:
        raise UnfitError(*_why(path, error)) from error
    finally:
        os.close(handle)
    if len(data) > LIMIT:
        raise UnfitError(f"{path}: is larger than {LIMIT >> 10} KB", "make it smaller")
    return bytes(data)


def unfit(path: str, status: os.stat_result, owner: int = ROOT) -> tuple[str, str] | None:
    """Say why a file or directory may be another's than root's, and what to type; None if not."""
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        return f"{path}: is not a regular file", "put a file of root's there"
    if not is_owner(status.st_uid, owner):
        return f"{path}: does not belong to root", f"chown root '{path}'"
    if status.st_mode & _OTHERS_WRITE:
        return f"{path}: others than root may write it", f"chmod go-w '{path}'"
    return None


def is_owner(uid: int, owner: int) -> bool:
    """Tell whether that is root, who has another number where a sandbox has users of its own.

    There all that belongs to nobody inside is shown as the overflow user's (man 7 user_namespaces).
    """
    return uid == owner or (uid == _overflow_user() and not _has_root())


def _overflow_user() -> int:
    return int(_line("/proc/sys/kernel/overflowuid") or -1)


def _has_root() -> bool:
    """Tell whether root of the machine may be known here: the map of users has a line for all."""
    return not (maps := _line("/proc/self/uid_map").split()) or int(maps[2]) > 1


def _line(path: str) -> str:
    try:
        with open(path) as stream:  # noqa: PTH123 - as above
            return stream.readline().strip()
    except OSError:
        return ""


def _why(path: str, error: OSError) -> tuple[str, str]:
    if error.errno in (errno.ELOOP, errno.ENOTDIR):
        return f"{path}: is a link, or no directory", "put a directory and a file of root's there"
    return f"{path}: {error.strerror}", "let everybody read it: chmod a+rX"


def asks_on_failure(found: Read | None) -> bool:
    """Tell whether a hook that cannot decide is to ask, as client/laconic.c does without Python.

    Both look for one line, because neither parses TOML when nothing else works; a policy that says
    it in other words is refused. What is no good policy asks.
    """
    if found is None:
        return False
    data = found[1]
    return data is None or any(line.strip() == _ASKS for line in data.split(b"\n"))

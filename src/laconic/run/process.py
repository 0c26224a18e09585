"""Starts a command as the shell would have: same arguments, streams, limits and exit status."""

from __future__ import annotations

import errno
import os
import signal
import stat
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import NoReturn

NOT_EXECUTABLE, NOT_FOUND = 126, 127
_SHELL = "/bin/sh"
_ENOEXEC = 8
_LOOKED_AT = 80
# Python ignores these for itself; a command must find them as the shell leaves them.
_RESTORED = tuple(getattr(signal, name) for name in ("SIGPIPE", "SIGXFSZ") if hasattr(signal, name))


class StartError(Exception):
    """The command cannot be started; status: what the shell's exit status would be."""

    def __init__(self, name: str, error: OSError) -> None:
        self.status, reason = _explain(name, error)
        super().__init__(f"{name}: {reason}")


def spawn(
    argv: list[str],
    environ: Mapping[str, str],
    streams: Mapping[int, int],
    group: int | None = None,
) -> int:
    """Start a command with these descriptors as its streams, in a group; give its process id."""
    actions = [(os.POSIX_SPAWN_DUP2, source, number) for number, source in streams.items()]

    def start(command: list[str]) -> int:
        if group is None:
            return os.posix_spawnp(
                command[0], command, environ, file_actions=actions, setsigdef=_RESTORED
            )
        return os.posix_spawnp(
            command[0], command, environ,
            file_actions=actions, setsigdef=_RESTORED, setpgroup=group,
        )  # fmt: skip

    try:
        if not argv[0]:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))  # as a shell says it
        return start(argv)
    except OSError as error:
        script = _script(argv, error)
        if script is None:
            raise StartError(argv[0], error) from error
        return start(script)


def become(argv: list[str]) -> NoReturn:
    """Be the command from now on; StartError if it cannot be started."""
    for number in _RESTORED:
        signal.signal(number, signal.SIG_DFL)
    for stream in (sys.stdout, sys.stderr):
        if stream:
            stream.flush()
    try:
        os.execvp(argv[0], argv)  # noqa: S606 - the command was asked for
    except OSError as error:
        script = _script(argv, error)
        if script is None:
            raise StartError(argv[0], error) from error
        os.execv(script[0], script)  # noqa: S606


def exit_status(status: int) -> int:
    """Give what the shell calls the exit status: 128+n for death by signal n."""
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def _script(argv: list[str], error: OSError) -> list[str] | None:
    """A text file without `#!` is a script for the shell, as every shell treats it."""
    path = _find(argv[0])
    if error.errno != _ENOEXEC or path is None:
        return None
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        begin = os.read(handle, _LOOKED_AT)
    finally:
        os.close(handle)
    is_text = b"\0" not in begin.partition(b"\n")[0]
    return [_SHELL, path, *argv[1:]] if is_text else None


def _explain(name: str, error: OSError) -> tuple[int, str]:
    path = _find(name)
    if path is not None and os.path.isdir(path):  # noqa: PTH112 - loads no pathlib
        return NOT_EXECUTABLE, "is a directory"
    if path is None and "/" not in name:
        return NOT_FOUND, "command not found"
    if isinstance(error, FileNotFoundError):
        is_there = path is not None
        return (
            NOT_FOUND,
            "its interpreter is not there" if is_there else "no such file or directory",
        )
    return NOT_EXECUTABLE, (error.strerror or str(error)).lower()


def _find(name: str) -> str | None:
    """Give the file that a name leads to, the first executable one on the path."""
    if "/" in name:
        return name if os.path.exists(name) else None  # noqa: PTH110
    candidates = [f"{directory}/{name}" for directory in os.get_exec_path()]
    there = [path for path in candidates if os.path.isfile(path)]  # noqa: PTH113
    return next((path for path in there if os.access(path, os.X_OK)), there[0] if there else None)


def is_closed(handle: int) -> bool:
    try:
        os.fstat(handle)
    except OSError:
        return True
    return False


def are_same(first: int, second: int) -> bool:
    """Tell whether two descriptors lead to the same place, so that order between them shows."""
    one, other = os.fstat(first), os.fstat(second)
    if (one.st_dev, one.st_ino) != (other.st_dev, other.st_ino):
        return False
    return not stat.S_ISCHR(one.st_mode) or one.st_rdev == other.st_rdev


def has_terminal() -> bool:
    """Tell whether this session has a terminal, whose job control works on groups as they are."""
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC))
    except OSError:
        return False
    return True

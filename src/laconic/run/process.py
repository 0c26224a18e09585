"""Starts a command as the shell would have: same arguments, streams, limits and exit status."""

from __future__ import annotations

import errno
import os
import signal
import stat
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import NoReturn

NOT_EXECUTABLE, NOT_FOUND = 126, 127
_SHELL = "/bin/sh"
_LOOKED_AT = 80
_PATH = "/usr/local/bin:/usr/bin:/bin"  # used if PATH is not set
# Python ignores these signals; a command must start with the defaults, as in a shell:
# https://docs.python.org/3/library/signal.html#module-signal
_RESTORED = tuple(getattr(signal, name) for name in ("SIGPIPE", "SIGXFSZ") if hasattr(signal, name))


class StartError(Exception):
    """The command cannot be started; status: the exit status that a shell would return."""

    def __init__(self, name: str, status: int, reason: str) -> None:
        self.status = status
        super().__init__(f"{name}: {reason}")


def spawn(
    argv: list[str],
    environ: Mapping[str, str],
    streams: Mapping[int, int],
    group: int | None = None,
) -> int:
    """Start a command with these descriptors as its streams, in a group; return its process id."""
    actions = [(os.POSIX_SPAWN_DUP2, source, number) for number, source in streams.items()]

    def start(path: str, command: list[str]) -> int:
        if group is None:
            return os.posix_spawn(path, command, environ, file_actions=actions, setsigdef=_RESTORED)
        return os.posix_spawn(
            path, command, environ, file_actions=actions, setsigdef=_RESTORED, setpgroup=group
        )

    return _as_a_shell_does(argv, environ, start)


def become(argv: list[str], environ: Mapping[str, str]) -> NoReturn:
    """Replace this process by the command; raises StartError if it cannot be started."""
    for number in _RESTORED:
        signal.signal(number, signal.SIG_DFL)
    for stream in (sys.stdout, sys.stderr):
        if stream:
            stream.flush()

    def start(path: str, command: list[str]) -> NoReturn:
        os.execve(path, command, environ)  # noqa: S606 - the command was asked for

    _as_a_shell_does(argv, environ, start)
    raise AssertionError  # execve() does not return


def exit_status(status: int) -> int:
    """Convert a wait status to the shell's exit status: 128+n for death by signal n.

    https://www.gnu.org/software/bash/manual/html_node/Exit-Status.html
    """
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


# -- the file behind a name; client/start.c does the same ------------------------------------------


def _as_a_shell_does(
    argv: list[str], environ: Mapping[str, str], start: Callable[[str, list[str]], int]
) -> int:
    """Start a file as bash would: the same file, and the same exit status if that fails.

    man 1 bash, "COMMAND EXECUTION".
    """
    path = _find(argv[0], environ)
    try:
        try:
            return start(path, argv)
        except OSError as error:
            if error.errno != errno.ENOEXEC:
                raise
        if _is_binary(path):
            raise StartError(argv[0], NOT_EXECUTABLE, "cannot execute binary file")
        return start(_SHELL, [_SHELL, path, *argv[1:]])
    except OSError as error:
        # The system has no room for a process; the file itself is fine.
        if error.errno in (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE):
            raise
        status, reason = _explain(path, error)
        raise StartError(argv[0], status, reason) from error


def _find(name: str, environ: Mapping[str, str]) -> str:
    """Return the path of a command: the first executable file of its name, else the first file."""
    if "/" in name:
        return name
    there = ""
    for directory in environ.get("PATH", _PATH).split(":") if name else ():
        path = f"{directory or '.'}/{name}"
        if not os.path.exists(path) or os.path.isdir(path):  # noqa: PTH110, PTH112 - no pathlib
            continue
        if os.access(path, os.X_OK):
            return path
        there = there or path
    if not there:
        raise StartError(name, NOT_FOUND, "command not found")
    return there


def _is_binary(path: str) -> bool:
    """Tell whether a shell refuses a file: it is ELF, or its first line has a NUL byte.

    In a file that begins with `#!` the first two lines count: check_binary_file() in bash's
    general.c.
    """
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        begin = os.read(handle, _LOOKED_AT)
    finally:
        os.close(handle)
    lines = begin.split(b"\n")[: 2 if begin.startswith(b"#!") else 1]
    return begin.startswith(b"\x7fELF") or any(b"\0" in line for line in lines)


def _explain(path: str, error: OSError) -> tuple[int, str]:
    """Return the exit status and the reason, as shell_execve() in bash's execute_cmd.c does."""
    if os.path.isdir(path):  # noqa: PTH112 - as above
        return NOT_EXECUTABLE, "is a directory"
    if error.errno != errno.ENOENT:
        return NOT_EXECUTABLE, (error.strerror or str(error)).lower()
    is_there = os.path.exists(path)  # noqa: PTH110 - as above
    return NOT_FOUND, "its interpreter is not there" if is_there else "no such file or directory"


def is_closed(handle: int) -> bool:
    try:
        os.fstat(handle)
    except OSError:
        return True
    return False


def are_same(first: int, second: int) -> bool:
    """Tell whether two descriptors lead to the same place, so that their order matters."""
    one, other = os.fstat(first), os.fstat(second)
    if (one.st_dev, one.st_ino) != (other.st_dev, other.st_ino):
        return False
    return not stat.S_ISCHR(one.st_mode) or one.st_rdev == other.st_rdev


def has_terminal() -> bool:
    """Tell whether this session has a terminal, whose job control acts on process groups."""
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC))
    except OSError:
        return False
    return True

"""Honours the pipe that was taken off a command: `| head`, `| tail` or `| grep`."""

from __future__ import annotations

import contextlib
import os

from laconic.run import guard
from laconic.run.process import StartError, exit_status, has_terminal, spawn
from laconic.run.signals import Child

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from laconic.run.printer import Printer

_SHELL = "/bin/sh"


def pick(pipe: str, path: str, environ: Mapping[str, str]) -> tuple[int, bytes]:
    """Run a pipe's command on a file; give its exit status and what it prints."""
    source = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    read, write = os.pipe()
    try:
        pid = spawn([_SHELL, "-c", pipe], environ, {0: source, 1: write})
    finally:
        os.close(source)
        os.close(write)
    with os.fdopen(read, "rb") as printed:
        data = printed.read()
    return exit_status(os.waitpid(pid, 0)[1]), data


def matches(pipe: str, path: str, environ: Mapping[str, str]) -> list[int]:
    """Give the numbers of the lines that a grep picks, counted from 1; none for other commands."""
    name, _, rest = pipe.partition(" ")
    if name != "grep":
        return []
    _, data = pick(f"grep -n {rest}", path, environ)
    numbers = [line.partition(b":")[0] for line in data.split(b"\n")]
    return [int(number) for number in numbers if number.isdigit()]


def run_piped(
    argv: list[str],
    pipe: str,
    environ: Mapping[str, str],
    printer: Printer,
    *,
    with_stderr: bool,
) -> tuple[int, int]:
    """Run a command into its pipe as the shell would; give the exit status of both."""
    shares_terminal = has_terminal()
    watcher = guard.start({}, {})
    child = Child(shares_terminal=shares_terminal)
    group = None if shares_terminal else watcher.pid
    read, write = os.pipe()
    try:
        picker = spawn([_SHELL, "-c", pipe], environ, {0: read}, group)
        streams = {1: write, 2: write} if with_stderr else {1: write}
        status = _start(argv, environ, streams, group, child, printer)
    finally:
        os.close(read)
        os.close(write)
    if shares_terminal and child.pid:
        with contextlib.suppress(guard.LostError):
            watcher.watch(child.pid)
    while status is None:
        child.wait_for_signal()
        child.check()
        status = child.status
    picked = exit_status(os.waitpid(picker, 0)[1])
    watcher.release()
    return status, picked


def _start(
    argv: list[str],
    environ: Mapping[str, str],
    streams: Mapping[int, int],
    group: int | None,
    child: Child,
    printer: Printer,
) -> int | None:
    """Start the command; its exit status if that cannot be."""
    try:
        pid = spawn(argv, environ, streams, group)
    except StartError as error:
        printer.write("err", f"laconic: {error}\n".encode("utf-8", "surrogateescape"))
        return error.status
    child.started(pid, pid if group is None else -group)
    return None

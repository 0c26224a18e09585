"""Applies the pipe that was taken off a command: `| head`, `| tail` or `| grep`."""

from __future__ import annotations

import contextlib
import os
import select
from collections.abc import Mapping
from itertools import takewhile

from laconic.run import guard
from laconic.run.drain import Drain, open_pipe
from laconic.run.printer import NUMBERS, Printer
from laconic.run.process import StartError, are_same, exit_status, has_terminal, spawn
from laconic.run.signals import Child
from laconic.run.spool import BOTH, ERR, OUT

_SHELL = "/bin/sh"


def pick(pipe: str, path: str, environ: Mapping[str, str]) -> tuple[int, bytes]:
    """Run a pipe's command on a file; return its exit status and what it prints."""
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
    """Return the numbers, from 1, of the lines that a grep asks for; none for other commands.

    `grep -v` asks for no line: it takes some away.
    """
    name, _, rest = pipe.partition(" ")
    flags = takewhile(lambda word: word.startswith("-"), rest.split())
    if name != "grep" or any("v" in flag for flag in flags if not flag.startswith("--")):
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
    """Run a command into its pipe as the shell would; return the exit status of both.

    Their output goes directly to our own stdout and stderr, or through the printer if secrets must
    be masked.
    """
    shares_terminal = has_terminal()
    watcher = guard.start({}, {})
    child = Child(shares_terminal=shares_terminal)
    group = None if shares_terminal else watcher.pid
    read, write = os.pipe()
    ends = _masked_ends(printer)
    outer = {number: ends[number][1] for number in ends}
    try:
        picker = spawn([_SHELL, "-c", pipe], environ, {**outer, 0: read}, group)
        streams = {1: write, 2: write} if with_stderr else {**outer, 1: write}
        status = _start(argv, environ, streams, group, child, printer)
    finally:
        for handle in {read, write, *outer.values()}:
            os.close(handle)
    if shares_terminal and child.pid:
        with contextlib.suppress(guard.LostError):
            watcher.watch(child.pid)
    names = {1: BOTH, 2: BOTH} if len(set(ends.values())) == 1 else {1: OUT, 2: ERR}
    drain = Drain({names[number]: ends[number][0] for number in ends}, printer.write)
    picked: int | None = None
    while status is None or picked is None:
        _turn(child, drain, printer)
        if status is None:
            child.check()
            status = child.status
        if picked is None and (found := os.waitpid(picker, os.WNOHANG))[0]:
            picked = exit_status(found[1])
    _finish(drain)
    watcher.release()
    return status, picked


def _masked_ends(printer: Printer) -> dict[int, tuple[int, int]]:
    """Make the pipes for stdout and stderr, one for both if they lead to the same place."""
    if printer.mask is None:
        return {}
    first = open_pipe()
    return {1: first, 2: first if are_same(1, 2) else open_pipe()}


def _turn(child: Child, drain: Drain, printer: Printer) -> None:
    """Wait for a signal or for something to print, and print it."""
    poll = select.poll()
    poll.register(child.wakeup, select.POLLIN)
    streams = {handle: stream for stream, handle in drain.pipes.items()}
    for handle in streams:
        poll.register(handle, select.POLLIN)
    if streams:
        printer.watch(poll)
    for handle, event in poll.poll():
        if handle in streams:
            drain.move(streams[handle])
        elif handle == child.wakeup:
            child.forget_wakeups()
        else:
            printer.note(handle, event)
    for stream in streams.values():
        if NUMBERS[stream] in printer.gone:  # writers get SIGPIPE, as they would without us
            drain.close(stream)


def _finish(drain: Drain) -> None:
    """Print what is left; background processes that still write have no reader."""
    drain.move_all()
    if drain.pipes:
        nowhere = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
        guard.start(drain.pipes, dict.fromkeys(drain.pipes, nowhere)).release()


def _start(
    argv: list[str],
    environ: Mapping[str, str],
    streams: Mapping[int, int],
    group: int | None,
    child: Child,
    printer: Printer,
) -> int | None:
    """Start the command; return the exit status if it cannot be started."""
    try:
        pid = spawn(argv, environ, streams, group)
    except StartError as error:
        printer.write("err", f"laconic: {error}\n".encode("utf-8", "surrogateescape"))
        return error.status
    child.started(pid, pid if group is None else -group)
    return None

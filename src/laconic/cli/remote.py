"""Attends to a command that a client runs: says what to print of its output, while and after.

The client has the command and its spool. Whatever fails here, the connection ends, and the client
prints the output as it is.
"""

# pathlib takes six milliseconds to load.
# ruff: noqa: PTH119, PTH120
from __future__ import annotations

import os
from os.path import basename, dirname

from laconic.choice import choose
from laconic.cli import run as run_options
from laconic.deliver import Source, prepare, write_down
from laconic.masking import Masker
from laconic.record.store import STREAMS, is_id
from laconic.run.follow import Follower, follower
from laconic.run.printer import NUMBERS, Collector
from laconic.run.spool import Spool
from laconic.server import wire
from laconic.surroundings import state_directory
from laconic.task import Task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from laconic.choice import Choice
    from laconic.server.wire import Call
    from laconic.server.worker import Connection


_MOST_AT_ONCE = 4 << 20  # bytes; what grows faster than anybody reads is shown at its end


class Texts(Collector):
    """Collects what the client is to print next."""

    __slots__ = ()
    is_silent = False

    def take(self) -> tuple[bytes, bytes]:
        out, err = (bytes(self.collected[number]) for number in (1, 2))
        self.collected = {1: bytearray(), 2: bytearray()}
        return out, err


class Remote:
    """The client's run, in the place of a Runner."""

    def __init__(self, spool: Spool, environ: Mapping[str, str]) -> None:
        self.spool, self.printer = spool, Texts()
        self.mask = self.printer.mask = Masker.of(environ)
        self.printed = dict.fromkeys(spool.handles, 0)

    def close(self) -> None:
        for handle in self.spool.handles.values():
            os.close(handle)


def attend(connection: Connection, call: Call) -> None:
    paths = [path.decode("utf-8", "surrogateescape") for path in call.rest.texts()]
    call.rest.end()
    spool = _open_spool(paths, f"{state_directory(call.variables)}/spool")
    remote = Remote(spool, call.variables)
    try:
        _Attendance(connection, task_of(call.arguments), remote, call.variables).run()
    finally:
        remote.close()


def task_of(arguments: list[str]) -> Task:
    """What the words of `laconic run` or `laconic wrap` ask for."""
    if arguments[0] == "wrap":
        task = Task(arguments[2:])
        task.is_wrapped = True
        return task
    values, command = run_options.read_flags("run", arguments[1:], run_options.FLAGS)
    task = Task(command)
    task.pipe, task.pipe_stderr = values["--baseline-pipe"], bool(values["--pipe-stderr"])
    task.pipefail, task.prefer_less = bool(values["--pipefail"]), bool(values["--prefer-less"])
    return task


def _open_spool(paths: list[str], directory: str) -> Spool:
    names = [basename(path).split(".") for path in paths]
    raw_id = names[0][0]
    known = all(name == [raw_id, name[-1]] and name[-1] in STREAMS for name in names)
    if not known or not is_id(raw_id) or any(dirname(path) != directory for path in paths):
        raise wire.WireError("this is no spool")
    spool = Spool(directory, raw_id, {})
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW
    for path, (_, stream) in zip(paths, names, strict=True):
        spool.handles[stream] = os.open(path, flags)
    return spool


class _Attendance:
    """One command, from its start to the records."""

    def __init__(
        self, connection: Connection, task: Task, remote: Remote, environ: Mapping[str, str]
    ) -> None:
        self._connection, self._task, self._remote = connection, task, remote
        self._variables = environ
        self._followers: dict[str, Follower] = {}

    def run(self) -> None:
        choice = choose(self._task, self._variables)
        if self._task.pipe:
            # Where the pipe's own result is wanted, a command must feel that `head` has enough.
            is_ours = choice.view.is_summary
            self._connection.send(wire.answer(0) if is_ours else wire.reply(wire.COLD))
            if not is_ours:
                return
        while True:
            kind, body = self._connection.receive(patiently=True)
            if kind == wire.MORE:
                self._follow(choice)
            elif kind == wire.DONE:
                self._finish(choice, wire.Reader(body))
                return
            else:
                return  # the client is gone

    def _follow(self, choice: Choice) -> None:
        view = choice.view
        for stream in self._remote.spool.handles if not self._task.pipe else ():
            if stream not in self._followers:
                made = follower(self._remote, stream, view.filter, is_exact=view.is_exact)  # type: ignore[arg-type]
                self._followers[stream] = made
            if self._remote.spool.size(stream) - self._remote.printed[stream] < _MOST_AT_ONCE:
                self._followers[stream].tick()
        self._connection.send(wire.answer(0, *self._remote.printer.take()))

    def _finish(self, choice: Choice, result: wire.Reader) -> None:
        status, duration_ms = result.number(), result.number()
        source = Source(self._remote, self._followers)  # type: ignore[arg-type]
        delivery = prepare(self._task, choice, source, status, self._variables)
        if delivery.texts is None:
            self._send_raw(delivery.status)
        else:
            for stream, data in delivery.texts.items():
                self._remote.printer.write(stream, data)
            self._remote.printer.finish()
            self._connection.send(wire.answer(delivery.status, *self._remote.printer.take()))
        write_down(self._task, choice, delivery, source, duration_ms / 1000, self._variables)

    def _send_raw(self, status: int) -> None:
        """Have the client print the output itself, behind what it has printed of it already."""
        skipped = [0, 0, 0]
        for stream, size in self._remote.printed.items():
            number = NUMBERS[stream]
            skipped[number] = size - self._remote.mask.held(number)
        self._connection.send(wire.reply(wire.RAW, status, skipped[1], skipped[2]))

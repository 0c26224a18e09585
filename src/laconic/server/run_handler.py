"""Supervises a command that a client runs: says what to print, while it runs and afterwards.

The client has the command and its spool. If anything fails here, the connection ends, and the
client prints the output as it is.
"""

# pathlib takes six milliseconds to load.
# ruff: noqa: PTH119, PTH120
from __future__ import annotations

import contextlib
import os
from os.path import basename, dirname

from laconic.errors import UsageError
from laconic.record.store import STREAMS, is_id
from laconic.run.execute import explained
from laconic.run.follow import Follower, follower
from laconic.run.options import RAW, read_flags, read_task
from laconic.run.plan import choose
from laconic.run.printer import NUMBERS, Collector
from laconic.run.result import Source, prepare, write_down
from laconic.run.spool import ERR, Spool
from laconic.run.task import Task
from laconic.secrets.mask import masker_at
from laconic.server import wire
from laconic.settings.environ import is_on, state_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from laconic.run.plan import Choice
    from laconic.server.wire import Call
    from laconic.server.worker import Connection


class Texts(Collector):
    """Collects what the client is to print next."""

    __slots__ = ()
    is_silent = False

    def take(self) -> tuple[bytes, bytes]:
        out, err = (bytes(self.collected[number]) for number in (1, 2))
        self.collected = {1: bytearray(), 2: bytearray()}
        return out, err


class Remote:
    """The client's run, used like a Runner."""

    def __init__(self, spool: Spool, environ: Mapping[str, str], terminals: frozenset[int]) -> None:
        self.spool, self.printer = spool, Texts()
        self.mask = self.printer.mask = masker_at(environ, terminals)
        self.printed = dict.fromkeys(spool.handles, 0)
        self.is_open = False

    def close(self) -> None:
        for handle in self.spool.handles.values():
            os.close(handle)


def attend(connection: Connection, call: Call) -> None:
    bits = call.rest.number()
    terminals = frozenset(number for number in range(3) if bits >> number & 1)
    paths = [path.decode("utf-8", "surrogateescape") for path in call.rest.texts()]
    call.rest.end()
    spool = _open_spool(paths, f"{state_directory(call.variables)}/spool")
    remote = Remote(spool, call.variables, terminals)
    try:
        _Attendance(connection, task_of(call.arguments), remote, call.variables).run()
    except (OSError, wire.WireError):
        raise
    except Exception as error:
        from laconic.record.bug_report import write_report  # noqa: PLC0415 - a bug is rare

        write_report(error, call.variables)
        raise
    finally:
        remote.close()


def task_of(arguments: list[str]) -> Task:
    """Build the task from the words of `laconic run` or a similar command."""
    name, *words = arguments
    if name == "run":
        return read_task(words)
    _, command = read_flags(name, words, (RAW,))
    task = Task(command, "run" if name == "wrap" else name)
    task.is_wrapped = name == "wrap"
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
        # If the whole output is needed, or a filter took too long, everything waits for the end.
        self._is_patient = bool(task.pipe) or task.mode != "run"

    def run(self) -> None:
        with contextlib.suppress(OSError):
            self._remote.spool.note(self._task.command)
        try:
            choice = choose(self._task, self._variables)
        except UsageError as error:  # the filter does not exist: nothing runs
            self._connection.send(wire.answer(2, b"", error.lines))
            return
        if self._task.pipe or self._task.filter_id:
            # If the pipe's own result is wanted, the command must notice when `head` has enough.
            is_ours = not self._task.pipe or choice.view.is_summary
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
                return  # the client has gone

    def _follow(self, choice: Choice) -> None:
        view = choice.view
        for stream in () if self._is_patient else self._remote.spool.handles:
            if stream not in self._followers:
                made = follower(self._remote, stream, view.filter, is_exact=view.is_exact)  # type: ignore[arg-type]
                self._followers[stream] = made
            if not self._followers[stream].tick():
                self._is_patient = True
        self._connection.send(wire.shown(self._printed(), *self._remote.printer.take()))

    def _finish(self, choice: Choice, result: wire.Reader) -> None:
        status, duration_ms = result.number(), result.number()
        self._remote.is_open = bool(result.number())
        source = Source(self._remote, self._followers)  # type: ignore[arg-type]
        delivery = prepare(self._task, choice, source, status, self._variables)
        said = b""
        if is_on(self._variables, "LACONIC_VERBOSE"):
            said = explained(delivery, choice)
        if delivery.texts is None:
            self._send_raw(delivery.status, said)
        else:
            for stream, data in delivery.texts.items():
                self._remote.printer.write(stream, data)
            self._remote.printer.finish()
            self._remote.printer.write(ERR, said)
            self._connection.send(wire.answer(delivery.status, *self._remote.printer.take()))
        write_down(self._task, choice, delivery, source, duration_ms / 1000, self._variables)

    def _send_raw(self, status: int, said: bytes = b"") -> None:
        """Have the client print the rest of the output itself, after what it has printed."""
        self._connection.send(wire.reply(wire.RAW, status, *self._printed(), said))

    def _printed(self) -> tuple[int, int]:
        """Return how much of stdout and of stderr was printed as it is, from the beginning."""
        sizes = [0, 0, 0]
        for stream, size in self._remote.printed.items():
            number = NUMBERS[stream]
            sizes[number] = size - (self._remote.mask.held(number) if self._remote.mask else 0)
        return sizes[1], sizes[2]

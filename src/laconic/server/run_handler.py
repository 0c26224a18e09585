"""Supervises a command that a client runs: says what to print, while it runs and afterwards.

The client has the command and its spool. If anything fails here, the connection ends, and the
client prints the output as it is.
"""

# pathlib takes six milliseconds to load.
# ruff: noqa: PTH119, PTH120
from __future__ import annotations

import contextlib
import os
import stat
from os.path import basename, dirname

from laconic.errors import LaconicError, UsageError
from laconic.record.store import STREAMS, is_id
from laconic.run.execute import NOT_RUN, verbose_line
from laconic.run.keeping import keep_before, notice_after, warning_before
from laconic.run.launcher import typed_name
from laconic.run.options import read_task
from laconic.run.printer import NUMBERS, Collector
from laconic.run.spool import ERR, Spool
from laconic.run.supervise import SupervisedRun, notice_of
from laconic.secrets.mask import masker_at
from laconic.server import wire
from laconic.settings.environ import is_on, state_directory
from laconic.settings.load import read_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from laconic.run.task import Task
    from laconic.server.wire import ClientCall
    from laconic.server.worker import Connection, Steps
    from laconic.undo.around import Around


class Texts(Collector):
    """Collects what the client is to print next."""

    __slots__ = ()
    is_silent = False

    def take(self) -> tuple[bytes, bytes]:
        out, err = (bytes(self.collected[number]) for number in (1, 2))
        self.collected = {1: bytearray(), 2: bytearray()}
        return out, err


class ClientOutput:
    """The output of the client's command; what is printed goes into the answer to the client."""

    def __init__(self, spool: Spool, environ: Mapping[str, str], terminals: frozenset[int]) -> None:
        self.spool, self.printer = spool, Texts()
        self.mask = self.printer.mask = masker_at(environ, terminals)
        self.printed = dict.fromkeys(spool.handles, 0)
        self.is_open = False

    def print_raw(self) -> None:
        """Do nothing: the client prints the rest of its spool itself."""

    def printed_bytes(self) -> tuple[int, int]:
        """Return how much of stdout and of stderr was printed as it is, from the beginning."""
        sizes = [0, 0, 0]
        for stream, size in self.printed.items():
            number = NUMBERS[stream]
            sizes[number] = size - (self.mask.held(number) if self.mask else 0)
        return sizes[1], sizes[2]

    def close(self) -> None:
        for handle in self.spool.handles.values():
            os.close(handle)


def attend(
    connection: Connection, call: ClientCall, in_memory: Sequence[int] | None = None
) -> Steps:
    """Supervise a command, frame by frame.

    in_memory: the spools that the client has no files for; None in the server, which believes no
    client. Else we are the caller's own: a pipe may run here, and the spools may be anywhere.
    """
    is_own = in_memory is not None
    bits = call.rest.number()
    terminals = frozenset(number for number in range(3) if bits >> number & 1)
    paths = [path.decode("utf-8", "surrogateescape") for path in call.rest.texts()]
    call.rest.end()
    if not paths:
        yield from _attend_beside(
            connection, read_task(call.arguments[0], call.arguments[1:]), call
        )
        return
    directory = dirname(paths[0]) if is_own else f"{state_directory(call.variables)}/spool"
    spool = _open_spool(paths, directory, in_memory or ())
    output = ClientOutput(spool, call.variables, terminals)
    try:
        task = read_task(call.arguments[0], call.arguments[1:])
        yield from _supervise(connection, task, output, call, starts_programs=is_own)
    except (OSError, wire.WireError):
        raise
    except Exception as error:
        from laconic.record.bug_report import write_report  # noqa: PLC0415 - a bug is rare

        write_report(error, call.variables)
        raise
    finally:
        output.close()


def _attend_beside(connection: Connection, task: Task, call: ClientCall) -> Steps:
    """Only keep what a command will change, or open its box: it has the client's own streams."""
    if task.is_boxed:
        connection.send(_consent(task, call))
        return
    try:
        around = keep_before(task, call.variables, call.directory)
    except LaconicError as error:
        connection.send(_not_run(error))
        return
    said = warning_before(around) if around is not None else b""
    with _kept(connection, around, wire.answer(0, b"", said)):
        kind, body = yield
        if kind == wire.Kind.DONE:
            said = notice_after(around, call.variables) if around is not None else b""
            connection.send(wire.answer(wire.Reader(body).number(), b"", said))


@contextlib.contextmanager
def _kept(connection: Connection, around: Around | None, consent: bytes) -> Iterator[None]:
    """Have the client start its command after this was kept, and attend to it meanwhile."""
    try:
        connection.send(consent)
    except OSError:
        if around is not None:
            around.drop()
        raise
    try:
        yield
    finally:
        if around is not None:
            around.close()


def _open_spool(paths: list[str], directory: str, in_memory: Sequence[int]) -> Spool:
    names = [basename(path).split(".") for path in paths]
    raw_id = names[0][0]
    known = all(name == [raw_id, name[-1]] and name[-1] in STREAMS for name in names)
    if not known or not is_id(raw_id) or any(dirname(path) != directory for path in paths):
        raise wire.WireError("this is not a spool")
    if in_memory:
        streams = [stream for _, stream in names]
        return Spool("", raw_id, dict(zip(streams, in_memory, strict=True)))
    spool = Spool(dirname(directory), raw_id, {})
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK  # a pipe is not waited for
    for path, (_, stream) in zip(paths, names, strict=True):
        spool.handles[stream] = os.open(path, flags)
        if not stat.S_ISREG(os.fstat(spool.handles[stream]).st_mode):
            raise wire.WireError("this is not a spool")
    return spool


def _supervise(
    connection: Connection,
    task: Task,
    output: ClientOutput,
    call: ClientCall,
    *,
    starts_programs: bool,
) -> Steps:
    with contextlib.suppress(OSError):
        output.spool.note(task.command)
    try:
        run = SupervisedRun(task, call.variables, output)
    except UsageError as error:  # the filter does not exist: nothing runs
        connection.send(wire.answer(2, b"", error.lines))
        return
    if task.pipe or task.filter_id or task.is_boxed or task.wants_undo:
        # If the pipe's own result is wanted, the command must notice when `head` has enough.
        is_ours = not task.pipe or (starts_programs and run.plan.view.is_summary)
        consent = _consent(task, call) if is_ours else wire.reply(wire.Kind.COLD)
        is_run = is_ours and (not task.is_boxed or bool(task.box))
        try:
            around = keep_before(task, call.variables, call.directory) if is_run else None
        except LaconicError as error:
            connection.send(_not_run(error))
            return
        if around is not None and around.warning:
            said = warning_before(around)
            consent = wire.boxed(task.box, said) if task.box else wire.answer(0, b"", said)
        with _kept(connection, around, consent):
            if is_run:
                yield from _attend_run(connection, run, output, call, task, around)
    else:
        yield from _attend_run(connection, run, output, call, task, None)


def _attend_run(
    connection: Connection,
    run: SupervisedRun,
    output: ClientOutput,
    call: ClientCall,
    task: Task,
    around: Around | None,
) -> Steps:
    """Answer until the command has ended; around: what was kept before it."""
    while True:
        kind, body = yield
        if kind == wire.Kind.MORE:
            run.follow()
            connection.send(wire.shown(output.printed_bytes(), *output.printer.take()))
        elif kind == wire.Kind.DONE:
            _finish(connection, run, output, call, task, around, wire.Reader(body))
            return
        else:
            return  # the client has gone


def _not_run(why: LaconicError) -> bytes:
    return wire.answer(NOT_RUN, b"", why.text.encode("utf-8", "backslashreplace"))


def _consent(task: Task, call: ClientCall) -> bytes:
    """Let the client start the command; in a box, if it is to run there and there can be one."""
    if not task.is_boxed:
        return wire.answer(0)
    from laconic.box.launch import open_box, project_of  # noqa: PLC0415 - few commands run there

    environ, directory = call.variables, call.directory
    launcher = typed_name(environ)
    outside = f"{launcher} run --outside {task.command}"
    try:
        project = task.project or project_of(directory, environ)
        settings = read_settings(environ, task.project or directory)
        is_elsewhere = bool(task.project)
        opened = open_box(
            project, directory, settings, environ,
            words=task.argv, outside=outside, is_elsewhere=is_elsewhere,
        )  # fmt: skip
    except LaconicError as error:
        said = LaconicError(f"the command was not run: {error.message}", error.hint)
        return _not_run(said)
    if not opened.words:
        return wire.reply(wire.Kind.COLD)
    task.box = opened.words
    task.notice = lambda status, out, err: opened.notice(status, out, err, task.command, launcher)
    return wire.boxed(task.box)


def _finish(
    connection: Connection,
    run: SupervisedRun,
    output: ClientOutput,
    call: ClientCall,
    task: Task,
    around: Around | None,
    ended: wire.Reader,
) -> None:
    status, duration_ms = ended.number(), ended.number()
    output.is_open = bool(ended.number())
    result = run.finish(status)
    said = notice_of(task, output.spool, status)
    said += verbose_line(run) if is_on(call.variables, "LACONIC_VERBOSE") else b""
    said += notice_after(around, call.variables) if around is not None else b""
    if result.texts is None:
        connection.send(wire.reply(wire.Kind.RAW, result.status, *output.printed_bytes(), said))
    else:
        output.printer.finish()
        output.printer.write(ERR, said)
        connection.send(wire.answer(result.status, *output.printer.take()))
    run.record(duration_ms / 1000)

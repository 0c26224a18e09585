"""Answers clients in sandboxes, at a named pipe in each place where these keep outputs.

Who is confined otherwise than the server is not its client, and a Python of one's own takes long
to start. So a process of the server's waits here for questions what to print of a short output.
Whatever arrives may have been written by any program in a sandbox. It is answered by a function of
words, status and bytes, with the user's own configuration: nothing is written down outside, no
program is started, no file is opened but spools, as `record/collect` opens them, and whoever asked
prints and keeps the rest. client/slot.c asks.
"""

# A directory is only reached through its descriptor, which pathlib does not do.
# ruff: noqa: PTH116
from __future__ import annotations

import contextlib
import faulthandler
import gc
import os
import select
import stat
import sys
import time
from collections.abc import Iterator, Mapping

from laconic.machine.processes import resident_bytes
from laconic.record.collect import RefusedError, open_file, opened, read_whole
from laconic.record.kept import known
from laconic.record.store import is_id
from laconic.run.plan import plan_run
from laconic.run.spool import BOTH, ERR, OUT, Spool
from laconic.run.supervise import SupervisedRun
from laconic.run.task import Task, as_word
from laconic.server import wire
from laconic.server.run_handler import ClientOutput
from laconic.server.worker import refuse_programs
from laconic.settings.environ import state_directory
from laconic.settings.load import read_settings

MOST_BYTES = 1 << 20  # of an output, as in client/slot.c
_PIPE_BYTES = 1 << 16  # what one holds (man 7 pipe)
_STREAMS = frozenset(((BOTH,), (OUT,), (OUT, ERR)))
_MOST_STATUS = 255
_STUCK_S = 5  # for one answer; then this process ends, and the server makes another one
_LOOK_S = 1.0  # how often it looks for places
_SEND_S = 0.5
_MOST_GROWTH = 64 << 20  # then it ends, too
_FLAGS = os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC


class Question:
    """What a client asks, as far as it can be what one asks: else WireError.

    launcher: the name by which it was started. marks: variables that say who reads the output.
    """

    def __init__(self, body: bytes) -> None:
        reader = wire.Reader(body)
        self.status, self.duration_ms = reader.number(), reader.number()
        self.raw_id = _decoded(reader.text())
        self.streams = [_decoded(name) for name in reader.texts()]
        self.project, self.launcher = _decoded(reader.text()), _decoded(reader.text())
        self.words = [_decoded(word) for word in reader.texts()]
        pairs = [_decoded(pair).partition("=") for pair in reader.texts()]
        self.marks = {name: value for name, _, value in pairs}
        reader.end()
        is_known = tuple(self.streams) in _STREAMS and self.status <= _MOST_STATUS
        if not is_known or not is_id(self.raw_id) or not self.words:
            raise wire.WireError("this is not a question")


class _Bytes(Spool):
    """An output that is known as a whole; who asks keeps it."""

    def __init__(self, raw_id: str, data: dict[str, bytes]) -> None:
        super().__init__("there", raw_id, dict.fromkeys(data, -1))
        self._data, self.is_kept = data, False

    def size(self, stream: str) -> int:
        return len(self._data[stream])

    def read(self, stream: str, start: int, end: int) -> bytes:
        return self._data[stream][start:end]

    def keep(self, _store_mb: int, _store_days: int) -> str:
        self.is_kept = True
        return self.raw_id


def answer(asked: Question, data: dict[str, bytes], environ: Mapping[str, str]) -> bytes:
    """Return the frame that says what to print; environ: that of the server.

    A function of its arguments, and of the user's own files.
    """
    task = Task(asked.words)
    task.launcher = as_word(asked.launcher)
    task.is_elsewhere = True
    task.settings = read_settings(environ, "/")
    task.settings.is_isolated = True  # nothing is remembered of what a sandbox says
    spool = _Bytes(asked.raw_id, data)
    output = ClientOutput(spool, asked.marks, frozenset())
    plan = plan_run(task, asked.marks)
    if plan.view.of_script:  # a file of the project says what runs
        return wire.reply(wire.Kind.COLD)
    plan.project = asked.project
    run = SupervisedRun(task, asked.marks, output, plan)
    result = run.finish(asked.status)
    output.printer.finish()
    texts = (*output.printer.take(), run.line(asked.duration_ms / 1000))
    rest = b"".join(map(wire.text, texts))
    return wire.reply(wire.Kind.NOTED, 0, result.texts is None, spool.is_kept, rest)


class Slot:
    """The pipe in one place; OSError or RefusedError if it cannot be one."""

    def __init__(self, place: str, name: str) -> None:
        self.place, self._name = place, name
        with opened(place) as directory:
            with contextlib.suppress(FileExistsError):
                os.mkfifo(name, 0o600, dir_fd=directory)
            # As it is open for writing, too, it never ends.
            self.pipe = _open_pipe(directory, name, os.O_RDWR)

    def is_lost(self) -> bool:
        """Tell whether the pipe has no name any more, or another one has its name."""
        try:
            return not os.path.samestat(
                os.fstat(self.pipe), os.stat(f"{self.place}/{self._name}", follow_symlinks=False)
            )
        except OSError:
            return True

    def remove(self) -> None:
        with contextlib.suppress(OSError, RefusedError), opened(self.place) as directory:
            os.unlink(self._name, dir_fd=directory)

    def questions(self) -> Iterator[Question]:
        """Read what has arrived: what is written at once is not mixed up with other questions."""
        try:
            data = os.read(self.pipe, _PIPE_BYTES)
        except BlockingIOError:
            return
        while data:
            body, data = data[4 : 4 + _number(data)], data[4 + _number(data) :]
            with contextlib.suppress(wire.WireError):
                yield Question(body)

    def reply(self, asked: Question, environ: Mapping[str, str]) -> None:
        """Answer a question at the pipe that waits beside the spools."""
        with opened(self.place) as directory, opened("spool", directory) as spools:
            data = {}
            for stream in asked.streams:
                handle = open_file(spools, f"{asked.raw_id}.{stream}", MOST_BYTES)
                try:
                    data[stream] = read_whole(handle, MOST_BYTES)
                finally:
                    os.close(handle)
            if sum(map(len, data.values())) > MOST_BYTES:
                return
            to = _open_pipe(spools, f"{asked.raw_id}.ask", os.O_WRONLY)
        try:
            _send(to, answer(asked, data, environ))
        finally:
            os.close(to)


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _number(data: bytes) -> int:
    return int.from_bytes(data[:4], "big")


def _open_pipe(directory: int, name: str, flags: int) -> int:
    """Open a named pipe of ours that has no other name."""
    handle = os.open(name, flags | _FLAGS, dir_fd=directory)
    found = os.fstat(handle)
    is_own = found.st_uid == os.geteuid() and not found.st_mode & 0o077
    if not stat.S_ISFIFO(found.st_mode) or found.st_nlink != 1 or not is_own:
        os.close(handle)
        raise RefusedError
    return handle


def _send(to: int, frame: bytes) -> None:
    """Send a frame to somebody who may not read it."""
    deadline = time.monotonic() + _SEND_S
    while frame and (left := deadline - time.monotonic()) > 0:
        if select.select((), (to,), (), left)[1]:
            frame = frame[os.write(to, frame) :]


def serve(life: int, name: str, environ: Mapping[str, str]) -> None:
    """Wait at all places until the server closes the other end of `life`."""
    sys.addaudithook(refuse_programs)
    slots: dict[int, Slot] = {}
    nowhere = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)  # who asks must not fill the log
    os.dup2(nowhere, 2)
    looked, size = 0.0, resident_bytes()
    while resident_bytes() < size + _MOST_GROWTH:
        if time.monotonic() - looked > _LOOK_S:
            looked = time.monotonic()
            _look(slots, name, environ)
            gc.collect()
        for number in select.select((life, *slots), (), (), _LOOK_S)[0]:
            if number == life:
                for slot in slots.values():
                    slot.remove()
                return
            slot = slots[number]
            for asked in slot.questions():
                if select.select((life,), (), (), 0)[0]:
                    break
                _answer(slot, asked, environ)


def _look(slots: dict[int, Slot], name: str, environ: Mapping[str, str]) -> None:
    """Open the pipes of places that are there now, and close those that are not any more."""
    for number in [number for number, slot in slots.items() if slot.is_lost()]:
        del slots[number]
        os.close(number)
    served = {slot.place for slot in slots.values()}
    for place in known(environ, state_directory(environ)):
        if place not in served:
            with contextlib.suppress(OSError, RefusedError):
                slot = Slot(place, name)
                slots[slot.pipe] = slot


def _answer(slot: Slot, asked: Question, environ: Mapping[str, str]) -> None:
    """Answer, or end as a whole after a while: the timer does not wait for the interpreter."""
    faulthandler.dump_traceback_later(_STUCK_S, exit=True, file=2)
    try:
        slot.reply(asked, environ)
    except (OSError, RefusedError):
        pass  # who asked does the work itself
    except Exception:  # noqa: BLE001, S110 - as above
        pass
    finally:
        faulthandler.cancel_dump_traceback_later()

"""Answers one call of the client in C when there is no server; the client runs the command."""

from __future__ import annotations

import os
import signal
from functools import partial

from laconic.server import wire
from laconic.server.start import start
from laconic.server.worker import PlainLine, serve_alone
from laconic.settings.environ import environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from laconic.server.wire import ClientCall
    from laconic.server.worker import Connection, Steps

HANDLE = 3  # of the connection; spools in memory follow


def main(words: Sequence[str]) -> int:
    """words: the process to start a server for, 0 for none, and how many spools are in memory."""
    # Who starts us while a command runs has blocked its own signals; a time limit needs one.
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    caller, spools = map(int, words)
    own = range(HANDLE + 1, HANDLE + 1 + spools)
    for handle in (HANDLE, *own):
        os.set_inheritable(handle, False)
    os.closerange(own.stop, 1 << 16)  # the caller's descriptors, so that nobody waits for us
    if caller:
        start(environment(), caller)  # for the next call
    line = PlainLine(HANDLE, caller)
    serve_alone(line, {wire.Kind.RUN: partial(_run, in_memory=own), wire.Kind.SHELL: _shell_line})
    return 0


def _run(connection: Connection, call: ClientCall, in_memory: Sequence[int]) -> Steps:
    from laconic.server.run_handler import attend  # noqa: PLC0415 - loads while the command runs

    return attend(connection, call, in_memory)


def _shell_line(connection: Connection, call: ClientCall) -> None:
    from laconic.server.shell_handler import tell  # noqa: PLC0415 - as above

    tell(connection, call)

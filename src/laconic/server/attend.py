"""Answers one call of the client in C when there is no server; the client runs the command."""

from __future__ import annotations

import os
import socket

from laconic.server import wire
from laconic.server.start import start
from laconic.server.worker import process_of, serve_alone
from laconic.settings.environ import environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.server.wire import ClientCall
    from laconic.server.worker import Connection

HANDLE = 3  # of the connection


def main() -> int:
    os.set_inheritable(HANDLE, False)
    os.closerange(HANDLE + 1, 1 << 16)  # the caller's descriptors, so that nobody waits for us
    with socket.socket(fileno=os.dup(HANDLE)) as connected:
        start(environment(), process_of(connected))  # for the next call
    serve_alone(HANDLE, {wire.Kind.RUN: _run, wire.Kind.SHELL: _shell_line})
    return 0


def _run(connection: Connection, call: ClientCall) -> None:
    from laconic.server.run_handler import attend  # noqa: PLC0415 - loads while the command runs

    attend(connection, call)


def _shell_line(connection: Connection, call: ClientCall) -> None:
    from laconic.server.shell_handler import tell  # noqa: PLC0415 - as above

    tell(connection, call)

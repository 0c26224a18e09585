"""Answers `laconic -c 'line'`: tells the client which shell and line to execute."""

from __future__ import annotations

from laconic.errors import UsageError
from laconic.run.shell_call import is_shell_call
from laconic.run.shell_line import read_line, rewritten
from laconic.server import wire
from laconic.server.wire import ClientCall
from laconic.server.worker import Connection


def tell(connection: Connection, call: ClientCall) -> None:
    """Tell the client what to execute for `laconic -c 'line'`: a shell, and the rewritten line."""
    if not is_shell_call(call.arguments):
        connection.send(wire.reply(wire.Kind.COLD))
        return
    try:
        line = read_line(call.arguments)
    except UsageError as error:
        connection.send(wire.answer(2, b"", error.lines))
        return
    text = rewritten(line.text, call.variables, connection.process)
    at = 1 + len(line.options)  # after the name of the shell
    connection.send(wire.become(text, at, at + 1 + len(line.parameters)))

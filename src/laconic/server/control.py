"""Asks a running server for its status, or stops it."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Mapping

from laconic import __version__
from laconic.server import wire
from laconic.server.identity import base_path, find_program
from laconic.server.peer import is_equal

_LIMIT = 1 << 20
_PATIENCE_S = 5.0


def base(environ: Mapping[str, str]) -> str:
    """Return the common prefix of the server's file paths; raises OSError if there is no place."""
    program = find_program()
    if not program:
        raise FileNotFoundError("laconic-py")
    return base_path(program, environ)


def ask(kind: bytes, environ: Mapping[str, str]) -> dict[str, str] | None:
    """Return what a server reports about itself; None if there is none."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(_PATIENCE_S)
        try:
            connection.connect(f"{base(environ)}.sock")
            if not is_equal(connection):
                return None
            connection.sendall(wire.frame(kind, wire.call(__version__, "/", [], {})))
            found, body = wire.receive(connection, _LIMIT)
        except (OSError, wire.WireError):
            return None
    if found != wire.Kind.ANSWER:
        return None
    lines = wire.ServerAnswer(body).rest.decode("utf-8", "replace").splitlines()
    return dict(line.split("\t", 1) for line in lines)


def stop(environ: Mapping[str, str]) -> bool:
    """Stop the server and wait until it takes no more calls; False if there is none."""
    said = ask(wire.Kind.STOP, environ)
    if said is None:
        return False
    path = f"{base(environ)}.sock"
    deadline = time.monotonic() + _PATIENCE_S
    while os.path.lexists(path) and time.monotonic() < deadline:
        time.sleep(0.02)
    return True

"""The client in Python, for installations without a C compiler."""

# pathlib takes six milliseconds to load.
# ruff: noqa: PTH109
from __future__ import annotations

import sys
from os import getcwd  # laconic.settings.load has it, too, but takes twenty milliseconds to load

from laconic.settings.environ import SWITCHES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from laconic.server.wire import ServerAnswer

# With one of these set, the server is not asked: it would not do what they want.
_ODD = ("LACONIC_DEBUG", "LACONIC_VERBOSE", *SWITCHES, "LACONIC_NO_SERVER")
_LATE_S = 1.5  # a server looks every second whether it was waited for in vain
_SILENCE_S = 3.0  # a working server sends a sign of life every second
_MOST_AT_WORK = 30
_ANSWER_BYTES = 64 << 20
_STDIN_BYTES = 17 << 20  # more than a hook accepts


def ask(words: list[str], environ: Mapping[str, str]) -> int | None:
    """Have the server answer a command line; return its exit status, None without an answer.

    Commands are not started here: this process handles `run` and similar commands itself.
    """
    from laconic.server import wire  # noqa: PLC0415 - most command lines do not get here

    kind = _kind(words, environ)
    connection = _connect(environ) if kind else None
    if connection is None:
        return None
    stdin = _read_stdin() if kind == wire.Kind.HOOK else b""
    try:
        found, body = _exchange(connection, kind, words, environ, stdin)
    except TimeoutError:
        found, body = b"", b""
        _forget_server(environ)
    except (OSError, wire.WireError):
        found, body = b"", b""
    finally:
        connection.close()
    if found == wire.Kind.BECOME:
        _become(words, wire.ServerAnswer(body), environ)
    if found == wire.Kind.ANSWER:
        return _print(wire.ServerAnswer(body))
    if stdin:
        _refill_stdin(stdin)
    return None


def _kind(words: list[str], environ: Mapping[str, str]) -> bytes:
    from laconic.server import wire  # noqa: PLC0415 - as above

    if not words or any(map(environ.get, _ODD)):
        return b""
    if words[0] in ("check", "rewrite"):
        is_seen = bool(sys.stdout) and sys.stdout.isatty()  # the server knows no colours
        return b"" if is_seen or "-" in words else wire.Kind.QUESTION
    if words[0] == "hook":  # only a hook sends data on stdin
        return b"" if words[1:2] in (["-h"], ["--help"]) else wire.Kind.HOOK
    from laconic.run.shell_call import is_shell_call  # noqa: PLC0415 - as above

    return wire.Kind.SHELL if is_shell_call(words) else b""


def _connect(environ: Mapping[str, str]) -> Any:
    import _socket  # noqa: PLC0415 - what `socket` adds takes five milliseconds

    from laconic.server.identity import base_path, find_program  # noqa: PLC0415
    from laconic.server.peer import is_equal  # noqa: PLC0415

    try:
        connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        connection.settimeout(_SILENCE_S)
        connection.connect(f"{base_path(find_program(), environ)}.sock")
        return connection if is_equal(connection) else None
    except OSError:
        return None


def _forget_server(environ: Mapping[str, str]) -> None:
    """Remove the socket of a dead server, so that the next call finds none (see paths.c)."""
    import os  # noqa: PLC0415 - seldom
    import time  # noqa: PLC0415
    from contextlib import suppress  # noqa: PLC0415

    from laconic.server.identity import base_path, find_program  # noqa: PLC0415

    with suppress(OSError):
        path = f"{base_path(find_program(), environ)}.sock"
        mark, deadline = f"{path}.late", time.monotonic() + _LATE_S
        os.close(os.open(mark, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600))
        while os.path.lexists(mark) and time.monotonic() < deadline:
            time.sleep(0.05)
        os.unlink(mark)  # noqa: PTH108 - a living server has done so, and we stop here
        os.unlink(path)  # noqa: PTH108


def _exchange(
    connection: Any, kind: bytes, words: list[str], environ: Mapping[str, str], stdin: bytes
) -> tuple[bytes, bytes]:
    from laconic import __version__  # noqa: PLC0415
    from laconic.server import wire  # noqa: PLC0415

    body = wire.call(__version__, getcwd(), words, dict(environ)) + wire.text(stdin)
    connection.sendall(wire.frame(kind, body))
    for _ in range(_MOST_AT_WORK):
        frame = wire.receive(connection, _ANSWER_BYTES)
        if frame[0] != wire.Kind.AT_WORK:
            return frame
    return b"", b""


def _read_stdin() -> bytes:
    return sys.stdin.buffer.read(_STDIN_BYTES) if sys.stdin else b""


def _refill_stdin(data: bytes) -> None:
    """Put back what was read from stdin, for the code that answers instead of the server."""
    import os  # noqa: PLC0415 - seldom
    import tempfile  # noqa: PLC0415

    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        os.dup2(file.fileno(), 0)


def _become(words: list[str], reply: ServerAnswer, environ: Mapping[str, str]) -> None:
    from laconic.run.process import become  # noqa: PLC0415

    argv = ["sh", *words][: reply.second]
    argv[reply.first] = reply.rest[:-1].decode("utf-8", "surrogateescape")
    become(argv, environ)


def _print(reply: ServerAnswer) -> int:
    out, err = reply.rest[: reply.first], reply.rest[reply.first :]
    for stream, data in ((sys.stdout, out), (sys.stderr, err)):
        if stream and data:
            stream.buffer.write(data)
            stream.flush()
    return reply.status

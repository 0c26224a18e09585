"""The frames that client and server exchange; client/wire.c is the other side.

A frame is the four bytes `lac1`, one byte for its kind, the length of its body as four bytes in
big-endian order, and the body. In a body a number has four bytes, and a text is its length and its
bytes. An answer of the server begins with three numbers: the exit status, and two that depend on
the kind.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Protocol

    class Socket(Protocol):
        def recv(self, size: int, /) -> bytes: ...
        def sendall(self, data: bytes, /) -> object: ...


MAGIC = b"lac1"
_HEADER = len(MAGIC) + 5
_CHUNK = 1 << 20


class Kind:
    """What a frame is; `make docs` writes client/kinds.h from this.

    It is not an Enum, because the client in Python would wait three milliseconds for that module.
    """

    # What a client sends. All but MORE and DONE begin with a call: version, directory, arguments
    # and environment.
    HOOK = b"h"  # asks for the answer of a hook, whose stdin follows
    QUESTION = b"q"  # asks what a command line prints; an empty text follows
    SHELL = b"s"  # asks what `laconic -c` should become; an empty text follows
    # Says that a command runs, or is about to. A number follows, with a bit for each of stdin,
    # stdout and stderr that is a terminal, and the paths of its spools.
    RUN = b"r"
    MORE = b"m"  # asks what to print now of the output of that command
    # Says that it has ended, and asks what to print. Its exit status follows, how long it took in
    # milliseconds, and whether another process may still write.
    DONE = b"d"
    STATUS = b"i"  # asks for the state of the server
    STOP = b"z"  # the same, and stops the server

    # What the server answers: an exit status and two numbers, then the rest.
    AT_WORK = b"W"  # an answer will come
    ANSWER = b"A"  # print the rest: the numbers are its bytes for stdout and for stderr
    # Print the rest while the command runs; it begins with the length of what is for stdout. The
    # numbers say how much of each spool is printed as it is after that.
    SHOWN = b"P"
    RAW = b"R"  # print the spools from these two offsets on, then the rest on stderr
    BECOME = b"X"  # be a shell: which argument to replace by the rest, and how many to keep
    # Run the command with words before its own, which start it in a box. The first number says how
    # many; the rest has them, each with a NUL at its end, and then what is to be said before, with
    # one, too.
    BOXED = b"B"
    COLD = b"N"  # do it without a server
    # An answer to a client in a sandbox (server/slot.py). The numbers say whether to print the
    # spools as they are, and whether to keep them; the rest is what to print on stdout and on
    # stderr, and a line for the journal, each as a text.
    NOTED = b"J"


class WireError(Exception):
    """The other side sends an invalid or too large frame, or has gone."""


def number(value: int) -> bytes:
    return value.to_bytes(4, "big")


def text(data: bytes) -> bytes:
    return number(len(data)) + data


def texts(items: Sequence[bytes]) -> bytes:
    return number(len(items)) + b"".join([text(item) for item in items])


def frame(kind: bytes, body: bytes = b"") -> bytes:
    return MAGIC + kind + number(len(body)) + body


def reply(
    kind: bytes, status: int = 0, first: int = 0, second: int = 0, rest: bytes = b""
) -> bytes:
    return frame(kind, number(status) + number(first) + number(second) + rest)


def answer(status: int, out: bytes = b"", err: bytes = b"") -> bytes:
    """Build the answer with what to print."""
    return reply(Kind.ANSWER, status, len(out), len(err), out + err)


def shown(printed: Sequence[int], out: bytes, err: bytes) -> bytes:
    """Build the answer with what to print while a command runs, and how much was printed then."""
    return reply(Kind.SHOWN, 0, printed[0], printed[1], text(out) + err)


def become(line: str, at: int, count: int) -> bytes:
    """Build the answer to execute a shell: the call's first `count` arguments, with a new line."""
    return reply(Kind.BECOME, 0, at, count, _encoded(line) + b"\0")


def boxed(words: Sequence[str], said: bytes = b"") -> bytes:
    """Build the answer with the words that start a command in a box; said: before, on stderr."""
    rest = b"".join(_encoded(word) + b"\0" for word in words) + said + b"\0"
    return reply(Kind.BOXED, 0, len(words), 0, rest)


class Reader:
    """Reads values from the rest of a body."""

    def __init__(self, body: bytes) -> None:
        self._body, self._at = body, 0

    def number(self) -> int:
        return int.from_bytes(self._take(4), "big")

    def text(self) -> bytes:
        return self._take(self.number())

    def texts(self) -> list[bytes]:
        items = []
        body, at = self._body, self._at + 4
        for _ in self._count():
            start = at + 4
            at = start + int.from_bytes(body[at:start], "big")
            items.append(body[start:at])
        if at > len(body):
            raise WireError("a frame ends too early")
        self._at = at
        return items

    def end(self) -> None:
        if self._at != len(self._body):
            raise WireError("there is more in a frame than belongs there")

    def _count(self) -> Iterable[int]:
        count = self.number()
        if count * 4 > len(self._body) - self._at:
            raise WireError("a frame counts more texts than it holds")
        return range(count)

    def _take(self, size: int) -> bytes:
        start, self._at = self._at, self._at + size
        if self._at > len(self._body):
            raise WireError("a frame ends too early")
        return self._body[start : self._at]


class ServerAnswer:
    """An answer of the server; the meaning of the numbers depends on the kind."""

    def __init__(self, body: bytes) -> None:
        reader = Reader(body)
        self.status, self.first, self.second = reader.number(), reader.number(), reader.number()
        self.rest = body[12:]


def receive(connection: Socket, limit: int) -> tuple[bytes, bytes]:
    """Return the kind and the body of the next frame; an empty kind if there is none."""
    # Read not a byte more than the frame: a client may already have sent the next one.
    data = connection.recv(_HEADER)
    if not data:
        return b"", b""
    while len(data) < _HEADER:
        data += _more(connection, _HEADER - len(data))
    missing = int.from_bytes(data[5:_HEADER], "big")
    if data[:4] != MAGIC or missing > limit:
        raise WireError("this is not a frame, or it is too large")
    parts = []
    while missing > 0:
        parts.append(_more(connection, min(missing, _CHUNK)))
        missing -= len(parts[-1])
    return data[4:5], b"".join(parts)


def _more(connection: Socket, size: int) -> bytes:
    data = connection.recv(size)
    if not data:
        raise WireError("a frame ends too early")
    return data


class ClientCall:
    """A client's call: its version, directory, arguments and environment; rest: what follows."""

    def __init__(self, body: bytes) -> None:
        self.rest = reader = Reader(body)
        self.version = reader.text().decode("utf-8", "replace")
        self.directory = _decoded(reader.text())
        self.arguments = [_decoded(argument) for argument in reader.texts()]
        # Of two variables with the same name the first counts, as in getenv().
        pairs = [_decoded(pair).partition("=") for pair in reversed(reader.texts())]
        self.variables = {name: value for name, is_pair, value in pairs if name and is_pair}


def call(version: str, cwd: str, arguments: Sequence[str], environ: dict[str, str]) -> bytes:
    """Build the body of a call, without what follows it."""
    pairs = [_encoded(f"{name}={value}") for name, value in environ.items()]
    named = text(version.encode()) + text(_encoded(cwd))
    return named + texts([_encoded(argument) for argument in arguments]) + texts(pairs)


# As in laconic.files, which the client in Python would have to load for these.


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _encoded(words: str) -> bytes:
    return words.encode("utf-8", "surrogateescape")

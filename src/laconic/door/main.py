"""Stands at the door of one box, from the first knock until the box ends; box/door.c starts it.

    python -c ... JOURNAL KINDS

Everything that arrives was written by what is in the box. What is refused is said once, at once,
before the program in the box is told.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import struct
import threading

from laconic.door import hello, request
from laconic.door.dial import RefusedError, dial
from laconic.door.hosts import HTTP, TLS, Host, is_private_address, plain_name, read_hosts
from laconic.door.listeners import on_this_machine
from laconic.door.names import Names
from laconic.door.neighbours import Board, published
from laconic.door.published import Published

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

# box/door.c and box/box.h have these.
_LINE, _MAKER, _FIRST_END = 3, 4, 5
_NAMES, _TLS, _HTTP, _REFUSALS, _LISTENERS, _PORT = "dthrlp"
_HUSH, _END = b"q", b"e"
_NETWORK = "n"
# What `kill $(lsof -ti :PORT)` means for the server; of SIGKILL box/door.c hears.
_PASSED_ON = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)
NETWORK = "network"  # the part of the journal that says what may be reached

_PATIENCE_S = 15  # for the first words of a connection
_PIECE_BYTES = 1 << 18
_MOST_AT_ONCE = 2000
_MOST_NOTICES = 20
_STACK_BYTES = 256 << 10
_QUERY_BYTES = 4096
_AT_ONCE = struct.pack("ii", 1, 0)  # SO_LINGER: closing is a reset


class Door:
    """What is known at the door.

    allowed: the hosts that may be reached; launcher: the command that we are; outside: how the
    command is run without the box. has_hosts: the user wants no network at all if it is false.
    watching: a file for every host that is contacted, all of which may be then. neighbours: ports
    of servers in other boxes of the project; board: where its own ones are written down.
    """

    def __init__(self, wanted: dict[str, Any], environ: Mapping[str, str], board: Board) -> None:
        self.board = board
        self.neighbours = frozenset(wanted.get("neighbours", ()))
        self.allowed = read_hosts(wanted["hosts"])
        self.launcher, self.outside = wanted["launcher"], wanted["outside"]
        self.has_hosts = wanted["has_hosts"]
        self.watching = wanted.get("watch", "")
        self._environ = environ
        known = {name for name, _ in self.allowed}
        self.names = Names(lambda name: name in known or bool(self.watching))
        self._said: set[str] = set()
        self._saying = threading.Lock()
        self._places = threading.BoundedSemaphore(_MOST_AT_ONCE)
        self.ports: Published | None = None

    # -- what is said ------------------------------------------------------------------------------

    def say(self, text: str) -> None:
        """Print a notice, once."""
        shown = "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text)
        with self._saying:
            if shown in self._said or len(self._said) >= _MOST_NOTICES:
                return
            self._said.add(shown)
            with contextlib.suppress(OSError):
                os.write(2, f"[laconic: {shown}]\n".encode("utf-8", "backslashreplace"))

    def refuse(self, name: str, port: int, why: str = "") -> str:
        """Say that a host was not reached; return what was said."""
        wanted = Host(name, port)
        if not self.has_hosts or port not in (TLS, HTTP):
            way = f"without the box, which asks first: {self.outside}"
        else:
            words = str(wanted) if " " not in str(wanted) else f"'{wanted}'"
            way = f"to allow it: {self.launcher} allow --host {words}"
        text = f"the box did not let it reach {name}:{port}{why}; {way}"
        self.say(text)
        return text

    def refuse_as_is(self, name: str, port: int, why: str) -> str:
        """The same for what nobody can allow."""
        text = f"the box did not let it reach {name}:{port}: {why}"
        self.say(text)
        return text

    # -- connections -------------------------------------------------------------------------------

    def take(self, line: socket.socket, serve: Callable[[socket.socket], None]) -> None:
        """Serve a connection in a thread of its own."""
        if not self._places.acquire(blocking=False):
            reset(line)
            return

        def run() -> None:
            try:
                serve(line)
            except (OSError, KeyError):
                reset(line)
            finally:
                line.close()
                self._places.release()

        threading.Thread(target=run, daemon=True).start()

    def find(self, name: str, port: int) -> Host | None:
        """Return what is known of a host that may be reached."""
        if self.watching:
            return Host(name, port, is_private=True)
        return self.allowed.get((name, port))

    def serve_tls(self, line: socket.socket) -> None:
        name = self.names.name_at(line.getsockname()[0])
        if not name:
            reset(line)  # it asked for an address that we gave to nobody
            return
        host = self.find(name, TLS)
        if host is None:
            self.refuse(name, TLS)
            _read_until(line, hello.is_whole)
            _answer(line, hello.DENIED)
            return
        try:
            data = _read_until(line, hello.is_whole)
            said = plain_name(hello.server_name(data))
            if said != name:
                raise hello.HelloError(f"the connection is for {said or 'no name'}")
        except hello.HelloError as error:
            self.refuse_as_is(name, TLS, str(error))
            _answer(line, hello.DENIED)
            return
        self.connect(line, host, lambda _prefix, _fields: data, hello.DENIED)

    def serve_http(self, line: socket.socket) -> None:
        name = self.names.name_at(line.getsockname()[0])
        if not name:
            reset(line)
            return
        host = self.find(name, HTTP)
        try:
            data = _read_until(line, request.is_whole)
            said, head = request.read_request(data)
            if host is not None and said != name:
                raise request.RequestError(f"the request is for {said or 'no name'}")
        except request.RequestError as error:
            text = self.refuse_as_is(name, HTTP, str(error)) if host else self.refuse(name, HTTP)
            _answer(line, request.refusal(f"laconic: {text}"))
            return
        if host is None:
            _answer(line, request.refusal(f"laconic: {self.refuse(name, HTTP)}"))
            return

        def first(prefix: bytes, fields: bytes) -> bytes:
            method, target, rest = head.split(b" ", 2)
            version, end, others = rest.partition(b"\r\n")
            return b" ".join((method, prefix + target, version)) + end + fields + others

        self.connect(line, host, first, request.refusal(f"laconic: {name} cannot be reached"))

    def connect(
        self,
        line: socket.socket,
        host: Host,
        first: Callable[[bytes, bytes], bytes],
        denied: bytes,
    ) -> None:
        try:
            dialled = dial(host, self._environ)
        except RefusedError as error:
            self.refuse(host.name, host.port, f" ({error})")
            _answer(line, denied)
            return
        except (OSError, UnicodeError) as error:
            self.say(f"{host.name}:{host.port} cannot be reached from this machine: {error}")
            reset(line)
            return
        if self.watching:
            self.note(host, dialled.line)
        with dialled.line as far:
            far.sendall(first(dialled.prefix, dialled.fields))
            join(line, far)

    def note(self, host: Host, far: socket.socket) -> None:
        """Write down that a host was contacted."""
        is_private = is_private_address(far.getpeername()[0])
        with open(self.watching, "a", encoding="ascii") as file:
            file.write(f"{Host(host.name, host.port, is_private)}\n")

    def serve_port(self, port: int) -> Callable[[socket.socket], None]:
        """Lead a connection from the box to a server on this machine."""

        def serve(line: socket.socket) -> None:
            try:
                far = socket.create_connection(("127.0.0.1", port))
            except OSError:
                far = socket.create_connection(("::1", port))
            with far:
                # A door takes its port off the board before it closes it: who has answered is one.
                if port in self.neighbours and port not in published(self.board.directory):
                    raise ConnectionRefusedError
                join(line, far)

        return serve

    def serve_published(self, port: int) -> Callable[[socket.socket], None]:
        """Lead a connection from this machine to a server in the box."""

        def serve(line: socket.socket) -> None:
            assert self.ports is not None
            with self.ports.connect(port) as far:
                join(line, far)

        return serve

    # -- what the kernel refused -------------------------------------------------------------------

    def hear_refusals(self, packets: socket.socket) -> None:
        listening: set[int] | None = None
        while True:
            try:
                packet = packets.recv(256)
            except OSError:
                return
            at = (packet[0] & 15) * 4
            source, target = (
                int.from_bytes(packet[at + pos : at + pos + 2], "big") for pos in (0, 2)
            )
            if packet[12] == 127:  # noqa: PLR2004 - the loopback of the box
                if listening is None:
                    own = self.ports.ends if self.ports else ()
                    listening = on_this_machine().difference(own)
                if source in listening:
                    way = f"to allow it: {self.launcher} allow --port {source}"
                    self.say(f"the box did not let it reach port {source} of this machine; {way}")
            elif name := self.names.name_at(socket.inet_ntoa(packet[16:20])):
                self.refuse(name, target)


def reset(line: socket.socket) -> None:
    with contextlib.suppress(OSError):
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
    line.close()


def _read_until(line: socket.socket, is_whole: Callable[[bytes], bool]) -> bytes:
    line.settimeout(_PATIENCE_S)
    data = b""
    while not is_whole(data):
        piece = line.recv(_PIECE_BYTES)
        if not piece:
            raise OSError("it ended before it said what it wants")
        data += piece
    line.settimeout(None)
    return data


def _answer(line: socket.socket, data: bytes) -> None:
    """Send the last words. What was not read would make a reset of the end."""
    line.settimeout(1)
    with contextlib.suppress(OSError):
        line.sendall(data)
        line.shutdown(socket.SHUT_WR)
        while line.recv(_PIECE_BYTES):
            continue


def join(one: socket.socket, other: socket.socket) -> None:
    """Pass on what either side sends, until both have ended."""
    back = threading.Thread(target=_pass_on, args=(other, one), daemon=True)
    back.start()
    _pass_on(one, other)
    back.join()


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(_PIECE_BYTES):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        for line in (source, target):
            with contextlib.suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)


# -- the loop --------------------------------------------------------------------------------------


def read_wanted(place: str) -> dict[str, Any]:
    """Read what may be reached from the journal of a box."""
    with open(place, "rb") as file:
        data = file.read()
    while data:
        name, length, data = data.split(b"\0", 2)
        part, data = data[: int(length)], data[int(length) :]
        if name.decode() == NETWORK:
            found: dict[str, Any] = json.loads(part)
            return found
    raise ValueError(f"{place} says nothing about a network")


def main(argv: list[str], environ: Mapping[str, str]) -> int:
    place, kinds = argv
    door = Door(read_wanted(place), environ, Board(place))
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    threading.stack_size(_STACK_BYTES)
    line = socket.socket(fileno=_LINE)
    ends = [(kind, _FIRST_END + pos) for pos, kind in enumerate(kinds)]
    found = {kind: socket.socket(fileno=handle) for kind, handle in ends if kind in "dthrl"}
    own = [socket.socket(fileno=handle) for kind, handle in ends if kind == _PORT]
    ports = {end.fileno(): end.getsockname()[1] for end in own}
    if _LISTENERS in found:
        maker = socket.socket(fileno=_MAKER)
        network = next(handle for kind, handle in ends if kind == _NETWORK)
        door.ports = Published(
            found[_LISTENERS], maker, set(ports.values()), door.say, door.board.write, network
        )
    serving: dict[int, tuple[socket.socket, Callable[[socket.socket], None]]] = {}
    if _TLS in found:
        serving[found[_TLS].fileno()] = found[_TLS], door.serve_tls
    if _HTTP in found:
        serving[found[_HTTP].fileno()] = found[_HTTP], door.serve_http
    for end in own:
        serving[end.fileno()] = end, door.serve_port(ports[end.fileno()])
    _stand(door, line, found, serving)
    return 0


def _stand(
    door: Door,
    line: socket.socket,
    found: dict[str, socket.socket],
    serving: dict[int, tuple[socket.socket, Callable[[socket.socket], None]]],
) -> None:
    poll = select.poll()
    opened: dict[int, tuple[socket.socket, Callable[[socket.socket], None]]] = {}
    names, refusals = found.get(_NAMES), found.get(_REFUSALS)
    signals = _heard_signals()
    others = (end.fileno() for end in (signals, names, refusals) if end)
    for handle in (_LINE, *serving, *others):
        poll.register(handle, select.POLLIN)
    while True:
        if door.ports and door.ports.look():
            for handle in opened:
                poll.unregister(handle)
            opened = {
                end.fileno(): (end, door.serve_published(port))
                for port, both in door.ports.ends.items()
                for end in both
            }
            for handle in opened:
                poll.register(handle, select.POLLIN)
        for handle, _ in poll.poll(door.ports.wait_ms() if door.ports else None):
            if handle == _LINE:
                word = line.recv(1)
                if refusals:
                    door.hear_refusals(refusals)
                if word != _HUSH:
                    return
                os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
                line.sendall(word)
            elif handle == signals.fileno():
                for number in signals.recv(_QUERY_BYTES):
                    if door.ports:
                        door.ports.signal(number)
            elif names and handle == names.fileno():
                _answer_names(door.names, names)
            elif refusals and handle == refusals.fileno():
                door.hear_refusals(refusals)
            else:
                end, serve = serving.get(handle) or opened[handle]
                _accept(door, end, serve)


def _heard_signals() -> socket.socket:
    """Return what the numbers of signals are read from that we do not end at."""
    heard, told = socket.socketpair()
    told.setblocking(False)
    signal.set_wakeup_fd(told.detach(), warn_on_full_buffer=False)
    for number in _PASSED_ON:
        signal.signal(number, lambda _number, _frame: None)
    return heard


def _accept(door: Door, end: socket.socket, serve: Callable[[socket.socket], None]) -> None:
    with contextlib.suppress(OSError):
        while True:
            line = end.accept()[0]
            line.setblocking(True)
            with contextlib.suppress(OSError):
                line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            door.take(line, serve)


def _answer_names(names: Names, end: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while True:
            query, asker = end.recvfrom(_QUERY_BYTES)
            answer = names.answer(query)
            if answer:
                with contextlib.suppress(OSError):
                    end.sendto(answer, asker)

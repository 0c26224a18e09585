"""Opens the ports of servers in the box at the same ports of this machine's loopback."""

from __future__ import annotations

import errno
import socket
import threading
import time
from collections.abc import Callable, Iterable

from laconic.door.listeners import Listener, in_the_box, signal_owners

_OFTEN_S, _SELDOM_S, _YOUNG_S = 0.1, 0.5, 5.0
_MOST_PORTS = 64
_WAITING = 512
_EPHEMERAL = 32768  # where the kernel begins to choose ports: man 7 ip, ip_local_port_range
_LOOPBACK: dict[int, str] = {socket.AF_INET: "127.0.0.1", socket.AF_INET6: "::1"}


class Published:
    """The ports that are open; say: prints a notice."""

    def __init__(
        self,
        netlink: socket.socket,
        maker: socket.socket,
        own: set[int],
        say: Callable[[str], None],
        tell: Callable[[Iterable[int]], None],
        network: int,
    ) -> None:
        """Begin; maker: makes sockets in the box. own: ports that lead out of the box.

        tell: hears which ports are open, before one of them is closed. network: a descriptor of
        the namespace of the box.
        """
        self._network = network
        self._netlink, self._maker, self._own, self._say = netlink, maker, own, say
        self._tell = tell
        self._making = threading.Lock()
        self._said: set[int] = set()
        self._changed = time.monotonic()
        self.next = 0.0
        self.ends: dict[int, tuple[socket.socket, ...]] = {}
        self._inside: dict[int, Listener] = {}

    def look(self) -> bool:
        """Open and close ports as servers come and go; return whether something changed."""
        now = time.monotonic()
        if now < self.next:
            return False
        found: dict[int, Listener] = {}
        for one in sorted(in_the_box(self._netlink)):
            if one.port not in self._own:
                found.setdefault(one.port, one)
        gone, new = self.ends.keys() - found.keys(), found.keys() - self.ends.keys()
        if gone:
            self._tell(self.ends.keys() - gone)
        for port in gone:
            for end in self.ends.pop(port):
                end.close()
            self._said.discard(port)
        opened = [port for port in sorted(new) if self._open(port)]
        self._inside = found
        if opened:
            self._tell(self.ends)
        if gone or opened:
            self._changed = now
        self.next = now + (_OFTEN_S if now < self._changed + _YOUNG_S else _SELDOM_S)
        return bool(gone or opened)

    def wait_ms(self) -> int:
        """Return how long nobody has to look."""
        return max(0, int((self.next - time.monotonic()) * 1000) + 1)

    def _open(self, port: int) -> bool:
        if len(self.ends) >= _MOST_PORTS:
            return False
        ends = []
        try:
            for family in _LOOPBACK:
                end = _listen(family, port)
                ends += [end] if end else []
        except OSError as error:
            for end in ends:
                end.close()
            if error.errno == errno.EADDRINUSE and port < _EPHEMERAL and port not in self._said:
                self._say(f"port {port} is open in the box only: {port} of this machine is taken")
                self._said.add(port)
            return False
        self.ends[port] = tuple(ends)
        return bool(ends)

    def connect(self, port: int) -> socket.socket:
        """Connect to a server in the box; OSError if that cannot be done."""
        there = self._inside[port]
        line = self._make(there.family)
        try:
            address = there.address
            if not any(socket.inet_pton(there.family, address)):  # it listens at all of them
                address = _LOOPBACK[there.family]
            line.connect((address, port))
        except BaseException:
            line.close()
            raise
        return line

    def signal(self, number: int) -> None:
        """Pass a signal on to the servers whose ports are open: to others, we are those.

        https://man7.org/linux/man-pages/man8/lsof.8.html names who has a port, and that is us.
        """
        sockets = {one.inode for one in in_the_box(self._netlink) if one.port in self.ends}
        signal_owners(sockets, self._network, number)
        self.next = 0.0

    def _make(self, family: int) -> socket.socket:
        with self._making:
            self._maker.sendall(b"6" if family == socket.AF_INET6 else b"4")
            _, handles, _, _ = socket.recv_fds(self._maker, 1, 1)
        if not handles:
            raise OSError("no socket could be made in the box")
        return socket.socket(fileno=handles[0])


def _listen(family: int, port: int) -> socket.socket | None:
    """Listen at a port of the loopback; None if there is no loopback of that family."""
    try:
        end = socket.socket(family, socket.SOCK_STREAM)
    except OSError:
        return None
    try:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        end.bind((_LOOPBACK[family], port))
        end.listen(_WAITING)
        end.setblocking(False)
    except OSError as error:
        end.close()
        if error.errno == errno.EADDRNOTAVAIL:
            return None
        raise
    return end

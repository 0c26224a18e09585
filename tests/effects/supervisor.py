"""Runs one program in the namespace that it is started in, and reports what left it.

`python -I supervisor.py REPORT SECONDS RESOLVER WORD...`: a name server that answers every name
with this machine and listeners at common ports take whatever the program sends. REPORT is a
descriptor for one line of JSON: what they received, the programs that were left running, and
whether the program was stopped because it did not end.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import selectors
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

# proxy, web, name server, whois, finger, mail, ssh, databases, the docker socket's twin, registries
PORTS = (3128, 80, 443, 53, 43, 79, 25, 22, 5432, 3306, 6379, 2375, 4873, 8080, 9999)
_MOST_BYTES = 1 << 16
_ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
_GRACE_SECONDS = 0.02
_ENDING_SECONDS = 1
_SIOCSIFFLAGS = 0x8914
_IFF_UP_AND_RUNNING = 0x1 | 0x40


def raise_loopback() -> None:
    """See netdevice(7): a new network namespace has a loopback interface that is down."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        fcntl.ioctl(one, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", _IFF_UP_AND_RUNNING))


def name_answer(query: bytes) -> bytes:
    """Answer any question with 127.0.0.1 (RFC 1035, section 4.1)."""
    header = query[:2] + b"\x81\x80\0\1\0\1\0\0\0\0"
    end = query.index(b"\0", 12) + 5
    return header + query[12:end] + b"\xc0\x0c\0\1\0\1\0\0\0\x0a\0\x04\x7f\0\0\1"


class Listeners:
    """Everything that arrives over the network is kept in `received`."""

    def __init__(self) -> None:
        self.received = bytearray()
        self._selector = selectors.DefaultSelector()
        for port in PORTS:
            with contextlib.suppress(OSError):
                server = socket.create_server(("127.0.0.1", port), backlog=64)
                self._selector.register(server, selectors.EVENT_READ, self._accept)
        for port in (53, 9999):
            names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            names.bind(("127.0.0.1", port))
            self._selector.register(names, selectors.EVENT_READ, self._answer_name)

    def serve(self, seconds: float) -> bool:
        """Take what arrives within the time; tell whether anything did."""
        ready = self._selector.select(seconds)
        for key, _ in ready:
            with contextlib.suppress(OSError, ValueError):
                key.data(key.fileobj)
        return bool(ready)

    def _accept(self, server: socket.socket) -> None:
        connection, _ = server.accept()
        connection.setblocking(False)
        self._selector.register(connection, selectors.EVENT_READ, self._read)

    def _read(self, connection: socket.socket) -> None:
        data = connection.recv(_MOST_BYTES)
        self.received += data[: max(0, _MOST_BYTES - len(self.received))]
        if data:
            connection.send(_ANSWER)
        if not data or b"\r\n\r\n" in data:
            self._selector.unregister(connection)
            connection.close()

    def _answer_name(self, names: socket.socket) -> None:
        data, sender = names.recvfrom(4096)
        self.received += data
        names.sendto(name_answer(data), sender)


def left_running() -> list[str]:
    """Return the names of the programs in this namespace that are neither we nor dead."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        with contextlib.suppress(OSError):
            name, _, rest = (entry / "stat").read_text().partition("(")[2].rpartition(")")
            if rest.split()[0] != "Z" and name != "unshare":
                found.append(name)
    return found


def still_running() -> list[str]:
    """Return what is left after a while: the parts of a program need not end at the same time."""
    deadline = time.monotonic() + _ENDING_SECONDS
    while (left := left_running()) and time.monotonic() < deadline:
        time.sleep(_GRACE_SECONDS)
    return left


def main() -> None:
    report, seconds, resolver, *words = sys.argv[1:]
    raise_loopback()
    subprocess.run(["mount", "--bind", resolver, "/etc/resolv.conf"], check=True)
    listeners = Listeners()
    deadline = time.monotonic() + float(seconds)
    child = subprocess.Popen(words)
    while child.poll() is None and time.monotonic() < deadline:
        listeners.serve(_GRACE_SECONDS)
    is_over = child.poll() is not None
    while listeners.serve(_GRACE_SECONDS):  # what was sent may still wait to be read
        pass
    left = still_running() if is_over else []
    received = listeners.received.decode("latin-1")
    told = {"received": received, "left": left, "was_stopped": not is_over}
    with os.fdopen(int(report), "w") as stream:
        stream.write(json.dumps(told))


if __name__ == "__main__":
    main()

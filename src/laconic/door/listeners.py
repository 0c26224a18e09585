"""Asks the kernel who listens in a network (man 7 sock_diag), and who does on this machine."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import struct
import sys
from collections.abc import Collection, Iterator
from typing import NamedTuple

_DUMP, _BY_FAMILY, _DONE, _ERROR = 0x301, 20, 3, 2  # linux/netlink.h, linux/sock_diag.h
_LISTENS, _LISTENS_IN_TEXT = 1 << 10, "0A"  # TCP_LISTEN of net/tcp_states.h
_HEADER = struct.Struct("=IHHII")
_WANTED = struct.Struct("=BBBBI48x")
_LEAST_PORT = 1024


_INODE_AT = 68  # of struct inet_diag_msg, in linux/inet_diag.h


class Listener(NamedTuple):
    family: int
    address: str
    port: int
    inode: int


def in_the_box(netlink: socket.socket) -> set[Listener]:
    """Return who listens in the network that a socket of netlink was made in."""
    return {
        one
        for family in (socket.AF_INET, socket.AF_INET6)
        for one in _of_family(netlink, family)
        if one.port >= _LEAST_PORT
    }


def _of_family(netlink: socket.socket, family: int) -> list[Listener]:
    size = _HEADER.size + _WANTED.size
    wanted = _WANTED.pack(family, socket.IPPROTO_TCP, 0, 0, _LISTENS)
    netlink.send(_HEADER.pack(size, _BY_FAMILY, _DUMP, 0, 0) + wanted)
    found: list[Listener] = []
    while True:
        data, at = netlink.recv(1 << 16), 0
        while at + _HEADER.size <= len(data):
            length, kind, *_ = _HEADER.unpack_from(data, at)
            if kind in (_DONE, _ERROR) or length < _HEADER.size:
                return found
            body = data[at + _HEADER.size : at + length]
            port = int.from_bytes(body[4:6], "big")
            size = 4 if body[0] == socket.AF_INET else 16
            address = socket.inet_ntop(body[0], body[8 : 8 + size])
            inode = int.from_bytes(body[_INODE_AT : _INODE_AT + 4], sys.byteorder)
            found.append(Listener(body[0], address, port, inode))
            at += (length + 3) & ~3


def signal_owners(sockets: Collection[int], network: int, number: int) -> None:
    """Signal the processes that have one of these sockets open, by their inodes (man 5 proc).

    network: a descriptor of the namespace that they are in; nobody else is signalled.
    """
    if sys.platform == "darwin":
        return  # there is no door
    wanted = {f"socket:[{inode}]" for inode in sockets}
    where = os.fstat(network)
    for name in filter(str.isdigit, os.listdir("/proc")) if wanted else ():
        with contextlib.suppress(OSError):
            process = os.pidfd_open(int(name))
            try:
                here = os.stat(f"/proc/{name}/ns/net")
                is_inside = (here.st_dev, here.st_ino) == (where.st_dev, where.st_ino)
                if is_inside and not wanted.isdisjoint(_open_files(f"/proc/{name}/fd")):
                    signal.pidfd_send_signal(process, number)
            finally:
                os.close(process)


def _open_files(directory: str) -> Iterator[str]:
    for name in os.listdir(directory):
        with contextlib.suppress(FileNotFoundError):  # it was closed meanwhile
            yield os.readlink(f"{directory}/{name}")


def on_this_machine() -> set[int]:
    """Return the ports of this machine that somebody listens on (man 5 proc_net)."""
    ports = set()
    for name in ("tcp", "tcp6"):
        try:
            with open(f"/proc/net/{name}", encoding="ascii", errors="replace") as file:
                rows = [line.split() for line in file][1:]
        except OSError:
            continue
        ports |= {int(row[1].rpartition(":")[2], 16) for row in rows if row[3] == _LISTENS_IN_TEXT}
    return ports

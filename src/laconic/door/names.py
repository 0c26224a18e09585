"""Answers the box's questions for names: each name has an address of its own that leads to us.

https://www.rfc-editor.org/rfc/rfc1035#section-4
"""

from __future__ import annotations

import ipaddress
import struct
from collections.abc import Callable

from laconic.door.hosts import is_of_the_world, plain_name

_FIRST = int(ipaddress.IPv4Address("198.18.0.2"))  # box/network.c says why these
_MOST_NAMES = 20_000
_SECONDS = 60  # how long an answer may be kept
_QUERY_BITS, _IS_ANSWER, _RECURSION_DESIRED, _RECURSION_AVAILABLE = 0x7800, 0x8000, 0x0100, 0x0080
_GOOD, _FAILED, _NO_NAME, _NOT_DONE = 0, 2, 3, 4
_ADDRESS, _INTERNET, _POINTER = 1, 1, 12
_LOCALHOST = "localhost"
_HEADER = struct.Struct("!6H")
_MOST_BYTES = 512


class Names:
    """Which address was given to which name; is_known: tells whether a name can be reached."""

    def __init__(self, is_known: Callable[[str], bool]) -> None:
        self._is_known = is_known
        self._addresses: dict[str, str] = {}
        self._names: dict[str, str] = {}

    def name_at(self, address: str) -> str:
        """Return the name that an address was given to; nothing if it was given to none."""
        return self._names.get(address, "")

    def answer(self, query: bytes) -> bytes:
        """Answer one question; nothing if it is none."""
        if not _HEADER.size < len(query) <= _MOST_BYTES:
            return b""
        identity, flags, questions, *_ = _HEADER.unpack_from(query)
        if flags & _IS_ANSWER or questions != 1:
            return b""
        text, end = _read_name(query)
        if not end or len(query) < end + 4:
            return b""
        kind, group = struct.unpack_from("!2H", query, end)
        code, address = (
            self._find(text, kind, group) if not flags & _QUERY_BITS else (_NOT_DONE, "")
        )
        said = _IS_ANSWER | flags & _RECURSION_DESIRED | _RECURSION_AVAILABLE | code
        head = _HEADER.pack(identity, said, 1, 1 if address else 0, 0, 0)
        found = b""
        if address:
            packed = ipaddress.IPv4Address(address).packed
            pointer = 0xC000 | _HEADER.size  # to the name in the question
            found = struct.pack("!3HIH", pointer, _ADDRESS, _INTERNET, _SECONDS, 4) + packed
        return head + query[_HEADER.size : end + 4] + found

    def _find(self, text: str, kind: int, group: int) -> tuple[int, str]:
        name = plain_name(text)
        if name == _LOCALHOST or name.endswith(f".{_LOCALHOST}"):
            return _GOOD, "127.0.0.1" if kind == _ADDRESS else ""
        if not name or not (self._is_known(name) or is_of_the_world(name)) or kind == _POINTER:
            return _NO_NAME, ""
        if kind != _ADDRESS or group != _INTERNET:
            return _GOOD, ""  # there are no other records, and nobody waits for them
        address = self._addresses.get(name, "")
        if not address:
            if len(self._addresses) >= _MOST_NAMES:
                return _FAILED, ""
            address = str(ipaddress.IPv4Address(_FIRST + len(self._addresses)))
            self._addresses[name], self._names[address] = address, name
        return _GOOD, address


def _read_name(query: bytes) -> tuple[str, int]:
    """Return the name in a question, and where it ends; 0 if it is not whole."""
    labels: list[str] = []
    at = _HEADER.size
    while at < len(query):
        length = query[at]
        if not length:
            return ".".join(labels), at + 1
        if length > 63 or at + 1 + length > len(query):  # noqa: PLR2004 - RFC 1035, 2.3.4
            break
        labels.append(query[at + 1 : at + 1 + length].decode("latin-1"))
        at += 1 + length
    return "", 0

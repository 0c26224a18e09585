"""Reads for which host a TLS connection is: its ClientHello, before anything is answered.

https://www.rfc-editor.org/rfc/rfc8446#section-4.1.2, and section 5.1 for records
"""

from __future__ import annotations

_RECORD, _HANDSHAKE, _CLIENT_HELLO = 5, 22, 1
_HEAD = 4
_SERVER_NAME, _ENCRYPTED_HELLO = 0x0000, 0xFE0D
_HOST_NAME = 0
_MOST_BYTES = 1 << 16
_MOST_IN_RECORD = (1 << 14) + 256
# A fatal alert, access_denied: https://www.rfc-editor.org/rfc/rfc8446#section-6
DENIED = bytes((21, 3, 3, 0, 2, 2, 49))


class HelloError(Exception):
    """It is not a ClientHello that names its host; the text says why not."""


def is_whole(data: bytes) -> bool:
    """Tell whether a ClientHello has arrived; HelloError if there will be none."""
    return _has_all(_handshake(data))


def server_name(data: bytes) -> str:
    """Return the host that a whole ClientHello names; HelloError if it hides it or has none."""
    body = _Reader(_handshake(data)[_HEAD:])
    body.take(2 + 32)  # version and random
    body.part(1)  # session
    body.part(2)  # ciphers
    body.part(1)  # compression
    extensions = _Reader(body.part(2))
    names: list[bytes] = []
    while extensions.left:
        kind, value = extensions.number(2), extensions.part(2)
        if kind == _ENCRYPTED_HELLO:
            raise HelloError("it hides for which host it is")
        if kind == _SERVER_NAME:
            listed = _Reader(_Reader(value).part(2))
            while listed.left:
                kind_of_name, name = listed.number(1), listed.part(2)
                if kind_of_name != _HOST_NAME:
                    raise HelloError("it does not name a host")
                names.append(name)
    if len(names) != 1:
        raise HelloError("it does not say for which host it is")
    return names[0].decode("latin-1")


def _has_all(message: bytes) -> bool:
    """Tell whether a message is whole: it begins with its kind and its length."""
    return len(message) >= _HEAD and len(message) >= _HEAD + int.from_bytes(message[1:_HEAD], "big")


def _handshake(data: bytes) -> bytes:
    """Join what has arrived of the first message, which may be in several records."""
    message, at = b"", 0
    while at + _RECORD <= len(data):
        length = int.from_bytes(data[at + 3 : at + _RECORD], "big")
        if data[at] != _HANDSHAKE or data[at + 1] != 3 or not 0 < length <= _MOST_IN_RECORD:  # noqa: PLR2004
            raise HelloError("it is not TLS")
        message += data[at + _RECORD : at + _RECORD + length]
        if message and message[0] != _CLIENT_HELLO:
            raise HelloError("it is not TLS")
        if _has_all(message):
            return message
        at += _RECORD + length
    if (data and data[0] != _HANDSHAKE) or len(data) > _MOST_BYTES:
        raise HelloError("it is not TLS")
    return message


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    @property
    def left(self) -> int:
        return len(self._data) - self._at

    def take(self, length: int) -> bytes:
        if self.left < length:
            raise HelloError("it is not whole")
        self._at += length
        return self._data[self._at - length : self._at]

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "big")

    def part(self, size: int) -> bytes:
        """Take a part that begins with its length, a number of this size."""
        return self.take(self.number(size))

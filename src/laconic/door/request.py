"""Reads for which host a plain HTTP request is, and writes the head that is sent in its place.

Only one request goes over a connection, so that a second one cannot name another host.
https://www.rfc-editor.org/rfc/rfc9112
"""

from __future__ import annotations

from laconic.door.hosts import plain_name

_MOST_BYTES = 1 << 16
_END = b"\r\n\r\n"
# What is between us and the next one only: https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1
_NOT_PASSED_ON = frozenset((b"connection", b"proxy-connection", b"keep-alive", b"upgrade"))
_SECRET = b"proxy-authorization"
_METHODS = frozenset((b"GET", b"HEAD", b"OPTIONS"))


class RequestError(Exception):
    """It is not a request that names its host; the text says why not."""


def is_whole(data: bytes) -> bool:
    if len(data) > _MOST_BYTES:
        raise RequestError("its head is too long")
    return _END in data


def read_request(data: bytes) -> tuple[str, bytes]:
    """Return the host of a request, and the request as it is sent to it."""
    head, _, rest = data.partition(_END)
    line, *fields = head.split(b"\r\n")
    words = line.split(b" ")
    if len(words) != 3 or words[2] not in (b"HTTP/1.1", b"HTTP/1.0"):  # noqa: PLR2004
        raise RequestError("it is not HTTP")
    if words[0] not in _METHODS:
        raise RequestError("it does more than to fetch")
    if not words[1].startswith(b"/"):
        raise RequestError("it is for a proxy")
    if rest:
        raise RequestError("more follows its head")
    hosts, passed_on = [], []
    for field in fields:
        name, colon, value = field.partition(b":")
        if not colon or name.strip() != name or not name or b"\n" in field or b"\r" in field:
            raise RequestError("its head is not well formed")
        kind = name.lower()
        if kind == b"host":
            hosts.append(value.strip().decode("latin-1"))
        if kind in (b"transfer-encoding", b"content-length") and value.strip() != b"0":
            raise RequestError("it does more than to fetch")
        if kind not in _NOT_PASSED_ON and kind != _SECRET:
            passed_on.append(field)
    if len(hosts) != 1:
        raise RequestError("it does not say for which host it is")
    host, has_port, port = hosts[0].partition(":")
    if has_port and port != "80":
        raise RequestError("it is for another port")
    return plain_name(host), b"\r\n".join([line, *passed_on, b"Connection: close"]) + _END


def refusal(said: str) -> bytes:
    """Return what a request is answered that goes nowhere."""
    body = f"{said}\n".encode()
    head = f"HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\n"
    return head.encode() + b"Connection: close\r\n\r\n" + body

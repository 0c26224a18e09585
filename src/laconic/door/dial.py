"""Dials a host from outside the box: through the user's own proxy, if there is one."""

from __future__ import annotations

import base64
import socket
from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

from laconic.door.hosts import TLS, Host, why_not

_PATIENCE_S = 20
_MOST_BYTES = 1 << 16


class RefusedError(Exception):
    """The address of a host may not be dialled; the text says why not."""


class Dialled:
    """A connection to a host; head: what a proxy wants before the target of a request, if it is
    plain HTTP, and the fields that it wants after it.
    """

    def __init__(self, line: socket.socket, prefix: bytes = b"", fields: bytes = b"") -> None:
        self.line, self.prefix, self.fields = line, prefix, fields


def dial(host: Host, environ: Mapping[str, str]) -> Dialled:
    """Connect to a host; OSError if it cannot be reached, RefusedError if it may not be."""
    proxy = proxy_for(host, environ)
    if proxy:
        return _dial_by(proxy, host)
    return Dialled(_dial_at(host))


def _dial_at(host: Host) -> socket.socket:
    found = socket.getaddrinfo(host.name, host.port, type=socket.SOCK_STREAM)
    refused, failure = "", OSError("it has no address")
    for family, kind, protocol, _, address in found:
        why = why_not(str(address[0]), is_private=host.is_private)
        if why:
            refused = f"{address[0]}: {why}"
            continue
        line = socket.socket(family, kind, protocol)
        try:
            line.settimeout(_PATIENCE_S)
            line.connect(address)
            # To an address of its own, a machine connects from the same one.
            if line.getsockname()[0] == line.getpeername()[0]:
                line.close()
                refused = f"{address[0]}: it is of this machine or its link"
                continue
        except OSError as error:
            line.close()
            failure = error
            continue
        line.settimeout(None)
        return line
    if refused:
        raise RefusedError(refused)
    raise failure


# -- a proxy of the user's -------------------------------------------------------------------------


def proxy_for(host: Host, environ: Mapping[str, str]) -> str:
    """Return the proxy that the user has for a host, as curl finds it (man 1 curl, ENVIRONMENT)."""
    kind = "https" if host.port == TLS else "http"
    if _is_direct(host.name, environ.get("no_proxy") or environ.get("NO_PROXY") or ""):
        return ""
    names = [f"{kind}_proxy", f"{kind.upper()}_PROXY", "all_proxy", "ALL_PROXY"]
    return next((environ[name] for name in names if environ.get(name)), "")


def _is_direct(name: str, exceptions: str) -> bool:
    for one in exceptions.replace(",", " ").lower().split():
        suffix = one.lstrip("*").lstrip(".")
        if one == "*" or name == suffix or name.endswith(f".{suffix}"):
            return True
    return False


def _dial_by(proxy: str, host: Host) -> Dialled:
    parts = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    if parts.scheme != "http" or not parts.hostname:
        raise OSError(f"a proxy of the kind {parts.scheme} is not known")
    line = socket.create_connection((parts.hostname, parts.port or 80), _PATIENCE_S)
    line.settimeout(None)
    fields = b""
    if parts.username is not None:
        secret = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
        fields = b"Proxy-Authorization: Basic " + base64.b64encode(secret) + b"\r\n"
    name = host.name.encode()
    if host.port != TLS:
        return Dialled(line, b"http://" + name, fields)
    try:
        target = name + b":%d" % host.port
        line.sendall(b"CONNECT %b HTTP/1.1\r\nHost: %b\r\n%b\r\n" % (target, target, fields))
        _wait_for_tunnel(line)
    except BaseException:
        line.close()
        raise
    return Dialled(line)


def _wait_for_tunnel(line: socket.socket) -> None:
    """Read the answer to CONNECT, byte by byte: what follows it is not ours."""
    line.settimeout(_PATIENCE_S)
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        byte = line.recv(1)
        if not byte or len(head) > _MOST_BYTES:
            raise OSError("the proxy does not answer")
        head += byte
    line.settimeout(None)
    words = head.split(b"\r\n")[0].split(b" ", 2)
    if len(words) < 2 or words[1][:1] != b"2":  # noqa: PLR2004 - a version and a status
        said = b" ".join(words[1:]).decode("latin-1")
        raise OSError(f"the proxy says {said}")

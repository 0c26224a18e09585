"""Posts one body by HTTP: without a proxy, a redirect or a second try, and for a while only."""

from __future__ import annotations

import http.client
import json
import ssl
from collections.abc import Mapping
from contextlib import closing, suppress
from typing import NamedTuple
from urllib.parse import urlsplit

from laconic import __version__
from laconic.errors import LaconicError
from laconic.files import reason

_PATIENCE_S = 10
_MOST_ANSWER = 1 << 16
_LATER = "nothing is lost: laconic export sends it when you type it again"
_AN_ENDPOINT = "laconic config set export.endpoint http://127.0.0.1:4318"
_OWN_HEADERS = frozenset(("content-length", "content-type", "host", "transfer-encoding"))


class Endpoint(NamedTuple):
    """Where to send; path: what comes before that of a signal."""

    is_secure: bool
    host: str
    port: int
    path: str
    url: str


class RefusedError(LaconicError):
    """Nobody took what was sent."""


def read_endpoint(url: str) -> Endpoint:
    """Read an address, `https://collector.example.com:4318`; LaconicError if it is none."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise LaconicError(f"{url!r} is not an address", _AN_ENDPOINT) from error
    is_plain = not (parts.username or parts.password or parts.query or parts.fragment)
    is_ascii = url.isascii() and url.isprintable() and " " not in url
    if parts.scheme not in ("http", "https") or not parts.hostname or not (is_plain and is_ascii):
        raise LaconicError(f"{url!r} is not an address that laconic can send to", _AN_ENDPOINT)
    is_secure = parts.scheme == "https"
    path = parts.path.rstrip("/")
    return Endpoint(is_secure, parts.hostname, port or (443 if is_secure else 80), path, url)


def read_headers(text: str, path: str) -> dict[str, str]:
    """Read lines of `Name: value`; path: the file that they are from."""
    found = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        name, colon, value = line.partition(":")
        is_name = bool(name) and name.replace("-", "").isalnum() and name.isascii()
        if not (colon and is_name and name.lower() not in _OWN_HEADERS and line.isprintable()):
            raise LaconicError(f"{path}: expected lines of the form `Name: value`")
        found[name] = value.strip()
    return found


def post(endpoint: Endpoint, path: str, body: bytes, headers: Mapping[str, str]) -> str:
    """Send it; return what the receiver complains about, RefusedError if it did not take it."""
    try:
        with closing(_connection(endpoint)) as connection:
            own = {"Content-Type": "application/json", "User-Agent": f"laconic/{__version__}"}
            connection.request("POST", endpoint.path + path, body, {**headers, **own})
            answer = connection.getresponse()
            status, said = answer.status, answer.read(_MOST_ANSWER)
    except (OSError, http.client.HTTPException) as error:
        why = reason(error) if isinstance(error, OSError) else type(error).__name__
        raise RefusedError(f"{endpoint.url}: cannot be reached: {why}", _LATER) from error
    if not 200 <= status < 300:  # noqa: PLR2004 - https://opentelemetry.io/docs/specs/otlp/#otlphttp-response
        raise RefusedError(f"{endpoint.url}{path}: answered {status}", _LATER)
    return _complaint(said)


def _connection(endpoint: Endpoint) -> http.client.HTTPConnection:
    if endpoint.is_secure:
        context = ssl.create_default_context()
        return http.client.HTTPSConnection(
            endpoint.host, endpoint.port, timeout=_PATIENCE_S, context=context
        )
    return http.client.HTTPConnection(endpoint.host, endpoint.port, timeout=_PATIENCE_S)


def _complaint(answer: bytes) -> str:
    """Return what was not taken although the answer was good; it must not be sent again."""
    with suppress(ValueError, RecursionError, AttributeError):
        partial = json.loads(answer).get("partialSuccess") or {}
        for key in ("rejectedLogRecords", "rejectedDataPoints"):
            if int(partial.get(key) or 0):
                message = str(partial.get("errorMessage", ""))[:200]
                return f"the receiver dropped {partial[key]} of them: {message}"
    return ""

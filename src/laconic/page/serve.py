"""Serves the page on loopback: GET only, for those who know the token, and never for another site.

The token is part of the path, so a browser sends it nowhere by itself, as it would a cookie. The
name in the Host header must be ours: a site whose name was made to lead to this machine (DNS
rebinding) has its own there.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import sys
import threading
from collections.abc import Callable, Hashable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from laconic.errors import LaconicError
from laconic.page.render import embedded, page, policy

ADDRESS = "127.0.0.1"
_HEADERS = {
    "Content-Security-Policy": f"{policy(is_live=True)}; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Dashboard(ThreadingHTTPServer):
    """The server. read: returns the data; stamp: a cheap value that changes with it."""

    daemon_threads = True

    def __init__(self, read: Callable[[], dict[str, Any]], stamp: Callable[[], Hashable]) -> None:
        super().__init__((ADDRESS, 0), _Handler)
        self.token = secrets.token_urlsafe(32)
        self._read, self._stamp = read, stamp
        self._lock = threading.Lock()
        self._last: tuple[Hashable, dict[str, Any]] | None = None

    @property
    def url(self) -> str:
        return f"http://{ADDRESS}:{self.server_port}/{self.token}/"

    def is_ours(self, hosts: list[str]) -> bool:
        """Tell whether the Host headers, of which there must be one, name this server."""
        return hosts in ([f"{name}:{self.server_port}"] for name in (ADDRESS, "localhost"))

    def data(self) -> dict[str, Any]:
        """Return the data, read again if something was recorded.

        The stamp is taken before: what is recorded while we read is then newer than the stamp.
        """
        with self._lock:
            stamp = self._stamp()
            if self._last is None or self._last[0] != stamp:
                self._last = stamp, self._read()
            return self._last[1]

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002 - as called
        """Report what went wrong here; a browser that goes away in the middle did not."""
        error = sys.exception()
        if not isinstance(error, OSError):
            print(f"laconic: a request failed: {error!r}", file=sys.stderr)


class _Handler(BaseHTTPRequestHandler):
    server: Dashboard
    server_version, sys_version = "laconic", ""
    timeout = 10

    def parse_request(self) -> bool:
        """Refuse all that is not GET before anything is looked up."""
        if not super().parse_request():
            return False
        if self.command != "GET":
            self._send(HTTPStatus.METHOD_NOT_ALLOWED, "text/plain", "only GET\n", {"Allow": "GET"})
            return False
        return True

    def do_GET(self) -> None:
        if not self.server.is_ours(self.headers.get_all("Host", [])):
            self._send(HTTPStatus.MISDIRECTED_REQUEST, "text/plain", "not for this host\n")
            return
        _, token, name = [*self.path.split("/", 2), "", ""][:3]
        if not hmac.compare_digest(token.encode(), self.server.token.encode()):
            self._send(HTTPStatus.FORBIDDEN, "text/plain", "the address is in your terminal\n")
        elif name == "":
            self._answer("text/html", lambda data: page(data, is_live=True))
        elif name == "data":
            self._answer("application/json", embedded)
        else:
            self._send(HTTPStatus.NOT_FOUND, "text/plain", "there is no such page\n")

    def _answer(self, kind: str, made: Callable[[dict[str, Any]], str]) -> None:
        try:
            data = self.server.data()
        except LaconicError as error:
            self._send(HTTPStatus.SERVICE_UNAVAILABLE, "text/plain", error.text)
            return
        # The time at which it was read is not news.
        tag = hashlib.sha256(embedded({**data, "made": ""}).encode()).hexdigest()
        if kind != "text/html" and self.headers.get("If-None-Match") == f'"{tag}"':
            self._send(HTTPStatus.NOT_MODIFIED, kind, "")
        else:
            self._send(HTTPStatus.OK, kind, made(data), {"ETag": f'"{tag}"'})

    def _send(
        self, status: HTTPStatus, kind: str, text: str, headers: dict[str, str] | None = None
    ) -> None:
        body = text.encode()
        self.send_response(status)
        for name, value in (_HEADERS | (headers or {})).items():
            self.send_header(name, value)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Log nothing: the address of a request has the token."""

"""Dialling: what a name leads to counts, and a proxy of the user's is used with its secret."""

from __future__ import annotations

import socket
import threading

import pytest

from laconic.door import dial
from laconic.door.hosts import Host


def leads_to(monkeypatch, *addresses):
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, 443)) for one in addresses]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)


@pytest.mark.parametrize("address", ["127.0.0.1", "169.254.169.254", "10.0.0.1"])
def test_a_name_that_leads_inwards_is_not_dialled(monkeypatch, address):
    leads_to(monkeypatch, address)
    with pytest.raises(dial.RefusedError, match=address):
        dial.dial(Host("a.example.org"), {})


def test_nor_is_this_machine_by_an_address_of_its_own(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as server:
        found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", server.getsockname())]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
        monkeypatch.setattr(dial, "why_not", lambda *_, **__: "")
        with pytest.raises(dial.RefusedError, match="of this machine"):
            dial.dial(Host("a.example.org"), {})


@pytest.mark.parametrize(
    ("port", "environ", "proxy"),
    [
        (443, {"https_proxy": "http://p:1"}, "http://p:1"),
        (443, {"HTTPS_PROXY": "http://p:1"}, "http://p:1"),
        (443, {"http_proxy": "http://p:1"}, ""),
        (80, {"http_proxy": "http://p:1"}, "http://p:1"),
        (443, {"ALL_PROXY": "http://p:1"}, "http://p:1"),
        (443, {"https_proxy": "http://p:1", "no_proxy": ".example.org"}, ""),
        (443, {"https_proxy": "http://p:1", "no_proxy": "x.org, a.example.org"}, ""),
        (443, {"https_proxy": "http://p:1", "no_proxy": "ample.org"}, "http://p:1"),
        (443, {"https_proxy": "http://p:1", "NO_PROXY": "*"}, ""),
    ],
)
def test_the_proxy_of_the_user_is_found(port, environ, proxy):
    assert dial.proxy_for(Host("a.example.org", port), environ) == proxy


def answering(server, answer, heard):
    def run():
        line = server.accept()[0]
        while b"\r\n\r\n" not in (heard[0] if heard else b""):
            heard[:] = [(heard[0] if heard else b"") + line.recv(4096)]
        line.sendall(answer)
        line.close()

    threading.Thread(target=run, daemon=True).start()


def test_a_tunnel_through_the_proxy_has_the_users_secret():
    with socket.create_server(("127.0.0.1", 0)) as server:
        heard: list[bytes] = []
        answering(server, b"HTTP/1.1 200 ok\r\n\r\nfar", heard)
        proxy = f"http://me:p%40ss@127.0.0.1:{server.getsockname()[1]}"
        dialled = dial.dial(Host("a.example.org"), {"https_proxy": proxy})
        assert dialled.line.recv(10) == b"far"
        dialled.line.close()
    assert heard[0].startswith(b"CONNECT a.example.org:443 HTTP/1.1\r\n")
    assert b"Proxy-Authorization: Basic bWU6cEBzcw==\r\n" in heard[0]


def test_a_proxy_that_refuses_is_named():
    with socket.create_server(("127.0.0.1", 0)) as server:
        answering(server, b"HTTP/1.1 407 no secret\r\n\r\n", [])
        proxy = f"http://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(OSError, match="the proxy says 407 no secret"):
            dial.dial(Host("a.example.org"), {"https_proxy": proxy})

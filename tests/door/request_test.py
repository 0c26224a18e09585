"""The host that a plain request is for, and what is sent in its place."""

from __future__ import annotations

import pytest

from laconic.door.request import RequestError, is_whole, read_request

PLAIN = b"GET /simple/ HTTP/1.1\r\nHost: a.example.org\r\nAccept: */*\r\n\r\n"


def test_one_request_goes_over_a_connection():
    data = PLAIN.replace(b"Accept", b"Connection: keep-alive\r\nProxy-Authorization: x\r\nAccept")
    assert is_whole(data)
    assert not is_whole(data[:-1])
    name, sent = read_request(data)
    assert name == "a.example.org"
    assert sent == PLAIN[:-2] + b"Connection: close\r\n\r\n"


@pytest.mark.parametrize(
    "change",
    [
        (b"Host: a.example.org\r\n", b""),
        (b"Host:", b"Host : x\r\nHost:"),
        (b"Host:", b"Host: b.example.org\r\nhost:"),
        (b"a.example.org", b"a.example.org:8080"),
        (b"GET /", b"GET http://b.example.org/"),
        (b"GET /simple/", b"CONNECT b.example.org:443"),
        (b"GET", b"POST"),
        (b"GET", b"PUT"),
        (b"HTTP/1.1", b"HTTP/2"),
        (b"HTTP/1.1", b"HTTP/1.1 x"),
        (b"Accept: */*", b"Transfer-Encoding: chunked"),
        (b"Accept: */*", b"Content-Length: 5"),
        (b"Accept: */*", b" folded"),
        (b"Accept: */*", b"A: b\nHost: b.example.org"),
        (b"\r\n\r\n", b"\r\n\r\nGET / HTTP/1.1\r\nHost: b.example.org\r\n\r\n"),
    ],
)
def test_what_could_be_for_another_host_is_refused(change):
    with pytest.raises(RequestError):
        read_request(PLAIN.replace(*change))


def test_a_head_has_an_end():
    with pytest.raises(RequestError):
        is_whole(b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 20_000)

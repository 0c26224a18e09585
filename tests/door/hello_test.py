"""The host that a ClientHello names: real ones, and those that are made to deceive."""

from __future__ import annotations

import random
import ssl

import pytest

from laconic.door.hello import HelloError, is_whole, server_name


def hello(name):
    """A real one, from the TLS of this Python."""
    context, out = ssl.create_default_context(), ssl.MemoryBIO()
    context.check_hostname = name is not None
    made = context.wrap_bio(ssl.MemoryBIO(), out, server_hostname=name)
    with pytest.raises(ssl.SSLWantReadError):
        made.do_handshake()
    return out.read()


def record(message):
    return b"\x16\x03\x01" + len(message).to_bytes(2, "big") + message


def built(*extensions):
    """One by hand; extensions: a number and a value each."""
    listed = b"".join(
        kind.to_bytes(2, "big") + len(value).to_bytes(2, "big") + value
        for kind, value in extensions
    )
    body = b"\x03\x03" + b"r" * 32 + b"\0" + b"\0\2\x13\x01" + b"\1\0"
    body += len(listed).to_bytes(2, "big") + listed
    return record(b"\1" + len(body).to_bytes(3, "big") + body)


def name_of(*names, kind=0):
    listed = b"".join(bytes([kind]) + len(n).to_bytes(2, "big") + n for n in names)
    return 0, len(listed).to_bytes(2, "big") + listed


def test_a_real_one_names_its_host():
    data = hello("registry.example.org")
    assert is_whole(data)
    assert server_name(data) == "registry.example.org"
    assert not any(is_whole(data[:end]) for end in range(len(data)))


def test_it_may_come_in_many_records():
    data = hello("registry.example.org")[5:]
    pieces = b"".join(record(data[at : at + 7]) for at in range(0, len(data), 7))
    assert is_whole(pieces)
    assert server_name(pieces) == "registry.example.org"


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (hello(None), "does not say"),
        (built(), "does not say"),
        (built(name_of(b"a.org", b"b.org")), "does not say"),
        (built(name_of(b"a.org"), name_of(b"b.org")), "does not say"),
        (built(name_of(b"a.org", kind=1)), "does not name"),
        (built(name_of(b"a.org"), (0xFE0D, b"x")), "hides"),
        (built((0, b"\xff\xff\0")), "not whole"),
        (built((0, b"")), "not whole"),
    ],
)
def test_what_does_not_name_one_host_openly_is_refused(data, why):
    assert is_whole(data)
    with pytest.raises(HelloError, match=why):
        server_name(data)


@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.1\r\n\r\n", b"SSH-2.0-x\r\n", b"\x16\x02\x00\0\x05hello",
        b"\x16\x03\x01\0\0", b"\x16\x03\x01\xff\xff", record(b"\2\0\0\0"), b"\x15\x03\x01\0\2\2\0",
        b"\x80\x2e\x01\0\x02",
    ],
)  # fmt: skip
def test_what_is_not_tls_is_refused_at_once(data):
    with pytest.raises(HelloError):
        is_whole(data)


def test_nothing_that_arrives_makes_another_fault():
    chance, whole = random.Random(9), hello("registry.example.org")
    for _ in range(5000):
        data = bytearray(whole)
        for _ in range(chance.randrange(1, 8)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        try:
            if is_whole(bytes(data)):
                server_name(bytes(data))
        except HelloError:
            continue

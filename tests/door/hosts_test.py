"""Which hosts may be written down, and which addresses are never dialled."""

from __future__ import annotations

import pytest

from laconic.door.hosts import Host, is_of_the_world, plain_name, read_host, why_not


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("a.example.org", Host("a.example.org")),
        ("A.Example.ORG.", Host("a.example.org")),
        ("a.example.org:443", Host("a.example.org")),
        ("a.example.org:80", Host("a.example.org", 80)),
        ("mirror private", Host("mirror", 443, is_private=True)),
        ("mirror:80 private", Host("mirror", 80, is_private=True)),
    ],
)
def test_an_entry_is_a_name(text, host):
    assert read_host(text) == host
    assert read_host(str(host)) == host


@pytest.mark.parametrize(
    "text",
    [
        "", "192.0.2.1", "[2001:db8::1]", "2001:db8::1", "https://a.example.org", "a.example.org/x",
        "a.example.org:22", "a.example.org:", "*.example.org", "a..org", "a b", "private", ".",
        "0x7f.1", "2130706433", "a.example.org public", "u@a.example.org", "a.example.org\x00",
        "é.example.org", "a" * 64 + ".org",
    ],
)  # fmt: skip
def test_nothing_else_is_one(text):
    if text == "private":
        assert read_host(text).name == "private"  # it may be the name of a host, too
        return
    with pytest.raises(ValueError, match="a"):
        read_host(text)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.8.9.1", "0.0.0.0", "169.254.169.254", "169.254.1.1", "198.18.0.2",
        "224.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "fe80::1%eth0", "ff02::1",
        "::ffff:127.0.0.1", "::ffff:169.254.169.254", "64:ff9b::7f00:1", "2002:7f00:1::",
        "fd00:ec2::254", "100.100.100.200", "168.63.129.16", "192.0.0.192",
    ],
)  # fmt: skip
def test_this_machine_and_its_link_are_never_dialled(address):
    assert why_not(address)
    assert why_not(address, is_private=True)


@pytest.mark.parametrize(
    "address",
    ["10.1.2.3", "172.16.0.1", "172.31.9.9", "192.168.1.1", "100.64.0.1", "fc00::1", "fd12::1",
     "::ffff:10.1.2.3", "64:ff9b::a01:203"],
)  # fmt: skip
def test_a_private_network_is_dialled_only_where_the_user_says_so(address):
    assert why_not(address) == "it is private"
    assert not why_not(address, is_private=True)


@pytest.mark.parametrize("address", ["203.0.113.9", "172.32.0.1", "2001:db8::1", "11.0.0.1"])
def test_the_rest_of_the_world_may_be(address):
    assert not why_not(address)


def test_names_that_nobody_has_are_not_of_the_world():
    assert is_of_the_world("a.example.org")
    for name in ("db", "printer.local", "x.invalid", "a.test", "h.internal", "localhost"):
        assert not is_of_the_world(name)
    assert plain_name("DB") == "db"

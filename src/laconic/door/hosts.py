"""The hosts that a box may reach, as the settings write them, and the addresses that it never may.

An entry is a name, for TLS at port 443. `NAME:80` is plain HTTP. The word `private` after it lets
the name lead into a private network, as that of a company's own registry does.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from typing import NamedTuple

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

TLS, HTTP = 443, 80
_PRIVATE = "private"
_LONGEST_NAME, _LONGEST_LABEL = 253, 63  # https://www.rfc-editor.org/rfc/rfc1035#section-2.3.4
_OF_LABELS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")

# Names that are nobody's in the world: https://www.rfc-editor.org/rfc/rfc6761,
# https://www.rfc-editor.org/rfc/rfc6762 (local), https://www.rfc-editor.org/rfc/rfc7686 (onion)
_NOWHERE = frozenset(("example", "internal", "invalid", "local", "localhost", "onion", "test"))

_PRIVATE_NETWORKS = tuple(
    map(
        ipaddress.ip_network,
        ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7"),
    )
)
# This machine, its link, groups, and what is kept back; 198.18.0.0/15 are the addresses that we
# give to names in boxes. https://www.iana.org/assignments/iana-ipv4-special-registry
_REFUSED_NETWORKS = tuple(
    map(
        ipaddress.ip_network,
        (
            "0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "198.18.0.0/15", "224.0.0.0/3",
            "::/128", "::1/128", "fe80::/10", "fec0::/10", "ff00::/8",
        ),
    )
)  # fmt: skip
# Where clouds tell a machine its keys, besides 169.254.169.254: AWS over IPv6, Alibaba Cloud, Azure
# (https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16), Oracle.
_METADATA = frozenset(
    map(
        ipaddress.ip_address,
        ("fd00:ec2::254", "100.100.100.200", "168.63.129.16", "192.0.0.192"),
    )
)
_NAT64 = ipaddress.ip_network("64:ff9b::/96")  # https://www.rfc-editor.org/rfc/rfc6052
_LAST_32_BITS = 0xFFFFFFFF


class Host(NamedTuple):
    name: str
    port: int = TLS
    is_private: bool = False

    def __str__(self) -> str:
        port = "" if self.port == TLS else f":{self.port}"
        return f"{self.name}{port}{' private' if self.is_private else ''}"


def read_host(text: str) -> Host:
    """Read an entry; ValueError says what is wrong with it."""
    words = text.split()
    if not words or words[1:] not in ([], [_PRIVATE]):
        raise ValueError("a host is a name, `:80` if it is plain HTTP, and perhaps `private`")
    name, colon, number = words[0].partition(":")
    if colon and number not in (str(TLS), str(HTTP)):
        raise ValueError(f"only the ports {TLS} and {HTTP} lead out of a box")
    plain = plain_name(name)
    if not plain:
        raise ValueError(f"{name!r} is not the name of a host")
    return Host(plain, int(number or TLS), len(words) > 1)


def read_hosts(texts: Iterable[str]) -> dict[tuple[str, int], Host]:
    """Read a list of entries, which were checked before; what cannot be read is left out."""
    found = {}
    for text in texts:
        try:
            host = read_host(text)
        except ValueError:
            continue
        found[host.name, host.port] = host
    return found


def plain_name(text: str) -> str:
    """Return a name as it is compared; nothing for what is none, also for an address."""
    name = text.lower().removesuffix(".")
    labels = name.split(".")
    fits = all(0 < len(label) <= _LONGEST_LABEL for label in labels) and len(name) <= _LONGEST_NAME
    if not fits or not _OF_LABELS.issuperset(name.replace(".", "")):
        return ""
    # No top-level name is a number, and inet_aton(3) takes many numbers for an address.
    last = labels[-1]
    return "" if last.isdigit() or last.startswith("0x") else name


def is_of_the_world(name: str) -> bool:
    """Tell whether a name may be one that others have; what is not could never be reached."""
    return "." in name and name.rpartition(".")[2] not in _NOWHERE


def why_not(text: str, *, is_private: bool = False) -> str:
    """Say why an address is not dialled; nothing if it may be. is_private: if it may be private."""
    address = _meant(ipaddress.ip_address(text.partition("%")[0]))
    if address in _METADATA or any(_is_in(address, network) for network in _REFUSED_NETWORKS):
        return "it is of this machine or its link"
    if not is_private and is_private_address(text):
        return "it is private"
    return ""


def is_private_address(text: str) -> bool:
    address = _meant(ipaddress.ip_address(text.partition("%")[0]))
    return any(_is_in(address, network) for network in _PRIVATE_NETWORKS)


def _meant(address: Address) -> Address:
    """Return the address of version 4 that one of version 6 stands for, or the address itself."""
    if isinstance(address, ipaddress.IPv6Address):
        if address in _NAT64:
            return ipaddress.IPv4Address(int(address) & _LAST_32_BITS)
        return address.ipv4_mapped or address.sixtofour or address
    return address


def _is_in(address: Address, network: ipaddress.IPv4Network | ipaddress.IPv6Network) -> bool:
    return address.version == network.version and address in network

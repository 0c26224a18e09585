"""The hosts and ports that boxes may reach: `[box] hosts` and `ports` of the user's file."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping

from laconic.door.hosts import Host, is_private_address, read_host, why_not
from laconic.errors import LaconicError, UsageError
from laconic.install import originals
from laconic.report.text import visible
from laconic.settings import edit, toml
from laconic.settings.load import process_environment, read_settings

_HOSTS, _PORTS = "hosts", "ports"
_MOST_PORT = 65535


def add_host(text: str) -> None:
    """Let every box reach a host; whether it is in a private network is looked up."""
    try:
        host = read_host(text)
    except ValueError as error:
        raise UsageError(str(error), "laconic allow --host registry.example.org") from error
    add_hosts([_as_resolved(host, process_environment())])


def add_hosts(hosts: list[Host]) -> None:
    for host in hosts:
        path = _add(_HOSTS, str(host))
        print(f"boxes may reach {visible(str(host))}  ({visible(path)})")
    _warn()


def add_port(text: str) -> None:
    """Let every box reach a port of this machine."""
    if not text.isascii() or not text.isdigit() or not 0 < int(text) <= _MOST_PORT:
        raise UsageError(f"{text!r} is not a port", "laconic allow --port 5432")
    path = _add(_PORTS, int(text))
    print(f"boxes may reach port {int(text)} of this machine  ({visible(path)})")
    _warn()


def listed() -> Iterator[str]:
    """Yield what may be reached, as it is written in the user's file."""
    box = _in_file().get("box", {})
    yield from (str(one) for one in (*box.get(_HOSTS, ()), *box.get(_PORTS, ())))


def remove(text: str) -> bool:
    """Remove a host or a port; tell whether it was there."""
    box = _in_file().get("box", {})
    for key in (_HOSTS, _PORTS):
        for one in box.get(key, ()):
            if str(one) == text:
                path = read_settings().user_config_path
                before = originals.current(path.resolve()) or b""
                after = edit.without_item(before, path, f"box.{key}", one)
                originals.write(path.resolve(), before, after, 0o600)
                return True
    return False


def _in_file() -> Mapping[str, Mapping[str, list[object]]]:
    data = originals.current(read_settings().user_config_path)
    return toml.parse(data) if data else {}


def _add(key: str, item: object) -> str:
    path = read_settings().user_config_path
    target = path.resolve()
    before = originals.current(target)
    after = edit.with_item(before or b"", path, f"box.{key}", item)
    if after != before:
        originals.make_directories(target.parent)
        originals.write(target, before, after, 0o600)
    return str(path)


def _as_resolved(host: Host, environ: Mapping[str, str]) -> Host:
    from laconic.door.dial import proxy_for  # noqa: PLC0415 - for few commands

    if host.is_private or proxy_for(host, environ):
        return host
    try:
        found = socket.getaddrinfo(host.name, host.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return host  # it may be there later
    addresses = [str(one[4][0]) for one in found]
    if all(why_not(address, is_private=True) for address in addresses):
        message = f"{host.name} leads to {addresses[0]}, and {why_not(addresses[0])}"
        raise LaconicError(message, "for a server on this machine: laconic allow --port 5432")
    return host._replace(is_private=any(map(is_private_address, addresses)))


def _warn() -> None:
    """Say where the settings in force do not let a box reach what was added."""
    config = read_settings().config
    if config.box.network == "none" or config.settings.profile == "strict":
        what = "box.network" if config.box.network == "none" else "settings.profile"
        print(f"but {what} leaves boxes without a network: laconic config show --sources")

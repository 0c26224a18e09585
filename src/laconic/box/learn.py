"""Finds out from which hosts the user's own package managers fetch.

They say so themselves: each that is installed is asked something harmless, in a box whose door
writes down every host that is contacted. What settings of the user and the system name counts, too.
Nothing of a project is read, and no host is known here.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from functools import cache
from os.path import dirname, join, realpath
from typing import Any, NamedTuple

from laconic.box.bubblewrap import find_engine
from laconic.box.launch import open_planned, plan_here
from laconic.door.hosts import HTTP, TLS, Host, plain_name, read_hosts
from laconic.files import home as home_of
from laconic.patterns import pattern
from laconic.settings import toml
from laconic.settings.load import isolated_settings

_DATA = join(dirname(__file__), "data", "managers.toml")
_PATIENCE_S = 120
_CONTACTED = "contacted"
_ADDRESS = pattern(r"\b(https?)://(?:[^\s/@\"'<>]*@)?([A-Za-z0-9._-]+)(?::(\d+))?")
_COMMENT = pattern(r"<!--.*?-->", re.DOTALL)
_PLACE_IN_XML = pattern(r"<url>\s*([^<]+?)\s*</url>")
_PORTS = {"https": TLS, "http": HTTP}
_NOBODY = "0.0.0.0"  # noqa: S104 - Maven's own settings lead plain HTTP there, to block it
_MOST_BYTES = 1 << 20


class Manager(NamedTuple):
    name: str
    program: str  # the path of what is installed, or nothing
    ask: tuple[str, ...]
    files: dict[str, str]
    settings: tuple[str, ...]
    variables: tuple[str, ...]


class Learned(NamedTuple):
    """What one manager says; hosts: where it fetches. left_out: what a box cannot reach."""

    name: str
    hosts: tuple[Host, ...]
    left_out: tuple[str, ...]
    was_asked: bool


def managers(environ: Mapping[str, str]) -> list[Manager]:
    found = []
    for name, row in _table().items():
        paths = (shutil.which(one, path=environ.get("PATH", "")) for one in row["programs"])
        program = next(filter(None, paths), "")
        found.append(
            Manager(
                name, program, tuple(row["ask"].split()), row.get("files", {}),
                tuple(row.get("settings", ())), tuple(row.get("variables", ())),
            )
        )  # fmt: skip
    return found


@cache
def _table() -> dict[str, dict[str, Any]]:
    with open(_DATA, "rb") as file:
        found: dict[str, dict[str, Any]] = toml.parse(file.read())
    return found


# -- settings --------------------------------------------------------------------------------------


def named_in_settings(manager: Manager, environ: Mapping[str, str]) -> list[str]:
    """Return the addresses that the user's and the system's settings name, as `host:port`."""
    texts = [environ.get(name, "") for name in manager.variables]
    for path in manager.settings:
        with contextlib.suppress(OSError), open(_expanded(path, environ), "rb") as file:
            texts.append(file.read(_MOST_BYTES).decode("utf-8", "replace"))
    return sorted({one for text in texts for one in addresses(text)})


def addresses(text: str) -> Iterator[str]:
    """Yield the hosts that a text of settings names, but for proxies, as `host:port`."""
    if "<settings" in text:
        text = "\n".join(match[1] for match in _PLACE_IN_XML.finditer(_COMMENT.sub("", text)))
    for line in text.splitlines():
        key = line.partition("=")[0].partition("://")[0]
        if line.lstrip()[:1] in ("#", ";") or "proxy" in key.lower():
            continue
        for kind, host, port in _ADDRESS.findall(line):
            if host != _NOBODY:
                yield f"{host.lower()}:{port or _PORTS[kind]}"


# -- questions -------------------------------------------------------------------------------------


def ask(manager: Manager, environ: Mapping[str, str]) -> list[Host]:
    """Have a manager ask its question, and return the hosts that it contacted."""
    with tempfile.TemporaryDirectory(prefix="laconic-learn-", ignore_cleanup_errors=True) as place:
        project, state = join(realpath(place), "project"), join(realpath(place), "state")
        for name, text in manager.files.items():
            os.makedirs(dirname(join(project, name)), exist_ok=True)
            with open(join(project, name), "w", encoding="utf-8") as file:
                file.write(text)
        os.makedirs(project, exist_ok=True)
        watched = join(realpath(place), _CONTACTED)
        own = {**environ, "LACONIC_STATE_DIR": state}
        engine = find_engine(own)
        plan = plan_here(project, isolated_settings(own), own, engine)
        shown = {realpath(_expanded(path, own)) for path in manager.settings}
        plan.hidden = [path for path in plan.hidden if path not in shown]
        box = open_planned(plan, engine, project, watch=watched)
        words = [manager.program if word == "PROGRAM" else word for word in manager.ask]
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(  # noqa: S603 - the user's own program
                [*box.words, *words], cwd=project, env=own, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                timeout=_PATIENCE_S, check=False,
            )  # fmt: skip
        with contextlib.suppress(OSError), open(watched, encoding="ascii") as file:
            return sorted(read_hosts(file.read().splitlines()).values())
    return []


def _expanded(path: str, environ: Mapping[str, str]) -> str:
    return path.replace("~", home_of(environ), 1)


# -- both ------------------------------------------------------------------------------------------


def learn(environ: Mapping[str, str]) -> Iterator[Learned]:
    """Ask all managers that are installed, two at a time; yield what each says, as it is known."""
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - only here

    installed = [one for one in managers(environ) if one.program]
    with ThreadPoolExecutor(2) as both:
        for manager, contacted in zip(
            installed, both.map(lambda one: ask(one, environ), installed), strict=True
        ):
            yield _joined(manager, contacted, environ)


def _joined(manager: Manager, contacted: list[Host], environ: Mapping[str, str]) -> Learned:
    hosts = {(one.name, one.port): one for one in contacted}
    left_out = []
    for address in named_in_settings(manager, environ):
        name, _, port = address.rpartition(":")
        host = Host(plain_name(name), int(port))
        if host.name and host.port in (TLS, HTTP):
            hosts.setdefault((host.name, host.port), host)
        else:
            left_out.append(address)
    is_asked = bool(contacted)
    return Learned(manager.name, tuple(sorted(hosts.values())), tuple(left_out), is_asked)

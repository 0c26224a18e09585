"""Tells whether npm's registry is out of reach in a box, so that npm need not try for a minute.

Which registry that is, npm's settings say, and its own definitions where they do not: no host is
known here. What a project names counts, since the most that it can do is to give up sooner.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from os.path import join, realpath

from laconic.door.hosts import HTTP, TLS, plain_name, read_hosts
from laconic.errors import FileError
from laconic.files import read_file, upwards
from laconic.patterns import pattern

_MOST_BYTES = 1 << 20
_DEFINED = "@npmcli/config/lib/definitions/definitions.js"
_ADDRESS = r"[\"']?(https?)://(?:[^\s/@\"']*@)?([^\s/:\"']+)(?::(\d+))?"
_SET = pattern(rf"(?m)^\s*registry\s*=\s*{_ADDRESS}")
_BY_DEFAULT = pattern(rf"registry: new Definition\('registry', {{\s*default: {_ADDRESS}")
_GIVEN = pattern(_ADDRESS)


def is_out_of_reach(hosts: Iterable[str], project: str, environ: Mapping[str, str]) -> bool:
    """Tell whether it is certain that none of these hosts is npm's registry."""
    listed = read_hosts(hosts)
    if not listed:
        return True
    found = next(_registries(project, environ), None)
    return found is not None and found not in listed


def _registries(project: str, environ: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    """Yield the registries that npm would ask, the one that counts first.

    https://docs.npmjs.com/cli/using-npm/config
    """
    for name in ("npm_config_registry", "NPM_CONFIG_REGISTRY"):
        if match := _GIVEN.match(environ.get(name, "")):
            yield _place(*match.groups())
    program = shutil.which("npm", path=environ.get("PATH", ""))
    own = realpath(program) if program else ""
    files = [join(project, ".npmrc"), join(environ.get("HOME", ""), ".npmrc")]
    files += [join(one, name) for one in upwards(own) for name in ("npmrc", "etc/npmrc") if own]
    for file in files:
        for match in _SET.finditer(_text(file)):
            yield _place(*match.groups())
    if own and (given := _default(own)):
        yield _place(*given)


@cache
def _default(program: str) -> tuple[str, str, str | None] | None:
    """Return the registry of npm's own definitions, which lie beside it as node finds them."""
    for directory in upwards(program):
        text = _text(join(directory, "node_modules", _DEFINED))
        if match := _BY_DEFAULT.search(text):
            return match[1], match[2], match[3]
    return None


def _place(kind: str, name: str, port: str | None) -> tuple[str, int]:
    return plain_name(name), int(port or (TLS if kind == "https" else HTTP))


def _text(path: str) -> str:
    with contextlib.suppress(FileError):
        return read_file(path, _MOST_BYTES).decode("utf-8", "replace")
    return ""

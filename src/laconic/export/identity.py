"""Names this machine, its user and their projects without saying who they are.

The machine is a random number. Person and project are hashes with a key: whoever has no key cannot
try names. Machines that share a key give a person, and a project with the same origin, one hash.
"""

from __future__ import annotations

import hashlib
import os
import pwd
import secrets
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from laconic.errors import FileError, LaconicError
from laconic.files import home, read_file, write_private
from laconic.git.config import configuration
from laconic.git.repository import find_repository
from laconic.patterns import pattern
from laconic.settings.config import Export

FOLDER = "export"  # in the state directory
_SHORTEST_KEY = 16
_ORIGIN = "remote.origin.url"
_SCHEME = pattern(r"^[a-z0-9+.-]+://")
_LOGIN = pattern(r"^[^@/]*@")
_PORT = pattern(r"^([^/:]+):[0-9]+/")


class Identity(NamedTuple):
    """machine: random. key: that of the hashes."""

    machine: str
    team: str
    key: bytes

    @property
    def person(self) -> str:
        """The hash of the user's name."""
        return self.hash("person", _user())

    def project(self, directory: str) -> str:
        """The hash of a project: of where its origin is, or else of its directory."""
        return self.hash("project", origin_of(directory)) if directory else ""

    def hash(self, kind: str, text: str) -> str:
        given = text.encode("utf-8", "surrogateescape")
        mac = hashlib.blake2b(given, digest_size=8, key=self.key, person=kind.encode())
        return mac.hexdigest()


def identity(state_dir: Path, export: Export, environ: Mapping[str, str]) -> Identity:
    """Return the names of this machine; what is random is made at the first time and kept."""
    folder = state_dir / FOLDER
    machine = _kept(folder / "machine").hex()[:32]
    key = _given(placed(export.key_file, environ)) if export.key_file else _kept(folder / "key")
    return Identity(machine, export.team, hashlib.blake2b(key, digest_size=32).digest())


def placed(path: str, environ: Mapping[str, str]) -> str:
    """Return the path of a file that the configuration names; `~/` is the home."""
    found = f"{home(environ)}{path[1:]}" if path.startswith("~/") else path
    if not found.startswith("/"):
        raise LaconicError(f"[export]: {path!r} is not an absolute path", "laconic config edit")
    return found


def _given(path: str) -> bytes:
    key = read_file(path)
    if len(key.strip()) < _SHORTEST_KEY:
        message = f"{path}: a key has at least {_SHORTEST_KEY} characters"
        raise LaconicError(message, f"openssl rand -hex 32 > {path}")
    return key.strip()


def _kept(path: Path) -> bytes:
    try:
        return bytes.fromhex(read_file(path).decode("ascii"))
    except ValueError as error:
        raise LaconicError(f"{path}: is damaged", f"rm {path}") from error
    except FileError:
        if path.exists():
            raise
    made = secrets.token_bytes(32)
    write_private(path, made.hex().encode())
    return made


def _user() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


@lru_cache(maxsize=4096)
def origin_of(directory: str) -> str:
    """Return where a project comes from: `git.example.com/acme/shop`, or where it is here."""
    found = find_repository(directory)
    if found is None:
        return directory
    values = dict(configuration(f"{found.common}/config"))
    return plain_origin(values.get(_ORIGIN, "")) or found.top or found.common


def plain_origin(url: str) -> str:
    """Return the host and path of an address, which people write in several ways."""
    rest = _LOGIN.sub("", _SCHEME.sub("", url.strip().lower()))
    rest = rest if url.startswith("/") else _PORT.sub(r"\1/", rest).replace(":", "/", 1)
    return rest.rstrip("/").removesuffix(".git")

"""Loads the built-in knowledge of tools: from its files, or from a cache of what they come to.

Parsing all files takes a tenth of a second, and a hook needs one program of them. The cache holds
the tables by program; it stands beside the compiled modules, or in the user's cache directory, and
is good for files of these names, sizes and times. A cache that cannot be read or written, or that
is damaged, is as good as none.
"""

# pathlib takes six milliseconds to load.
# ruff: noqa: PTH103, PTH105, PTH108, PTH116, PTH118, PTH120, PTH123, PTH208
from __future__ import annotations

import contextlib
import marshal
import os
import sys
from binascii import crc32
from functools import lru_cache
from os.path import dirname, isabs, join

from laconic import __version__
from laconic.surroundings import environment
from laconic.tools.knowledge import Branch, Entry, Library

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any

    Row = tuple[str, str, dict[str, Any]]  # the file's stem, the table's path, its keys

_DATA = join(dirname(__file__), "policy", "data")
_NAME = f"knowledge.{sys.implementation.cache_tag}.bin"
_CHECKSUM = 4
_OTHERS_WRITE = 0o022


def __getattr__(name: str) -> Path:
    """DATA: the directory of the files; pathlib is loaded for those who ask for it."""
    if name != "DATA":
        raise AttributeError(name)
    from pathlib import Path  # noqa: PLC0415

    return Path(_DATA)


@lru_cache(maxsize=1)
def library() -> Library:
    loaded = Library()
    loaded.root.words = Programs(_compiled())
    return loaded


def tables() -> list[tuple[str, str, dict[str, Any]]]:
    """Every table as it is written: the file it stands in, its command path, its keys."""
    return [
        (stem, name, table) for stem, document in _documents() for name, table in document.items()
    ]


class Programs(dict[str, Branch]):
    """The branches of all programs; each grows when somebody asks for it."""

    def __init__(self, packed: dict[str, bytes]) -> None:
        super().__init__()
        self._packed = packed

    def __missing__(self, program: str) -> Branch:
        rows: list[Row] = marshal.loads(self._packed[program])  # noqa: S302 - see _read
        branch = self[program] = Branch()
        for stem, path, table in rows:
            for name in (path, *table.get("also", ())):
                if program in first_words(name):
                    _plant(branch, name, Entry(path, table, stem))
        return branch

    def get(self, program: str, default: Any = None) -> Any:
        return self[program] if program in self._packed else default

    def __contains__(self, program: object) -> bool:
        return program in self._packed

    def __iter__(self) -> Iterator[str]:
        return iter(self._packed)

    def __len__(self) -> int:
        return len(self._packed)

    def keys(self) -> Any:
        return self._packed.keys()

    def items(self) -> Any:
        return [(program, self[program]) for program in self._packed]

    def values(self) -> Any:
        return [self[program] for program in self._packed]


def _plant(root: Branch, path: str, entry: Entry) -> None:
    """Put an entry where its path leads. A path written in full wins over one with alternatives."""
    branches = [root]
    for word in path.split()[1:]:
        branches = [grown for branch in branches for grown in branch.grow(word)]
    for branch in branches:
        if branch.entry is None or "{" not in path:
            branch.entry = entry


def first_words(path: str) -> list[str]:
    """Give the programs that a path is about: `{npm,pnpm} install` is about two."""
    word = path.split(maxsplit=1)[0]
    return word[1:-1].split(",") if word.startswith("{") and word.endswith("}") else [word]


# -- the files, and what they come to --------------------------------------------------------------


def _documents() -> list[tuple[str, dict[str, Any]]]:
    import tomllib  # noqa: PLC0415 - with a cache nobody needs it

    found = []
    for name in _names():
        with open(join(_DATA, name), "rb") as file:
            found.append((name.removesuffix(".toml"), tomllib.load(file)))
    return found


def _names() -> list[str]:
    return sorted(name for name in os.listdir(_DATA) if name.endswith(".toml"))


def _pack() -> dict[str, bytes]:
    """Give the tables of each program, ready to be loaded alone."""
    rows: dict[str, list[Row]] = {}
    for stem, path, table in tables():
        names = (path, *table.get("also", ()))
        for program in dict.fromkeys(word for name in names for word in first_words(name)):
            rows.setdefault(program, []).append((stem, path, table))
    return {program: marshal.dumps(found) for program, found in rows.items()}


def _compiled() -> dict[str, bytes]:
    key = _key()
    for path in _places():
        packed = _read(path, key)
        if packed is not None:
            return packed
    packed = _pack()
    data = marshal.dumps((key, packed))
    for path in _places():
        if _write(path, crc32(data).to_bytes(_CHECKSUM, "big") + data):
            break
    return packed


def _key() -> tuple[Any, ...]:
    """What the files are, without reading them: as Python itself knows its sources."""
    stats = [(name, os.stat(join(_DATA, name))) for name in _names()]
    return (__version__, _DATA, [(name, found.st_size, found.st_mtime_ns) for name, found in stats])


def _places() -> list[str]:
    found = [join(dirname(__file__), "__pycache__", _NAME)]
    environ = environment()
    for variable, folder in (
        ("LACONIC_CACHE_DIR", ""),
        ("XDG_CACHE_HOME", "laconic"),
        ("HOME", ".cache/laconic"),
    ):
        if isabs(environ.get(variable, "")):
            return [*found, join(environ[variable], folder, _NAME)]
    return found


def _read(path: str, key: tuple[Any, ...]) -> dict[str, bytes] | None:
    """Give the tables by program; None unless the file is whole, of this key, and not others'."""
    try:
        with open(path, "rb") as file:
            found = os.fstat(file.fileno())
            if found.st_uid not in (0, os.geteuid()) or found.st_mode & _OTHERS_WRITE:
                return None
            data = file.read()
    except OSError:
        return None
    if crc32(data[_CHECKSUM:]).to_bytes(_CHECKSUM, "big") != data[:_CHECKSUM]:
        return None
    # Whoever could write this file could write a module beside it, or the user's configuration.
    try:
        written, packed = marshal.loads(data[_CHECKSUM:])  # noqa: S302
    except (ValueError, EOFError, TypeError):
        return None
    return packed if written == key else None


def _write(path: str, data: bytes) -> bool:
    draft = f"{path}.{os.getpid()}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        os.makedirs(dirname(path), mode=0o700, exist_ok=True)
        handle = os.open(draft, flags, 0o644)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(draft, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(draft)
        return False
    return True

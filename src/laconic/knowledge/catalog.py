"""Loads the built-in knowledge of tools.

Parsing all files takes a tenth of a second, and a hook needs one program of them: what is kept is
the tables by program, and each grows when somebody asks for it.
"""

# pathlib takes six milliseconds to load.
# ruff: noqa: PTH118, PTH120, PTH123, PTH208
from __future__ import annotations

import marshal
import os
from functools import lru_cache
from os.path import dirname, join

from laconic.knowledge.knowledge import Branch, Entry, Library
from laconic.settings.disk_cache import Parts, stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any

    Row = tuple[str, str, dict[str, Any]]  # the file's stem, the table's path, its keys

_DATA = join(dirname(__file__), "data")


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


def extended(own: list[Row]) -> Library:
    """Give the built-in knowledge with further tables, which win over those of the same path."""
    loaded = Library()
    loaded.root.words = Programs(_compiled(), _by_program(own))
    return loaded


def tables() -> list[Row]:
    """Every table as it is written: the file it stands in, its command path, its keys."""
    return [
        (stem, name, table) for stem, document in _documents() for name, table in document.items()
    ]


class Programs(dict[str, Branch]):
    """The branches of all programs; each grows when somebody asks for it."""

    def __init__(self, built_in: Parts, own: dict[str, list[Row]] | None = None) -> None:
        super().__init__()
        self._built_in, self._own = built_in, own or {}
        self._names = built_in.index.keys() | self._own.keys() if own else built_in.index.keys()

    def __missing__(self, program: str) -> Branch:
        rows: list[Row] = []
        if program in self._built_in.index:
            rows = marshal.loads(self._built_in[program])  # noqa: S302 - see compiled
        branch = self[program] = Branch()
        for stem, path, table in rows + self._own.get(program, []):
            for name in (path, *table.get("also", ())):
                if program in first_words(name):
                    _plant(branch, name, Entry(path, table, stem))
        return branch

    def get(self, program: str, default: Any = None) -> Any:
        return self[program] if program in self._names else default

    def __contains__(self, program: object) -> bool:
        return program in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def keys(self) -> Any:
        return self._names

    def items(self) -> Any:
        return [(program, self[program]) for program in self._names]

    def values(self) -> Any:
        return [self[program] for program in self._names]


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
            found.append((name.removesuffix(".toml"), with_default_effect(tomllib.load(file))))
    return found


def with_default_effect(document: dict[str, Any]) -> dict[str, Any]:
    """Put the file's `effect` into the tables of its programs; their subcommands inherit it."""
    default = document.pop("effect", "")
    programs = {word for path in document if " " not in path for word in first_words(path)}
    for path, table in document.items():
        if " " not in path or not programs.issuperset(first_words(path)):
            table.setdefault("effect", default)
    return document


def _names() -> list[str]:
    return sorted(name for name in os.listdir(_DATA) if name.endswith(".toml"))


def _by_program(rows: list[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        names = (row[1], *row[2].get("also", ()))
        for program in dict.fromkeys(word for name in names for word in first_words(name)):
            found.setdefault(program, []).append(row)
    return found


def _pack() -> dict[str, bytes]:
    """Give the tables of each program, ready to be loaded alone."""
    return {program: marshal.dumps(rows) for program, rows in _by_program(tables()).items()}


def _compiled() -> Parts:
    return Parts("knowledge", [stamp(join(_DATA, name)) for name in _names()], _pack)

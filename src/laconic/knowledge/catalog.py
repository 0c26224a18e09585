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

from laconic.errors import FileError
from laconic.knowledge.knowledge import Library, Programs, first_words
from laconic.settings.disk_cache import Parts, stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from laconic.knowledge.knowledge import Row

_DATA = join(dirname(__file__), "data")


def __getattr__(name: str) -> Path:
    """DATA: the directory of the files; pathlib is loaded for those who ask for it."""
    if name != "DATA":
        raise AttributeError(name)
    from pathlib import Path  # noqa: PLC0415

    return Path(_DATA)


@lru_cache(maxsize=1)
def library() -> Library:
    return extended([])


def extended(own: list[Row]) -> Library:
    """Return the built-in knowledge with further tables, which win over those of the same path."""
    built_in, added = _compiled(), _by_program(own)

    def rows(program: str) -> list[Row]:
        tables: list[Row] = []
        if program in built_in.index:
            tables = marshal.loads(built_in[program])  # noqa: S302 - see disk_cache
        return tables + added.get(program, [])

    known = built_in.index.keys()
    return Library(Programs(known | added.keys() if added else known, rows))


def tables() -> list[Row]:
    """Every table as it is written: its file, its command path, its keys."""
    return [
        (stem, name, table) for stem, document in _documents() for name, table in document.items()
    ]


# -- the files, and what they come to --------------------------------------------------------------


def _documents() -> list[tuple[str, dict[str, Any]]]:
    import tomllib  # noqa: PLC0415 - with a cache nobody needs it

    documents = []
    for name in _names():
        with open(join(_DATA, name), "rb") as file:
            try:
                document = tomllib.load(file)
            except ValueError as error:
                raise FileError(f"{file.name} is not valid TOML: {error}") from error
        documents.append((name.removesuffix(".toml"), with_default_effect(document)))
    return documents


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
    by_program: dict[str, list[Row]] = {}
    for row in rows:
        names = (row[1], *row[2].get("also", ()))
        for program in dict.fromkeys(word for name in names for word in first_words(name)):
            by_program.setdefault(program, []).append(row)
    return by_program


def _pack() -> dict[str, bytes]:
    """Return the tables of each program, ready to be loaded alone."""
    return {program: marshal.dumps(rows) for program, rows in _by_program(tables()).items()}


def _compiled() -> Parts:
    return Parts("knowledge", stamps(), _pack)


def stamps() -> list[tuple[str, int, int]]:
    """What tells whether something that was computed from the files still holds."""
    return [stamp(join(_DATA, name)) for name in _names()]

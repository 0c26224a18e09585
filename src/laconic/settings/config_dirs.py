"""Reads the filters and rules next to a config.toml: the user's, and a trusted project's."""

# pathlib takes six milliseconds to load.
# ruff: noqa: PTH112, PTH118
from __future__ import annotations

import os
from os.path import isdir, join, relpath

from laconic.errors import FileError, Problem
from laconic.files import read_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from laconic.settings.load import Settings


class File:
    """A TOML file. name: its path in the folder without `.toml`; path: its full path."""

    __slots__ = ("data", "name", "path")

    def __init__(self, name: str, data: bytes, path: str) -> None:
        self.name, self.data, self.path = name, data, path

    def __eq__(self, other: object) -> bool:
        return isinstance(other, File) and self._all == other._all

    def __hash__(self) -> int:
        return hash(self._all)

    @property
    def _all(self) -> tuple[str, bytes, str]:
        return self.name, self.data, self.path


def files_in(folder: str, settings: Settings) -> tuple[tuple[File, ...], tuple[Problem, ...]]:
    """Read the files of `filters` or `rules`, the project's last, and the problems found."""
    problems: list[Problem] = []
    users = tuple(_users(join(settings.directories.config_dir, folder), problems))
    return users + tuple(_projects(folder, settings, problems)), tuple(problems)


def _users(folder: str, problems: list[Problem]) -> Iterator[File]:
    for path in toml_files(folder) if isdir(folder) else ():
        try:
            yield File(name_in(folder, path), read_file(path), path)
        except FileError as error:
            problems.append(Problem("broken", "", "", error.message, error.hint))


def _projects(folder: str, settings: Settings, problems: list[Problem]) -> Iterator[File]:
    project = settings.project
    for name, data in project.snapshot.files.items() if project else ():
        if project is None or not name.startswith(f"{folder}/"):
            continue
        path = f"{project.config_path.parent}/{name}"
        if project.trusted:
            yield File(name.removeprefix(f"{folder}/").removesuffix(".toml"), data, path)
        else:
            message, hint = "ignored until you trust this project", "read it, then: laconic trust"
            problems.append(Problem("untrusted", path, "", message, hint))


def toml_files(folder: str) -> list[str]:
    found = [join(at, name) for at, _, names in os.walk(folder) for name in names]
    return sorted(path for path in found if path.endswith(".toml"))


def name_in(folder: str, path: str) -> str:
    return relpath(path, folder).removesuffix(".toml")

"""Loads filters: the built-in ones, the user's, and those of a project that is trusted."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from laconic import toml
from laconic.compact.filter import Filter
from laconic.compact.match import Filters
from laconic.errors import FileError
from laconic.files import read_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from laconic.settings import Problem, Settings
    from laconic.tools.knowledge import Library

DATA = Path(__file__).parent / "compact" / "data"
BUILT_IN = "built-in"
_FOLDER = "filters"
_COMMAND = re.compile(rb"^command = \[(.*)\]", re.MULTILINE)
_QUOTED = re.compile(rb'"([^"\\]*)"')
_MOST_FAULTS = 5


class FilterSet:
    """All filters in force. own: the documents that are not built in, sources: their files."""

    def __init__(
        self,
        own: Mapping[str, Mapping[str, Any]],
        sources: Mapping[str, str],
        problems: tuple[Problem, ...] = (),
        library: Library | None = None,
    ) -> None:
        self.own, self.sources, self.problems = own, sources, problems
        self.filters = Filters(
            self.load, library, exact=_listed("exact.txt"), runners=_listed("runners.txt")
        )
        for command, identifier in built_in_commands():
            if identifier not in own:
                self.filters.add(command, identifier)
        for identifier, document in own.items():
            for command in document["command"]:
                self.filters.add(command, identifier, layer=1)

    def load(self, identifier: str) -> Filter | None:
        if identifier in self.own:
            return Filter(identifier, self.own[identifier], self.sources[identifier])
        return built_in(identifier)

    @property
    def ids(self) -> list[str]:
        return sorted({*built_in_ids(), *self.own})


def load_filters(settings: Settings | None, library: Library | None = None) -> FilterSet:
    """Give the filters in force. A broken file is a problem, and the filter it hides stays."""
    problems: list[Problem] = []
    sources: dict[str, str] = {}
    own: dict[str, Mapping[str, Any]] = {}
    for identifier, data, source in _files(settings, problems) if settings else ():
        document, faults = check_bytes(data, source)
        problems += faults
        if not faults:
            own[identifier], sources[identifier] = document, source
    return FilterSet(own, sources, tuple(problems), library)


def check_bytes(data: bytes, source: str) -> tuple[dict[str, Any], list[Problem]]:
    """Give the document of a filter file, and what is wrong with it."""
    from laconic.filter_file import check_filter  # noqa: PLC0415 - who has no filters of their
    from laconic.settings import Problem  # noqa: PLC0415 - own does not pay for checking them

    try:
        document = toml.parse(data)
    except ValueError as error:
        return {}, [Problem("broken", source, "", str(error))]
    faults = islice(check_filter(document), _MOST_FAULTS)
    return document, [Problem("broken", source, *fault) for fault in faults]


def _files(settings: Settings, problems: list[Problem]) -> Iterator[tuple[str, bytes, str]]:
    """The user's files, then the project's, which win."""
    from laconic.settings import Problem  # noqa: PLC0415 - as above

    folder = settings.directories.config / _FOLDER
    for path in sorted(folder.rglob("*.toml")) if folder.is_dir() else ():
        try:
            yield _identifier(path, folder), read_file(path), str(path)
        except FileError as error:
            problems.append(Problem("broken", "", "", error.message, error.hint))
    project = settings.project
    for name, data in project.snapshot.files.items() if project else ():
        if project is None or not name.startswith(f"{_FOLDER}/"):
            continue
        path = project.config_path.with_name(_FOLDER) / name.removeprefix(f"{_FOLDER}/")
        if project.trusted:
            yield _identifier(path, project.config_path.with_name(_FOLDER)), data, str(path)
        else:
            message, hint = "ignored until you trust this project", "read it, then: laconic trust"
            problems.append(Problem("untrusted", str(path), "", message, hint))


def _identifier(path: Path, folder: Path) -> str:
    return path.relative_to(folder).with_suffix("").as_posix()


# -- built in ------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def built_in_commands() -> tuple[tuple[str, str], ...]:
    """Every command path and its filter, from one line of each file: parsing all costs 50 ms."""
    found: list[tuple[str, str]] = []
    for path in sorted(DATA.rglob("*.toml")):
        line = _COMMAND.search(path.read_bytes())
        assert line, f"{path} has no line with its commands"
        identifier = _identifier(path, DATA)
        found += [(word.decode(), identifier) for word in _QUOTED.findall(line[1])]
    return tuple(found)


def built_in_ids() -> list[str]:
    return sorted({identifier for _, identifier in built_in_commands()})


@lru_cache(maxsize=64)
def built_in(identifier: str) -> Filter | None:
    path = DATA / f"{identifier}.toml"
    if identifier not in built_in_ids():
        return None
    return Filter(identifier, toml.parse(path.read_bytes()), BUILT_IN)


def _listed(name: str) -> list[str]:
    lines = (DATA / name).read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]

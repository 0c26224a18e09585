"""Loads filters: the built-in ones, the user's, and those of a project that is trusted."""

# pathlib takes six milliseconds to load.
# ruff: noqa: PTH118, PTH120, PTH123
from __future__ import annotations

import marshal
from functools import lru_cache
from itertools import islice
from os.path import dirname, join

from laconic.compact.filter import Filter
from laconic.compact.match import Filters
from laconic.errors import LaconicError, Problem
from laconic.settings.disk_cache import cached_on_disk, stamp
from laconic.settings.load import files_in, name_in, toml_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any

    from laconic.knowledge.knowledge import Library
    from laconic.settings.load import File, Settings

_DATA = join(dirname(__file__), "data")
_LISTS = ("exact.txt", "readable.txt", "runners.txt")
ROWS = join(_DATA, "rows.txt")
BUILT_IN = "built-in"
_MOST_FAULTS = 5
_MOST_KEPT = 32


def __getattr__(name: str) -> Path:
    """DATA: the directory of the files; pathlib is loaded for those who ask for it."""
    if name != "DATA":
        raise AttributeError(name)
    from pathlib import Path  # noqa: PLC0415

    return Path(_DATA)


class FilterSet:
    """All filters in force. own: the documents that are not built in, sources: their files."""

    def __init__(
        self,
        own: Mapping[str, Mapping[str, Any]],
        sources: Mapping[str, str],
        problems: tuple[Problem, ...] = (),
        library: Library | None = None,
        *,
        reads_logs: bool = False,
    ) -> None:
        self.own, self.sources, self.problems = own, sources, problems
        known = _compiled()
        lists = {name.removesuffix(".txt"): known[name] for name in _LISTS}
        self.filters = Filters(self.load, library, reads_logs=reads_logs, **lists)
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
    """Return the filters in force. A broken file is a problem, and the filter it hides stays."""
    files, problems = files_in("filters", settings) if settings else ((), ())
    reads_logs = settings is not None and settings.config.compact.logs
    return _filter_set(files, problems, library, reads_logs=reads_logs)


@lru_cache(maxsize=_MOST_KEPT)
def _filter_set(
    files: tuple[File, ...],
    problems: tuple[Problem, ...],
    library: Library | None,
    *,
    reads_logs: bool,
) -> FilterSet:
    sources: dict[str, str] = {}
    own: dict[str, Mapping[str, Any]] = {}
    for file in files:
        document, faults = check_bytes(file.data, file.path)
        problems += tuple(faults)
        if not faults:
            own[file.name], sources[file.name] = document, file.path
    return FilterSet(own, sources, problems, library, reads_logs=reads_logs)


def check_bytes(data: bytes, source: str) -> tuple[dict[str, Any], list[Problem]]:
    """Return the document of a filter file, and what is wrong with it."""
    # The import is here because only users with filters of their own need it.
    from laconic.compact.format import check_filter  # noqa: PLC0415
    from laconic.settings import toml  # noqa: PLC0415

    try:
        document = toml.parse(data)
    except ValueError as error:
        return {}, [Problem("broken", source, "", str(error))]
    faults = islice(check_filter(document), _MOST_FAULTS)
    return document, [Problem("broken", source, *fault) for fault in faults]


# -- built in ------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _compiled() -> dict[str, Any]:
    """Return `filters`, each ready to be loaded alone, and the lines of the lists, by name."""
    paths = [*toml_files(_DATA), *(join(_DATA, name) for name in _LISTS), ROWS]
    found: dict[str, Any] = cached_on_disk("filters", [stamp(path) for path in paths], _compile)
    return found


def _compile() -> dict[str, Any]:
    from laconic.settings import toml  # noqa: PLC0415 - what it gives is kept

    filters: dict[str, tuple[list[str], bytes]] = {}
    for line in _listed(ROWS):
        identifier, row = _row(line)
        filters[identifier] = row["command"], marshal.dumps(row)
    for path in toml_files(_DATA):
        with open(path, "rb") as file:
            data = file.read()
        try:
            table = toml.parse(data)
        except ValueError as error:  # only in a working copy: whoever writes a filter sees it
            raise LaconicError(f"{path}: {error}") from error
        filters[name_in(_DATA, path)] = table["command"], marshal.dumps(table)
    return {"filters": filters, **{name: _listed(name) for name in _LISTS}}


def _listed(name: str) -> list[str]:
    with open(join(_DATA, name), encoding="utf-8") as file:
        return [line for line in file.read().splitlines() if line and not line.startswith("#")]


def _row(line: str) -> tuple[str, dict[str, Any]]:
    """The name of a row and its document: `git/tag listing: git tag | -v`."""
    said, _, options = line.partition(" | ")
    start, _, commands = said.partition(": ")
    identifier, _, kind = start.partition(" ")
    return identifier, {
        "command": commands.split(", "),
        "kind": kind,
        "passthrough": options.split(),
    }


def built_in_commands() -> list[tuple[str, str]]:
    """Every command path and its filter."""
    filters = _compiled()["filters"]
    return [(command, name) for name, (commands, _) in filters.items() for command in commands]


def built_in_ids() -> list[str]:
    return sorted(_compiled()["filters"])


@lru_cache(maxsize=64)
def built_in(identifier: str) -> Filter | None:
    found = _compiled()["filters"].get(identifier)
    return Filter(identifier, marshal.loads(found[1]), BUILT_IN) if found else None  # noqa: S302

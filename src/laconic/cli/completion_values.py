"""The values that completions offer: names of agents, filters and rules, ids of outputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from laconic.cli.main import COMMANDS
from laconic.errors import LaconicError
from laconic.report.text import visible
from laconic.settings.keys import options
from laconic.settings.load import read_directories, read_settings

_MOST = 50
_LONGEST = 60


def values(kind: str) -> Iterator[tuple[str, str]]:
    """Yield values with a few words about each; none where they cannot be read."""
    try:
        values_now = list(KINDS[kind]())
    except (LaconicError, OSError):
        return
    for text, about in values_now:
        line = " ".join(visible(about).split())
        yield visible(text), line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def _agents() -> Iterator[tuple[str, str]]:
    from laconic.install.recipe import names, read_recipe  # noqa: PLC0415 - one kind at a time

    for name in names():
        yield name, read_recipe(name).title


def _filters() -> Iterator[tuple[str, str]]:
    from laconic.compact.load import load_filters  # noqa: PLC0415
    from laconic.knowledge.catalog import library  # noqa: PLC0415

    for name in load_filters(read_settings(), library()).ids:
        yield name, ""


def _rules() -> Iterator[tuple[str, str]]:
    from laconic.knowledge.catalog import tables  # noqa: PLC0415

    for _, name, table in tables():
        yield name.replace(" ", "/"), str(table.get("about") or table.get("why", ""))


def _outputs() -> Iterator[tuple[str, str]]:
    from laconic.record import queries  # noqa: PLC0415
    from laconic.record.database import reading  # noqa: PLC0415

    yield "last", "the last one"
    with reading(read_directories().state) as (connection, _):
        runs = queries.history(connection, _MOST)
    for run in reversed(runs):
        if run["raw_id"]:
            yield str(run["raw_id"]), str(run["command"])


def _undo() -> Iterator[tuple[str, str]]:
    from laconic.undo.store import LAST, Store  # noqa: PLC0415

    yield LAST, "the last command that was not undone"
    for keep in Store(read_directories().state).keeps():
        yield keep.id, keep.about.command


def _tried() -> Iterator[tuple[str, str]]:
    from laconic.box.attempt import tries  # noqa: PLC0415
    from laconic.undo.store import LAST  # noqa: PLC0415

    yield LAST, "the last command that was tried"
    for keep in tries(read_settings()).keeps():
        yield keep.id, keep.about.command


def _allowances() -> Iterator[tuple[str, str]]:
    from time import time  # noqa: PLC0415

    from laconic.permissions import allowances  # noqa: PLC0415

    for each in allowances.list_all(read_directories().state, time()):
        yield each.id, each.command


def _keys() -> Iterable[tuple[str, str]]:
    return ((name, "") for name in options())


def _commands() -> Iterable[tuple[str, str]]:
    return ((command.name, command.help) for command in COMMANDS)


KINDS: dict[str, Callable[[], Iterable[tuple[str, str]]]] = {
    "agents": _agents,
    "commands": _commands,
    "allowances": _allowances,
    "filters": _filters,
    "keys": _keys,
    "outputs": _outputs,
    "rules": _rules,
    "tried": _tried,
    "undo": _undo,
}

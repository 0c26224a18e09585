"""How laconic is installed in an agent: the [install] table of the agent's data file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from laconic.agents.load import ALIASES, DATA
from laconic.errors import UsageError
from laconic.settings import toml
from laconic.settings.load import home_directory
from laconic.settings.schema import closest

Scope = Literal["user", "project", "managed"]


class HookEntry(NamedTuple):
    """A hook in a JSON file. at: the list it belongs to. when: the key that asks for it.

    or_at: where that list may be instead, in files that are written in another form.
    """

    at: tuple[str, ...]
    value: Mapping[str, Any]
    when: str = ""
    or_at: tuple[tuple[str, ...], ...] = ()


class File(NamedTuple):
    """A file to change. user: its name in the agent's directory; project: its path in a project.

    managed: where root has it for all users, by platform. seed: keys that the whole file needs.
    template: what is written, or what the block says.
    """

    mechanism: Literal["json", "block", "file"]
    user: str = ""
    project: str = ""
    entries: tuple[HookEntry, ...] = ()
    seed: Mapping[str, Any] = {}
    template: str = ""
    executable: bool = False
    managed: Mapping[str, str] = {}


class Switch(NamedTuple):
    """A setting of the agent that turns all hooks off."""

    file: str
    at: tuple[str, ...]
    value: Any


class Recipe(NamedTuple):
    """All about one agent.

    directories: where its settings are; the first one that is known counts. programs, marks: what
    shows that it is there. since: its first version that has what laconic needs. works: what
    laconic can do in it. verified: how that is known. note: what to do after the installation.
    sample: what it would send. trust: the agent whose way of trusting hooks it has. unsupported:
    what to do on a platform where it cannot work.
    """

    name: str
    title: str
    directories: tuple[str, ...]
    files: tuple[File, ...]
    programs: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    since: str = ""
    works: str = ""
    verified: str = ""
    note: str = ""
    sample: str = ""
    switches: tuple[Switch, ...] = ()
    trust: str = ""
    unsupported: Mapping[str, str] = {}

    @property
    def how(self) -> Literal["hook", "script", "plugin", "rules"]:
        """How laconic works in the agent, in one word."""
        first = self.files[0]
        if not self.sample:
            return "rules"
        if first.executable:
            return "script"
        return "plugin" if first.template.endswith(".ts") else "hook"

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """The scopes it can be installed in, the usual one first."""
        user: tuple[Scope, ...] = ("user",) if any(file.user for file in self.files) else ()
        project: tuple[Scope, ...] = ("project",) if any(f.project for f in self.files) else ()
        return user + project


@cache
def names() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in Path(DATA).glob("*.toml") if _table(path.stem)))


def read_recipe(name: str) -> Recipe:
    """Return what is known of an agent, by its name or another name for it."""
    known = ALIASES.get(name, name)
    if known not in names():
        best = closest(name, (*names(), *ALIASES))
        hint = f"did you mean: {best}?" if best else f"known: {', '.join(names())}"
        raise UsageError(f"there is no agent {name!r}", hint)
    return from_table(known, _table(known))


def from_table(name: str, given: Mapping[str, Any]) -> Recipe:
    """Return the recipe of an agent's [install] table."""
    table = dict(given)
    files = tuple(_file(dict(item)) for item in table.pop("files"))
    switches = tuple(
        Switch(item["file"], tuple(item["at"]), item["value"]) for item in table.pop("switches", ())
    )
    plain: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in table.items()}
    return Recipe(name, files=files, switches=switches, **plain)


def _file(item: dict[str, Any]) -> File:
    entries = tuple(
        HookEntry(
            tuple(entry["at"]),
            entry["value"],
            entry.get("when", ""),
            tuple(map(tuple, entry.get("or_at", ()))),
        )
        for entry in item.pop("entries", ())
    )
    return File(entries=entries, **item)


@cache
def _table(name: str) -> dict[str, Any]:
    document = toml.parse((Path(DATA) / f"{name}.toml").read_bytes())
    if "install" not in document:
        return {}
    return {"title": document["title"], **document["install"]}


# -- places ----------------------------------------------------------------------------------------


def expand(text: str, environ: Mapping[str, str]) -> Path | None:
    """Return the path that `$NAME/rest` or `~/rest` stands for; None without such a variable."""
    head, _, rest = text.partition("/")
    if head == "~":
        return home_directory(environ) / rest
    if not head.startswith("$"):
        return Path(text)
    base = environ.get(head[1:], "")
    return Path(base) / rest if os.path.isabs(base) else None


def directory(recipe: Recipe, environ: Mapping[str, str]) -> Path:
    """Return the directory of the agent's settings."""
    paths = [path for text in recipe.directories if (path := expand(text, environ))]
    return paths[0]

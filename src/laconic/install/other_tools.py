"""Similar tools in the settings of agents: where their hooks are, and how to take them out."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from laconic.errors import LaconicError
from laconic.install import merge, originals
from laconic.install.install import SCOPES, Change, Site, hooks, path_of
from laconic.install.owners import rival_named, rival_of
from laconic.install.recipe import File, Recipe


class Rival(NamedTuple):
    """A hook of another tool. is_file: the whole file is that tool's."""

    name: str
    path: Path
    is_file: bool = False


def find_rivals(recipe: Recipe, site: Site) -> list[Rival]:
    """Return the other tools that an agent calls for commands, each file once."""
    rivals: dict[tuple[str, Path], Rival] = {}
    for file in recipe.files:
        for path in _paths(file, recipe, site):
            for rival in _in_file(file, recipe, path, site):
                rivals[rival.name, rival.path] = rival
    return list(rivals.values())


def _paths(file: File, recipe: Recipe, site: Site) -> Iterator[Path]:
    """Return the file itself, and those beside it where the agent reads all of a directory."""
    for scope in SCOPES:
        path = path_of(file, recipe, scope, site)
        if path is None:
            continue
        yield path
        if path.stem.startswith("laconic") and path.parent.is_dir():
            yield from sorted(p for p in path.parent.iterdir() if p.is_file() and p != path)


def _in_file(file: File, recipe: Recipe, path: Path, site: Site) -> Iterator[Rival]:
    if name := rival_named(path.name.lower()):
        yield Rival(name, path, is_file=True)
    elif file.mechanism == "json":
        try:
            text = (originals.current(path) or b"{}").decode()
            names = [rival_of(h) for h in merge.handlers(text, hooks(file, recipe, site, text))]
        except (LaconicError, ValueError):
            return
        yield from (Rival(name, path) for name in dict.fromkeys(names) if name)


def plan_removal(recipe: Recipe, site: Site) -> list[Change]:
    """Return the changes that take the hooks of other tools out of an agent's settings.

    A file that is wholly another tool's stays; that tool can remove it.
    """
    paths = {rival.path for rival in find_rivals(recipe, site) if not rival.is_file}
    changes = []
    for path in sorted(paths):
        target = Path(os.path.realpath(path))
        before = originals.current(target)
        assert before is not None
        text = before.decode()
        for file in recipe.files:
            if file.mechanism == "json":
                text = merge.remove(text, hooks(file, recipe, site, text), text, rival_of)
        changes.append(Change(path, target, before, text.encode()))
    return changes

"""Finds laconic in the settings of an agent: in which files, and what the agent would run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from laconic.errors import LaconicError
from laconic.install import blocks, merge, originals
from laconic.install.install import MARK, SCOPES, Site, hooks, marks, path_of, template
from laconic.install.recipe import File, Recipe, Scope
from laconic.settings import toml
from laconic.settings.managed import unfit
from laconic.shell.words import quoted


class Installed(NamedTuple):
    """A file that laconic is in. command: what the agent runs, if the file says so.

    is_current: laconic's part is just what this version would write. is_safe: it is current, or in
    a file of the user's or root's; anybody may have written a file of the project. is_managed: it
    is root's, and names whatever laconic root has installed.
    """

    path: Path
    command: str
    is_current: bool
    is_safe: bool
    is_managed: bool = False


def find_installed(recipe: Recipe, site: Site) -> Iterator[Installed]:
    """Return the files that laconic is in, of the user, the project and root; no broken ones."""
    scopes: tuple[Scope, ...] = (*SCOPES, "managed")
    for scope in scopes:
        for file in recipe.files:
            path = path_of(file, recipe, scope, site)
            try:
                data = originals.current(path) if path else None
                if path is None or data is None:
                    continue
                command, is_current = _in_text(file, recipe, path, data.decode(), site)
            except (LaconicError, LookupError, ValueError):
                continue
            is_managed = scope == "managed"
            if is_managed and unfit(str(path), path.stat()):
                continue
            is_current = is_current or is_managed
            yield Installed(path, command, is_current, is_current or scope == "user", is_managed)


def _in_text(file: File, recipe: Recipe, path: Path, text: str, site: Site) -> tuple[str, bool]:
    """Return the command, and whether all is as this version writes it; LookupError without any."""
    if file.mechanism == "json":
        wanted = hooks(file, recipe, site, text)
        command = _command_of(merge.owned(text, wanted)[0])
        return command, merge.install(text, wanted, file.seed) == text
    body = template(file, recipe, site)
    if file.mechanism == "block":
        command = _command_in_block(file, blocks.find(text, marks(file)))
        return command, blocks.put(text, body, marks(file)) == text
    if MARK not in text:
        raise LookupError(path)
    return _command_in_file(file, recipe, path, text), text == body


def _command_of(entry: Mapping[str, Any]) -> str:
    """Return the command of an entry, wherever it is in it."""
    inner = [h for h in (*entry.get("hooks", ()), entry.get("action")) if isinstance(h, dict)]
    texts = (table.get(key) for table in (entry, *inner) for key in ("command", "bash"))
    return next((text for text in texts if isinstance(text, str)), "")


def _command_in_block(file: File, block: str) -> str:
    if not block:
        raise LookupError(file)
    if marks(file) is not blocks.TOML:
        return ""
    found = toml.parse(block.encode())["hooks"]
    return _command_of((found if isinstance(found, list) else next(iter(found.values())))[0])


def _command_in_file(file: File, recipe: Recipe, path: Path, text: str) -> str:
    """Return what an agent runs: the file itself, or what the plugin in it starts."""
    if file.executable:
        return quoted(str(path))
    match = re.search(r'^const EXECUTABLE = (".*")$', text, re.MULTILINE)
    return f"{quoted(json.loads(match.group(1)))} hook {recipe.name}" if match else ""

"""Finds laconic in the settings of an agent: in which files, and what the agent would run."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from laconic.errors import LaconicError
from laconic.install import blocks, merge, originals
from laconic.install.install import MARK, SCOPES, Site, hooks, marks, path_of, template
from laconic.rewrite.edits import quoted
from laconic.settings import toml

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from laconic.install.recipe import File, Recipe


class Installed(NamedTuple):
    """A file that laconic is in. command: what the agent runs, if the file says so.

    is_current: laconic's part is just what this version would write. is_safe: it is current, or in
    a file of the user's; anybody may have written a file of the project.
    """

    path: Path
    command: str
    is_current: bool
    is_safe: bool


def find_installed(recipe: Recipe, site: Site) -> Iterator[Installed]:
    """Return the files that laconic is in, of the user and of the project; broken ones are not."""
    for scope in SCOPES:
        for file in recipe.files:
            path = path_of(file, recipe, scope, site)
            try:
                data = originals.current(path) if path else None
                if path is None or data is None:
                    continue
                command, is_current = _in_text(file, recipe, path, data.decode(), site)
            except (LaconicError, LookupError, ValueError):
                continue
            yield Installed(path, command, is_current, is_current or scope == "user")


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
    return _command_of(toml.parse(block.encode())["hooks"][0])


def _command_in_file(file: File, recipe: Recipe, path: Path, text: str) -> str:
    """Return what an agent runs: the file itself, or what the plugin in it starts."""
    if file.executable:
        return quoted(str(path))
    match = re.search(r'^const EXECUTABLE = (".*")$', text, re.MULTILINE)
    return f"{quoted(json.loads(match.group(1)))} hook {recipe.name}" if match else ""

"""Takes over the settings of similar tools: what they say becomes keys of laconic's configuration.

What has no counterpart is reported and left out. The user's own file is extended, never overridden.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import tomlkit

from laconic.errors import FileError, LaconicError
from laconic.files import read_file
from laconic.install.recipe import expand
from laconic.settings import schema, toml
from laconic.settings.keys import file_schema
from laconic.settings.layers import check_bytes

_PLACES = ("$XDG_CONFIG_HOME", "~/.config", "~/Library/Application Support")
_FILES = (("tokf", "rewrites.toml"), ("rtk", "config.toml"), ("cc-toolgate", "config.toml"))
_IN_PROJECT = (("tokf", ".tokf/rewrites.toml"),)


class Import(NamedTuple):
    """The settings of a tool in laconic's words. left: what was not taken over.

    in_project: they are for one project, and so is what becomes of them.
    """

    tool: str
    path: Path
    document: dict[str, Any]
    left: tuple[str, ...] = ()
    in_project: bool = False


def find_imports(environ: Mapping[str, str], project: Path) -> Iterator[Import]:
    """Read the user's settings of each tool that is known, and those in a project."""
    for tool, name in _FILES:
        if path := _first(environ, f"{tool}/{name}"):
            yield _read(tool, path)
    if path := _first(environ, "tokenjuice"):
        # Its rules are reducers of output in JSON; laconic has filters of its own for that.
        yield Import("tokenjuice", path, {}, ("its rules for output",))
    for tool, name in _IN_PROJECT:
        if (project / name).is_file():
            yield _read(tool, project / name)._replace(in_project=True)


def _first(environ: Mapping[str, str], rest: str) -> Path | None:
    paths = (expand(f"{place}/{rest}", environ) for place in _PLACES)
    return next((path for path in paths if path and path.exists()), None)


def _read(tool: str, path: Path) -> Import:
    try:
        document = toml.parse(read_file(path))
    except ValueError as error:
        raise LaconicError(f"{path}: {error}; not imported") from error
    except FileError as error:
        raise LaconicError(f"{error.message}; not imported") from error
    translated, foreign = _translated(tool, document)
    kept, left = _known(translated, ())
    return Import(tool, path, kept, (*foreign, *left))


def _translated(tool: str, document: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return what a tool's file means; the tables of tokf and cc-toolgate have laconic's names."""
    if tool == "tokf":
        renamed: dict[str, Any] = _renamed(document)
        return renamed, []
    if tool == "cc-toolgate":
        return document, []
    hooks = document.pop("hooks", {})
    left = [f"[{name}]" for name in document]
    left += [f"[hooks] {name}" for name in hooks if name != "exclude_commands"]
    # In both tools an entry is words, or a pattern that begins with ^, and is compared with the
    # command without the variables before it. An empty one has no effect in rtk.
    given = [text for text in hooks.get("exclude_commands", ()) if isinstance(text, str)]
    broken = [text for text in given if text.startswith("^") and schema.is_regex(text)]
    left += [f"[hooks] exclude_commands {text!r}" for text in broken]
    exclude = [text for text in given if text.strip(" ^") and text not in broken]
    return ({"skip": {"exclude": exclude}} if exclude else {}), left


def _renamed(value: Any) -> Any:
    """Return rewrites with `laconic` instead of `tokf`, whose commands have the same names."""
    if isinstance(value, str):
        return re.sub(r"(?<![\w./-])tokf(?![\w./-])", "laconic", value)
    if isinstance(value, list):
        return [_renamed(item) for item in value]
    if isinstance(value, dict):
        return {key: _renamed(item) for key, item in value.items()}
    return value


def _known(document: dict[str, Any], path: tuple[str, ...]) -> tuple[dict[str, Any], list[str]]:
    """Split a document into what laconic's configuration may contain, and the names of the rest."""
    kept: dict[str, Any] = {}
    left: list[str] = []
    for key, value in document.items():
        here = (*path, key)
        if not _faults(here, value):
            kept[key] = value
        elif isinstance(value, dict):
            inner, rest = _known(value, here)
            left += rest
            if inner:
                kept[key] = inner
        elif isinstance(value, list) and any(not _faults(here, [item]) for item in value):
            kept[key] = [item for item in value if not _faults(here, [item])]
            left.append(f"{'.'.join(here)} (in part)")
        else:
            left.append(".".join(here))
    return kept, left


def _faults(path: tuple[str, ...], value: object) -> bool:
    document: Any = value
    for key in reversed(path):
        document = {key: document}
    return any(schema.check(document, file_schema()))


# -- writing ---------------------------------------------------------------------------------------


def extended(data: bytes, document: Mapping[str, Any], path: Path) -> tuple[bytes, list[str]]:
    """Return a configuration with the keys that it lacks, and the keys where it says otherwise.

    Comments and order stay. LaconicError if the file is broken as it is.
    """
    checked(data, path)
    target = tomlkit.parse(data.decode("utf-8-sig"))
    kept: list[str] = []
    _extend(target, document, (), kept)
    return checked(tomlkit.dumps(target).encode(), path), kept


def checked(data: bytes, path: Path) -> bytes:
    """Return a configuration if it is a good one; else raise LaconicError."""
    problems = check_bytes(data, str(path))[1]
    if problems:
        raise LaconicError(f"{problems[0].line}; left as it is", "laconic config check")
    return data


def _extend(target: Any, source: Mapping[str, Any], path: tuple[str, ...], kept: list[str]) -> None:
    for key, value in source.items():
        here = (*path, key)
        if key not in target:
            target[key] = tomlkit.item(value)
        elif isinstance(value, dict):
            _extend(target[key], value, here, kept)
        elif isinstance(value, list):
            present = target[key].unwrap()
            for item in value:
                if item not in present:
                    target[key].append(tomlkit.item(item))
        elif target[key] != value:
            kept.append(".".join(here))

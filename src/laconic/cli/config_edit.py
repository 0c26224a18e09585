"""laconic config get, set, unset and edit: one key of the configuration, or the whole file."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from laconic.cli.main import complain
from laconic.errors import LaconicError, UsageError
from laconic.install import originals
from laconic.reading.facts import read_facts, scope
from laconic.report.text import visible
from laconic.settings import edit, toml
from laconic.settings.keys import kinds, options
from laconic.settings.layers import check_file
from laconic.settings.load import Settings, current_directory, process_environment, read_settings
from laconic.settings.merge import Items
from laconic.settings.schema import Choice, Text, closest

_EDITORS = ("sensible-editor", "nano", "vi")
_NEW = b"# The configuration of laconic; all keys: laconic config show\n"


def add_arguments(action: Callable[[str, str], argparse.ArgumentParser]) -> None:
    """Add the four actions. action: makes the parser of one."""
    get = action("get", "print one value that is in force")
    get.add_argument("key", metavar="KEY", help="settings.profile")
    get.add_argument("--json", action="store_true", help="print JSON, with the source")
    change = action("set", "write one value to your configuration")
    change.add_argument("key", metavar="KEY", help="settings.profile")
    change.add_argument("value", metavar="VALUE", help='work, true, 30 or \'["a", "b"]\'')
    unset = action("unset", "take one value out of your configuration")
    unset.add_argument("key", metavar="KEY", help="settings.profile")
    open_it = action("edit", "open your configuration in your editor, and check it afterwards")
    for parser in (change, unset, open_it):
        parser.add_argument("--project", action="store_true", help="that of this project instead")


def main(args: argparse.Namespace) -> int:
    settings = read_settings()
    if args.action == "edit":
        return _edit(_path(args, settings))
    name = _known(args.key)
    if args.action == "get":
        return _get(name, settings, as_json=args.json)
    path = _path(args, settings)
    if args.action == "set":
        value = _value(name, args.value)
        _change(path, args, lambda data: edit.with_value(data, path, name, value))
    else:
        _change(path, args, lambda data: edit.without_value(data, path, name))
    return _say(name, args)


def _known(name: str) -> str:
    if name in options():
        return name
    inside = [key for key in options() if key.startswith(f"{name}.")]
    if inside:
        raise UsageError(f"{name} is a table: which key?", ", ".join(inside))
    best = closest(name, options())
    hint = f"did you mean: {best}" if best else "laconic config show has all keys"
    raise UsageError(f"there is no key {name!r}", hint)


def _get(name: str, settings: Settings, *, as_json: bool) -> int:
    entry = settings.values[name]
    if not as_json:
        print(entry.value if isinstance(entry.value, str) else toml.inline(entry.value))
        return 0
    source = [item.source for item in entry.items] if isinstance(entry, Items) else entry.source
    print(json.dumps({"version": 1, "key": name, "value": entry.value, "source": source}))
    return 0


def _value(name: str, text: str) -> Any:
    """Read a value as TOML; where a text is wanted, it needs no quotes."""
    if isinstance(kinds()[name], Text | Choice) and text[:1] not in {'"', "'"}:
        return text
    try:
        return toml.parse(f"value = {text}".encode())["value"]
    except ValueError as error:
        hint = f'as in a file: laconic config set {name} \'["a", "b"]\''
        raise UsageError(f"{text!r} is not a value", hint) from error


def _path(args: argparse.Namespace, settings: Settings) -> Path:
    if not args.project:
        return settings.user_config_path
    if settings.project:
        return settings.project.config_path
    here = current_directory()
    if here is None:
        raise LaconicError("the current directory is gone")
    root = scope(read_facts(str(here), process_environment()))
    return Path(root, ".laconic/config.toml")


def _change(path: Path, args: argparse.Namespace, changed: Callable[[bytes], bytes]) -> None:
    target = path.resolve()
    before = originals.current(target)
    after = changed(before or b"")
    if after != before:
        originals.make_directories(target.parent)
        originals.write(target, before, after, 0o644 if args.project else 0o600)


def _say(name: str, args: argparse.Namespace) -> int:
    """Print what is in force now, which another layer may decide."""
    settings = read_settings()
    entry = settings.values[name]
    path = _path(args, settings)
    print(f"{name} = {toml.inline(entry.value)}  ({visible(str(path))})")
    if settings.managed and name in settings.managed.locked:
        complain(f"{settings.managed.said} has a say in it", "laconic config show")
    elif not isinstance(entry, Items) and args.action == "set":
        if args.project and settings.project and not settings.project.trusted:
            complain("a project's file counts once you trust it", "laconic trust")
        elif entry.source not in (str(path), str(path.resolve())):
            complain(f"{visible(entry.source)} says otherwise, and comes first")
    return 0


def _edit(path: Path) -> int:
    environ = process_environment()
    wished = environ.get("VISUAL") or environ.get("EDITOR")
    editor = wished or next(filter(shutil.which, _EDITORS), "")
    if not editor:
        raise LaconicError("no editor was found", f"set EDITOR, or open {path} yourself")
    target = path.resolve()
    if originals.current(target) is None:
        originals.make_directories(target.parent)
        originals.write(target, None, _NEW, 0o600)
    # EDITOR may have arguments; a shell splits it, as for git: git-var(1), GIT_EDITOR.
    done = subprocess.run(  # noqa: S603 - what the user has chosen
        ["/bin/sh", "-c", f'{editor} "$@"', editor, os.fspath(target)], check=False
    )
    if done.returncode:
        raise LaconicError(f"{editor} ended with status {done.returncode}")
    problems = check_file(path)[1]
    for problem in problems:
        complain(problem.line, problem.hint)
    if not problems:
        print(f"ok: {visible(str(path))}")
    return 1 if problems else 0

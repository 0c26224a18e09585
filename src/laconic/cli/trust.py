"""laconic trust: let a project's files change what laconic does."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from laconic.cli.config import all_problems, warn
from laconic.errors import LaconicError, UsageError
from laconic.settings import trust
from laconic.settings.layers import check_bytes
from laconic.settings.load import (
    Project,
    current_directory,
    find_project,
    read_directories,
    read_settings,
)
from laconic.settings.merge import split_by_trust, where


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_path(parser)
    parser.add_argument("--list", action="store_true", help="list the projects that you trust")
    parser.add_argument("--json", action="store_true", help="with --list: print JSON")


def add_path(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "path",
        nargs="?",
        metavar="PATH",
        help="a directory of the project; default: the current one",
    )


def main(args: argparse.Namespace) -> int:
    if args.json and not args.list:
        raise UsageError("--json goes with --list", "laconic trust --list --json")
    return _list(as_json=args.json) if args.list else _trust(args.path)


def _trust(path: str | None) -> int:
    state_dir = read_directories().state
    project = project_at(path, state_dir)
    config = project.snapshot.files.get(trust.CONFIG, b"")
    document, problems = check_bytes(config, str(project.config_path))
    if problems:
        raise LaconicError(problems[0].line, problems[0].hint or "correct the file, then trust it")
    pinned = trust.pin(state_dir, project.snapshot)
    print(f"trusted: {project.root}")
    for name, sha256 in pinned.hashes.items():
        print(f"  {sha256[:12]}  {name}")
    for name in split_by_trust(document)[1]:
        print(f"  now in force: {where(name)}")
    warn(all_problems(read_settings(cwd=project.root)))
    return 0


def _list(*, as_json: bool) -> int:
    rows = []
    for pinned in trust.list_pins(read_directories().state):
        changes = trust.differences(pinned, trust.take_snapshot(Path(pinned.root)))
        rows.append({"project": pinned.root, "trusted": not changes, "changes": list(changes)})
        if not as_json:
            print(pinned.root + (f"  (untrusted: {', '.join(changes)})" if changes else ""))
    if as_json:
        print(json.dumps({"version": 1, "projects": rows}))
    return 0


def project_at(path: str | None, state_dir: Path) -> Project:
    start = Path(path).absolute() if path else current_directory()
    if start and path and not start.exists():
        raise LaconicError(f"{path}: no such file or directory")
    start = Path(os.path.realpath(start)) if start else None
    project = find_project(start, state_dir)
    if project is None:
        name = f"{trust.DIRECTORY}/{trust.CONFIG}"
        raise LaconicError(f"no {name} in {path or 'this directory'} or above it")
    return project

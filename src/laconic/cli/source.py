"""The command that a person or a script asks about, and the place it would run in."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from laconic.engine import Request
from laconic.errors import LaconicError, UsageError
from laconic.settings.load import Settings, current_directory, process_environment, read_settings
from laconic.shell.words import quoted

_LIMIT = 1 << 20
PROFILES = ("guard", "default", "work", "strict", "relaxed")


def add_command(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that every question about a command takes."""
    parser.add_argument(
        "command", nargs="+", metavar="COMMAND", help="one text, in quotes; - reads it from stdin"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--cwd", dest="directory", metavar="DIR", help="the directory in which it would run"
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_command(parser)
    parser.add_argument("--profile", choices=PROFILES, help="decide by this profile")
    parser.add_argument("--escalate-deny", action="store_true", help="turn deny into ask")


def read_request(args: argparse.Namespace, name: str) -> tuple[Request, Settings]:
    command = read_command(args.command, name)
    directory = directory_at(args.directory)
    environ = process_environment()
    settings = read_settings(environ, directory)
    general = settings.config.settings
    if args.profile:
        general = general.but(profile=args.profile)
    if args.escalate_deny:
        general = general.but(escalate_deny=True)
    settings = settings.with_config(settings.config.but(settings=general))
    return Request(command, str(directory), environ), settings


def read_command(words: list[str], name: str) -> str:
    if len(words) > 1:
        whole = quoted(" ".join(words))
        raise UsageError(f"{name} takes one text", f"put it in quotes: laconic {name} {whole}")
    if words != ["-"]:
        return words[0]
    if not sys.stdin:
        raise LaconicError("stdin is closed")
    source = sys.stdin.buffer.read(_LIMIT + 1)
    if len(source) > _LIMIT:
        raise LaconicError(f"the command is larger than {_LIMIT // 1024} KB")
    return source.decode("utf-8", "surrogateescape")


def directory_at(path: str | None) -> Path:
    directory = Path(path).absolute() if path else current_directory()
    if directory is None:
        raise LaconicError("the current directory is gone", "name another one with --cwd")
    if not directory.is_dir():
        raise LaconicError(f"{path}: is not a directory")
    return Path(os.path.normpath(directory))

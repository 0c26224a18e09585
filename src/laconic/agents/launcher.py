"""Finds the `laconic` that a rewritten command will start: without one, nothing is rewritten."""

from __future__ import annotations

import sys
from os import X_OK, access
from os.path import isabs, isfile

from laconic.rewrite.edits import Edit, apply, quoted
from laconic.shell import ParseError, parse
from laconic.shell.walk import commands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "laconic"
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+@%:,")


def find_launcher(environ: Mapping[str, str]) -> str:
    """Give `laconic` if the PATH has it, else the one beside this Python as a shell word, or ""."""
    if any(_is_program(f"{d}/{NAME}") for d in environ.get("PATH", "").split(":") if isabs(d)):
        return NAME
    own = f"{sys.executable.rpartition('/')[0]}/{NAME}"
    if not _is_program(own):
        return ""
    return own if set(own) <= _PLAIN else quoted(own)


def _is_program(path: str) -> bool:
    return isfile(path) and access(path, X_OK)  # noqa: PTH113 - pathlib costs 6 ms


def with_plain_name(command: str, launcher: str) -> str:
    """The command with our own path written as our name, as it is judged.

    Models learn the rewritten form and type it.
    """
    path = launcher.strip("'")
    if path in ("", NAME) or path not in command:
        return command
    try:
        source = command.encode("utf-8", "surrogateescape")
        words = [found.command.words[0] for found in commands(parse(source)) if found.command.words]
    except (ParseError, UnicodeError):
        return command
    ours = (path.encode(), launcher.encode())
    edits = [Edit(w.start, NAME, w.end - w.start) for w in words if source[w.start : w.end] in ours]
    return apply(source, edits).decode("utf-8", "surrogateescape")

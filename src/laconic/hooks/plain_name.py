"""The `laconic` that a rewritten command starts, as models write it back."""

from __future__ import annotations

from laconic.rewrite.edits import Edit, apply
from laconic.run.launcher import NAME
from laconic.shell import ParseError, parse
from laconic.shell.walk import commands


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

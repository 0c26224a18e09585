"""Wraps a whole command: `laconic wrap -- <host shell> -lc '<command>'`, for CodeBuddy.

A command that changes the shell it runs in (`cd`, `export`) would change another shell instead, and
one that is ours already would be compacted twice: both are left as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from laconic.hooks.call import HookCall
from laconic.rewrite.boxing import changes_its_shell
from laconic.rewrite.edits import Note
from laconic.run.shells import is_wrapped, usable_shell
from laconic.shell import ParseError, parse
from laconic.shell.words import as_typed, quoted

# Reasons for not rewriting that come from the user's configuration.
_WISHES = ("[skip]", "switched off")


def wrapped(
    command: str, notes: Iterable[Note], call: HookCall, environ: Mapping[str, str], launcher: str
) -> str | None:
    """Return the wrapped command, or None to leave it as it is."""
    is_unwanted = any(note.reason.startswith(_WISHES) for note in notes if note.action == "skip")
    if is_unwanted or is_wrapped(command) or _changes_its_shell(command):
        return None
    shell = usable_shell(call.input.get("shell"), environ)
    return f"{launcher} wrap -- {as_typed(shell)} -lc {quoted(command)}" if shell else None


def _changes_its_shell(command: str) -> bool:
    """Tell whether it may change its shell; if so, its commands are wrapped one by one."""
    try:
        return changes_its_shell(parse(command))
    except ParseError:
        return True

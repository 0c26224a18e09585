"""Wraps a whole command: `laconic wrap -- <host shell> -lc '<command>'`, for CodeBuddy.

A command that changes the shell it runs in (`cd`, `export`) would change another shell instead, and
one that is ours already would be compacted twice: both are left as they are.
"""

from __future__ import annotations

from os.path import isabs

from laconic.knowledge.traits import shells
from laconic.rewrite.boxing import changes_its_shell
from laconic.rewrite.edits import quoted
from laconic.run.shells import host_shell, is_wrapped
from laconic.shell import ParseError, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from laconic.hooks.call import HookCall
    from laconic.rewrite.edits import Note

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
    return f"{launcher} wrap -- {_word(shell)} -lc {quoted(command)}" if shell else None


def _changes_its_shell(command: str) -> bool:
    """Tell whether it may change its shell; if so, its commands are wrapped one by one."""
    try:
        return changes_its_shell(parse(command))
    except ParseError:
        return True


def usable_shell(asked: object, environ: Mapping[str, str]) -> str:
    """Return the shell that takes the command with -lc, or "" where there is none.

    A tool that asks for another kind of shell means another language.
    """
    wanted = asked if isinstance(asked, str) else ""
    if wanted and _name(wanted) not in shells():
        return ""
    shell = host_shell(wanted, environ) or ""
    return shell if isabs(shell) and _name(shell) in shells() else ""


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _word(text: str) -> str:
    is_plain = text.replace("/", "").replace("-", "").replace("_", "").isalnum()
    return text if is_plain else quoted(text)

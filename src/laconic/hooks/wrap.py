"""Wraps a whole command: `laconic wrap -- <host shell> -lc '<command>'`, for CodeBuddy.

A command that changes the shell it runs in (`cd`, `export`) would change another shell instead, and
one that is ours already would be compacted twice: both are left as they are.
"""

from __future__ import annotations

from os.path import isabs

from laconic.rewrite.edits import quoted
from laconic.run.shells import host_shell, is_wrapped
from laconic.shell import ParseError, parse
from laconic.shell.ast import Function
from laconic.shell.walk import commands
from laconic.shell.words import literal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from laconic.hooks.call import HookCall
    from laconic.rewrite.plan import Note
    from laconic.shell.walk import Occurrence

_SHELLS = frozenset(("bash", "sh", "zsh", "fish", "dash", "ksh"))
_CHANGE_THE_SHELL = frozenset(
    "cd pushd popd export unset source . alias unalias set shopt declare typeset readonly umask"
    " ulimit trap exec eval enable hash read mapfile readarray bind complete fg bg disown jobs wait"
    " nvm conda mamba activate deactivate pyenv rbenv".split()
)
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
        script = parse(command)
    except ParseError:
        return True
    has_function = any(isinstance(node, Function) for node in script.nodes())
    return has_function or any(_stays_outside(occurrence) for occurrence in commands(script))


def _stays_outside(occurrence: Occurrence) -> bool:
    context = occurrence.context
    if context.subshell or context.substitution or context.stages > 1:
        return False
    words = occurrence.command.words
    return not words or literal(words[0]) in _CHANGE_THE_SHELL


def usable_shell(asked: object, environ: Mapping[str, str]) -> str:
    """Return the shell that takes the command with -lc, or "" where there is none.

    A tool that asks for another kind of shell means another language.
    """
    wanted = asked if isinstance(asked, str) else ""
    if wanted and _name(wanted) not in _SHELLS:
        return ""
    found = host_shell(wanted, environ) or ""
    return found if isabs(found) and _name(found) in _SHELLS else ""


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _word(text: str) -> str:
    is_plain = text.replace("/", "").replace("-", "").replace("_", "").isalnum()
    return text if is_plain else quoted(text)

"""Text that a shell other than bash reads differently is not allowed where that shell may run it.

The parser has bash's grammar. What zsh evaluates on top of it is in `zsh`. Of the grammar, sh is
taken for what dash and POSIX (chapter 2 of "Shell and Utilities") know: `((a))` is two subshells
there, `[[` a program, and `$'..'` a dollar and a quoted text. fish has quotes and substitutions of
its own, so that only plain words, quoted texts without a backslash and few operators are the same.
Shells that are not known here get one command of plain words; so does ksh, which evaluates the
numbers of `[ a -eq b ]` as arithmetic.
"""

from __future__ import annotations

from laconic.knowledge.traits import detailed
from laconic.patterns import pattern
from laconic.shell.ast import (
    Arithmetic,
    ArithmeticCommand,
    Array,
    Assignment,
    Clause,
    Command,
    Compound,
    Conditional,
    Coproc,
    DoubleQuoted,
    Function,
    Literal,
    Loop,
    Parameter,
    Pattern,
    Pipeline,
    Quoted,
    Redirect,
    Substitution,
    Test,
    Word,
)
from laconic.shell.words import literal
from laconic.types import Decision, Effect, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from laconic.shell.ast import Node, Part, Script

# What a program has its shell code read by, unless it says otherwise: system(3) and popen(3).
SYSTEM = "sh"
_BUSYBOX = "busybox"  # what /bin/sh may be a link to
_READ = frozenset(("bash", "zsh", "sh", "fish"))  # families of shells
_PLAIN = {
    "fish": pattern(
        r"""(?:[\w\s./,:=@%+;~*-]|'[^'\\]*'|"[^"\\$`]*"|\|(?!&)|&&|>&[12](?!\w)"""
        r"""|>>?\s*/dev/null(?![\w./-]))*"""
    ),
    "": pattern(r"[\w ./,:=@%+-]*"),
}
_POSIX_OPERATORS = frozenset(("", "-", ":-", "=", ":=", "?", ":?", "+", ":+", "#", "##", "%", "%%"))
_POSIX_REDIRECTS = frozenset(("<", ">", ">>", ">|", "<>", "<&", ">&", "<<", "<<-"))
_DESCRIPTOR = pattern(r"[0-9]|-")
_ODD_OPERAND = pattern(r"['\"\\`]")
_NAME = pattern(r"[A-Za-z_][A-Za-z0-9_]*")


def family(shell: str) -> str:
    """How a shell reads its code, by its name or path; empty for one that is not known."""
    name = shell.rsplit("/", 1)[-1]
    found = SYSTEM if name == _BUSYBOX else detailed("shell").get(name, "")
    return found if found in _READ else ""


def dialect_findings(
    script: Script, all_nodes: list[Node], shells: Iterable[str]
) -> list[Decision]:
    """Where the text means something else in one of these families of shells."""
    findings = []
    for shell in sorted(shells):
        if shell in _PLAIN:
            text = script.source.decode("utf-8", "replace")
            if not _PLAIN[shell].fullmatch(text):
                findings.append(_finding(script, shell))
        elif shell == SYSTEM:
            findings += [_finding(node, shell) for node in all_nodes if not _is_posix(node, script)]
    return findings


def _finding(node: Node, shell: str) -> Decision:
    reason = f"{shell or 'the shell that runs it'} may read this in another way than bash"
    rule = f"dialect/{shell or 'other'}"
    return Decision(Verdict.ASK, rule, reason, node.start, node.end, effects=Effect.UNCLEAR)


def _is_posix(node: Node, script: Script) -> bool:
    check = _CHECKS.get(type(node))
    return check is None or check(node, script)


def _never(_node: Node, _script: Script) -> bool:
    return False


def _plain_parameter(node: Parameter, _script: Script) -> bool:
    """An operand with quotes in it is where shells have differed the longest."""
    is_known = node.operator in _POSIX_OPERATORS and node.prefix in ("", "#")
    return is_known and node.index is None and not _ODD_OPERAND.search(node.operand)


def _plain_assignment(node: Assignment, _script: Script) -> bool:
    return not node.append and node.index is None and not isinstance(node.value, Array)


def _plain_command(node: Command, _script: Script) -> bool:
    """`export x=$y` is split into several words by dash, and each may set a variable."""
    values = [word.value for word in node.words if isinstance(word, Assignment)]
    return not any(
        isinstance(part, Parameter | Substitution)
        for value in values
        if isinstance(value, Word)
        for part in value.parts
    )


def _plain_redirect(node: Redirect, _script: Script) -> bool:
    if node.operator not in _POSIX_REDIRECTS or node.fd.startswith("{"):
        return False
    is_copy = node.operator in ("<&", ">&")
    return not is_copy or _DESCRIPTOR.fullmatch(literal(node.target) or "") is not None


def _plain_function(node: Function, script: Script) -> bool:
    is_braced = isinstance(node.body, Compound) and node.body.kind in ("{", "(")
    return is_braced and bool(_NAME.fullmatch(node.name)) and not _starts(node, script, b"function")


def _plain_pipeline(node: Pipeline, _script: Script) -> bool:
    """Not known to dash: `|&`, and `time`, which is a program there and calls no functions."""
    return not node.timed and all(operator.text == "|" for operator in node.operators)


def _holds_braces(part: Part) -> bool:
    """`{a,b}` and `{1..3}`, also with a quoted part in the middle; `{}` and `HEAD@{1}` are not."""
    text = part.value if isinstance(part, Literal) else ""
    return "{" in text and ("," in text or ".." in text or text.count("{") != text.count("}"))


def _starts(node: Node, script: Script, text: bytes) -> bool:
    return script.source.startswith(text, node.start)


_CHECKS: dict[type[Node], Callable[[Any, Script], bool]] = {
    Quoted: lambda node, _: node.style != "$'",
    DoubleQuoted: lambda node, _: not node.style.startswith("$"),
    Word: lambda node, _: not any(map(_holds_braces, node.parts)),
    Substitution: lambda node, _: node.style in ("$(", "`"),
    Arithmetic: lambda node, script: _starts(node, script, b"$(("),
    Parameter: _plain_parameter,
    Assignment: _plain_assignment,
    Command: _plain_command,
    Redirect: _plain_redirect,
    Function: _plain_function,
    Pipeline: _plain_pipeline,
    Loop: lambda node, _: node.kind == "for",
    Clause: lambda node, _: node.terminator in (";;", ""),
    **dict.fromkeys((Array, Pattern, Conditional, Test, ArithmeticCommand, Coproc), _never),
}

"""Judges what zsh evaluates and bash does not: a host may run its commands with either.

zsh reads the arguments of exit, return, shift, break and continue, numbers for printf and the
stream of `-t` in tests as arithmetic, in which a subscript runs commands: `exit 'path[$(cmd)]'`. So
does the subscript of `$name[..]`, also in double quotes, and `$~name` is a pattern, of which
`*(e:cmd:)` runs a command. `options[..]=`, `galiases[..]=` and the like change the shell itself.
https://zsh.sourceforge.io/Doc/Release/Arithmetic-Evaluation.html
https://zsh.sourceforge.io/Doc/Release/Expansion.html#Glob-Qualifiers
https://zsh.sourceforge.io/Doc/Release/Zsh-Modules.html#The-zsh_002fparameter-Module
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from laconic.knowledge.traits import filled
from laconic.patterns import pattern
from laconic.reading.scope import assigns_in_zsh
from laconic.shell.ast import (
    Arithmetic,
    Array,
    Assignment,
    Command,
    DoubleQuoted,
    Function,
    Literal,
    Loop,
    Node,
    Parameter,
    Part,
    Quoted,
    Substitution,
    Test,
    Word,
    nodes,
)
from laconic.shell.words import flat, literal
from laconic.types import Decision, Effect, Verdict

_COUNTING = frozenset(("exit", "return", "shift", "break", "continue", "logout", "bye"))
# A format of printf that takes texts only; all others take numbers (`%d`, `%2$d`, `%*s`, `%n`).
_TEXTUAL = pattern(r"(?:[^%]|%%|%[-+ #0]*[0-9]*(?:\.[0-9]+)?[sbqc])*")
_GLOBS_VALUE = pattern(r"[=^+]*~")
_SUBSCRIPT = pattern(r"[=^+~#]*\w*\[")
_CODE = pattern(r"[$`]")
_CODE_IN_SUBSCRIPT = pattern(r"\[.*[$`]", re.DOTALL)
_NAME = pattern(r"[A-Za-z_]\w*")
_NUMBERS = frozenset("?#$!")
_ARGUMENTS = frozenset("@*123456789")
# Integers that only zsh has, and whose names scripts for other shells may well use: zsh refuses
# `status=x`, but evaluates x first in `status+=x`. https://zsh.sourceforge.io/Doc/Release/Parameters.html
_INTEGERS = frozenset(("status",))
_UNKNOWN = Quoted(0, 0, None, "'")
TABLES = pattern("options|modules|[gs]?aliases|commands|functions|dis_[a-z]+|patchars|nameddirs")
_WHY = "zsh evaluates this, which may run commands"


def zsh_findings(all_nodes: list[Node]) -> list[Decision]:
    tainted: frozenset[str] | None = None
    findings = []
    for node, parts, code in _evaluated(all_nodes):
        names = _names(parts, code)
        if names and tainted is None:
            tainted = _tainted_names(all_nodes)
        if names is None or (tainted and not tainted.isdisjoint(names)):
            findings.append(
                Decision(
                    Verdict.ASK,
                    "evaluation/zsh",
                    _WHY,
                    node.start,
                    node.end,
                    effects=Effect.UNCLEAR,
                    firm=True,
                )
            )
    return findings


# -- what is evaluated ---------------------------------------------------------------------------


def _evaluated(all_nodes: list[Node]) -> Iterator[tuple[Node, Iterable[Part], re.Pattern[str]]]:
    """The parts of texts that are arithmetic, and what would be code in them."""
    for node in all_nodes:
        if isinstance(node, Assignment) and _changes_table(node):
            yield node, (_UNKNOWN,), _CODE
        elif isinstance(node, Assignment) and node.append and node.name in _INTEGERS:
            yield node, node.value.parts if isinstance(node.value, Word) else (), _CODE
        elif isinstance(node, Word | DoubleQuoted):
            for part, inside in _subscripts(node):
                yield part, inside, _CODE
        elif isinstance(node, Test):
            if node.operator == "-t":
                yield node, node.operands[0].parts, _CODE_IN_SUBSCRIPT
        elif isinstance(node, Command):
            for word in _numbers(node):
                yield word, word.parts, _CODE_IN_SUBSCRIPT


def _changes_table(assignment: Assignment) -> bool:
    is_table = assignment.index is not None or isinstance(assignment.value, Array)
    return is_table and TABLES.fullmatch(assignment.name) is not None


def _numbers(command: Command) -> list[Word]:
    """The arguments of a builtin that zsh takes for numbers."""
    words = command.words
    while len(words) > 1 and _base_name(words[0]) in ("command", "builtin"):
        words = words[1:]
    name = _base_name(words[0]) if words else ""
    arguments = [word for word in words[1:] if isinstance(word, Word)]
    if name == "shift" and not all(map(_is_amount, arguments)):
        return [Word(words[0].start, words[-1].end, (_UNKNOWN,))]
    if name in _COUNTING:
        return arguments
    if name == "printf" and arguments:
        if literal(arguments[0]) == "--":
            arguments = arguments[1:]
        form = literal(arguments[0]) if arguments else ""
        return [] if form is not None and _TEXTUAL.fullmatch(form) else arguments[1:]
    if name in ("test", "["):
        return [stream for test, stream in pairwise(arguments) if literal(test) == "-t"]
    return []


def _is_amount(word: Word) -> bool:
    """shift also takes the names of arrays in zsh: `shift path` shortens PATH."""
    part = word.parts[0] if len(word.parts) == 1 else None
    is_count = isinstance(part, Parameter) and part.name == "#"
    return isinstance(part, Arithmetic) or is_count or (literal(word) or "").isdecimal()


def _base_name(word: Word | Assignment) -> str:
    return (literal(word) or "").rpartition("/")[2]


def _subscripts(node: Word | DoubleQuoted) -> Iterator[tuple[Node, Iterable[Part]]]:
    """The parts between the brackets of `$name[..]`, and the name in `$~name`."""
    for pos, (before, part) in enumerate(pairwise(node.parts), start=1):
        if not isinstance(part, Literal):
            continue
        is_dollar = isinstance(before, Literal) and before.value.endswith("$")
        if is_dollar and isinstance(node, Word) and _GLOBS_VALUE.match(part.value):
            yield part, (before,)
        is_name = isinstance(before, Parameter) and not before.operator and before.index is None
        begin = _SUBSCRIPT.match(part.value) if is_dollar or is_name else None
        if begin is not None:
            yield part, list(_up_to_bracket(node.parts[pos:], begin.end()))


def _up_to_bracket(parts: tuple[Part, ...], start: int) -> Iterator[Part]:
    for part in parts:
        if not isinstance(part, Literal):
            yield part
            continue
        inside, bracket, _ = part.value[start:].partition("]")
        yield Literal(part.start, part.end, inside)
        start = 0
        if bracket:
            return


def _names(parts: Iterable[Part], code: re.Pattern[str]) -> frozenset[str] | None:
    """The variables that are evaluated; None where text that is not known, or code, is."""
    names: set[str] = set()
    written = ""
    for part, _ in flat(tuple(parts)):
        if isinstance(part, Literal | Quoted):
            if part.value is None:
                return None
            written += part.value
            continue
        written += " "
        if isinstance(part, Parameter):
            if part.prefix != "#" and part.name not in _NUMBERS:
                names.add(part.name)
            names.update(n.name for p in part.parts for n in nodes(p) if isinstance(n, Parameter))
        elif not isinstance(part, Arithmetic) and not _counts(part):
            return None
    return None if code.search(written) else frozenset(names.union(_NAME.findall(written)))


def _counts(part: Part) -> bool:
    """`$(.. | wc -l)` and the like: what comes out is a number."""
    if not isinstance(part, Substitution) or part.style not in ("$(", "`"):
        return False
    last = part.body.items[-1].pipelines[-1].commands[-1] if part.body.items else None
    if not isinstance(last, Command) or not all(isinstance(word, Word) for word in last.words):
        return False
    words = tuple(literal(word) for word in last.words)
    is_alone = len(part.body.items) == 1 and len(part.body.items[0].pipelines) == 1
    return is_alone and words in _COUNTS


_COUNTS = frozenset(
    (("wc", "-l"), ("wc", "-c"), ("wc", "-w"), ("date", "+%s"), ("nproc",), ("id", "-u"))
)


# -- values that may hold code -------------------------------------------------------------------


def _tainted_names(all_nodes: list[Node]) -> frozenset[str]:
    """Variables that may hold a subscript: from a text with brackets, or one that is not known."""
    given = [(name, parts) for node in all_nodes for name, parts in _given_by(node)]
    tainted = {name for name, parts in given if _holds_brackets(parts)}
    if any(isinstance(node, Function) for node in all_nodes):
        tainted |= _ARGUMENTS
    size = -1
    while size != len(tainted):
        size = len(tainted)
        tainted |= {
            name
            for name, parts in given
            if any(isinstance(p, Parameter) and p.name in tainted for p, _ in flat(parts))
        }
    return frozenset(tainted)


def _given_by(node: Node) -> Iterator[tuple[str, tuple[Part, ...]]]:
    if isinstance(node, Assignment):
        value = node.value
        words = value.elements if isinstance(value, Array) else (value,)
        for word in words:
            element = word.value if isinstance(word, Assignment) else word
            yield node.name, element.parts if isinstance(element, Word) else ()
    elif isinstance(node, Loop):
        for word in node.words or ():
            yield node.name, word.parts
    elif isinstance(node, Parameter) and (node.operator in ("=", ":=") or assigns_in_zsh(node)):
        yield node.name, (_UNKNOWN,)
    elif isinstance(node, Command):
        for name in filled([literal(word) for word in node.words]):
            yield name, (_UNKNOWN,)


def _holds_brackets(parts: tuple[Part, ...]) -> bool:
    for part, _ in flat(parts):
        if isinstance(part, Literal | Quoted):
            if part.value is None or "[" in part.value:
                return True
        elif not isinstance(part, Parameter | Arithmetic) and not _counts(part):
            return True
    return False

"""Judges places where bash evaluates text a second time, and may run the commands in it.

Arithmetic expands the values of the variables that it names, and their subscripts run commands:
https://www.gnu.org/software/bash/manual/html_node/Shell-Arithmetic.html
"""

from __future__ import annotations

from itertools import pairwise

from laconic.knowledge.arguments import (
    Values,
    gives_number,
    gives_numbers,
    is_plain,
    pieces,
    result,
)
from laconic.knowledge.traits import filled
from laconic.patterns import pattern
from laconic.shell.ast import (
    Arithmetic,
    Assignment,
    Command,
    Literal,
    Loop,
    Node,
    Parameter,
    Substitution,
    Word,
)
from laconic.shell.walk import Evaluation
from laconic.shell.words import assigned, literal
from laconic.types import Decision, Effect, Verdict

_MAX_NUMBERS = 16
_INTEGER = pattern(r"-?[0-9]+")
_RANGE = pattern(r"\{-?[0-9]+\.\.-?[0-9]+(?:\.\.-?[0-9]+)?\}")
_SET_HERE = pattern(r"([A-Za-z_]\w*)\s*(?:[-+*/%&|^]?=(?!=)|<<=|>>=|\+\+|--)")
# What a shell gives a text to without being told the name; in lower case, and MATCH, those of zsh:
# https://www.gnu.org/software/bash/manual/html_node/Bash-Variables.html
# https://zsh.sourceforge.io/Doc/Release/Parameters.html
_FILLED_BY_ITSELF = frozenset(
    "_ REPLY OPTARG MAPFILE BASH_REMATCH BASH_COMMAND BASH_EXECUTION_STRING BASH_ARGV BASH_ARGV0"
    " BASH_SOURCE FUNCNAME MATCH match reply argv".split()
)
_JOINS = pattern(r"[\w$}{#`'\"\\]")


def evaluation_findings(
    sites: list[Evaluation], all_nodes: list[Node], source: bytes, values: Values
) -> list[Decision]:
    if not sites:
        return []
    tainted = _tainted_names(all_nodes, values)
    counted = _counted_words(all_nodes, tainted)
    _put_numbers_in(sites, all_nodes, source, values)
    return [
        Decision(
            Verdict.ASK,
            f"evaluation/{site.kind}",
            _WHY[site.kind],
            site.start,
            site.end,
            effects=Effect.UNCLEAR,
            firm=True,
        )
        for site in sites
        if _may_run_code(site, tainted)
        and not (site.kind in ("variable", "unquoted") and (site.start, site.end) in counted)
    ]


_WHY = {
    "arithmetic": "text that is evaluated as arithmetic may run commands",
    "variable": "the name of a variable may hold a subscript that runs commands",
    "unquoted": "a value without quotes may become an option that runs code; in quotes it cannot",
    "indirect": "which variable is read is only known when it runs",
    "prompt": "the value is expanded like a prompt, which may run commands",
}


def _put_numbers_in(
    sites: list[Evaluation], all_nodes: list[Node], source: bytes, values: Values
) -> None:
    """Replace `$(echo 1)` in an expression by the number 1; any other text might be code."""
    numbers: dict[str, str] = {}
    for node in all_nodes if any("$(" in (s.text or "") for s in sites) else ():
        if not isinstance(node, Substitution):
            continue
        written = source[node.start : node.end].decode("latin-1")
        number = result(node, values)
        if number is not None and _is_number(number):
            numbers[written] = number
        elif gives_number(node, values) and _stands_alone(written, sites):
            numbers[written] = "0"  # whatever it is
    for site in sites if len(numbers) <= _MAX_NUMBERS else ():
        for written, number in numbers.items() if site.kind == "arithmetic" else ():
            site.text = site.text and site.text.replace(written, number)


def _stands_alone(written: str, sites: list[Evaluation]) -> bool:
    """Tell whether it is always an operand, and not a part of a name as in `a$(nproc)`."""
    return not any(
        _JOINS.search(before[-1:]) or _JOINS.search(after[:1])
        for site in sites
        for before, after in pairwise((site.text or "").split(written))
    )


def _may_run_code(site: Evaluation, tainted: frozenset[str]) -> bool:
    names = site.names
    if names is None or site.kind in ("prompt", "indirect"):
        return True
    return site.kind == "arithmetic" and not names.isdisjoint(tainted)


def _counted_words(all_nodes: list[Node], tainted: frozenset[str]) -> set[tuple[int, int]]:
    """The places of words that are a variable to which the text gives nothing but numbers."""
    given: set[str] = set()
    for node in all_nodes:
        if isinstance(node, Assignment | Loop):
            given.add(node.name)
        elif isinstance(node, Arithmetic):
            given.update(_SET_HERE.findall(node.text or ""))
    given -= tainted
    found: set[tuple[int, int]] = set()
    for node in all_nodes if given else ():
        if isinstance(node, Word):
            parts = pieces(node)
            named = [part for part, _ in parts if part.start < part.end]
            if len(named) == 1 and isinstance(named[0], Parameter) and named[0].name in given:
                found.update({(node.start, node.end)} if is_plain(parts, len(parts) - 1) else ())
    return found


def _tainted_names(all_nodes: list[Node], values: Values) -> frozenset[str]:
    """Variables that this text gives anything but a number: evaluating them may run code."""
    tainted = set(_FILLED_BY_ITSELF)
    for node in all_nodes:
        if isinstance(node, Assignment | Loop | Parameter) and _gives_text(node, values):
            tainted.add(node.name)
        elif isinstance(node, Command):
            tainted.update(filled([literal(word) for word in node.words]))
    return frozenset(tainted)


def _gives_text(node: Assignment | Loop | Parameter, values: Values) -> bool:
    """Tell whether a variable gets something here that may not be a number.

    A loop without words goes through the arguments of the function or script.
    """
    if isinstance(node, Parameter):
        return node.operator in ("=", ":=")
    if isinstance(node, Assignment):
        return not (_is_number(assigned(node)) or _is_count(node, values))
    if node.header is not None:
        return False
    return node.words is None or not all(_is_numbers(word, values) for word in node.words)


def _is_numbers(word: Word, values: Values) -> bool:
    """`3`, `{1..3}` and `$(seq 3)`."""
    parts = [part for part, _ in pieces(word) if part.start < part.end]
    if len(parts) != 1:
        return False
    if isinstance(parts[0], Literal) and _RANGE.fullmatch(parts[0].value):
        return True
    return _is_number(literal(word)) or gives_numbers(parts[0], values)


def _is_count(assignment: Assignment, values: Values) -> bool:
    """`n=$((n+1))`, `n=${#x}` and `n=$(wc -l <x)`: whatever it says, its result is a number."""
    if assignment.append or assignment.index is not None or not isinstance(assignment.value, Word):
        return False
    parts = [part for part, _ in pieces(assignment.value) if part.start < part.end]
    if len(parts) != 1:
        return False
    part = parts[0]
    is_length = isinstance(part, Parameter) and part.prefix == "#" and not part.operator
    if is_length or isinstance(part, Arithmetic) or gives_number(part, values):
        return True
    known = result(part, values) if isinstance(part, Substitution) else None
    return _is_number(known)


def _is_number(value: str | None) -> bool:
    return value is not None and _INTEGER.fullmatch(value) is not None

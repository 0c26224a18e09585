"""Finds commands that are given the value of a variable whose name says that it is a secret.

Questions about them are fine: `[ -n "$GITHUB_TOKEN" ]`, `${#GITHUB_TOKEN}`, `${GITHUB_TOKEN:+set}`.
"""

from __future__ import annotations

from collections.abc import Iterator

from laconic.reading.secret_files import is_secret_variable
from laconic.reading.spans import Spans
from laconic.shell.ast import (
    AndOr,
    Assignment,
    Command,
    Conditional,
    Loop,
    Node,
    Parameter,
    Sequence,
    nodes,
)
from laconic.shell.words import literal
from laconic.types import Decision, Effect, Verdict

_TESTS = frozenset(("test", "[", ":"))
_DECLARE = frozenset("export local declare typeset readonly".split())


def variable_findings(all_nodes: list[Node]) -> list[Decision]:
    used = [node for node in all_nodes if isinstance(node, Parameter) and _shows(node)]
    if not used:
        return []
    own: dict[str, list[tuple[int, int]]] = {}
    for name, start, end in (one for node in all_nodes for one in _set_by(node)):
        own.setdefault(name, []).append((start, end))
    set_here = {name: Spans(spans) for name, spans in own.items()}
    tested = {id(inner) for node in all_nodes if _is_test(node) for inner in nodes(node)}
    return [
        Decision(
            Verdict.ASK,
            "variable/secret",
            f"uses {node.name}, which may hold a secret",
            node.start,
            node.end,
            effects=Effect.SECRETS,
        )
        for node in used
        if id(node) not in tested
        and not (node.name in set_here and set_here[node.name].cover(node.start))
    ]


def _set_by(node: Node) -> Iterator[tuple[str, int, int]]:
    """Names that are certain to have a value of the line's own between two offsets."""
    if isinstance(node, Loop):
        if node.name:
            yield node.name, node.body.start, node.body.end
    elif isinstance(node, Sequence):
        for item, separator in zip(node.items, node.separators, strict=True):
            if separator is None or separator.text != "&":
                yield from _set_by_item(item, node.end)


def _set_by_item(item: AndOr, end: int) -> Iterator[tuple[str, int, int]]:
    """What follows `&&` counts until the item ends; what follows `||` may not have run."""
    is_chain = all(operator.text == "&&" for operator in item.operators)
    for pos, pipeline in enumerate(item.pipelines if is_chain else item.pipelines[:1]):
        command = pipeline.commands[0]
        if len(pipeline.commands) > 1 or not isinstance(command, Command):
            continue
        assigned: tuple[Node, ...] = command.assignments
        if command.words:
            declares = literal(command.words[0]) in _DECLARE
            assigned = command.words if declares else ()
        for assignment in assigned:
            if isinstance(assignment, Assignment):
                yield assignment.name, command.end, end if pos == 0 else item.end


def _shows(node: Parameter) -> bool:
    is_asked = node.prefix == "#" or node.operator in ("+", ":+")
    return not is_asked and is_secret_variable(node.name)


def _is_test(node: Node) -> bool:
    if isinstance(node, Conditional):
        return True
    return isinstance(node, Command) and bool(node.words) and literal(node.words[0]) in _TESTS

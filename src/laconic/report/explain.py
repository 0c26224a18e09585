"""Formats a decision for people: as a tree, with the text of each part underlined."""

from __future__ import annotations

from collections.abc import Iterator

from laconic.report.screen import Screen
from laconic.report.text import columns, visible
from laconic.types import Decision

_WIDTH = 96
_CONTEXT = 24
_PLAIN = Screen()


def summary(decision: Decision, screen: Screen = _PLAIN) -> Iterator[str]:
    """Yield the verdict with its reason, the effects, and what to do instead."""
    yield from _summary(decision, visible(decision.reason), screen)


def _summary(decision: Decision, told: str, screen: Screen) -> Iterator[str]:
    yield f"{screen.paint(decision.said, decision.verdict)}  {told}"
    yield f"effects: {', '.join(decision.effects.words)}"
    if decision.instead:
        yield f"instead: {visible(decision.instead)}"


def tree(decision: Decision, command: str, screen: Screen = _PLAIN) -> Iterator[str]:
    """Yield the same with the ids of rules, and the parts of the decision."""
    source = command.encode("utf-8", "surrogateescape")
    yield from _summary(decision, _line(decision), screen)
    yield from _node(decision, source, 0, screen)


def _node(decision: Decision, source: bytes, depth: int, screen: Screen) -> Iterator[str]:
    indent = "  " * min(depth, 12)
    if depth:
        yield ""
        effects = f"  [{', '.join(decision.effects.words)}]" if not decision.parts else ""
        word = decision.verdict
        yield f"{indent}{screen.paint(f'{word:5}', word)}  {_line(decision)}{effects}"
    yield from (indent + line for line in underlined(source, decision.start, decision.end))
    if depth and decision.instead and not decision.parts:
        yield f"{indent}instead: {visible(decision.instead)}"
    for part in decision.parts:
        yield from _node(part, source, depth + 1, screen)


def _line(decision: Decision) -> str:
    return visible(f"{decision.rule}: {decision.reason}")


def underlined(source: bytes, start: int, end: int) -> Iterator[str]:
    """Yield the text around a span and a line of carets under it; a long text is shortened."""
    before, inside, behind = (
        visible(piece.decode("utf-8", "surrogateescape"))
        for piece in (source[:start], source[start:end], source[end:])
    )
    if columns(before + inside + behind) > _WIDTH:
        before = f"…{before[-_CONTEXT:]}" if len(before) > _CONTEXT else before
        room = max(_WIDTH - columns(before), _CONTEXT)
        if len(inside) > room:
            inside, behind = f"{inside[: room - 1]}…", ""
        elif len(inside + behind) > room:
            behind = f"{behind[: max(room - len(inside) - 1, 0)]}…"
    yield f"  {before}{inside}{behind}"
    yield f"  {' ' * columns(before)}{'^' * max(columns(inside), 1)}"

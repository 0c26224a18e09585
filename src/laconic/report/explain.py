"""Formats a decision for people: as a tree, with the text of each part underlined."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from laconic.report.text import columns, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from laconic.types import Decision

_WIDTH = 96
_CONTEXT = 24


def summary(decision: Decision) -> Iterator[str]:
    """Yield the verdict with its reason, and what to do instead."""
    opinion = "" if decision.risk or decision.verdict.word != "ask" else " (no opinion)"
    yield f"{decision.verdict.word}  {_line(decision)}{opinion}"
    if decision.instead:
        yield f"instead: {visible(decision.instead)}"


def tree(decision: Decision, command: str) -> Iterator[str]:
    source = command.encode("utf-8", "surrogateescape")
    yield from summary(decision)
    yield from _node(decision, source, 0)


def _node(decision: Decision, source: bytes, depth: int) -> Iterator[str]:
    indent = "  " * min(depth, 12)
    if depth:
        yield ""
        opinion = "  (no opinion)" if decision.verdict.word == "ask" and not decision.risk else ""
        yield f"{indent}{decision.verdict.word:5}  {_line(decision)}{opinion}"
    yield from (indent + line for line in underlined(source, decision.start, decision.end))
    if depth and decision.instead and not decision.parts:
        yield f"{indent}instead: {visible(decision.instead)}"
    for part in decision.parts:
        yield from _node(part, source, depth + 1)


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


def to_json(decision: Decision) -> dict[str, Any]:
    found: dict[str, Any] = {
        "verdict": decision.verdict.word,
        "rule": decision.rule,
        "reason": decision.reason,
        "start": decision.start,
        "end": decision.end,
        "risk": decision.risk,
        "firm": decision.firm,
    }
    if decision.instead:
        found["instead"] = decision.instead
    if decision.parts:
        found["parts"] = [to_json(part) for part in decision.parts]
    return found

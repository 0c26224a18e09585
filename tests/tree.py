"""Shows a tree as indented lines: kind, span, key facts; lists of one are left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from laconic.shell import ast
from laconic.shell.words import text

if TYPE_CHECKING:
    from collections.abc import Iterator


def render(script: ast.Script) -> str:
    lines = [*_lines(script.body, 0)]
    marks = [f"{mark.start}:{_quote(mark.text)}" for mark in script.marks]
    if marks:
        lines.append(" ".join(["marks", *marks]))
    return "".join(f"{line}\n" for line in lines)


def _lines(node: ast.Node, depth: int) -> Iterator[str]:
    if (only := _only_child(node)) is not None:
        yield from _lines(only, depth)
        return
    kind = type(node).__name__.lower()
    yield "  " * depth + " ".join([kind, f"{node.start}-{node.end}", *_facts(node)])
    for child in _children(node):
        yield from _lines(child, depth + 1)


def _only_child(node: ast.Node) -> ast.Node | None:
    """The one child of a list, pipeline or word that says nothing else."""
    if isinstance(node, ast.Sequence) and len(node.items) == 1 and node.separators == (None,):
        return node.items[0]
    if isinstance(node, ast.AndOr) and len(node.pipelines) == 1:
        return node.pipelines[0]
    if isinstance(node, ast.Pipeline) and len(node.commands) == 1:
        return None if node.negations or node.timed else node.commands[0]
    return None


def _children(node: ast.Node) -> list[ast.Node]:
    """Children in the order of the source; marks are shown as facts."""
    if isinstance(node, ast.Word) and _is_plain(node):
        return []
    found: list[ast.Node] = []
    for _, value in node.fields():
        children = value if isinstance(value, tuple) else (value,)
        found += [child for child in children if isinstance(child, ast.Node)]
    shown = [child for child in found if not isinstance(child, ast.Mark)]
    return sorted(shown, key=lambda child: (child.start, child.end))


def _is_plain(word: ast.Word) -> bool:
    return len(word.parts) == 1 and isinstance(word.parts[0], ast.Literal)


def _facts(node: ast.Node) -> list[str]:
    """What a line says besides kind and span: each fact that is not empty."""
    if isinstance(node, ast.Word):
        return [_quote(part.value) for part in node.parts if _is_plain(node)]
    if isinstance(node, ast.Heredoc):
        flags = [name for name in ("quoted", "strip_tabs") if getattr(node, name)]
        return [_quote(node.delimiter), *flags, f"close={node.close.start}-{node.close.end}"]
    if isinstance(node, ast.Loop) and node.kind != "for((":
        return [node.kind, node.name, "in" if node.words is not None else "without in"]
    facts = []
    for name, value in sorted(node.fields()):
        if isinstance(value, tuple):
            facts += [_quote(mark.text) for mark in value if isinstance(mark, ast.Mark)]
        elif value is True:
            facts.append(name)
        elif isinstance(value, str | int) and value not in ("", 0):
            facts.append(f"{name}={_quote(value) if isinstance(value, str) else value}")
        elif value is None and isinstance(node, ast.Quoted):
            facts.append("value unknown")
    return facts


def _quote(value: str) -> str:
    return repr(text(value))

"""Python code with the names that its imports bind, and what expressions stand for by them."""

from __future__ import annotations

import ast

from laconic.knowledge.arguments import Argument
from laconic.reading.commands import python_acts as acts
from laconic.reading.commands.python_paths import Paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeGuard

    from laconic.reading.call import Call
    from laconic.types import Effect

_IMPORTERS = frozenset(("__import__", "importlib.import_module"))


# https://docs.python.org/3/library/posix.html: what os is made of
_IS_OS = frozenset(("posix", "nt"))


class Named:
    """The code of a call, as a tree. where: the argument that holds the code."""

    __slots__ = ("_call", "_imported", "_imports", "_nodes", "_paths", "_where")

    def __init__(self, call: Call, tree: ast.Module, where: Argument) -> None:
        self._call, self._where = call, where
        self._nodes = list(ast.walk(tree))
        self._imports = list(_imported(self._nodes))
        self._imported = dict(self._imports)
        home = call.judge.facts.home
        self._paths = Paths(self._nodes, home, self._dotted, call.content)

    def _dotted(self, node: ast.AST) -> str:
        """`subprocess.run` for `run` after `from subprocess import run`; empty if not a name."""
        names: list[str] = []
        while isinstance(node, ast.Attribute):
            names.append(node.attr)
            node = node.value
        if isinstance(node, ast.Name):
            first = self._imported.get(node.id, node.id)
            return ".".join(["os" if first in _IS_OS else first, *reversed(names)])
        front = self._named_by_text(node)
        return ".".join([front, *reversed(names)]) if front else ""

    def _named_by_text(self, node: ast.AST) -> str:
        """What `__import__("os")`, `sys.modules["os"]` and `getattr(os, "system")` stand for."""
        if isinstance(node, ast.Subscript):
            is_module = self._dotted(node.value) == "sys.modules"
            return self._paths.text(node.slice) or "" if is_module else ""
        if not isinstance(node, ast.Call) or not node.args:
            return ""
        function = self._dotted(node.func)
        if function in _IMPORTERS:
            return self._paths.text(node.args[0]) or ""
        if function == "getattr" and len(node.args) > 1:
            of, name = self._dotted(node.args[0]), self._paths.text(node.args[1])
            return f"{of}.{name}" if of and name else ""
        return ""

    def _path(self, node: ast.expr | None) -> Argument:
        return Argument(self._paths.text(node), self._where.start, self._where.end)

    def _does(self, effects: Effect, rule: str, why: str) -> None:
        self._call.does(effects, rule, why, self._where)

    def _text(self, node: ast.expr | None) -> Argument:
        value = node.value if isinstance(node, ast.Constant) else None
        text = value if isinstance(value, str) else None
        return Argument(text, self._where.start, self._where.end)

    def _uses(self, modules: frozenset[str]) -> bool:
        return any(
            name in modules or name.partition(".")[0] in modules for name in self._imported.values()
        )


def is_call(node: ast.AST) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call)


def _imported(nodes: list[ast.AST]) -> Iterator[tuple[str, str]]:
    """Each name that an import binds, with what it stands for."""
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.name if alias.asname else alias.name.partition(".")[0]
                yield alias.asname or name, name
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.name == "*":
                    yield from _all_of(node.module or "")
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def _all_of(module: str) -> Iterator[tuple[str, str]]:
    """The names that are known here of a module, for `from os import *`."""
    for name in sorted(acts.ACTS):
        front, _, last = name.rpartition(".")
        if front == module:
            yield last, name
    if module in acts.CONNECTS:
        yield module, module

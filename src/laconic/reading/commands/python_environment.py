"""Whether Python code gives away all variables of its environment.

`os.environ` as a whole holds secrets. It may be asked for one variable, changed, and handed to a
program that is started; a copy may be, too. All other uses show it, or may.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cached_property

from laconic.reading.commands.python_acts import STARTS_BY_WORDS

ENVIRONMENT = frozenset(("os.environ", "os.environb"))
_ASKED = frozenset("get pop setdefault update keys clear __contains__".split())
_NAMES_ONLY = frozenset(("len", "sorted", "list", "set", "bool", "any"))
# Values made of others, on the way from the environment to what becomes of it.
_PASSES_ON = (
    ast.Attribute, ast.BinOp, ast.BoolOp, ast.Call, ast.Dict, ast.DictComp, ast.GeneratorExp,
    ast.IfExp, ast.ListComp, ast.NamedExpr, ast.Starred, ast.comprehension,
)  # fmt: skip


class Environment:
    """How the environment is used in one tree. dotted: the name that an expression stands for."""

    def __init__(self, nodes: list[ast.AST], dotted: Callable[[ast.AST], str]) -> None:
        self._nodes, self._dotted = nodes, dotted
        self._parents: dict[int, ast.AST] = {}

    def is_shown(self) -> bool:
        """Tell whether the whole of it, or a copy, may be shown."""
        whole = [
            node
            for node in self._nodes
            if isinstance(node, ast.Attribute | ast.Name)
            and isinstance(node.ctx, ast.Load)
            and self._dotted(node) in ENVIRONMENT
        ]
        if not whole:
            return False
        for node in self._nodes:
            self._parents.update((id(child), node) for child in ast.iter_child_nodes(node))
        return any(self._shows(node) for node in whole)

    def _shows(self, node: ast.AST, depth: int = 0) -> bool:
        parent = self._parents.get(id(node))
        if isinstance(parent, ast.Subscript):
            return False
        if isinstance(parent, ast.Attribute) and parent.attr in _ASKED:
            return False
        if isinstance(parent, ast.For | ast.comprehension) and self._takes_names(parent, node):
            return False
        while isinstance(parent, _PASSES_ON):
            if isinstance(parent, ast.Call) and self._is_handed_over(parent, node):
                return False
            node, parent = parent, self._parents.get(id(parent))
        if isinstance(parent, ast.keyword):
            return parent.arg != "env"
        if isinstance(parent, ast.Compare):
            return False
        if isinstance(parent, ast.Assign) and depth == 0:
            names = {t.id for t in parent.targets if isinstance(t, ast.Name)}
            return len(names) < len(parent.targets) or any(
                self._shows(use, depth + 1) for use in self._uses(names)
            )
        return not isinstance(parent, ast.Assign)

    def _is_handed_over(self, call: ast.Call, node: ast.AST) -> bool:
        name = self._dotted(call.func)
        return name in STARTS_BY_WORDS or (name in _NAMES_ONLY and node in call.args
                                           and self._dotted(node) in ENVIRONMENT)  # fmt: skip

    def _takes_names(self, loop: ast.For | ast.comprehension, node: ast.AST) -> bool:
        """`for name in os.environ`, where no variable is asked for by such a name."""
        is_plain = loop.iter is node and isinstance(loop.target, ast.Name)
        return is_plain and not self._asks_by_value

    @cached_property
    def _asks_by_value(self) -> bool:
        """Tell whether a variable is asked for whose name is not there."""
        return any(
            isinstance(other, ast.Subscript)
            and self._dotted(other.value) in ENVIRONMENT
            and not isinstance(other.slice, ast.Constant)
            for other in self._nodes
        )

    def _uses(self, names: set[str]) -> list[ast.AST]:
        return [
            node
            for node in self._nodes
            if isinstance(node, ast.Name) and node.id in names and isinstance(node.ctx, ast.Load)
        ]

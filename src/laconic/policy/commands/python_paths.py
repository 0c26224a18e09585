"""Paths that Python code puts together from literals, the home directory and names bound once."""

from __future__ import annotations

import ast
import posixpath

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_MAX_DEPTH = 12
_PATHS = frozenset("pathlib.Path pathlib.PurePath pathlib.PosixPath".split())
_AS_THEY_ARE = frozenset("os.path.abspath os.path.realpath os.path.normpath os.fspath str".split())


class Paths:
    """What expressions are worth as paths. dotted: the name that an expression stands for."""

    __slots__ = ("_bound", "_dotted", "_home")

    def __init__(self, tree: ast.Module, home: str, dotted: Callable[[ast.AST], str]) -> None:
        self._dotted, self._home = dotted, home
        self._bound: dict[str, ast.expr] = {}
        targets: list[str] = []
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                targets.append(node.id)
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                target = node.targets[0]
                if isinstance(target, ast.Name):
                    self._bound[target.id] = node.value
        self._bound = {
            name: value for name, value in self._bound.items() if targets.count(name) == 1
        }

    def text(self, node: ast.expr | None, depth: int = 0) -> str | None:
        """The path, None if it is not known."""
        if node is None or depth > _MAX_DEPTH:
            return None
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, str) else None
        if isinstance(node, ast.Name):
            return self.text(self._bound.get(node.id), depth + 1)
        if isinstance(node, ast.JoinedStr):
            return self._joined([self._piece(part, depth) for part in node.values], "")
        if isinstance(node, ast.BinOp):
            both = [self.text(node.left, depth + 1), self.text(node.right, depth + 1)]
            if isinstance(node.op, ast.Div):
                return self._joined(both, "/")
            return self._joined(both, "") if isinstance(node.op, ast.Add) else None
        if isinstance(node, ast.Subscript) and self._dotted(node.value) == "os.environ":
            return self._variable(node.slice)
        return self._call(node, depth) if isinstance(node, ast.Call) else None

    def _piece(self, part: ast.expr, depth: int) -> str | None:
        return self.text(part.value if isinstance(part, ast.FormattedValue) else part, depth + 1)

    def _call(self, node: ast.Call, depth: int) -> str | None:
        name = self._dotted(node.func)
        given = [self.text(argument, depth + 1) for argument in node.args]
        if name in _PATHS or name == "os.path.join":
            return self._joined(given, "/") if given else "."
        if name in ("pathlib.Path.home", "os.path.expanduser"):
            return self._at_home(given[0] if given else "~")
        if name in _AS_THEY_ARE:
            return given[0] if given else None
        if name in ("os.getenv", "os.environ.get") and node.args:
            return self._variable(node.args[0])
        if isinstance(node.func, ast.Attribute):
            made = self.text(node.func.value, depth + 1)
            if node.func.attr in ("expanduser", "resolve", "absolute"):
                return self._at_home(made)
            if node.func.attr == "joinpath":
                return self._joined([made, *given], "/")
        return None

    def _variable(self, name: ast.expr) -> str | None:
        return self._home if isinstance(name, ast.Constant) and name.value == "HOME" else None

    def _at_home(self, path: str | None) -> str | None:
        if path is None or not path.startswith("~"):
            return path
        return self._home + path[1:] if path[1:2] in ("", "/") else None

    @staticmethod
    def _joined(parts: list[str | None], between: str) -> str | None:
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        return posixpath.join(*known) if between else "".join(known)

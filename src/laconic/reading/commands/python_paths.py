"""Paths that Python code puts together from literals, files, the home and names bound once."""

from __future__ import annotations

import ast
import json
import posixpath
from collections.abc import Callable

from laconic.patterns import pattern
from laconic.reading.commands.python_acts import OPENS

_MAX_DEPTH = 12
_READ = frozenset(("read", "read_text", "readline"))
_MARKED = pattern(r"%[^%]")
_PATHS = frozenset("pathlib.Path pathlib.PurePath pathlib.PosixPath".split())
_AS_THEY_ARE = frozenset("os.path.abspath os.path.realpath os.path.normpath os.fspath str".split())
_TEMPORARY = frozenset(
    "tempfile.mkdtemp tempfile.gettempdir tempfile.TemporaryDirectory tempfile.mktemp".split()
)
_NEW_TEMPORARY = "/tmp/python"  # noqa: S108 - a place to judge, not to use
# "{0.a[b]}" gives attributes and items of what is formatted, and so leads to any other object:
# https://docs.python.org/3/library/string.html#format-string-syntax
_FIELD_OF_FIELD = pattern(r"\{[^{}!:]*[.\[]")


def as_text(value: str | bytes) -> str:
    return value if isinstance(value, str) else value.decode("latin-1")


def formats_plainly(node: ast.Attribute) -> bool:
    """Tell whether `text.format` prints nothing but the values that it is given."""
    of = node.value.value if isinstance(node.value, ast.Constant) else None
    return isinstance(of, str) and not leads_on(of)


def leads_on(text: object) -> bool:
    return isinstance(text, str) and _FIELD_OF_FIELD.search(text) is not None


class Paths:
    """What expressions are worth as paths. dotted: the name that an expression stands for.

    content: what is in a small file now, None if that is not known.
    """

    def __init__(
        self,
        nodes: list[ast.AST],
        home: str,
        dotted: Callable[[ast.AST], str],
        content: Callable[[str], str | None] = lambda _: None,
    ) -> None:
        self._dotted, self._home, self._content = dotted, home, content
        self._bound: dict[str, ast.expr] = {}
        self._walked: dict[str, ast.expr] = {}
        targets: list[str] = []
        grown: list[str] = []
        certain = {id(statement) for statement in getattr(nodes[0], "body", ())}
        for node in nodes:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                targets.append(node.id)
            elif isinstance(node, ast.Assign) and len(node.targets) == 1:
                self._bind(node.targets[0], node.value)
            elif isinstance(node, ast.withitem) and node.optional_vars is not None:
                self._bind(node.optional_vars, node.context_expr)
            elif isinstance(node, ast.For | ast.comprehension) and isinstance(
                node.target, ast.Name
            ):
                self._walked[node.target.id] = node.iter
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                self._grow(node.target.id, node, is_certain=id(node) in certain)
                grown.append(node.target.id)
        for names in (self._bound, self._walked):
            for name in [n for n in names if targets.count(n) - grown.count(n) != 1]:
                del names[name]

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self._bound[target.id] = value

    def _grow(self, name: str, node: ast.AugAssign, *, is_certain: bool) -> None:
        """`name += value`, as if it were said at once."""
        if is_certain and name in self._bound and isinstance(node.op, ast.Add):
            self._bound[name] = ast.BinOp(self._bound[name], node.op, node.value)
        else:
            self._bound.pop(name, None)

    def text(self, node: ast.expr | None, depth: int = 0) -> str | None:
        """The path, None if it is not known."""
        if node is None or depth > _MAX_DEPTH:
            return None
        if isinstance(node, ast.Constant):
            return as_text(node.value) if isinstance(node.value, str | bytes) else None
        if isinstance(node, ast.Name):
            if node.id in self._walked:
                return self._entries(self._walked[node.id], depth + 1)
            return self.text(self._bound.get(node.id), depth + 1)
        if isinstance(node, ast.JoinedStr):
            return self._joined([self._piece(part, depth) for part in node.values], "")
        if isinstance(node, ast.BinOp):
            return self._operated(node, depth)
        if isinstance(node, ast.Subscript):
            if self._dotted(node.value) == "os.environ":
                return self._variable(node.slice)
            item = self._item(node)
            return self.text(item, depth + 1) if item is not None else self._of_json(node, depth)
        return self._call(node, depth) if isinstance(node, ast.Call) else None

    def _of_json(self, node: ast.Subscript, depth: int) -> str | None:
        """`json.load(open("names.json"))["a"]`: a text in a file that is there."""
        keys: list[object] = []
        of: ast.expr = node
        while isinstance(of, ast.Subscript) and isinstance(of.slice, ast.Constant):
            keys.insert(0, of.slice.value)
            of = of.value
        of = self._bound.get(of.id, of) if isinstance(of, ast.Name) else of
        if not isinstance(of, ast.Call) or not of.args:
            return None
        text = self.text(of.args[0], depth + 1)
        if self._dotted(of.func) == "json.load" and text is not None:
            text = self._content(text)
        elif self._dotted(of.func) != "json.loads":
            return None
        try:
            found = json.loads(text or "")
            for key in keys:
                found = found[key]
        except (ValueError, LookupError, TypeError, RecursionError):
            return None
        return found if isinstance(found, str) else None

    def _operated(self, node: ast.BinOp, depth: int) -> str | None:
        left = self.text(node.left, depth + 1)
        if isinstance(node.op, ast.Mod):
            given = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
            return self._filled(left, "%s", [self.text(one, depth + 1) for one in given])
        both = [left, self.text(node.right, depth + 1)]
        if isinstance(node.op, ast.Div):
            return self._joined(both, "/")
        return self._joined(both, "") if isinstance(node.op, ast.Add) else None

    def _item(self, node: ast.Subscript) -> ast.expr | None:
        """`a[0]` and `a["x"]` of a list or dictionary that is written out."""
        of = self._bound.get(node.value.id) if isinstance(node.value, ast.Name) else node.value
        key = node.slice.value if isinstance(node.slice, ast.Constant) else None
        if isinstance(of, ast.List | ast.Tuple) and isinstance(key, int):
            return of.elts[key] if -len(of.elts) <= key < len(of.elts) else None
        if isinstance(of, ast.Dict) and key is not None:
            for name, value in zip(of.keys, of.values, strict=True):
                if isinstance(name, ast.Constant) and name.value == key:
                    return value
        return None

    @staticmethod
    def _filled(text: str | None, mark: str, given: list[str | None]) -> str | None:
        """A text with others in the places that are marked; none is marked in another way."""
        pieces = text.split(mark) if text is not None else []
        if len(pieces) != len(given) + 1 or any(mark[0] in piece for piece in pieces):
            return None
        known = [value for value in given if value is not None]
        if len(known) < len(given):
            return None
        return pieces[0] + "".join(map(str.__add__, known, pieces[1:]))

    def shape(self, node: ast.expr | None, depth: int = 0) -> str:
        """The text with `*` for each part that is not known."""
        if (text := self.text(node, depth)) is not None:
            return text
        if isinstance(node, ast.BinOp) and depth < _MAX_DEPTH:
            if isinstance(node.op, ast.Mod):
                return _MARKED.sub("*", self.shape(node.left, depth + 1))
            between = "/" * isinstance(node.op, ast.Div)
            return self.shape(node.left, depth + 1) + between + self.shape(node.right, depth + 1)
        if isinstance(node, ast.JoinedStr) and depth < _MAX_DEPTH:
            return "".join(self.shape(part, depth + 1) for part in node.values)
        if isinstance(node, ast.Name) and depth < _MAX_DEPTH:
            return self.shape(self._bound.get(node.id), depth + 1)
        return "*"

    def leading(self, node: ast.expr) -> str:
        """The text, or what it begins with for certain."""
        if (text := self.text(node)) is not None:
            return text
        if isinstance(node, ast.JoinedStr) and node.values:
            return self.leading(node.values[0])
        return self.leading(node.left) if isinstance(node, ast.BinOp) else ""

    def _piece(self, part: ast.expr, depth: int) -> str | None:
        return self.text(part.value if isinstance(part, ast.FormattedValue) else part, depth + 1)

    def _call(self, node: ast.Call, depth: int) -> str | None:
        name = self._dotted(node.func)
        given = [self.text(argument, depth + 1) for argument in node.args]
        if name in _PATHS or name == "os.path.join":
            return self._joined(given, "/") if given else "."
        if name in ("pathlib.Path.home", "os.path.expanduser"):
            return self._at_home(given[0] if given else "~")
        if name in _TEMPORARY:
            return _NEW_TEMPORARY
        if name in OPENS:  # an open file goes by its path
            return given[0] if given else None
        if name in _AS_THEY_ARE:
            return given[0] if given else None
        if name in ("os.getenv", "os.environ.get") and node.args:
            return self._variable(node.args[0])
        if isinstance(node.func, ast.Attribute):
            made = self.text(node.func.value, depth + 1)
            if node.func.attr in ("expanduser", "resolve", "absolute", "open"):
                return self._at_home(made)
            if node.func.attr in _READ:
                return self._content(made) if made is not None else None
            if node.func.attr in ("strip", "rstrip", "lstrip") and not node.args:
                return made.strip() if made is not None else None
            if node.func.attr == "joinpath":
                return self._joined([made, *given], "/")
            if node.func.attr == "format":
                return self._filled(made, "{}", given)
            if node.func.attr == "join" and made is not None and node.args:
                return self._joined_list(made, node.args[0], depth)
        return None

    def _joined_list(self, between: str, items: ast.expr, depth: int) -> str | None:
        of = self._bound.get(items.id, items) if isinstance(items, ast.Name) else items
        if not isinstance(of, ast.List | ast.Tuple):
            return None
        texts = [self.text(item, depth + 1) for item in of.elts]
        known = [text for text in texts if text is not None]
        return between.join(known) if len(known) == len(texts) else None

    def _entries(self, node: ast.expr, depth: int) -> str | None:
        """A pattern for what a loop goes over: the files of a directory."""
        if isinstance(node, ast.Call) and self._dotted(node.func) in ("sorted", "list", "reversed"):
            return self._entries(node.args[0], depth + 1) if node.args else None
        if not isinstance(node, ast.Call) or depth > _MAX_DEPTH:
            return None
        name = self._dotted(node.func)
        given = [self.text(argument, depth + 1) for argument in node.args]
        if name in ("glob.glob", "glob.iglob"):
            return given[0] if given else None
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("glob", "rglob", "iterdir"):
            found = given or ["*"]
            return self._joined([self.text(node.func.value, depth + 1), *found], "/")
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

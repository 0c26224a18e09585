"""Whether Python code only computes, reads files and prints.

Unsafe is all that data/words/python.txt does not list, and some of that depends on where it
stands. No name of a builtin may be bound, because a loop that never runs would leave the real one
in place. For the same reason a name that is imported stands for one thing in the whole of the code:
which of two bindings holds where is only known when it runs.
"""

from __future__ import annotations

import ast
import builtins

from laconic.knowledge.words import word_lists
from laconic.patterns import pattern
from laconic.reading.commands.python_paths import Paths, as_text, formats_plainly
from laconic.reading.commands.python_tree import tree_of
from laconic.reading.secret_files import is_secret_variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeGuard

MAX_LENGTH = 4000
_WORDS = {title: frozenset(words) for title, words in word_lists("python").items()}
# What may be used of modules that are not harmless as a whole.
_GUARDED = {t.removeprefix("module "): words for t, words in _WORDS.items() if " " in t}
_MODULES, _ATTRIBUTES = _WORDS["modules"], _WORDS["attributes"]
# Python 2 reads code in the encoding that it names: PEP 263.
_NAMES_ENCODING = pattern(r"#.*coding[:=]")


class Code:
    """Python code under judgement: the names that it binds, and where its nodes stand.

    bound: names, each with all that it is bound to: what is imported, or "" for any value.
    guarded: names that stand for a module of which only some names may be used. inner: nodes that
    an attribute is taken of. called: functions of calls. looked_at: nodes that are only printed,
    joined, iterated over or indexed.
    """

    def __init__(self, tree: ast.Module) -> None:
        self.nodes = list(ast.walk(tree))
        self.bound: dict[str, set[str]] = {}
        self.guarded: dict[str, str] = {}
        self.inner: set[int] = set()
        self.called: set[int] = set()
        self.looked_at: set[int] = set()
        self.asked: set[int] = set()
        for node in self.nodes:
            for name, value in _bindings(node):
                self.bound.setdefault(name, set()).add(value)
            self._note(node)
        uses_paths = "pathlib" in self.modules()
        self.attributes = _ATTRIBUTES - _WORDS["of-paths"] if uses_paths else _ATTRIBUTES

    def _note(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            self.guarded.update(
                (n, module) for n, module in map(_imported, node.names) if module in _GUARDED
            )
        elif isinstance(node, ast.Attribute):
            self.inner.add(id(node.value))
        elif isinstance(node, ast.Call):
            self.called.add(id(node.func))
            if _shows(node.func):
                self.looked_at.update(map(id, node.args))
        elif isinstance(node, ast.For | ast.comprehension):
            self.looked_at.add(id(node.iter))
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            self.looked_at.add(id(node.value))
            if _is_harmless_name(node.slice):
                self.asked.add(id(node.value))

    def modules(self) -> set[str]:
        """The modules, without what is inside of them, that are imported."""
        found: set[str] = set()
        for node in self.nodes:
            if isinstance(node, ast.Import):
                found.update(alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                found.add((node.module or "").partition(".")[0])
        return found

    def reads_files(self) -> bool:
        return any(map(_reads, self.nodes))

    def strings(self, content: Callable[[str], str | None]) -> list[str]:
        """Texts in the code and in files: the names of files that it reads are among them."""
        texts = [_text(node) for node in self.nodes]
        opened = [node.args[0] for node in self.nodes if _opens(node)]
        opened += [node.value for node in self.nodes if _opens_path(node)]
        if opened:
            paths = Paths(self.nodes, "~", self._full_name, content)
            texts += map(paths.shape, opened)
        return [text for text in texts if text.strip("*")]

    def _full_name(self, node: ast.AST) -> str:
        if isinstance(node, ast.Name):
            return max(self.bound.get(node.id, ()), default="") or node.id
        if not isinstance(node, ast.Attribute):
            return ""
        root, path = _dotted(node)
        return f"{max(self.bound.get(root, ()), default='') or root}.{path}"

    def lists_files(self) -> bool:
        """Tell whether it goes through the files of a directory."""
        return any(getattr(node, "attr", getattr(node, "id", "")) in _LISTS for node in self.nodes)

    def spells_text(self) -> bool:
        """Tell whether it may put the name of a file together from codes, or turn one around."""
        if all(isinstance(node.args[0], ast.Constant) for node in self.nodes if _opens(node)):
            return False
        names = {getattr(node, "id", getattr(node, "attr", "")) for node in self.nodes}
        opened = [node.args[0] for node in self.nodes if _opens(node)]
        given = {
            node.targets[0].id: node.value
            for node in self.nodes
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        }
        opened += [given[one.id] for one in opened if isinstance(one, ast.Name) and one.id in given]
        if any(_is_made(part) for one in opened for part in ast.walk(one)):
            return True
        has_step = any(isinstance(node, ast.Slice) and node.step is not None for node in self.nodes)
        return has_step or not names.isdisjoint(_SPELLS)

    def is_pure(self) -> bool:
        """Tell whether running it has no effect but its output. In doubt it has."""
        if any(_is_builtin(name) or len(to) > 1 for name, to in self.bound.items()):
            return False
        return all(
            type(node).__name__ in _WORDS["nodes"] and self._is_harmless(node)
            for node in self.nodes
        )

    def _is_harmless(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Import | ast.ImportFrom):
            return _imports_known(node)
        if isinstance(node, ast.Name):
            return self._is_known_name(node)
        if isinstance(node, ast.Attribute):
            return isinstance(node.ctx, ast.Load) and self._is_known_attribute(node)
        if isinstance(node, ast.Call):
            return self._is_harmless_call(node)
        return True

    def _is_known_name(self, node: ast.Name) -> bool:
        if node.id in self.guarded:
            return id(node) in self.inner
        if node.id in ("open", "type"):
            return id(node) in self.called
        return node.id in _WORDS["builtins"] or node.id in self.bound

    def _is_known_attribute(self, node: ast.Attribute) -> bool:
        root, path = _dotted(node)
        if root in self.guarded:
            return self._is_open_part(node, path, _GUARDED[self.guarded[root]])
        if node.attr in _WORDS["looked-at"]:
            return id(node) in self.looked_at
        if node.attr == "__name__":
            return isinstance(node.value, ast.Call) and _is_name(node.value.func, "type")
        if node.attr == "format":
            return formats_plainly(node)
        if node.attr == "write":
            of = node.value
            return isinstance(of, ast.Attribute) and of.attr in ("stdout", "stderr")
        return node.attr in self.attributes

    def _is_open_part(self, node: ast.Attribute, path: str, names: frozenset[str]) -> bool:
        """`os.path.join` is open, `os.path` as a part of it, and `.upper` of what is open."""
        if path in names:
            return path not in ("getenv", "environ.get") or id(node) in self.called
        if path == "environ" and id(node) in self.asked:
            return True
        if any(name.startswith(f"{path}.") for name in names):
            return id(node) in self.inner
        is_behind = any(path.startswith(f"{name}.") for name in names)
        return is_behind and node.attr in self.attributes

    def _is_harmless_call(self, node: ast.Call) -> bool:
        if _is_name(node.func, "open"):
            return _opens_for_reading(node)
        if _gets_variable(node.func):
            return _names_harmless_variable(node)
        if _is_name(node.func, "type"):
            is_one = len(node.args) == 1 and not node.keywords
            return is_one and (id(node) in self.looked_at or id(node) in self.inner)
        return isinstance(node.func, ast.Name | ast.Attribute)


_MAKES_TEXT = frozenset("loads sub subn literal_eval unparse group groups findall".split())
_LISTS = frozenset("listdir walk scandir iterdir glob iglob rglob".split())
_SPELLS = frozenset(
    """chr bytes bytearray reversed fromhex unhexlify b64decode b32decode b16decode a85decode
    b85decode urlsafe_b64decode standard_b64decode decode decodebytes translate maketrans format
    format_map replace unquote unescape""".split()
)


def _is_made(node: ast.AST) -> bool:
    """Tell whether a text is read out of another one."""
    return isinstance(node, ast.Call) and getattr(node.func, "attr", "") in _MAKES_TEXT


def _opens_path(node: ast.AST) -> TypeGuard[ast.Attribute]:
    return isinstance(node, ast.Attribute) and node.attr in ("read_text", "read_bytes", "open")


def _opens(node: ast.AST) -> TypeGuard[ast.Call]:
    if not isinstance(node, ast.Call) or not node.args:
        return False
    name = getattr(node.func, "id", getattr(node.func, "attr", ""))
    return name in ("open", "Path", "PurePath", "joinpath", "glob", "iglob", "rglob")


def _text(node: ast.AST) -> str:
    """The text that an expression gives, `*` for each part of it that is not known."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
        return as_text(node.value)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Div):
        return _text(node.left) + "/" * isinstance(node.op, ast.Div) + _text(node.right)
    if isinstance(node, ast.JoinedStr):
        return "".join(map(_text, node.values))
    return "*"


def _gets_variable(function: ast.expr) -> bool:
    """`os.getenv`, `os.environ.get`, also by other names of the module."""
    if isinstance(function, ast.Attribute) and function.attr == "get":
        _, path = _dotted(function)
        return path.split(".")[-2:-1] == ["environ"]
    name = getattr(function, "attr", getattr(function, "id", ""))
    return name == "getenv"


def _names_harmless_variable(call: ast.Call) -> bool:
    return bool(call.args) and _is_harmless_name(call.args[0])


def _is_harmless_name(node: ast.expr) -> bool:
    """Tell whether it is the name of a variable that holds no secret."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return False
    return not is_secret_variable(node.value)


def parsed(code: str) -> Code | None:
    if len(code) > MAX_LENGTH or _NAMES_ENCODING.search(code):
        return None
    tree = tree_of(code)
    try:
        return Code(tree) if tree is not None else None
    except RecursionError:
        return None


def _bindings(node: ast.AST) -> list[tuple[str, str]]:
    """The names that a node binds, with what they are imported from, or "" for any value.

    All other nodes that bind names (class, del, global, match, type ..) are not among the nodes.
    """
    if isinstance(node, ast.Import):
        return [_imported(alias) for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [(a.asname or a.name, f"{node.module}.{a.name}") for a in node.names]
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        return [(node.id, "")]
    if isinstance(node, ast.arg):
        return [(node.arg, "")]
    if isinstance(node, ast.FunctionDef):
        return [(node.name, "")]
    return [(node.name, "")] if isinstance(node, ast.ExceptHandler) and node.name else []


def _imported(alias: ast.alias) -> tuple[str, str]:
    """`import os.path` binds os, `import os.path as p` binds p to os.path."""
    top = alias.name.partition(".")[0]
    return (alias.asname, alias.name) if alias.asname else (top, top)


def _is_builtin(name: str) -> bool:
    return name.startswith("__") or name in _WORDS["other-builtins"] or hasattr(builtins, name)


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _reads(node: ast.AST) -> bool:
    return _is_name(node, "open") or (
        isinstance(node, ast.Attribute) and node.attr in ("load", "read_bytes", "read_text")
    )


def _shows(function: ast.AST) -> bool:
    return _is_name(function, "print") or (
        isinstance(function, ast.Attribute) and function.attr == "join"
    )


def _dotted(node: ast.Attribute) -> tuple[str, str]:
    """`os.path.join` as `os` and `path.join`; anything but names has no root."""
    words = [node.attr]
    of = node.value
    while isinstance(of, ast.Attribute):
        words.append(of.attr)
        of = of.value
    return of.id if isinstance(of, ast.Name) else "", ".".join(reversed(words))


def _imports_known(node: ast.Import | ast.ImportFrom) -> bool:
    if isinstance(node, ast.Import):
        return all(alias.name in _MODULES or alias.name in _GUARDED for alias in node.names)
    names = _GUARDED.get(node.module or "", _ATTRIBUTES if node.module in _MODULES else frozenset())
    known = names - {"getenv"}  # by another name it would not be seen what it is asked for
    return node.level == 0 and all(alias.name in known for alias in node.names)


def _opens_for_reading(node: ast.Call) -> bool:
    """`open(path)` with no more than a mode that reads and how the text is written."""
    modes = [*node.args[1:], *(word.value for word in node.keywords if word.arg == "mode")]
    return (
        0 < len(node.args) <= 2  # noqa: PLR2004 - a path and a mode; a third one is the buffering
        and not any(isinstance(argument, ast.Starred) for argument in node.args)
        and all(isinstance(m, ast.Constant) and m.value in _WORDS["reading-modes"] for m in modes)
        and all(word.arg in _WORDS["reading-keywords"] for word in node.keywords)
    )

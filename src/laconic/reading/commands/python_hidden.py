"""Where Python code acts by another name than the one that is known for it.

What code visibly does is told by the names that it calls. A function that is handed on, a module
in a variable, a name that is bound twice or put together at run time may be anything: such code is
unclear, and asks wherever unclear text asks.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from laconic.reading.commands.python_acts import ACTS, MODULES
from laconic.reading.commands.python_paths import leads_on

# https://docs.python.org/3/reference/datamodel.html: attributes that lead to any other object.
_DOORS = frozenset(
    """__globals__ __builtins__ __subclasses__ __getattribute__ __loader__ __code__ f_globals
    f_builtins gi_frame""".split()
)
_OF_MODULES = frozenset("__name__ __file__ __doc__ __version__ __path__ __all__".split())
_ONLY_LOOK = frozenset(
    "print repr str type id dir help hasattr getattr isinstance callable".split()
)
_NAMESPACES = frozenset(("globals", "locals", "vars"))
_IMPORTERS = frozenset(("__import__", "importlib.import_module", "importlib.__import__"))


def hidden_acts(
    nodes: list[ast.AST], imports: Iterable[tuple[str, str]], dotted: Callable[[ast.AST], str]
) -> str:
    """Why it cannot be told what the code does; empty if nothing is hidden.

    dotted: the full name that an expression stands for, empty if it is not a name.
    """
    if name := _bound_twice(imports, nodes):
        return f"{name} may stand for one thing or another"
    formats = _formats(nodes)
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    inner = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
    looked_at = {
        id(argument)
        for node in nodes
        if isinstance(node, ast.Call) and dotted(node.func) in _ONLY_LOOK
        for argument in node.args
    }
    for node in nodes:
        door = getattr(node, "attr", getattr(node, "id", ""))
        if door in _DOORS:
            return f"{door} leads to functions that are not named"
        if formats and isinstance(node, ast.Constant) and leads_on(node.value):
            return "formats a text that leads to what is not named"
        if isinstance(node, ast.Call) and _is_put_together(node, dotted):
            return "calls something whose name is put together"
        is_name = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        if not is_name and not isinstance(node, ast.Attribute | ast.Call):
            continue
        if id(node) in called or id(node) in looked_at:
            continue
        full = dotted(node)
        if full in ACTS:
            return f"hands on {full}, which acts"
        if full in MODULES and id(node) not in inner:
            return f"hands on the module {full}"
        if isinstance(node, ast.Attribute) and _opens_module(node, dotted):
            return f"looks for names in the module {dotted(node.value)}"
    return ""


def _formats(nodes: list[ast.AST]) -> bool:
    return any(getattr(node, "attr", "") in ("format", "format_map", "vformat") for node in nodes)


def _bound_twice(imports: Iterable[tuple[str, str]], nodes: list[ast.AST]) -> str:
    """A name that stands for a module that acts, and for something else as well."""
    found: dict[str, set[str]] = {}
    for name, full in imports:
        found.setdefault(name, set()).add(full)
    stored = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    stored |= {n.arg for n in nodes if isinstance(n, ast.arg)}
    stored |= {n.name for n in nodes if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    for name, meant in found.items():
        acts = any(full in ACTS or full in MODULES for full in meant)
        if acts and (len(meant) > 1 or name in stored):
            return name
    return ""


def _is_put_together(call: ast.Call, dotted: Callable[[ast.AST], str]) -> bool:
    """`getattr(x, a + b)()`, `__import__(a).b()`, `globals()[a]()`."""
    function = call.func
    while isinstance(function, ast.Attribute) and isinstance(function.value, ast.Subscript):
        function = function.value
    if isinstance(function, ast.Call):
        name = dotted(function.func)
        return name in ("getattr", "operator.attrgetter", "operator.methodcaller") and not dotted(
            function
        )
    if isinstance(function, ast.Subscript) and isinstance(function.value, ast.Call):
        return dotted(function.value.func) in _NAMESPACES
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Call):
        return dotted(function.value.func) in _IMPORTERS and not dotted(function)
    return False


def _opens_module(node: ast.Attribute, dotted: Callable[[ast.AST], str]) -> bool:
    is_special = node.attr.startswith("__") and node.attr not in _OF_MODULES
    return is_special and dotted(node.value) in MODULES

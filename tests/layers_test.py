"""Imports point down only: a module may import those on the lines above its own, and itself."""

from __future__ import annotations

import ast
import functools
from pathlib import Path

SRC = Path(__file__).parent.parent / "src"
LAYERS = (
    ("laconic", "laconic.errors", "laconic.patterns", "laconic.machine"),
    ("laconic.types", "laconic.files", "laconic.shell"),
    ("laconic.letters",),
    ("laconic.settings", "laconic.git"),
    ("laconic.knowledge",),
    ("laconic.secrets",),
    ("laconic.compact", "laconic.record", "laconic.sessions"),
    ("laconic.reading",),
    ("laconic.rewrite", "laconic.policy"),
    ("laconic.undo", "laconic.door"),
    ("laconic.run", "laconic.report", "laconic.box", "laconic.agents", "laconic.bundle"),
    ("laconic.permissions",),
    ("laconic.engine",),
    ("laconic.contain",),
    ("laconic.library",),
    ("laconic.tool_hooks", "laconic.adapters", "laconic.batch"),
    ("laconic.hooks",),
    ("laconic.install", "laconic.server", "laconic.replay"),
    ("laconic.export",),
    ("laconic.page",),
    ("laconic.cli",),
    ("laconic.__main__",),
)
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}


def unit(module: str) -> str:
    """Return the entry of LAYERS that a module belongs to."""
    head = ".".join(module.split(".")[:2])
    return head if head in RANK else module.partition(".")[0]


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(SRC).with_suffix("").parts).removesuffix(".__init__")


@functools.cache
def trees() -> dict[str, ast.Module]:
    """The modules by name; one process of a test run reads them, not each that lists its tests."""
    return {module_name(path): ast.parse(path.read_text()) for path in sorted(SRC.rglob("*.py"))}


def imported(tree: ast.AST) -> set[str]:
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute here"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name for name in found if name.split(".")[0] == "laconic"}


def importers():
    """Every module and a name that it imports; the front door loads what is behind it at its use.

    That it does so late is tested in startup_test.py.
    """
    return [
        (module, name)
        for module, tree in trees().items()
        if module != "laconic"
        for name in sorted(imported(tree))
    ]


def test_imports_point_down():
    wrong = [
        f"{module} must not import {name}"
        for module, name in importers()
        if unit(name) != unit(module) and RANK[unit(name)] >= RANK[unit(module)]
    ]
    assert wrong == []


def test_every_module_has_a_place_in_the_layers():
    missing = [name for name in trees() if name != "laconic" and unit(name) == "laconic"]
    assert missing == [], "add them to LAYERS"


def test_every_module_says_in_one_sentence_what_it_is_for():
    said = {
        name: (ast.get_docstring(tree) or "").partition("\n")[0] for name, tree in trees().items()
    }
    assert [name for name, text in said.items() if not text.endswith((".", ":"))] == []


def test_nobody_inside_uses_the_front_door():
    """`laconic.run` is a function of the library there; inside, all names are those of modules."""
    known = {"laconic", "laconic.__version__"}
    used = [(module, name) for module, name in importers() if unit(name) == "laconic"]
    assert [(module, name) for module, name in used if name not in known] == []


READERS_OF_THE_WORLD = {"environ", "getenv", "getcwd", "cwd", "home", "expanduser"}


def test_only_settings_reads_environment_home_and_current_directory():
    may = {"laconic.settings.load", "laconic.settings.environ"}
    wrong = {}
    for module, tree in trees().items():
        found = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
        names = {node.value.id for node in found if isinstance(node.value, ast.Name)}
        read = {node.attr for node in found} & READERS_OF_THE_WORLD
        if module not in may and names & {"os", "Path"} and read:
            wrong[module] = read
    assert wrong == {}


def test_the_check_sees_an_import_that_points_up():
    tree = ast.parse("def f():\n    from laconic.cli import main\n    import laconic.engine\n")
    assert imported(tree) == {"laconic.cli.main", "laconic.engine"}
    assert RANK[unit("laconic.cli.main")] > RANK[unit("laconic.shell.parser")]

"""Imports point down only: a module may import those on the lines above its own, and itself."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SRC = Path(__file__).parent.parent / "src"
LAYERS = (
    ("laconic", "laconic.errors", "laconic.patterns"),
    ("laconic.types", "laconic.files", "laconic.shell"),
    ("laconic.settings",),
    ("laconic.knowledge", "laconic.secrets"),
    ("laconic.compact", "laconic.record", "laconic.sessions"),
    ("laconic.rewrite", "laconic.policy"),
    ("laconic.undo",),
    ("laconic.run", "laconic.report", "laconic.box"),
    ("laconic.permissions",),
    ("laconic.engine",),
    ("laconic.library",),
    ("laconic.tool_hooks", "laconic.adapters"),
    ("laconic.hooks",),
    ("laconic.install", "laconic.server", "laconic.replay"),
    ("laconic.page",),
    ("laconic.cli",),
    ("laconic.__main__",),
)
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}
MODULES = sorted(SRC.rglob("*.py"))


def unit(module: str) -> str:
    """Give the entry of LAYERS that a module belongs to."""
    head = ".".join(module.split(".")[:2])
    return head if head in RANK else module.partition(".")[0]


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(SRC).with_suffix("").parts).removesuffix(".__init__")


def imported(tree: ast.AST) -> set[str]:
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute here"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name for name in found if name.split(".")[0] == "laconic"}


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_imports_point_down(path):
    own = unit(module_name(path))
    if own == "laconic":
        return  # the front door, which loads what is behind it at first use: startup_test.py
    for name in imported(ast.parse(path.read_text())):
        other = unit(name)
        assert other == own or RANK[other] < RANK[own], f"{own} must not import {name}"


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_every_module_has_a_place_in_the_layers(path):
    name = module_name(path)
    assert name == "laconic" or unit(name) != "laconic", f"add {name} to LAYERS"


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_every_module_says_in_one_sentence_what_it_is_for(path):
    text = ast.get_docstring(ast.parse(path.read_text()))
    assert text
    assert text.splitlines()[0].endswith((".", ":")), text


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_nobody_inside_uses_the_front_door(path):
    """`laconic.run` is a function of the library there; inside, all names are those of modules."""
    for name in imported(ast.parse(path.read_text())):
        assert unit(name) != "laconic" or name in {"laconic", "laconic.__version__"}


READERS_OF_THE_WORLD = {"environ", "getenv", "getcwd", "cwd", "home", "expanduser"}


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_only_settings_reads_environment_home_and_current_directory(path):
    if module_name(path) in {"laconic.settings.load", "laconic.settings.environ"}:
        return
    attributes = {
        n.attr for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Attribute)
    }
    names = {
        n.value.id
        for n in ast.walk(ast.parse(path.read_text()))
        if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name)
    }
    if names & {"os", "Path"}:
        assert not attributes & READERS_OF_THE_WORLD


def test_the_check_sees_an_import_that_points_up():
    tree = ast.parse("def f():\n    from laconic.cli import main\n    import laconic.engine\n")
    assert imported(tree) == {"laconic.cli.main", "laconic.engine"}
    assert RANK[unit("laconic.cli.main")] > RANK[unit("laconic.shell.parser")]

"""The table of shapes names functions by text, so what an import would find is checked here."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from laconic.compact import shapes
from laconic.compact.shapes import passes
from laconic.compact.shapes.report import may_be_of
from laconic.compact.shapes.runners import runner

MODULES = sorted(Path(passes.__file__).parent.glob("*.py"))
PASS = (["list[Row]", "Texts", "Asked"], "list[Row]")


def functions():
    """The types of the arguments and of the result of each public function of the package."""
    found = {}
    for path in MODULES:
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                types = [ast.unparse(argument.annotation) for argument in node.args.args]
                found[f"{path.stem}.{node.name}"] = (types, ast.unparse(node.returns))
    return found


def test_the_table_has_every_shape():
    written = {name for name, types in functions().items() if types == PASS} | {passes._READ}
    assert {function for function, _ in passes._SHAPES.values()} == written


@pytest.mark.parametrize("name", passes.NAMES)
def test_a_shape_is_a_function_of_its_name(name):
    function, lines = passes._SHAPES[name]
    if function == passes._READ:
        assert runner(name).sign
    else:
        assert function.partition(".")[2] == name
        assert passes._function(function).__name__ == name
    if lines == passes._REPORT:
        assert may_be_of(name, "any text") is False
    elif lines not in (passes._ALL, passes._TRIED, passes._NO_OTHERS):
        assert functions()[lines] == (["str"], "bool")
        assert passes._function(lines)("") in (True, False)


def test_an_output_without_a_filter_is_looked_at_by_shapes_that_exist():
    assert set(passes.GENERIC) <= set(passes.NAMES)
    assert len(set(passes.GENERIC)) == len(passes.GENERIC)


def test_the_map_of_the_package_has_every_module():
    named = {"__init__", *re.findall(r"\w+", shapes.__doc__)}
    assert [path.stem for path in MODULES if path.stem not in named] == []

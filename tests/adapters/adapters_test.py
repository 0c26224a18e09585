"""What can be said of the adapters without the frameworks: `make frameworks` runs them."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from laconic.cli import main as cli

ROOT = Path(__file__).parents[2]
ADAPTERS = sorted(
    path.stem
    for path in ROOT.glob("src/laconic/adapters/*.py")
    if path.stem not in ("__init__", "mcp_tools")
)
FRAMEWORKS = tomllib.loads((ROOT / "tests/frameworks/frameworks.toml").read_text())
LIBRARY = (ROOT / "docs/library.md").read_text()
PAGES = sorted(ROOT.glob("docs/frameworks/*.md"))


def test_every_adapter_is_run_with_its_framework_and_has_a_page():
    drivers = sorted(path.stem for path in ROOT.glob("tests/frameworks/drivers/*.py"))
    assert ADAPTERS == drivers == sorted(FRAMEWORKS) == [page.stem for page in PAGES]


@pytest.mark.parametrize("name", ADAPTERS)
def test_every_page_is_linked(name):
    assert f"](frameworks/{name}.md)" in LIBRARY
    assert f"| {FRAMEWORKS[name]['title']}" in LIBRARY


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_page_has_one_example_that_uses_its_adapter(page):
    (example,) = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    nodes = [node for node in ast.walk(ast.parse(example)) if isinstance(node, ast.ImportFrom)]
    imported = {node.module for node in nodes}
    assert f"laconic.adapters.{page.stem}" in imported or '"mcp"' in example


def test_nothing_but_the_server_loads_an_adapter():
    for path in ROOT.glob("src/laconic/**/*.py"):
        if path.parent.name != "adapters" and path != ROOT / "src/laconic/cli/mcp.py":
            assert "laconic.adapters" not in path.read_text(), path


def test_the_package_of_adapters_loads_no_framework():
    program = "import sys, laconic, laconic.adapters; laconic.Gate(); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    own = {name for name in done.stdout.split() if name.startswith("laconic.adapters")}
    assert own == {"laconic.adapters"}
    assert not {"mcp", "pydantic", "anyio"} & set(done.stdout.split())


def test_the_server_says_what_it_needs(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "mcp", None)  # as if it were not installed
    assert cli.run(["mcp"]) == 1
    said = capsys.readouterr().err
    assert "mcp is not installed" in said
    assert "pip install 'laconic[mcp]'" in said

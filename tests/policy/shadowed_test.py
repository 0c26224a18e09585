"""Python takes modules of the current directory before all others: what they shadow is not run."""

from __future__ import annotations

from pathlib import Path

import pytest

from laconic.knowledge.catalog import library
from laconic.policy.rules import Rules
from laconic.reading.decide import decide
from laconic.reading.facts import read_facts
from laconic.reading.places import Facts
from laconic.types import Verdict


@pytest.mark.parametrize(
    ("command", "module"),
    [
        ("python3 -c 'import json; print(json.dumps([]))'", "json"),
        ("python3 -c 'import os; print(os.getcwd())'", "os"),
        ("python3 -c 'import json; print(json.dumps([]))'", "codecs"),
        ("python3 -m json.tool a.json", "argparse"),
        ("python3 -m mypy src", "mypy"),
        ("python3 -m mypy src", "mypy_extensions"),
        ("python3 -m black --check src", "click"),
        ("python3 -m flake8 src", "pycodestyle"),
        ("python3 -m pip list", "setuptools"),
    ],
)
def test_a_module_in_the_current_directory_is_asked_about(command: str, module: str) -> None:
    def here(*names: str) -> Facts:
        return Facts(modules=lambda _: frozenset(names))

    assert decide(command, library(), Rules(), here("src", "README")).verdict is Verdict.ALLOW
    decision = decide(command, library(), Rules(), here("src", module))
    assert decision.verdict is Verdict.ASK
    assert any(leaf.rule.endswith("/shadowed") for leaf in decision.leaves())


def test_code_that_imports_nothing_runs_beside_any_module() -> None:
    facts = Facts(modules=lambda _: frozenset(("json", "os")))
    command = "python3 -c 'print(open(\"a\").read())'"
    assert decide(command, library(), Rules(), facts).verdict is Verdict.ALLOW


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("json.py", "json"),
        ("json", "json"),
        ("json.cpython-311-x86_64-linux-gnu.so", "json"),
        ("json.abi3.so", "json"),
        ("json.pyc", "json"),
        ("json.cp312-win_amd64.pyd", "json"),
        ("json.PY", "json"),
    ],
)
def test_what_python_imports_counts_as_a_module(tmp_path: Path, file: str, name: str) -> None:
    (tmp_path / file).touch()
    assert read_facts(str(tmp_path), {}).modules(str(tmp_path)) == {name}


@pytest.mark.parametrize("file", ["pytest.ini", "calendar.md", "json.txt", "token.json", ".env"])
def test_other_files_shadow_nothing(tmp_path: Path, file: str) -> None:
    (tmp_path / file).touch()
    assert not read_facts(str(tmp_path), {}).modules(str(tmp_path))

"""Verdicts in `work` in a checkout, where there are git's own files and some that tools run."""

from __future__ import annotations

from pathlib import Path

import pytest

from decide_cases import read_cases
from laconic.knowledge.catalog import library
from laconic.policy.decide import decide
from laconic.policy.places import Facts
from laconic.policy.rules import Rules

FILES = sorted((Path(__file__).parents[1] / "cases" / "checkout").glob("*.cases"))
NAMES = {
    "/project": [".git", ".github", ".vscode", "conftest.py", "src", "tests"],
    "/project/.git": ["HEAD", "config", "hooks", "index", "objects", "refs"],
    "/project/.github": ["workflows"],
    "/project/tests": ["conftest.py", "test_a.py"],
}
FACTS = Facts(names=lambda path: NAMES.get(path, ()))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_verdicts_in_a_checkout(path: Path) -> None:
    wrong = []
    for name, case in read_cases(path):
        decision = decide(case.command, library(), Rules("work"), FACTS)
        if decision.verdict is not case.verdict:
            wrong.append(f"{name} {case.command}: {list(decision.leaves())}")
    assert not wrong, "\n".join(wrong)

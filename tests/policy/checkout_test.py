"""Verdicts in `work` in a checkout, where there are git's own files and some that tools run."""

from __future__ import annotations

from pathlib import Path

import pytest

from decide_cases import read_cases
from laconic.knowledge.catalog import library
from laconic.policy.rules import Rules
from laconic.reading.decide import decide
from laconic.reading.places import Facts
from laconic.types import Effect

FILES = sorted((Path(__file__).parents[1] / "cases" / "checkout").glob("*.cases"))
NAMES = {
    "/project": [".git", ".github", ".vscode", "conftest.py", "src", "tests"],
    "/project/.git": ["HEAD", "config", "hooks", "index", "objects", "refs"],
    "/project/.github": ["workflows"],
    "/project/tests": ["conftest.py", "test_a.py"],
}
FACTS = Facts(names=lambda path: NAMES.get(path, ()))


def test_a_directory_that_is_made_anew_may_go_with_all_that_is_in_it():
    facts = Facts(names=lambda path: [".bin"] if path.endswith("node_modules") else ["bin"])
    for directory in ("node_modules", ".venv"):
        decision = decide(f"rm -rf {directory}", library(), Rules("work"), facts)
        assert decision.effects is Effect.PROJECT_WRITE
    assert Effect.GUARDED_WRITE in decide("mv x .venv", library(), Rules("work"), facts).effects


@pytest.mark.parametrize(
    ("text", "is_asked"),
    [
        ("[target.x86_64-pc-windows-msvc]\nrustflags = ['-C', 'x']\n", False),
        ("[build]\njobs = 4\n[alias]\nb = 'build'\n", False),
        ("[registries.x]\nindex = 'https://x.example'\n", True),
        ("[source.crates-io]\nreplace-with = 'x'\n", True),
        ("[build]\nrustc-wrapper = './x'\n", True),
        ("[http]\nproxy = 'x'\n", True),
        ("[build\n", True),
        (None, True),
    ],
)
def test_the_settings_of_cargo_are_read_before_they_are_suspected(text, is_asked):
    path = "/project/.cargo/config.toml"
    facts = Facts(exists=lambda one: one == path, text=lambda one: text if one == path else None)
    effects = decide("cargo update --dry-run", library(), Rules("work"), facts).effects
    assert (Effect.SENDS in effects) is is_asked


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_verdicts_in_a_checkout(path: Path) -> None:
    wrong = []
    for name, case in read_cases(path):
        decision = decide(case.command, library(), Rules("work"), FACTS)
        if decision.verdict is not case.verdict:
            wrong.append(f"{name} {case.command}: {list(decision.leaves())}")
    assert not wrong, "\n".join(wrong)

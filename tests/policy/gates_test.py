"""Subcommands that the user's configuration lets through: usual spellings pass, others ask."""

from __future__ import annotations

from pathlib import Path

import pytest

from decide_cases import Case, read_cases
from laconic.knowledge.catalog import library
from laconic.policy.rules import Rules, SubcommandGate
from laconic.reading.decide import decide
from laconic.reading.places import Facts
from laconic.types import Verdict

CASES = read_cases(Path(__file__).parents[1] / "cases" / "gates" / "open.cases")
OPEN = {
    "git": "add bisect checkout cherry-pick clone commit merge pull push rebase remote reset"
    " restore revert stash submodule switch tag",
    "cargo": "add publish run",
    "kubectl": "apply delete rollout scale",
    "gh": "pr issue run workflow",
}
VARIABLE = {"GATE_OPEN": "1"}


def verdict(command: str, environment: dict[str, str]) -> Verdict:
    rules = Rules()
    rules.gates = {
        tool: SubcommandGate(subcommands.split(), {"GATE_OPEN": ("1",)})
        for tool, subcommands in OPEN.items()
    }
    rules.force_push = frozenset(("--force", "--force-with-lease", "-f"))
    return decide(command, library(), rules, Facts(environment=environment)).verdict


@pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in CASES])
def test_an_open_gate_lets_the_usual_spellings_through(case: Case) -> None:
    assert verdict(case.command, VARIABLE) is case.verdict


@pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in CASES])
def test_a_closed_gate_lets_none_through(case: Case) -> None:
    assert verdict(case.command, {}) is not Verdict.ALLOW

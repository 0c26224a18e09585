"""Verdicts in the profile `work`, one line each in cases/work; what asks there asks everywhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from decide_cases import read_cases
from laconic.knowledge.catalog import library
from laconic.policy.rules import Rules
from laconic.reading.decide import decide
from laconic.reading.places import Facts
from laconic.types import HARD, Decision, Verdict

FILES = sorted((Path(__file__).parents[1] / "cases" / "work").glob("*.cases"))


def decided(command: str, profile: str) -> Decision:
    return decide(command, library(), Rules(profile), Facts())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_verdicts_in_work(path: Path) -> None:
    wrong = []
    for name, case in read_cases(path):
        decision = decided(case.command, "work")
        rules = {leaf.rule for leaf in decision.leaves()}
        if decision.verdict is not case.verdict or (case.rule and case.rule not in rules):
            wrong.append(f"{name} {case.command}: {list(decision.leaves())}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_asks_in_work_asks_in_default_and_strict(path: Path) -> None:
    loose = [
        (name, case.command, profile)
        for name, case in read_cases(path)
        for profile in ("default", "strict")
        if case.verdict is not Verdict.ALLOW
        and decided(case.command, profile).verdict is Verdict.ALLOW
    ]
    assert loose == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_hard_effect_is_allowed(path: Path) -> None:
    allowed = [
        (name, case.command)
        for name, case in read_cases(path)
        if (decision := decided(case.command, "work")).verdict is Verdict.ALLOW
        and decision.effects & HARD
    ]
    assert allowed == []

"""Every recorded output can be recorded again, or it is said why not."""

from __future__ import annotations

import tomllib
from pathlib import Path

from outputs import ROOT, cases

RECORDINGS = Path(__file__).parents[2] / "scripts/recordings"
# Cases that no plan gives again, below the reason for it. A new case needs a plan, or a third line
# in its .cmd that says why it is not a recording.
WITHOUT_PLAN = ROOT / "without-plan.txt"


def plans() -> list[dict[str, str]]:
    files = sorted(RECORDINGS.glob("*.toml"))
    return [run for path in files for run in tomllib.loads(path.read_text())["run"]]


def without_plan() -> list[str]:
    """The cases that the list names: a line has a filter and the names of its cases."""
    text = WITHOUT_PLAN.read_text()
    assert text.startswith("# ")
    lines = (line.split() for line in text.splitlines() if not line.startswith("# "))
    return [f"{directory}/{name}" for directory, *names in lines for name in names]


def test_every_case_has_a_plan_or_says_why_not():
    planned = {run["case"] for run in plans()}
    missing = [
        case.id
        for case in cases()
        if case.id not in planned
        and len(case.path.with_suffix(".cmd").read_text().splitlines()) < 3
    ]
    assert sorted(missing) == sorted(without_plan())


def test_no_two_plans_record_the_same_case():
    planned = [run["case"] for run in plans()]
    assert sorted(set(planned)) == sorted(planned)


def test_every_plan_was_run():
    recorded = {case.id for case in cases()}
    planned = [run["case"] for run in plans()]
    assert [case for case in planned if case not in recorded] == []


def test_a_recorded_command_is_that_of_its_plan():
    commands = {case.id: case.command for case in cases()}
    assert [run for run in plans() if run["command"] != commands[run["case"]]] == []

"""The cases of the preset hooks hold, and the runner sees a case that does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from library import conformance

CASES = conformance.cases(Path(__file__).parents[1] / "cases/library/hooks.jsonl")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_case_holds(case):
    assert conformance.run(case) == []


def test_no_case_is_there_twice():
    assert len({case["id"] for case in CASES}) == len(CASES)


WRONG = [
    {"kind": "match", "config": {}, "command": "ls", "expect": {"match": {"severity": "error"}}},
    {"kind": "match", "config": {}, "command": "rm -rf /", "expect": {"match": None}},
    {"kind": "call", "config": {}, "args": "ls", "expect": {"bare": False}},
    {"kind": "call", "config": {}, "args": "ls", "expect": {"envelope": {"action": "deny"}}},
    {"kind": "call", "config": {}, "args": "ls", "expect": {"inner_saw": None}},
    {"kind": "call", "config": {}, "args": "ls", "expect": {"audit": ["tool_denied"]}},
    {"kind": "registry", "seed": [], "expect": {"catalogue_ids": []}},
    {
        "kind": "construct",
        "call": "catalogue",
        "config": {"id": "a"},
        "expect": {"error_contains": "a"},
    },
    {
        "kind": "classifier",
        "config": {},
        "replies": [],
        "calls": [],
        "expect": {"calls": [], "model_calls": 1},
    },
]


@pytest.mark.parametrize("case", WRONG, ids=lambda case: str(case["expect"]))
def test_the_runner_sees_a_wrong_case(case):
    assert conformance.run(case) != []

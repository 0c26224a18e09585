"""Every example in the shipped catalogues is true."""

from __future__ import annotations

import pytest

from laconic.library.registry import DATA, Registry, shipped
from laconic.library.rule import Context

CATALOGUES = [shipped(path.stem) for path in sorted(DATA.glob("*.toml"))]
RULES = [(catalogue, rule) for catalogue in CATALOGUES for rule in catalogue.rules]
CONTEXT = {"cwd": "/home/me/app", "environ": {"HOME": "/home/me"}}


def matched(catalogue, rule, command):
    context = Context(stacks=frozenset([catalogue.stack]), **CONTEXT)
    found = Registry([catalogue]).match(command, context=context)
    return next((match for match in found if match.rule_id == rule.id), None)


def by_id(pairs):
    return [f"{pair[1].id}: {pair[-1]}" for pair in pairs]


YES = [(c, rule, command) for c, rule in RULES for command in rule.yes]
NO = [(c, rule, command) for c, rule in RULES for command in rule.no]
REWRITES = [(c, rule, *pair) for c, rule in RULES for pair in rule.rewrites.items()]


@pytest.mark.parametrize(("catalogue", "rule", "command"), YES, ids=by_id(YES))
def test_a_rule_is_about_these(catalogue, rule, command):
    assert matched(catalogue, rule, command) is not None


@pytest.mark.parametrize(("catalogue", "rule", "command"), NO, ids=by_id(NO))
def test_a_rule_is_not_about_these(catalogue, rule, command):
    assert matched(catalogue, rule, command) is None


@pytest.mark.parametrize(("catalogue", "rule", "before", "after"), REWRITES, ids=by_id(REWRITES))
def test_a_rewrite_edits_the_right_place_and_once(catalogue, rule, before, after):
    match = matched(catalogue, rule, before)
    assert match is not None
    assert match.rewritten(before) == after
    again = matched(catalogue, rule, after)
    assert before == after or again is None or again.rewritten(after) == after


@pytest.mark.parametrize("rule", [rule for _, rule in RULES], ids=lambda rule: rule.id)
def test_a_rule_has_an_example_of_each_kind_a_reason_and_a_reference(rule):
    assert rule.yes
    assert rule.no
    assert rule.explanation.endswith(".")
    assert rule.references
    assert rule.rewrite is None or rule.rewrites

"""What an agent is told about text that cannot be parsed: a question or a denial in each mode."""

from __future__ import annotations

import pytest

from hook_fixture import claude, decision_of
from laconic.policy.profiles import PROFILES
from laconic.reading import judge
from unparsable import UNPARSABLE

MODES = ("default", "acceptEdits", "plan", "auto", "bypassPermissions")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("profile", PROFILES)
def test_it_is_never_silent(profile, mode, place):
    place.configure(f'[settings]\nprofile = "{profile}"\nunknown = "defer"\nsoft = "defer"\n')
    wrong = []
    for verdict, command, _ in UNPARSABLE:
        given = place.answer("claude", claude(command, permission_mode=mode, cwd=place.project))
        told = decision_of(given).get("permissionDecision")
        if told not in (verdict, "deny"):  # a list of the configuration may deny
            wrong.append((command[:60], told))
    assert wrong == []


def test_where_nobody_can_answer_it_is_denied(place):
    for _, command, _ in UNPARSABLE:
        given = place.answer("claude", claude(command, permission_mode="dontAsk"))
        assert decision_of(given)["permissionDecision"] == "deny"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("profile", PROFILES)
def test_a_fault_is_never_silent(profile, mode, place, monkeypatch):
    def fail(_call):
        raise RecursionError

    monkeypatch.setattr(judge, "follow_table", fail)
    place.configure(f'[settings]\nprofile = "{profile}"\n')
    for command in ("git status", "sh -c 'git status; ./x'"):
        given = place.answer("claude", claude(command, permission_mode=mode, cwd=place.project))
        assert decision_of(given)["permissionDecision"] == "ask"


def test_no_rule_and_no_cell_of_the_user_lets_it_pass(place):
    place.configure(
        '[effects]\nunjudged = "allow"\nunclear = "allow"\n[commands]\nallow = ["ls", "sh"]\n'
    )
    path = place.home / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text('{"permissions": {"allow": ["Bash", "Bash(ls:*)", "Bash(sh:*)"]}}')
    for command in ("ls\n)", "sh -c 'ls )'"):
        for mode in MODES:
            given = place.answer("claude", claude(command, permission_mode=mode))
            assert decision_of(given)["permissionDecision"] == "ask"

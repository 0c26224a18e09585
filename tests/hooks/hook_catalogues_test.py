"""`[rules] stacks`: catalogues that the user has named speak in the hook, and say what they did."""

from __future__ import annotations

from pathlib import Path

import pytest

from hook_fixture import claude, decision_of
from laconic.hooks import catalogues


def asked(place, command, agent="claude"):
    return decision_of(place.answer(agent, claude(command)))


def command_of(given):
    return given.get("updatedInput", {}).get("command")


def test_they_are_off_unless_the_user_names_them(place):
    assert "target-shared" not in str(asked(place, "cargo clippy"))
    assert "mind" not in str(place.log())


def test_a_rule_rewrites_and_the_answer_and_the_log_say_so(place):
    place.configure('[rules]\nstacks = ["python"]\n')
    given = asked(place, "find . -name '*.py'")
    assert given["permissionDecision"] == "allow"
    assert "rg --files -t py" in command_of(given)
    why = "rewritten to `rg --files -t py`: rg --files lists the same sources faster"
    assert why in given["permissionDecisionReason"]
    (row,) = place.log()
    assert row["command"] == "find . -name '*.py'"
    assert why in row["reason"]


def test_the_text_that_a_rule_makes_is_judged(place):
    place.configure('[rules]\nstacks = ["rust"]\n[settings]\nsoft = "ask"\n')
    given = asked(place, "cargo build")
    assert given["permissionDecision"] == "ask"
    assert "--target-dir target-shared" in command_of(given)


def test_a_rule_denies(place):
    assert asked(place, "rm -rf .").get("permissionDecision") != "deny"
    place.configure('[rules]\nstacks = ["universal"]\n')
    given = asked(place, "rm -rf .")
    assert given["permissionDecision"] == "deny"
    assert "A recursive removal" in given["permissionDecisionReason"]
    assert command_of(given) is None


def test_advice_changes_no_verdict_and_no_command(place):
    place.configure('[rules]\nstacks = ["py"]\n[settings]\nsoft = "ask"\n')
    given = asked(place, "pip install x")
    assert given["permissionDecision"] == "ask"
    assert "mind: pip install without a virtual environment" in given["permissionDecisionReason"]


def test_an_agent_that_cannot_be_told_runs_what_it_sent(place):
    """What laconic does not know is left to the agent: there is no answer to say it in."""
    place.configure('[rules]\nstacks = ["python"]\n[settings]\ngate = "advise"\n')
    assert "rg --files" not in str(asked(place, "find . -name '*.py'"))


def test_stacks_are_detected_by_the_files_of_the_project(place):
    place.configure('[rules]\nstacks = ["auto"]\n[settings]\nprofile = "work"\n')
    assert "--workspace" not in str(asked(place, "cargo clippy"))
    Path(place.project, "Cargo.toml").write_text("")
    assert "--workspace" in command_of(asked(place, "cargo clippy"))


@pytest.mark.parametrize("name", ["nobody", "cobol"])
def test_a_stack_that_nobody_knows_is_passed_over(place, name):
    place.configure(f'[rules]\nstacks = ["{name}"]\n')
    assert asked(place, "ls")["permissionDecision"] == "allow"
    assert asked(place, "rm -rf /")["permissionDecision"] == "deny"


def test_a_catalogue_that_fails_asks(place, monkeypatch):
    def fail(*_):
        raise RuntimeError("boom")

    place.configure('[rules]\nstacks = ["rust"]\n')
    monkeypatch.setattr(catalogues, "apply_catalogues", fail)
    given = asked(place, "ls")
    assert given["permissionDecision"] == "ask"
    assert "boom" in given["permissionDecisionReason"]


def test_a_project_that_is_not_trusted_cannot_name_them(place):
    Path(place.project, ".laconic").mkdir()
    Path(place.project, ".laconic/config.toml").write_text('[rules]\nstacks = ["rust"]\n')
    assert "--workspace" not in str(asked(place, "cargo clippy"))

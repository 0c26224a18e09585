"""Before a policy is signed, past sessions say what it would change."""

from __future__ import annotations

import json

import pytest

OLD = """name = "acme"
serial = 1
[require.settings]
profile = "default"
"""
NEW = OLD.replace("serial = 1", "serial = 2") + '[require.commands]\ndeny = ["git log"]\n'
COMMANDS = ["git status", "git log --oneline", "git log --oneline", "git push", "ls"]


@pytest.fixture
def place(tmp_path, project):
    rows = []
    for number, command in enumerate(COMMANDS):
        use = {
            "type": "tool_use",
            "id": f"t{number}",
            "name": "Bash",
            "input": {"command": command},
        }
        given = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "x"}
        about = {"sessionId": "s", "cwd": str(project), "timestamp": "2026-11-01T10:00:00Z"}
        rows += [
            {"type": "assistant", "message": {"role": "assistant", "content": [use]}, **about},
            {"type": "user", "message": {"role": "user", "content": [given]}, **about},
        ]
    (tmp_path / "s.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "old.toml").write_text(OLD)
    (tmp_path / "new.toml").write_text(NEW)
    return tmp_path


def replayed(laconic, place, *words, new="new.toml"):
    against = ["--policy", str(place / new), "--against", str(place / "old.toml")]
    return laconic("replay", *against, *words, str(place / "s.jsonl"))


def test_it_says_which_verdicts_change_and_how_many_prompts_there_are(laconic, place):
    status, out, _ = replayed(laconic, place)
    assert status == 0
    assert "5 commands in 1 session\n" in out
    assert "prompts per 100 commands: 20.0 before, 60.0 after (+40.0)" in out
    assert "verdicts that change: 2 (40.0 %)" in out
    assert "allowed" in out
    assert "denied" in out
    assert "by the policy of acme (serial 2)" in out


def test_json_has_all(laconic, place):
    found = json.loads(replayed(laconic, place, "--json")[1])
    assert found["prompts_per_100"] == {"before": 20.0, "after": 60.0}
    (change,) = found["changes"]
    assert (change["command"], change["before"], change["after"], change["times"]) == (
        "git log --oneline", "allowed", "denied", 2,
    )  # fmt: skip


@pytest.mark.parametrize(("limit", "status"), [("50", 0), ("40", 0), ("39", 1), ("0", 1)])
def test_a_limit_is_for_continuous_integration(limit, status, laconic, place):
    found, _, err = replayed(laconic, place, "--limit", limit)
    assert (found, "prompts per 100 rise by 40.0" in err) == (status, status == 1)


def test_the_same_policy_changes_nothing(laconic, place):
    status, out, _ = replayed(laconic, place, "--limit", "0", new="old.toml")
    assert status == 0
    assert "verdicts that change: 0" in out


def test_a_policy_with_a_mistake_is_named(laconic, place):
    (place / "new.toml").write_text(f"{NEW}frob = 1\n")
    status, out, err = replayed(laconic, place)
    assert (status, out) == (1, "")
    assert "frob" in err


@pytest.mark.parametrize("words", [["--limit", "1"], ["--against", "x"]])
def test_a_comparison_needs_a_policy(words, laconic):
    assert laconic("replay", *words)[0] == 2

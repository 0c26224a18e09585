"""What a person reads above a button, and a model when nothing ran, word for word."""

from __future__ import annotations

from pathlib import Path

import pytest

from hook_fixture import claude, decision_of

QUESTION = "laconic asks: {}. Yes runs it once. To stop being asked, type in a terminal: {}"
ONCE = "laconic asks: {}. Yes runs it once"
DENIAL = "laconic blocked this; nothing ran: {}. {}"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (
            "kill 1",
            QUESTION.format("this sends a signal to processes", "laconic allow --always 'kill 1'"),
        ),
        (
            "mkdir x; kill 1",
            ONCE.format("`kill 1` sends a signal to processes"),
        ),
        (
            "mkfs.ext4 /dev/sda1",
            DENIAL.format(
                "this changes or destroys the contents of a disk",
                "If it is needed, ask the user to do it",
            ),
        ),
        (
            "frobnicate; cat .env",
            ONCE.format("`cat .env` reads .env, which may hold keys, passwords or tokens"),
        ),
        (
            "rm -rf /",
            DENIAL.format(
                "this deletes the root of the file system",
                "Instead: name the files or directories in it that are to go",
            ),
        ),
        (
            "rm -rf /usr/*",
            DENIAL.format(
                "this deletes what /usr/* names: a directory of the system or what is in it",
                "Instead: name the files or directories in it that are to go",
            ),
        ),
        (
            "cd ~/..; rm -rf *",
            DENIAL.format(
                "`rm -rf *` deletes what * names: the home directory or what is in it",
                "Instead: name the files or directories in it that are to go",
            ),
        ),
    ],
)
def test_it_says_who_asks_about_what(place, command, said):
    given = decision_of(place.answer("claude-code", claude(command)))
    assert given["permissionDecisionReason"] == said


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("rm made; touch /usr/made", "Yes runs it once, and laconic undo can take it back"),
        ("rm made; kill 1", "Yes runs it once, and laconic undo can take back what it does to fil"),
    ],
)
def test_it_promises_no_more_than_an_undo_can_do(place, command, said):
    Path(place.project, "made").write_text("made\n")
    given = decision_of(place.answer("claude-code", claude(command)))
    assert said in given["permissionDecisionReason"]


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_a_model_is_told_in_a_few_words_when_a_session_begins(place, agent):
    given = place.answer(agent, {"hook_event_name": "SessionStart", "source": "startup"})
    assert "laconic recall ID" in given.stdout.decode()
    assert len(given.stdout) < 4 * 60

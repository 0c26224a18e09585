"""What a replay says that laconic does with a command is what the hook answers."""

from __future__ import annotations

import json
from itertools import product

import pytest

import decide_cases
from hook_fixture import claude
from laconic import engine
from laconic.contain import Machine
from laconic.policy.profiles import PROFILES
from laconic.replay.judge import ReplayJudge
from laconic.sessions.values import Step
from laconic.settings.load import read_settings
from laconic.types import Outcome

GATES = ("enforce", "advise", "off")
LISTS = (
    "",
    'unknown = "ask"',
    'soft = "ask"',
    "escalate_deny = true",
    "box = false",
    '[commands]\nallow = ["git *", "frobnicate x", "make"]\nask = ["ls"]\ndeny = ["cat *"]',
    '[effects]\nproject-write = "allow"\nsends = "deny"\nproject-code = "ask"',
)
MODES = ("default", "acceptEdits", "plan", "bypassPermissions")
WAYS = tuple(product(PROFILES, GATES, LISTS, MODES))
COMMANDS = [case.command for _, case in decide_cases.ALL]
OUTCOMES = {outcome.word: outcome for outcome in Outcome}


@pytest.fixture(autouse=True)
def machine(monkeypatch):
    """One that makes boxes; nobody knows which files were there when a command ran.

    The commands are of no one session, so none has fetched what another runs.
    """
    monkeypatch.setattr(Machine, "has_box", lambda *_: True)
    monkeypatch.setattr(Machine, "hold", lambda *_: None)
    monkeypatch.setattr(engine, "remember_fetched", lambda *_: None)


def differences(place, way, commands):
    """The commands about which the hook and the replay do not say the same, with both words."""
    profile, gate, lists, mode = way
    place.configure(f'[settings]\nprofile = "{profile}"\ngate = "{gate}"\n{lists}\n')
    settings = read_settings(place.environ, place.project)
    assert settings.config.settings.profile == profile
    judge = ReplayJudge(settings, place.environ, (profile,))
    for command in commands:
        step = Step(command, place.project, mode)
        replayed = judge.judge("claude-code", step).outcomes[profile]
        answered = answer(place, command, mode)
        if replayed is not answered:
            yield *way, command, replayed, answered


def answer(place, command, mode):
    given = place.answer("claude-code", claude(command, permission_mode=mode, cwd=place.project))
    said = json.loads(given.stdout)["hookSpecificOutput"] if given.stdout else {}
    assert not given.fault
    return OUTCOMES[said.get("permissionDecision")]


def test_a_replay_tells_what_the_hook_answers(place):
    """A fifth of the ways; each has some fifty commands of its own."""
    wrong = []
    for start in range(0, len(WAYS), 5):
        wrong += differences(place, WAYS[start], COMMANDS[start :: len(WAYS)])
    assert not wrong


@pytest.mark.slow
@pytest.mark.parametrize(("profile", "gate"), [*product(PROFILES, GATES)])
def test_a_replay_tells_what_the_hook_answers_in_each_profile(place, profile, gate):
    """Each command once in each profile, under one of the gates."""
    ways = list(product((profile,), (gate,), LISTS, MODES))
    first, every = GATES.index(gate) * len(ways), len(GATES) * len(ways)
    wrong = []
    for start, way in enumerate(ways, first):
        wrong += differences(place, way, COMMANDS[start::every])
    assert not wrong


@pytest.mark.parametrize(
    ("way", "command", "outcome"),
    [
        (("default", "enforce", 'unknown = "ask"', "default"), "frobnicate x", Outcome.ASKED),
        (("default", "advise", "", "default"), "git status", Outcome.LEFT),
        (("guard", "enforce", LISTS[5], "default"), "frobnicate x", Outcome.ALLOWED),
        (("guard", "enforce", "", "default"), "git status", Outcome.LEFT),
        (("default", "enforce", "escalate_deny = true", "default"), "rm -rf /", Outcome.ASKED),
        (("default", "enforce", "", "acceptEdits"), "mkdir a", Outcome.ALLOWED),
        (("work", "enforce", "", "plan"), "touch a", Outcome.LEFT),
        (("default", "enforce", "box = false", "default"), "make", Outcome.LEFT),
        (("default", "enforce", "", "default"), "make", Outcome.ALLOWED),
    ],
)
def test_the_settings_and_the_mode_count(place, way, command, outcome):
    assert not list(differences(place, way, [command]))
    assert answer(place, command, way[3]) is outcome

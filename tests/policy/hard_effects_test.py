"""Hard effects, by the headers of the files in cases/hard: each asks in every profile.

Under `== none` stand commands beside them that must not have a hard effect.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from decide_cases import under_headers
from laconic.knowledge.catalog import library
from laconic.policy.profiles import PROFILES
from laconic.policy.rules import Rules
from laconic.reading.decide import decide
from laconic.reading.places import Facts
from laconic.types import EFFECTS, HARD, Verdict

CASES = list(under_headers(Path(__file__).parents[1] / "cases" / "hard"))
HOSTS = frozenset(("index.example",))  # that the user's package managers fetch from
HEADERS = sorted({header for _, header, _ in CASES})


@pytest.mark.parametrize("header", HEADERS)
def test_hard_effects_ask_in_every_profile(header: str) -> None:
    wrong = []
    for name, effect, line in CASES:
        command = line.replace("\\n", "\n")
        if effect != header:
            continue
        for profile in PROFILES:
            rules = Rules(profile)
            rules.hosts = HOSTS
            decision = decide(command, library(), rules, Facts())
            found = decision.effects & HARD
            is_right = not found
            if effect != "none":
                is_asked = decision.verdict is not Verdict.ALLOW and not decision.is_soft
                is_right = bool(found & EFFECTS[effect]) and is_asked
            if not is_right:
                wrong.append(f"{name} {profile} {line}: {decision.effects.words}, {decision}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("command", ["git remote -v", "git config -l", "git remote get-url origin"])
def test_credentials_in_the_configuration_of_a_repository_are_secrets(command: str) -> None:
    for address, is_secret in (("https://u:s3cret@example.com/a", True), ("git@x.com:a", False)):
        config = f'[remote "origin"]\n\turl = {address}\n'
        facts = Facts(text=lambda path, text=config: text if path.endswith("/config") else None)
        found = decide(command, library(), Rules(), facts).effects
        assert bool(found & EFFECTS["secrets"]) is is_secret

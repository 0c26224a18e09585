"""`[paths]` of the configuration: files that may be written, must not be, or hold secrets."""

from __future__ import annotations

import pytest

from laconic.knowledge.catalog import library
from laconic.policy.rules import Rules
from laconic.reading.decide import decide
from laconic.reading.places import Facts
from laconic.reading.user_places import UserPlaces
from laconic.types import Effect, Verdict

FACTS = Facts(cwd="/project", home="/home/user")


def rules(profile: str = "default", **paths: tuple[str, ...]) -> Rules:
    made = Rules(profile)
    made.places = UserPlaces(**paths)
    return made


@pytest.mark.parametrize(
    ("command", "verdict"),
    [
        ("touch build/x", "allow"),
        ("mkdir -p build/a/b", "allow"),
        ("echo x > build/out.txt", "allow"),
        ("touch buildx", "ask"),
        ("touch build/../x", "ask"),
        ("touch src/build/x", "ask"),
        ("touch build/x src/x", "ask"),
        ('touch "build/$x"', "ask"),
        ("touch ~/scratch/x", "allow"),
        ("cp build/x .git/hooks/pre-commit", "ask"),
    ],
)
def test_files_that_may_be_written(command: str, verdict: str) -> None:
    given = rules(write=("build/**", "~/scratch/*", ".git/**"))
    assert decide(command, library(), given, FACTS).verdict == verdict


@pytest.mark.parametrize(
    "command",
    ["touch .env.local", "rm a/.env", "sed -i s/a/b/ .env.test", "cp x .env", "> .envrc2"],
)
def test_files_that_are_guarded(command: str) -> None:
    found = decide(command, library(), rules("work", never_write=(".env*",)), FACTS)
    assert found.verdict is Verdict.ASK
    assert found.effects & Effect.GUARDED_WRITE


OTHER_LETTERS = [
    ("touch BUILD/x", "ask"),
    ("touch /Project/build/x", "ask"),
    ("touch build/KEPT/x", "ask"),
    ("touch /PROJECT/Build/Kept/x", "ask"),
    ("cat Vault/a.txt", "ask"),
    ("cat ~/\u017fafe/x", "ask"),
    ("cat ~/SAFE/x", "ask"),
]


@pytest.mark.parametrize(("command", "verdict"), OTHER_LETTERS)
def test_other_letters_may_be_the_same_file_to_what_asks_and_never_to_what_allows(command, verdict):
    given = rules(write=("build/**",), never_write=("build/kept/**",), secret=("vault", "~/safe"))
    assert decide(command, library(), given, FACTS).verdict == verdict


@pytest.mark.parametrize("command", ["cat vault/a.txt", "grep -r x vault", "head < vault/b/c"])
def test_files_that_hold_secrets(command: str) -> None:
    assert decide(command, library(), rules("work"), FACTS).verdict is Verdict.ALLOW
    found = decide(command, library(), rules("work", secret=("vault/**", "vault")), FACTS)
    assert found.effects & Effect.SECRETS
    assert found.verdict is Verdict.ASK

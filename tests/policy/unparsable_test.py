"""Text that cannot be parsed is hard in every profile, and so is a fault; nothing gets weaker."""

from __future__ import annotations

import time
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decide_cases import ALL
from laconic.knowledge.catalog import library
from laconic.policy.profiles import PROFILES
from laconic.policy.rules import Rules
from laconic.reading import decide as policy
from laconic.reading import judge
from laconic.reading.decide import MAX_BYTES
from laconic.reading.places import Facts
from laconic.shell import parse_pieces
from laconic.types import HARD, Decision, Effect, Verdict
from unparsable import UNPARSABLE

TAILS = [
    "\n)", "\nfi", "\n}", "\n;;", "\n'", '\n"', "\n`", "\n${", "\necho 'x", "\ncat <<E",
    "\ncat <<E\nx", "\nif :", "\n\x7f", "\n\ud800", "\n" + "$(" * 100, "\n:\n)", "\n)\nls",
]  # fmt: skip


def decide(command: str, profile: str = "default") -> Decision:
    return policy.decide(command, library(), Rules(profile), Facts())


@pytest.mark.parametrize("profile", PROFILES)
def test_it_is_never_soft(profile: str) -> None:
    wrong = []
    for verdict, command, rule in UNPARSABLE:
        decision = decide(command, profile)
        rules = {leaf.rule for leaf in decision.leaves()}
        if decision.verdict is not verdict or decision.is_soft or (rule and rule not in rules):
            wrong.append((command[:60], list(decision.leaves())))
        assert decision.effects & Effect.UNJUDGED, command
    assert wrong == []


@cache
def mattering() -> list[str]:
    return [
        case.command
        for _, case in ALL
        if (found := decide(case.command, "guard")).verdict is Verdict.DENY or found.effects & HARD
    ]


# Only who runs this test has to judge all cases first, not each process that collects tests.
@given(
    st.deferred(lambda: st.sampled_from(mattering())),
    st.sampled_from(TAILS),
    st.sampled_from(["guard", "default"]),
)
def test_no_tail_makes_it_weaker(command: str, tail: str, profile: str) -> None:
    before, after = decide(command, profile), decide(command + tail, profile)
    assert after.verdict >= before.verdict
    assert after.verdict is not Verdict.ALLOW
    assert not after.is_soft


def test_there_are_many_that_matter() -> None:
    assert len(mattering()) > 1000


@pytest.mark.parametrize("profile", PROFILES)
def test_a_fault_is_never_soft(monkeypatch: pytest.MonkeyPatch, profile: str) -> None:
    def fail(*_: object) -> None:
        raise RecursionError

    for name in ("follow_table", "expand", "Call"):
        with monkeypatch.context() as patched:
            patched.setattr(judge, name, fail)
            for command in ("git status", "sh -c 'git status; ./x'", "./x; echo $(git status)"):
                found = decide(command, profile)
                assert found.verdict is Verdict.ASK
                assert not found.is_soft
                assert found.effects & Effect.UNJUDGED


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("a\nb\n)", ["a\nb"]),
        ("a; b &\n)\nc\nd", ["a; b", "c\nd"]),
        ("a <<E\nb\n", ["a <<E", "b"]),
        ("a\nb 'c\nd\n", ["a", "d"]),
        ("a b; c )", []),
        ("if a\nthen b\nfi\nif", ["if a\nthen b\nfi"]),
        (")\n\n\n# x\n\na", ["a"]),
        ("a \x7fb", ["a b"]),
    ],
)
def test_the_pieces_are_lists_of_whole_lines(text: str, pieces: list[str]) -> None:
    found = [p.source[p.body.start : p.body.end].decode() for p in parse_pieces(text.encode())]
    assert found == pieces


@given(st.text(alphabet="ab\n;&|(){}<>E'\"`$# \\\x7f", max_size=60))
def test_the_pieces_of_any_text_can_be_found(text: str) -> None:
    for piece in parse_pieces(text.encode()):
        assert 0 <= piece.body.start <= piece.body.end <= len(piece.source)


@pytest.mark.parametrize(
    "line",
    ["{ :\n", ")\n", ":\n)\n", "if :\n", "((\n", '"$(\n', "cat <<E\n", "cat <<E $(\n", "`\n"],
)
def test_hostile_text_is_read_in_time(line: str) -> None:
    text = line * (MAX_BYTES // len(line) - 1) + ")"
    began = time.process_time()
    for _ in parse_pieces(text.encode()):
        pass
    assert time.process_time() - began < 10

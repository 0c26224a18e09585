"""Entries of `[commands]`: names and rules, their verdicts, and what is said of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from decide_cases import under_headers
from laconic import engine
from laconic.policy.own_rules import words_of
from laconic.settings.load import process_environment, read_settings

CASES = Path(__file__).parents[1] / "cases/lists"


@pytest.fixture
def decide(home, tmp_path):
    (tmp_path / ".git").mkdir()
    path = home / ".config/laconic/config.toml"
    path.parent.mkdir(parents=True)

    def decide(configuration, command):
        path.write_text(configuration)
        environ = {**process_environment(), "TMPDIR": "/nonexistent"}
        request = engine.Request(command, str(tmp_path), environ)
        return engine.decide_request(request, read_settings(environ, tmp_path))

    return decide


def cases():
    for name, header, line in under_headers(CASES):
        yield pytest.param(header, *line.split(None, 1), id=name)


def configuration(header):
    lists = {}
    for entry in header.split(" ;; "):
        key, _, text = entry.partition(" ")
        lists.setdefault(key, []).append(text)
    return "[commands]\n" + "".join(f"{k} = {json.dumps(v)}\n" for k, v in lists.items())


@pytest.mark.parametrize(("header", "verdict", "command"), list(cases()))
def test_verdict_under_lists(header, verdict, command, decide):
    decision = decide(configuration(header), command)
    assert decision.verdict == verdict, list(decision.leaves())


def test_a_message_and_a_substitute_stand_beside_a_rule(decide):
    text = """
[commands]
deny = ["terraform apply", "rm"]
ask = ["git log"]
[commands.messages]
"terraform apply" = "a person applies"
"git log" = "look at the changelog first"
rm = "files are not removed here"
[commands.instead]
"terraform apply" = "terraform plan"
rm = "gio trash"
"""
    denied = decide(text, "terraform -chdir=x apply")
    assert (denied.reason, denied.instead) == ("a person applies", "terraform plan")
    assert decide(text, "git log").reason == "look at the changelog first"
    removed = decide(text, "rm x")
    assert (removed.reason, removed.instead) == ("files are not removed here", "gio trash")


def test_a_rule_keeps_the_effects_of_what_it_allows(decide):
    found = decide('[commands]\nallow = ["git push origin *"]', "git push origin x")
    assert found.effects.words == ("sends",)
    assert found.rule == "config/allow"
    assert "`git push origin *` is allowed by your configuration" in found.reason


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("npm run *", ("npm", "run", None)),
        ("npm run:*", ("npm", "run", None)),
        ("git commit -m 'a b'", ("git", "commit", "-m", "a b")),
        ("git push '*'", ("git", "push", "*")),
        ("a b*", None),
        ("* push", None),
        ("a; b", None),
        ("a | b", None),
        ("a > b", None),
        ("a $x", None),
        ("a $(b)", None),
        ("X=1 a b", None),
        ("a 'b", None),
        ("! a b", None),
        ("a b &", None),
    ],
)
def test_the_words_of_a_rule(text, words):
    assert words_of(text) == words

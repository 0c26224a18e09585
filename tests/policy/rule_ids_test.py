"""The ids of rules are laconic's own words: none comes from the command line."""

from __future__ import annotations

import os
import re
from itertools import islice

import pytest

from decide_cases import ALL
from laconic.knowledge.catalog import library
from laconic.policy.rules import Rules
from laconic.reading.decide import decide
from laconic.reading.places import Facts

MARK = "qzj"  # no word of ours has it
_WORD = re.compile(r"[A-Za-z]\w{2,}")
# Each case is marked in some of its words only; LACONIC_TEST_SHARE=1 marks them all.
SHARE = int(os.environ.get("LACONIC_TEST_SHARE", "10"))


def rules_of(command: str) -> set[str]:
    return {leaf.rule for leaf in decide(command, library(), Rules(), Facts()).leaves()}


def marked(command: str, first: int) -> list[str]:
    """The command with a mark behind one of its words, or before it."""
    words = islice(_WORD.finditer(command), first % SHARE, None, SHARE)
    places = [place for word in words for place in (word.start(), word.end())]
    return [command[:place] + MARK + command[place:] for place in places]


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        ("yarn /tmp/evil --option", "yarn/*/subcommand"),
        ("env -v'Stouch pwned'", "env/S"),
        ("env -vS'touch pwned' ls", "env/S"),
        ("echo $DB_PASSWORD", "variable/secret"),
        ("ACME_PATH=/x ls", "environment/other"),
        ("PATH=/x ls", "environment/PATH"),
        ("acme-deploy .env", "unknown-command/secret"),
        ("LD_PRELOAD=./x.so ls", "environment/LD_PRELOAD"),
    ],
)
def test_an_id_names_what_the_tables_name(command: str, rule: str) -> None:
    assert rule in rules_of(command)


def test_no_word_of_a_command_stands_in_an_id() -> None:
    found = {}
    for number, (_, case) in enumerate(ALL):
        for command in marked(case.command, number):
            found |= {rule: command for rule in rules_of(command) if MARK in rule.lower()}
    assert not found, "\n".join(f"{rule}: {line}" for rule, line in found.items())

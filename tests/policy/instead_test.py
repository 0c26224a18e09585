"""What a question or a denial offers in its place: a command that runs unasked, or a sentence."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import laconic.reading.commands
from laconic.knowledge.catalog import library, tables
from laconic.policy.rules import Rules
from laconic.reading.decide import decide
from laconic.reading.places import Facts
from laconic.types import Verdict

SENTENCES = {
    "add `-fsyntax-only`",
    "add `-o -`, which prints it",
    "ask the user to run it",
    "commit on a branch",
    "name the files or directories in it that are to go",
    "push to another branch, and ask the user to merge it",
}
# What stands for a word of the user's own.
WORDS = {"URL": "https://example.org", "FILTER": ".name", "...": "repos/acme/app/issues"}
PURPOSE = re.compile(r", which .*")
NEXT = re.compile(r", or |; ")


def _offered() -> set[str]:
    """Return every way that a table or the code for a tool offers."""
    found = {str(table["instead"]) for *_, table in tables() if "instead" in table}
    for path in Path(laconic.reading.commands.__file__).parent.glob("*.py"):
        found.update(re.findall(r'\binstead ?= ?"([^"]+)"', path.read_text()))
    return found


def test_what_is_offered_is_found():
    assert {"git diff", "printenv NAME"} <= _offered()


@pytest.mark.parametrize("way", sorted(_offered()))
def test_a_command_that_is_offered_runs_unasked(way):
    if way in SENTENCES:
        return
    for part in set(NEXT.split(PURPOSE.sub("", way))) - SENTENCES:
        command = " ".join(WORDS.get(word, word) for word in part.split())
        assert part.split()[0] in library().root.words, f"{part} is no command that laconic knows"
        assert decide(command, library(), Rules(), Facts()).verdict is Verdict.ALLOW, command

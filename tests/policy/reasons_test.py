"""The reason that a person reads says what the command does, not what its harmless form does."""

from __future__ import annotations

import pytest

from laconic.knowledge.catalog import library, tables
from laconic.policy.rules import Rules
from laconic.reading.decide import decide
from laconic.reading.places import Facts

REASONS = """
git clean -fdx                  deletes untracked files
git clean -fdx build/           deletes untracked files: build/
git clean -fd a b c d           deletes untracked files
git clean -f "$x"               deletes untracked files
git clean --dry-run -f          -f: deletes untracked files, unless --dry-run prevents it
git format-patch HEAD~2         writes a file for each commit
unzip app.zip                   unpacks files: app.zip
npm pack                        writes an archive of the package
deno fmt                        rewrites files
black src tests                 rewrites files: src, tests
golangci-lint run -c evil.yml   builds the project's packages and checks them
redis-cli -n get flushdb        does more than the commands that only read
crontab -r                      changes or replaces the commands that run at set times
softwareupdate -ia              downloads or installs updates, or changes how they come
codeql database create x        of codeql laconic knows no more than its version
"""


def reasons(command: str) -> list[str]:
    leaves = decide(command, library(), Rules(), Facts()).leaves()
    return [leaf.reason for leaf in leaves if leaf.verdict != "allow"]


@pytest.mark.parametrize("line", REASONS.strip().splitlines())
def test_the_reason_is_what_the_command_does(line):
    command, reason = line[:32].strip(), line[32:]
    assert reason in reasons(command)


def test_a_table_with_a_harmless_form_says_what_the_other_form_does():
    assert [
        path for _, path, table in tables() if table.get("needs") and not table.get("why")
    ] == []


def test_the_sentence_about_the_harmless_form_is_nobodys_reason():
    """Unless it says what both forms do, as in `stages changes`."""
    wrong = []
    for _, path, table in tables():
        about = table.get("about", "")
        if table.get("needs") and about != table["why"]:
            wrong += [(path, no) for no in table.get("no", ()) if about in reasons(no)]
    assert wrong == []

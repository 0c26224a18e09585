"""What the profile `relaxed` still asks about: files and options that decide what programs run."""

from __future__ import annotations

import pytest

from laconic.knowledge.catalog import library
from laconic.policy.rules import Rules
from laconic.reading.decide import decide
from laconic.reading.places import Facts
from laconic.types import Verdict

ASKED = """
cp made .mcp.json
cp made .yarnrc.yml
cp made .cargo/config.toml
cp made .GIT/hooks/pre-commit
cp made .git/modules/inner/config
cp -r made .git
rm -rf .git
cp made node_modules/.bin/eslint
echo x > .pnpmfile.cjs
tee .gdbinit
psql -c 'select 1' -o '|touch made'
"""
ALLOWED = """
rm -f .git/index.lock
cp made .gitignore
rm -rf node_modules
mkdir -p inner.git
psql -c 'select 1' -o rows.txt
"""


def verdict_of(command: str) -> Verdict:
    return decide(command, library(), Rules("relaxed"), Facts()).verdict


@pytest.mark.parametrize("command", ASKED.strip().splitlines())
def test_what_decides_about_programs_asks(command: str) -> None:
    assert verdict_of(command) is Verdict.ASK


@pytest.mark.parametrize("command", ALLOWED.strip().splitlines())
def test_what_only_changes_the_project_does_not(command: str) -> None:
    assert verdict_of(command) is Verdict.ALLOW

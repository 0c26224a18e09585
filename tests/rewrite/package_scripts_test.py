"""A script of any name is wrapped if package.json says what it runs, and all of that ends."""

from __future__ import annotations

import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.rewrite.from_config import rewritten
from laconic.settings.load import read_settings

SCRIPTS = {
    "lint": "eslint src",
    "sanity": "tsc --noEmit",
    "full": "jest --verbose",
    "everything": "npm run lint && npm run sanity",
    "in-turn": "run-s lint sanity",
    "all": 'concurrently -n lint,types "npm:lint" "npm run sanity"',
    "with-env": "CI=1 cross-env NODE_ENV=test jest",
    "guarded": "jest",
    "preguarded": "node migrate.js",
    "dev": "eslint src",
    "api": "node server.js",
    "own": "./tools/verify.sh",
    "shell": "bash ci.sh",
    "looking": "tsc -w",
    "again": "jest --watch",
    "elsewhere": "cd web && npm run sanity",
    "piped": "jest | tee out.txt",
    "beside": "jest & eslint src",
    "served": "eslint src && vite",
    "round": "npm run round",
    "some": 'concurrently "npm:lint" "npm:dev"',
    "matching": 'concurrently "npm:lint:*"',
    "restarting": 'concurrently --restart-tries 3 "npm:lint" "npm:sanity"',
    "unknown": "frobnicate",
    "computed": "$RUNNER",
    "empty": "",
    "not-a-text": 3,
}
WRAPPED = ("sanity", "full", "everything", "in-turn", "all", "with-env")


@pytest.fixture
def settings(tmp_path, monkeypatch, home):
    (tmp_path / "package.json").write_text(json.dumps({"name": "shop", "scripts": SCRIPTS}))
    monkeypatch.chdir(tmp_path)
    return read_settings({"HOME": str(home), "PATH": os.environ["PATH"]})


@pytest.mark.parametrize("name", SCRIPTS)
@pytest.mark.parametrize("runner", ["npm run", "pnpm", "yarn", "bun run"])
def test_a_script_is_wrapped_only_if_all_that_it_runs_ends(settings, runner, name):
    line = f"{runner} {name}"
    is_known = name in WRAPPED or name == "lint"
    assert rewritten(line, settings).text == (f"laconic run {line}" if is_known else line)


@pytest.mark.parametrize(
    "line",
    [
        "npm run missing",
        "npm sanity",
        "npm run sanity -- --watch",
        "npm run sanity -- -w",
        "npm run sanity -- $flags",
        "npm -w api run sanity",
        "npm --prefix web run sanity",
        "cd web && npm run sanity",
        "yarn workspace web sanity",
        "concurrently 'npm:lint' 'npm:dev'",
        "concurrently --raw 'npm:lint' 'npm:sanity'",
        "concurrently",
        "run-p 'lint:*'",
        "run-p lint dev",
    ],
)
def test_in_doubt_it_stays_as_it_is(settings, line):
    assert rewritten(line, settings).text == line


@pytest.mark.parametrize(
    "line",
    [
        "npm run sanity -- --strict",
        "npx concurrently 'npm:lint' 'npm run sanity'",
        "concurrently -k --names a,b 'eslint src' 'jest'",
        "run-p lint sanity",
        "npm-run-all --parallel lint sanity",
    ],
)
def test_commands_that_are_named_on_the_line_count_as_well(settings, line):
    assert rewritten(line, settings).text == f"laconic run {line}"


@given(content=st.one_of(st.binary(max_size=40), st.sampled_from([b"[]", b'{"scripts": 3}', b"{"])))
def test_a_package_that_cannot_be_read_changes_nothing(tmp_path_factory, content):
    directory = tmp_path_factory.mktemp("package")
    (directory / "package.json").write_bytes(content)
    before = os.getcwd()  # noqa: PTH109 - as the code under test does
    os.chdir(directory)
    try:
        found = rewritten("npm run sanity", read_settings({"HOME": "/nonexistent", "PATH": ""}))
    finally:
        os.chdir(before)
    assert found.text == "npm run sanity"

"""The filter for a script of a package is that of the command which package.json names."""

from __future__ import annotations

import json
import os

import pytest

from laconic.run.options import read_task
from laconic.run.plan import plan_run

SCRIPTS = {
    "lint": "eslint src",
    "test": "vitest run",
    "check": "npm run lint && npm run types",
    "types": "tsc --noEmit",
    "build": "vite build",
    "prebuild": "rimraf dist",
    "format": 3,
    "docs": "typedoc",
    "sanity": "tsc --noEmit",
    "everything": "npm run lint && npm run sanity",
}


def filter_of(line, environ):
    found = plan_run(read_task("run", line.split()), environ).view.filter
    return found.id if found else None


@pytest.fixture
def package(tmp_path, monkeypatch):
    (tmp_path / "package.json").write_text(json.dumps({"name": "shop", "scripts": SCRIPTS}))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "package.json"


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("npm run --silent lint", "eslint"),
        ("npm run everything", None),  # several commands, by what they print
        ("npm run sanity", "tsc"),  # whatever its name
        ("npm run -s types", "tsc"),
        ("npm test", "vitest"),
        ("npm t", "vitest"),
        ("yarn lint", "eslint"),
        ("yarn run types", "tsc"),
        ("pnpm lint", "eslint"),
        ("pnpm run test", "vitest"),
        ("bun run lint", "eslint"),
        ("npm run lint -- --max-warnings 0", "eslint"),
        ("npm run lint -- -f json", None),  # a program reads it
        ("yarn lint -f json", None),
        ("npm run check", "npm/run"),  # several commands
        ("npm run build", "npm/run"),  # another script runs before it
        ("npm run format", "npm/run"),  # not a text
        ("npm run docs", "npm/run"),  # a command without a filter
        ("npm run verify", "npm/run"),  # there is no such script
        ("npm run -w api lint", "npm/run"),  # a script of another package
        ("npm --prefix web run lint", "npm/run"),
        ("yarn workspace web lint", "npm/run"),
    ],
)
def test_the_filter_for_a_script_is(package, home, line, wanted):
    assert package.exists()
    assert filter_of(line, {"HOME": str(home), "PATH": os.environ["PATH"]}) == wanted


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"scripts": 3}', b"\xff", b"[" * 100_000])
def test_a_package_that_cannot_be_read_leaves_the_filter_for_all_scripts(package, home, content):
    package.write_bytes(content)
    assert filter_of("npm run --silent lint", {"HOME": str(home)}) == "npm/run"


def test_neither_a_pipe_nor_a_large_file_is_read(package, home):
    package.write_text(json.dumps({"scripts": SCRIPTS, "x": "y" * (2 << 20)}))
    assert filter_of("npm run --silent lint", {"HOME": str(home)}) == "npm/run"
    package.unlink()
    os.mkfifo(package)
    assert filter_of("npm run --silent lint", {"HOME": str(home)}) == "npm/run"

"""Which filter a command gets, and what takes precedence over it."""

from __future__ import annotations

import subprocess
import sys
from functools import partial

import pytest

from laconic.compact import match
from laconic.compact.bound import attempt
from laconic.compact.filter import Filter
from laconic.compact.load import FilterSet
from laconic.compact.match import is_passed_through
from laconic.compact.scripts import script_of
from laconic.knowledge.catalog import library
from laconic.run.captured import compact_captured
from laconic.settings.load import isolated_settings
from outputs import FOUND, arguments, cases


@pytest.mark.parametrize(
    ("command", "identifier"),
    [
        ("git status", "git/status"),
        ("git -C /srv/app status", "git/status"),
        ("git --no-pager -c color.ui=always log -3", "git/log"),
        ("/usr/bin/git diff HEAD~1 -- src", "git/diff"),
        ("git status --porcelain", None),
        ("git status -sb", "git/status"),
        ("git commit -m status", "git/commit"),
        ("git stash show status", "git/diff"),
        ("git branchless status", None),
        ("git log --grep status", "git/log"),
        ("git log -p", "git/log"),
        ("git log --format=%h", None),
        ("git diff --name-only", "git/diff"),
        ("git -C status fetch", "git/fetch"),
        ("cargo test", "cargo/test"),
        ("cargo +nightly test --release", "cargo/test"),
        ("cargo t -p core", "cargo/test"),
        ("cargo test -- --nocapture", "cargo/test_shown"),
        ("cargo test --message-format=json", None),
        ("pytest -q", "pytest"),
        ("python3.11 -m pytest tests", "pytest"),
        ("python -X dev pytest", None),
        ("uv run pytest -x", "pytest"),
        ("poetry run python -m pytest", "pytest"),
        ("uvx pytest -q", "pytest"),
        ("pipx run pytest", "pytest"),
        ("pipx list pytest", None),
        ("corepack npm ci", "npm/install"),
        ("uv run --with pytest-cov --python 3.12 pytest", "pytest"),
        ("timeout 60 pytest", "pytest"),
        ("timeout -k 5 --signal=INT 60s pytest -q", "pytest"),
        ("timeout -- 60 pytest", "pytest"),
        ("timeout 60", None),
        ("timeout $limit pytest", None),
        ("env X=1 Y= cargo test", "cargo/test"),
        ("env -i -u HOME pytest", "pytest"),
        ("env -S 'pytest -q'", None),
        ("nice pytest", "pytest"),
        ("nice -n 10 make", "make"),
        ("nice -10 make", "make"),
        ("/usr/bin/time -v -o times.txt pytest", "pytest"),
        ("timeout 60 env X=1 nice -n 5 git status", "git/status"),
        ("pytest -vs", "pytest"),
        ("ssh build.example.org make test", "make"),
        ("ssh -p 2222 -i key dev@build git status", "git/status"),
        ("ssh build 'make test'", None),
        ("ssh build cat log.txt", None),
        ("ssh build", None),
        ("pytest --collect-only -q", "pytest/collect"),
        ("pytest --fixtures -q", "pytest/fixtures"),
        ("npm ci", "npm/install"),
        ("npm run install", None),
        ("make -j4 check", "make"),
        ("make -n", "make/dry"),
        ("ls -la", "ls"),
        ("ls", "ls"),
        ("ls -lt", None),
        ("ls --long", "ls"),
        ("docker exec app make", "make"),
        ("docker compose exec -T app pytest -q", "pytest"),
        ("pnpm tsc", "tsc"),
        ("yarn jest", "jest"),
        ("pnpm add left-pad", "pnpm/install"),
        ("npm run lint", "npm/run"),
        ("npm --prefix web run check:types", "npm/run"),
        ("npm run -w web build", "npm/run"),
        ("pnpm lint", "npm/run"),
        ("pnpm --filter web build", "npm/run"),
        ("yarn workspace web lint", "npm/run"),
        ("bun run lint:fix", "npm/run"),
        ("npm run dev", None),
        ("pnpm dev", None),
        ("yarn watch", None),
        ("cross-env CI=1 jest", "jest"),
        ("tox -e py311", "tox"),
        ("nox -s tests", "nox"),
        ("pipenv run pytest", "pytest"),
        ("$tool status", None),
        ("git $verb", None),
        ("git status --help", None),
    ],
)
def test_the_filter_for_a_command_is(command, identifier):
    found = FOUND.filters.find(arguments(command))
    assert (found.id if found else None) == identifier


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("\n> web@1.2.0 test\n> vitest run\n\n RUN  v4\n", "vitest run"),
        ("\n> @acme/web@1.2.0 lint /srv/web\n> eslint . --fix\n\n", "eslint . --fix"),
        ("yarn run v1.22.22\n$ jest --ci\nPASS a.test.js\n", "jest --ci"),
        ("$ tsc --noEmit\n", "tsc --noEmit"),
        ("> web@1.2.0 pretest\n> eslint .\n\n> web@1.2.0 test\n> vitest\n", ""),
        ("first\n> web@1.2.0 test\n> vitest\n", ""),
        ("> one line\nthat is quoted\n", ""),
        ("", ""),
    ],
)
def test_what_the_script_of_a_package_runs_is_read_from_what_is_printed(text, line):
    assert script_of(text.split("\n")) == line


@pytest.mark.parametrize("manager", ["npm run unit", "pnpm unit", "yarn unit", "bun run unit"])
def test_the_filter_for_a_script_is_that_of_what_it_runs(manager):
    case = next(case for case in cases() if case.id == "vitest/failed")
    start = (
        b"$ vitest run\n" if manager[:3] in ("yar", "bun") else b"\n> w@1.0.0 unit\n> vitest run\n"
    )
    compacted = compact_captured(start + case.raw, manager, case.status, isolated_settings({}))
    assert compacted.filter == "vitest"
    assert all(fact in compacted.text for fact in case.keep)
    several = start.replace(b"vitest run", b"vitest run && tsc") + case.raw
    other = compact_captured(several, manager, 1, isolated_settings({}))
    assert other.filter == "npm/run"


@pytest.mark.parametrize(
    ("command", "is_found"),
    [
        ("git show HEAD", True),
        ("git show HEAD:src/x.py", False),
        ("git show HEAD~1 -- src", True),
        ("git show --name-only", False),
        ("git show $it", False),
        ("git show :x", False),
        ("git show a:", True),
    ],
)
def test_an_argument_can_pass_a_filter_by(command, is_found):
    own = {"git/show": {"command": ["git show"], "passthrough": ["--name-only", "^[^:]*:."]}}
    found = FilterSet(own, {"git/show": "x.toml"}, library=library()).filters
    assert (found.find(arguments(command)) is not None) == is_found


def test_a_passthrough_that_runs_away_passes_the_filter_by(monkeypatch):
    wanted = Filter("x", {"command": ["x"], "passthrough": ["^(a+)+$"]})
    monkeypatch.setattr(match, "attempt", partial(attempt, seconds=0.1))
    assert is_passed_through(wanted, arguments(f"x {'a' * 40}b"))
    assert not is_passed_through(wanted, arguments("x b"))


def test_who_looks_for_a_filter_loads_nothing_that_works_on_lines():
    program = "import sys, laconic.compact.match, laconic.compact.filter; print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    loaded = set(found.stdout.decode().split())
    names = ("patterns", "masks", "lines", "multiline", "stages", "branch")
    assert not loaded & {"threading", *(f"laconic.compact.{name}" for name in names)}


@pytest.mark.parametrize(
    ("command", "exact"),
    [
        ("cat big.log", True),
        ("cat eslint.config.js", True),
        ("sed -n 1,120p vitest.config.ts", True),
        ("git show HEAD", True),
        ("git --no-pager show HEAD:x", True),
        ("head -c 9000 x", True),
        ("kubectl get pods -o json", True),
        ("docker inspect x", True),
        ("terraform plan", False),
        ("./build.sh", False),
        ("find src -name x", False),
        ("env", True),
        ("env X=1 cat big.log", True),
        ("timeout 5 head -c 9000 x", True),
        ("timeout 60 ./build.sh", False),
    ],
)
def test_what_reads_something_out_is_never_compacted(command, exact):
    assert FOUND.filters.is_exact(arguments(command)) == exact

"""Which commands without a filter are wrapped, and where in a pipe, with the built-in lists."""

from __future__ import annotations

import pytest

from laconic.rewrite.from_config import rewritten
from laconic.settings.load import read_settings

SETTINGS = read_settings({"HOME": "/nonexistent", "PATH": "/usr/bin"})


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("mvn -B test", "laconic run mvn -B test"),
        ("npm run lint", "laconic run npm run lint"),
        ("npm run mocha", "laconic run npm run mocha"),
        ("npm run js:lint", "laconic run npm run js:lint"),
        ("pnpm run-tests", "laconic run pnpm run-tests"),
        ("yarn ciTest", "laconic run yarn ciTest"),
        ("python tools/ci.py --fast", "laconic run python tools/ci.py --fast"),
        ("python -m build", "laconic run python -m build"),
        ("bash ci.sh", "laconic run bash ci.sh"),
        ("./ci.sh 2>/dev/null", "laconic run ./ci.sh 2>/dev/null"),
        ("git fsck", "laconic run git fsck"),
        ("kubectl apply -f a.yaml", "laconic run kubectl apply -f a.yaml"),
        ("docker build -f Dockerfile .", "laconic run docker build -f Dockerfile ."),
        ("docker compose -f a.yml ps", "laconic run docker compose -f a.yml ps"),
        ("dmesg -T", "laconic run dmesg -T"),
        ("git log --follow -p -- a.py", "laconic run git log --follow -p -- a.py"),
        ("docker compose exec app pytest", "laconic run docker compose exec app pytest"),
        ("grep -rn x src | head -60", "grep -rn x src | laconic run --filter grep head -60"),
        ("git diff | grep x | head", "git diff | grep x | laconic run --filter git/diff head"),
        ("ps aux | sort | uniq -c", "ps aux | sort | laconic run --filter generic uniq -c"),
        ("pytest -q | tail -5", "laconic run --baseline-pipe 'tail -5' pytest -q"),
        # an option that switches the filter off, but only makes the command say more
        ("git log --graph --oneline", "laconic run git log --graph --oneline"),
        ("pytest -x --log-cli-level=INFO", "laconic run pytest -x --log-cli-level=INFO"),
        ("uv run ruff check --statistics .", "laconic run uv run ruff check --statistics ."),
        ("git diff --check", "laconic run git diff --check"),
        ("cat app.log", "laconic run cat app.log"),
        ("tail -n 200 logs/web.txt", "laconic run tail -n 200 logs/web.txt"),
    ],
)
def test_what_ends_and_is_read_is_wrapped(command, expected):
    assert rewritten(command, SETTINGS).text == expected


@pytest.mark.parametrize(
    "command",
    [
        "cat app.py",
        "cat app.log | grep x",
        "cat app.log app.py",
        "cat app.log > out.txt",
        "cat -A app.log",
        "tail -f app.log",
        "tail -c 300 app.log",
        "sed -n 1,50p a.py",
        "jq . a.json",
        "python -c 'print(1)'",
        "node -e 1",
        "bash -c 'echo x'",
        "python",
        "npm run dev",
        "npm run serve:test",
        "npm run jest:watch",
        "npm run test:ui",
        "npm run whatever",
        "npm run test:watch",
        "docker logs -f web",
        "docker logs -tf web",
        "docker compose -f a.yml logs -f",
        "journalctl -fu nginx",
        "dmesg -Tw",
        "kubectl logs --follow web",
        "vim a.py",
        "less a.py",
        "frob --all",  # may be a function or an alias
        "git fsck > out.txt",
        "pytest --pdb --log-cli-level=INFO",
        "git add -p -v",
        "git diff --raw --word-diff",
        "git fsck &",
        "cat a.py | head -5",
        "ps aux | awk '{print $1}'",
        "ps aux | tee out.txt",
        "ps aux | sort -o out.txt",
        "ps aux | head -5 other.txt",
        "set -o pipefail; ps aux | head -5",
        "head() { true; }; ps aux | head -5",
        "ps aux | grep x | wc -l",  # one line cannot be shortened
        "git log --oneline | wc -l",
        "git log | grep x | head -1",
        "ps aux | tail -n 1",
    ],
)
def test_what_is_exact_or_endless_or_not_known_stays_as_it_is_typed(command):
    assert rewritten(command, SETTINGS).text == command


@pytest.mark.parametrize(
    "command", ["git diff HEAD | head -5", "ls | sort", "git log | grep x", "cargo test | tail -5"]
)
def test_pipes_are_left_alone_where_the_user_wants_that(command):
    pipe = SETTINGS.config.pipe.but(strip=False)
    settings = SETTINGS.with_config(SETTINGS.config.but(pipe=pipe))
    assert rewritten(command, settings).text == command
    assert rewritten(command, SETTINGS).text != command

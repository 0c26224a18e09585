"""Expiring allowances: what is the same command, where and how long, and many at a time."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from laconic import engine
from laconic.errors import FileError, LaconicError
from laconic.permissions import allowances
from laconic.settings.load import process_environment, read_settings
from laconic.types import Verdict

NOW = 1_800_000_000.0


@pytest.fixture
def state(tmp_path):
    return tmp_path / "state"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("npm publish", "npm   publish"),
        ("npm publish", "'npm' \"publish\""),
        ("npm publish", "n\\pm pub'lish'"),
        ("npm publish", " npm publish # now"),
        ("a && b | c", "a&&b|c"),
        ("npm publish > log", "npm publish >log"),
        ("echo $x", "echo   $x"),
        ("if a; then b; fi", "if  a;  then  b;  fi"),
    ],
)
def test_the_same_command(one, other):
    assert allowances.normal_form(one) == allowances.normal_form(other)


@pytest.mark.parametrize(
    "other",
    [
        "npm publish x", "npm", "npm publish && rm -rf x", "npm publish; x", "npm publish | x",
        "npm publish &", "npm publish > x", "x npm publish", "X=1 npm publish", "! npm publish",
        "(npm publish)", "{ npm publish; }", "npm 'publish '", "npm $'publish\\n'", "npm\npublish",
        "npm publish $(x)", "npm publish <(x)", "npm publish <<< x", "npm publish\nrm x",
        "npm ''publish x",
        "npm publis*", "npm {publish,x}", "'npm publish'", "npm() { x; }; npm publish",
        "time npm publish",
        "npm publish 2>&1", "npm publish || x", "coproc npm publish", "npm publish ''",
    ],
)  # fmt: skip
def test_another_command(other):
    assert allowances.normal_form(other) != allowances.normal_form("npm publish")


def test_words_that_are_not_known_are_compared_as_typed():
    form = allowances.normal_form
    assert form('echo "$x"') != form("echo $x")
    assert form("rm *") != form("rm '*'")
    assert form("echo ~") != form("echo '~'")
    assert form("cat <<E\na\nE") != form("cat <<E\nb\nE")
    assert form("cat <<E\n$a\nE") != form("cat <<'E'\n$a\nE")


def test_what_cannot_be_read_cannot_be_allowed(state):
    with pytest.raises(LaconicError, match="cannot parse this"):
        allowances.add(state, "echo 'a", "/p", NOW + 60, once=False, now=NOW)
    assert allowances.list_all(state, NOW) == []


def test_it_holds_for_its_project_until_its_time(state):
    added = allowances.add(state, "npm publish", "/p", NOW + 60, once=False, now=NOW)
    assert allowances.find(state, "npm  publish", "/p", NOW + 59) == added
    assert allowances.find(state, "npm publish", "/p", NOW + 60) is None
    assert allowances.find(state, "npm publish", "/p/inner", NOW) is None
    assert allowances.find(state, "npm publish", "/", NOW) is None
    assert allowances.find(state, "npm publish x", "/p", NOW) is None


def test_expired_ones_are_forgotten(state):
    allowances.add(state, "a", "/p", NOW + 60, once=False, now=NOW)
    kept = allowances.add(state, "b", "/p", NOW + 600, once=False, now=NOW + 100)
    assert allowances.list_all(state, NOW) == [kept]


def test_it_can_be_removed(state):
    added = allowances.add(state, "a", "/p", NOW + 60, once=False, now=NOW)
    assert allowances.remove(state, added.id)
    assert not allowances.remove(state, added.id)
    assert allowances.find(state, "a", "/p", NOW) is None


def test_the_store_is_for_the_owner_alone(state):
    allowances.add(state, "a", "/p", NOW + 60, once=False, now=NOW)
    modes = {path.name: path.stat().st_mode & 0o777 for path in state.iterdir()}
    assert modes == {"allowances.jsonl": 0o600, "allowances.lock": 0o600}
    assert state.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"id": "x"}',
        "1",
        "null",
        '{"id":1,"directory":2,"command":3,"until":4,"once":5}',
    ],
)
def test_a_broken_store_is_an_error_that_says_what_to_do(state, text):
    state.mkdir()
    (state / "allowances.jsonl").write_text(text)
    with pytest.raises(FileError, match="no allowance is in force"):
        allowances.find(state, "a", "/p", NOW)


def test_one_that_counts_once_is_used_by_one_of_many(state):
    added = allowances.add(state, "a", "/p", NOW + 60, once=True, now=NOW)
    used = []
    threads = [
        threading.Thread(target=lambda: used.append(allowances.use(state, added))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(used) == [False] * 7 + [True]


def test_many_writers_lose_nothing(state):
    program = (
        "import sys; from pathlib import Path\n"
        "from laconic.permissions import allowances\n"
        f"for n in range(10): allowances.add(Path(sys.argv[1]), f'x{{n}}', sys.argv[2], {NOW + 60},"
        f" once=False, now={NOW})"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", program, str(state), f"/p{n}"]) for n in range(4)
    ]
    assert [process.wait() for process in running] == [0] * 4
    assert len(allowances.list_all(state, NOW)) == 40


# -- in decisions ----------------------------------------------------------------------------------


@pytest.fixture
def allowed(tmp_path, monkeypatch):
    """Let a command run in the project, and return what is decided on others."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    settings, environ = read_settings(), process_environment()

    def allow(command, *, once=False):
        state_dir = settings.directories.state
        until = 4_000_000_000.0
        return allowances.add(state_dir, command, str(tmp_path), until, once=once, now=NOW)

    def decide(command, *, use=True, cwd=tmp_path):
        request = engine.Request(command, str(cwd), environ)
        return engine.decide_request(request, settings, use_allowances=use)

    return allow, decide


def test_an_allowance_settles_an_ask_and_is_named(allowed):
    allow, decide = allowed
    assert decide("npm publish").verdict is Verdict.ASK
    added = allow("npm publish")
    found = decide("npm 'publish'")
    assert (found.verdict, found.rule) == (Verdict.ALLOW, f"allowance/{added.id}")
    assert decide("npm publish && rm x").verdict is Verdict.ASK


def test_an_allowance_holds_in_the_directories_of_its_project_only(allowed, tmp_path, home):
    allow, decide = allowed
    allow("npm publish")
    (tmp_path / "src").mkdir()
    assert decide("npm publish", cwd=tmp_path / "src").verdict is Verdict.ALLOW
    assert decide("npm publish", cwd=home).verdict is Verdict.ASK


def test_once_is_once_and_a_question_does_not_use_it(allowed):
    allow, decide = allowed
    allow("npm publish", once=True)
    verdicts = [decide("npm publish", use=use).verdict for use in (False, False, True, True)]
    assert verdicts == ["allow", "allow", "allow", "ask"]


@pytest.mark.parametrize(
    ("command", "verdict"),
    [
        ("rm -rf /", Verdict.DENY),
        ("echo x > ~/.bashrc", Verdict.ASK),
        ("echo x > .git/hooks/pre-commit", Verdict.ASK),
        ('"$x"', Verdict.ASK),
    ],
)
def test_no_allowance_settles_a_denial_or_a_sensitive_place(allowed, command, verdict):
    allow, decide = allowed
    allow(command)
    assert decide(command).verdict is verdict


def test_a_broken_store_leaves_the_question(allowed):
    allow, decide = allowed
    allow("npm publish")
    path = read_settings().directories.state / "allowances.jsonl"
    path.write_text("{")
    found = decide("npm publish")
    assert found.verdict is Verdict.ASK
    assert "allowance/fault" in {leaf.rule for leaf in found.leaves()}
    assert decide("git status").verdict is Verdict.ALLOW


def test_once_does_not_count_when_it_cannot_be_used_up(allowed, monkeypatch):
    allow, decide = allowed
    allow("npm publish", once=True)

    def full_disk(*_):
        raise FileError("no space left on device")

    monkeypatch.setattr(allowances, "write_private", full_disk)
    assert decide("npm publish").verdict is Verdict.ASK

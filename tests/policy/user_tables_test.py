"""The user's own tables of tools: in force at once, over the built-in ones, and never half read."""

from __future__ import annotations

import pytest

from laconic import engine
from laconic.policy.from_config import load_library
from laconic.settings import trust
from laconic.settings.load import process_environment, read_directories, read_settings

TABLES = """
["deploy status"]
about = "shows what runs where"
options = "--env=V --json"

["deploy push"]
verdict = "ask"
why = "changes what users see"
instead = "deploy push --dry-run"

["git status"]
verdict = "deny"
why = "we use another tool here"
"""


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    directory = tmp_path / "place"
    (directory / ".git").mkdir(parents=True)
    monkeypatch.chdir(directory)
    return directory


@pytest.fixture
def rules():
    folder = read_directories().config / "rules"
    folder.mkdir(parents=True)
    return folder


def decide(command):
    request = engine.Request(command, "/", process_environment())
    return engine.decide_request(request, read_settings())


def test_a_table_of_the_users_is_knowledge_like_any_other(rules):
    assert decide("deploy status --env prod").rule == "unknown-command"
    (rules / "deploy.toml").write_text(TABLES)
    assert decide("deploy status --env prod").verdict == "allow"
    assert decide("deploy status --exec x").verdict == "ask"
    assert decide("env deploy push").instead == "deploy push --dry-run"
    assert decide("deploy rollback").verdict == "ask"


def test_it_stands_over_the_built_in_table_of_the_same_path_and_no_other(rules):
    (rules / "deploy.toml").write_text(TABLES)
    assert decide("git status").verdict == "deny"
    assert decide("git log").verdict == "allow"


def test_where_a_table_does_not_say_what_is_done_its_effect_does(rules):
    """`about` tells what the harmless form does."""
    (rules / "frob.toml").write_text(
        '["frob"]\nabout = "shows what would be packed"\neffect = "project-write"\n'
        'options = "--dry-run"\nneeds = "--dry-run"\noperands = "EDIT..."\n'
    )
    assert decide("frob --dry-run").verdict == "allow"
    why = "creates, changes or deletes files of the project"
    assert any(leaf.reason.startswith(why) for leaf in decide("frob").leaves())
    assert "shows" not in decide("frob a.frob").reason


def test_a_change_is_seen_at_once(rules):
    (rules / "deploy.toml").write_text(TABLES)
    assert decide("deploy status").verdict == "allow"
    (rules / "deploy.toml").write_text(TABLES.replace("--env=V", "--stage=V"))
    assert decide("deploy status --env prod").verdict == "ask"
    (rules / "deploy.toml").unlink()
    assert decide("deploy status").rule == "unknown-command"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[", "is not valid TOML"),
        ('["deploy x"]\nverdct = "ask"', "unknown key"),
        ('["deploy x"]\nverdict = "perhaps"', "expected allow, ask or deny"),
        ('["deploy x"]\nverdict = { strict = "ask" }', "expected allow, ask or deny"),
        ('["deploy x"]\neffect = "sendz"', "sendz is not an effect"),
        ('effect = "sendz"\n["deploy x"]\nverdict = "ask"', "sendz is not an effect"),
        ('["deploy x"]\noptions = "word"', "word is not an option"),
        ('["deploy x"]\noptions = "--to=PLACE"', "PLACE is not known"),
        ('["deploy x"]\noperands = "FILES..."', "FILES is not known"),
        ('["deploy x"]\noptions = ["--to"]', "expected text"),
        ('["deploy x"]\nanything = "yes"', "expected true or false"),
        ('["deploy x"]\nyes = "deploy x"', "expected a list of text"),
        ('["deploy x"]\nrefuse = "--x"', "expected a table of text"),
        ('["deploy x"]\nnetwork = 1', "expected true, or options and words"),
        ('["deploy x"]\nrefuse = { "--x" = 1 }', "expected a table of text"),
        ('["deploy x"]\neffect = { "push" = "sendz" }', "sendz is not an effect"),
        ('["deploy x"]\ndoes = { "push" = "sendz: sends" }', "sendz is not an effect"),
        ('["deploy x"]\ndoes = { "push" = "sends" }', "push does not say what it does"),
        ('["deploy x"]\ndoes = { "-w" = "sends: sends it" }', "`does` names -w"),
        ('["deploy x"]\noperands = "COMMAND"', "the options of the inner command are its own"),
        ('["deploy x"]\ncode = "os"', "there is no code 'os'"),
        ('["* x"]\nabout = "anything"', "a path begins with the name of a program"),
        ('["deploy x"]\nalso = [" "]', "a path begins with the name of a program"),
        ("deploy = 1", "expected a table"),
    ],
)
def test_a_file_with_a_mistake_is_not_in_force_and_says_so(rules, text, message):
    (rules / "bad.toml").write_text(f'{text}\n["deploy other"]\n' if text != "[" else text)
    _, problems = load_library(read_settings())
    assert message in problems[0].line
    assert "bad.toml" in problems[0].file
    assert decide("deploy other").verdict == "ask"


def test_what_depends_on_words_can_be_said_in_a_table_of_the_users(rules):
    (rules / "deploy.toml").write_text(
        '["deploy {push,build}"]\nverdict = "ask"\n'
        'effect = { "push" = "sends", "*" = "installs" }\nnetwork = "--live"\n'
    )
    assert load_library(read_settings())[1] == ()
    assert decide("deploy push").effects.words == ("sends",)
    assert decide("deploy build").effects.words == ("installs",)


def test_other_files_stay_in_force(rules):
    (rules / "bad.toml").write_text("[")
    (rules / "deploy.toml").write_text(TABLES)
    assert decide("deploy status").verdict == "allow"


def test_a_project_needs_trust_for_tables_of_its_own(place):
    folder = place / ".laconic" / "rules"
    folder.mkdir(parents=True)
    (place / ".laconic" / "config.toml").write_text("")
    (folder / "deploy.toml").write_text(TABLES)
    _, problems = load_library(read_settings())
    assert [problem.kind for problem in problems] == ["untrusted"]
    assert decide("deploy status").rule == "unknown-command"
    trust.pin(read_directories().state, trust.take_snapshot(place))
    assert decide("deploy status").verdict == "allow"

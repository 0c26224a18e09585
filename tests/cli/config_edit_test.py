"""laconic config get, set, unset and edit; the rest of a file stays as it is."""

from __future__ import annotations

import json

import pytest

from laconic.cli import main as cli
from laconic.settings.keys import options

TEXT = """\
# mine, see the wiki

[settings]   # how much it asks
profile = "guard"  # for now

[commands]
allow = [
    "terraform plan",  # reads
]
"""


@pytest.fixture
def config(home):
    path = home / ".config/laconic/config.toml"
    path.parent.mkdir(parents=True)
    path.write_text(TEXT)
    return path


@pytest.fixture
def laconic(capsys):
    def run(*words):
        status = cli.run(["config", *words])
        return status, *capsys.readouterr()

    return run


@pytest.mark.parametrize("name", options())
def test_every_key_can_be_asked_for(laconic, name):
    status, out, err = laconic("get", name)
    assert (status, err) == (0, "")
    assert json.loads(laconic("get", name, "--json")[1])["key"] == name
    assert out


def test_get_prints_the_value_in_force_and_where_it_comes_from(laconic, config, monkeypatch):
    assert laconic("get", "settings.profile") == (0, "guard\n", "")
    found = json.loads(laconic("get", "settings.profile", "--json")[1])
    assert (found["value"], found["source"]) == ("guard", str(config))
    monkeypatch.setenv("LACONIC_PROFILE", "strict")
    assert laconic("get", "settings.profile")[1] == "strict\n"


def test_set_changes_one_value_and_keeps_comments(laconic, config):
    status, out, err = laconic("set", "settings.profile", "work")
    assert (status, err) == (0, "")
    assert out == f'settings.profile = "work"  ({config})\n'
    assert config.read_text() == TEXT.replace('"guard"', '"work"')


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("compact.store_days", "3", 3),
        ("compact.enabled", "false", False),
        ("settings.profile", '"strict"', "strict"),
        ("effects.project-code", "allow", "allow"),
        ("permissions.external.command", "/bin/judge", "/bin/judge"),
        ("git.config_env", '{ A = "b" }', {"A": "b"}),
    ],
)
def test_a_value_that_is_set_is_in_force_until_it_is_unset(laconic, config, key, value, expected):
    before = laconic("get", key)[1]
    original = config.read_text()
    assert laconic("set", key, value)[::2] == (0, "")
    assert json.loads(laconic("get", key, "--json")[1])["value"] == expected
    assert "# mine, see the wiki" in config.read_text()
    assert laconic("unset", key)[::2] == (0, "")
    if key != "settings.profile":
        assert laconic("get", key)[1] == before
        assert config.read_text().split() == original.split()


def test_set_makes_the_file_for_its_owner_alone(laconic, home):
    path = home / ".config/laconic/config.toml"
    assert laconic("set", "commands.deny", '["terraform"]')[0] == 0
    assert path.stat().st_mode & 0o777 == 0o600
    assert '"terraform"' in laconic("get", "commands.deny")[1]


def test_a_table_with_a_comment_in_it_stays(laconic, config):
    config.write_text('[settings]\n# why\nprofile = "work"\n')
    assert laconic("unset", "settings.profile")[0] == 0
    assert config.read_text() == "[settings]\n# why\n"


def test_the_projects_file_is_another(laconic, config, tmp_path, monkeypatch):
    (tmp_path / ".git").mkdir()
    (tmp_path / "src").mkdir()
    monkeypatch.chdir(tmp_path / "src")
    status, _, err = laconic("set", "settings.profile", "work", "--project")
    assert status == 0
    assert "laconic trust" in err
    assert (tmp_path / ".laconic/config.toml").read_text() == '[settings]\nprofile = "work"\n'
    assert config.read_text() == TEXT


def test_what_comes_first_is_named(laconic, config, monkeypatch):
    monkeypatch.setenv("LACONIC_PROFILE", "strict")
    status, out, err = laconic("set", "settings.profile", "work")
    assert status == 0
    assert out.startswith('settings.profile = "strict"')
    assert "LACONIC_PROFILE" in err
    assert 'profile = "work"' in config.read_text()


@pytest.mark.parametrize(
    ("words", "status", "text"),
    [
        (["set", "settings.profil", "work"], 2, "did you mean: settings.profile"),
        (["get", "zzz"], 2, "laconic config show has all keys"),
        (["get", "pipe"], 2, "pipe.strip, pipe.prefer_less"),
        (["set", "settings.profile", "wrok"], 1, "left as it is"),
        (["set", "compact.store_days", "many"], 2, "'many' is not a value"),
        (["set", "compact.store_days", '"3"'], 1, "left as it is"),
        (["unset", "pipe.strip"], 1, "does not set pipe.strip"),
    ],
)
def test_what_cannot_be_is_not_written(laconic, config, words, status, text):
    given, out, err = laconic(*words)
    assert (given, out) == (status, "")
    assert text in err
    assert config.read_text() == TEXT


def test_a_broken_file_is_not_touched(laconic, config):
    config.write_text("[settings\n")
    assert laconic("set", "settings.profile", "work")[0] == 1
    assert config.read_text() == "[settings\n"


# -- edit ------------------------------------------------------------------------------------------


def test_edit_opens_the_editor_and_checks_what_it_leaves(laconic, config, monkeypatch):
    monkeypatch.setenv("VISUAL", "sed -i s/guard/work/")
    assert laconic("edit")[0] == 0
    assert 'profile = "work"' in config.read_text()
    monkeypatch.setenv("VISUAL", "sed -i s/profile/profil/")
    assert laconic("edit")[0] == 1


def test_edit_makes_a_file_and_says_if_the_editor_fails(laconic, home, monkeypatch):
    monkeypatch.setenv("EDITOR", "false")
    status, _, err = laconic("edit")
    assert (status, err) == (1, "laconic: false ended with status 1\n")
    assert (home / ".config/laconic/config.toml").read_text().startswith("# ")


# -- variables -------------------------------------------------------------------------------------


def test_a_mistyped_variable_is_noticed(laconic, monkeypatch, capsys):
    monkeypatch.setenv("LACONIC_DISABLE", "1")
    status, _, err = laconic("check")
    assert status == 1
    assert err == (
        "laconic: LACONIC_DISABLE: there is no such variable\n"
        "hint: did you mean LACONIC_DISABLED?\n"
    )
    assert cli.run([]) == 0
    assert "laconic config check  1 mistake in the configuration" in capsys.readouterr().out
    cli.run(["doctor"])
    assert "LACONIC_DISABLE: there is no such variable" in capsys.readouterr().out
    assert json.loads(laconic("check", "--json")[1])["problems"][0]["where"] == "LACONIC_DISABLE"

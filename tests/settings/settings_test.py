"""Layers, trust and the environment become one immutable value that knows its sources."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.settings import merge, trust
from laconic.settings.config import STRICTNESS
from laconic.settings.environ import VARIABLES
from laconic.settings.keys import file_schema, options
from laconic.settings.layers import built_in
from laconic.settings.load import read_directories, read_settings
from laconic.settings.merge import Layer
from laconic.settings.schema import Flag, ListOf, MapOf, Table, Text


@pytest.fixture
def user(home):
    path = home / ".config/laconic/config.toml"
    path.parent.mkdir(parents=True)
    return path


@pytest.fixture
def project(tmp_path, monkeypatch):
    path = tmp_path / "project/.laconic/config.toml"
    path.parent.mkdir(parents=True)
    inside = tmp_path / "project/src/deep"
    inside.mkdir(parents=True)
    monkeypatch.chdir(inside)
    return path


def trust_it(project):
    snapshot = trust.take_snapshot(project.parent.parent)
    trust.pin(read_directories().state, snapshot)


def kinds_of(settings):
    return [problem.kind for problem in settings.problems]


# -- layers --------------------------------------------------------------------------------------


def test_without_any_file_the_built_in_configuration_is_in_force():
    settings = read_settings()
    assert settings.problems == ()
    assert settings.project is None
    assert settings.config.settings.unknown == "defer"
    assert "ls" in settings.config.commands.allow
    assert {entry.source for entry in settings.values["commands.allow"].items} == {"built-in"}


def test_lists_extend_once_and_in_order(user):
    user.write_text('[commands]\nallow = ["zz", "ls", "aa", "zz"]\n')
    settings = read_settings()
    assert settings.config.commands.allow[-2:] == ("zz", "aa")
    assert settings.config.commands.allow.count("ls") == 1
    assert settings.values["commands.allow"].items[-1] == ("aa", str(user))


def test_scalars_override(user, project):
    user.write_text('[settings]\nprofile = "relaxed"\n[compact]\nstore_mb = 1\n')
    project.write_text("[compact]\nstore_mb = 2\n")
    trust_it(project)
    settings = read_settings()
    assert settings.config.settings.profile == "relaxed"
    assert settings.config.compact.store_mb == 2
    assert settings.values["compact.store_mb"].source == str(project)


def test_remove_subtracts(user):
    user.write_text(
        '[commands]\nremove_allow = ["find"]\n[cargo]\nremove_safe_subcommands = ["run"]\n'
    )
    config = read_settings().config
    assert "find" not in config.commands.allow
    assert "run" not in config.cargo.safe_subcommands


def test_replace_starts_the_lists_of_its_table_afresh(user):
    user.write_text('[commands]\nreplace = true\nallow = ["ls"]\n')
    config = read_settings().config
    assert config.commands.allow == ("ls",)
    assert config.commands.ask == config.commands.deny == ()
    assert config.wrappers.ask_floor == ("sudo", "su", "doas", "pkexec")


def test_replace_false_changes_nothing(user):
    user.write_text("[commands]\nreplace = false\n")
    assert read_settings().config.commands.allow == tuple(built_in()["commands"]["allow"])


@pytest.mark.parametrize(
    ("table", "loose", "strict", "name"),
    [
        ("commands", "allow", "ask", "rm"),
        ("commands", "allow", "deny", "dd"),
        ("commands", "ask", "deny", "eval"),
        ("wrappers", "allow_floor", "ask_floor", "sudo"),
        ("kubectl", "read_only", "mutating", "apply"),
        ("gh", "read_only", "mutating", "pr merge"),
    ],
)
def test_the_stricter_list_wins_unless_the_name_was_removed_from_it(
    user, table, loose, strict, name
):
    user.write_text(f'[{table}]\n{loose} = ["{name}"]\n')
    settings = read_settings()
    section = getattr(settings.config, table)
    assert name in getattr(section, strict)
    assert name not in getattr(section, loose)
    assert settings.problems[0].kind == "no effect"
    assert settings.problems[0].hint == f'add remove_{strict} = ["{name}"]'

    user.write_text(f'[{table}]\n{loose} = ["{name}"]\nremove_{strict} = ["{name}"]\n')
    settings = read_settings()
    section = getattr(settings.config, table)
    assert name in getattr(section, loose)
    assert name not in getattr(section, strict)
    assert settings.problems == ()


def test_a_name_can_be_made_stricter_in_one_word(user):
    user.write_text('[commands]\ndeny = ["ls"]\nask = ["cat"]\n')
    commands = read_settings().config.commands
    assert "ls" not in commands.allow
    assert "cat" not in commands.allow


def test_removing_what_is_not_there_is_told(user):
    user.write_text('[commands]\nremove_allow = ["soruce"]\n')
    (problem,) = read_settings().problems
    assert problem.where == '[commands]: key "remove_allow"'
    assert problem.message == '"soruce" has no effect: it is not in allow'
    assert problem.hint == 'did you mean "source"?'


def test_a_conditional_permission_holds_until_a_later_layer_objects(user, project):
    user.write_text(
        '[kubectl]\nallowed_with_config = ["apply"]\nconfig_env = { KUBECONFIG = "x" }\n'
    )
    project.write_text("")
    assert read_settings().config.kubectl.allowed_with_config == ("apply",)
    project.write_text('[kubectl]\nmutating = ["apply"]\n')
    assert read_settings().config.kubectl.allowed_with_config == ()


@pytest.mark.parametrize(
    "order", [("config_env_var", "config_env"), ("config_env", "config_env_var")]
)
def test_the_old_name_of_config_env_means_any_value(user, order):
    lines = {"config_env_var": 'config_env_var = "A"', "config_env": 'config_env = { B = "2" }'}
    user.write_text("[git]\n" + "\n".join(lines[name] for name in order))
    assert dict(read_settings().config.git.config_env) == {"A": "*", "B": "2"}


@pytest.mark.parametrize(("old", "word"), [("true", "always"), ("false", "never")])
def test_what_was_a_flag_and_is_a_word_now_means_what_it_meant(user, old, word):
    user.write_text(f"[hooks]\nreplace_output = {old}\n")
    settings = read_settings()
    assert settings.problems == ()
    assert settings.config.hooks.replace_output == word
    assert settings.values["hooks.replace_output"].value == word


def test_arguments_of_a_program_are_one_value_not_a_list_to_extend(user, project):
    user.write_text('[permissions.external]\ncommand = "a"\nargs = ["1", "2"]\n')
    project.write_text('[permissions.external]\nargs = ["3"]\n')
    trust_it(project)
    assert read_settings().config.permissions.external.args == ("3",)


def test_an_external_engine_needs_a_command(user):
    user.write_text('[permissions]\nengine = "external"\n')
    (problem,) = read_settings().problems
    assert problem.where == '[permissions]: key "engine"'
    assert problem.file == str(user)


def test_settings_cannot_be_changed():
    settings = read_settings()
    with pytest.raises(AttributeError):
        settings.config.settings.profile = "relaxed"
    with pytest.raises(TypeError):
        settings.config.git.config_env["A"] = "b"


# -- broken files --------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["[", '[commands]\nalow = ["x"]\n', "\udcff"])
def test_a_broken_file_leaves_its_last_good_copy_in_force(user, text):
    user.write_text('[commands]\ndeny = ["terraform"]\n')
    assert read_settings().problems == ()
    user.write_bytes(text.encode(errors="surrogateescape"))
    settings = read_settings()
    assert "terraform" in settings.config.commands.deny
    assert set(kinds_of(settings)) == {"broken"}
    assert settings.problems[-1].message == "the last good copy of it is in force"
    user.unlink()
    assert "terraform" not in read_settings().config.commands.deny


def test_a_broken_file_without_a_good_copy_is_left_out(user):
    user.write_text("[commands")
    settings = read_settings()
    assert settings.problems[-1].message == "it is not in force"
    assert settings.config.commands.allow == tuple(built_in()["commands"]["allow"])


def test_the_copy_belongs_to_the_owner_alone(user):
    user.write_text("")
    read_settings()
    (copy,) = (read_directories().state / "last-good").iterdir()
    assert copy.stat().st_mode & 0o777 == 0o600
    assert copy.parent.stat().st_mode & 0o777 == 0o700


def test_a_state_directory_that_cannot_be_written_stops_nothing(user, home):
    (home / ".local").write_text("a file where a directory should be")
    user.write_text('[commands]\ndeny = ["terraform"]\n')
    assert "terraform" in read_settings().config.commands.deny


def make_directory(path):
    path.mkdir()


def make_pipe(path):
    os.mkfifo(path)


def make_dangling_link(path):
    path.symlink_to("nowhere")


def make_large(path):
    path.write_bytes(b"#" * 1_000_000)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (make_directory, "is a directory, expected a file"),
        (make_pipe, "is not a regular file"),
        (make_dangling_link, "no such file or directory"),
        (make_large, "is larger than 128 KB"),
    ],
)
def test_what_is_no_file_is_told_and_stops_nothing(user, make, words):
    make(user)
    assert read_settings().problems[0].line == f"{user}: {words}"


# -- untrusted projects --------------------------------------------------------------------------


def test_the_nearest_project_is_found_from_inside(project):
    project.write_text("")
    assert read_settings().project.root == project.parent.parent


def test_an_untrusted_project_may_tighten_at_once(project):
    project.write_text(
        '[settings]\nprofile = "strict"\nunknown = "ask"\n'
        '[commands]\ndeny = ["terraform"]\nask = ["ls"]\n'
        '[wrappers]\nask_floor = ["env"]\n'
        '[kubectl]\nmutating = ["get"]\n'
        '[git]\nforce_push_flags = ["--mirror"]\n'
    )
    settings = read_settings()
    assert settings.problems == ()
    general = settings.config.settings
    assert (general.unknown, general.gate, general.profile) == ("ask", "enforce", "strict")
    assert "terraform" in settings.config.commands.deny
    assert "ls" not in settings.config.commands.allow
    assert "env" not in settings.config.wrappers.allow_floor
    assert "get" not in settings.config.kubectl.read_only
    assert "--mirror" in settings.config.git.force_push_flags


def sample(kind):
    match kind:
        case ListOf(Table(keys)):
            return [{key: sample(inner) for key, inner in keys.items()}]
        case ListOf():
            return ["zz"]
        case MapOf():
            return {"A": "b"}
        case Flag():
            return True
        case Text():
            return "zz"
        case Table():
            raise AssertionError
    return kind.options[-1] if hasattr(kind, "options") else 7


def every_key(table=None, prefix=""):
    for key, kind in (table or file_schema()).keys.items():
        if isinstance(kind, Table):
            yield from every_key(kind, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", sample(kind)


TIGHTENING = {
    "commands.ask", "commands.deny", "wrappers.ask_floor", "kubectl.mutating", "gh.mutating",
    "git.force_push_flags", "settings.unknown", "settings.soft",
    "paths.never_write", "paths.secret", "box.hide",
}  # fmt: skip


@pytest.mark.parametrize(("name", "value"), list(every_key()))
def test_every_other_key_of_an_untrusted_project_is_ignored_and_named(name, value):
    document = value
    for part in reversed(name.split(".")):
        document = {part: document}
    strict, ignored = merge.split_by_trust(document)
    assert ignored == ([] if name in TIGHTENING else [name])
    values, _ = merge.apply({}, Layer("built-in", built_in()))
    changed, _ = merge.apply(values, Layer("project", strict))
    assert (changed == values) == (name not in TIGHTENING)


def test_what_is_ignored_works_after_trust_and_not_after_a_change(project):
    project.write_text('[commands]\nallow = ["zz"]\n')
    settings = read_settings()
    (problem,) = settings.problems
    assert (problem.kind, problem.where) == ("untrusted", '[commands]: key "allow"')
    assert "laconic trust" in problem.hint
    assert "zz" not in settings.config.commands.allow

    trust_it(project)
    assert "zz" in read_settings().config.commands.allow

    project.write_text('[commands]\nallow = ["zz", "yy"]\n')
    assert "zz" not in read_settings().config.commands.allow


def test_an_added_filter_ends_the_trust(project):
    project.write_text('[commands]\nallow = ["zz"]\n')
    trust_it(project)
    (project.parent / "filters").mkdir()
    (project.parent / "filters/x.toml").write_text("")
    assert "zz" not in read_settings().config.commands.allow


def test_a_mistake_in_what_is_ignored_does_not_stop_what_is_stricter(project):
    project.write_text('[commands]\ndeny = ["zz"]\nalow = 3\n[skip]\npatterns = ["("]\n[what]\n')
    settings = read_settings()
    assert "zz" in settings.config.commands.deny
    assert kinds_of(settings) == ["untrusted"] * 3


def test_a_mistake_in_what_is_stricter_is_told(project):
    project.write_text('[commands]\ndeny = "zz"\n')
    settings = read_settings()
    assert kinds_of(settings) == ["broken", "broken"]
    assert settings.problems[0].message == 'expected a list of text, found "zz"'


@pytest.mark.parametrize(
    "text",
    [
        "[commands]\ndeny = [" + ",".join(f'"{n}"' for n in range(14_000)) + "]",
        "".join(f"k{n} = 1\n" for n in range(12_000)),
        "[commands]\n" + "".join(f"k{n} = 1\n" for n in range(12_000)),
        "k" * 120_000 + " = 1",
        '[skip]\npatterns = ["(?i)' + "[\\u0001-\\U0010ffff]" * 4_000 + '"]',
        "a" + ".a" * 60_000 + " = 1",
    ],
    ids=["names", "keys", "keys in a table", "long key", "regex", "dots"],
)
def test_a_hostile_file_costs_little_time(project, text):
    project.write_text(text)
    start = time.process_time()
    settings = read_settings()
    assert time.process_time() - start < 3
    assert all(len(problem.line) < 1_000 for problem in settings.problems)


def test_a_link_out_of_the_project_is_not_read(project, tmp_path):
    outside = tmp_path / "outside.toml"
    outside.write_text('[commands]\ndeny = ["terraform"]\n')
    project.symlink_to(outside)
    settings = read_settings()
    assert "terraform" not in settings.config.commands.deny
    assert "leads out of the project" in settings.problems[0].message


NAMES = st.sampled_from(["ls", "rm", "dd", "zz", "get", "apply", "env", "sudo"])
LISTS = st.lists(NAMES, max_size=4)
STRICT_TABLES = st.fixed_dictionaries(
    {},
    optional={
        table: st.dictionaries(
            st.sampled_from([*lists, *(f"remove_{name}" for name in lists)]), LISTS, max_size=4
        )
        for table, lists in STRICTNESS.items()
    },
)


def rank(values, table, name):
    """Say how strict the answer for a name is; -1 when it is in no list."""
    lists = STRICTNESS[table]
    return max(
        (n for n, key in enumerate(lists) if name in values[f"{table}.{key}"].value), default=-1
    )


@given(STRICT_TABLES, STRICT_TABLES)
def test_no_untrusted_layer_ever_loosens_an_answer(user_document, project_document):
    base, _ = merge.apply({}, Layer("built-in", built_in()))
    base, _ = merge.apply(base, Layer("user", user_document))
    strict, _ = merge.split_by_trust(project_document)
    after, _ = merge.apply(base, Layer("project", strict))
    for table, lists in STRICTNESS.items():
        for name in {n for key in lists for n in (*base[f"{table}.{key}"].value, "zz")}:
            assert rank(after, table, name) >= rank(base, table, name)


@given(STRICT_TABLES)
def test_no_name_stands_in_two_lists(document):
    base, _ = merge.apply({}, Layer("built-in", built_in()))
    after, _ = merge.apply(base, Layer("user", document))
    for table, lists in STRICTNESS.items():
        names = [name for key in lists for name in after[f"{table}.{key}"].value]
        assert len(names) == len(set(names))


# -- the environment -----------------------------------------------------------------------------


def test_directories_follow_the_xdg_variables_then_ours():
    home = {"HOME": "/h"}
    assert read_directories(home).config == Path("/h/.config/laconic")
    assert read_directories(home | {"XDG_STATE_HOME": "/s"}).state == Path("/s/laconic")
    assert read_directories(home | {"XDG_CACHE_HOME": "relative"}).cache == Path(
        "/h/.cache/laconic"
    )
    assert read_directories(home | {"LACONIC_CONFIG_DIR": "/c"}).config == Path("/c")


@pytest.mark.parametrize("environ", [{}, {"HOME": ""}, {"HOME": "relative"}])
def test_without_a_home_the_password_file_is_asked(environ):
    assert read_directories(environ).config.is_absolute()


def test_without_any_home_nothing_is_read(monkeypatch):
    def unknown(_uid):
        raise KeyError

    monkeypatch.setattr("pwd.getpwuid", unknown)
    settings = read_settings({})
    assert settings.directories.config == Path("/nonexistent/.config/laconic")
    assert settings.problems == ()


def test_a_current_directory_that_was_removed_stops_nothing(tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert read_settings().project is None


def test_the_profile_of_the_environment_stands_over_the_files(user, monkeypatch):
    user.write_text('[settings]\nprofile = "relaxed"\n')
    monkeypatch.setenv("LACONIC_PROFILE", "strict")
    settings = read_settings()
    assert settings.config.settings.profile == "strict"
    assert settings.values["settings.profile"].source == "LACONIC_PROFILE"


@pytest.mark.parametrize("name", ["LACONIC_PROFILE", "LACONIC_STATE_DIR"])
def test_a_wrong_variable_is_told(monkeypatch, name):
    monkeypatch.setenv(name, "stict")
    (problem,) = read_settings().problems
    assert problem.line.startswith(f"{name}: expected ")


@pytest.mark.parametrize(
    ("value", "on"), [("1", True), ("yes", True), ("0", False), ("", False), ("off", False)]
)
def test_flags_are_on_or_off(monkeypatch, value, on):
    monkeypatch.setenv("LACONIC_DISABLED", value)
    assert read_settings().environment.disabled is on


def test_debug_channels_are_a_list(monkeypatch):
    monkeypatch.setenv("LACONIC_DEBUG", "server, decide,")
    assert read_settings().environment.debug == ("server", "decide")


def test_all_variables_have_our_prefix():
    assert all(variable.name.startswith("LACONIC_") for variable in VARIABLES)


def test_every_option_is_in_force_somewhere():
    assert set(read_settings().values) == set(options())

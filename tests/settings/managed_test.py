"""The policy of a machine: who may have written it, and what is stricter than what a user says."""

from __future__ import annotations

import os
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.policy.profiles import PROFILES, Answers
from laconic.policy.required import with_required
from laconic.settings import managed
from laconic.settings.config import PROFILE_ORDER
from laconic.settings.layers import Inputs, combine
from laconic.settings.managed import asks_on_failure, read_policy, unfit
from laconic.settings.requirements import check_policy, narrowed, policy_of
from laconic.types import EFFECTS, Decision, Effect, Outcome, Source, Verdict

TODAY = "2026-11-19"
OURS = os.getuid()


def read(text, *, copy=None, today=TODAY):
    data = copy.encode() if copy is not None else None
    return "/etc/laconic/policy.toml", text.encode(), ("", ""), data, today


def under(policy, user="", profile=""):
    """What is in force of a user's file under a policy."""
    file = ("/u", user.encode(), ("", ""), None) if user else None
    return combine(Inputs(user=file, profile=profile, managed=read(policy)))


def value(outcome, name):
    return outcome.values[name].value


# -- who may have written it -----------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "laconic"
    place.mkdir(mode=0o755)
    (place / "policy.toml").write_text('name = "acme"\n')
    return place


def test_a_file_of_the_owners_is_read(folder):
    path, data, fault, copy, _ = read_policy(str(folder), OURS)
    assert (path, data, fault, copy) == (
        str(folder / "policy.toml"),
        b'name = "acme"\n',
        ("", ""),
        None,
    )


def test_without_a_file_there_is_none(folder):
    (folder / "policy.toml").unlink()
    assert read_policy(str(folder), OURS) is None
    folder.rmdir()
    assert read_policy(str(folder), OURS) is None


def test_what_changes_is_read_again(folder):
    assert read_policy(str(folder), OURS) is read_policy(str(folder), OURS)
    (folder / "policy.toml").write_text('name = "other"\n')
    assert read_policy(str(folder), OURS)[1] == b'name = "other"\n'
    (folder / "policy.toml").chmod(0o666)
    assert read_policy(str(folder), OURS)[1] is None


@pytest.mark.parametrize(
    ("kind", "mode", "uid", "fault"),
    [
        (stat.S_IFREG, 0o644, 0, ""),
        (stat.S_IFREG, 0o600, 0, ""),
        (stat.S_IFDIR, 0o755, 0, ""),
        (stat.S_IFREG, 0o646, 0, "others than root may write it"),
        (stat.S_IFREG, 0o664, 0, "others than root may write it"),
        (stat.S_IFDIR, 0o1777, 0, "others than root may write it"),
        (stat.S_IFREG, 0o644, 1000, "does not belong to root"),
        (stat.S_IFLNK, 0o777, 0, "is not a regular file"),
        (stat.S_IFIFO, 0o644, 0, "is not a regular file"),
        (stat.S_IFSOCK, 0o644, 0, "is not a regular file"),
    ],
)
def test_only_what_root_alone_can_write_is_fit(kind, mode, uid, fault):
    status = os.stat_result((kind | mode, 0, 0, 1, uid, 0, 0, 0, 0, 0))
    found = unfit("/etc/laconic/policy.toml", status)
    assert (fault in found[0]) if fault else found is None


@pytest.mark.parametrize(
    ("users", "uid", "is_root"),
    [
        ("0 0 4294967295", 0, True),
        ("0 0 4294967295", 65534, False),  # a user of that number
        ("1000 1000 1", 65534, True),  # root of the machine, as a sandbox shows it
        ("1000 1000 1", 1000, False),
        ("0 1000 1", 65534, True),
        ("", 65534, False),  # no Linux
    ],
)
def test_a_sandbox_shows_root_as_nobody(users, uid, is_root, monkeypatch):
    lines = {"/proc/self/uid_map": users, "/proc/sys/kernel/overflowuid": "65534"}
    monkeypatch.setattr(managed, "_line", lines.get)
    assert managed.is_owner(uid, 0) is is_root


# -- what it says ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ('on_failure = "ask"\n', True),
        ('name = "x"\n  on_failure = "ask"  \r\n', True),
        ('on_failure = "ask"', True),
        ('on_failure = "allow"\n', False),
        ('# on_failure = "ask"\n', False),
        ("", False),
    ],
)
def test_a_line_says_what_to_do_where_laconic_fails(text, asks):
    found = read(text)
    assert asks_on_failure(found) is asks
    assert policy_of(found).managed.on_failure == ("ask" if asks else "allow")


def test_what_cannot_be_read_asks():
    assert asks_on_failure(("/x", None, ("wrong", ""), None, TODAY))
    assert not asks_on_failure(None)


@pytest.mark.parametrize(
    "text",
    ["on_failure='ask'\n", '"on_failure" = "ask"\n', 'name = """\non_failure = "ask"\n"""\n'],
)
def test_no_other_spelling_is_taken(text):
    _, problems = check_policy(text.encode(), "/p")
    assert problems


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[require", "is not valid TOML"),
        ("[require]\nfrob = 1", "unknown key"),
        ("[default.settings]\nprofil = 'work'", 'did you mean "profile"'),
        ("frob = 1", "unknown key"),
        ("expires = 'soon'", "expected a day"),
        ("expires = '2026-2-3'", "expected a day"),
        ("allowances = '8 hours'", 'expected "none", "once" or a time'),
        ("serial = '1'", "did you mean 1?"),
        ("[require.effects]\nsends = 'allow'", 'expected "ask" or "deny"'),
        ("[[require.rewrite]]\nmatch = '('\nreplace = 'x'", "is not a valid regular expression"),
        ("[require.skip]\npatterns = ['(']", "is not a valid regular expression"),
    ],
)
def test_a_mistake_is_named(text, said):
    _, problems = check_policy(text.encode(), "/p")
    assert said in " ".join(part for problem in problems for part in problem.row)


def test_a_broken_one_is_strict_with_the_last_good_one():
    good = "name = 'acme'\nserial = 3\n[require.commands]\ndeny = ['x y']\n"
    for copy, serial, denies in ((good, 3, True), (None, 0, False), ("[", 0, False)):
        policy = policy_of(read("[", copy=copy))
        assert policy.managed.is_broken
        assert (policy.managed.serial, policy.managed.on_failure) == (serial, "ask")
        assert policy.require["settings"]["profile"] == "strict"
        assert policy.managed.has("commands.deny", "x y") is denies
        assert policy.managed.trust is denies  # nobody knows what it had switched off


def test_an_expired_one_stays():
    text = "expires = '2026-11-18'\n[require.commands]\ndeny = ['x y']\n"
    kept = policy_of(read(text))
    assert kept.managed.is_expired
    assert not kept.managed.is_broken
    assert kept.managed.has("commands.deny", "x y")
    assert kept.managed.profile == ""
    assert policy_of(read(f"on_expired = 'strict'\n{text}")).managed.profile == "strict"
    assert not policy_of(read(text, today="2026-11-18")).managed.is_expired


# -- around a user's file --------------------------------------------------------------------------


def test_what_it_gives_lies_below_the_users_and_what_it_requires_above():
    policy = "[default.settings]\nprofile = 'work'\n[default.undo]\nstore_days = 3\n"
    assert value(under(policy), "settings.profile") == "work"
    assert value(under(policy, "[settings]\nprofile = 'guard'"), "settings.profile") == "guard"
    strict = f"{policy}[require.settings]\nprofile = 'default'\n"
    assert value(under(strict), "settings.profile") == "default"
    assert value(under(strict), "undo.store_days") == 3


@pytest.mark.parametrize(
    ("required", "user", "profile", "kept"),
    [
        ("default", "guard", "", "default"),
        ("default", "strict", "", "strict"),
        ("work", "relaxed", "", "work"),
        ("default", "work", "guard", "default"),
        ("default", "guard", "strict", "strict"),
        ("guard", "work", "", "work"),
    ],
)
def test_of_two_profiles_the_stricter_one_counts(required, user, profile, kept):
    policy = f"[require.settings]\nprofile = '{required}'"
    found = under(policy, f"[settings]\nprofile = '{user}'", profile)
    assert value(found, "settings.profile") == kept


@pytest.mark.parametrize(
    ("name", "required", "user", "kept"),
    [
        ("settings.escalate_deny", "false", "true", False),
        ("settings.soft", "'ask'", "'defer'", "ask"),
        ("settings.unknown", "'defer'", "'ask'", "ask"),
        ("hooks.cannot_ask", "'defer'", "'defer'", "defer"),
        ("settings.profile", "'guard'", "'guard'", "guard"),
        ("box.network", "'listed'", "'none'", "none"),
        ("box.network", "'listed'", "'host'", "listed"),
        ("effects.installs", "'ask'", "'deny'", "deny"),
        ("effects.installs", "'ask'", "'allow'", "ask"),
        ("settings.gate", "'advise'", "'enforce'", "advise"),
        ("undo.store_days", "1", "9", 1),
    ],
)
def test_ordered_values_keep_the_stricter_and_others_are_set(name, required, user, kept):
    table, _, key = name.partition(".")
    found = under(f"[require.{table}]\n{key} = {required}", f"[{table}]\n{key} = {user}")
    assert value(found, name) == kept


def test_tables_of_texts_are_joined():
    policy = "[require.commands.messages]\na = '1'\n"
    found = under(policy, "[commands.messages]\na = '2'\nb = '3'\n")
    assert value(found, "commands.messages") == {"a": "1", "b": "3"}


def test_who_requires_anything_wants_answers():
    user = "[settings]\ngate = 'off'\n[hooks]\ncannot_ask = 'defer'\n"
    found = under("[require.commands]\ndeny = ['x y']", user)
    assert (value(found, "settings.gate"), value(found, "hooks.cannot_ask")) == ("enforce", "deny")
    assert value(under("[default.commands]\ndeny = ['x y']", user), "settings.gate") == "off"


def test_without_rules_of_users_only_what_is_stricter_counts():
    document = {
        "commands": {"allow": ["a"], "deny": ["b"], "remove_deny": ["eval"], "replace": True},
        "effects": {"installs": "allow", "sends": "deny", "reads": "ask"},
        "paths": {"write": ["x"], "secret": ["y"]},
        "compact": {"logs": False},
    }
    kept, gone = narrowed(document)
    assert kept == {
        "commands": {"deny": ["b"]},
        "effects": {"sends": "deny", "reads": "ask"},
        "paths": {"secret": ["y"]},
        "compact": {"logs": False},
    }
    assert set(gone) == {
        "commands.allow", "commands.remove_deny", "commands.replace", "effects.installs",
        "paths.write",
    }  # fmt: skip


_NAMES = st.sampled_from(["terraform apply", "nc", "docker", "ls", "eval"])
_LISTS = st.lists(_NAMES, max_size=3)
_COMMANDS = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(("allow", "ask", "deny"), _LISTS),
        **dict.fromkeys(("remove_allow", "remove_ask", "remove_deny"), _LISTS),
        "replace": st.booleans(),
    },
)
_SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "profile": st.sampled_from(PROFILE_ORDER),
        "gate": st.sampled_from(["enforce", "advise", "off"]),
        "escalate_deny": st.booleans(),
    },
)


@given(commands=_COMMANDS, settings=_SETTINGS, profile=st.sampled_from(["", *PROFILE_ORDER]))
def test_no_file_of_a_user_loosens_what_is_required(commands, settings, profile):
    from laconic.settings import toml

    user = "\n".join(
        line
        for name, table in (("commands", commands), ("settings", settings))
        for line in (f"[{name}]", *(f"{key} = {toml.inline(item)}" for key, item in table.items()))
    )
    policy = "[require.commands]\ndeny = ['nc']\nask = ['docker']\n"
    policy += "[require.settings]\nprofile = 'default'\nescalate_deny = false\n"
    found = under(policy, user, profile)
    assert "nc" in value(found, "commands.deny")
    assert {"docker"} <= {*value(found, "commands.ask"), *value(found, "commands.deny")}
    assert not {"nc", "docker"} & {*value(found, "commands.allow")}
    least = PROFILE_ORDER.index("default")
    assert PROFILE_ORDER.index(value(found, "settings.profile")) >= least
    assert value(found, "settings.gate") != "off"
    assert value(found, "settings.escalate_deny") is False


# -- decisions -------------------------------------------------------------------------------------

_ANSWERS = st.sampled_from(["profile", "allow", "ask", "deny"])


@given(
    least=st.sampled_from(PROFILES),
    profile=st.sampled_from(PROFILES),
    changed=st.dictionaries(st.sampled_from(sorted(EFFECTS)), _ANSWERS),
)
def test_no_cell_is_looser_than_the_required_profile(least, profile, changed):
    order = PROFILE_ORDER.index
    changed = {word: answer for word, answer in changed.items() if answer != "profile"}
    cells = Answers(max(least, profile, key=order), changed, least)
    for effect in EFFECTS.values():
        assert cells[effect] >= Answers(least)[effect]
        is_eased = (cells.box | cells.undo) & effect and cells[effect] is Verdict.ASK
        bare = Answers(least)
        assert not is_eased or (bare.box | bare.undo) & effect or bare[effect] is Verdict.ALLOW


MANAGED = policy_of(
    read("name = 'acme'\nserial = 17\n[require.effects]\ninstalls = 'ask'\nsends = 'deny'\n")
).managed


@given(
    verdict=st.sampled_from(Verdict),
    words=st.sets(st.sampled_from(sorted(EFFECTS)), max_size=3),
    source=st.sampled_from(Source),
)
def test_what_has_a_required_effect_is_asked_or_denied(verdict, words, source):
    effects = Effect(sum(EFFECTS[word] for word in words))
    given_one = Decision(verdict, "x", "does it", 0, 3, effects=effects, source=source)
    found = with_required(given_one, MANAGED)
    least = Verdict.ALLOW
    least = Verdict.ASK if "installs" in words else least
    least = Verdict.DENY if "sends" in words else least
    assert found.verdict == max(verdict, least)
    assert found.firm or least is Verdict.ALLOW or verdict > least
    if least is Verdict.ALLOW:
        assert found is given_one
    elif verdict <= least:
        assert Source.POLICY in {leaf.source for leaf in found.leaves()}
        assert not found.is_soft
        assert "the policy of acme (serial 17)" in found.reason


def test_a_required_question_is_not_left_to_the_agent():
    from laconic.engine import outcome
    from laconic.settings.load import isolated_settings

    soft = Decision(Verdict.ASK, "x", "installs it", effects=Effect.INSTALLS)
    settings = isolated_settings({})
    assert outcome(soft, settings) is Outcome.LEFT
    assert outcome(with_required(soft, MANAGED), settings) is Outcome.ASKED


def test_a_gate_in_a_program_is_no_looser_than_the_policy(monkeypatch):
    from laconic.library.chosen import with_profile
    from laconic.settings import load

    found = read("name = 'acme'\n[require.settings]\nprofile = 'default'\n")
    monkeypatch.setattr(load, "read_policy", lambda: found)
    settings = load.read_settings({"HOME": "/nonexistent"}, "/")
    for wanted, kept in (("guard", "default"), ("work", "default"), ("strict", "strict")):
        assert with_profile(settings, wanted).config.settings.profile == kept

"""A policy goes to machines as a bundle: who signed it, its serial and its share are checked."""

from __future__ import annotations

import json
import shutil
import subprocess
from datetime import date

import pytest

from laconic.bundle import apply as bundles
from laconic.bundle import manifest as manifests
from laconic.bundle import signatures
from laconic.bundle.apply import Trusted
from laconic.bundle.fetch import Bundle, fetch
from laconic.bundle.manifest import RefusedError
from laconic.cli.main import main
from laconic.errors import LaconicError
from laconic.settings import managed
from machine import needs

pytestmark = needs("ssh-keygen")
POLICY = """name = "{name}"
serial = {serial}
expires = "{expires}"
[require.commands]
deny = ["terraform apply"]
"""
LATER = "2099-01-01"


class Team:
    """Two people with keys, a third who has nothing to say, and what they sign."""

    def __init__(self, place):
        self.place, self.lines = place, {}
        for name in ("ann", "bob", "eve"):
            key = place / name
            words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", key]
            subprocess.run(words, check=True)
            kind, data, _ = (place / f"{name}.pub").read_text().split()
            self.lines[name] = f"{name}@example.org {kind} {data}"
        self.signers = self.file("ann", "bob")

    def file(self, *names):
        path = self.place / f"signers-{'-'.join(names)}"
        path.write_text("".join(f"{self.lines[name]}\n" for name in names))
        return path

    def trusted(self, *names, needed=1):
        return Trusted(tuple(self.lines[name] for name in names), needed)

    def bundle(
        self, serial, *, by="ann", name="acme", expires=LATER, needed=1, rollout=100, signers=None
    ):
        directory = self.place / "bundle"
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir()
        text = POLICY.format(name=name, serial=serial, expires=expires)
        (directory / "policy.toml").write_text(text)
        for who in by.split():
            words = ["--signers", str(signers or self.signers), "--needed", str(needed)]
            words += ["--key", str(self.place / who), "--rollout", str(rollout)]
            assert main(["policy", "sign", str(directory), *words]) == 0
        return fetch(str(directory))


@pytest.fixture(scope="module")
def team(tmp_path_factory):
    return Team(tmp_path_factory.mktemp("team"))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """What is /etc/laconic elsewhere, of a root that is whoever runs the tests."""
    owned = lambda path, status: managed.unfit(path, status, status.st_uid)  # noqa: E731
    monkeypatch.setattr(bundles, "unfit", owned)
    return tmp_path / "laconic"


@pytest.fixture
def seventeen(team, folder):
    """A machine that has taken serial 17."""
    done = bundles.apply(team.bundle(17), team.trusted("ann", "bob"), str(folder))
    assert done.is_new
    return folder


def in_force(folder):
    path = folder / "policy.toml"
    return path.read_text().split("serial = ")[1].split("\n")[0] if path.exists() else "none"


def refused(bundle, folder, words, first=None):
    before = {path.name: path.read_bytes() for path in folder.iterdir()} if folder.exists() else {}
    with pytest.raises(LaconicError, match=words):
        bundles.apply(bundle, first, str(folder))
    after = {path.name: path.read_bytes() for path in folder.iterdir()} if folder.exists() else {}
    assert after == before


def test_a_good_one_is_taken_with_a_copy(team, folder):
    done = bundles.apply(team.bundle(17), team.trusted("ann"), str(folder))
    assert done == ("the policy of acme, serial 17, is in force", True)
    assert sorted(path.name for path in folder.iterdir()) == [
        "manifest.json", "policy.good.toml", "policy.toml",
    ]  # fmt: skip
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o644}


def test_the_first_one_needs_to_know_who_may_sign(team, folder):
    refused(team.bundle(17), folder, "nobody is known who may sign")


def test_the_same_again_changes_nothing(team, seventeen):
    assert not bundles.apply(team.bundle(17), None, str(seventeen)).is_new
    assert in_force(seventeen) == "17"


def test_a_newer_one_is_taken(team, seventeen):
    assert bundles.apply(team.bundle(18), None, str(seventeen)).is_new
    assert in_force(seventeen) == "18"


def test_an_older_one_is_refused(team, seventeen):
    refused(team.bundle(16), seventeen, "serial 16 is older than 17")


def test_another_one_of_the_same_serial_is_refused(team, seventeen):
    refused(team.bundle(17, expires="2098-01-01"), seventeen, "another policy with serial 17")


def test_a_foreign_key_is_refused(team, seventeen):
    refused(team.bundle(18, by="eve"), seventeen, "0 of the 1 signatures")


def test_who_may_sign_the_first_one_does_not_count_later(team, seventeen):
    refused(team.bundle(18, by="eve"), seventeen, "0 of the 1", team.trusted("eve"))


def test_a_policy_that_was_changed_is_refused(team, seventeen):
    good = team.bundle(18)
    changed = good._replace(policy=good.policy.replace(b"terraform", b"terrafrom"))
    refused(changed, seventeen, "not the one that was signed")


def test_a_manifest_that_was_changed_is_refused(team, seventeen):
    good = team.bundle(18)
    changed = good._replace(manifest=good.manifest.replace(b'"serial": 18', b'"serial": 19'))
    refused(changed, seventeen, "0 of the 1 signatures")


def test_a_signature_for_something_else_is_refused(team, seventeen, monkeypatch):
    good = team.bundle(18)
    with monkeypatch.context() as context:
        context.setattr(signatures, "NAMESPACE", "git")
        foreign = signatures.sign(good.manifest, team.place / "ann")
    refused(good._replace(signatures=foreign), seventeen, "0 of the 1 signatures")


def test_an_expired_one_is_refused(team, seventeen):
    refused(team.bundle(18, expires="2020-01-01"), seventeen, "expired on 2020-01-01")


def test_that_of_another_team_is_refused(team, seventeen):
    words = "the policy of other, and the machine has acme's"
    refused(team.bundle(18, name="other"), seventeen, words)


def test_one_of_two_signatures_is_not_enough(team, folder):
    first = team.trusted("ann", "bob", needed=2)
    refused(team.bundle(17, by="ann", needed=2), folder, "1 of the 2 signatures", first)


def test_one_person_does_not_sign_twice(team, folder):
    good = team.bundle(17, by="ann", needed=2)
    again = signatures.sign(good.manifest, team.place / "ann")
    twice = good._replace(signatures=good.signatures + again)
    refused(twice, folder, "1 of the 2 signatures", team.trusted("ann", "bob", needed=2))


def test_two_of_two_signatures_are_enough(team, folder):
    bundle = team.bundle(17, by="ann bob", needed=2)
    assert bundles.apply(bundle, team.trusted("ann", "bob", needed=2), str(folder)).is_new


def test_new_signers_come_with_a_bundle_of_the_old_ones(team, seventeen):
    new = team.file("eve")
    assert bundles.apply(team.bundle(18, signers=new), None, str(seventeen)).is_new
    refused(team.bundle(19, by="ann"), seventeen, "0 of the 1 signatures")
    assert bundles.apply(team.bundle(19, by="eve", signers=new), None, str(seventeen)).is_new


def test_a_policy_that_this_laconic_does_not_know_is_refused(team, seventeen):
    good = team.bundle(18)
    policy = good.policy + b'[require.settings]\nfuture = "x"\n'
    manifest = manifests.read(good.manifest)._replace(policy=manifests.digest(policy))
    data = manifests.written(manifest)
    signed = signatures.sign(data, team.place / "ann")
    refused(Bundle(policy, data, signed), seventeen, "unknown key")


def test_a_policy_that_calls_itself_otherwise_is_refused(team, seventeen):
    good = team.bundle(18)
    data = manifests.written(manifests.read(good.manifest)._replace(serial=99))
    signed = signatures.sign(data, team.place / "ann")
    refused(Bundle(good.policy, data, signed), seventeen, "the manifest says otherwise")


def test_a_share_of_the_machines_comes_first(team, seventeen, monkeypatch):
    monkeypatch.setattr(bundles, "machine_id", lambda: "m")
    share = manifests.share_of("acme", "m")
    assert not bundles.apply(team.bundle(18, rollout=share), None, str(seventeen)).is_new
    assert in_force(seventeen) == "17"
    assert bundles.apply(team.bundle(18, rollout=share + 0.01), None, str(seventeen)).is_new
    assert in_force(seventeen) == "18"


def test_shares_are_as_large_as_they_say_and_lie_within_each_other():
    shares = [manifests.share_of("acme", str(number)) for number in range(10_000)]
    few, many = ({n for n, s in enumerate(shares) if s < most} for most in (10, 50))
    assert 900 < len(few) < 1100
    assert 4800 < len(many) < 5200
    assert few < many


def test_who_was_stopped_between_two_files_takes_it_again(team, seventeen):
    old = (seventeen / "manifest.json").read_bytes()
    bundles.apply(team.bundle(18), None, str(seventeen))
    (seventeen / "manifest.json").write_bytes(old)
    assert bundles.apply(team.bundle(18), None, str(seventeen)).is_new


def test_a_policy_that_was_changed_on_the_machine_is_written_again(team, seventeen):
    (seventeen / "policy.toml").write_text("")
    assert bundles.apply(team.bundle(17), None, str(seventeen)).is_new
    assert in_force(seventeen) == "17"


def test_a_manifest_of_the_machine_that_others_may_write_is_not_believed(team, seventeen):
    (seventeen / "manifest.json").chmod(0o666)
    refused(team.bundle(18), seventeen, "others than root may write it")


@pytest.mark.parametrize(
    "data",
    [b"", b"[]", b"{}", b'{"version": 2}', b"\xff", b"[" * 100_000],
    ids=["nothing", "a list", "no keys", "a later version", "no text", "deep"],
)
def test_what_is_no_manifest_is_refused(data):
    with pytest.raises(RefusedError):
        manifests.read(data)


def test_a_bundle_is_read_from_a_file_address(team):
    good = team.bundle(18)
    assert fetch(f"file://{team.place}/bundle") == good


@pytest.mark.parametrize("source", ["http://example.org/x", "ftp://example.org", "s3://x/y"])
def test_only_https_is_fetched(source):
    with pytest.raises(LaconicError, match="fetched by https"):
        fetch(source)


def test_only_root_changes_a_policy(team, laconic, monkeypatch):
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    for action in ("apply", "pull"):
        status, out, err = laconic("policy", action, str(team.place))
        assert (status, out) == (1, "")
        assert "only root" in err


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        ("serial = 1\n", 'key "name" is missing'),
        ('name = "x"\n', 'key "serial" is missing'),
        ('name = "x"\nserial = 1\n[require]\nfrob = 1\n', "unknown key"),
        ('name = "x"\nserial = 1\n[require.effects]\nsends = "box"\n', 'expected "ask" or "deny"'),
    ],
)
def test_what_would_be_refused_is_not_signed(policy, said, team, tmp_path, laconic):
    (tmp_path / "policy.toml").write_text(policy)
    words = ["--key", str(team.place / "ann"), "--signers", str(team.signers)]
    status, out, err = laconic("policy", "sign", str(tmp_path), *words)
    assert (status, out) == (1, "")
    assert said in err
    assert not (tmp_path / "manifest.json").exists()


def test_a_machine_without_a_policy_says_so(laconic):
    assert laconic("policy", "status") == (0, "this machine has no policy\n", "")
    status, out, _ = laconic("policy", "status", "--json")
    assert (status, json.loads(out)["policy"]) == (0, None)


def test_a_day_is_the_last_one():
    manifest = manifests.Manifest("acme", 1, "2026-11-19", 100, manifests.digest(b"x"), ("a",), 1)
    with pytest.raises(RefusedError, match="expired"):
        manifests.refuse_unfit(manifest, b"x", None, date(2026, 11, 20))

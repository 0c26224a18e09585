"""Symbolic and hard links in real directories: a path is judged by where the kernel takes it."""

from __future__ import annotations

import os
import subprocess

import pytest

from laconic.knowledge.catalog import library
from laconic.policy.rules import Rules
from laconic.reading.decide import decide, decide_files
from laconic.reading.facts import read_facts
from laconic.reading.file_tools import READS, WRITES, FileUse
from laconic.types import Effect, Verdict


@pytest.fixture
def place(project, home):
    """`link` leads to a directory of the home, `inner` to one of the project's."""
    for made in (
        project / "sub/deep/er",
        project / "a/b",
        home / ".ssh",
        home / "dd",
        home / "own",
    ):
        made.mkdir(parents=True)
    for file in (home / ".ssh/plain", home / ".ssh/id_rsa", home / "victim", home / ".bashrc"):
        file.write_text("x\n")
    (project / "link").symlink_to(home / "dd")
    (project / "keys").symlink_to(home / ".ssh/config.d")
    (home / ".ssh/config.d").mkdir()
    (project / "inner").symlink_to("sub/deep/er")
    (project / "up").symlink_to("..")
    (home / "dd/back").symlink_to(project / "sub")
    (project / "sub/up").symlink_to("..")
    (project / "a.txt").write_text("a\n")
    (project / "notes.txt").symlink_to(home / ".ssh/plain")
    return project


def decision(command, where, profile="work", **changed):
    # What is below a directory for temporary files would not count as a place outside.
    facts = read_facts(str(where), {**os.environ, **changed})
    facts.temporary = ()
    return decide(command, library(), Rules(profile), facts)


@pytest.mark.parametrize(
    "command",
    [
        "touch link/../x",
        "touch ./link/.././x",
        "touch sub/../link/../x",
        "rm -rf link/../victim",
        "rm link/back",  # the link itself, and it is not in the project
        "mv link/back b",
        "curl -s https://example.com/x -o link/../bin",
        "sed -i s/a/b/ link/../f",
        "echo x > link/../x",
        "echo x | tee link/../x",
        "cp a.txt sub/../link/../x",
        "cp a.txt inner/../../../link/../x",
        "cd link/.. && cp a.txt sub/../link/../x",
        "cd link && touch ../x",
        "cd link/.. && touch link/../x",
        "cd -P link/.. && touch x",
        "cd -P link/..; touch x",
        "cd -P -- link/..; touch x",
        "cd -eP link/..; touch x",
        "set -P; cd link/..; touch x",
        "set -eP && cd link/.. && touch x",
        "set -o physical; pushd link/..; touch x",
        "setopt CHASE_LINKS; cd link/..; touch x",
        "setopt chasedots; cd link/..; touch x",
        "set -w; cd link/..; touch x",
        "eval 'set -P'; cd link/..; touch x",
        "bash -P -c 'cd link/..; touch x'",
        "env -C link/.. touch x",
        "cd link/../own && touch x",  # bash goes there, because there is no ./own
        "git -C link/.. init own",
        "mkdir -p link/../own/x",
        "git -C link init",
        "rm -rf lin?/dd",
        "rm -rf l*/../victim",
        "cp a.txt l[i]nk/back",
        "tee lin[k]/back < a.txt",
        'python3 -c \'open("link/../x", "w").write("")\'',
        'python3 -c \'import os; os.chdir("link/.."); open("x", "w").write("")\'',
    ],
)
def test_a_way_back_from_a_link_leads_out_of_the_project(place, command):
    made = decision(command, place)
    assert made.verdict is Verdict.ASK
    assert made.effects & (Effect.OUTSIDE_WRITE | Effect.UNKNOWN)


@pytest.mark.parametrize(
    "command",
    [
        "touch inner/../x",
        "touch sub/../x",
        "touch sub/up/x",
        "cd inner && touch ../x",
        "cd inner/.. && touch x",
        "cd inner && touch x && cd .. && touch x",  # to the project, which bash knows as its parent
        "cd link/.. && touch x",
        "set -e; cd link/.. && touch x",
        "cd sub/deep/../.. && touch x",
        "rm -rf inner/../er",
        "cp a.txt sub/up/b.txt",
        "mv a.txt new/../b.txt",
        "ln -s sub l && touch l/x",
        "ln -s a.txt l && cat l",
        "ln -s ../sub a/l && touch a/l/x",
        "mv a c && touch c/x",
        "cp -r a c && sed -i s/a/b/ c/x",
        "mkdir d && mv a.txt d/ && touch d/x",
    ],
)
def test_a_way_back_that_stays_in_the_project_is_allowed(place, command):
    assert decision(command, place).verdict is Verdict.ALLOW


@pytest.mark.parametrize(
    ("command", "verdict"),
    [
        ("cat keys/../plain", "ask"),
        ("head -1 < keys/../plain", "ask"),
        ("cd keys && cat ../plain", "ask"),
        ("cat keys/../../dd/../.ssh/plain", "ask"),
        ("grep x keys/../plain", "ask"),
        ("grep -r x keys/..", "ask"),
        ("cat key*/../plain", "ask"),
        ("cat n*s.txt", "ask"),
        ("cat sub/*/../up/a.tx?", "allow"),
        ("cat inner/../a.txt", "allow"),
        ("cat sub/../a.txt", "allow"),
    ],
)
def test_reading_follows_links_before_it_goes_back(place, command, verdict):
    assert decision(command, place, "default").verdict == verdict


@pytest.mark.parametrize(
    ("before", "command"),
    [
        ("ln -s ../.. a/b/l", "touch a/b/l/../x"),
        ("ln -s ../.. a/b/l", "cd a/b/l && touch ../x"),
        ("ln -s ../.. a/b/l", "cd -P a/b/l/..; touch x"),
        ("ln -s ../.. a/b/l", "echo x > a/b/l/../x"),
        ("ln -sr sub/.. a/b/l", "touch a/b/l/../x"),
        ("cd a/b && ln -s ../.. ../../l && cd ../..", "touch l/x"),
        ("cp -s link/f l", "touch l"),
        ("ln -s .. l", "touch l/x"),
        ("ln -s ..", "touch x/../../x"),
        ("ln -s up l", "touch l/x"),
        ("ln -st a/b ../../..", "touch a/b/../../../x"),
        ("mkdir -p link2; false && ln -sfn ../.. a/link2", "touch a/link2/x"),
        ("ln -s a l; ln -sfn sub l; ln -s l/../.. m", "touch m/x"),
        ("mkdir -p c/d; ln -s ../.. c/d/l", "touch c/d/l/../x"),
        ("mv sub/up .", "touch up/x"),
        ("mv sub/up l", "touch l/x"),
        ("cp -a sub/up l", "touch l/x"),
        ("cp -r sub s; mv s/up .", "touch up/x"),
        ("mv sub/deep deep; mv deep/top .", "touch top/x"),
        ("ln -s ../.. a/b/l; mv a/b/l l", "touch l/x"),
        ("ln -s l l", "touch l/../../x"),
        ("bash -c 'ln -s ../.. a/b/l'", "touch a/b/l/../x"),
        ("x=../..; ln -s $x a/b/l", "touch a/b/l/../x"),
        ("f() { ln -s ../.. a/b/l; }; f", "touch a/b/l/../x"),
    ],
)
def test_a_link_that_the_line_makes_is_followed(place, before, command):
    (place / "sub/deep/top").symlink_to("../..")
    made = decision(f"{before}; {command}", place)
    last = [leaf for leaf in made.leaves() if leaf.start >= len(before)]
    assert any(leaf.effects & Effect.OUTSIDE_WRITE for leaf in last)


def test_a_link_that_the_line_makes_hides_none_that_is_there(place):
    made = decision("ln -sfn sub keys || true; cat keys/../plain", place)
    assert made.effects & Effect.SECRETS


def test_the_shell_may_know_its_directory_by_a_link(place, home):
    (home / "own/here").symlink_to(place / "sub/deep")
    seen = decision("cd .. && touch x", place / "sub/deep", PWD=str(home / "own/here"))
    assert seen.effects & Effect.OUTSIDE_WRITE
    assert decision("cd .. && touch x", place / "sub/deep").verdict is Verdict.ALLOW


@pytest.mark.parametrize(
    "command", ["cat second", "head -1 < second", "cp second b", "grep x second"]
)
@pytest.mark.parametrize("known", [".ssh/id_rsa", ".ssh/of-work", ".netrc", "project/.env"])
def test_another_name_of_a_secret_is_one(place, home, command, known):
    file = place / ".env" if known == "project/.env" else home / known
    file.write_text("x\n")
    os.link(file, place / "sub/second")
    (place / "second").symlink_to("sub/second")
    assert decision(command, place).effects & Effect.SECRETS
    assert decision(f"cd sub && {command}", place).effects & Effect.SECRETS


@pytest.mark.parametrize("command", ["cp a.txt second", "echo x >> second", "tee second < a.txt"])
def test_another_name_of_a_file_that_a_shell_reads_is_guarded(place, home, command):
    os.link(home / ".bashrc", place / "second")
    made = decision(command, place)
    assert made.effects & Effect.GUARDED_WRITE
    assert made.verdict is Verdict.ASK
    for kind, access in ((Effect.GUARDED_WRITE, WRITES), (Effect.SECRETS, READS)):
        (place / "third").unlink(missing_ok=True)
        os.link(home / (".bashrc" if access == WRITES else ".ssh/id_rsa"), place / "third")
        facts = read_facts(str(place), os.environ)
        use = FileUse(str(place / "third"), access)
        assert decide_files([use], library(), Rules(), facts).effects & kind


def test_a_file_with_two_ordinary_names_is_an_ordinary_file(place):
    os.link(place / "a.txt", place / "b.txt")
    assert decision("cat b.txt", place, "default").verdict is Verdict.ALLOW
    assert decision("echo x >> b.txt", place).verdict is Verdict.ALLOW


def test_the_directories_are_those_that_bash_goes_to(place):
    """The premise of these cases: plain `cd` goes by the text, all else where the kernel does."""
    said = {}
    for cd in ("cd link/..", "cd -P link/..", "set -P; cd link/..", "cd link/../own", "cd /; cd -"):
        ran = subprocess.run(
            ["bash", "-c", f"{cd} >/dev/null 2>&1; pwd -P"],
            cwd=place, capture_output=True, text=True, check=True,
        )  # fmt: skip
        said[cd] = ran.stdout.strip()
    home = os.environ["HOME"]
    assert said["cd link/.."] == said["cd /; cd -"] == str(place)
    assert said["cd -P link/.."] == said["set -P; cd link/.."] == home
    assert said["cd link/../own"] == f"{home}/own"

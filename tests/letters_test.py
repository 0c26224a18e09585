"""Names in other letters, on a file system that takes them for the same.

Where pytest has its directories: on a Mac that is so, and on Linux `make test-letters` has some.
"""

from __future__ import annotations

import os
import subprocess
import unicodedata
from pathlib import Path

import pytest

from laconic.box.plan import make_plan
from laconic.engine import decide
from laconic.files import may_ignore_case
from laconic.letters import Spelling, spelled
from laconic.reading.facts import read_facts
from laconic.settings import trust
from laconic.settings.load import read_settings
from laconic.undo.reach import Reach
from laconic.undo.restore import undo
from laconic.undo.store import Store
from undo.kills import run

CASES = Path(__file__).parent / "cases/letters"
CONFIGURED = '[paths]\nnever_write = ["never"]\n'
FILES = {
    "README.md": "one\n",
    "Makefile": "all:\n\techo\n",
    "run.sh": "echo\n",
    ".env": "A=b\n",
    "src/Main.py": "print('one')\n",
    "src/sub/a.py": "a\n",
    "build/out.o": "o\n",
    "never/a": "a\n",
    ".gitignore": "build\n.env\n",
    ".laconic/config.toml": CONFIGURED,
}


def rows(name):
    return [row for row in (CASES / name).read_text().splitlines() if row[:1] not in ("", "#")]


def ignoring(directory):
    """The directory, where names in other letters are the same; else the test is skipped."""
    (directory / "Probe").touch()
    if not (directory / "pROBE").exists():
        pytest.skip("no directory that ignores case: make test-letters")
    return directory


def made(place):
    """A repository with a commit, in a directory that is called Project, and a home."""
    project, home = place / "Project", place / "Home"
    for name, text in FILES.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)
    line = "git init -q; git add -A; git -c user.name=a -c user.email=a@b commit -qm x"
    subprocess.run(["bash", "-c", line], cwd=project, check=True)
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh/id_rsa").write_text("x")
    (home / "notes").mkdir()
    return project


@pytest.fixture(scope="module")
def standing(tmp_path_factory):
    """One project for all tests that change nothing."""
    return made(ignoring(tmp_path_factory.mktemp("standing")))


@pytest.fixture
def proj(tmp_path):
    return made(ignoring(tmp_path))


def in_other_letters(path):
    return path.parent / path.name.swapcase()


def filled(command, project):
    home = project.parent / "Home"
    for mark, path in (
        ("@project", project), ("@PROJECT", in_other_letters(project)),
        ("@home", home), ("@HOME", in_other_letters(home)),
    ):  # fmt: skip
        command = command.replace(mark, str(path))
    return command


# -- the gate --------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", rows("same.cases"))
def test_names_in_other_letters_are_judged_as_the_same(line, standing, monkeypatch):
    monkeypatch.setenv("HOME", str(standing.parent / "Home"))
    usual, other = (filled(one.strip(), standing) for one in line.split("==", 1))
    for profile in ("default", "work"):
        monkeypatch.setenv("LACONIC_PROFILE", profile)
        expected, *others = (
            (decision.verdict, decision.effects)
            for directory in (standing, in_other_letters(standing))
            for command in (usual, other)
            for decision in [decide(command, directory, read_settings(cwd=directory))]
        )
        assert others == [expected] * 3


def test_the_project_has_the_name_that_is_on_the_disk(standing):
    facts = read_facts(str(in_other_letters(standing) / "SRC"), dict(os.environ))
    assert (facts.project, facts.cwd) == (str(standing), str(standing / "src"))


def test_what_is_not_there_yet_has_the_letters_of_its_first_name(standing):
    spelling = Spelling()
    assert spelling.of(f"{standing}/SRC/New/a") == f"{standing}/src/New/a"
    assert spelling.of(f"{standing}/src/new/A") == f"{standing}/src/New/a"


# -- what lasts ------------------------------------------------------------------------------------


def test_a_project_is_trusted_by_every_name(proj):
    state = read_settings(cwd=proj).directories.state
    assert not read_settings(cwd=proj).project.trusted
    trust.pin(state, trust.take_snapshot(read_settings(cwd=in_other_letters(proj)).project.root))
    for name in (proj, in_other_letters(proj), in_other_letters(proj) / "SRC"):
        found = read_settings(cwd=name).project
        assert (found.root, found.trusted) == (proj, True)
    (proj / ".laconic/config.toml").write_text(f"{CONFIGURED}# more\n")
    assert not read_settings(cwd=in_other_letters(proj)).project.trusted


def pictured(project):
    """Names and contents, without what git keeps for itself."""
    found = {}
    for directory, folders, files in os.walk(project):
        folders[:] = [name for name in folders if name != ".git"]
        for name in (*folders, *files):
            path = Path(directory, name)
            found[os.path.relpath(path, project)] = path.read_bytes() if path.is_file() else ""
    return found


@pytest.mark.parametrize("line", rows("undo.cases"))
@pytest.mark.parametrize("is_other", [False, True])
def test_what_other_letters_change_comes_back_under_its_own_name(line, is_other, proj):
    line = filled(line, proj)
    before = pictured(proj)
    store = Store(proj.parent / "state")
    keep = run(store, line, in_other_letters(proj) if is_other else proj)
    left = pictured(proj)
    assert left != before
    again = undo(store, keep)
    assert pictured(proj) == before
    undo(store, store.find(again))
    assert {name.lower() for name in pictured(proj)} == {name.lower() for name in left}


def test_a_file_has_one_place_by_whatever_name(standing):
    reach = Reach(Spelling().of)
    for name in ("README.md", "readme.md", "SRC/../README.MD"):
        reach.add(f"{standing}/{name}")
        reach.add(f"{in_other_letters(standing)}/{name}")
    assert [place.path for place in reach.places.values()] == [f"{standing}/README.md"]


# -- the box ---------------------------------------------------------------------------------------


def planned(project):
    environ = {**os.environ, "HOME": str(project.parent / "Home")}
    return make_plan(str(project), read_settings(cwd=project), environ)


def test_the_box_of_a_project_is_one_by_every_name(standing):
    usual, other = planned(standing), planned(in_other_letters(standing))
    for name in ("project", "directory", "write", "guarded", "missing"):
        assert getattr(other, name) == getattr(usual, name), name


def test_what_is_guarded_is_so_under_the_name_that_it_has(proj):
    (proj / ".VSCode").mkdir()
    (proj / ".VSCode/settings.json").write_text("{}")
    plan = planned(proj)
    assert any(path.startswith(str(proj / ".VSCode")) for path in plan.guarded)
    assert not any("/.vscode" in path for path in plan.missing)


def test_a_secret_is_hidden_under_the_name_that_it_has(proj):
    secret = proj.parent / "Home/.AWS"
    secret.mkdir()
    assert str(secret) in planned(proj).hidden


# -- the letters themselves ------------------------------------------------------------------------


def test_one_file_by_two_forms_of_unicode(tmp_path):
    """APFS finds a name by each of its forms, and so does ext4 where it ignores case."""
    place = ignoring(tmp_path)
    name = "Caf\N{LATIN SMALL LETTER E WITH ACUTE}"
    (place / name).mkdir()
    other = unicodedata.normalize("NFD", name)
    if not (place / other).exists():
        pytest.skip("this file system ignores case, but tells apart the forms of Unicode")
    assert spelled(f"{place}/{other}/a", around=str(place)) == f"{place}/{name}/a"


def test_two_names_of_a_directory_that_tells_them_apart_stay_two(tmp_path):
    if (tmp_path.parent / tmp_path.name.swapcase()).exists():
        pytest.skip("this file system ignores case")
    for name in ("Project", "pROJECT"):
        (tmp_path / name / ".git").mkdir(parents=True)
    (tmp_path / "Project/a").touch()
    assert may_ignore_case(f"{tmp_path}/Project")
    spelling = Spelling()
    for name in ("Project", "pROJECT", "project", "Project/a", "Project/A", "pROJECT/A"):
        assert spelling.of(f"{tmp_path}/{name}") == f"{tmp_path}/{name}"
    assert read_facts(f"{tmp_path}/pROJECT", {}).project == f"{tmp_path}/pROJECT"

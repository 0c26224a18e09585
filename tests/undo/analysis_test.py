"""What a command may change, by its words: places and doubts."""

from __future__ import annotations

import os
import subprocess

import pytest

from laconic.undo import find_xargs
from laconic.undo.analysis import reach_of, reach_of_line
from laconic.undo.reach import COPY, HARD_LINK, METADATA

CASES = [
    ("rm a b", {"a": HARD_LINK, "b": HARD_LINK}),
    ("x=a; rm $x", {"a": HARD_LINK}),
    ("mv a b", {"a": COPY, "b": HARD_LINK}),
    ("mv -b a b", {"a": COPY, "b": COPY, "b~": COPY}),
    ("mv a dir", {"a": COPY, "dir/a": HARD_LINK}),
    ("mv a new; echo x > new", {"a": COPY, "new": COPY}),
    ("cp a b", {"b": COPY}),
    ("cp -t dir a b", {"dir/a": COPY, "dir/b": COPY}),
    ("cp a link", {"link": COPY, "b": COPY}),
    ("chmod 700 a", {"a": METADATA}),
    ("chmod 700 a; echo x >> a", {"a": COPY}),
    ("sed -i s/x/y/ a", {"a": HARD_LINK}),
    ("sed -i.bak s/x/y/ a", {"a": COPY, "a.bak": COPY}),
    ("echo x > link", {"b": COPY}),
    ("cd dir && rm c", {"dir/c": HARD_LINK}),
    ("cd dir; rm ../a", {"a": HARD_LINK}),
    ("(cd dir; echo x > c)", {"dir/c": COPY}),
    ("for f in a b; do rm $f.o; done", {"a.o": HARD_LINK, "b.o": HARD_LINK}),
    ("env nice -n 5 rm a", {"a": HARD_LINK}),
    ("bash -c 'sh -c \"rm a\"'", {"a": HARD_LINK}),
    ("find . -name c -delete", {"dir/c": HARD_LINK}),
    ("find . -name c -not -path './x/*' ! -name d -delete", {"dir/c": HARD_LINK}),
    ("find . -name c -not -path './x/*' -exec rm -rf {} +", {"dir/c": HARD_LINK}),
    ("find dir -type f -exec truncate -s 0 {} +", {"dir/c": COPY}),
    ("find . -name c | xargs rm", {"dir/c": HARD_LINK}),
    ("dd if=a of=b", {"b": COPY}),
    ("sort -ob a", {"b": COPY}),
    ("tee -a a b <<< x", {"a": COPY, "b": COPY}),
    ("gzip a", {"a": HARD_LINK, "a.gz": COPY}),
    ("ln -sf a link", {"link": HARD_LINK}),
    ("rm dir/", {"dir": HARD_LINK}),
    ("rm ./dir/../a", {"a": HARD_LINK}),
    ("ruff format -q a", {"a": COPY, ".ruff_cache": COPY}),
    ("ruff check --fix dir/c", {"dir/.ruff_cache": COPY, ".ruff_cache": COPY}),
    ("php-cs-fixer fix dir/c", {"dir/c": COPY, ".php-cs-fixer.cache": COPY}),
]


@pytest.fixture
def project(tmp_path):
    (tmp_path / "dir").mkdir()
    for name in ("a", "b", "dir/c"):
        (tmp_path / name).write_text(name)
    (tmp_path / "link").symlink_to("b")
    return tmp_path


@pytest.mark.parametrize(("line", "places"), CASES, ids=[line for line, _ in CASES])
def test_a_known_command_names_its_places(line, places, project):
    reach = reach_of_line(line, str(project), {"NAME": "from-environment"})
    assert reach.doubts == []
    found = {os.path.relpath(place.path, project): place.how for place in reach.places.values()}
    assert places.items() <= found.items()


READING = (
    "cat a", "ls -la", "echo $x", "grep -r x .", "git status", "git log -p", "find . -name x",
    "sed -n 1p a", "tar tf a.tar", "git diff", "sort a | uniq | head", "cat < a", "rsync -n a b",
)  # fmt: skip


@pytest.mark.parametrize("line", READING)
def test_a_command_that_only_reads_has_no_places(line, project):
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    reach = reach_of_line(line, str(project), {})
    assert not reach
    assert reach.doubts == []


def test_words_that_are_final_are_no_patterns(project):
    (project / "x*").write_text("odd")
    (project / "xy").write_text("other")
    reach = reach_of(["rm", "x*"], str(project), {})
    assert [place.path for place in reach.places.values()] == [str(project / "x*")]


def test_a_doubt_after_cd_is_about_the_project_there(project, tmp_path_factory):
    other = tmp_path_factory.mktemp("other")
    subprocess.run(["git", "init", "-q"], cwd=other, check=True)
    reach = reach_of_line(f"cd {other} && frobnicate", str(project), {})
    assert str(other) in reach.around


DOUBTED = (
    "rm $NAME", "env X=1 rm a", "trap 'rm a' EXIT", "IFS=,; rm a,b", "read NAME; rm $NAME",
    "printf -v NAME a; rm $NAME",
    "declare NAME=$x; rm $NAME", "tree -o a", "file -C -m a", "ln a q; rm a; echo x > q",
    "ln -s dir l; rm l/c", "cp -l a q; echo x > q", "ruff clean",
    "git rm -f --pathspec-from-file=names", "git checkout :/text",
    "git checkout-index -a --prefix=x/",
    "git read-tree --prefix=x -u HEAD", "git apply --build-fake-ancestor=x p", "git config --edit",
    "patch -p1 < missing.patch", "patch -p1 -i missing.patch", "git apply < missing.patch",
    "git --work-tree=dir checkout -- a", "GIT_WORK_TREE=dir git checkout -- a",
    "export GIT_WORK_TREE=dir; git checkout -- a", "GIT_DIR=x; export GIT_DIR; git reset --hard",
)  # fmt: skip


@pytest.mark.parametrize("line", DOUBTED)
def test_what_is_not_certain_before_it_runs_is_doubted(line, project):
    setup = "git init -q && git add a && git -c user.name=a -c user.email=a@b commit -qm x"
    subprocess.run(["bash", "-c", setup], cwd=project, check=True)
    assert reach_of_line(line, str(project), {"NAME": "a"}).doubts


def test_a_merge_after_a_directory_was_renamed_is_doubted(project):
    setup = (
        "git init -q -b main; git config user.name a; git config user.email a@b; git add -A;"
        " git commit -qm x; git checkout -qb side; echo n > dir/new; git add -A; git commit -qm y;"
        " git checkout -q main; git mv dir moved; git commit -qm z"
    )
    subprocess.run(["bash", "-c", setup], cwd=project, check=True)
    for line in ("git merge side", "git rebase side", "git cherry-pick side"):
        assert "git " in reach_of_line(line, str(project), {}).doubts[0]
    subprocess.run(["git", "checkout", "-q", "side~1"], cwd=project, check=True)
    assert reach_of_line("git merge side", str(project), {}).doubts == []


@pytest.mark.parametrize("bound", ["_MOST_LOOKED", "_MOST_S", "_MOST"])
def test_a_search_that_would_take_too_long_is_a_doubt(bound, project, monkeypatch):
    monkeypatch.setattr(find_xargs, bound, -1)
    reach = reach_of_line("find . -name c -delete", str(project), {})
    assert reach.doubts == ["find: it looks at too many files"]

"""Files and directories of a checkout that choose what programs run, in real directories."""

from __future__ import annotations

import pytest

from laconic import engine
from laconic.catalog import library
from laconic.policy.decide import decide
from laconic.policy.places import Facts
from laconic.policy.rules import Rules
from laconic.settings import process_environment, read_settings
from laconic.types import Verdict


@pytest.fixture
def project(tmp_path, monkeypatch):
    directory = tmp_path / "project"
    (directory / ".git").mkdir(parents=True)
    monkeypatch.chdir(directory)
    return directory


def verdict(command, cwd):
    request = engine.Request(command, str(cwd), process_environment())
    return engine.decide(request, read_settings()).decision.verdict.word


def test_a_directory_of_the_checkout_that_looks_like_a_repository_asks(project):
    for made in ("inner", "evil/objects", "evil/hooks", "linked"):
        (project / made).mkdir(parents=True)
    (project / "evil" / "HEAD").write_text("ref: refs/heads/main")
    (project / "linked" / "HEAD").write_text("ref: refs/heads/main")
    (project / "linked" / "commondir").write_text("../inner")
    (project / "short").symlink_to("evil/hooks")
    assert verdict("git status", project) == "allow"
    assert verdict("cd inner && git status", project) == "allow"
    for where in ("evil", "evil/hooks", "linked", "short"):
        assert verdict("git status", project / where) == "ask"
        assert verdict(f"cd {where} && git log", project) == "ask"
        assert verdict(f"git -C {project}/{where} diff", project) == "ask"
    assert verdict("git -C .. status", project / "inner") == "allow"
    assert verdict("git -C ../evil status", project / "inner") == "ask"


def test_the_top_of_the_work_tree_is_known(project, monkeypatch):
    (project / "inner" / "deeper").mkdir(parents=True)
    to_the_top = 'cd "$(git rev-parse --show-toplevel)" && git status'
    assert verdict(to_the_top, project) == "allow"
    assert verdict(to_the_top, project / "inner" / "deeper") == "allow"
    assert verdict(f"git() {{ echo /x; }}; {to_the_top}", project) == "ask"
    monkeypatch.setenv("GIT_WORK_TREE", "/x")
    assert verdict(to_the_top, project) == "ask"


def test_a_repository_of_ones_own_without_a_work_tree_does_not_ask(tmp_path):
    (tmp_path / "objects").mkdir()
    (tmp_path / "HEAD").write_text("ref: refs/heads/main")
    assert verdict("git log", tmp_path) == "allow"


def test_a_list_of_languages_may_name_libraries(project):
    assert verdict("ast-grep run -p 'a($B)' -l js", project) == "allow"
    (project / "sgconfig.yml").write_text("customLanguages: {x: {libraryPath: evil.so}}")
    assert verdict("ast-grep run -p 'a($B)' -l js", project) == "ask"


@pytest.mark.parametrize(("command", "made"), [("hg status", ".hg"), ("jj log", ".jj/repo")])
def test_a_repository_of_another_kind_in_a_checkout_asks(project, tmp_path, command, made):
    assert verdict(command, project) == "allow"
    for root in (project, tmp_path / "own"):
        (root / made).mkdir(parents=True)
        (root / made / "config.toml").write_text("")
    assert verdict(command, project) == "ask"
    assert verdict(f"cd inner; {command}", project) == "ask"
    assert verdict(command, tmp_path / "own") == "allow"


def test_a_link_in_a_directory_of_the_system_is_followed(project):
    def real_path(path):
        return path.replace("/usr/local/bin/rg", f"{project}/rg").replace("/bin/", "/usr/bin/")

    facts = Facts(cwd=str(project), real_path=real_path)
    assert decide("/bin/ls", library(), Rules(), facts).verdict is Verdict.ALLOW
    assert decide("/usr/local/bin/rg x", library(), Rules(), facts).verdict is Verdict.ASK

"""Lines that somebody is asked about keep what they destroy, right before they run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hook_fixture import ask_here, ask_hook
from laconic.agents.load import DATA, load
from laconic.undo.restore import undo
from laconic.undo.store import Store

BIN = Path(sys.executable).parent


@pytest.fixture
def agent(tmp_path, home, monkeypatch):
    monkeypatch.setenv("LACONIC_NO_SERVER", "1")
    monkeypatch.setenv("PATH", f"{BIN}:{os.environ['PATH']}")
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return Agent(tmp_path / "project", home)


class Agent:
    """A project, and an agent that sends lines to the hook and runs what comes back."""

    def __init__(self, project, home):
        self.project, self.home = project, home
        project.mkdir()
        for name in ("a", "b"):
            (project / name).write_text(f"{name}\n")
        setup = "git init -q && git add . && git -c user.name=a -c user.email=a@b commit -qm x"
        subprocess.run(["bash", "-c", setup], cwd=project, check=True)
        self.settings('soft = "ask"')
        self.store = Store(home / ".local/state/laconic")

    def settings(self, line, profile="default"):
        path = self.home / ".config/laconic/config.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'[settings]\nprofile = "{profile}"\n{line}\n')

    def hook(self, line, **fields):
        return ask_here(line, self.project, **fields)

    def hook_of_its_own(self, line):
        """The same by the program, which takes a hundred times as long to start as to answer."""
        return ask_hook([BIN / "laconic-py"], line, self.project)

    def run(self, line):
        return subprocess.run(
            ["bash", "-c", line], cwd=self.project, capture_output=True, text=True, check=False
        )


LINES = {
    "rm a b": "run --undo",
    "git checkout -- a": "run --undo",
    "rm a && git push": "run --undo",
    "cd . && rm a": "run --undo",
    "echo x > a": "undo --hold",
    "cat > a <<E\nx\nE": "undo --hold",
    "rm a; echo x >> b": "undo --hold",
    "for f in a b; do echo x > $f; done": "undo --hold",
    ": > a": "undo --hold",
}


@pytest.mark.parametrize(("line", "how"), LINES.items())
def test_a_line_that_is_asked_about_keeps_what_is_there_when_it_runs(agent, line, how):
    said, text = agent.hook_of_its_own(line)
    assert (said, how in text) == ("ask", True), text
    (agent.project / "a").write_text("written while the person thought\n")
    (agent.project / "b").write_text("that, too\n")
    agent.run(text)
    assert (agent.project / "a").exists() == ("rm" not in line)
    agent.hook("ls")  # looks what became of it
    undo(agent.store, agent.store.find("last"))
    assert (agent.project / "a").read_text() == "written while the person thought\n"
    assert (agent.project / "b").read_text() == "that, too\n"


@pytest.mark.parametrize("line", LINES)
def test_it_does_to_the_rest_what_it_would_have_done(agent, line):
    status = agent.run(line).returncode
    plain = agent.run("cat a b").stdout
    agent.run("git checkout -q -- .")
    said, text = agent.hook(line)
    assert said == "ask"
    assert agent.run(text).returncode == status
    assert agent.run("cat a b").stdout == plain


def test_nothing_is_kept_if_the_person_says_no(agent):
    agent.hook("rm a")
    agent.hook("echo x > a")
    agent.hook("ls")
    assert list(agent.store.keeps()) == []


def test_a_line_that_destroys_nothing_stays_as_it_is(agent):
    for line in ("mkdir new", "echo x > fresh", "git push"):
        said, text = agent.hook(line)
        assert said == "ask"
        assert "undo" not in text


def test_what_is_left_to_the_agents_own_question_has_no_rewrite(agent):
    agent.settings("")
    assert agent.hook("rm a") == (None, "rm a")
    assert agent.hook("echo x > a") == (None, "echo x > a")


SENT = {
    "claude-code": {},
    "codex": {},
    "copilot": {"toolName": "bash", "toolArgs": {"command": ""}, "timestamp": 1},
    "gemini": {"hook_event_name": "BeforeTool", "tool_name": "run_shell_command"},
}


@pytest.mark.parametrize("name", SENT)
@pytest.mark.parametrize("line", ["rm -r d a", "echo x > a", "git checkout -- a"])
def test_what_a_person_approves_in_the_agents_own_dialog_can_be_undone(agent, name, line):
    agent.settings("")
    (agent.project / "a").write_text("two days of work\n")
    (agent.project / "d").mkdir()
    (agent.project / "d/c").write_text("c\n")
    fields = dict(SENT[name])
    if "toolArgs" in fields:
        fields["toolArgs"] = {"command": line}
    said, text = agent.hook(line, agent=name, **fields)
    assert (said, text) == (None, line)
    agent.run(line)
    done = agent.run("laconic undo --yes")
    assert done.returncode == 0, done.stderr
    assert (agent.project / "a").read_text() == "two days of work\n"
    assert (agent.project / "d/c").read_text() == "c\n"


@pytest.mark.parametrize("soft", ["", 'soft = "ask"'])
@pytest.mark.parametrize("line", ["rmdir empty", "rm -r empty", "rmdir -p empty", "mv empty new"])
def test_an_empty_directory_comes_back_and_no_older_line_does(agent, line, soft):
    agent.settings(soft)
    (agent.project / "empty").mkdir(mode=0o750)
    agent.run(agent.hook("rm a")[1])
    _, text = agent.hook(line)
    assert agent.run(text).returncode == 0
    agent.hook("ls")
    undo(agent.store, agent.store.find("last"))
    assert (agent.project / "empty").stat().st_mode & 0o777 == 0o750
    assert not (agent.project / "new").exists()
    assert not (agent.project / "a").exists()


def test_a_no_hides_nothing_that_can_be_undone(agent):
    agent.settings("")
    agent.hook("rm a")
    agent.run("rm a")
    agent.hook("rm b")
    assert agent.run("laconic undo --yes").returncode == 0
    assert (agent.project / "a").exists()
    assert agent.run("laconic undo --yes").returncode == 1


def test_more_than_a_hook_may_keep_is_not_kept_and_undo_says_so(agent):
    agent.settings("")
    (agent.project / "d").mkdir()
    for number in range(4001):
        (agent.project / f"d/{number}").touch()
    agent.hook("rm -r d")
    agent.run("rm -r d")
    done = agent.run("laconic undo --yes")
    assert done.returncode == 1
    assert "rm -r d: cannot be undone: more than 4,000 files" in done.stderr


def many(directory):
    directory.mkdir()
    for number in range(4001):
        (directory / str(number)).touch()


def test_a_no_to_more_than_a_hook_may_keep_stands_in_no_way(agent):
    agent.settings("")
    many(agent.project / "d")
    agent.hook("rm a")
    agent.run("rm a")
    agent.hook("rm -r d")
    done = agent.run("laconic undo --yes")
    assert (done.returncode, done.stderr) == (0, "")
    assert (agent.project / "a").exists()


def test_a_no_does_not_hide_what_was_not_kept_before_it(agent):
    agent.settings("")
    agent.hook("rm a")
    agent.run("rm a")
    for name in ("d", "e"):
        many(agent.project / name)
        agent.hook(f"rm -r {name}")
        if name == "d":
            agent.run("rm -r d")
    done = agent.run("laconic undo --yes")
    assert done.returncode == 1
    assert "rm -r d: cannot be undone: more than 4,000 files" in done.stderr
    assert not (agent.project / "a").exists()


def test_what_was_not_kept_elsewhere_stands_in_no_way(agent, tmp_path):
    agent.settings("")
    agent.hook("rm a")
    agent.run("rm a")
    other = tmp_path / "other"
    subprocess.run(["git", "init", "-q", other], check=True)
    many(other / "d")
    ask_here("rm -r d", other)
    subprocess.run(["rm", "-r", other / "d"], check=True)
    done = agent.run("laconic undo --yes")
    assert (done.returncode, done.stderr) == (0, "")
    done = agent.run(f"cd {other} && laconic undo --yes")
    assert "rm -r d: cannot be undone: more than 4,000 files" in done.stderr


def test_the_list_names_the_projects_if_there_are_several(agent, tmp_path):
    agent.settings("")
    agent.hook("rm a")
    agent.run("rm a")
    assert str(agent.project) not in agent.run("laconic undo --list").stdout
    other = tmp_path / "other"
    subprocess.run(["git", "init", "-q", other], check=True)
    (other / "f").write_text("f\n")
    ask_here("rm f", other)
    (other / "f").unlink()
    rows = agent.run("laconic undo --list").stdout.splitlines()
    ends = [row.split()[-3:] for row in rows]
    assert ends == [[str(other), "rm", "f"], [str(agent.project), "rm", "a"]]


@pytest.mark.parametrize("line", ["echo x > a && laconic undo --yes", "echo x > a; laconic undo"])
def test_an_undo_in_the_line_itself_means_that_line(agent, line):
    agent.settings("", profile="work")
    agent.run(agent.hook("rm b")[1])
    _, text = agent.hook(line, permission_mode="bypassPermissions")
    done = agent.run(text)
    assert "undo" in done.stdout, done.stderr
    assert (agent.project / "a").read_text() == "a\n"
    assert not (agent.project / "b").exists()


@pytest.mark.parametrize("line", ["rm a", "echo x > a", "git checkout -- a"])
def test_in_a_mode_where_nobody_is_asked_it_is_kept_all_the_same(agent, line):
    agent.settings("")
    said, text = agent.hook(line, permission_mode="bypassPermissions")
    assert (said, "undo" in text) == (None, True)
    (agent.project / "a").write_text("two days of work\n")
    agent.run(text)
    agent.hook("ls")
    undo(agent.store, agent.store.find("last"))
    assert (agent.project / "a").read_text() == "two days of work\n"


def test_a_line_is_held_once_and_only_by_its_own_id(agent):
    text = agent.hook("echo x > a")[1]
    prefix = text.partition(";")[0]
    assert agent.run(prefix).returncode == 0
    assert agent.run(prefix).returncode == 0
    assert agent.run("laconic undo --hold ../../x; laconic undo --hold zzzzzz").returncode == 0
    assert len(list(agent.store.keeps())) == 1


def test_several_lines_at_a_time(agent):
    agent.settings("", profile="work")
    first = agent.hook("echo x > a")[1]
    second = agent.hook("echo x > b")[1]  # before the first has run
    agent.run(second)
    agent.run(first)
    agent.hook("ls")
    for keep in list(agent.store.keeps()):
        undo(agent.store, keep)
    assert (agent.project / "a").read_text() == "a\n"
    assert (agent.project / "b").read_text() == "b\n"


def test_a_refusal_is_said_and_the_line_runs(agent):
    (agent.home / ".config/laconic/config.toml").write_text(
        '[settings]\nsoft = "ask"\n[undo]\nstore_mb = 1\n'
    )
    (agent.project / "a").write_bytes(bytes(2 << 20))
    text = agent.hook("echo x > a")[1]
    done = agent.run(text)
    assert "no undo for this: more than 1 MB" in done.stderr
    assert (agent.project / "a").read_text() == "x\n"


def test_which_agents_take_a_rewrite_together_with_a_question():
    """Elsewhere a line that is asked about runs as it was typed, and nothing is kept of it."""
    asking = {"claude-code", "copilot", "droid", "pi", "vscode"}
    names = [path.stem for path in Path(DATA).glob("*.toml")]
    found = set()
    for name in names:
        try:
            made = load(name)
        except KeyError:
            continue  # it has no hooks
        if "ask" in made.rewrite_with:
            found.add(name)
    assert found == asking

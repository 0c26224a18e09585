"""Whole journeys: an agent's call goes into the hook, and what comes out of it is run for real."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import laconic
from box.conftest import LACONIC
from hook_fixture import ask_hook
from laconic.box import trial
from laconic.box.trial import try_box
from laconic.box.usable import is_usable, remember

pytestmark = pytest.mark.usefixtures("can_box")


@pytest.fixture
def journey(project, home, tmp_path, monkeypatch):
    monkeypatch.setenv("LACONIC_NO_SERVER", "1")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    assert try_box(dict(os.environ)).is_good
    return Journey(project, home, tmp_path)


class Journey:
    """A project with a script, and an agent that runs commands there."""

    def __init__(self, project, home, tmp_path):
        self.project, self.home = project, home
        self.outside = home / "other"
        self.outside.mkdir()
        self.tmp_path = tmp_path
        self.profile("default")

    def profile(self, name, further=""):
        path = self.home / ".config/laconic/config.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'[settings]\nprofile = "{name}"\n{further}')

    def script(self, name, text):
        path = self.project / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def hook(self, command, agent="claude-code", **fields):
        return ask_hook(LACONIC, command, self.project, agent, **fields)

    def run(self, text):
        return subprocess.run(
            ["bash", "-c", text], cwd=self.project, capture_output=True, text=True, check=False,
            timeout=60,
        )  # fmt: skip

    def laconic(self, *words):
        return subprocess.run(
            [*LACONIC, *words], cwd=self.project, capture_output=True, text=True, check=False,
        )  # fmt: skip


def test_the_projects_code_runs_at_once_and_reaches_nothing_else(journey):
    secret = journey.home / ".ssh/id_rsa"
    secret.parent.mkdir()
    secret.write_text("the key\n")
    journey.script(
        "x.sh", f"echo in > made; echo out > {journey.outside}/mark; cat {secret}; exit 3"
    )
    said, text = journey.hook("./x.sh; echo status $?")
    assert (said, "run --box ./x.sh" in text) == ("allow", True)
    done = journey.run(text)
    assert "status 3" in done.stdout
    assert "the key" not in done.stdout + done.stderr
    assert (journey.project / "made").exists()
    assert not (journey.outside / "mark").exists()


def test_a_link_that_is_left_behind_leads_nobody_astray(journey):
    journey.profile("work")
    target = journey.outside / "target"
    target.write_text("secret of another project\n")
    journey.script("x.sh", f"ln -sf {target} out; ln -sfn {journey.outside} way")
    for line in ("./x.sh; echo changed > out", "./x.sh && echo changed >> out"):
        said, text = journey.hook(line)
        assert said == "allow"
        journey.run(text)
        assert target.read_text() == "secret of another project\n"
        (journey.project / "out").unlink(missing_ok=True)
    (journey.project / "way").unlink()
    journey.script("y.sh", "touch by-y")
    (journey.outside / ".git").mkdir()
    journey.outside.joinpath("y.sh").write_text("#!/bin/sh\ntouch by-y\n")
    journey.outside.joinpath("y.sh").chmod(0o755)
    said, text = journey.hook("./x.sh; cd way; ./y.sh")
    assert said == "allow"
    journey.run(text)
    assert not (journey.outside / "by-y").exists()


def test_in_the_box_all_of_a_line_is_one_shell(journey):
    journey.script("x.sh", f"echo word; touch {journey.outside}/mark")
    said, text = journey.hook("echo got $(./x.sh)")
    assert said == "allow"
    assert journey.run(text).stdout == "got word\n"
    assert not (journey.outside / "mark").exists()


def test_without_a_box_the_answer_is_the_other_one(journey):
    journey.script("x.sh", "true")
    remember(dict(os.environ), is_good=False)
    assert journey.hook("./x.sh") == (None, "./x.sh")
    journey.profile("work")
    said, text = journey.hook("./x.sh")
    assert said == "allow"
    assert "--box" not in text


@pytest.mark.parametrize("change", ["other programs", "nothing known"])
def test_the_first_command_on_a_machine_is_judged_like_the_second(journey, change):
    journey.script("x.sh", "true")
    path = journey.home / ".local/state/laconic/box/usable"
    if change == "other programs":
        path.write_text(path.read_text().replace("\n", "\nanother program 1\n", 1))
    else:
        path.unlink()
    assert is_usable(dict(os.environ)) is None
    first = journey.hook("./x.sh")
    assert is_usable(dict(os.environ)) is True
    assert first == journey.hook("./x.sh")
    assert "--box" in first[1]


def test_a_machine_is_tried_again_after_a_day(journey):
    path = journey.home / ".local/state/laconic/box/usable"
    remember(dict(os.environ), is_good=False)
    assert is_usable(dict(os.environ)) is False
    os.utime(path, (0, 0))
    assert is_usable(dict(os.environ)) is None
    remember(dict(os.environ), is_good=True)
    os.utime(path, (0, 0))
    assert is_usable(dict(os.environ)) is True


def test_a_machine_that_was_too_slow_is_tried_again_soon(journey, monkeypatch):
    monkeypatch.setattr(trial, "_LIMIT_S", 0.001)
    assert not try_box(dict(os.environ)).is_good
    assert is_usable(dict(os.environ)) is False
    path = journey.home / ".local/state/laconic/box/usable"
    os.utime(path, (time.time() - 90,) * 2)
    assert is_usable(dict(os.environ)) is None


def test_settings_turn_it_off(journey):
    journey.script("x.sh", "true")
    journey.profile("default", "box = false\n")
    assert journey.hook("./x.sh") == (None, "./x.sh")
    journey.profile("default", '[effects]\nproject-code = "ask"\n')
    assert journey.hook("./x.sh") == (None, "./x.sh")
    journey.profile("default", '[effects]\nunknown = "box"\n')
    assert journey.hook("frobnicate")[0] == "allow"
    journey.profile("default", 'gate = "advise"\n')
    assert journey.hook("./x.sh")[0] is None


def test_what_the_users_rules_allow_runs_without_a_box(journey):
    journey.script("x.sh", "true")
    journey.profile("default", '[commands]\nallow = ["./x.sh"]\n')
    said, text = journey.hook("./x.sh")
    assert said == "allow"
    assert "--box" not in text


def test_in_plan_mode_and_in_the_sandbox_of_codex_nothing_is_boxed(journey, monkeypatch):
    journey.script("x.sh", "true")
    assert "--box" not in journey.hook("./x.sh", permission_mode="plan")[1]
    monkeypatch.setenv("CODEX_SANDBOX", "seatbelt")
    assert journey.hook("./x.sh") == (None, "./x.sh")


def test_check_and_explain_and_the_log_say_it(journey):
    journey.script("x.sh", "true")
    done = journey.laconic("check", "./x.sh")
    assert done.stdout.startswith("allow in the box  runs the file ./x.sh")
    assert "run --box ./x.sh" in done.stdout
    assert done.returncode == 0  # what is printed as allowed is allowed
    found = json.loads(journey.laconic("check", "--json", "./x.sh").stdout)
    assert (found["answer"], found["verdict"], found["box"]) == ("allow", "allow", True)
    assert journey.laconic("explain", "./x.sh").stdout.startswith("allow in the box")
    assert "allow in the box  ./x.sh" in journey.laconic("log", "--agent", "cli").stdout
    assert journey.laconic("check", "./x.sh && git push").stdout.startswith("ask  ")


def test_decide_judges_what_was_typed_where_check_and_a_gate_put_it_in_the_box(journey):
    journey.script("x.sh", "true")
    journey.profile("default")
    settings, place = laconic.load_settings(journey.project), str(journey.project)
    decision = laconic.decide("./x.sh", place, settings)
    assert (decision.verdict, decision.in_box) == ("ask", False)
    assert journey.laconic("check", "./x.sh").stdout.startswith("allow in the box")
    for box, verdict in ((False, "ask"), (True, "allow")):
        envelope = laconic.Gate(settings=settings, cwd=place, box=box).decide("./x.sh")
        assert envelope.verdict == verdict
        assert ("run --box" in envelope.command) == box
        as_run = laconic.decide(envelope.command, place, settings)
        assert as_run.verdict == verdict, "the text that a gate gives is allowed as it is"


# -- undo ------------------------------------------------------------------------------------------


def test_what_git_throws_away_comes_back(journey):
    journey.profile("work")
    (journey.project / "a").write_text("two days of work\n")
    said, text = journey.hook("git checkout -- a")
    assert (said, "run --undo git checkout" in text) == ("allow", True)
    done = journey.run(text)
    assert (journey.project / "a").read_text() == "a\n"
    assert "brings it back" in done.stderr
    assert journey.laconic("undo", "last", "--yes").returncode == 0
    assert (journey.project / "a").read_text() == "two days of work\n"


def test_in_default_it_is_asked_about(journey):
    (journey.project / "a").write_text("two days of work\n")
    assert journey.hook("git checkout -- a") == (None, "git checkout -- a")


def test_what_an_undo_cannot_hold_is_asked_about(journey):
    journey.profile("work")
    line = "git switch -q other && git checkout -- a"  # of which branch, is not known before
    assert journey.hook(line) == (None, line)
    line = "git checkout -- a && echo b > a"  # the hook itself would have to keep it
    assert journey.hook(line) == (None, line)
    with (journey.project / "large").open("wb") as file:
        file.truncate(600 << 20)
    assert journey.hook("truncate -s 0 large") == ("allow", "truncate -s 0 large")


def test_what_the_shell_overwrites_comes_back(journey):
    journey.profile("work")
    said, text = journey.hook("echo b > a")
    assert (said, text) == ("allow", "echo b > a")
    journey.run(text)
    journey.run(journey.hook("ls")[1])  # looks what became of it
    assert (journey.project / "a").read_text() == "b\n"
    assert "echo b > a" in journey.laconic("undo", "--list").stdout
    journey.laconic("undo", "last", "--yes")
    assert (journey.project / "a").read_text() == "a\n"


def test_what_a_function_removes_comes_back(journey):
    journey.profile("work")
    line = "clean() { rm -f a; }; clean"
    assert journey.hook(line) == ("allow", line)  # nothing can be written into its body
    journey.run(line)
    journey.run(journey.hook("ls")[1])
    journey.laconic("undo", "last", "--yes")
    assert (journey.project / "a").read_text() == "a\n"


def test_what_is_written_after_the_next_command_is_not_taken_back(journey):
    journey.profile("work")
    journey.run(journey.hook("echo b > a")[1])
    journey.run(journey.hook("ls")[1])
    (journey.project / "a").write_text("by the user\n")
    done = journey.laconic("undo", "last", "--yes")
    assert done.returncode == 1
    assert (journey.project / "a").read_text() == "by the user\n"


def test_nothing_is_kept_where_nothing_is_destroyed(journey):
    journey.profile("work")
    for line in ("mkdir new", "echo b > fresh", "touch c", "git add a"):
        said, text = journey.hook(line)
        assert (said, "--undo" in text) == ("allow", False)
        journey.run(text)
    assert "there is nothing to undo" in journey.laconic("undo", "--list").stderr

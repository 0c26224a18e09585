"""Commands that the agent runs in a sandbox of its own: no box there, and the hook itself keeps."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from hook_fixture import claude, decision_of
from laconic import contain
from laconic.agents.load import load
from laconic.permissions.sandbox import sandbox_of
from laconic.run.launcher import find_genuine
from laconic.undo.store import Store

SANDBOX = {"sandbox": {"enabled": True}}
UNASKED = {"sandbox": {"enabled": True, "autoAllowBashIfSandboxed": True}}


@pytest.fixture
def work(place, monkeypatch):
    """A repository in profile work on a machine that has a box."""
    place.configure('[settings]\nprofile = "work"\n')
    project = Path(place.project)
    (project / ".git").rmdir()
    (project / "f.txt").write_text("one\n")
    for words in (
        ["init", "-q"],
        ["add", "f.txt"],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one"],
    ):
        subprocess.run(["git", *words], cwd=project, check=True)
    (project / "f.txt").write_text("two\n")
    (project / "package.json").write_text('{"scripts": {"test": "true"}}')
    monkeypatch.setattr(contain.Machine, "has_box", lambda *_: True)
    return place


def settings(place, content, where=".claude/settings.json", *, of_project=False):
    path = Path(place.project if of_project else place.home, where)
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content))


def asked(place, command, **fields):
    call = claude(command)
    call["tool_input"].update(fields)
    given = place.answer("claude", call)
    if not given.stdout:
        return None, command
    answer = decision_of(given)
    text = answer.get("updatedInput", {}).get("command", command)
    plain = text.replace(find_genuine(place.environ, place.project)[0], "laconic")
    return answer.get("permissionDecision"), plain


def test_outside_of_a_sandbox_there_is_a_box(work):
    assert asked(work, "npm test") == ("allow", "laconic run --box npm test")
    verdict, text = asked(work, "git checkout -- f.txt")
    assert (verdict, "--undo" in text) == ("allow", True)


@pytest.mark.parametrize("of_project", [False, True])
def test_no_line_asks_for_a_box_or_an_undo_in_the_sandbox(work, of_project):
    settings(work, SANDBOX, of_project=of_project)
    verdict, text = asked(work, "npm test")
    assert verdict == "allow"
    assert text == "laconic run npm test"
    assert "--undo" not in asked(work, "git checkout -- f.txt")[1]


def test_the_hook_keeps_what_the_sandbox_could_not(work):
    settings(work, SANDBOX)
    verdict, text = asked(work, "git checkout -- f.txt")
    assert (verdict, text) == ("allow", "laconic run git checkout -- f.txt")
    (keep,) = Store(str(work.home / "state")).keeps()
    assert keep.about.command == "git checkout -- f.txt"


def test_where_the_hook_cannot_keep_it_asks(work, monkeypatch):
    settings(work, SANDBOX)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("laconic.hooks.shell_writes.keep_now", full)
    assert asked(work, "git checkout -- f.txt")[0] != "allow"


def test_excluded_commands_are_left_as_they_are_typed(work):
    settings(work, {"sandbox": {"enabled": True, "excludedCommands": ["ps:*", "git diff"]}})
    assert asked(work, "ps -e") == ("allow", "ps -e")
    assert asked(work, "ps -e | head -3")[1] == "ps -e | head -3"
    assert asked(work, "git diff HEAD")[1] == "git diff HEAD"
    assert asked(work, "git log") == ("allow", "laconic run git log")


def test_leaving_the_sandbox_is_never_allowed(work):
    settings(work, SANDBOX)
    for command in ("cat f.txt", "git status", "npm test", "git checkout -- f.txt"):
        assert asked(work, command, dangerouslyDisableSandbox=True)[0] is None
    assert asked(work, "git push", dangerouslyDisableSandbox=True)[0] == "ask"


def test_what_the_agent_runs_by_itself_there_is_still_shortened(work):
    work.configure("")
    settings(work, UNASKED)
    assert asked(work, "npm test") == (None, "laconic run npm test")


@pytest.mark.parametrize("said", [{}, {"autoAllowBashIfSandboxed": False}])
def test_what_the_agent_asks_about_there_stays_as_it_was_typed(work, said):
    work.configure("")
    settings(work, {"sandbox": {"enabled": True, **said}})
    assert asked(work, "npm test") == (None, "npm test")


def test_a_file_that_has_the_agent_ask_counts_more_than_others(work):
    work.configure("")
    settings(work, UNASKED)
    settings(work, {"sandbox": {"autoAllowBashIfSandboxed": False}}, of_project=True)
    assert asked(work, "npm test") == (None, "npm test")


def test_what_the_agent_runs_by_itself_there_is_kept(work):
    work.configure("")
    settings(work, UNASKED)
    assert asked(work, "git checkout -- f.txt")[0] is None
    (keep,) = Store(str(work.home / "state")).keeps()
    assert keep.about.command == "git checkout -- f.txt"


@pytest.mark.parametrize(
    "content", ["[]", '{"sandbox": 3}', '{"sandbox": {"enabled": "yes"}}', "{", '{"sandbox": {}}']
)
def test_settings_that_do_not_switch_it_on_change_nothing(work, content):
    path = work.home / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text(content)
    assert asked(work, "npm test") == ("allow", "laconic run --box npm test")


def test_a_file_that_cannot_be_read_hides_no_other(work):
    (work.home / ".claude/settings.json").mkdir(parents=True)
    assert asked(work, "npm test") == ("allow", "laconic run --box npm test")
    settings(work, SANDBOX, of_project=True)
    assert asked(work, "npm test") == ("allow", "laconic run npm test")


POLICY = '{"type":"turn_context","payload":{"cwd":"/","sandbox_policy":%s}}\n'


@pytest.mark.parametrize(
    ("lines", "is_there"),
    [
        ([POLICY % '{"type":"workspace-write","writable_roots":[]}'], True),
        ([POLICY % '{"type":"read-only"}', '{"type":"event_msg"}\n'], True),
        ([POLICY % '{"type":"read-only"}', POLICY % '{"type":"danger-full-access"}'], False),
        ([POLICY % '{"type":"danger-full-access"}', POLICY % '{"type":"read-only"}'], True),
        (['{"sandbox_policy": broken\n', POLICY % "3"], True),
        (['"sandbox_policy"\n'], False),
        ([], False),
    ],
)
def test_the_last_turn_of_codex_says_its_policy(tmp_path, lines, is_there):
    path = tmp_path / "rollout.jsonl"
    path.write_text("".join(lines))
    data = {"transcript_path": str(path)}
    found = sandbox_of(load("codex"), data, str(tmp_path), str(tmp_path), {})
    assert (found is not None) == is_there


@pytest.mark.parametrize("kind", ["read-only", "workspace-write"])
def test_a_turn_may_have_had_many_outputs(tmp_path, kind):
    path = tmp_path / "rollout.jsonl"
    output = json.dumps({"payload": {"output": 'x "sandbox_policy" ' * 2000}}) + "\n"
    path.write_text(POLICY % f'{{"type":"{kind}"}}' + output * 60)
    found = sandbox_of(load("codex"), {"transcript_path": str(path)}, "/", "/", {})
    assert found is not None
    assert found.is_read_only == (kind == "read-only")


@pytest.mark.parametrize("path", [None, 3, "relative", "/nonexistent/file"])
def test_a_transcript_that_cannot_be_read_tells_nothing(path):
    assert sandbox_of(load("codex"), {"transcript_path": path}, "/", "/", {}) is None


@pytest.mark.parametrize(
    ("fields", "user", "project", "is_there"),
    [
        ({"sandbox": True}, None, None, True),
        ({"sandbox": False}, "{}", None, False),
        ({}, None, None, False),
        ({"sandbox": "yes"}, None, None, False),
        ({}, "{}", None, True),
        ({}, None, '{"type": "workspace_readonly"}', True),
        ({}, '{"type": "insecure_none"}', None, False),
        ({}, '{"type": "insecure_none"}', '{"type": "workspace_readwrite"}', True),
        ({}, "{}", '{"type": "insecure_none"}', False),
        ({}, "{", "[]", False),
    ],
)
def test_cursor_says_it_in_its_call_or_its_files(tmp_path, fields, user, project, is_there):
    for folder, text in (("home", user), ("project", project)):
        (tmp_path / folder / ".cursor").mkdir(parents=True)
        if text is not None:
            (tmp_path / folder / ".cursor/sandbox.json").write_text(text)
    cwd = str(tmp_path / "project")
    found = sandbox_of(load("cursor"), fields, cwd, cwd, {"HOME": str(tmp_path / "home")})
    assert (found is not None) == is_there


def test_a_hook_that_is_in_the_sandbox_itself_asks_for_no_box_and_no_undo(work, monkeypatch):
    monkeypatch.setattr("laconic.hooks.respond.is_writable", lambda _: False)

    def read_only(*_):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("laconic.hooks.shell_writes.keep_now", read_only)
    assert asked(work, "npm test") == ("allow", "laconic run npm test")
    verdict, text = asked(work, "git checkout -- f.txt")
    assert verdict != "allow"
    assert "--undo" not in text

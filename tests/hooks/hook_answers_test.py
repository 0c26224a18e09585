"""What hooks are answered: never a grant, a silence or a second wrapping that nobody asked for."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hook_fixture import CASES, PATHS, claude, decision_of, is_before, read_case
from laconic import __version__
from laconic.agents.load import hooked, load
from laconic.hooks import call_log
from laconic.hooks.answer import answer, read_words
from laconic.hooks.call import find_event, read
from laconic.hooks.dialects import cline, codebuddy
from laconic.hooks.response import Response
from laconic.permissions import allowances
from laconic.record.store import Store
from laconic.run.launcher import find_launcher, with_plain_name
from laconic.run.shells import usable_shell
from laconic.types import Outcome

# -- ask, grants and allowances --------------------------------------------------------------------


@pytest.mark.parametrize("agent", hooked())
def test_ask_is_never_silence_unless_the_user_says_so(agent, place):
    path = next(p for p in PATHS if p.parent.name == agent and is_before(p))
    stdin, _ = read_case(path, place, "kill 1")
    can_ask = any("ask" in event.can for event in load(agent).events)
    neutral = load(agent).neutral.encode()
    given = place.answer(agent, stdin)
    assert given.status or given.stdout.strip() != neutral
    place.configure('[hooks]\ncannot_ask = "defer"\n')
    given = place.answer(agent, stdin)
    if not can_ask:
        assert (given.status, given.stdout.strip()) == (0, neutral)
    elif agent != "kiro":
        assert given.stdout.strip() != neutral


@pytest.mark.parametrize("agent", ["gemini", "vibe"])
def test_a_rule_of_the_agents_that_lets_ours_pass_lets_nothing_else_pass(agent, place):
    path = next(p for p in PATHS if p.parent.name == agent and is_before(p))
    for command, is_left in [("touch x", True), ("laconic run touch x", False)]:
        given = place.answer(agent, read_case(path, place, command)[0]).stdout.strip()
        assert (given == load(agent).neutral.encode()) == is_left, given


def test_a_rewrite_alone_claims_no_decision(place):
    place.configure('[settings]\ngate = "off"\n')
    given = decision_of(place.answer("claude", claude("git status")))
    assert given["updatedInput"] == {"command": "laconic run git status"}
    assert "permissionDecision" not in given


def test_a_command_that_laconic_does_not_know_is_left_to_the_agent(place):
    assert place.answer("claude", claude("frobnicate")).stdout == b""
    place.configure('[settings]\nunknown = "ask"\n')
    assert decision_of(place.answer("claude", claude("frobnicate")))["permissionDecision"] == "ask"


@pytest.mark.parametrize(
    "command",
    [
        "laconic run git status",
        "laconic run --baseline-pipe 'tail -3' git log",
        "laconic wrap -- bash -lc 'git status'",
        "cd src && laconic run git status",
    ],
)
def test_what_is_wrapped_already_is_judged_by_what_is_inside_and_stays(command, place):
    for agent in ("claude-code", "codebuddy"):
        given = decision_of(place.answer(agent, claude(command)))
        assert given.get("permissionDecision") == "allow"
        assert not {"updatedInput", "modifiedInput"} & given.keys()


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("laconic run kill 1", "ask"),
        ("laconic run rm -rf /", "deny"),
        ("laconic wrap -- bash -lc 'rm -rf /'", "deny"),
        ("laconic run --baseline-pipe 'tee /etc/x' git log", "ask"),
    ],
)
def test_a_wrapper_loosens_nothing(command, expected, place):
    assert decision_of(place.answer("claude", claude(command)))["permissionDecision"] == expected


def test_the_users_rules_are_applied_to_the_command_inside(place):
    path = place.home / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text('{"permissions": {"deny": ["Bash(git log:*)"], "allow": ["Bash(frob:*)"]}}')
    for command, expected in [
        ("git log", "deny"),
        ("laconic run git log", "deny"),
        ("frob", "allow"),
    ]:
        given = decision_of(place.answer("claude", claude(command)))
        assert given["permissionDecision"] == expected


def test_a_rewrite_of_the_users_own_is_judged_by_what_it_makes(place):
    place.configure("[[rewrite]]\nmatch = '^git status$'\nreplace = 'kill 1'\n")
    assert decision_of(place.answer("claude", claude("git status")))["permissionDecision"] == "ask"


def test_codebuddy_runs_what_a_rewrite_of_the_users_own_makes(place):
    place.configure("[[rewrite]]\nmatch = '^git log$'\nreplace = 'git log -3'\n")
    given = decision_of(place.answer("codebuddy", claude("git log")))
    assert given["modifiedInput"]["command"] == "git log -3"


def test_an_allowance_for_one_run_is_used_once_and_before_it_runs(place):
    state = Path(place.environ["LACONIC_STATE_DIR"])
    now = time.time()
    allowances.add(state, "git push", place.project, now + 60, once=True, now=now)
    stdin = claude("git push", cwd=place.project)
    request = {**stdin, "hook_event_name": "PermissionRequest"}
    for _ in range(2):
        assert b'"behavior": "allow"' in place.answer("claude", request).stdout
    assert decision_of(place.answer("claude", stdin))["permissionDecision"] == "allow"
    assert decision_of(place.answer("claude", stdin))["permissionDecision"] == "ask"


def test_the_directory_of_the_tool_counts(place):
    """The same command is judged by where it runs."""
    stdin = {
        "hook_event_name": "BeforeTool",
        "tool_name": "run_shell_command",
        "cwd": place.project,
        "tool_input": {"command": "git status", "dir_path": "sub/deeper"},
    }
    place.answer("gemini", stdin)
    assert place.log()[-1]["cwd"] == f"{place.project}/sub/deeper"


def test_several_commands_get_the_strictest_answer(place):
    stdin = {
        "hookName": "tool_call",
        "workspaceRoots": [place.project],
        "tool_call": {
            "name": "run_commands",
            "input": {"commands": ["git status", "rm -rf /", "frob"]},
        },
    }
    assert "nothing ran" in place.answer("cline-cli", stdin).stdout.decode()
    place.configure('[commands]\nallow = ["frob"]\n')
    stdin["tool_call"]["input"]["commands"] = ["git status", "frob", "git log"]
    given = json.loads(place.answer("cline-cli", stdin).stdout)
    assert given["overrideInput"]["commands"][1] == "frob"


@pytest.mark.parametrize("reason", ["plain", 'it\'s "so"', "$HOME `x` \\n 100% %s", "-n", "…"])
def test_a_command_that_cline_must_not_run_becomes_one_that_says_why_and_fails(reason, place):
    data = {"tool_call": {"name": "run_commands", "input": {"commands": ["x"]}}}
    agent = load("cline-cli")
    call = read(data, agent, find_event(data, agent, "tool_call"), {}, place.project)
    (refusal,) = cline.write(call, Response(Outcome.DENIED, reason)).document["overrideInput"][
        "commands"
    ]
    done = subprocess.run(["/bin/sh", "-c", refusal], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (126, "", f"{reason}\n")


ALL_THREE = ["git log", "git status", "git log; pwd"]


@pytest.mark.parametrize(
    ("rules", "rewritten"),
    [
        ({}, ALL_THREE),
        ({"*": "allow"}, ALL_THREE),
        ({"*": "ask", "git log*": "allow"}, ["git status", "git log; pwd"]),
        ({"*": "ask", "git *": "allow", "pwd": "allow"}, []),
        ({"*": "ask", "laconic run git *": "allow", "git *": "allow"}, ALL_THREE),
    ],
)
@pytest.mark.parametrize("is_projects", [False, True])
def test_a_rewrite_does_not_cost_a_command_the_agents_own_permission(
    rules, rewritten, is_projects, place
):
    path = place.home / ".config/opencode/opencode.json"
    path = Path(place.project, "opencode.json") if is_projects else path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"permission": {"bash": rules}}))
    for command in ALL_THREE:
        stdin = {"hook_type": "tool.execute.before", "tool": "bash", "args": {"command": command}}
        given = json.loads(place.answer("opencode", stdin).stdout)
        assert "throw" not in given
        assert ("args" in given) == (command in rewritten), command


# -- the launcher ----------------------------------------------------------------------------------


def test_without_a_laconic_nothing_is_rewritten(place, monkeypatch):
    place.environ["PATH"] = "/nonexistent"
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    given = decision_of(place.answer("claude", claude("git status")))
    assert given["permissionDecision"] == "allow"
    assert "updatedInput" not in given


def test_a_laconic_that_is_not_on_the_path_is_named_in_full(place, monkeypatch):
    place.environ["PATH"] = "/nonexistent"
    monkeypatch.setattr(sys, "executable", str(place.home / "bin/python"))
    program = f"{place.home}/bin/laconic"
    given = decision_of(place.answer("claude", claude("git status")))
    assert given["updatedInput"]["command"] == f"{program} run git status"
    again = decision_of(place.answer("claude", claude(f"{program} run kill 1")))
    assert again["permissionDecision"] == "ask"
    assert "sends a signal" in again["permissionDecisionReason"]


def test_where_a_line_changes_the_path_laconic_is_named_in_full(place):
    program = f"{place.home}/bin/laconic"
    typed = "export PATH=/usr/bin:/bin; git status"
    given = decision_of(place.answer("claude", claude(typed)))
    made = f"export PATH=/usr/bin:/bin; {program} run git status"
    assert given["updatedInput"]["command"] == made
    again = decision_of(place.answer("claude", claude(made)))
    assert again["permissionDecision"] == given["permissionDecision"]


def test_a_launcher_with_blanks_is_quoted(monkeypatch, tmp_path):
    program = tmp_path / "a b/laconic"
    program.parent.mkdir()
    program.write_text("")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program.with_name("python")))
    launcher, _ = find_launcher({"PATH": ""})
    assert launcher == f"'{program}'"
    assert with_plain_name(f"{launcher} run ls", launcher) == "laconic run ls"
    assert with_plain_name(f"echo {launcher}", launcher) == f"echo {launcher}"


# -- CodeBuddy -------------------------------------------------------------------------------------


def test_codebuddy_wraps_the_whole_command_in_the_hosts_shell(place):
    command = "git log | head -3; echo 'it'\"s\" && git status"
    given = decision_of(place.answer("codebuddy", claude(command)))
    quoted = command.replace("'", "'\\''")
    assert given["modifiedInput"]["command"] == f"laconic wrap -- /bin/bash -lc '{quoted}'"


@pytest.mark.parametrize(
    ("shell", "environ", "expected"),
    [
        ("/bin/sh", {"LACONIC_CODEBUDDY_SHELL": "bash", "SHELL": "/bin/bash"}, "sh"),
        (None, {"LACONIC_CODEBUDDY_SHELL": "sh", "SHELL": "/bin/bash"}, "sh"),
        (None, {"SHELL": "/bin/bash"}, "bash"),
        (None, {"SHELL": "/nonexistent/zsh"}, "bash"),
        (None, {}, "bash"),
        (None, {"PATH": "/nonexistent"}, ""),
        (None, {"PATH": "."}, ""),
        ("/nonexistent/such", {"SHELL": "/nonexistent/such"}, "bash"),
        ("/nonexistent/zsh", {"SHELL": "/bin/sh"}, "sh"),
        ("powershell", {"SHELL": "/bin/bash"}, ""),
        ("/bin/cat", {"SHELL": "/bin/bash"}, ""),
        (None, {"SHELL": "/bin/cat"}, ""),
    ],
)
def test_the_order_of_host_shells(shell, environ, expected):
    found = usable_shell(shell, {"PATH": "/usr/bin:/bin", **environ})
    assert found.rpartition("/")[2] == expected
    assert not found or found.startswith("/")


@pytest.mark.parametrize(
    ("shell", "variable"),
    [("/nonexistent/such", "/bin/bash"), ("/no/such", "/no/such"), ("", "/no/such")],
)
def test_codebuddy_wraps_in_the_next_shell_where_the_first_is_missing(place, shell, variable):
    place.environ |= {"SHELL": variable}
    call = claude("git status")
    call["tool_input"] |= {"shell": shell} if shell else {}
    given = decision_of(place.answer("codebuddy", call))
    assert given["modifiedInput"]["command"].endswith("bin/bash -lc 'git status'")


def test_codebuddy_without_a_shell_keeps_the_command_in_its_own(place):
    place.environ |= {"SHELL": "/bin/cat", "PATH": f"{place.home}/bin"}
    given = decision_of(place.answer("codebuddy", claude("git status")))
    assert given["modifiedInput"]["command"] == "laconic run git status"


@pytest.mark.parametrize(
    ("shell", "command", "expected"),
    [
        ("/bin/bash", "[[ -f x ]] && git tag -l", "allow"),
        ("/bin/dash", "[[ -f x ]] && git tag -l", None),
        ("/bin/sh", "echo $'\\'; touch pwned #'", None),
        ("/bin/dash", "[ -f x ] && git tag -l", "allow"),
        ("/usr/bin/fish", "echo 'a\\' ; ls '; touch pwned #'", None),
        ("/usr/bin/fish", "git tag -l | head -3", "allow"),
    ],
)
def test_the_shell_of_the_user_decides_what_a_text_means(shell, command, expected, place):
    place.environ["SHELL"] = shell
    given = decision_of(place.answer("droid", {**claude(command), "tool_name": "Execute"}))
    assert given.get("permissionDecision") == expected


def test_the_shell_that_a_tool_asks_for_decides_what_a_text_means(place):
    call = claude("((touch pwned))")
    assert decision_of(place.answer("claude", call))["permissionDecision"] == "allow"
    call["tool_input"]["shell"] = "/bin/sh"
    assert place.answer("claude", call).stdout == b""


@pytest.mark.parametrize("command", ["cd src && git status", "export LANG=C; git status"])
def test_codebuddy_does_not_take_away_what_changes_its_shell(command, place):
    given = decision_of(place.answer("codebuddy", claude(command)))
    assert given["modifiedInput"]["command"] == command.replace("git", "laconic run git")


@pytest.mark.parametrize("command", ["frobnicate", "git push"])
def test_codebuddy_grants_nothing_to_wrap_a_command(command, place):
    given = place.answer("codebuddy", claude(command))
    assert b"modifiedInput" not in given.stdout


def test_codebuddy_on_windows_itself_says_so(place, monkeypatch):
    monkeypatch.setattr(codebuddy.sys, "platform", "win32")
    given = decision_of(place.answer("codebuddy", claude("git status")))
    assert given["permissionDecision"] == "deny"
    assert "WSL" in given["permissionDecisionReason"]


# -- other hosts -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["CURSOR_VERSION", "COPILOT_CLI", "DROID_PROJECT_DIR"])
def test_the_environment_of_another_host_counts_only_without_the_agents_own_mark(name, place):
    place.environ[name] = "1"
    assert place.answer("claude", claude("git status")).stdout
    bare = {"tool_name": "Bash", "tool_input": {"command": "git status"}}
    assert place.answer("claude", bare).stdout == b""
    del place.environ[name]
    assert place.answer("claude", bare).stdout


# -- records ---------------------------------------------------------------------------------------


def test_a_call_is_remembered_and_its_decision_logged(place):
    state = place.environ["LACONIC_STATE_DIR"]
    assert call_log.last_seen(state, "claude-code") is None
    place.answer("claude", claude("git status"))
    assert call_log.last_seen(state, "claude-code")[1] == "PreToolUse"
    row = place.log()[-1]
    assert (row["agent"], row["command"], row["verdict"]) == ("claude-code", "git status", "allow")


@pytest.mark.parametrize(
    ("agent", "command", "outcome"),
    [
        ("claude-code", "git status", "allow"),
        ("claude-code", "mkdir x", "left"),
        ("claude-code", "git push", "ask"),
        ("claude-code", "rm -rf /", "deny"),
        ("codex", "git push", "deny"),  # it cannot ask
    ],
)
def test_what_the_agent_was_answered_is_logged(place, agent, command, outcome):
    place.answer(agent, claude(command, session_id="s-1"))
    row = place.log()[-1]
    assert (row["outcome"], row["session"], row["mode"]) == (outcome, "s-1", "default")
    assert "event" not in row


def test_a_line_says_which_call_was_decided_by_which_laconic(place):
    place.configure('[settings]\nprofile = "work"\n')
    place.answer("claude-code", claude("git push", session_id="s-1", tool_use_id="toolu_9"))
    place.answer("claude-code", claude("git push", tool_use_id=["x"]))
    first, second = place.log()
    names = ("session", "call", "profile", "version")
    assert [first[name] for name in names] == ["s-1", "toolu_9", "work", __version__]
    assert first["id"] != second["id"]
    assert "call" not in second


def test_what_runs_while_laconic_is_disabled_leaves_a_line(place):
    place.environ["LACONIC_DISABLED"] = "1"
    place.answer("claude-code", claude("rm -rf ~/x", tool_use_id="toolu_9"))
    place.answer("claude-code", claude("", tool_name="Write", tool_input={"file_path": "/x"}))
    place.answer("claude-code", claude("ls", hook_event_name="PermissionRequest"))
    rows = [(row["verdict"], row["rule"], row["command"]) for row in place.log()]
    known = ("unchecked", "gate/disabled")
    assert rows == [(*known, "rm -rf ~/x"), (*known, "Write")]
    assert place.log()[0]["call"] == "toolu_9"


def test_a_question_of_the_agents_own_is_logged_as_such(place):
    place.answer("codex", claude("mkdir x"))
    place.answer("codex", claude("mkdir x", hook_event_name="PermissionRequest"))
    assert [(row["outcome"], row.get("event")) for row in place.log()] == [
        ("left", None),
        ("left", "permission"),
    ]


def test_the_users_permission_program_gets_the_json_as_it_came(place, tmp_path):
    program = tmp_path / "engine"
    program.write_text(
        f'#!/bin/sh\ncat > {tmp_path}/got\necho \'{{"permissionDecision": "deny"}}\'\n'
    )
    program.chmod(0o755)
    place.configure(
        f'[permissions]\nengine = "external"\n[permissions.external]\ncommand = "{program}"\n'
    )
    stdin = b" " + json.dumps(claude("git status", odd=1.5), indent=3).encode() + b"\n\n"
    given = decision_of(place.answer("claude", stdin))
    assert given["permissionDecision"] == "deny"
    assert (tmp_path / "got").read_bytes() == stdin


# -- output ----------------------------------------------------------------------------------------

LOG = "".join(
    f"commit {n:040x}\nAuthor: A <a@b>\nDate: Mon\n\n    work {n}\n\n" for n in range(200)
)


def after(command="git log", **more):
    response = {"stdout": LOG, "stderr": "", "interrupted": False, "isImage": False, **more}
    return claude(command, hook_event_name="PostToolUse", tool_response=response)


def test_output_is_replaced_unless_the_user_minds_and_can_be_had_back(place):
    place.configure('[hooks]\nreplace_output = "never"\n')
    assert place.answer("claude", after()).stdout == b""
    place.configure('[hooks]\nreplace_output = "always"\n')
    new = decision_of(place.answer("claude", after()))["updatedToolOutput"]
    assert len(new["stdout"]) < len(LOG)
    raw_id = new["stdout"].rsplit("recall ", 1)[1].removesuffix("]\n")
    assert Store(place.environ["LACONIC_STATE_DIR"]).load(raw_id) == {"out": LOG.encode()}


@pytest.mark.parametrize(
    "stdin",
    [
        after("laconic recall k3f9ab"),
        after("laconic run git log"),
        after("git log | cat"),
        after("git log; git log"),
        after("cd - && git log"),
        after('cd "$there" && git log'),
        after("cd a && ls; git log"),
        after("cd a && cd b"),
        after("LACONIC_NO_FILTER=1 git log"),
        after(isImage=True),
        after(interrupted=True),
        after(stdout=7),
        after(stdout="short\n"),
        after(stdout=""),
        {**after(), "tool_response": None},
        {**after(), "tool_response": [LOG]},
    ],
)
def test_output_stays_when_it_is_ours_mixed_or_not_plain(stdin, place):
    place.configure('[hooks]\nreplace_output = "always"\n')
    given = place.answer("claude", stdin)
    assert (given.stdout, given.fault) == (b"", "")


@pytest.mark.parametrize("prefix", ["", "cd app && ", "cd app; "])
@pytest.mark.parametrize(
    ("command", "case"),
    [
        ("pytest", "pytest/passed-verbose"),
        ("python -m pytest -x 2>&1", "pytest/failed-verbose"),
        ("cargo test", "cargo/test/failed-all"),
        ("make -j4", "make/cmake-keep-going"),
    ],
)
@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_where_no_box_can_be_made_output_is_shortened_after_the_run(
    agent, command, case, prefix, place
):
    place.configure("[settings]\nbox = false\n")
    line = prefix + command
    assert place.answer(agent, claude(line)).stdout == b"", "left to the agent, so it runs as it is"
    raw = (CASES.parent / f"compact/{case}.in").read_text()
    response = {"stdout": raw, "stderr": ""} if agent == "claude" else raw
    given = place.answer(agent, after(line) | {"tool_response": response}).stdout.decode()
    assert len(given) < len(raw) / 2
    raw_id = re.search("laconic recall ([0-9a-z]{6})", given)[1]
    assert Store(place.environ["LACONIC_STATE_DIR"]).load(raw_id) == {"out": raw.encode()}


@pytest.mark.parametrize("line", ["", "[laconic: 1 secret masked]\n"])
@pytest.mark.parametrize(
    ("policy", "is_read_only"), [("read-only", True), ("workspace-write", False)]
)
def test_output_is_replaced_where_laconic_could_keep_nothing(
    place, tmp_path, policy, is_read_only, line
):
    path = tmp_path / "rollout.jsonl"
    path.write_text(json.dumps({"payload": {"sandbox_policy": {"type": policy}}}) + "\n")
    # Where outputs can be kept, laconic has shortened its own already.
    for command, can_be in (("laconic run git log", False), ("git log", not line)):
        is_replaced = is_read_only or can_be
        stdin = after(command) | {"transcript_path": str(path), "tool_response": LOG + line}
        given = place.answer("codex", stdin)
        assert bool(given.stdout) == is_replaced
        if is_replaced:
            said = json.loads(given.stdout)["reason"]
            assert len(said) < len(LOG) / 2
            status = "[laconic: Codex does not tell the exit status]\n"
            assert said.endswith(line + status)
            assert "laconic recall " in said
    stdin = after("laconic run --raw git log") | {"transcript_path": str(path)}
    assert place.answer("codex", stdin | {"tool_response": LOG}).stdout == b""


def test_a_list_of_words_is_not_taken_for_commands(place):
    stdin = claude(["ls", "-l"])
    for agent in ("claude-code", "codex"):
        assert place.answer(agent, stdin).stdout == b""


def test_a_denial_becomes_a_question_where_the_hooks_command_says_so():
    given = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": "/"}
    data = json.dumps({**given, "tool_input": {"command": "rm -rf /"}}).encode()
    for words, expected in (
        (["claude-code"], "deny"),
        (["claude-code", "--escalate-deny"], "ask"),
        (["claude-code", "PreToolUse", "--escalate-deny"], "ask"),
    ):
        agent, event, escalates = read_words(words)
        said = answer(agent, event, data, dict(os.environ), "/", escalates=escalates)
        assert decision_of(said)["permissionDecision"] == expected, words

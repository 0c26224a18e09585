"""The user's own permission program: real small scripts that answer, hang, crash and fork."""

from __future__ import annotations

import json
import os
import subprocess
import time

import pytest

from laconic import engine
from laconic.permissions.program import claude_request, consult, read_reply
from laconic.settings.config import External
from laconic.settings.load import process_environment, read_settings
from laconic.types import Verdict


@pytest.fixture
def program(tmp_path):
    def write(body):
        path = tmp_path / "engine"
        path.write_text(f"#!/bin/bash\n{body}\n")
        path.chmod(0o755)
        return str(path)

    return write


def ask(command, args=(), *, agent="claude-code", timeout_ms=3000, formats=None, data=b"{}"):
    config = External(
        command=command,
        args=tuple(args),
        timeout_ms=timeout_ms,
        on_error="ask",
        format_map=formats or {},
    )
    return consult(config, agent, data, "/", process_environment())


def says(word):
    return f"""echo '{{"hookSpecificOutput": {{"permissionDecision": "{word}"}}}}'"""


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as stream:  # noqa: PTH123
            return stream.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_for(path):
    for _ in range(100):
        if path.exists() and path.read_text().strip():
            return int(path.read_text())
        time.sleep(0.02)
    raise AssertionError(path)


# -- the program -----------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["allow", "ask", "deny"])
def test_it_answers(program, word):
    assert ask(program(says(word))).verdict is Verdict(word)


def test_it_gets_the_hook_json_byte_for_byte(program, tmp_path):
    data = '{ "tool_name":  "Bash",\n"x": "é\\u0000"}'.encode()
    ask(program(f"cat > {tmp_path}/seen; {says('allow')}"), data=data)
    assert (tmp_path / "seen").read_bytes() == data


def test_it_gets_the_agents_name(program, tmp_path):
    script = program(f'printf "%s|" "$@" > {tmp_path}/seen; {says("allow")}')
    ask(script, ["check", "--mode={format}", "a b"], agent="gemini")
    assert (tmp_path / "seen").read_text() == "check|--mode=gemini|a b|"
    ask(script, ["{format}"], agent="gemini", formats={"gemini": "google"})
    assert (tmp_path / "seen").read_text() == "google|"


@pytest.mark.parametrize("status", [1, 2, 77])
def test_json_counts_whatever_the_exit_status(program, status):
    assert ask(program(f"{says('deny')}; exit {status}")).verdict is Verdict.DENY


@pytest.mark.parametrize(
    "body",
    ["exit 1", "exit 0", "echo yes", "echo '{'", "echo '[]'", "echo null", "kill -9 $$",
    "kill -SEGV $$",
     "head -c 3000000 /dev/zero",
     """echo '{"hookSpecificOutput": {"permissionDecision": "maybe"}}'""",
     """echo '{"hookSpecificOutput": {"permissionDecision": 1}}'"""],
)  # fmt: skip
def test_what_is_no_answer_is_a_failure(program, body):
    reply = ask(program(body))
    assert reply.verdict is None
    assert reply.reason


def test_a_program_that_is_not_there_is_a_failure(tmp_path):
    assert ask(str(tmp_path / "nothing")).verdict is None
    assert ask("").verdict is None
    assert ask("a\0b").verdict is None


def test_it_need_not_read_its_input(program):
    assert ask(program(says("allow")), data=b"x" * 5_000_000).verdict is Verdict.ALLOW


@pytest.mark.parametrize(
    "body", ["sleep 30", "exec >&-; sleep 30", "trap '' TERM; sleep 30", "while :; do :; done"]
)
def test_one_that_hangs_is_stopped_in_time(program, body):
    start = time.monotonic()
    reply = ask(program(body), timeout_ms=300)
    assert time.monotonic() - start < 20
    assert (reply.verdict, "within 300 ms" in reply.reason) == (None, True)


@pytest.mark.parametrize(
    "start",
    [
        "sleep 300 & echo $! > CHILD",
        "(trap '' TERM; echo $BASHPID > CHILD; sleep 300) &",
        "setsid sh -c 'echo $$ > CHILD; exec sleep 300' &",
        # a daemon: its parent is gone, its session is its own
        "(setsid sh -c 'sh -c \"echo \\$\\$ > CHILD; exec sleep 300\" & exit' &)",
        # one that wants to know nothing of where it came from, but has its parent
        "setsid env -i sh -c 'echo $$ > CHILD; exec sleep 300' &",
        "env -i setsid sh -c 'env -i sh -c \"echo \\$\\$ > CHILD; sleep 300\"; sleep 300' &",
    ],
)
def test_all_that_it_started_is_killed_with_it(program, tmp_path, start):
    body = start.replace("CHILD", f"{tmp_path}/child")
    ask(program(f"{body}\nsleep 301"), timeout_ms=1500)
    child = wait_for(tmp_path / "child")
    for _ in range(1500):
        if not is_running(child):
            return
        time.sleep(0.02)
    os.kill(child, 9)
    pytest.fail("the child is still running")


def test_nobody_else_is_killed(program):
    other = subprocess.Popen(["sleep", "300"])  # a child of ours, but not of the program
    ask(program("sleep 30"), timeout_ms=200)
    assert is_running(other.pid)
    other.kill()
    other.wait()


def test_a_child_that_lives_on_is_not_waited_for(program, tmp_path):
    start = time.monotonic()
    reply = ask(program(f"sleep 60 & echo $! > {tmp_path}/child; {says('allow')}"))
    assert reply.verdict is Verdict.ALLOW
    assert time.monotonic() - start < 30
    os.kill(wait_for(tmp_path / "child"), 9)


# -- replies ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("agent", "answer", "verdict"),
    [
        ("claude-code", {"hookSpecificOutput": {"permissionDecision": "deny"}}, Verdict.DENY),
        ("claude-code", {"hookSpecificOutput": {}}, Verdict.ASK),
        ("claude-code", {}, Verdict.ASK),
        ("claude-code", {"decision": "block"}, Verdict.DENY),
        ("claude-code", {"decision": "approve"}, Verdict.ALLOW),
        ("gemini", {"decision": "allow", "hookSpecificOutput": {"tool_input": {}}}, Verdict.ALLOW),
        ("gemini", {"decision": "deny"}, Verdict.DENY),
        ("gemini", {"decision": "ask"}, Verdict.ASK),
        ("cursor", {"permission": "allow", "updated_input": {}}, Verdict.ALLOW),
        ("cursor", {"permission": "deny", "decision": "allow"}, Verdict.DENY),
        ("cursor", {"hookSpecificOutput": {"permissionDecision": "deny"}}, Verdict.DENY),
        ("copilot", {"permissionDecision": "deny"}, Verdict.DENY),
        ("another", {"hookSpecificOutput": {"permissionDecision": "allow"}}, Verdict.ALLOW),
    ],
)
def test_the_verdict_is_read_in_the_agents_own_form(agent, answer, verdict):
    assert read_reply(json.dumps(answer).encode(), agent, "x").verdict is verdict


def test_the_reason_is_handed_on():
    answer = {
        "hookSpecificOutput": {"permissionDecision": "ask", "permissionDecisionReason": "why"}
    }
    assert read_reply(json.dumps(answer).encode(), "claude-code", "x").reason == "why"


def test_the_request_for_a_command_of_no_agent_has_claudes_form():
    request = json.loads(claude_request("git push", "/p"))
    assert request["tool_name"] == "Bash"
    assert request["tool_input"] == {"command": "git push"}


# -- in decisions ----------------------------------------------------------------------------------


@pytest.fixture
def decide(home, tmp_path, program):
    def run(command, body, on_error="ask"):
        config = home / ".config/laconic/config.toml"
        config.parent.mkdir(parents=True, exist_ok=True)
        config.write_text(
            '[permissions]\nengine = "external"\n[permissions.external]\n'
            f'command = "{program(body)}"\non_error = "{on_error}"\ntimeout_ms = 1000\n'
        )
        request = engine.Request(command, str(tmp_path), process_environment())
        return engine.decide_request(request, read_settings())

    return run


@pytest.mark.parametrize(
    ("command", "said", "verdict"),
    [
        ("git status", "allow", "allow"),
        ("git status", "ask", "ask"),
        ("git status", "deny", "deny"),
        ("git push", "allow", "allow"),
        ("zz", "allow", "allow"),
        ("zz", "deny", "deny"),
        ("rm -rf /", "allow", "deny"),
        ("rm -rf /", "ask", "deny"),
    ],
)
def test_it_decides_on_every_command_but_lifts_no_denial(decide, command, said, verdict):
    assert decide(command, says(said)).verdict == verdict


@pytest.mark.parametrize(
    ("command", "on_error", "verdict"),
    [
        ("git status", "ask", "ask"),
        ("git status", "allow", "allow"),
        ("git status", "builtin", "allow"),
        ("git push", "allow", "allow"),
        ("git push", "builtin", "ask"),
        ("rm -rf /", "allow", "deny"),
        ("rm -rf /", "ask", "deny"),
        ("rm -rf /", "builtin", "deny"),
    ],
)
def test_what_happens_when_it_fails(decide, command, on_error, verdict):
    assert decide(command, "exit 3", on_error).verdict == verdict


def test_the_users_own_rules_stay(decide, home):
    path = home / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text('{"permissions": {"ask": ["Bash(git log)"], "deny": ["Bash(git show)"]}}')
    assert decide("git status", says("allow")).verdict is Verdict.ALLOW
    assert decide("git log", says("allow")).verdict is Verdict.ASK
    assert decide("git show", says("allow")).verdict is Verdict.DENY


def test_the_decision_says_who_decided(decide):
    assert decide("git push", says("allow")).rule == "external"
    assert decide("git push", "exit 1").rule == "external/failed"

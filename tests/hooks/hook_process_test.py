"""A hook is a process that always ends well: in time, with 0, and saying nothing wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

import pytest

from laconic.record import decisions

CALL = {
    "hook_event_name": "PreToolUse",
    "permission_mode": "default",
    "tool_name": "Bash",
    "tool_input": {"command": "rm -rf /"},
}
STDIN = json.dumps(CALL).encode()
HOOK = [sys.executable, "-m", "laconic", "hook"]
CURSOR = {"hook_event_name": "preToolUse", "tool_name": "Shell", "tool_input": {"command": "ls"}}


def run(*arguments, stdin=STDIN, **more):
    return subprocess.run(
        [*HOOK, *arguments], input=stdin, capture_output=True, timeout=30, check=False, **more
    )


def assert_quiet(done, stdout=b""):
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, stdout, b"")


def test_it_answers():
    done = run("claude-code")
    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_denial_by_status_is_the_only_other_status():
    stdin = json.dumps({"tool_info": {"command_line": "rm -rf /"}}).encode()
    done = run("windsurf", "pre_run_command", stdin=stdin)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"laconic blocked this")
    assert_quiet(run("windsurf", stdin=b"x"))


@pytest.mark.parametrize(
    "arguments", [(), ("frob",), ("claude-code", "Frob"), ("", "", ""), ("--x",)]
)
def test_wrong_arguments_are_silence(arguments):
    stdin = json.dumps({**CALL, "hook_event_name": ""}).encode()
    assert_quiet(run(*arguments, stdin=stdin))


@pytest.mark.parametrize("stdin", [b"", b"{", b"\xff", b"\xef\xbb\xbf", b"[" * 100_000])
def test_bad_input_is_the_neutral_answer(stdin):
    assert_quiet(run("claude-code", stdin=stdin))
    assert_quiet(run("cursor", stdin=stdin), b"{}")


def test_megabytes_are_read_to_the_end_and_answered_neutrally():
    # A writer would fail with a broken pipe if they were not.
    assert_quiet(run("cursor", stdin=b" " * (20 << 20) + b"{}"), b"{}")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_obstacle(closed):
    command = f"'{sys.executable}' -m laconic hook claude-code {closed}"
    done = subprocess.run(
        ["bash", "-c", command], input=STDIN, capture_output=True, timeout=30, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_reader_that_is_gone_is_no_obstacle():
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*HOOK, "claude-code"], input=STDIN, stdout=writing, stderr=subprocess.PIPE, check=False
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_directory_that_is_gone_is_no_obstacle(tmp_path):
    gone = tmp_path / "gone"
    script = (
        f"mkdir {gone}; cd {gone}; rmdir {gone}; '{sys.executable}' -m laconic hook claude-code"
    )
    done = subprocess.run(
        ["bash", "-c", script], input=STDIN, capture_output=True, timeout=30, check=False
    )
    assert done.returncode == 0
    assert b"deny" in done.stdout
    assert done.stderr == b""


def test_an_empty_environment_is_no_obstacle():
    done = run("claude-code", env={"PYTHONPATH": os.pathsep.join(sys.path)})
    assert done.returncode == 0
    assert b"deny" in done.stdout


def test_what_went_wrong_is_told_to_those_who_ask():
    done = run("cursor", stdin=b"x", env={**os.environ, "LACONIC_DEBUG": "hook"})
    assert (done.returncode, done.stdout) == (0, b"{}\n")
    assert done.stderr.startswith(b"laconic hook cursor: ")


# -- with something broken inside ------------------------------------------------------------------

BROKEN = """
import sys
{damage}
from laconic.hooks import hook
hook.run([{agent!r}])
"""


def run_broken(damage, agent="cursor", stdin=None):
    program = BROKEN.format(damage=damage, agent=agent)
    return subprocess.run(
        [sys.executable, "-c", program],
        input=json.dumps(CURSOR).encode() if stdin is None else stdin,
        capture_output=True,
        timeout=30,
        check=False,
    )


SHORT = "from laconic.agents import load; load.Agent.limit_s = 0.5\n"


@pytest.mark.parametrize(
    "damage",
    [
        "sys.modules['laconic.hooks.respond'] = None",
        "sys.modules['laconic.settings.load'] = None",
        "sys.modules['laconic.engine'] = None",
        "sys.modules['laconic.reading.decide'] = None",
        "from laconic.hooks import answer; answer.parse = None",
    ],
)
def test_a_part_that_cannot_be_loaded_is_the_neutral_answer(damage):
    assert_quiet(run_broken(damage), b"{}")


def test_nothing_at_all_is_silence():
    assert_quiet(run_broken("sys.modules['laconic.hooks.answer'] = None"))
    assert_quiet(run_broken("sys.modules['laconic.agents.load'] = None"))


def test_what_a_broken_hook_let_run_leaves_a_line(tmp_path, monkeypatch):
    monkeypatch.setenv("LACONIC_STATE_DIR", str(tmp_path))
    for part in ("hooks.answer", "settings.load", "hooks.respond"):
        run_broken(f"sys.modules['laconic.{part}'] = None")
    rows = [(row["verdict"], row["rule"], row["agent"]) for row in decisions.read(tmp_path)]
    assert rows == [("unchecked", "gate/fault", "cursor")] * 3


def test_an_endless_loop_ends_in_time_with_the_neutral_answer():
    loop = "def loop(*_):\n    while True: pass\n"
    damage = f"{SHORT}{loop}from laconic.hooks import respond\nrespond.respond = loop"
    begin = time.monotonic()
    assert_quiet(run_broken(damage), b"{}")
    assert time.monotonic() - begin < 25


def test_a_pattern_that_runs_away_ends_in_time_with_the_neutral_answer():
    runaway = "lambda *_: re.match('(a+)+$', 'a' * 60 + 'b')"
    damage = f"{SHORT}import re\nfrom laconic.hooks import respond\nrespond.respond = {runaway}"
    assert_quiet(run_broken(damage), b"{}")


def test_an_agent_that_does_not_close_stdin_is_not_waited_for():
    program = BROKEN.format(damage=SHORT, agent="cursor")
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdin.write(b'{"tool')
    process.stdin.flush()
    assert process.wait(20) == 0
    assert (process.stdout.read(), process.stderr.read()) == (b"{}\n", b"")
    process.stdin.close()


def test_a_hook_loads_no_more_than_it_needs():
    program = "import sys; import laconic.hooks.hook; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    loaded = set(done.stdout.decode().split())
    heavy = {"argparse", "dataclasses", "json", "logging", "subprocess", "tomllib", "traceback"}
    assert not loaded & heavy


def test_a_call_loads_no_command_line():
    program = (
        "import sys; from laconic.hooks import hook; hook.main(['claude-code']);print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], input=STDIN, capture_output=True, check=True
    )
    loaded = set(done.stdout.decode().split())
    assert not loaded & {"argparse", "dataclasses", "logging", "sqlite3", "traceback"}
    assert not {name for name in loaded if name.startswith("laconic.cli")}


def test_what_is_done_after_the_answer_has_a_limit_too():
    stuck = (
        "import time; from laconic.hooks import call_log\n"
        "call_log.note_call = lambda *_: time.sleep(60)"
    )
    started = time.monotonic()
    done = run_broken(SHORT + stuck)
    assert time.monotonic() - started < 30
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(done.stdout.splitlines()) == 1  # the answer is there

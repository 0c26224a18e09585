"""Where nobody can answer a question, ask is a deny that says so and how a person lets it pass."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from hook_fixture import claude, decision_of
from laconic.agents.load import load
from laconic.hooks.can_ask import is_unattended

SLEEPER = "import time; time.sleep(60)"


@contextmanager
def agent_started(*words, stdin="terminal", stdout="terminal"):
    """A process with these words, at a terminal or not; gives its number once it is up."""
    outer, inner = pty.openpty()
    reader, writer = os.pipe()
    null = os.open(os.devnull, os.O_RDWR)
    stdins = {"terminal": inner, "pipe": reader, "null": null}
    stdouts = {"terminal": inner, "pipe": writer, "null": null}
    argv = [sys.executable, "-c", SLEEPER, *words]
    process = subprocess.Popen(
        argv, stdin=stdins[stdin], stdout=stdouts[stdout], stderr=subprocess.DEVNULL
    )
    try:
        wait_for_words(process.pid)
        yield process.pid
    finally:
        process.kill()
        process.wait()
        for handle in (outer, inner, reader, writer, null):
            os.close(handle)


def wait_for_words(number):
    """A process that has just been started has none for a moment."""
    path = Path(f"/proc/{number}/cmdline")
    deadline = time.monotonic() + 5
    while path.parent.exists() and not path.read_bytes() and time.monotonic() < deadline:
        time.sleep(0.001)


@pytest.mark.parametrize(
    ("words", "stdin", "stdout", "expected"),
    [
        ([], "terminal", "terminal", False),
        (["-m", "gemini-2.5-pro", "--yolo"], "terminal", "terminal", False),
        (["go and use -p"], "terminal", "terminal", False),
        (["-p", "go"], "terminal", "terminal", True),
        (["--prompt", "go"], "terminal", "terminal", True),
        (["--prompt=go"], "terminal", "terminal", True),
        (["-yp", "go"], "terminal", "terminal", True),
        (["-p", "-i"], "terminal", "terminal", True),
        (["--prompt-interactive", "go"], "terminal", "terminal", False),
        (["-i", "-p"], "terminal", "terminal", False),
        ([], "pipe", "terminal", True),
        ([], "null", "terminal", True),
        ([], "terminal", "pipe", True),
        ([], "terminal", "null", True),
        (["--acp"], "pipe", "pipe", False),
        (["--experimental-acp"], "pipe", "pipe", False),
    ],
)
def test_how_gemini_was_started_tells_whether_it_can_ask(words, stdin, stdout, expected):
    with agent_started(*words, stdin=stdin, stdout=stdout) as number:
        environ = {"_LACONIC_AGENT_PID": str(number)}
        assert is_unattended(load("gemini"), environ) is expected
        assert is_unattended(load("gemini"), {**environ, "CI": "1"}) is expected


def test_gemini_in_ci_has_nobody_unless_it_is_told_otherwise():
    assert is_unattended(load("gemini"), {"CI": "true"})
    with agent_started("-i", "go") as number:
        environ = {"CI": "true", "_LACONIC_AGENT_PID": str(number)}
        assert not is_unattended(load("gemini"), environ)


@pytest.mark.parametrize("number", ["", "0", "-1", "x", "../self", "99999999999"])
def test_what_cannot_be_told_is_a_question(number):
    assert not is_unattended(load("gemini"), {"_LACONIC_AGENT_PID": number})


def gemini(command):
    event = {"hook_event_name": "BeforeTool", "tool_name": "run_shell_command"}
    return {**event, "tool_input": {"command": command}}


def test_gemini_denies_where_it_would_wait_for_ever(place):
    given = json.loads(place.answer("gemini", gemini("kill 1")).stdout)
    assert given["decision"] == "ask"
    with agent_started("-p", "go") as number:
        place.environ["_LACONIC_AGENT_PID"] = str(number)
        given = json.loads(place.answer("gemini", gemini("kill 1")).stdout)
        assert given["decision"] == "deny"
        assert "Nobody is there to ask" in given["reason"]
        assert "laconic allow --always 'kill 1'" in given["reason"]
        long = json.loads(place.answer("gemini", gemini("kill " + "1" * 300)).stdout)
        assert "laconic allow … --for 30m" in long["reason"]
        place.configure('[hooks]\ncannot_ask = "defer"\n')
        assert place.answer("gemini", gemini("kill 1")).stdout == b"{}\n"


def test_droid_denies_where_it_would_take_an_ask_for_a_yes(place):
    data = claude("kill 1") | {"tool_name": "Execute"}
    assert decision_of(place.answer("droid", data))["permissionDecision"] == "ask"
    place.environ["FACTORY_EXEC_TARGET_AUTONOMY"] = "auto-high"
    assert decision_of(place.answer("droid", data))["permissionDecision"] == "deny"


@pytest.mark.parametrize("mode", ["auto-low", "auto-medium", "auto-high"])
def test_droid_denies_in_the_modes_in_which_it_runs_what_a_hook_asks_about(place, mode):
    data = claude("kill 1", permission_mode=mode) | {"tool_name": "Execute"}
    answered = decision_of(place.answer("droid", data))
    assert answered["permissionDecision"] == "deny"
    reason = answered["permissionDecisionReason"]
    assert f"Factory Droid does not ask in its mode {mode}. The user can allow it" in reason

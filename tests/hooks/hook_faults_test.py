"""Whatever comes in and whatever breaks, a hook gives an answer that the agent can read."""

from __future__ import annotations

import importlib
import json
import os
import string
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hook_fixture import CLAUDE, PATHS, claude, decision_of, is_before, read_case
from laconic.agents.load import hooked, load
from laconic.hooks import answer as hooks
from laconic.hooks import call_log, respond
from laconic.hooks.answer import answer

# -- faults ----------------------------------------------------------------------------------------

BAD_STDIN = [
    b"", b"\n", b"null", b"[]", b'"x"', b"{", b"{}", b"\xff\xfe", b"\x00" * 9,
    b'{"tool_name": "Bash"}', b'{"tool_name":"Bash","tool_input":{}}',
    b'{"tool_name":"Bash","tool_input":"x"}',
    b'{"tool_name":"Bash","tool_input":{"command":7}}',
    b'{"tool_name":7,"tool_input":{"command":"ls"}}',
    b'{"tool_name":"Bash","tool_input":{"command":["ls"]},"hook_event_name":["x"]}',
    b"[" * 200_000, b'{"a":' * 100_000, b'{"tool_name":"Bash","tool_input":{"command":NaN}}',
    b'{"hook_event_name":"SessionEnd","permission_mode":"x"}',
]  # fmt: skip


@pytest.mark.parametrize("agent", hooked())
def test_bad_input_gets_the_neutral_answer(agent, place):
    neutral = load(agent).neutral.encode()
    for stdin in BAD_STDIN:
        given = place.answer(agent, stdin)
        assert (given.stdout.strip(), given.stderr, given.status) == (neutral, b"", 0), stdin[:50]


def test_marks_of_byte_order_are_ignored(place):
    for marks in (1, 2, 3):
        stdin = b"\xef\xbb\xbf" * marks + json.dumps(CLAUDE).encode()
        assert place.answer("claude", stdin).stdout
    assert place.answer("claude", json.dumps(CLAUDE).encode("utf-16")).stdout


def test_too_much_input_gets_the_neutral_answer(place, monkeypatch):
    monkeypatch.setattr(hooks, "MOST_BYTES", 1000)
    assert place.answer("cursor", b" " * 1001 + b"{}").stdout == b"{}\n"


def test_an_agent_that_is_not_known_gets_silence(place):
    for name in ("", "frob", "../x", "data/claude-code", "claude-code\0"):
        given = place.answer(name, CLAUDE)
        assert (given.stdout, given.status) == (b"", 0)
        assert given.fault


FAULTS = [ZeroDivisionError("x"), RecursionError(), MemoryError(), OSError(5, "x"), KeyError("x")]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)
@pytest.mark.parametrize(
    "target", ["respond.respond", "answer.read", "answer.fitted", "answer.parse"]
)
def test_a_fault_of_ours_gets_the_neutral_answer_and_is_noted(target, fault, place, monkeypatch):
    def fail(*_args, **_kwargs):
        raise fault

    monkeypatch.setattr(f"laconic.hooks.{target}", fail)
    given = place.answer("claude", CLAUDE)
    assert (given.stdout, given.stderr, given.status) == (b"", b"", 0)
    noted = call_log.last_fault(place.environ["LACONIC_STATE_DIR"], "claude-code")
    assert type(fault).__name__ in noted[1]


def test_a_fault_in_the_rewrite_leaves_the_verdict(place, monkeypatch):
    def fail(*_args):
        raise ZeroDivisionError

    monkeypatch.setattr(respond, "rewrite", fail)
    given = decision_of(place.answer("claude", claude("rm -rf /")))
    assert given["permissionDecision"] == "deny"
    assert "updatedInput" not in decision_of(place.answer("claude", claude("git status")))
    noted = call_log.last_fault(place.environ["LACONIC_STATE_DIR"], "claude-code")
    assert noted[1].startswith("ZeroDivisionError")


@pytest.mark.parametrize("target", ["hooks.respond.way_out", "hooks.way_out._rule"])
def test_a_fault_in_the_way_out_is_noted_and_the_rest_stays(target, place, monkeypatch):
    Path(place.project, "a").write_text("kept")
    stdin = claude("rm a") | {"cwd": place.project}
    place.configure("[settings]\nsoft = 'ask'\n")
    whole = decision_of(place.answer("claude", stdin))
    failing(target, monkeypatch)
    given = decision_of(place.answer("claude", stdin))
    reason = whole["permissionDecisionReason"]
    assert given["permissionDecisionReason"] == reason.partition(". To stop being asked")[0]
    assert ("updatedInput" in given, "undo" in reason) == ("updatedInput" in whole, True)
    noted = call_log.last_fault(place.environ["LACONIC_STATE_DIR"], "claude-code")
    assert noted[1].startswith("ZeroDivisionError")


@pytest.mark.parametrize(
    ("target", "when"),
    [("reading.decide._decide", "judged"), ("policy.rules.apply_to_text", "judged with a rule")],
)
def test_a_fault_that_becomes_a_question_is_noted(target, when, place, monkeypatch):
    """Nobody sees the decision that a way out is made from."""
    failing(target, monkeypatch)
    said = decision_of(place.answer("claude", claude(ASKED)))
    assert said["permissionDecision"] == "ask"
    assert ("failed" in said["permissionDecisionReason"]) is (when == "judged")
    noted = call_log.last_fault(place.environ["LACONIC_STATE_DIR"], "claude-code")
    assert "(ZeroDivisionError" in noted[1]


def failing(name, monkeypatch, when=lambda *_: True):
    """Let a function of laconic's fail, perhaps only for some arguments."""
    module, _, function = name.rpartition(".")
    original = getattr(importlib.import_module(f"laconic.{module}"), function)

    def fail(*args, **kwargs):
        if when(*args):
            raise ZeroDivisionError
        return original(*args, **kwargs)

    monkeypatch.setattr(f"laconic.{module}.{function}", fail)


AFTER_THE_VERDICT = [
    "hooks.respond.options",
    "hooks.respond.rewrite",
    "engine.record",
    "hooks.call_log._write",
    "hooks.answer.fitted",
    "hooks.response.is_unattended",
    "hooks.response.can_rewrite",
    "hooks.dialects.claude.updated",
]
ASKED, DENIED = "git log; kill 1", "git log; rm -rf /"


@pytest.mark.parametrize("target", AFTER_THE_VERDICT)
@pytest.mark.parametrize(("command", "verdict"), [(ASKED, "ask"), (DENIED, "deny")])
def test_a_fault_after_the_verdict_does_not_undo_it(target, command, verdict, place, monkeypatch):
    if target == "hooks.dialects.claude.updated":
        failing(target, monkeypatch, lambda _, response: response.commands)
    else:
        failing(target, monkeypatch)
    said = decision_of(place.answer("claude", claude(command)))["permissionDecision"]
    assert said in (verdict, "deny")


def test_what_cannot_be_sent_back_does_not_undo_a_verdict(place):
    """1e999 is read as infinity, which is not JSON to give back."""
    stdin = json.dumps(claude(ASKED)).replace('"command"', '"timeout": 1e999, "command"')
    given = place.answer("claude", stdin.encode())
    assert decision_of(given)["permissionDecision"] == "ask"
    assert "updatedInput" not in decision_of(given)
    assert place.answer("claude", stdin.replace(ASKED, "git log").encode()).stdout == b""


def test_a_fault_in_the_next_of_several_commands_does_not_undo_a_verdict(place, monkeypatch):
    failing("engine.decide_request", monkeypatch, lambda request, *_: request.command == "git log")
    tool_input = {"commands": ["rm -rf /", "git log"]}
    stdin = {"hookName": "tool_call", "tool_call": {"name": "run_commands", "input": tool_input}}
    given = place.answer("cline-cli", stdin)
    assert b"exit 126" in given.stdout
    assert given.fault.startswith("ZeroDivisionError")


def test_a_fault_in_judging_what_a_rewrite_makes_does_not_undo_a_verdict(place, monkeypatch):
    place.configure("[[rewrite]]\nmatch = '^kill 1$'\nreplace = 'git log'\n")
    failing("engine.decide_request", monkeypatch, lambda request, *_: request.command == "git log")
    said = decision_of(place.answer("claude", claude("kill 1")))
    assert said["permissionDecision"] == "ask"
    assert "updatedInput" not in said


@pytest.mark.parametrize("agent", hooked())
@pytest.mark.parametrize("command", [ASKED, DENIED])
def test_a_verdict_is_known_before_anything_else_is_tried(agent, command, place, monkeypatch):
    path = next(p for p in PATHS if p.parent.name == agent and is_before(p))
    stdin, _ = read_case(path, place, command)
    known = []
    monkeypatch.setattr(respond, "rewrite", lambda *_: pytest.fail("too early") if not known else 1)
    given = answer(
        agent, "", json.dumps(stdin).encode(), place.environ, place.project, known.append
    )
    assert len(known) == 1
    assert (known[0].stdout or known[0].stderr) != load(agent).neutral.encode()
    assert given.status == known[0].status


def test_nothing_is_known_of_a_command_that_may_run(place):
    known = []
    stdin = json.dumps(claude("git log")).encode()
    assert answer("claude", "", stdin, place.environ, place.project, known.append).stdout
    assert known == []


def test_a_broken_configuration_is_no_obstacle(place):
    place.configure("[settings\n\xff")
    assert decision_of(place.answer("claude", claude("rm -rf /")))["permissionDecision"] == "deny"


def test_nowhere_to_write_is_no_obstacle(place):
    place.environ["LACONIC_STATE_DIR"] = "/proc/nowhere"
    given = decision_of(place.answer("claude", claude("rm -rf /")))
    assert given["permissionDecision"] == "deny"


def test_a_lone_surrogate_is_a_question_not_a_crash(place):
    given = place.answer(
        "claude",
        b'{"permission_mode":"x","tool_name":"Bash","tool_input":{"command":"ls \\ud800"}}',
    )
    assert given.fault == ""
    assert decision_of(given)["permissionDecision"] == "ask"


def test_a_disabled_laconic_says_nothing(place):
    place.environ["LACONIC_DISABLED"] = "1"
    assert place.answer("claude", claude("rm -rf /")).stdout == b""


# -- properties ------------------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
STDINS = [json.loads(path.read_text())["stdin"] for path in PATHS]


def paths_in(value, path=()):
    yield path
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from paths_in(inner, (*path, key))


@st.composite
def damaged(draw):
    """A real call with one value replaced by another."""
    stdin = json.loads(json.dumps(draw(st.sampled_from(STDINS))))
    path = draw(st.sampled_from([p for p in paths_in(stdin) if p]))
    place = stdin
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = draw(JSON)
    return json.dumps(stdin).encode()


# Where nobody can write, not even root.
ENVIRON = {"HOME": "/proc/none", "PATH": os.defpath, "LACONIC_STATE_DIR": "/proc/none/state"}


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(hooked()), st.one_of(st.binary(max_size=200), damaged()))
def test_any_bytes_get_nothing_or_json_and_no_fault_shows(agent, stdin):
    given = answer(agent, "", stdin, ENVIRON, "/proc/none")
    assert given.status in (0, 2)
    assert given.status == 0 or load(agent).document["dialect"] == "status"
    assert bool(given.stderr) == bool(given.status)
    if given.stdout:
        assert isinstance(json.loads(given.stdout), dict)
    else:
        assert not load(agent).neutral or given.status


@settings(max_examples=60, deadline=None)
@given(
    st.text(alphabet=string.printable, max_size=60),
    st.dictionaries(st.text(max_size=5), JSON, max_size=4),
)
def test_all_that_came_in_comes_back(command, more):
    given_input = {
        **{k: v for k, v in more.items() if not has_nan(v)},
        "command": f"git status {command}",
    }
    stdin = json.dumps(claude("", tool_input=given_input) | {"tool_input": given_input}).encode()
    given = answer(
        "claude", "", stdin, {**ENVIRON, "PATH": str(Path(sys.executable).parent)}, "/proc/none"
    )
    new = decision_of(given).get("updatedInput")
    if new is not None:
        assert {**new, "command": ""} == {**given_input, "command": ""}


def has_nan(value):
    text = json.dumps(value)
    return any(word in text for word in ("NaN", "Infinity"))

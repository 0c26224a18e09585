"""Whatever of a guard fails: what it could have stopped does not run."""

from __future__ import annotations

import asyncio

import pytest

import laconic
from laconic.tool_hooks import lifecycle_audit_log_take


def fail(*_args, **_more):
    raise RuntimeError("boom")


def rule(**more):
    return laconic.Rule(**{"id": "team.rule", "pattern": "^echo", "explanation": "Why.", **more})


def note(match, args, inner):
    """A mode that runs whatever matched."""
    return {"action": "noted", "rule_id": match.rule_id, "result": inner and inner(args)}


# The guard, and whether the command runs: a fault of what only notes or mends changes nothing.
GUARDS = {
    "predicate of an error": ({"custom_rules": [rule(pattern=fail, severity="error")]}, False),
    "predicate of what denies": ({"custom_rules": [rule(pattern=fail, action="deny")]}, False),
    "predicate where all is denied": (
        {"custom_rules": [rule(pattern=fail)], "mode": laconic.deny_with_explanation},
        False,
    ),
    "predicate of an error, own mode": (
        {"custom_rules": [rule(pattern=fail, severity="error")], "mode": note},
        False,
    ),
    "rewriter of an error": ({"custom_rules": [rule(rewrite=fail, severity="error")]}, False),
    "own mode": ({"custom_rules": [rule()], "mode": fail}, False),
    "ask": ({"custom_rules": [rule()], "mode": lambda *_: {"action": "ask"}, "ask": fail}, False),
    "predicate of a warning": ({"custom_rules": [rule(pattern=fail)]}, True),
    "predicate of a warning, own mode": (
        {"custom_rules": [rule(pattern=fail)], "mode": note},
        True,
    ),
    "rewriter of a warning": ({"custom_rules": [rule(rewrite=fail)]}, True),
    "model": ({"classifier": {"model": "m", "client": fail}}, True),
    "sink": ({"custom_rules": [rule()], "audit": fail}, True),
}


@pytest.fixture(params=GUARDS)
def guard(request):
    return GUARDS[request.param]


def test_run(guard, tmp_path):
    config, runs = guard
    gate = laconic.Gate(gate=False, cwd=tmp_path, **config)
    for result in (gate.run("echo hi > ran"), asyncio.run(gate.arun("echo hi > ran"))):
        assert (result.status == 0) is runs
    assert (tmp_path / "ran").exists() is runs


def test_hook(guard):
    config, runs = guard
    gate = laconic.Gate(gate=False, **config)
    assert gate.hook("echo hi", call_id="1").ask_and_start() is runs
    assert asyncio.run(gate.hook("echo hi", call_id="2").aask_and_start()) is runs


def test_tool(guard):
    config, runs = guard
    ran = []
    tool = laconic.Gate(gate=False, **config).tool(lambda command: ran.append(command) or "done")
    said = tool("echo hi")
    assert (bool(ran), said.startswith("done")) == (runs, runs)


def test_preset(guard):
    config, runs = guard
    config = dict(config)
    if "classifier" in config:
        config["llm_classifier"] = config.pop("classifier")
    ran = []
    wrapper = laconic.preset_run_command(config, inner=ran.append)
    try:
        said = wrapper("echo hi")
    except RuntimeError:  # of a mode of your own
        said = {"action": "deny"}
    assert bool(ran) is runs
    if not runs:
        assert said["action"] in ("deny", "ask")


@pytest.mark.parametrize("mode", [laconic.rewrite_with_audit, laconic.deny_with_explanation])
@pytest.mark.parametrize("where", ["pattern", "rewrite"])
def test_a_rule_that_fails_is_in_the_log(mode, where):
    lifecycle_audit_log_take()
    gate = laconic.Gate(gate=False, custom_rules=[rule(**{where: fail})], mode=mode)
    gate.record(gate.decide("echo hi"))
    told = [entry for entry in gate.audit_log.take() if entry.kind == "tool_rule_error"]
    if where == "rewrite" and mode is laconic.deny_with_explanation:
        assert told == []  # it is denied without being rewritten
    else:
        assert "boom" in told[0].payload["error"]
    assert lifecycle_audit_log_take() == []

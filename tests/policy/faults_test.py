"""A fault of laconic's own is a question with the rule's id: never an allow, never a crash."""

from __future__ import annotations

import functools
import time

import pytest

from laconic import engine
from laconic.knowledge import arguments, knowledge, options
from laconic.knowledge.catalog import library, tables
from laconic.permissions import allowances, program
from laconic.permissions import read as agent_rules
from laconic.policy import permissions, user_lists
from laconic.policy.rules import Rules
from laconic.reading import commands, evaluation, judge, places, scope
from laconic.reading import decide as policy
from laconic.reading.places import Facts
from laconic.settings.load import process_environment, read_directories, read_settings
from laconic.types import Verdict

FAULTS = [
    ZeroDivisionError("oops"),
    RecursionError(),
    KeyError("x"),
    MemoryError(),
    OSError(5, "x"),
]


def broken(fault):
    def fail(*_args, **_kwargs):
        raise fault

    return fail


def decide(command, rules=None):
    return policy.decide(command, library(), rules or Rules(), Facts())


def rules_of(decision):
    return {leaf.rule for leaf in decision.leaves()}


def assert_asks(decision, rule):
    assert decision.verdict is Verdict.ASK
    assert rule in rules_of(decision), rules_of(decision)
    assert any("failed" in leaf.reason for leaf in decision.leaves())


@pytest.fixture(params=FAULTS, ids=lambda fault: type(fault).__name__)
def fault(request):
    return request.param


def test_without_a_fault_these_are_allowed():
    for command in ("git status", "find . -name x", "ls -l", "echo $((1 + 2))", "cat < x"):
        assert decide(command).verdict is Verdict.ALLOW


@functools.cache
def examples_of_handlers():
    """The examples of the tables that name a handler, by its name."""
    found = {name: [] for name in commands.NAMES}
    for _, _, table in tables():
        found.get(table.get("code"), []).extend((*table.get("yes", ()), *table.get("no", ())))
    return found


@pytest.mark.parametrize("name", sorted(commands.NAMES))
def test_a_fault_in_a_handler(name, monkeypatch):
    """Every handler, on the examples of its tables that it is asked about."""
    called = []

    def fail(_call):
        called.append(name)
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(
        judge, "handler", lambda asked: fail if asked == name else commands.handler(asked)
    )
    for example in examples_of_handlers()[name]:
        before = len(called)
        decision = decide(example)
        if len(called) > before:
            assert decision.verdict is not Verdict.ALLOW, example
            assert any(rule.endswith("/fault") for rule in rules_of(decision)), example
    assert called


def test_a_fault_in_a_handler_is_named_by_its_rule(monkeypatch, fault):
    monkeypatch.setattr(judge, "handler", lambda _: broken(fault))
    assert_asks(decide("find . -name x"), "find/fault")


def test_a_handler_that_cannot_be_imported(monkeypatch, fault):
    monkeypatch.setattr(judge, "handler", broken(fault))
    assert_asks(decide("find . -name x"), "find/fault")


def test_a_fault_in_a_table(monkeypatch, fault):
    monkeypatch.setattr(judge, "follow_table", broken(fault))
    assert_asks(decide("ls -l"), "ls/fault")


def test_a_fault_in_the_search_for_a_table(monkeypatch, fault):
    monkeypatch.setattr(knowledge.Library, "find", broken(fault))
    assert_asks(decide("ls -l"), "ls/fault")


def test_a_fault_in_reading_options(monkeypatch, fault):
    assert decide("sort -u x").verdict is Verdict.ALLOW
    monkeypatch.setattr(options, "_read_option", broken(fault))
    assert_asks(decide("sort -u x"), "sort/fault")


def test_a_fault_in_the_configuration(monkeypatch, fault):
    monkeypatch.setattr("laconic.policy.rules.settled", broken(fault))
    rules = Rules()
    rules.denied = frozenset(("ls",))
    assert_asks(decide("ls -l", rules), "ls/fault")


def test_a_fault_in_a_gate(monkeypatch, fault):
    from laconic.policy.rules import SubcommandGate

    rules = Rules()
    rules.gates = {"git": SubcommandGate(["push"], {"X": ("1",)})}
    monkeypatch.setattr(user_lists, "_holds", broken(fault))
    assert_asks(decide("git push", rules), "git/fault")


def test_a_fault_in_the_users_rules(monkeypatch, fault):
    rules = Rules()
    rules.permissions = (
        permissions.Permission(
            Verdict.ALLOW, "zz", rest=True, written="Bash(zz)", source="x", agent="claude-code"
        ),
    )
    assert decide("zz", rules).verdict is Verdict.ALLOW
    monkeypatch.setattr(permissions.Permission, "fits_words", broken(fault))
    assert_asks(decide("zz", rules), "unknown-command/fault")


@pytest.mark.parametrize(
    ("module", "name", "command"),
    [
        (policy, "parse", "ls"),
        (policy, "commands", "ls"),
        (policy, "redirect_findings", "cat < x"),
        (policy, "evaluations", "ls"),
        (policy, "evaluation_findings", "echo $((1))"),
        (policy, "binding_findings", "for x in a; do ls; done"),
        (policy, "bombs", "f() { ls; }; f"),
        (policy, "listed_findings", 'for x in *; do cat "$x"; done; ls | xargs cat'),
        (policy, "strictest", "ls; ls"),
        (evaluation, "result", "echo $(( $(echo 1) + 2 ))"),
        (places, "_place", "cat < x"),
        (judge, "expand", "ls"),
        (scope, "Flow", "x=1; cat $x"),
        (scope, "worlds", "x=1; cat $x"),
        (scope, "followed_names", "ls"),
        (arguments, "output", "ls $(echo x)"),
    ],
)
def test_a_fault_anywhere_else(monkeypatch, module, name, command, fault):
    monkeypatch.setattr(module, name, broken(fault))
    decision = decide(command)
    assert decision.verdict is Verdict.ASK
    assert any("failed" in leaf.reason for leaf in decision.leaves())


def test_a_fault_lifts_no_denial(monkeypatch):
    original = judge.follow_table

    def fails_on_ls(call):
        if call.path[0] == "ls":
            raise ZeroDivisionError("oops")
        original(call)

    monkeypatch.setattr(judge, "follow_table", fails_on_ls)
    assert decide("ls; rm -rf /").verdict is Verdict.DENY


# -- around the policy -----------------------------------------------------------------------------


@pytest.fixture
def ask(tmp_path):
    def run(command):
        request = engine.Request(command, str(tmp_path), process_environment())
        return engine.decide_request(request, read_settings())

    return run


def test_a_fault_in_reading_the_users_rules(ask, monkeypatch, fault, home):
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").write_text("{}")
    assert ask("git status").verdict is Verdict.ALLOW
    monkeypatch.setattr(agent_rules, "_read", broken(fault))
    decision = ask("git status")
    assert decision.verdict is Verdict.ASK
    assert "permissions/fault" in rules_of(decision)
    assert ask("rm -rf /").verdict is Verdict.DENY


def test_a_fault_in_the_store_of_exceptions(ask, monkeypatch, fault):
    allowances.add(
        read_directories().state, "npm publish", "/", time.time() + 60, once=False, now=0
    )
    monkeypatch.setattr(allowances, "find", broken(fault))
    decision = ask("npm publish")
    assert decision.verdict is Verdict.ASK
    assert "allowance/fault" in rules_of(decision)


def test_a_fault_in_the_external_program(ask, monkeypatch, fault, home):
    config = home / ".config/laconic/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(
        '[permissions]\nengine = "external"\n[permissions.external]\ncommand = "true"\n'
    )
    monkeypatch.setattr(program, "_run", broken(fault))
    decision = ask("git status")
    assert (decision.verdict, decision.rule) == (Verdict.ASK, "external/failed")

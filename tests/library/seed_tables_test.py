"""The tables of Harn's page on preset tool hooks, row by row."""

from __future__ import annotations

import json

import pytest

import laconic
from laconic import tool_hooks
from laconic.library.registry import shipped
from laconic.tool_hooks import (
    catalogue,
    lifecycle_audit_log_snapshot,
    lifecycle_audit_log_take,
    preset_run_command,
    tool_hooks_list,
    tool_hooks_registry,
    tool_hooks_seed_registry,
    tool_rule,
)


@pytest.fixture(autouse=True)
def _empty_log():
    lifecycle_audit_log_take()


# -- the configuration -----------------------------------------------------------------------------


def test_every_key_has_its_default():
    wrapper = preset_run_command()
    gate = wrapper.gate
    assert gate.stacks == ()
    assert gate.judge.rules.registry == tool_hooks_seed_registry([])
    assert [len(found.rules) for found in gate.judge.rules.custom] == [0]
    assert gate.judge.mode is tool_hooks.tool_hooks_mode_rewrite_with_audit
    assert (wrapper.inner, gate.judge.classifier) == (None, None)


@pytest.mark.parametrize(
    "args", ["tool x", {"command": "tool x"}, {"cmd": "tool x", "n": 1}, {"run": "tool x"}]
)
def test_rules_and_the_model_see_the_same_text_whatever_the_shape(args):
    seen, asked = [], []

    def client(_system, user, *_):
        asked.append(json.loads(user)["command"])
        return '{"kind": "allow", "confidence": 1}'

    rule = tool_rule(id="a", pattern=lambda command, _: seen.append(command))
    wrapper = preset_run_command(
        custom_rules=[rule],
        llm_classifier={"model": "m", "client": client},
        inner=lambda args: args,
    )
    assert wrapper(args) == args
    assert set(seen) == set(asked) == {"tool x"}


def test_a_result_is_there_if_the_executor_gave_nothing():
    wrapper = preset_run_command(stacks=["rust"], inner=lambda _: None)
    assert wrapper("cargo fmt").to_dict()["result"] is None
    assert "result" not in preset_run_command(stacks=["rust"])("cargo fmt").to_dict()
    assert "result" not in wrapper("rm -rf /").to_dict()


def test_audit_and_reminder_come_before_the_executor():
    kinds = []

    def inner(_):
        kinds.extend(entry["kind"] for entry in lifecycle_audit_log_snapshot())

    preset_run_command(stacks=["rust"], inner=inner)("cargo check")
    assert kinds == ["tool_rewrite", "tool_hooks.reminder_injected"]


def test_the_prompt_and_the_options_are_the_users():
    asked = []

    def client(system, _user, model, options):
        asked.append((system, model, options))
        return '{"kind": "allow", "confidence": 1}'

    config = {"model": "m", "client": client, "llm_options": {"seed": 7, "retries": 0}}
    preset_run_command(llm_classifier={**config, "meta_prompt": "Be brief."})("ls")
    preset_run_command(llm_classifier=config)("ls")
    assert asked[0] == ("Be brief.", "m", {"seed": 7, "retries": 0})
    assert asked[1][0] == laconic.Classifier(**config).meta_prompt != "Be brief."


# -- ToolRule and Catalogue ------------------------------------------------------------------------

RULE_DEFAULTS = {
    "applies_to": (),
    "severity": "warning",
    "explanation": "",
    "references": (),
    "priority": 0,
    "rewrite": None,
}
CATALOGUE_DEFAULTS = {"rules": (), "stack": "", "version": "", "source": "", "priority": 0}


@pytest.mark.parametrize("field", RULE_DEFAULTS)
def test_a_field_of_a_rule_has_its_default(field):
    assert getattr(tool_rule(id="a", pattern="x"), field) == RULE_DEFAULTS[field]


@pytest.mark.parametrize("field", CATALOGUE_DEFAULTS)
def test_a_field_of_a_catalogue_has_its_default(field):
    assert getattr(catalogue(id="a"), field) == CATALOGUE_DEFAULTS[field]


def test_a_predicate_is_given_the_command_and_what_is_asked_for():
    seen = []
    rule = tool_rule(
        id="a", pattern=lambda command, context: seen.append((command, context.stacks))
    )
    preset_run_command(stacks=["rust"], custom_rules=[rule])("x")
    assert set(seen) == {("x", frozenset(["rust"]))}


def test_a_rewriter_is_given_the_command_and_its_rule():
    seen = []

    def rewrite(command, context):
        seen.append((command, context.rule_id, context.catalogue_id, context.severity))

    rule = tool_rule(id="a.b", pattern="^x", rewrite=rewrite, severity="info")
    preset_run_command(custom_rules=[rule])("x y")
    assert set(seen) == {("x y", "a.b", "preset_run_command/custom", "info")}


# -- the registry and what is shipped --------------------------------------------------------------


def test_a_registry_is_a_value():
    empty = tool_hooks_registry()
    one = tool_hooks.tool_hooks_register(empty, catalogue(id="a"))
    none = tool_hooks.tool_hooks_unregister(one, "a")
    assert [len(tool_hooks_list(found)) for found in (empty, one, none)] == [0, 1, 0]


# The stack of a catalogue and its rules: severity, and whether it rewrites.
SHIPPED = {
    "universal": {
        "universal.git_push_force_main": ("error", False),
        "universal.rm_rf_root_adjacent": ("error", False),
    },
    "rust": {
        "rust.cargo.target_dir_conflict": ("warning", True),
        "rust.cargo.test_no_capture_default": ("info", True),
        "rust.cargo.clippy_full_workspace": ("warning", True),
        "rust.cargo.fmt_check_vs_apply": ("info", False),
    },
    "python": {
        "python.find_versus_rg": ("info", True),
        "python.pip_install_no_user": ("warning", False),
        "python.pytest_no_capture": ("info", True),
    },
    "typescript": {
        "ts.find_versus_rg": ("info", True),
        "ts.npm_install_force_resolution": ("warning", False),
    },
    "swift": {"swift.swift_build_clean_cache_misuse": ("warning", False)},
    "sql": {"sql.select_star_warning": ("warning", False)},
    "harn": {"harn.cargo_run_quiet": ("info", True)},
}


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_catalogue_has_these_rules(name):
    found = shipped(name)
    rules = {rule.id: (rule.severity, rule.rewrite is not None) for rule in found.rules}
    assert rules == SHIPPED[name]
    is_universal = name == "universal"
    assert (found.id, found.version, found.source) == (f"harn-canon/{name}", "0.1.0", "harn-canon")
    assert (found.stack, found.priority) == (("", 100) if is_universal else (name, 0))
    for rule in found.rules:
        assert rule.priority == 1000 if is_universal else 0 <= rule.priority <= 100
        assert rule.applies_to == (() if is_universal else (name,))


# -- what is written down --------------------------------------------------------------------------

DENY = tool_hooks.tool_hooks_mode_deny_with_explanation
NOTE = tool_hooks.tool_hooks_mode_passthrough_only_audit
RULE = {"rule_id", "catalogue_id", "severity", "command", "explanation", "original_command"}
MODEL = set("scope model kind confidence threshold cache_hit action normalized_command".split())
AUDIT = {
    "tool_rewrite": ({"stacks": ["rust"]}, RULE),
    "tool_hooks.reminder_injected": (
        {"stacks": ["rust"]},
        {"tags", "body", "ttl_turns", "reminder_id", "session_attached"},
    ),
    "tool_denied": ({"stacks": ["rust"], "mode": DENY}, RULE),
    "tool_rule_warning": ({"stacks": ["rust"], "mode": NOTE}, RULE),
    "tool_hook_classifier_verdict": (
        {"llm_classifier": {"model": "m", "client": lambda *_: "?"}},
        MODEL | {"error"},
    ),
}


@pytest.mark.parametrize("kind", AUDIT)
def test_an_entry_says_this(kind):
    config, keys = AUDIT[kind]
    preset_run_command(config)("cargo check")
    (entry,) = [found for found in lifecycle_audit_log_take() if found["kind"] == kind]
    assert entry["payload"].keys() >= keys

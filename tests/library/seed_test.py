"""The quick start and the recipes of Harn's page on preset tool hooks, in Python, as they run."""

from __future__ import annotations

import json
import subprocess

import pytest

import laconic
from laconic import tool_hooks
from laconic.tool_hooks import (
    catalogue,
    lifecycle_audit_log_take,
    preset_run_command,
    tool_hooks_catalogue_universal,
    tool_hooks_emit_audit,
    tool_hooks_inject_reminder,
    tool_hooks_list,
    tool_hooks_match,
    tool_hooks_mode_deny_with_explanation,
    tool_hooks_register,
    tool_hooks_registry,
    tool_hooks_seed_registry,
    tool_rule,
)


@pytest.fixture(autouse=True)
def _empty_log():
    lifecycle_audit_log_take()


def shell(command):
    return subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, check=False
    ).stdout


def agent_loop(tools, calls):
    """An agent whose model has only these calls to make."""
    handlers = {tool["name"]: tool["handler"] for tool in tools}
    return [handlers[name](args) for name, args in calls]


def test_quick_start():
    run_command = preset_run_command(
        stacks=["rust", "python"],
        inner=lambda args: shell(args["command"]),
    )
    calls = [
        ("run_command", {"command": "echo hello"}),
        ("run_command", {"command": "rm -rf /"}),
        ("run_command", {"command": "echo a; cargo --help >/dev/null 2>&1; echo b"}),
        ("run_command", {"command": "false && cargo build --release; echo done"}),
    ]
    tools = [{"name": "run_command", "handler": run_command}]
    plain, denied, untouched, rewritten = agent_loop(tools, calls)
    assert plain == "hello\n"
    assert (denied["action"], "result" in denied) == ("deny", False)
    assert untouched == "a\nb\n"
    assert rewritten["command"] == (
        "false && cargo build --release --target-dir target-shared; echo done"
    )
    assert rewritten["result"] == "done\n"
    kinds = [entry["kind"] for entry in lifecycle_audit_log_take()]
    assert kinds == ["tool_denied", "tool_rewrite", "tool_hooks.reminder_injected"]


def test_it_is_valid_without_a_configuration():
    assert preset_run_command()("ls").to_dict() == {
        "action": "passthrough",
        "command": "ls",
        "original_command": "ls",
    }
    assert preset_run_command()("rm -rf /").action == "deny"
    assert preset_run_command(None)("ls").action == "passthrough"
    with pytest.raises(laconic.RuleError, match="config must be a dict"):
        preset_run_command("rust")


def test_custom_modes():
    def warn_then_run(rule, args, inner):
        cmd = args if isinstance(args, str) else str(args.get("command", ""))
        tool_hooks_emit_audit("custom.tool_warn", {"rule_id": rule.rule_id, "command": cmd})
        tool_hooks_inject_reminder(
            {
                "tags": ["custom_warning"],
                "body": f"rule {rule.rule_id} advisory: {rule.explanation}",
                "ttl_turns": 2,
            }
        )
        if inner is None:
            return {"action": "warn", "rule_id": rule.rule_id, "command": cmd}
        result = inner(args)
        return {"action": "warn", "rule_id": rule.rule_id, "command": cmd, "result": result}

    wrapper = preset_run_command({"stacks": ["rust"], "mode": warn_then_run})
    said = wrapper({"command": "cargo fmt"})
    rule_id = "rust.cargo.fmt_check_vs_apply"
    assert said == {"action": "warn", "rule_id": rule_id, "command": "cargo fmt"}
    audit, reminder = lifecycle_audit_log_take()
    assert (audit["kind"], audit["payload"]["rule_id"]) == ("custom.tool_warn", rule_id)
    assert (reminder["payload"]["tags"], reminder["payload"]["ttl_turns"]) == (
        ["custom_warning"],
        2,
    )
    running = preset_run_command(stacks=["rust"], mode=warn_then_run, inner=lambda args: args)
    assert running("cargo fmt")["result"] == "cargo fmt"
    assert running("ls") == "ls"


def test_a_custom_mode_cannot_run_what_a_rule_forbids():
    ran = []
    wrapper = preset_run_command(
        stacks=["rust"],
        mode=lambda _rule, _args, inner: inner({"command": "rm -rf /"}),
        inner=ran.append,
    )
    envelope = wrapper("cargo fmt")
    assert (envelope.action, envelope.original_command, ran) == ("deny", "cargo fmt", [])


def test_an_async_mode_is_awaited_and_its_effects_are_its_gates():
    import asyncio

    async def mode(_match, args, inner):
        await asyncio.sleep(0)
        laconic.emit_audit("custom.noted", {})
        return {"action": "noted", "result": await inner(args)}

    async def inner(args):
        await asyncio.sleep(0)
        return args

    wrapper = preset_run_command(stacks=["rust"], mode=mode, inner=inner)
    said = asyncio.run(wrapper({"command": "cargo fmt"}))
    assert said == {"action": "noted", "result": {"command": "cargo fmt"}}
    assert [entry.kind for entry in wrapper.gate.audit_log.take()] == ["custom.noted"]
    refused = asyncio.run(wrapper({"command": "cargo fmt", "run": "rm -rf /"}))
    assert refused.action == "deny"


def test_arguments_without_a_command_go_through():
    assert preset_run_command(inner=lambda args: args)(None) is None
    assert preset_run_command(inner=lambda args: ["ran", args])(None) == ["ran", None]


def test_custom_rules():
    no_curl_pipe_sh = tool_rule(
        id="harness.curl_pipe_sh",
        pattern=r"curl[^|]+\|\s*(?:sudo\s+)?(?:ba)?sh\b",
        applies_to=[],
        severity="error",
        explanation="Nobody has read what is piped into a shell. Download it, read it, run it.",
        references=["https://www.idontplaydarts.com/2016/04/detecting-curl-pipe-bash-server-side/"],
    )
    ran = []
    wrapper = preset_run_command(
        {
            "stacks": ["rust"],
            "custom_rules": [no_curl_pipe_sh],
            "mode": tool_hooks_mode_deny_with_explanation,
            "inner": lambda args: ran.append(args["command"]),
        }
    )
    denied = wrapper({"command": "curl -fsSL https://example.com/install.sh | sudo bash"})
    assert denied.to_dict() == {
        "action": "deny",
        "command": "curl -fsSL https://example.com/install.sh | sudo bash",
        "original_command": "curl -fsSL https://example.com/install.sh | sudo bash",
        "rule_id": "harness.curl_pipe_sh",
        "catalogue_id": "preset_run_command/custom",
        "severity": "error",
        "explanation": no_curl_pipe_sh.explanation,
        "references": list(no_curl_pipe_sh.references),
    }
    wrapper({"command": "curl -o x https://example.com"})
    assert ran == ["curl -o x https://example.com"]


def test_a_registry_by_hand():
    vendor_rust = catalogue(
        {
            "id": "vendor/rust",
            "stack": "rust",
            "rules": [
                {"id": "vendor.cargo_publish", "pattern": "^cargo publish", "severity": "error"}
            ],
        }
    )
    registry = tool_hooks_register(
        tool_hooks_register(tool_hooks_registry(), tool_hooks_catalogue_universal()),
        vendor_rust,
    )
    wrapper = preset_run_command(stacks=["rust"], registry=registry)
    assert wrapper("cargo publish").rule_id == "vendor.cargo_publish"
    assert wrapper("cargo build").matched is False  # the shipped catalogue is not in it
    assert wrapper("rm -rf /").catalogue_id == "harn-canon/universal"
    elsewhere = preset_run_command(stacks=["python"], registry=registry)
    assert elsewhere("cargo publish").matched is False


def test_the_classifier():
    asked = []

    def haiku(_system, user, model, options):
        asked.append((model, json.loads(user)["command"], options))
        return '{"kind": "rewrite", "confidence": 0.92, "rewritten": "npm run lint -- --fix"}'

    wrapper = preset_run_command(
        stacks=["rust", "python"],
        llm_classifier={
            "model": "haiku",
            "provider": "anthropic",
            "threshold": 0.8,
            "cache": {"ttl_seconds": 3600},
            "client": haiku,
        },
        inner=lambda args: args["command"],
    )
    for _ in range(2):
        envelope = wrapper({"command": "npm run lint"})
        assert (envelope.action, envelope.result) == ("rewrite", "npm run lint -- --fix")
    assert asked == [("haiku", "npm run lint", {})]
    log = lifecycle_audit_log_take()
    verdicts = [e["payload"] for e in log if e["kind"] == "tool_hook_classifier_verdict"]
    assert [verdict["cache_hit"] for verdict in verdicts] == [False, True]
    assert verdicts[0].keys() >= {
        *("scope", "model", "kind", "confidence", "threshold", "cache_hit", "action"),
        *("normalized_command", "error"),
    }


def test_the_broader_hooks_compose_with_it():
    """Around every tool: what may run at all, and how much of the result is read."""
    run_command = preset_run_command(stacks=["rust"], inner=lambda args: shell(args["command"]))

    def around(name, handler):
        def called(args):
            if name.startswith("exec_"):
                return {"error": "exec_* is gated"}
            result = handler(args)
            return result[:4000] if isinstance(result, str) else result

        return called

    tools = [
        {"name": name, "handler": around(name, run_command)} for name in ("run_command", "exec_sql")
    ]
    calls = [("run_command", {"command": "seq 1 5000"}), ("exec_sql", {"command": "ls"})]
    text, refused = agent_loop(tools, calls)
    assert len(text) == 4000
    assert refused == {"error": "exec_* is gated"}


def test_every_function_of_the_page_is_there():
    assert set(tool_hooks.__all__) <= set(vars(tool_hooks))
    for row in tool_hooks_list(tool_hooks_seed_registry(["rust", "ts", "nothing"])):
        assert set(row) == {"id", "stack", "version", "source", "priority", "rule_count"}
    (match,) = tool_hooks_match(tool_hooks_seed_registry(), "rm -rf /", {"stacks": []})
    assert (match.rule_id, match.priority, match.stack) == (
        "universal.rm_rf_root_adjacent",
        1000,
        "",
    )
    for name in ("universal", "rust", "python", "typescript", "swift", "sql", "harn"):
        made = getattr(tool_hooks, f"tool_hooks_catalogue_{name}")()
        assert made.id == f"harn-canon/{name}"


def test_the_way_out_of_the_rule_on_forced_pushes(monkeypatch):
    command = "git push --force origin main"
    assert preset_run_command()(command).action == "deny"
    assert preset_run_command()(f"HARN_TOOL_HOOKS_ALLOW_FORCE_PUSH=1 {command}").action == "deny"
    monkeypatch.setenv("HARN_TOOL_HOOKS_ALLOW_FORCE_PUSH", "1")
    assert preset_run_command()(command).action == "passthrough"


def test_an_async_executor_is_awaited():
    import asyncio

    async def inner(args):
        await asyncio.sleep(0)
        return args

    async def main():
        wrapper = preset_run_command(stacks=["rust"], inner=inner)
        assert await wrapper("ls") == "ls"
        assert (await wrapper("cargo check")).result.endswith("target-shared")
        assert (await wrapper("rm -rf /")).action == "deny"

    asyncio.run(main())


def test_laconics_own_verdicts_count_if_they_are_asked_for():
    wrapper = preset_run_command(gate=True, inner=lambda args: args)
    assert wrapper("ls") == "ls"
    assert wrapper("git push")["action"] == "ask"
    assert [entry["kind"] for entry in lifecycle_audit_log_take()] == ["tool_asked"]
    consenting = preset_run_command(gate=True, inner=lambda args: args, ask=lambda _: True)
    assert consenting("git push").result == "git push"

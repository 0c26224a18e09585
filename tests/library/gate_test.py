"""The Gate: decisions without effects, effects once, faults that deny, any thread, asyncio."""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import laconic
from laconic import engine
from laconic.cli import main as cli
from laconic.permissions import allowances

MANY = "".join(f"copied file number {n} to the archive\n" for n in range(2000))


pytestmark = pytest.mark.usefixtures("project")


def kinds(gate):
    return [entry.kind for entry in gate.audit_log.take()]


def to_next(command="old"):
    """A rule that makes `echo new` of a command."""
    return laconic.Rule(
        id="team.old",
        pattern=rf"^{command}\b",
        rewrite=laconic.Replace("echo new"),
        explanation="Why.",
    )


# -- decide ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "verdict"),
    [
        ("ls -la", "allow"),
        ("rm -rf /", "deny"),
        ("git push", "ask"),
        ("nobody-knows-this", "ask"),
        ("echo $(rm -rf ~)", "deny"),
        ("if", "ask"),
        ("", "allow"),
    ],
)
def test_rules_and_the_gate_decide(command, verdict):
    assert laconic.Gate().decide(command).verdict == verdict


def test_the_text_that_would_run_is_what_the_gate_is_asked_about():
    mended = laconic.Gate(custom_rules=[to_next("nobody-knows-this")])
    assert mended.decide("nobody-knows-this x").verdict == "allow"
    spoilt = laconic.Rule(id="a", pattern="^ls", rewrite=laconic.Replace("chmod -R 777 /"))
    decision = laconic.Gate(custom_rules=[spoilt]).decide("ls")
    assert decision.verdict != "allow"
    assert decision.catalogue_id == "laconic/gate"


def test_a_mode_that_lets_all_pass_does_not_lift_the_gate():
    gate = laconic.Gate(mode=laconic.passthrough_only_audit)
    assert gate.decide("rm -rf /").verdict == "deny"
    assert (
        laconic.Gate(mode=laconic.passthrough_only_audit, gate=False).decide("rm -rf /").verdict
        == "allow"
    )


def test_a_decision_has_no_effects_and_may_be_asked_for_again():
    gate = laconic.Gate(custom_rules=[to_next()])
    first, second = gate.decide("old x"), gate.decide("old x")
    assert first == second
    assert (first.command, first.original_command) == ("echo new", "old x")
    assert kinds(gate) == []
    assert gate.take_reminders() == ""


def test_a_decision_is_acted_on_once_for_each_call():
    gate = laconic.Gate(custom_rules=[to_next()])
    for call_id in ("a", "a", "b", "a"):
        assert gate.record(gate.decide("old x", call_id=call_id), call_id=call_id) is True
    assert kinds(gate) == ["tool_rewrite", "tool_hooks.reminder_injected"] * 2
    assert gate.take_reminders().count("Your command was rewritten") == 1  # the same text twice


def test_eight_threads_act_on_one_call_once():
    gate = laconic.Gate(custom_rules=[to_next()])
    start = threading.Barrier(8)

    def act(_):
        start.wait()
        return gate.record(gate.decide("old x", call_id="a"), call_id="a")

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(act, range(8))) == [True] * 8
    assert kinds(gate) == ["tool_rewrite", "tool_hooks.reminder_injected"]


@pytest.mark.parametrize("broken", ["rules", "engine", "mode"])
def test_a_gate_that_fails_lets_nothing_run(broken, monkeypatch):
    def fail(*_args, **_more):
        raise RuntimeError("boom")

    gate = laconic.Gate(mode=fail) if broken == "mode" else laconic.Gate()
    if broken == "rules":
        monkeypatch.setattr(gate.judge.rules, "apply", fail)
    if broken == "engine":
        monkeypatch.setattr(engine, "decide_request", fail)
    command = "rm -rf /" if broken == "mode" else "echo hi"
    envelope = gate.decide(command)
    assert envelope.verdict == "deny"
    assert "boom" in envelope.message
    result = gate.run(command)
    assert (result.status, result.stdout) == (126, "")
    assert kinds(gate) == ["tool_denied"]


def test_a_predicate_that_fails_denies_if_it_is_about_an_error():
    def fail(_command, _context):
        raise KeyError("boom")

    for severity, verdict in (("error", "deny"), ("warning", "allow")):
        gate = laconic.Gate(custom_rules=[laconic.Rule(id="a", pattern=fail, severity=severity)])
        envelope = gate.decide("echo hi")
        assert envelope.verdict == verdict
        gate.record(envelope)
        assert kinds(gate)[0] == "tool_rule_error"


def test_a_rewriter_that_fails_denies_if_it_is_about_an_error():
    def fail(_command, _context):
        raise KeyError("boom")

    for severity, verdict in (("error", "deny"), ("warning", "allow")):
        rule = laconic.Rule(id="a", pattern="^echo", severity=severity, rewrite=fail)
        assert laconic.Gate(custom_rules=[rule]).decide("echo hi").verdict == verdict


def test_a_command_that_is_too_long_to_be_checked_is_denied():
    gate = laconic.Gate(gate=False)
    assert gate.decide(f"echo {'a' * 300_000}; rm -rf /").verdict == "deny"


def test_a_mode_of_your_own_decides_and_what_it_changes_is_checked():
    def to_evil(_match, _args, _inner):
        laconic.emit_audit("team.noted", {"n": 1})
        return {"action": "rewrite", "command": "rm -rf ~"}

    gate = laconic.Gate(
        mode=to_evil, custom_rules=[laconic.Rule(id="a", pattern="^echo")], gate=False
    )
    envelope = gate.decide("echo hi")
    assert (envelope.verdict, envelope.rule_id) == ("deny", "universal.rm_rf_root_adjacent")
    assert kinds(gate) == []
    assert gate.record(envelope) is False
    assert kinds(gate) == ["team.noted", "tool_denied"]


# -- isolation -------------------------------------------------------------------------------------


@pytest.fixture
def users(home, project):
    config = home / ".config/laconic"
    config.mkdir(parents=True)
    (config / "config.toml").write_text('[commands]\ndeny = ["ls"]\n')
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").write_text('{"permissions": {"deny": ["Bash(git log)"]}}')
    state = home / ".local/state/laconic"
    allowances.add(state, "git push", str(project), time.time() + 99, once=True, now=time.time())
    return state / "allowances.jsonl"


@pytest.mark.usefixtures("users")
def test_a_gate_is_isolated_unless_it_is_told_otherwise():
    alone, told = laconic.Gate(), laconic.Gate(settings=laconic.load_settings())
    commands = ["ls", "git log", "git push"]
    assert [alone.decide(c).verdict for c in commands] == ["allow", "allow", "ask"]
    assert [told.decide(c).verdict for c in commands] == ["deny", "deny", "allow"]


def test_an_exception_for_one_run_is_used_up_by_the_run_and_not_by_the_decision(users):
    gate = laconic.Gate(settings=laconic.load_settings())
    before = users.read_bytes()
    envelopes = [gate.decide("git push"), gate.decide("git push")]
    assert users.read_bytes() == before
    assert [gate.record(e, call_id=str(n)) for n, e in enumerate(envelopes)] == [True, False]
    assert gate.record(envelopes[0], call_id="0") is True  # the same call as before


# -- ask -------------------------------------------------------------------------------------------


def test_a_profile_and_commands_that_may_run_are_chosen_in_code():
    assert [laconic.Gate().decide(c).verdict for c in ("pytest", "npm publish")] == ["ask", "ask"]
    assert laconic.Gate(profile="work").decide("pytest").verdict == "allow"
    gate = laconic.Gate(allow=["npm publish", "pytest"])
    assert gate.decide("npm publish && pytest").verdict == "allow"
    assert gate.decide("npm publish && rm -rf /").verdict == "deny"
    assert gate.run("npm publish; git push").status == 126
    strict = laconic.Gate(settings=laconic.load_settings(), profile="strict")
    assert strict.decide("npm view x").verdict == "ask"


def test_what_a_gate_rewrites_asks_for_the_reason_of_what_was_typed():
    for command in ("cargo build", "cargo test", "cargo check"):
        plain, rewritten = (laconic.Gate(stacks=s).decide(command) for s in ([], ["rust"]))
        assert rewritten.changed
        assert (rewritten.explanation, rewritten.rule_id) == (plain.explanation, plain.rule_id)
        assert laconic.Gate(stacks=["rust"], profile="work").decide(command).verdict == "allow"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("ask", True), ("audit", "x"), ("audit", [3]), ("settings", {}), ("profile", "wrk"),
        ("allow", "ls"), ("allow", ["$x"]), ("allow", [3]), ("tools", "bash"), ("unguarded", "no"),
    ],
)  # fmt: skip
def test_a_wrong_key_of_a_gate_is_named(key, value):
    with pytest.raises(laconic.RuleError, match=f"`{key}`"):
        laconic.Gate(**{key: value})


def test_a_result_can_be_undone(project):
    gate = laconic.Gate(profile="work", undo=True)
    (project / "a").write_text("text")
    result = gate.run("rm a")
    assert (result.status, (project / "a").exists()) == (0, False)
    again = gate.undo(result)
    assert (project / "a").read_text() == "text"
    gate.undo(again)
    assert not (project / "a").exists()
    for kept_nothing in (gate.run("ls"), laconic.Gate(profile="work").run("touch b")):
        with pytest.raises(laconic.LaconicError, match="nothing was kept"):
            gate.undo(kept_nothing)


def test_nobody_to_ask_is_a_no():
    gate = laconic.Gate()
    result = gate.run("nobody-knows-this")
    assert result.status == 126
    assert "needs consent" in result.text
    assert kinds(gate) == ["tool_asked"]


@pytest.mark.parametrize("answer", [False, None, "yes", 1])
def test_what_is_not_a_plain_yes_is_a_no(answer):
    assert laconic.Gate(ask=lambda _: answer).run("nobody-knows-this").status == 126


def test_a_yes_lets_it_run_and_is_written_down():
    asked = []
    gate = laconic.Gate(ask=lambda envelope: asked.append(envelope.explanation) or True)
    assert gate.run("touch made && echo ok").stdout == "ok\n"
    assert len(asked) == 1
    (entry, result) = gate.audit_log.take()
    assert (entry.kind, entry.payload["approved"], result.kind) == (
        "tool_asked",
        True,
        "tool_result",
    )


def test_a_yes_does_not_lift_a_denial():
    gate = laconic.Gate(ask=lambda _: True)
    assert gate.run("rm -rf /").status == 126
    assert gate.run("rm -rf /", approved=True).status == 126


def test_an_ask_that_fails_is_a_no():
    def fail(_):
        raise RuntimeError

    assert laconic.Gate(ask=fail).run("nobody-knows-this").status == 126


def test_an_ask_that_waits_leaves_no_trace():
    gate = laconic.Gate()
    envelope = gate.decide("git push", call_id="a")
    assert gate.record(envelope, call_id="a") is False
    assert kinds(gate) == []
    assert gate.record(envelope, call_id="a", approved=True) is True
    assert gate.record(envelope, call_id="a", approved=True) is True
    assert kinds(gate) == ["tool_asked"]


# -- run -------------------------------------------------------------------------------------------


def test_run_gives_status_streams_and_what_to_read():
    result = laconic.Gate().run("echo out; echo err >&2; exit 3", approved=True)
    assert (result.status, result.stdout, result.stderr) == (3, "out\n", "err\n")
    assert result.text == "out\nerr\n"
    assert (result.raw_id, result.saved_tokens, result.timed_out) == ("", 0, False)


def test_run_hides_what_can_be_recalled(project, capsys):
    (project / "backup.sh").write_text(f"#!/bin/sh\ncat <<E\n{MANY}E\n")
    (project / "backup.sh").chmod(0o700)
    result = laconic.Gate(gate=False).run("./backup.sh")
    assert (result.stdout, result.status) == (MANY, 0)
    said = f"[1998/2000 lines hidden, add --grep RE or --lines A:B: laconic recall {result.raw_id}]"
    assert said in result.text
    cli.run(["recall", result.raw_id])
    assert capsys.readouterr().out == MANY


def test_a_long_output_is_compacted_and_kept(capsys):
    gate = laconic.Gate()
    shown = gate.show("./backup.sh", MANY, 0)
    assert "1998/2000 lines hidden" in shown.text
    assert shown.saved_tokens > 1000
    assert shown.raw_id in shown.text
    cli.run(["recall", shown.raw_id])
    assert capsys.readouterr().out == MANY


def test_all_is_shown_where_nothing_can_be_kept(home):
    (home / ".local/state").mkdir(parents=True)
    (home / ".local/state/laconic").write_text("in the way")
    assert laconic.Gate().compact("./backup.sh", MANY, 0) == MANY


def test_secrets_are_masked_in_what_the_model_reads():
    token = "ghp_" + "a1B2" * 9
    assert token not in laconic.Gate().compact("env", f"TOKEN={token}\n", 0)


def test_a_time_limit_stops_the_command_and_its_children(project):
    started = time.monotonic()
    result = laconic.Gate(gate=False).run("(sleep 30; touch late) & sleep 30", timeout=0.3)
    assert time.monotonic() - started < 10
    assert (result.status, result.timed_out) == (124, True)
    assert "its time was over" in result.text
    assert not (project / "late").exists()


def test_a_process_left_in_the_background_is_not_waited_for():
    started = time.monotonic()
    result = laconic.Gate(gate=False).run("sleep 20 & echo done")
    assert result.stdout == "done\n"
    assert time.monotonic() - started < 10


def test_a_directory_that_is_not_there_is_a_result(tmp_path):
    result = laconic.Gate().run("ls", cwd=tmp_path / "gone")
    assert result.status == 126
    assert "cannot be started" in result.text


def test_a_signal_gives_128_and_its_number():
    assert laconic.Gate(gate=False).run("kill -KILL $$").status == 137


# -- asyncio ---------------------------------------------------------------------------------------


def test_the_loop_goes_on_while_a_command_runs():
    async def main():
        ticks = 0
        task = asyncio.create_task(laconic.Gate().arun("sleep 0.5; echo done"))
        while not task.done():
            await asyncio.sleep(0.01)
            ticks += 1
        return ticks, await task

    ticks, result = asyncio.run(main())
    assert result.stdout == "done\n"
    assert ticks > 5


def test_a_cancelled_task_stops_its_command(project):
    async def main():
        task = asyncio.create_task(
            laconic.Gate(gate=False).arun("touch begun; sleep 30; touch late")
        )
        while not (project / "begun").exists():  # noqa: ASYNC110 - another process makes it
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    started = time.monotonic()
    asyncio.run(main())
    assert time.monotonic() - started < 15
    assert not (project / "late").exists()


def test_the_twins_give_the_same():
    async def main():
        gate = laconic.Gate(stacks=["rust"])
        assert await gate.adecide("cargo fmt") == gate.decide("cargo fmt")
        assert await gate.acompact("x", MANY, 0) != MANY
        call, twin = gate.hook("ls"), await gate.ahook("ls")
        assert (call.envelope, call.rewritten) == (twin.envelope, twin.rewritten)

    asyncio.run(main())


def test_an_async_ask_is_awaited():
    async def ask(_envelope):
        await asyncio.sleep(0)
        return True

    result = asyncio.run(laconic.Gate(ask=ask).arun("touch made; echo ok"))
    assert result.stdout == "ok\n"


# -- hook, the interface of adapters ---------------------------------------------------------------


CASES = Path(__file__).parents[1] / "cases/library"
NAMES = (CASES / "tool_names.txt").read_text().split()
ARGUMENTS = [
    json.loads(line)
    for line in (CASES / "arguments.jsonl").read_text().splitlines()
    if not line.startswith("//")
]


@pytest.mark.parametrize("case", ARGUMENTS, ids=lambda case: f"{case['tool']} {case['args']}")
def test_commands_are_found_in_the_arguments_of_any_tool(case):
    gate = laconic.Gate(custom_rules=[to_next()], tools=case.get("tools", ()))
    call = gate.hook(case["args"], tool=case["tool"])
    assert (call and call.verdict) == case["verdict"]
    if "rewritten" in case:
        assert call.rewritten == case["rewritten"]


@pytest.mark.parametrize("name", NAMES)
def test_a_tool_is_guarded_whatever_its_name_is(name):
    gate = laconic.Gate()
    for key in ("command", "cmd", "commands", "shell_command"):
        call = gate.hook({key: "rm -rf /"}, tool=name, call_id="1")
        assert (call.verdict, call.start(approved=True)) == ("deny", False)


def test_bytes_stay_bytes():
    gate = laconic.Gate(custom_rules=[to_next()])
    assert gate.hook({"command": b"old x"}).rewritten == {"command": b"echo new"}
    assert gate.hook(b"rm -rf /").verdict == "deny"


def schema(*names):
    return {"type": "object", "properties": {name: {"type": "string"} for name in names}}


def test_an_agent_none_of_whose_tools_is_guarded_is_told_once():
    gate = laconic.Gate()
    with pytest.warns(UserWarning, match=r"guards none of the tools of this agent \(a, b\)"):
        gate.look_at({"a": schema("path"), "b": None})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gate.look_at({"a": schema("path")})
        for guarded in (
            {"a": schema("command")},
            {"a": schema("path"), "b": {"properties": {"args": schema("cmd")}}},
            {"shell": None},
            {},
        ):
            laconic.Gate().look_at(guarded)
        laconic.Gate(tools={"a": None}).look_at({"a": None})
        laconic.Gate(tools={"a": "line"}).look_at({"a": None})
    strict = laconic.Gate(unguarded="raise")
    for _ in range(2):
        with pytest.raises(laconic.RuleError, match="guards none"):
            strict.look_at({"a": None})


KEYS = "cwd workdir working_directory working_dir workingDirectory dir_path directory".split()


@pytest.mark.parametrize("key", KEYS)
def test_a_command_is_judged_where_the_tool_is_told_to_run_it(key, project, tmp_path):
    gate = laconic.Gate(settings=laconic.load_settings(), cwd=project)
    (project / "sub").mkdir()
    for told, verdict in (
        (None, "ask"),
        ("", "ask"),
        ("/", "deny"),
        ("../..", "ask"),
        (tmp_path.root, "deny"),
    ):
        call = gate.hook({"command": "rm -rf usr", key: told}, tool="shell")
        assert (call.verdict, told) == (verdict, told)
    assert gate.hook({"command": "ls", key: "sub"}).envelope.cwd == f"{project}/sub"
    assert gate.hook({"command": "ls", key: project / "sub"}).envelope.cwd == f"{project}/sub"
    assert gate.hook({"command": "ls", key: "sub"}, cwd="/tmp").envelope.cwd == "/tmp/sub"


@pytest.mark.parametrize("told", ["~", "~/x", "~root", 7, b"/", ["/"], {"x": "y"}])
def test_a_directory_that_cannot_be_told_is_denied(told):
    call = laconic.Gate().hook({"command": "ls", "cwd": told}, tool="shell", call_id="1")
    assert (call.verdict, call.start(approved=True)) == ("deny", False)


def test_two_directories_are_denied_unless_they_are_the_same():
    hook = laconic.Gate().hook
    assert hook({"command": "ls", "cwd": "/", "workdir": "/tmp"}).verdict == "deny"
    assert hook({"command": "ls", "cwd": "/tmp", "workdir": "/tmp"}).verdict == "allow"


def test_a_wrapped_function_is_judged_where_it_is_told_to_run():
    gate = laconic.Gate()

    @gate.tool
    def run(command: str, cwd: str = "", **more: str) -> str:
        return f"ran {command}{cwd}{more or ''}"

    @gate.atool
    async def arun(command: str, *, workdir: str = "/") -> str:
        return f"ran {command} in {workdir}"

    assert run("ls") == "ran ls"
    assert run("rm -rf usr", "/").startswith("denied")
    assert run("rm -rf usr", cwd="/").startswith("denied")
    assert run("rm -rf usr", workdir="/").startswith("denied")
    assert run("ls", cwd="~root").startswith("denied")
    assert asyncio.run(arun("ls")) == "ran ls in /"
    assert asyncio.run(arun("rm -rf usr")).startswith("denied")


@pytest.mark.parametrize(
    "args",
    [
        {"scripts": "cat .env"}, {"args": {"command": "cat .env"}}, {"Command": "cat .env"},
        {"commands": ["cat .env"]}, {"command": "ls", "shell_command": "rm -rf ~"}, {}, "", None,
    ],
)  # fmt: skip
def test_the_preset_with_the_gate_runs_nothing_that_names_no_command(args):
    ran = []
    run = laconic.preset_run_command(gate=True, inner=ran.append)
    run(args)
    assert ran == []
    laconic.preset_run_command(inner=ran.append)({"scripts": "cat .env"})
    assert ran == [{"scripts": "cat .env"}]


def test_the_preset_judges_where_its_tool_is_told_to_run():
    ran = []
    run = laconic.preset_run_command(gate=True, inner=ran.append, ask=lambda _: True)
    assert run({"command": "rm -rf usr", "cwd": "/"}).verdict == "deny"
    assert ran == []
    run({"command": "rm -rf usr"})
    assert ran == [{"command": "rm -rf usr"}]

    def elsewhere(_, args, inner):
        return inner({**args, "cwd": "/"})

    rule = laconic.Rule(id="team.rm", pattern="^rm", explanation="Why.")
    run = laconic.preset_run_command(
        gate=True, inner=ran.append, custom_rules=[rule], mode=elsewhere, ask=lambda _: True
    )
    assert run({"command": "rm -rf usr"}).verdict == "deny"
    assert len(ran) == 1


def test_a_command_under_another_key_needs_consent_too():
    gate = laconic.Gate()
    call = gate.hook({"command": "ls", "cmd": "git push"}, tool="shell", call_id="1")
    assert (call.verdict, call.command) == ("ask", "ls")
    assert "publishes commits" in call.message
    assert gate.hook({"command": "git push", "cmd": "rm -rf /"}).verdict == "deny"
    assert gate.hook({"command": "git push", "cmd": "ls"}).verdict == "ask"
    assert call.start() is False
    assert call.start(approved=True) is True
    assert call.rewritten == {"command": "ls", "cmd": "git push"}


def test_calls_of_a_framework_without_ids_are_told_apart():
    gate = laconic.Gate(ask=lambda _: True)
    first, second = (gate.hook("git push", call_id=None) for _ in range(2))
    assert first.call_id != second.call_id
    assert first.start(approved=False) is False
    assert second.ask_and_start() is True
    assert gate.hook("rm -rf /", call_id=None).ask_and_start(True) is False
    denied = laconic.Gate().hook("git push", call_id=None)
    assert denied.ask_and_start() is False
    assert asyncio.run(denied.aask_and_start()) is False


def test_a_call_is_started_and_finished():
    gate = laconic.Gate(custom_rules=[to_next()])
    call = gate.hook({"cmd": "old x", "cwd": "/"}, tool="shell", call_id="1")
    assert (call.verdict, call.rewritten) == ("allow", {"cmd": "echo new", "cwd": "/"})
    assert call.start() is True
    assert call.finish("new\n", 0, remind=True).startswith("new\n")
    assert call.finish(17) == 17
    assert "lines hidden" in laconic.Gate(gate=False).hook("./backup.sh").finish(MANY, 0)


def test_an_answer_to_one_call_is_not_an_answer_to_another_of_its_id():
    gate = laconic.Gate()
    call = gate.hook("git push", call_id="1")
    assert call.start(approved=True) is True
    assert gate.hook("git push", call_id="1").start(approved=False) is False
    assert gate.hook("git push", call_id="1").start() is False
    call.finish("pushed", 0)
    assert gate.hook("git push", call_id="1").start(approved=False) is False
    assert kinds(gate) == ["tool_asked", "tool_result", "tool_asked"]


def test_a_hook_after_the_tool_finds_the_call():
    gate = laconic.Gate(gate=False)
    assert gate.call("1") is None
    gate.hook("./backup.sh", call_id="1").start()
    assert "lines hidden" in gate.call("1").finish(MANY, 0)
    assert gate.call("1") is None
    (entry,) = gate.audit_log.take()
    assert (entry.kind, entry.payload["exit_status"]) == ("tool_result", 0)
    assert entry.payload["duration_ms"] >= 0


def test_arguments_that_cannot_be_read_are_denied():
    class Odd:
        def __str__(self):
            raise RuntimeError("boom")

    call = laconic.Gate().hook(Odd())
    assert (call.verdict, call.start(approved=True)) == ("deny", False)


def test_a_decision_that_cannot_be_acted_on_lets_nothing_run(monkeypatch):
    def fail(*_):
        raise OSError("boom")

    gate = laconic.Gate()
    monkeypatch.setattr(gate, "_uses_up", fail)
    assert gate.run("echo hi").status == 126


def test_a_denied_call_says_why():
    call = laconic.Gate().hook({"run": "rm -rf /"}, call_id="1")
    assert (call.verdict, call.start(), call.start(approved=True)) == ("deny", False, False)
    assert call.message.startswith("denied: A recursive removal")


def test_a_command_under_another_key_is_looked_at_too():
    assert laconic.Gate().hook({"command": "ls", "run": "rm -rf /"}).verdict == "deny"


def test_a_command_may_be_a_list_of_words():
    gate = laconic.Gate()
    assert gate.hook({"command": ["rm", "-rf", "/"]}).verdict == "deny"
    assert gate.hook({"command": ["echo", "rm -rf /; ls"]}).verdict == "allow"


# -- tool ------------------------------------------------------------------------------------------


def test_a_tool_keeps_its_name_its_documentation_and_its_shape():
    gate = laconic.Gate(custom_rules=[to_next()], gate=False)
    seen = []

    @gate.tool
    def shell(command: str, timeout: int = 5) -> str:
        """Run a command."""
        seen.append((command, timeout))
        return MANY if command == "./backup.sh" else command

    assert (shell.__name__, shell.__doc__) == ("shell", "Run a command.")
    assert list(shell.__annotations__) == ["command", "timeout", "return"]
    assert shell("echo hi") == "echo hi"
    assert shell("rm -rf /").startswith("denied: ")
    assert (
        shell(command="old x", timeout=9).splitlines()[1].startswith("Your command was rewritten")
    )
    assert "lines hidden" in shell("./backup.sh")
    assert seen == [("echo hi", 5), ("echo new", 9), ("./backup.sh", 5)]
    assert kinds(gate)[:2] == ["tool_result", "tool_denied"]


def test_a_tool_may_take_a_mapping_and_be_async():
    gate = laconic.Gate(custom_rules=[to_next()])

    @gate.tool(key="args")
    async def shell(args: dict) -> str:
        return args["cmd"]

    @gate.atool
    def blocking(command: str) -> str:
        assert threading.current_thread() is not threading.main_thread()
        return command

    assert asyncio.run(shell({"cmd": "old", "n": 1})).startswith("echo new\n")
    assert asyncio.run(shell({"cmd": "rm -rf /"})).startswith("denied: ")
    assert asyncio.run(blocking("echo hi")) == "echo hi"


def test_a_tool_without_a_parameter_for_the_command_is_an_error():
    with pytest.raises(laconic.RuleError, match="no parameter"):
        laconic.Gate().tool(lambda: None)


# -- threads ---------------------------------------------------------------------------------------


def test_everything_works_in_worker_threads():
    gate = laconic.Gate(stacks=["rust", "python"])

    def work(n):
        result = gate.run(f"echo {n}")
        text = gate.compact("./backup.sh", MANY, 0)
        return result.stdout, "lines hidden" in text, gate.decide("rm -rf /").verdict

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(work, range(24)))
    assert found == [(f"{n}\n", True, "deny") for n in range(24)]


def test_audit_goes_to_every_sink_and_one_that_fails_stops_nothing(tmp_path):
    def fail(_entry):
        raise OSError("full")

    log = laconic.MemoryAudit()
    gate = laconic.Gate(audit=[fail, log, laconic.JsonLinesAudit(tmp_path / "audit.jsonl")])
    assert gate.run("echo hi").status == 0
    assert [entry.kind for entry in log.take()] == ["tool_result"]
    assert (tmp_path / "audit.jsonl").stat().st_mode & 0o777 == 0o600
    assert re.search('"exit_status": 0', (tmp_path / "audit.jsonl").read_text())

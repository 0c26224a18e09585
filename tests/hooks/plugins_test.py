"""The plugins that the installer writes, run by node against a laconic that is told what to say."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from install_sites import files, install, make_site
from laconic.install.install import ASKED_FOR, find_executable
from laconic.settings.load import process_environment
from machine import needs

NODE = shutil.which("node")
pytestmark = needs("node")

# Writes down what it gets, and says what the file beside it says.
FAKE = """#!/bin/sh
here=$(dirname "$0")
{ printf '%s\\n' "$*"; cat; echo; } >> "$here/calls"
cat "$here/says"
"""
DRIVERS = {
    "opencode": """
const hooks = await plugin.Laconic({ directory: "/work" })
const output = { args: { ...request.args } }
await hooks["tool.execute.before"]({ tool: request.tool, sessionID: "s", callID: "c" }, output)
const after = { title: "t", output: "long", metadata: { exit: 0 } }
const done = { tool: request.tool, sessionID: "s", callID: "c", args: output.args }
await hooks["tool.execute.after"](done, after)
const exports = Object.values(plugin).map((value) => typeof value)
result = { args: output.args, output: after.output, exports }
""",
    "pi": """
const handlers = {}
plugin.default({ on: (name, handler) => { handlers[name] = handler } })
const event = { toolName: request.tool, toolCallId: "c", input: { ...request.args } }
const asked = []
const confirm = async (...words) => { asked.push(words); return request.confirm }
const ctx = { cwd: "/work", hasUI: request.hasUI, ui: { confirm } }
const said = await handlers.tool_call(event, ctx)
const content = [{ type: "text", text: "long" }]
const after = await handlers.tool_result({ ...event, content, isError: false }, ctx)
result = { said, args: event.input, asked, after }
""",
    "amp": """
const handlers = {}
plugin.default({ on: (name, handler) => { handlers[name] = handler } })
const event = { tool: request.tool, toolUseID: "c", input: { ...request.args } }
const said = await handlers["tool.call"](event, {})
const after = await handlers["tool.result"]({ ...event, status: "done", output: "long" }, {})
result = { said, after }
""",
}
DRIVERS["kilo"] = DRIVERS["opencode"]
PLUGINS = sorted(DRIVERS)
TOOL = {"opencode": "bash", "kilo": "bash", "pi": "bash", "amp": "Bash"}


@pytest.fixture
def site(home, tmp_path):
    return make_site(home, tmp_path)


@pytest.fixture
def play(site, tmp_path):
    """Return a function that runs a plugin once and tells what came of it and what laconic got."""

    def run(name, says=None, *, after=False, executable=None, limit_ms=10000, **request):
        asked_for = ASKED_FOR["always" if after else "seen"]
        fake = Path(executable or site.executable)
        if says is not None:
            fake.write_text(FAKE)
            (fake.parent / "says").write_text(says if isinstance(says, str) else json.dumps(says))
        place = site._replace(asked_for=asked_for, executable=str(fake))
        install(name, place)
        [(_, path)] = files(name, "user", place)
        module = tmp_path / "plugin.mjs"  # the same text: it has no types in it
        module.write_text(path.read_text().replace("LIMIT_MS = 10000", f"LIMIT_MS = {limit_ms}"))
        request = {"tool": TOOL[name], "args": {"command": "npm test"}, **request}
        script = tmp_path / "drive.mjs"
        script.write_text(
            f"import * as plugin from {json.dumps(str(module))}\n"
            f"const request = {json.dumps(request)}\nlet result\n"
            f"try {{\n{DRIVERS[name]}\n}} catch (e) {{ result = {{ thrown: e.message }} }}\n"
            "console.log(JSON.stringify(result))\n"
        )
        done = subprocess.run(
            [NODE, script], capture_output=True, text=True, check=False, timeout=60
        )
        assert done.stderr == ""
        calls = fake.parent / "calls"
        lines = calls.read_text().splitlines() if calls.exists() else []
        calls.unlink(missing_ok=True)
        pairs = zip(lines[::2], lines[1::2], strict=True)
        return json.loads(done.stdout), [(argv, json.loads(text)) for argv, text in pairs]

    return run


REWRITES = {
    "opencode": {"args": {"command": "laconic run npm test"}},
    "kilo": {"args": {"command": "laconic run npm test"}},
    "pi": {"input": {"command": "laconic run npm test"}},
    "amp": {"action": "modify", "input": {"command": "laconic run npm test"}},
}


def command_in(name, result):
    if name == "amp":
        return result["said"].get("input", {}).get("command")
    return result["args"]["command"]


@pytest.mark.parametrize("name", PLUGINS)
def test_a_rewrite_runs_and_the_other_arguments_stay(name, play):
    arguments = {"command": "npm test", "timeout": 5}
    result, [(argv, request)] = play(name, REWRITES[name], args=arguments)
    assert command_in(name, result) == "laconic run npm test"
    assert (result.get("args") or result["said"]["input"])["timeout"] == 5
    assert argv.split()[:2] == ["hook", name]
    assert (request.get("args") or request["input"]) == arguments
    assert request["cwd"]


@pytest.mark.parametrize("name", ["opencode", "kilo"])
def test_a_denial_is_an_error_with_the_reason(name, play):
    result, _ = play(name, {"throw": "no: it publishes"})
    assert result == {"thrown": "no: it publishes"}


def test_a_denial_blocks_in_pi(play):
    result, _ = play("pi", {"block": True, "reason": "no"})
    assert result["said"] == {"block": True, "reason": "no"}


def test_a_denial_is_a_rejection_in_amp(play):
    result, _ = play("amp", {"action": "reject-and-continue", "message": "no"})
    assert result["said"] == {"action": "reject-and-continue", "message": "no"}


@pytest.mark.parametrize(
    ("has_ui", "confirm", "runs"), [(True, True, True), (True, False, False), (False, True, False)]
)
def test_pi_asks_the_user_and_without_a_screen_the_answer_is_no(play, has_ui, confirm, runs):
    says = {"ask": True, "reason": "publishes", "input": {"command": "laconic run npm test"}}
    result, _ = play("pi", says, hasUI=has_ui, confirm=confirm)
    assert result["asked"] == ([["publishes", "npm test"]] if has_ui else [])
    assert ("said" not in result) == runs
    assert (result["args"]["command"] == "laconic run npm test") == runs


@pytest.mark.parametrize("confirm", [True, False])
def test_pi_asks_about_its_tools_for_files(play, confirm):
    says = {"ask": True, "reason": "reads keys"}
    result, calls = play(
        "pi", says, tool="read", args={"path": ".env"}, hasUI=True, confirm=confirm
    )
    assert len(calls) == 1
    assert result["asked"] == [["reads keys", ".env"]]
    assert ("said" not in result) == confirm


NEUTRAL = ["{}", "", "not json", "null", "[1]", '"text"', '{"args": 1, "input": 2, "action": "x"}']


@pytest.mark.parametrize("says", NEUTRAL)
@pytest.mark.parametrize("name", PLUGINS)
def test_without_a_proper_answer_the_command_runs_as_it_is(name, says, play):
    result, _ = play(name, says)
    if name == "amp":
        assert result["said"] == {"action": "allow"}
    else:
        assert result["args"] == {"command": "npm test"}
        assert "said" not in result


@pytest.mark.parametrize("name", PLUGINS)
def test_without_laconic_the_command_runs_as_it_is(name, play, tmp_path):
    result, calls = play(name, executable=tmp_path / "gone/laconic")
    assert command_in(name, result) in {"npm test", None}
    assert "thrown" not in result
    assert calls == []


@pytest.mark.parametrize("name", PLUGINS)
def test_a_laconic_that_fails_or_does_not_read_is_no_obstacle(name, play, site):
    Path(site.executable).write_text('#!/bin/sh\necho \'{"throw": "x", "block": true}\'; exit 1\n')
    result, _ = play(name, args={"command": "x" * 300_000})
    assert "thrown" not in result
    assert result.get("said") in (None, {"action": "allow"})


@pytest.mark.parametrize("name", PLUGINS)
def test_a_laconic_that_hangs_is_given_up(name, play, site):
    Path(site.executable).write_text("#!/bin/sh\nsleep 100; true\n")
    started = time.monotonic()
    result, _ = play(name, limit_ms=200)
    assert time.monotonic() - started < 50
    assert command_in(name, result) in {"npm test", None}


@pytest.mark.parametrize("name", PLUGINS)
def test_other_tools_are_none_of_our_business(name, play):
    result, calls = play(name, REWRITES[name], tool="read")
    assert calls == []
    assert "thrown" not in result


@pytest.mark.parametrize("name", PLUGINS)
def test_output_is_replaced_only_if_that_is_asked_for(name, play):
    says = {"output": "short", "status": "done", "content": [{"type": "text", "text": "short"}]}
    _, calls = play(name, says)
    assert len(calls) == 1
    result, calls = play(name, says, after=True)
    assert len(calls) == 2
    assert "short" in json.dumps(result.get("after") or result["output"])
    assert "long" in json.dumps(calls[1][1]), "it was told the output"
    _, calls = play(name, {**says, **REWRITES[name]}, after=True)
    assert len(calls) == 1, "what was wrapped is compact already"


def test_opencode_gets_functions_only(play):
    assert play("opencode", "{}")[0]["exports"] == ["function"]


@pytest.mark.parametrize("name", PLUGINS)
def test_the_real_laconic_denies_through_the_plugin(name, play):
    executable = find_executable(process_environment())
    result, _ = play(name, executable=executable, args={"command": "shutdown now"})
    assert "restarts the machine" in (result.get("thrown") or json.dumps(result["said"]))

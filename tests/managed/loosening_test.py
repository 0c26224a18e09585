"""Nothing that a user can write, set or type loosens what the policy of a machine requires."""

from __future__ import annotations

import json

import pytest

import managed_machine
from managed_machine import PROJECT, read_cases

pytestmark = pytest.mark.skipif(
    not managed_machine.can_run(), reason="only root can have an /etc of its own for a test"
)
MACHINE, CASES = read_cases("loosening")
# What laconic keeps of settings on disk, as somebody writes it who knows how: the gate is off.
FORGED = """
import os, sys
sys.path.insert(0, sys.argv[1])
from binascii import crc32
from laconic.settings import disk_cache, load, managed
from laconic.settings.config import DEFAULTS

os.environ["HOME"] = "/home/u"
path = "/home/u/.config/laconic/config.toml"
data = open(path, "rb").read()
real = path, data, ("", ""), None
inputs = real, None, (), "", (), managed.read_policy()
off = (path, b"[settings]\\ngate = 'off'\\n", ("", ""), None), None, (), "", (), None
key = load.stamp(DEFAULTS), inputs
name = f"settings-{crc32(path.encode()):08x}"
folder = "/home/u/.cache/laconic"
os.makedirs(folder, mode=0o700, exist_ok=True)
value = load._combine(off)[:3]
disk_cache._write([f"{folder}/{name}.{disk_cache._SUFFIX}"], disk_cache._head(key, value))
"""


@pytest.fixture(scope="module")
def place():
    return managed_machine.install()


def hook_of(case):
    if "tool" in case:
        tool, given = case["tool"], {"file_path": case["path"], "content": "x"}
    else:
        command = case["command"].replace("{large}", "true; " * 20_000)
        tool, given = "Bash", {"command": command}
    call = {
        "session_id": "s", "cwd": str(PROJECT), "hook_event_name": "PreToolUse",
        "permission_mode": case.get("mode", "default"), "tool_name": tool, "tool_input": given,
    }  # fmt: skip
    words = ["laconic", "hook", case.get("agent", "claude-code"), *case.get("words", ())]
    return {"words": words, "stdin": json.dumps(call), "environ": case.get("set", {})}


def said(result):
    """The verdict in an answer, and the reason."""
    assert result["status"] == 0, result
    found = json.loads(result["out"] or "{}").get("hookSpecificOutput", {})
    return found.get("permissionDecision", "left"), found.get("permissionDecisionReason", "")


@pytest.mark.parametrize("name", CASES)
def test_a_required_rule_holds(name, place):
    case = CASES[name]
    files = dict(case.get("files", {}))
    if "config" in case:
        files[".config/laconic/config.toml"] = case["config"]
    before = [{"shell": case["shell"]}] if "shell" in case else []
    hook = hook_of(case)
    shown = {"words": ["laconic", "config", "get", "settings.profile"], "environ": hook["environ"]}
    after = [shown] if "profile" in case else []
    machine = {"files": files, "calls": [*before, hook, hook, *after]}
    cold, warm, *rest = managed_machine.calls(place, {**MACHINE, **machine})[len(before) :]
    for answer in (cold, warm):
        verdict, reason = said(answer)
        assert (verdict, case.get("says", "") in reason) == (case["verdict"], True), reason
    assert [one["out"].strip() for one in rest] == ([case["profile"]] if after else [])
    if "without" in case:
        *_, free = managed_machine.calls(place, {**machine, "calls": [*before, hook]})
        assert said(free)[0] == case["without"], "there is nothing to loosen"


def test_what_is_kept_of_settings_on_disk_is_not_believed(place):
    files = {".config/laconic/config.toml": "", "forge.py": FORGED}
    forge = {"shell": f"{managed_machine.python_at(place)} /home/u/forge.py {place}/bin/lib"}
    hook = hook_of({"command": "sudo ls"})
    machine = {"files": files, "calls": [forge, hook]}
    made, free = managed_machine.calls(place, machine)
    assert made["status"] == 0, made
    assert said(free)[0] == "left", "the forgery is none"
    made, held = managed_machine.calls(place, {**MACHINE, **machine})
    assert made["status"] == 0, made
    assert said(held)[0] == "ask"

"""A machine with a policy, as root sets it up: broken ones, what fails, hooks for all users."""

from __future__ import annotations

import json
import shutil

import pytest

import managed_machine
from laconic.agents.load import hooked
from managed_machine import POLICY, PROJECT, read_cases

pytestmark = pytest.mark.skipif(
    not managed_machine.can_run(), reason="only root can have an /etc of its own for a test"
)
BROKEN, DAMAGES = read_cases("broken")
GOOD = {"policy": BROKEN["policy"]}
ASKS = {"policy": 'on_failure = "ask"\n' + BROKEN["policy"]}


@pytest.fixture(scope="module")
def place():
    return managed_machine.install()


def hook(command, agent="claude-code", **more):
    call = {
        "session_id": "s", "cwd": str(PROJECT), "hook_event_name": "PreToolUse",
        "permission_mode": "default", "tool_name": "Bash", "tool_input": {"command": command},
    }  # fmt: skip
    return {"words": ["laconic", "hook", agent], "stdin": json.dumps(call), **more}


def verdict(result):
    found = json.loads(result["out"] or "{}").get("hookSpecificOutput", {})
    return found.get("permissionDecision", "left")


# -- broken ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DAMAGES)
def test_a_broken_policy_is_strict_and_said(name, place):
    case = DAMAGES[name]
    status = {"words": ["laconic", "policy", "status"]}
    doctor = {"words": ["laconic", "doctor", "--json"]}
    calls = [hook("touch x"), hook("terraform apply"), hook("git status"), status, doctor]
    made = {**BROKEN, "as_root": [case["damage"]], "calls": calls}
    touched, applied, looked, said, examined = managed_machine.calls(place, made)
    assert verdict(touched) == "ask"
    assert verdict(applied) == ("deny" if case.get("copy", True) else "ask")
    assert verdict(looked) == "allow"
    assert said["status"] == 1
    assert case["says"] in said["err"]
    assert "is broken: the profile strict is in force" in said["out"]
    findings = json.loads(examined["out"])["findings"]
    assert [one["state"] for one in findings if one["check"] == "policy"] == ["broken"]


def test_a_policy_that_root_has_removed_is_none(place):
    calls = [hook("terraform apply"), {"words": ["laconic", "policy", "status"]}]
    made = {**BROKEN, "as_root": [f"rm {POLICY}"], "calls": calls}
    applied, status = managed_machine.calls(place, made)
    assert verdict(applied) == "left"
    assert status["out"] == "this machine has no policy\n"


def test_an_expired_policy_stays_and_may_be_strict(place):
    expired = 'expires = "2020-01-31"\n' + GOOD["policy"]
    shown = {"words": ["laconic", "status"]}
    calls = [hook("terraform apply"), hook("touch x"), shown]
    kept, plain, status = managed_machine.calls(place, {"policy": expired, "calls": calls})
    assert (verdict(kept), verdict(plain)) == ("deny", "left")
    assert "policy acme 17, expired 2020-01-31" in status["out"]
    strict = 'on_expired = "strict"\n' + expired
    kept, asked, _ = managed_machine.calls(place, {"policy": strict, "calls": calls})
    assert (verdict(kept), verdict(asked)) == ("deny", "ask")


def test_what_it_says_is_shown_everywhere(place):
    config = '[settings]\nprofile = "guard"\n'
    words = ["status", "config show", "explain 'terraform apply'", "doctor", "config path"]
    words += ["config set settings.profile guard", "policy status --json"]
    calls = [{"shell": f"laconic {one}"} for one in words]
    policy = GOOD["policy"] + '[require.settings]\nprofile = "default"\n'
    made = {"policy": policy, "files": {".config/laconic/config.toml": config}, "log": True}
    found = managed_machine.calls(place, {**made, "calls": [*calls, hook("git status")]})
    status, show, explain, doctor, path, changed, document, _, log = found
    assert "profile default\npolicy acme 17" in status["out"]
    locked = (
        "# locked: the policy of acme (serial 17) requires this, or what is stricter\nprofile ="
    )
    assert locked in show["out"]
    assert "`terraform apply` is denied by the policy of acme (serial 17)" in explain["out"]
    assert "the policy of acme (serial 17) is in force" in doctor["out"]
    assert f"policy   {POLICY}" in path["out"]
    assert "the policy of acme (serial 17) has a say in it" in changed["err"]
    assert json.loads(document["out"])["policy"]["serial"] == 17
    assert json.loads(log.splitlines()[-1])["policy"] == "17"


def test_a_user_is_told_which_allowances_count(place):
    def allow(words, policy):
        calls = [{"shell": f"laconic allow {words}"}]
        (found,) = managed_machine.calls(place, {"policy": policy, "calls": calls})
        return found["status"], found["err"].partition("\n")[0]

    none = 'name = "acme"\nserial = 17\nallowances = "none"\nuser_rules = false\n'
    once, hours = none.replace('"none"', '"once"'), none.replace('"none"', '"8h"')
    why = "laconic: the policy of acme (serial 17) does not let this count: "
    assert allow("'sudo ls'", none) == (1, f"{why}it has no allowances")
    assert allow("'sudo ls'", once) == (1, f"{why}an allowance is for one run")
    assert allow("'sudo ls' --once", once)[0] == 0
    assert allow("'sudo ls' --for 9h", hours) == (1, f"{why}it lasts too long")
    assert allow("'sudo ls'", hours)[0] == 0
    assert allow("--always 'npm publish'", hours)[0] == 1


# -- where laconic fails ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def without_python(place):
    """The same installation, whose Python the user cannot start."""
    broken = place.parent / f"{place.name}-no-python"
    shutil.copytree(place / "bin", broken / "bin", symlinks=True)
    (broken / "python").mkdir()
    for name in ("laconic-py", "laconic-interpreter"):
        path = broken / "bin" / name
        path.write_text(path.read_text().replace(f"{place}/python", "/nonexistent"))
    broken.chmod(0o755)
    return broken


def test_the_client_asks_in_the_words_of_each_agent(without_python):
    """What it prints is what Python prints, but for the name of the agent."""
    from laconic.hooks import failed

    said = dict(zip((False, True), reversed(failed.texts()), strict=True))
    expected = {}
    for name, event, is_question, form in failed.forms():
        out, err = (
            data.decode()
            .replace("\\u2588", said[is_question])
            .replace(failed.HERE, said[is_question])
            for data in (form.stdout, form.stderr)
        )
        expected[name, event] = {"status": form.status, "out": out, "err": err}
    assert len(expected) > len(hooked())
    calls = [{"words": ["laconic", "hook", *which], "stdin": "{}"} for which in expected]
    found = managed_machine.calls(without_python, {**ASKS, "calls": calls})
    for which, answer in zip(expected, found, strict=True):
        wanted = expected[which]
        assert {**answer, "err": ""} == {**wanted, "err": ""}, which
        assert answer["err"].endswith(wanted["err"]), which  # after what the system says of Python


def test_the_client_asks_only_before_a_command_and_only_if_the_policy_wants_it(without_python):
    after = {"words": ["laconic", "hook", "claude-code", "PostToolUse"], "stdin": "{}"}
    made = {**ASKS, "calls": [hook("ls"), after], "log": True}
    asked, left, log = managed_machine.calls(without_python, made)
    assert (verdict(asked), verdict(left)) == ("ask", "left")
    lines = [json.loads(line) for line in log.splitlines()]
    assert [line.get("outcome", line["verdict"]) for line in lines] == ["ask", "unchecked"]
    (free,) = managed_machine.calls(without_python, {**GOOD, "calls": [hook("ls")]})
    assert (verdict(free), "systemMessage" in free["out"]) == ("left", True)


@pytest.mark.parametrize("damage", ["chmod 666 {}", "chown 12345 {}", "mv {} {}.x; ln -s x {}"])
def test_the_client_asks_where_the_policy_may_be_anybodys(damage, without_python):
    made = {**GOOD, "as_root": [damage.replace("{}", POLICY)], "calls": [hook("ls")]}
    (asked,) = managed_machine.calls(without_python, made)
    assert verdict(asked) == "ask"


@pytest.mark.parametrize("broken", ["hooks/respond.py", "hooks/answer.py", "__main__.py"])
def test_a_laconic_that_fails_asks(broken, place):
    """Whatever fails: what a call needs, what all need, or the first line of all."""
    copy = place.parent / f"{place.name}-broken-{broken.replace('/', '-')}"
    shutil.copytree(place / "bin", copy / "bin", symlinks=True)
    (copy / "python").mkdir()
    copy.chmod(0o755)
    for name in ("laconic-py", "laconic-interpreter"):
        path = copy / "bin" / name
        path.write_text(path.read_text().replace(str(place), str(copy)))
    module = copy / "bin/lib/laconic" / broken
    module.write_text("raise RuntimeError\n" + module.read_text())
    alone = {"environ": {"LACONIC_NO_SERVER": "1"}}
    made = {"calls": [hook("ls", **alone), hook("ls")]}
    assert [verdict(one) for one in managed_machine.calls(copy, {**ASKS, **made})] == ["ask"] * 2
    assert [verdict(one) for one in managed_machine.calls(copy, {**GOOD, **made})] == ["left"] * 2


# -- hooks for all users ---------------------------------------------------------------------------

PLACES = {
    "claude-code": "/etc/claude-code/managed-settings.json",
    "codex": "/etc/codex/requirements.toml",
    "gemini": "/etc/gemini-cli/settings.json",
}
BEFORE = {
    "claude-code": '{\n  "permissions": {"deny": ["Bash(x:*)"]} // mine\n}\n',
    "codex": "# mine\nallow_managed_hooks_only = true\n\n[features]\nhooks = true\n",
    "gemini": '{"theme": "x"}\n',
}


@pytest.mark.parametrize("agent", PLACES)
@pytest.mark.parametrize("is_new", [True, False], ids=["a new file", "a file of root's"])
def test_hooks_of_a_machine_come_and_go_exactly(agent, is_new, place):
    path = PLACES[agent]
    write = "" if is_new else f"mkdir -p $(dirname {path}); printf %s '{BEFORE[agent]}' > {path}; "
    install, uninstall = (
        {"shell": f"laconic {verb} --managed {agent}", "root": True}
        for verb in ("install", "uninstall")
    )
    calls = [
        {"shell": f"{write}true", "root": True},
        install,
        {"shell": f"cat {path}; stat -c '%a %u' {path} $(dirname {path})"},
        install,
        {"shell": f"laconic doctor {agent} --json"},
        {"shell": f"laconic uninstall {agent}; laconic uninstall --managed {agent}"},
        {"shell": f"laconic install {agent}"},
        uninstall,
        {"shell": f"cat {path}; ls -d $(dirname {path})"},
    ]
    found = managed_machine.calls(place, {**GOOD, "calls": calls})
    _, first, text, again, doctor, plain, second, removed, left = found
    assert first["status"] == 0, first
    assert f"{agent}: {path} {'created' if is_new else 'changed'}\n" in first["out"]
    assert f"{place}/bin/laconic hook {agent}" in text["out"]
    assert text["out"].endswith("644 0\n755 0\n")
    assert again["out"] == f"{agent}: is already installed\n"
    findings = {one["check"]: one for one in json.loads(doctor["out"])["findings"]}
    assert findings["hook"]["message"].endswith("which only root can change")
    assert findings["run"]["state"] == "ok", findings["run"]
    assert "only root can" in plain["err"]
    assert "has the hook of this machine; nothing to do" in second["out"]
    assert removed["status"] == 0, removed
    if is_new:
        assert (left["out"], left["status"]) == ("", 2)
    else:
        assert left["out"].startswith(BEFORE[agent])


def test_a_hook_of_the_users_own_beside_it_is_said(place):
    calls = [
        {"shell": "laconic install claude-code"},
        {"shell": "laconic install --managed claude-code", "root": True},
        {"shell": "laconic doctor claude-code"},
    ]
    *_, doctor = managed_machine.calls(place, {**GOOD, "calls": calls})
    assert "so each command is judged twice" in doctor["out"]
    assert "fix: laconic uninstall claude-code" in doctor["out"]


def test_a_program_that_others_may_write_is_no_hook_of_a_machine(place):
    copy = place.parent / f"{place.name}-writable"
    shutil.copytree(place / "bin", copy / "bin", symlinks=True)
    (copy / "python").mkdir()
    copy.chmod(0o777)
    for name in ("laconic-py", "laconic-interpreter"):
        path = copy / "bin" / name
        path.write_text(path.read_text().replace(str(place), str(copy)))
    calls = [{"shell": "laconic install --managed claude-code", "root": True}]
    (refused,) = managed_machine.calls(copy, {"calls": calls})
    assert (refused["status"], refused["out"]) == (1, "")
    assert "others than root may write it" in refused["err"]


# -- bundles ---------------------------------------------------------------------------------------


def test_root_puts_a_bundle_in_force_and_a_user_sees_it(place):
    text = GOOD["policy"].replace("17", "18")
    prepare = (
        "mkdir -p /var/lib/b && cd /var/lib/b && ssh-keygen -q -t ed25519 -N '' -f /var/lib/k &&"
        " (printf 'ann@example.org '; cat /var/lib/k.pub) > /var/lib/signers &&"
        f" printf %s '{text}' > policy.toml &&"
        " laconic policy sign . --key /var/lib/k --signers /var/lib/signers"
    )
    apply = "laconic policy apply /var/lib/b --signers /var/lib/signers"
    calls = [
        {"shell": prepare, "root": True},
        {"shell": apply},
        {"shell": apply, "root": True},
        {"shell": "laconic policy pull file:///var/lib/b", "root": True},
        {"shell": "laconic policy pull /nonexistent", "root": True},
        {"shell": "laconic policy status"},
        hook("terraform apply"),
        {"shell": "stat -c '%a %u' /etc/laconic /etc/laconic/*"},
    ]
    signed, no, done, pulled, lost, status, asked, modes = managed_machine.calls(
        place, {"calls": calls}
    )
    assert signed["out"] == "signed: acme, serial 18; signatures: 1\n", signed
    assert "only root can" in no["err"]
    assert done["out"] == "the policy of acme, serial 18, is in force\n", done
    assert pulled["out"] == "serial 18 is in force already\n"
    assert lost["status"] == 1
    assert "the policy of acme (serial 18) is in force" in status["out"]
    assert "refused: /nonexistent/policy.toml: no such file" in status["out"]
    assert verdict(asked) == "deny"
    assert modes["out"] == "755 0\n" + "644 0\n" * 4

"""The doctor: what is installed is run, and whatever is wrong is named with what to do."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from install_sites import enter_project, files, install, make_site, write_program
from laconic.cli.main import run
from laconic.hooks import call_log
from laconic.install.doctor import client, examine, unanswered, unchecked
from laconic.install.install import Site, find_executable
from laconic.install.recipe import names, read_recipe
from laconic.record import decisions
from laconic.settings.load import process_environment, read_settings

HOOKED = [name for name in names() if read_recipe(name).sample]
ANSWERS = """#!/bin/sh
case $(cat) in *shutdown*) echo '{"denied": true}';; esac
"""


def findings(name, place: Site):
    """By check: the findings on an agent."""
    found = examine(read_recipe(name), place, read_settings(place.variables, place.project))
    return {finding.check: finding for finding in found}


@pytest.fixture
def site(home, tmp_path):
    return make_site(home, tmp_path)


@pytest.fixture
def here(tmp_path, monkeypatch):
    return enter_project(tmp_path, monkeypatch)


@pytest.fixture
def fine(site):
    """A place with a laconic that answers."""
    write_program(Path(site.executable), ANSWERS)
    return site


# -- the real thing --------------------------------------------------------------------------------


@pytest.fixture
def real(site):
    environ = {**process_environment(), **site.variables}
    return site._replace(variables=environ, executable=find_executable(environ))


@pytest.mark.parametrize("name", HOOKED)
def test_the_installed_hook_of_every_agent_runs_and_answers_the_sample(name, real):
    install(name, real)
    found = findings(name, real)
    assert found["hook"].state == "ok", found["hook"]
    assert found["run"].state == "ok", found["run"]
    assert found["called"].state == "note", "the samples do not count as calls"


# -- what can be wrong -----------------------------------------------------------------------------


def test_an_agent_without_laconic_is_disabled(fine):
    found = findings("claude-code", fine)
    assert [(f.state, f.fix) for f in found.values()] == [
        ("disabled", "laconic install claude-code")
    ]


@pytest.mark.parametrize("text", ["{}", '{"hooks": {', None])
def test_a_hook_that_got_lost_is_broken(text, fine, home):
    install("claude-code", fine)
    path = home / ".claude/settings.json"
    path.write_text(text) if text else path.unlink()
    [found] = findings("claude-code", fine).values()
    assert (found.state, found.fix) == ("broken", "laconic install claude-code")
    assert str(path) in found.message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#!/bin/sh\nexit 0\n", "says nothing about a command that is denied"),
        (
            '#!/bin/sh\necho \'{"systemMessage": "laconic cannot start"}\'\n',
            "says nothing about a command that is denied",
        ),
        ("#!/bin/sh\necho hello\n", "prints what is not JSON: 'hello'"),
        ("#!/bin/sh\necho oh >&2; exit 3\n", "ends with status 3: oh"),
        ("#!/bin/sh\nexit 2\n", "denies without a reason"),
        ("", "status 127"),
    ],
)
def test_a_hook_that_does_not_do_its_work_is_broken(text, message, site):
    if text:
        write_program(Path(site.executable), text)
    else:
        Path(site.executable).unlink()
    install("claude-code", site)
    found = findings("claude-code", site)["run"]
    assert found.state == "broken"
    assert message in found.message
    assert found.fix == "laconic install claude-code"


def test_hooks_that_were_not_answered_are_named_until_they_are_long_past(tmp_path):
    state = tmp_path
    (state / "hooks").mkdir()
    note = state / "hooks/unanswered"
    assert list(unanswered(state)) == []
    note.write_text("claude-code")
    [found] = unanswered(state)
    assert (found.check, found.state) == ("client", "broken")
    assert "a hook of claude-code was not answered just now" in found.message
    os.utime(note, (time.time() - 100, time.time() - 100))
    call_log.note_call({"LACONIC_STATE_DIR": str(state)}, "claude-code", "PreToolUse")
    assert [found.state for found in unanswered(state)] == ["warn"]
    os.utime(note, (0, 0))
    assert list(unanswered(state)) == []


def test_what_ran_unchecked_is_counted(tmp_path):
    known = {"agent": "claude-code", "command": "rm x", "cwd": "/p"}
    assert list(unchecked(tmp_path)) == []
    for ago in (30 * 86400, 100, 0):
        decisions.append_unchecked(
            tmp_path, "gate/disabled", "LACONIC_DISABLED is set", now=time.time() - ago, **known
        )
    [found] = unchecked(tmp_path)
    assert (found.state, found.fix) == ("warn", "laconic log --verdict unchecked")
    assert "the last just now: LACONIC_DISABLED is set (2)" in found.message


def test_silence_is_right_where_the_gate_is_off(site):
    install("claude-code", site)
    config = Path(site.variables["HOME"]) / ".config/laconic/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[settings]\ngate = "off"\n')
    assert findings("claude-code", site)["run"].state == "ok"


def test_a_hook_that_somebody_changed_is_named(fine, home):
    install("claude-code", fine)
    path = home / ".claude/settings.json"
    assert "sha256" in findings("claude-code", fine)["hook"].message
    text = path.read_text()
    path.write_text(text.replace("{", '{ "theme": 1,', 1))
    found = findings("claude-code", fine)["hook"]
    assert (found.state, "the rest was changed since" in found.message) == ("ok", True)
    path.write_text(text.replace("10", "1"))
    found = findings("claude-code", fine)["hook"]
    assert (found.state, found.fix) == ("warn", "laconic install claude-code")


def test_a_changed_plugin_is_named(fine, home):
    install("opencode", fine)
    path = home / ".config/opencode/plugins/laconic.ts"
    assert findings("opencode", fine)["hook"].state == "ok"
    path.write_text(path.read_text() + "// more\n")
    assert findings("opencode", fine)["hook"].state == "warn"


def test_the_last_call_and_the_last_fault_are_told(fine):
    install("codex", fine)
    assert findings("codex", fine)["called"].state == "note"
    call_log.note_call({"LACONIC_STATE_DIR": str(fine.state_dir)}, "codex", "PreToolUse")
    call_log.note_fault({"LACONIC_STATE_DIR": str(fine.state_dir)}, "codex", "ValueError: oh")
    found = findings("codex", fine)
    assert found["called"].message == "it last called laconic just now (PreToolUse)"
    assert found["fault"].state == "warn"
    past = time.time() - 3 * 3600 - 5
    (fine.state_dir / "hooks/codex").write_text(f"{past:.3f} PreToolUse")
    assert "3 hours ago" in findings("codex", fine)["called"].message


@pytest.mark.parametrize(
    ("says", "state", "message"),
    [
        ("2.1.240 (Claude Code)", "ok", "claude 2.1.240; known to work: real binary 2.1.328"),
        ("2.0.9 (Claude Code)", "broken", "claude 2.0.9 is too old: laconic needs 2.0.10"),
        ("who knows", "warn", "gives no version"),
    ],
)
def test_the_version_of_the_agent_is_compared(says, state, message, fine, tmp_path):
    install("claude-code", fine)
    write_program(tmp_path / "bin/claude", f"#!/bin/sh\necho '{says}'\n")
    path = f"{tmp_path}/bin:/usr/bin:/bin"
    found = findings("claude-code", fine._replace(variables={**fine.variables, "PATH": path}))
    assert found["version"].state == state
    assert message in found["version"].message


def test_codex_must_trust_the_hook(fine, home):
    install("codex", fine)
    found = findings("codex", fine)["trust"]
    assert found.state == "warn"
    assert "/hooks" in found.fix
    key = f"{home}/.codex/hooks.json:pre_tool_use:0:0"
    (home / ".codex/config.toml").write_text(f'[hooks.state."{key}"]\ntrusted_hash = "sha256:0"\n')
    assert findings("codex", fine)["trust"].state == "ok"


@pytest.mark.parametrize(
    ("name", "file", "text"),
    [
        ("claude-code", ".claude/settings.json", '{"disableAllHooks": true}'),
        ("codex", ".codex/config.toml", "[features]\nhooks = false\n"),
        ("gemini", ".gemini/settings.json", '{"hooksConfig": {"enabled": false}}'),
        ("droid", ".factory/settings.json", '{"hooksDisabled": true}'),
    ],
)
def test_a_setting_that_turns_hooks_off_is_found(name, file, text, fine, home):
    path = home / file
    path.parent.mkdir()
    path.write_text(text)
    install(name, fine)
    found = findings(name, fine)["switch"]
    assert found.state == "disabled"
    assert str(path) in found.fix


def test_other_tools_are_found(fine, home):
    path = home / ".claude/settings.json"
    path.parent.mkdir()
    theirs = {"matcher": "Bash", "hooks": [{"type": "command", "command": "rtk hook claude"}]}
    path.write_text(json.dumps({"hooks": {"PreToolUse": [theirs]}}))
    install("claude-code", fine)
    found = findings("claude-code", fine)["rival"]
    assert (found.state, found.fix) == ("warn", "laconic install claude-code --import")
    plugin = home / ".config/opencode/plugins/tokf.ts"
    plugin.parent.mkdir(parents=True)
    plugin.write_text("// tokf")
    install("opencode", fine)
    assert findings("opencode", fine)["rival"].fix == f"remove {plugin}"


@pytest.mark.parametrize("name", ["cursor", "vibe", "cline-cli", "opencode"])
def test_what_a_project_wrote_is_never_run(name, fine, tmp_path):
    """Anybody may have written it; only what this laconic would write is run there."""
    install(name, fine, "project")
    assert findings(name, fine)["run"].state == "ok"
    trap = tmp_path / "sprung"
    for _, path in files(name, "project", fine):
        text = path.read_text()
        evil = text.replace("hook ", f"hook x; touch {trap}; true ").replace(
            "echo", f"touch {trap}; echo"
        )
        path.write_text(evil if evil != text else text + "// more\n")
        if name == "vibe":
            first = f'[[hooks]]\ncommand = "laconic hook vibe; touch {trap}"\n\n'
            path.write_text(first + text)
    findings(name, fine)
    assert not trap.exists()


def test_codebuddy_on_native_windows_is_broken_or_disabled_with_the_way_out(fine):
    windows = fine._replace(platform="win32")
    assert findings("codebuddy", windows)["platform"].state == "disabled"
    install("codebuddy", windows)
    found = findings("codebuddy", windows)["platform"]
    assert (found.state, found.fix) == ("broken", "run CodeBuddy in WSL")


def test_the_client_is_named(tmp_path):
    assert "Python" in client(str(write_program(tmp_path / "a", "#!/usr/bin/python3\n"))).message
    (tmp_path / "b").write_bytes(b"\x7fELF...")
    assert "native" in client(str(tmp_path / "b")).message
    assert client(str(tmp_path / "c")).state == "broken"


# -- the command line ------------------------------------------------------------------------------


@pytest.mark.usefixtures("here")
def test_the_doctor_prints_what_to_do_and_its_exit_status_says_if_it_must_be_done(
    home,
    capsys,
):
    assert run(["doctor"]) == 0
    out = capsys.readouterr().out
    assert "ok        laconic: " in out
    assert "claude-code" not in out
    assert not (home / ".local/state/laconic/records.db").exists()
    assert run(["doctor", "claude-code"]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[0].startswith("disabled  claude-code: laconic is not installed")
    assert out.splitlines()[1] == "          fix: laconic install claude-code"
    config = home / ".config/laconic/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("[comands]\n")
    assert run(["install", "cursor"]) == 0
    hooks = home / ".cursor/hooks.json"
    hooks.write_text(hooks.read_text().replace(" hook cursor", " hook cursor; exit 9"))
    assert run(["doctor"]) == 1
    out = capsys.readouterr().out
    assert "unknown table" in out
    assert "broken    cursor: " in out


@pytest.mark.usefixtures("here", "home")
@pytest.mark.parametrize(
    ("line", "is_said"),
    [
        ("@ > out 2> err", True),
        ("(@; true) > out 2> err", True),
        ("(@; true) > out 2>&1", False),
        ("@ > out", False),
        ("CLAUDECODE=1; export CLAUDECODE; (@; true) > out 2> err", False),
        ("@ 2> err | cat > out", False),
    ],
)
def test_the_doctor_says_if_its_shell_writes_to_two_files(line, is_said, tmp_path):
    environ = process_environment()
    argv = ["sh", "-c", line.replace("@", f"'{find_executable(environ)}' doctor --json")]
    subprocess.run(argv, cwd=tmp_path, env=environ, check=True, stderr=subprocess.PIPE)
    found = json.loads((tmp_path / "out").read_text())["findings"]
    assert ("output" in [finding["check"] for finding in found]) == is_said


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("name", ["filters/x.toml", "rules/x.toml"])
def test_the_doctor_finds_mistakes_in_filters_and_rules(name, home, capsys):
    path = home / ".config/laconic" / name
    path.parent.mkdir(parents=True)
    path.write_text('["x y"]\nverdct = "ask"\n')
    assert run(["doctor"]) == 0
    assert f"warn      laconic: {path}: " in capsys.readouterr().out


@pytest.mark.usefixtures("here")
def test_the_doctor_says_what_to_do_first(home, capsys):
    run(["doctor"])
    out = capsys.readouterr().out
    assert "ok        laconic: no files, the built-in configuration\n" in out
    assert "disabled  laconic: no agent was found on this machine\n" in out
    (home / ".cursor").mkdir()
    run(["doctor"])
    assert "no agent was found" not in capsys.readouterr().out


@pytest.mark.usefixtures("here")
def test_the_doctor_speaks_json(home):
    (home / ".cursor").mkdir()
    environ = process_environment()
    argv = [find_executable(environ), "doctor", "--json"]  # pytest has two files for its streams
    done = subprocess.run(argv, env=environ, capture_output=True, check=True)
    document = json.loads(done.stdout)
    assert (document["version"], document["state"]) == (1, "disabled")
    assert {"agent", "check", "state", "message", "fix"} == set(document["findings"][0])
    assert any(f["agent"] == "cursor" for f in document["findings"])

"""Installing in agents and leaving again: every agent, in homes and projects of its own."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from install_sites import MOVES, enter_project, files, install, make_site, uninstall
from laconic.agents.load import hooked
from laconic.box.places import guarded_names, hidden_names
from laconic.cli import uninstall as uninstall_command
from laconic.cli.main import run
from laconic.errors import LaconicError, UsageError
from laconic.install import blocks, merge, originals
from laconic.install.install import (
    ASKED_FOR,
    carry_out,
    find_executable,
    hook_command,
    is_present,
    plan_install,
)
from laconic.install.owners import is_ours, rival_of
from laconic.install.recipe import directory, names, read_recipe
from laconic.knowledge.catalog import library
from laconic.policy.rules import Rules
from laconic.reading.decide import decide
from laconic.reading.places import Facts
from laconic.types import Effect

ROOT = Path(__file__).parents[2]
EVERYWHERE = [(name, scope) for name in names() for scope in read_recipe(name).scopes]


@pytest.fixture
def site(home, tmp_path):
    return make_site(home, tmp_path)


def tree(*roots):
    """Everything below some directories: kind, mode and content."""
    found = {}
    for root in roots:
        for path in sorted(root.rglob("*")):
            status = path.lstat()
            content = path.read_bytes() if path.is_file() else b""
            found[str(path)] = (stat.S_IFMT(status.st_mode), stat.S_IMODE(status.st_mode), content)
    return found


# -- every agent -----------------------------------------------------------------------------------

FOREIGN = {"matcher": "Edit", "hooks": [{"type": "command", "command": "format-it", "timeout": 3}]}


def foreign_text(file):
    """A file that a person might have there already."""
    if file.mechanism == "block":
        is_toml = file.template.endswith(".toml")
        return (
            'mode = "plan" # mine\n\n[[hooks]]\nname = "a"\n' if is_toml else "# Mine\n\nBe kind."
        )
    document = FOREIGN
    for key in reversed(file.entries[0].at):
        document = [document] if key == file.entries[0].at[-1] else document
        document = {key: document}
    body = json.dumps({"theme": "dark", **document}, indent=4)
    return "// mine\n" + body.replace('"dark",', '"dark", // at night') + "\n/* the end */"


@pytest.mark.parametrize(("name", "scope"), EVERYWHERE)
def test_an_agent_without_files_gets_some_once_and_has_none_afterwards(name, scope, site, home):
    before = tree(home, site.project)
    changes = install(name, site, scope)
    assert changes
    assert all(change.verb == "created" for change in changes)
    installed = tree(home, site.project)
    assert plan_install(read_recipe(name), scope, site) == []
    assert installed == tree(home, site.project)
    uninstall(name, site)
    assert tree(home, site.project) == before
    assert not list(site.state_dir.glob("install/*"))


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize(("name", "scope"), EVERYWHERE)
def test_files_that_are_there_are_extended_and_restored(name, scope, line_end, site, home):
    shared = [(f, p) for f, p in files(name, scope, site) if f.entries or f.mechanism == "block"]
    for file, path in shared:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(foreign_text(file).replace("\n", line_end).encode())
        path.chmod(0o640)
    before = tree(home, site.project)
    install(name, site, scope)
    for file, path in shared:
        text = path.read_bytes().decode()
        original = before[str(path)][2].decode()
        rest = iter(text.splitlines())
        for line in original.splitlines():
            assert any(line.rstrip(",") in other for other in rest), f"{line} is still there"
        assert (line_end == "\r\n") == ("\r\n" in text)
        assert not re.search(r"(?<!\r)\n", text) or line_end == "\n"
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        if file.entries:
            kept = list(merge.handlers(text, [(file.entries[0].at, {})]))
            assert FOREIGN["hooks"][0] in kept
    assert plan_install(read_recipe(name), scope, site) == []
    uninstall(name, site)
    assert tree(home, site.project) == before


@pytest.mark.parametrize(("name", "scope"), EVERYWHERE)
def test_what_others_changed_since_stays(name, scope, site):
    for file, path in files(name, scope, site):
        if file.entries:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text('{\n  "theme": "dark"\n}\n')
    install(name, site, scope)
    for file, path in files(name, scope, site):
        if file.entries:
            text = path.read_text()
            path.write_text(text.replace('"dark"', '"light", "more": [1] /* new */'))
        elif file.mechanism == "block":
            path.write_text(path.read_text() + "\n# more\n")
    uninstall(name, site)
    for file, path in files(name, scope, site):
        if file.entries and file.seed:
            assert '"light", "more": [1] /* new */' in path.read_text()
            assert "laconic hook" not in path.read_text()
        elif file.entries:
            assert path.read_text() == '{\n  "theme": "light", "more": [1] /* new */\n}\n'
        elif file.mechanism == "block":
            assert path.read_text() == "\n# more\n"
        else:
            assert not path.exists()


@pytest.mark.parametrize(("name", "scope"), EVERYWHERE)
def test_what_is_written_calls_this_laconic(name, scope, site):
    install(name, site, scope)
    recipe = read_recipe(name)
    texts = [path.read_text() for _, path in files(name, scope, site)]
    if recipe.sample:
        assert any(str(site.executable) in text and name in text for text in texts)
        assert not any("@" in text for text in texts), "nothing is left to fill in"
    else:
        assert any("laconic run" in text for text in texts)


def test_every_agent_with_hooks_can_be_installed():
    assert {name for name in names() if read_recipe(name).sample} == set(hooked())


@pytest.mark.parametrize("name", hooked())
def test_nobody_may_change_in_passing_what_makes_an_agent_call_laconic(name):
    recipe = read_recipe(name)
    for path in (file.project for file in recipe.files if file.project):
        decision = decide(f"echo x > {path}", library(), Rules(), Facts())
        assert Effect.GUARDED_WRITE in decision.effects, f"{path}: make docs"
        names = guarded_names()
        assert any(f"{path}/".startswith(f"{name}/") for name in names), f"{path}: make docs"
    for place in recipe.directories:
        path = place.removeprefix("~/")
        if place.startswith("~/."):
            hidden = any(f"{path}/".startswith(f"{name}/") for name in hidden_names())
            assert hidden, f"{place}: make docs"


@pytest.mark.parametrize("name", names())
def test_every_agent_says_what_works_and_how_that_was_verified(name):
    recipe = read_recipe(name)
    assert recipe.works
    assert recipe.verified
    assert (recipe.how == "rules") == (name not in hooked())


# -- whose is it -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        "/usr/bin/laconic hook claude-code",
        "'/my tools/laconic' hook codex 2>/dev/null || exit 0",
        "exec laconic-py hook goose",
        "python3 -m laconic hook pi",
        "laconic codebuddy-pre-tool-use --wrap-launcher /usr/bin/laconic",
        "/opt/laconic codebuddy-post-tool-use",
        '"$HOME"/.local/bin/laconic hook cursor',
        "~/bin/laconic hook cursor",
    ],
)
def test_hooks_of_laconic_are_known_by_what_they_run(command):
    assert is_ours({"type": "command", "command": command})
    assert is_ours({"bash": command})


@pytest.mark.parametrize(
    "command",
    [
        "echo laconic hook",
        "my-laconic hook x",
        "laconic run ls",
        "grep laconic hooks.json",
        "'",
        "",
    ],
)
def test_what_only_mentions_laconic_is_not_ours(command):
    assert not is_ours({"type": "command", "command": command})


def test_a_program_with_arguments_is_seen_too():
    assert is_ours({"command": "/usr/bin/laconic", "args": ["hook", "claude-code"]})
    assert not is_ours({"command": "/usr/bin/laconic", "args": ["run"]})


@pytest.mark.parametrize(
    ("command", "tool"),
    [
        ("rtk hook claude", "rtk"),
        ("/home/u/.claude/hooks/rtk-rewrite.sh", "rtk"),
        ('"$HOME/.claude/hooks/rtk-rewrite.sh"', "rtk"),
        ("tokf hook handle", "tokf"),
        ("~/bin/cc-toolgate --escalate-deny", "cc-toolgate"),
        ("node /x/tokenjuice.js codebuddy-pre-tool-use", "tokenjuice"),
        ("/opt/Dippy/bin/dippy-hook", "dippy"),
        ("python3 /home/u/.claude/hooks/nah_guard.py", "nah"),
        ("black --check .", ""),
        ("laconic hook claude-code", ""),
    ],
)
def test_similar_tools_are_known_by_what_they_run(command, tool):
    assert rival_of({"type": "command", "command": command}) == tool


# -- care ------------------------------------------------------------------------------------------


def test_an_older_hook_is_renewed_in_its_place(site, home):
    path = home / ".claude/settings.json"
    path.parent.mkdir()
    old = {"matcher": "Bash", "hooks": [{"type": "command", "command": "/old/laconic hook claude"}]}
    path.write_text(json.dumps({"hooks": {"PreToolUse": [old, FOREIGN]}}, indent=2))
    install("claude-code", site)
    groups = json.loads(path.read_text())["hooks"]["PreToolUse"]
    assert groups[0]["hooks"][0]["command"] == f"'{site.executable}' hook claude-code"
    assert groups[1:] == [FOREIGN]


def test_the_hook_of_codebuddy_that_ran_after_commands_is_migrated(site, home):
    path = home / ".codebuddy/settings.json"
    path.parent.mkdir()
    other = {"type": "command", "command": "notify-me"}
    legacy = {
        "type": "command",
        "command": "laconic codebuddy-post-tool-use",
        "statusMessage": "compacting bash output with laconic",
    }
    group = {"matcher": "Bash", "hooks": [legacy, other]}
    path.write_text(json.dumps({"hooks": {"PostToolUse": [group]}}, indent=2))
    install("codebuddy", site)
    after = json.loads(path.read_text())["hooks"]
    assert after["PostToolUse"] == [{"matcher": "Bash", "hooks": [other]}]
    group, files = after["PreToolUse"]
    assert group["matcher"] == "Bash"
    assert "Read" in files["matcher"]
    assert group["hooks"][0]["command"].endswith(" hook codebuddy")
    uninstall("codebuddy", site)
    # What was found had laconic in it; that is not put back.
    after = json.loads(path.read_text())["hooks"]
    assert after == {"PostToolUse": [{"matcher": "Bash", "hooks": [other]}]}


@pytest.mark.parametrize(
    ("before", "at"),
    [
        ({}, ["pre_tool_use"]),
        ({"stop": []}, ["pre_tool_use"]),
        ({"PreToolUse": []}, ["PreToolUse"]),
        ({"hooks": {}}, ["hooks", "PreToolUse"]),
        ({"hooks": {"Stop": []}}, ["hooks", "PreToolUse"]),
        ({"hooks": {"PreToolUse": [FOREIGN]}}, ["hooks", "PreToolUse"]),
        ({"hooks": {"pre_tool_use": [FOREIGN]}}, ["hooks", "pre_tool_use"]),
    ],
)
def test_the_form_that_openhands_finds_is_kept(before, at, site, home):
    path = home / ".openhands/hooks.json"
    path.parent.mkdir()
    path.write_text(json.dumps(before))
    install("openhands", site)
    after = json.loads(path.read_text())
    assert set(after) == set(before) | {at[0]}
    events = after["hooks"] if at[0] == "hooks" else after
    assert events[at[-1]][-1]["matcher"] == "terminal"
    assert plan_install(read_recipe("openhands"), "user", site) == []
    uninstall("openhands", site)
    assert json.loads(path.read_text()) == before


def test_the_first_copy_is_never_overwritten_and_later_changes_are_never_undone(site, home):
    path = home / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text('{"first": 1}')
    install("claude-code", site)
    path.write_text(path.read_text().replace('"first": 1', '"first": 1, "second": 2'))
    moved = site._replace(executable="/opt/laconic")
    install("claude-code", moved)
    assert "/opt/laconic hook claude-code" in path.read_text()
    assert "my tools" not in path.read_text()
    record = originals.find(site.state_dir, path)
    assert record
    assert record.data == b'{"first": 1}'
    uninstall("claude-code", moved)
    assert path.read_text() == '{"first": 1, "second": 2}'


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("claude-code", '{"hooks": {'),
        ("claude-code", '{"hooks": []}'),
        ("claude-code", "[]"),
        ("claude-code", '{"hooks": {"PreToolUse": {}}}'),
        ("vibe", "[[hooks]\n"),
        ("vibe", "hooks = []\n"),
        ("claude-code", b"\xff\xfe{}"),
    ],
)
def test_a_broken_file_is_reported_and_left_as_it_is(name, text, site):
    [(_, path)] = files(name, "user", site)
    path.parent.mkdir(parents=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    before = path.read_bytes()
    with pytest.raises(LaconicError, match="left as it is") as caught:
        install(name, site)
    assert str(path) in caught.value.message
    assert path.read_bytes() == before
    assert not list(site.state_dir.glob("install/*"))


@pytest.mark.parametrize("text", [b"", b"\n", b"\xef\xbb\xbf", b"{}"])
@pytest.mark.parametrize("is_changed", [False, True])
def test_a_file_with_nothing_in_it_is_left_as_it_was(text, is_changed, site, home):
    path = home / ".claude/settings.json"
    path.parent.mkdir()
    path.write_bytes(text)
    install("claude-code", site)
    assert b"hook claude-code" in path.read_bytes()
    if is_changed:
        path.write_bytes(path.read_bytes() + b"\n")
    uninstall("claude-code", site)
    assert b"hook claude-code" not in path.read_bytes()
    assert is_changed or path.read_bytes() == text


def test_a_script_of_somebody_else_is_left_alone(site, home):
    path = home / ".cline/hooks/PreToolUse"
    path.parent.mkdir(parents=True)
    path.write_text("#!/bin/sh\nexit 0\n")
    with pytest.raises(LaconicError, match="is a file of yours") as caught:
        install("cline-cli", site)
    assert "hook cline-cli" in caught.value.hint
    uninstall("cline-cli", site)
    assert path.read_text() == "#!/bin/sh\nexit 0\n"


def test_a_link_is_followed_and_stays_a_link(site, home, tmp_path):
    real = tmp_path / "dotfiles/claude.json"
    real.parent.mkdir()
    real.write_text("{}")
    real.chmod(0o600)
    link = home / ".claude/settings.json"
    link.parent.mkdir()
    link.symlink_to(real)
    install("claude-code", site)
    assert link.is_symlink()
    assert "hook claude-code" in real.read_text()
    assert stat.S_IMODE(real.stat().st_mode) == 0o600
    uninstall("claude-code", site)
    assert link.is_symlink()
    assert real.read_text() == "{}"


@pytest.mark.parametrize("link", ["AGENTS.md", ".cursor", ".cursor/hooks.json"])
def test_a_project_cannot_lead_us_out_of_it(link, site, home):
    outside = home / "outside"
    outside.mkdir()
    (outside / "hooks.json").write_text("{}")
    (site.project / link).parent.mkdir(exist_ok=True)
    is_file = "." in Path(link).name[1:]
    (site.project / link).symlink_to(outside / "hooks.json" if is_file else outside)
    before = tree(home)
    name = "codex-rules" if link == "AGENTS.md" else "cursor"
    with pytest.raises(LaconicError, match="leads out of the project"):
        install(name, site, "project")
    assert tree(home) == before


def test_a_project_cannot_make_us_remove_files_of_the_user(site, home):
    note = home / "note"
    note.write_text("Written by `laconic install cline-cli`")
    link = site.project / ".cline/hooks/PreToolUse"
    link.parent.mkdir(parents=True)
    link.symlink_to(note)
    uninstall("cline-cli", site)
    assert note.exists()


def test_a_file_that_changes_under_our_hands_is_not_overwritten(site, home):
    path = home / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text("{}")
    recipe = read_recipe("claude-code")
    changes = plan_install(recipe, "user", site)
    path.write_text('{"new": 1}')
    with pytest.raises(LaconicError, match="was changed"):
        carry_out(changes, recipe, site)
    assert path.read_text() == '{"new": 1}'
    assert list(path.parent.iterdir()) == [path]


def test_a_directory_that_cannot_be_made_is_an_error_in_one_line(site, home):
    (home / ".claude").write_text("I am a file")
    with pytest.raises(LaconicError, match="cannot be made"):
        install("claude-code", site)
    assert not list(site.state_dir.glob("install/*"))


def test_a_block_shared_by_two_agents_goes_with_the_second(site):
    path = site.project / "AGENTS.md"
    path.write_text("# Rules\n")
    install("codex-rules", site, "project")
    record = originals.find(site.state_dir, path)
    assert record
    originals.save(site.state_dir, record._replace(agents=(*record.agents, "another")))
    uninstall("codex-rules", site)
    assert blocks.find(path.read_text(), blocks.MARKDOWN)


def test_uninstall_finds_other_projects_too(site, tmp_path):
    install("cursor", site, "project")
    elsewhere = site._replace(project=tmp_path / "other")
    uninstall("cursor", elsewhere)
    assert not list(site.project.iterdir())


@given(st.text(alphabet="ab\n\r#<!-", max_size=40), st.sampled_from([blocks.MARKDOWN, blocks.TOML]))
def test_a_block_can_be_put_renewed_and_taken_out_of_any_text(text, marks):
    if text.endswith("\r"):
        text += "\n"
    once = blocks.put(text, "one\ntwo", marks)
    assert blocks.put(once, "one\ntwo", marks) == once
    other = blocks.put(once, "three", marks)
    assert "three" in other
    assert "one" not in other
    assert blocks.remove(once, marks) == blocks.remove(other, marks) == text


@pytest.mark.parametrize("name", ["vibe", "kimi"])
def test_a_block_of_toml_is_one_more_hook(name, site):
    [(_, path)] = files(name, "user", site)
    path.parent.mkdir()
    path.write_text('[[hooks]]\nname = "mine"\ncommand = "x"\n')
    install(name, site)
    mine, *ours = tomllib.loads(path.read_text())["hooks"]
    assert mine == {"name": "mine", "command": "x"}
    assert {hook["command"] for hook in ours} == {hook_command(read_recipe(name), site)}


# -- places ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "variable", "where"), MOVES)
def test_variables_that_move_an_agent_are_honoured(name, variable, where, site, tmp_path, home):
    moved = site._replace(variables={**site.variables, variable: str(tmp_path / "moved")})
    install(name, moved)
    assert (tmp_path / "moved" / where).is_file()
    assert not list(home.iterdir())


def test_of_codebuddys_variables_the_newer_one_wins():
    environ = {"HOME": "/h", "CODEBUDDY_CONFIG_DIR": "/new", "CODEBUDDY_HOME": "/old"}
    assert directory(read_recipe("codebuddy"), environ) == Path("/new")
    relative = {"HOME": "/h", "CODEBUDDY_CONFIG_DIR": "relative"}
    assert directory(read_recipe("codebuddy"), relative) == Path("/h/.codebuddy")


def test_an_agent_is_found_by_its_program_or_its_traces(site, home, tmp_path):
    recipe = read_recipe("claude-code")
    assert not is_present(recipe, {**site.variables, "PATH": str(tmp_path)})
    (home / ".claude").mkdir()
    assert is_present(recipe, {**site.variables, "PATH": str(tmp_path)})
    program = tmp_path / "codex"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert is_present(read_recipe("codex"), {**site.variables, "PATH": str(tmp_path)})


def test_the_path_in_the_command_is_one_word_for_a_shell(site, tmp_path):
    odd = tmp_path / "it's $(odd)" / "laconic"
    odd.parent.mkdir()
    odd.write_text('#!/bin/sh\necho "$0|$*"\n')
    odd.chmod(0o755)
    command = hook_command(read_recipe("codex"), site._replace(executable=str(odd)))
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout == f"{odd}|hook codex\n"
    assert is_ours({"command": command})


def test_the_path_on_path_is_preferred_when_it_is_the_same_program(tmp_path, monkeypatch):
    own = tmp_path / "venv/laconic"
    own.parent.mkdir()
    own.write_text("#!/bin/sh\n")
    own.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(tmp_path / "venv/python"))
    shims = tmp_path / "bin"
    shims.mkdir()
    (shims / "laconic").symlink_to(own)
    assert find_executable({"PATH": str(shims)}) == str(shims / "laconic")
    other = tmp_path / "other"
    other.mkdir()
    (other / "laconic").write_text("#!/bin/sh\necho other\n")
    (other / "laconic").chmod(0o755)
    assert find_executable({"PATH": str(other)}) == str(own)
    own.unlink()
    with pytest.raises(LaconicError, match="not on your PATH"):
        find_executable({"PATH": "/nonexistent"})


def test_hooks_after_commands_are_installed_when_the_configuration_asks(site, home):
    never = site._replace(asked_for=ASKED_FOR["never"])
    install("claude-code", never)
    path = home / ".claude/settings.json"
    assert "PostToolUse" not in path.read_text()
    asking = site._replace(asked_for=ASKED_FOR["always"])
    install("claude-code", asking)
    assert "PostToolUse" in path.read_text()
    install("claude-code", never)
    assert "PostToolUse" not in path.read_text()
    install("opencode", asking)
    plugin = home / ".config/opencode/plugins/laconic.ts"
    assert "REPLACE_OUTPUT = true" in plugin.read_text()


# -- the shell forms that agents run ---------------------------------------------------------------


@pytest.mark.parametrize("name", ["copilot", "gemini", "cline-cli", "cline"])
def test_without_laconic_the_command_of_the_agent_still_runs(name, site):
    """These agents take an exit status for a denial, so a missing program must not give one."""
    gone = site._replace(executable="/nonexistent/laconic")
    install(name, gone)
    file, path = files(name, "user", gone)[0]
    if file.entries:
        [handler] = merge.handlers(path.read_text(), [(file.entries[0].at, {})])
        command = handler.get("command") or handler["bash"]
    else:
        assert os.access(path, os.X_OK)
        command = f"'{path}'"
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stdout in {"", "{}\n"}


# -- the command line ------------------------------------------------------------------------------


@pytest.fixture
def here(tmp_path, monkeypatch):
    return enter_project(tmp_path, monkeypatch)


@pytest.mark.usefixtures("here")
def test_install_and_uninstall_say_what_they_did(home, capsys):
    assert run(["install", "claude", "codex"]) == 0
    out = capsys.readouterr().out
    assert f"claude-code: {home}/.claude/settings.json created" in out
    assert "type /hooks" in out
    assert run(["install", "claude-code"]) == 0
    assert capsys.readouterr().out == "claude-code: is already installed\n"
    assert run(["uninstall", "claude-code", "codex"]) == 0
    assert f"claude-code: {home}/.claude/settings.json removed" in capsys.readouterr().out
    assert run(["uninstall", "claude-code"]) == 0
    assert capsys.readouterr().out == "claude-code: laconic is not installed in it\n"


@pytest.mark.usefixtures("here")
def test_a_dry_run_shows_and_writes_nothing(home, capsys):
    assert run(["install", "cursor", "--dry-run"]) == 0
    out = capsys.readouterr().out
    assert '+        "matcher": "^Shell$"' in out
    assert "would be created" in out
    assert not (home / ".cursor").exists()
    assert not (home / ".local/state/laconic/install").exists()


def test_a_project_can_be_installed_alone(here, home, capsys):
    assert run(["install", "claude-code", "--project"]) == 0
    assert (here / ".claude/settings.local.json").exists()
    assert not (home / ".claude").exists()
    assert "keep it out of the repository" in capsys.readouterr().out
    assert run(["install", "zed"]) == 0, "it has only rules of projects"
    assert (here / ".rules").exists()
    assert run(["install", "zed", "--global"]) == 1
    assert "hint: laconic install zed --project" in capsys.readouterr().err


@pytest.mark.usefixtures("here")
def test_agents_that_are_there_are_found(home, capsys):
    assert run(["install", "--detect"]) == 1
    assert "no agent was found" in capsys.readouterr().err
    (home / ".cursor").mkdir()
    assert run(["install", "--detect"]) == 1
    said = capsys.readouterr()
    assert "found: cursor (Cursor)" in said.out
    assert "--yes" in said.err
    assert not list((home / ".cursor").iterdir())
    assert run(["install", "--detect", "--yes"]) == 0
    assert (home / ".cursor/hooks.json").exists()


@pytest.mark.usefixtures("here")
def test_one_broken_file_does_not_keep_the_others_from_theirs(home, capsys):
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").write_text("{")
    assert run(["install", "claude-code", "cursor"]) == 1
    said = capsys.readouterr()
    assert "settings.json: line 1, column 2: expected a key in quotes; left as it is" in said.err
    assert (home / ".cursor/hooks.json").exists()


@pytest.mark.usefixtures("here")
def test_a_name_that_nobody_has_is_a_usage_error(capsys):
    assert run(["install", "claud"]) == 2
    assert "did you mean: claude" in capsys.readouterr().err
    assert run(["install"]) == 2
    assert "--detect" in capsys.readouterr().err
    with pytest.raises(UsageError):
        read_recipe("../secrets")


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is closed to root")
def test_a_directory_that_the_kernel_has_closed_can_be_removed(tmp_path):
    closed = tmp_path / "state/box/over/work/work"
    (closed / "index").mkdir(parents=True)
    closed.chmod(0)
    uninstall_command._open_all(tmp_path / "state")
    shutil.rmtree(tmp_path / "state")

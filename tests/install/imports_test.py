"""Taking over the settings of similar tools, and switching their hooks off."""

from __future__ import annotations

import json
import tomllib

import pytest

from install_sites import enter_project
from laconic.cli.main import run
from laconic.errors import LaconicError
from laconic.install.imports import extended, find_imports
from laconic.settings.layers import check_bytes

TOKF = """
[pipe]
strip = false
[skip]
patterns = ["^tokf ", "<<"]
[[rewrite]]
match = "^mix test"
replace = "tokf test {0}"
[[rewrite]]
match = "^mise run(.*)$"
replace = "SHELL=tokf mise run{1}"
[[rewrite]]
match = "^git"
to = "tokf run git"
[sync]
auto = true
"""
RTK = """
[tracking]
enabled = true
[hooks]
exclude_commands = ["curl", "git push", "^npm (run )?dev", "", "^", "^broken("]
transparent_prefixes = ["docker exec app"]
"""
TOOLGATE = """
[commands]
remove_allow = ["source"]
ask = ["source"]
deny = ["terraform"]
[git]
allowed_with_config = ["push"]
config_env_var = "GIT_CONFIG_GLOBAL"
[settings]
escalate_deny = true
[nonsense]
x = 1
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    return enter_project(tmp_path, monkeypatch)


@pytest.fixture
def theirs(home):
    """Return a function that writes a tool's settings."""

    def write(tool, name, text):
        path = home / ".config" / tool / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
        return path

    return write


def imported(home):
    [found] = find_imports({"HOME": str(home)}, home / "nowhere")
    assert check_bytes(extended(b"", found.document, home)[0], "x")[1] == []
    return found


def test_tokf_says_the_same_in_its_own_name(theirs, home):
    theirs("tokf", "rewrites.toml", TOKF)
    found = imported(home)
    assert found.document == {
        "pipe": {"strip": False},
        "skip": {"patterns": ["^laconic ", "<<"]},
        "rewrite": [
            {"match": "^mix test", "replace": "laconic test {0}"},
            {"match": "^mise run(.*)$", "replace": "SHELL=laconic mise run{1}"},
        ],
    }
    assert found.left == ("rewrite (in part)", "sync.auto")


def test_rtk_names_commands_to_leave_alone(theirs, home):
    theirs("rtk", "config.toml", RTK)
    found = imported(home)
    assert found.document == {"skip": {"exclude": ["curl", "git push", "^npm (run )?dev"]}}
    broken = "[hooks] exclude_commands '^broken('"
    assert found.left == ("[tracking]", "[hooks] transparent_prefixes", broken)


def test_cc_toolgate_has_the_same_tables(theirs, home):
    theirs("cc-toolgate", "config.toml", TOOLGATE)
    found = imported(home)
    assert found.document == {
        key: value for key, value in tomllib.loads(TOOLGATE).items() if key != "nonsense"
    }
    assert found.left == ("nonsense.x",)


def test_tokenjuice_is_seen(home):
    (home / ".config/tokenjuice/rules").mkdir(parents=True)
    found = imported(home)
    assert (found.tool, found.document) == ("tokenjuice", {})


def test_a_configuration_is_extended_and_never_overridden(tmp_path):
    mine = """# mine
[pipe]
strip = true  # as I like it

[skip]
exclude = [
    "curl",  # it is big
]

[[rewrite]]
match = "^a"
replace = "b"
"""
    document = {
        "pipe": {"strip": False, "prefer_less": True},
        "skip": {"exclude": ["curl", "wget"], "patterns": ["^x"]},
        "rewrite": [{"match": "^a", "replace": "b"}, {"match": "^c", "replace": "d"}],
    }
    data, kept = extended(mine.encode(), document, tmp_path)
    after = data.decode()
    assert kept == ["pipe.strip"]
    assert "strip = true  # as I like it" in after
    assert '"curl",  # it is big' in after
    assert after.startswith("# mine\n")
    assert tomllib.loads(after) == {
        "pipe": {"strip": True, "prefer_less": True},
        "skip": {"exclude": ["curl", "wget"], "patterns": ["^x"]},
        "rewrite": document["rewrite"],
    }
    assert extended(data, document, tmp_path)[0] == data, "a second time changes nothing"


@pytest.mark.parametrize("text", [b"[pipe\n", b"[comands]\n", b"[skip]\nexclude = 1\n", b"\xff"])
def test_a_broken_configuration_is_left_as_it_is(text, tmp_path):
    with pytest.raises(LaconicError, match="left as it is"):
        extended(text, {"skip": {"exclude": ["curl"]}}, tmp_path)


# -- the command line ------------------------------------------------------------------------------


@pytest.mark.usefixtures("here")
def test_settings_are_taken_over_when_the_user_agrees(home, theirs, capsys):
    theirs("rtk", "config.toml", RTK)
    config = home / ".config/laconic/config.toml"
    assert run(["install", "--import"]) == 0
    said = capsys.readouterr()
    assert "there is no terminal to ask on" in said.err
    assert "+exclude = " in said.out
    assert "rtk: [tracking] has no counterpart" in said.out
    assert not config.exists()
    assert run(["install", "--import", "--yes"]) == 0
    assert tomllib.loads(config.read_text())["skip"]["exclude"] == [
        "curl", "git push", "^npm (run )?dev"
    ]  # fmt: skip
    capsys.readouterr()
    assert run(["install", "--import", "--yes"]) == 0
    assert "has nothing new" in capsys.readouterr().out


def test_settings_of_a_project_go_into_the_projects_configuration(here, home, capsys):
    (here / ".git").mkdir()
    (here / ".tokf").mkdir()
    (here / ".tokf/rewrites.toml").write_text(TOKF)
    assert run(["install", "--import", "--yes"]) == 0
    assert "it takes effect once you trust it: laconic trust" in capsys.readouterr().out
    config = tomllib.loads((here / ".laconic/config.toml").read_text())
    assert config["pipe"] == {"strip": False}
    assert not (home / ".config/laconic/config.toml").exists()
    assert run(["install", "--import", "--yes"]) == 0
    assert "has nothing new" in capsys.readouterr().out


def test_a_project_does_not_lead_an_import_out_of_itself(here, tmp_path, capsys):
    (here / ".git").mkdir()
    (here / ".tokf").mkdir()
    (here / ".tokf/rewrites.toml").write_text(TOKF)
    (tmp_path / "outside").mkdir()
    (here / ".laconic").symlink_to(tmp_path / "outside")
    assert run(["install", "--import", "--yes"]) == 1
    assert "leads out of the project" in capsys.readouterr().err
    assert list((tmp_path / "outside").iterdir()) == []


@pytest.mark.usefixtures("here")
def test_their_hooks_are_switched_off_and_come_back_with_an_uninstall(home):
    path = home / ".claude/settings.json"
    path.parent.mkdir()
    hooks = [{"type": "command", "command": "rtk hook claude"}, {"type": "command", "command": "x"}]
    before = json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": hooks}]}}, indent=1)
    path.write_text(before)
    assert run(["install", "claude-code", "--import", "--dry-run"]) == 0
    assert path.read_text() == before
    assert run(["install", "claude-code", "--import", "--yes"]) == 0
    assert "rtk hook" not in path.read_text()
    groups = json.loads(path.read_text())["hooks"]["PreToolUse"]
    assert groups[0]["hooks"] == hooks[1:]
    assert groups[1]["hooks"][0]["command"].endswith("hook claude-code")
    assert run(["uninstall", "claude-code"]) == 0
    assert path.read_text() == before


@pytest.mark.usefixtures("here")
def test_without_any_tool_nothing_is_done(capsys):
    assert run(["install", "--import", "--yes"]) == 1
    assert "no settings of tokf" in capsys.readouterr().out

"""What else is published: the plugin, the feature and the action say what laconic says."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import warm_server
from laconic import __version__
from machine import each_of

ROOT = Path(__file__).parent.parent
PACKAGES = ROOT / "packages"
PLUGIN, FEATURE = PACKAGES / "claude-code", PACKAGES / "devcontainer/laconic"
ACTION = PACKAGES / "action"
LACONIC = Path(sys.executable).parent


def document(path):
    return json.loads(path.read_text())


@pytest.mark.parametrize(
    "path", [PLUGIN / ".claude-plugin/plugin.json", FEATURE / "devcontainer-feature.json"]
)
def test_it_has_the_version_of_laconic(path):
    assert document(path)["version"] == __version__


def hook():
    ((entry,),) = document(PLUGIN / "hooks/hooks.json")["hooks"].values()
    return entry


def test_the_plugin_asks_about_what_an_installation_asks_about():
    table = tomllib.loads((ROOT / "src/laconic/agents/data/claude-code.toml").read_text())
    value = table["install"]["files"][0]["entries"][0]["value"]
    assert hook()["matcher"] == value["matcher"]
    assert hook()["hooks"][0]["timeout"] == value["hooks"][0]["timeout"]


@pytest.mark.parametrize("shell", each_of("sh", "dash", "bash", "zsh"))
@pytest.mark.parametrize(("places", "verdict"), [([LACONIC], "deny"), ([], None)])
def test_the_hook_of_the_plugin_denies_or_is_silent(shell, places, verdict):
    done = subprocess.run(
        [shutil.which(shell), "-c", hook()["hooks"][0]["command"]],
        env={**os.environ, "PATH": ":".join(map(str, [*places, "/usr/bin", "/bin"]))},
        input=warm_server.hook_input("rm -rf /"),
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert (warm_server.verdict(done.stdout) if done.stdout else None) == verdict


def test_the_marketplace_names_the_plugin():
    (plugin,) = document(ROOT / ".claude-plugin/marketplace.json")["plugins"]
    assert (ROOT / plugin["source"]).resolve() == PLUGIN
    assert plugin["name"] == document(PLUGIN / ".claude-plugin/plugin.json")["name"]


def judged(**given):
    path = f"{LACONIC}:{os.environ['PATH']}"
    environ = {**os.environ, "PATH": path, "LACONIC_NO_SERVER": "1", **given}
    return subprocess.run(
        [ACTION / "judge.sh"], env=environ, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("commands", "accept", "status"),
    [
        ("", "allow", 0),
        ("git status\n\n  \nls -l\n", "allow", 0),
        ("git status\ngit push", "allow", 1),
        ("git push\ngit status", "allow", 1),
        ("git push", "ask", 0),
        ("git push\nrm -rf /", "ask", 1),
        ("rm -rf /", "deny", 0),
        ("-x", "allow", 1),
        ("$(touch made)", "allow", 1),
        ("ls", "nothing", 2),
    ],
)
def test_the_action_fails_where_a_verdict_is_worse_than_accepted(
    tmp_path, monkeypatch, commands, accept, status
):
    monkeypatch.chdir(tmp_path)
    done = judged(COMMANDS=commands, ACCEPT=accept)
    assert done.returncode == status, done
    assert not (tmp_path / "made").exists()


def test_the_action_fails_where_a_file_of_the_project_is_wrong(tmp_path, monkeypatch):
    (tmp_path / ".laconic").mkdir()
    (tmp_path / ".laconic/config.toml").write_text("[comands]\ndeny = ['x']\n")
    monkeypatch.chdir(tmp_path)
    done = judged(COMMANDS="ls")
    assert done.returncode == 1
    assert "comands" in done.stdout + done.stderr


def test_no_input_of_the_action_is_written_into_a_script():
    """An expression in the text of a step would be run as code."""
    steps = (ACTION / "action.yml").read_text().split("runs:")[1]
    for line in steps.splitlines():
        if "${{" in line:
            name = line.strip().partition(":")[0]
            assert name.isupper(), line


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "there is no wheel beside install.sh"),
        ({"AGENTS": "x'; touch made; '"}, "small letters"),
        ({"AGENTS": "codex", "PROFILE": "$(touch made)"}, "small letters"),
    ],
)
def test_the_feature_refuses_what_it_cannot_install(tmp_path, given, says):
    done = subprocess.run(
        [FEATURE / "install.sh"],
        env={"PATH": os.environ["PATH"], **given},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert says in done.stderr
    assert not (tmp_path / "made").exists()


def test_every_option_of_the_feature_is_read():
    text = (FEATURE / "install.sh").read_text()
    for name in document(FEATURE / "devcontainer-feature.json")["options"]:
        assert f"${{{name.upper()}:-" in text

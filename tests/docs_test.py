"""The documentation knows everything that there is, and nothing that there is not."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from laconic.cli.completions import levels
from laconic.cli.main import COMMANDS, build_parser
from laconic.hooks.load import load
from laconic.permissions import read as agent_rules
from laconic.settings.config import options
from laconic.settings.layers import check_bytes
from laconic.settings.load import VARIABLES

ROOT = Path(__file__).parent.parent
CLI = (ROOT / "docs/cli.md").read_text()
CONFIGURATION = (ROOT / "docs/configuration.md").read_text()
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]


@pytest.mark.parametrize(
    "level", list(levels(build_parser())), ids=lambda level: level.path or "laconic"
)
def test_every_command_and_option_is_documented(level):
    name = f"laconic {level.path}".strip()
    assert f"`{name}" in CLI
    for word in level.words:
        if word.text not in {"-h", "--help"}:
            assert (
                f"`{word.text}`" in CLI or f"{name} {word.text}" in CLI or f"[{word.text}]" in CLI
            )


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_has_help(command):
    assert command.help


def test_the_generated_pages_are_up_to_date():
    done = subprocess.run(
        [sys.executable, ROOT / "scripts/docs.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("variable", VARIABLES, ids=lambda variable: variable.name)
def test_every_variable_is_documented(variable):
    assert f"| `{variable.name}` |" in (ROOT / "docs/environment.md").read_text()


def test_no_other_variable_is_mentioned():
    known = {variable.name for variable in VARIABLES}
    for path in [*PAGES, *ROOT.glob("src/**/*.py")]:
        for name in re.findall(r"\bLACONIC_[A-Z_]+[A-Z]\b", path.read_text()):
            assert name in known, f"{path.name} speaks of {name}"


@pytest.mark.parametrize("name", options())
def test_every_key_is_documented(name):
    assert f"| `{name}` |" in CONFIGURATION


def examples():
    for path in (ROOT / "README.md", ROOT / "docs/configuration.md"):
        for number, text in enumerate(
            re.findall(r"```toml\n(.*?)```", path.read_text(), re.DOTALL), 1
        ):
            yield pytest.param(text, id=f"{path.name}-{number}")


@pytest.mark.parametrize("text", list(examples()))
def test_every_example_is_a_valid_configuration(text):
    assert check_bytes(text.encode(), "example")[1] == []


def sessions():
    """The blocks of what is typed and printed; what is saved depends on what was run."""
    for block in re.findall(r"```\n(\$ .*?)```", CLI, re.DOTALL):
        if "laconic gain" not in block:
            yield pytest.param(block, id=block.splitlines()[0])


@pytest.mark.parametrize("block", list(sessions()))
def test_what_is_shown_is_what_is_printed(block, tmp_path):
    typed = [line[2:] for line in block.splitlines() if line.startswith("$ ")]
    printed = [line for line in block.splitlines(keepends=True) if not line.startswith("$ ")]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", "\n".join(["exec 2>&1", *typed])],
        env={**os.environ, "PATH": path, "LACONIC_NO_SERVER": "1"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "".join(printed)


@pytest.mark.parametrize("name", agent_rules._FILES)
def test_every_agent_whose_rules_count_is_named(name):
    assert f"\n| {load(name).title} | " in (ROOT / "docs/gate.md").read_text()


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_link_leads_somewhere(path):
    for target in re.findall(r"\]\(([^)#\s]+)", path.read_text()):
        if "://" not in target:
            assert (path.parent / target).exists(), f"{path.name} links to {target}"


def test_the_readme_names_the_two_commands_to_start_with():
    text = (ROOT / "README.md").read_text()
    assert "make demo" in text
    assert "make test" in text

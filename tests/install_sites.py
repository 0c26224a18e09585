"""Homes and projects to install laconic in."""

from __future__ import annotations

from laconic.install.install import (
    Site,
    carry_out,
    carry_out_removal,
    path_of,
    plan_install,
    plan_uninstall,
)
from laconic.install.recipe import read_recipe

# Variables that move an agent's settings: agent, variable, the file that laconic then changes.
MOVES = [
    ("claude-code", "CLAUDE_CONFIG_DIR", "settings.json"),
    ("codex", "CODEX_HOME", "hooks.json"),
    ("codex-rules", "CODEX_HOME", "AGENTS.md"),
    ("copilot", "COPILOT_HOME", "hooks/laconic.json"),
    ("gemini", "GEMINI_CLI_HOME", ".gemini/settings.json"),
    ("codebuddy", "CODEBUDDY_CONFIG_DIR", "settings.json"),
    ("codebuddy", "CODEBUDDY_HOME", "settings.json"),
    ("qwen", "QWEN_HOME", "settings.json"),
    ("qoder", "QODER_CONFIG_DIR", "settings.json"),
    ("devin", "XDG_CONFIG_HOME", "devin/config.json"),
    ("crush", "CRUSH_GLOBAL_CONFIG", "crush.json"),
    ("crush", "XDG_CONFIG_HOME", "crush/crush.json"),
    ("grok", "GROK_HOME", "hooks/laconic.json"),
    ("vibe", "VIBE_HOME", "hooks.toml"),
    ("cline-cli", "CLINE_DIR", "hooks/PreToolUse"),
    ("kiro", "KIRO_HOME", "hooks/laconic.json"),
    ("opencode", "OPENCODE_CONFIG_DIR", "plugins/laconic.ts"),
    ("opencode", "XDG_CONFIG_HOME", "opencode/plugins/laconic.ts"),
    ("kilo", "XDG_CONFIG_HOME", "kilo/plugin/laconic.ts"),
    ("pi", "PI_CODING_AGENT_DIR", "extensions/laconic.ts"),
    ("amp", "XDG_CONFIG_HOME", "amp/plugins/laconic.ts"),
    ("continue", "CONTINUE_GLOBAL_DIR", "rules/laconic.md"),
]


def make_site(home, tmp_path):
    """A place whose laconic does nothing, in a directory with a blank in its name."""
    executable = tmp_path / "my tools" / "laconic"
    write_program(executable, "#!/bin/sh\nexit 0\n")
    project = tmp_path / "project"
    project.mkdir()
    variables = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    return Site(variables, project, str(executable), tmp_path / "state")


def write_program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def enter_project(tmp_path, monkeypatch):
    """Make this process one in a project, without any agent in sight."""
    project = tmp_path / "here"
    project.mkdir()
    monkeypatch.chdir(project)
    for variable in {variable for _, variable, _ in MOVES} - {"XDG_CONFIG_HOME"}:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr("laconic.install.install.shutil.which", lambda *_, **__: None)
    return project


def install(name, site, scope="user"):
    recipe = read_recipe(name)
    changes = plan_install(recipe, scope, site)
    carry_out(changes, recipe, site)
    return changes


def uninstall(name, site):
    recipe = read_recipe(name)
    carry_out_removal(plan_uninstall(recipe, site), recipe, site)


def files(name, scope, site):
    """The files of an agent in a scope, and where they are."""
    recipe = read_recipe(name)
    return [(f, p) for f in recipe.files if (p := path_of(f, recipe, scope, site))]

"""Says in which sandbox laconic is, in which ones agents run commands, and what follows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from laconic.agents.load import load
from laconic.errors import LaconicError
from laconic.files import read_file
from laconic.install.install import Site
from laconic.install.recipe import Recipe, directory
from laconic.permissions.sandbox import sandbox_of
from laconic.record import kept
from laconic.settings import toml

_MOST_BYTES = 1 << 20
# What a program in it can tell by; the first that fits counts.
_SIGNS = (
    ("CODEX_SANDBOX_NETWORK_DISABLED", "the sandbox of Codex"),
    ("CODEX_SANDBOX", "the sandbox of Codex"),
    ("CODEX_THREAD_ID", "the sandbox of Codex"),  # with a network it has none of the others
    ("SANDBOX_RUNTIME", "the sandbox of Claude Code"),
    ("SANDBOX", "the sandbox of Gemini CLI"),
)


def here(environ: Mapping[str, str], state_dir: str) -> tuple[str, str]:
    """Say what confines this process, and what follows from that; nothing if it is not confined.

    Variables only give it a name: it is one if the directory for records cannot be written.
    """
    if kept.is_writable(state_dir):
        return "", ""
    name = next((title for sign, title in _SIGNS if environ.get(sign)), "a sandbox")
    place = next(filter(kept.is_writable, kept.made(environ, state_dir)), "")
    where = f"outputs are kept in {place} and collected outside" if place else "nothing is kept"
    return name, f"{state_dir} cannot be written: {where}; no box, no undo and no server is there"


def of_agent(recipe: Recipe, site: Site) -> str:
    """Say what follows from the sandbox in which an agent runs commands; nothing without one."""
    agent = load(recipe.name)
    if not agent.sandbox:
        return ""
    if "transcript" in agent.sandbox:
        if _is_off(recipe, agent.sandbox.get("off", {}), site):
            return "its sandbox is off by its settings; a session may be in one all the same"
        return (
            "in its sandbox there is no box, the hook does the undo, and outputs are kept below "
            "TMPDIR; where it is read-only, they are replaced afterwards"
        )
    project = str(site.project)
    sandbox = sandbox_of(agent, {}, project, project, site.variables)
    if sandbox is None:
        return ""
    place = site.state_dir / kept.APART
    where = str(place) if kept.is_own(str(place)) else "a private directory below TMPDIR"
    excluded = ", ".join(rule.written for rule in sandbox.excluded)
    without = f"; left alone, because they run outside: {excluded}" if excluded else ""
    return f"its sandbox is on: no box, the hook does the undo, outputs are in {where}{without}"


def _is_off(recipe: Recipe, off: Mapping[str, Any], site: Site) -> bool:
    """Tell whether the user's settings switch off the sandbox that an agent has by default."""
    try:
        data = read_file(str(directory(recipe, site.variables) / off["file"]), _MOST_BYTES)
        return bool(toml.parse(data).get(off["key"]) == off["value"])
    except (KeyError, LaconicError, ValueError):
        return False

"""Loads what is known of an agent: a small file of data."""

from __future__ import annotations

from functools import lru_cache
from os import listdir
from os.path import dirname

from laconic.reading.other_shells import family
from laconic.settings.disk_cache import cached_on_disk, stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

DATA = f"{dirname(__file__)}/data"  # noqa: PTH120 - pathlib costs 6 ms
ALIASES = {
    "claude": "claude-code",
    "cline-extension": "cline",
    "copilot-cli": "copilot",
    "devin-cli": "devin",
    "factory-droid": "droid",
    "gemini-cli": "gemini",
    "grok-build": "grok",
    "kimi-code": "kimi",
    "kiro-v2": "kiro",
    "kiro-v3": "kiro",
    "mistral-vibe": "vibe",
    "qwen-code": "qwen",
    "vscode-copilot": "vscode",
}
CLAUDE = "claude-code"  # the agent where none is named
BEFORE, PERMISSION, AFTER, SESSION = "before", "permission", "after", "session"


class Event:
    """An event: what it is about, and what an answer to it can do."""

    __slots__ = ("can", "kind", "name")

    def __init__(self, name: str, spec: str) -> None:
        kind, _, words = spec.partition(":")
        self.name, self.kind, self.can = name, kind, frozenset(words.split())


class Agent:
    """One agent, from its data file; docs/agents.md lists the keys."""

    __slots__ = (
        "answer", "document", "events", "families", "fields", "files", "foreign", "has_flow",
        "login_shell", "modes", "name", "neutral", "open_without", "passes_ours", "permissions",
        "project_variable", "rewrite_with", "rules_see_rewrites", "runs_unasked", "sandbox",
        "shows_typed", "title", "tools", "tools_without", "unattended", "users_shells", "wraps",
    )  # fmt: skip

    def __init__(self, name: str, document: Mapping[str, Any]) -> None:
        self.name, self.document = name, document
        self.title: str = document["title"]
        self.neutral: str = document.get("neutral", "")
        self.has_flow: bool = document["silence"] == "asks"
        self.modes: Mapping[str, str] = document.get("modes", {})
        self.rewrite_with = frozenset(document["rewrite_with"])
        self.wraps: bool = document.get("wraps", False)
        self.login_shell: bool = document.get("login_shell", False)
        self.families = frozenset(map(family, document.get("shells", ("bash", "zsh"))))
        self.users_shells: list[str] = document.get("users_shells", ["*"])
        self.rules_see_rewrites: bool = document.get("rules_see_rewrites", False)
        self.passes_ours: bool = document.get("passes_ours", False)
        self.runs_unasked: list[str] = document.get("runs_unasked", [])
        self.shows_typed: bool = document.get("shows_typed", False)
        self.open_without: Mapping[str, Any] = document.get("open_without", {})
        self.permissions: list[Mapping[str, Any]] = document.get("permissions", [])
        self.project_variable: str = document.get("project_variable", "")
        self.sandbox: Mapping[str, Any] = document.get("sandbox", {})
        self.unattended: Mapping[str, Any] = document.get("unattended", {})
        self.tools = frozenset(document["tools"])
        self.tools_without: Mapping[str, list[str]] = document.get("tools_without", {})
        self.events = [Event(event, spec) for event, spec in document["events"].items()]
        self.fields: Mapping[str, Any] = document["fields"]
        self.files: Mapping[str, Any] = document.get("files", {})
        self.foreign: Mapping[str, Any] = document.get("foreign", {})
        self.answer: Mapping[str, Any] = document.get("answer", {})

    @property
    def limit_s(self) -> float:
        """How long an answer may take: well below the time that the agent is asked to wait."""
        timeout = self.document["timeout"]
        wanted: float = timeout["wanted"] / (1000 if timeout["unit"] == "ms" else 1)
        return wanted * 0.8


@lru_cache(maxsize=64)
def load(name: str) -> Agent:
    """Return an agent that has hooks, by its name or an alias; KeyError if there is none."""
    name = ALIASES.get(name, name)
    document = _document(name)
    if not _has_hooks(document):
        raise KeyError(name)
    return Agent(name, document)


@lru_cache(maxsize=1)
def hooked() -> tuple[str, ...]:
    """Return the names of all agents that have hooks. Reads every data file: not for the hook."""
    files = [file for file in listdir(DATA) if file.endswith(".toml")]  # noqa: PTH208 - as above
    names = sorted(file.removesuffix(".toml") for file in files)
    return tuple(name for name in names if _has_hooks(_document(name)))


def _has_hooks(document: Mapping[str, Any]) -> bool:
    """Tell whether an agent has hooks; others only get rules for the model to read."""
    return "dialect" in document


def _document(name: str) -> dict[str, Any]:
    """Return the content of an agent's data file; KeyError if there is none."""
    is_name = name == name.lower() and name.replace("-", "").isalnum()  # not another path
    path = f"{DATA}/{name}.toml"
    try:
        key = stamp(path) if is_name else None
    except OSError:
        key = None
    if key is None:
        raise KeyError(name)
    document: dict[str, Any] = cached_on_disk(f"agent-{name}", key, lambda: _parse(path))
    return document


def _parse(path: str) -> dict[str, Any]:
    from laconic.settings import toml  # noqa: PLC0415 - what it gives is kept

    with open(path, "rb") as stream:  # noqa: PTH123 - as above
        return toml.parse(stream.read())

"""Says in which sandbox of its own an agent runs commands, as far as its settings and records tell.

Whatever is read here only makes laconic ask more or write less on a line: a repository that lies
about it gains nothing. `[sandbox]` in the agent's data file says where to look.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from laconic.agents.load import Agent
from laconic.errors import FileError
from laconic.files import home, read_file
from laconic.permissions.formats import json_object
from laconic.permissions.read import let_pass_any, rule_files
from laconic.policy.permissions import Permission, bash_pattern
from laconic.types import Verdict

_MOST_BYTES = 1 << 20
# What is read of a transcript: few turns are longer than the first, none than the second.
_TAILS = (1 << 18, 16 << 20)
_BROKEN = (ValueError, TypeError, RecursionError)


class Sandbox:
    """What an agent's own sandbox holds.

    excluded: the commands that run outside of it. runs_by_itself: the agent asks nobody about a
    command in it. is_read_only: nothing can be written in it, so that laconic keeps no output.
    """

    def __init__(
        self,
        excluded: tuple[Permission, ...] = (),
        *,
        runs_by_itself: bool,
        is_read_only: bool = False,
    ) -> None:
        self.excluded, self.runs_by_itself = excluded, runs_by_itself
        self.is_read_only = is_read_only

    def may_exclude(self, text: str) -> bool:
        """Tell whether a line, or a command in it, may run outside."""
        return bool(self.excluded) and let_pass_any(text, self.excluded)


def sandbox_of(
    agent: Agent, data: Mapping[str, Any], cwd: str, root: str, environ: Mapping[str, str]
) -> Sandbox | None:
    """Return the sandbox that a hook's call comes from; None if none is known."""
    known = agent.sandbox
    said = data.get(known.get("field", ""))
    if isinstance(said, bool):
        return Sandbox(runs_by_itself=False) if said else None
    if "files" in known:
        return _by_files(environ=environ, root=root, **known["files"])
    if known.get("transcript"):
        return _by_transcript(data.get("transcript_path"))
    names = known.get("settings")
    return _by_settings(agent.name, names, cwd, root, environ) if names else None


# -- settings --------------------------------------------------------------------------------------


def _by_settings(
    agent: str, names: Mapping[str, str], cwd: str, root: str, environ: Mapping[str, str]
) -> Sandbox | None:
    """Read all files that may switch it on; it counts as on if one of them says so.

    Claude Code asks nobody there if a file says so; former versions did that by themselves.
    """
    is_on, by_itself = False, set[bool | None]()
    excluded: list[Permission] = []
    for source in rule_files(agent, cwd, root, environ):
        try:
            enabled, alone, commands = _settings(read_file(source.path, _MOST_BYTES), **names)
        except (FileError, *_BROKEN):
            continue
        is_on = is_on or enabled
        by_itself.add(alone)
        excluded += [_pattern(command, source.path, agent) for command in commands]
    runs_by_itself = True in by_itself and False not in by_itself
    return Sandbox(tuple(excluded), runs_by_itself=runs_by_itself) if is_on else None


@lru_cache(maxsize=32)
def _settings(
    data: bytes, table: str, enabled: str, excluded: str, by_itself: str
) -> tuple[bool, bool | None, tuple[str, ...]]:
    """Return whether a file switches it on, whether the agent asks nobody there, if it says so,
    and what is excluded from it.
    """
    found = json_object(data).get(table)
    if not isinstance(found, dict):
        return False, None, ()
    commands = found.get(excluded)
    named = commands if isinstance(commands, list) else []
    texts = tuple(command for command in named if isinstance(command, str))
    alone = found.get(by_itself)
    return found.get(enabled) is True, alone if isinstance(alone, bool) else None, texts


def _pattern(command: str, path: str, agent: str) -> Permission:
    """`docker`, `docker:*` and `docker *`: whatever begins so may run outside."""
    pattern, _ = bash_pattern(command, Verdict.ASK)
    return Permission(Verdict.ASK, pattern, rest=True, written=command, source=path, agent=agent)


def _by_files(
    user: str, project: str, key: str, off: str, *, root: str, environ: Mapping[str, str]
) -> Sandbox | None:
    """Read the files that say how it is set up: it counts as on unless the last one says no."""
    found = None
    for path in (f"{home(environ)}/{user}", f"{root}/{project}"):
        try:
            kind = json_object(read_file(path, _MOST_BYTES)).get(key)
        except (FileError, *_BROKEN):
            continue
        found = None if kind == off else Sandbox(runs_by_itself=False)
    return found


# -- transcripts -----------------------------------------------------------------------------------


def _by_transcript(path: object) -> Sandbox | None:
    """Read the policy of the last turn; an agent that notes none runs commands as they are."""
    if not isinstance(path, str) or not os.path.isabs(path):
        return None
    for most in _TAILS:
        try:
            with open(path, "rb") as stream:  # noqa: PTH123 - pathlib takes six milliseconds to load
                size = stream.seek(0, os.SEEK_END)
                stream.seek(max(0, size - most))
                data = stream.read(most)
        except OSError:
            return None
        kind = _last_policy(data)
        if kind is not None:
            is_off = kind == "danger-full-access"
            is_read_only = kind == "read-only"
            return None if is_off else Sandbox(runs_by_itself=False, is_read_only=is_read_only)
        if size <= most:
            break
    return None


def _last_policy(data: bytes) -> object:
    """Return what kind of policy the last line has that has one; None if none has."""
    at = len(data)
    while (at := data.rfind(b'"sandbox_policy"', 0, at)) >= 0:
        at, end = data.rfind(b"\n", 0, at) + 1, data.find(b"\n", at)
        with contextlib.suppress(*_BROKEN, KeyError):
            policy = json.loads(data[at:] if end < 0 else data[at:end])["payload"]["sandbox_policy"]
            return policy["type"] if isinstance(policy, dict) else policy
    return None

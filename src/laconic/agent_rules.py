"""Reads the user's own rules about shell commands from the settings of coding agents.

A file that is broken keeps its last good rules, and that is a Problem. Rules that allow count only
from files outside the project: a repository may make laconic stricter, never looser. The agent
itself still applies them when laconic has no opinion.
"""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from laconic.errors import FileError
from laconic.files import read_file
from laconic.policy.permissions import Permission
from laconic.rule_files import (
    Written,
    read_claude,
    read_codex,
    read_cursor,
    read_droid,
    read_gemini,
)
from laconic.settings import Problem, home_directory, keep_copy, last_good_path
from laconic.types import Verdict

CLAUDE = "claude-code"
_LIMIT = 1 << 20
_MOST_DIRECTORIES = 40


class Source(NamedTuple):
    path: Path
    reader: Callable[[bytes], Iterator[Written]]
    in_project: bool


class Place(NamedTuple):
    """Where an agent may keep its settings: the homes, and the directories of the project."""

    home: Path
    environ: Mapping[str, str]
    project: tuple[Path, ...]

    def moved(self, variable: str, default: Path) -> Path:
        given = self.environ.get(variable, "")
        return Path(given) if given.startswith("/") else default


def read_permissions(
    agent: str, cwd: str, root: str, environ: Mapping[str, str], state_dir: Path
) -> tuple[tuple[Permission, ...], tuple[Problem, ...]]:
    """Give the rules of the agent that wants to run a command there, and what is wrong in them."""
    place = Place(home_directory(environ), environ, tuple(_upwards(Path(cwd), Path(root))))
    permissions: list[Permission] = []
    problems: list[Problem] = []
    for source in _SOURCES.get(agent, _nothing)(place):
        written, found = _read(source, state_dir)
        problems += found
        permissions += [
            Permission(
                rule.verdict,
                rule.pattern,
                rest=rule.rest,
                written=rule.text,
                source=str(source.path),
                agent=agent,
            )
            for rule in written
            if not (source.in_project and rule.verdict is Verdict.ALLOW)
        ]
    return tuple(permissions), tuple(problems)


def _upwards(cwd: Path, root: Path) -> Iterator[Path]:
    for directory in itertools.islice((cwd, *cwd.parents), _MOST_DIRECTORIES):
        yield directory
        if directory == root:
            return


_BROKEN = (ValueError, SyntaxError, LookupError, TypeError, RecursionError, MemoryError)


def _read(source: Source, state_dir: Path) -> tuple[list[Written], list[Problem]]:
    """Read one file; a broken one gives the rules of its last good copy."""
    copy = last_good_path(state_dir, source.path)
    try:
        rules = list(source.reader(read_file(source.path, _LIMIT)))
    except FileError as error:
        if not source.path.exists():
            return [], []
        problem = Problem("broken", "", "", error.message)
    except _BROKEN as error:
        line = str(error).partition("\n")[0]
        problem = Problem("broken", str(source.path), "", f"cannot be read: {line}")
    else:
        # Only the rules: the file itself may hold keys.
        keep_copy(json.dumps([list(rule) for rule in rules]).encode(), copy)
        return rules, []
    rules, kept = _last_good(copy)
    return rules, [problem, Problem("broken", str(source.path), "", kept)]


def _last_good(copy: Path) -> tuple[list[Written], str]:
    try:
        rows = json.loads(read_file(copy, _LIMIT))
        rules = [Written(Verdict(v), str(p), bool(rest), str(text)) for v, p, rest, text in rows]
    except (FileError, *_BROKEN):
        return [], "its rules are not in force"
    return rules, "its last good rules are in force"


# -- where the files are ---------------------------------------------------------------------------


def _managed(unix: str, mac: str) -> Path:
    return Path(mac if sys.platform == "darwin" else unix)


def _claude_sources(place: Place) -> Iterator[Source]:
    managed = _managed("/etc/claude-code", "/Library/Application Support/ClaudeCode")
    drop_ins = sorted((managed / "managed-settings.d").glob("*.json"))
    user = place.moved("CLAUDE_CONFIG_DIR", place.home / ".claude")
    for path in (managed / "managed-settings.json", *drop_ins, user / "settings.json"):
        yield Source(path, read_claude, in_project=False)
    started_in = place.moved("CLAUDE_PROJECT_DIR", place.project[0])
    for directory in dict.fromkeys((*place.project, started_in)):
        for name in ("settings.json", "settings.local.json"):
            path = directory / ".claude" / name
            if path != user / "settings.json":
                yield Source(path, read_claude, in_project=True)


def _cursor_sources(place: Place) -> Iterator[Source]:
    own = place.home / ".cursor"
    base = place.environ.get("XDG_CONFIG_HOME", "")
    homes = [place.moved("CURSOR_CONFIG_DIR", own), own]
    homes += [Path(base) / "cursor"] if base.startswith("/") else []
    for home in dict.fromkeys(homes):
        yield Source(home / "cli-config.json", read_cursor, in_project=False)
        yield Source(home / "permissions.json", read_cursor, in_project=False)
    yield from _in_project(place, ".cursor", ("cli.json", "permissions.json"), read_cursor, own)


def _gemini_sources(place: Place) -> Iterator[Source]:
    managed = _managed("/etc/gemini-cli", "/Library/Application Support/GeminiCli")
    system = place.moved("GEMINI_CLI_SYSTEM_SETTINGS_PATH", managed / "settings.json")
    user = place.moved("GEMINI_CLI_HOME", place.home) / ".gemini"
    for path in (managed / "system-defaults.json", system, user / "settings.json"):
        yield Source(path, read_gemini, in_project=False)
    yield from _in_project(place, ".gemini", ("settings.json",), read_gemini, user)


def _droid_sources(place: Place) -> Iterator[Source]:
    user = place.home / ".factory"
    names = ("settings.json", "settings.local.json")
    yield from (Source(user / name, read_droid, in_project=False) for name in names)
    yield from _in_project(place, ".factory", names, read_droid, user)


def _codex_sources(place: Place) -> Iterator[Source]:
    user = place.moved("CODEX_HOME", place.home / ".codex")
    for path in sorted((user / "rules").glob("*.rules")):
        yield Source(path, read_codex, in_project=False)
    for directory in place.project:
        if directory / ".codex" != user:
            for path in sorted((directory / ".codex/rules").glob("*.rules")):
                yield Source(path, read_codex, in_project=True)


def _in_project(
    place: Place,
    folder: str,
    names: tuple[str, ...],
    reader: Callable[[bytes], Iterator[Written]],
    user: Path,
) -> Iterator[Source]:
    for directory in place.project:
        if directory / folder != user:
            yield from (Source(directory / folder / n, reader, in_project=True) for n in names)


def _nothing(_: Place) -> Iterator[Source]:
    return iter(())


_SOURCES: Mapping[str, Callable[[Place], Iterator[Source]]] = {
    CLAUDE: _claude_sources,
    "cursor": _cursor_sources,
    "gemini": _gemini_sources,
    "codex": _codex_sources,
    "droid": _droid_sources,
}

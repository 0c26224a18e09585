"""Finds the transcripts of past sessions: where agents keep them, or where a person says."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from laconic.sessions import claude_code, codex, gemini, opencode
from laconic.sessions.documents import read_document, read_lines
from laconic.settings.environ import home

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import ModuleType

    from laconic.sessions.values import Session

_BY_LINES: tuple[ModuleType, ...] = (gemini, codex, claude_code)
_AGENTS: tuple[ModuleType, ...] = (*_BY_LINES, opencode)
_SUFFIXES = tuple({suffix for agent in _AGENTS for suffix in agent.SUFFIXES})
_MOST_FILES = 50_000
_DEEPEST = 8
_FIRST_LINES = 5  # of which one tells whose file it is


class Transcript(NamedTuple):
    """A file that may hold sessions."""

    path: Path
    size: int
    changed: float


def find(environ: Mapping[str, str]) -> list[Transcript]:
    """Give the files where agents keep their sessions, the newest first."""
    places = (place for agent in _AGENTS for place in agent.PLACES)
    return _below([path for place in places if (path := _expanded(place, environ))])


def find_in(paths: Sequence[Path]) -> list[Transcript]:
    """Give those in files and directories, the newest first."""
    return _below(paths)


def read(transcripts: Sequence[Transcript]) -> Iterator[tuple[Transcript, list[Session]]]:
    """Read the sessions of each file; those without a command in them as well."""
    seen: set[str] = set()
    for transcript in transcripts:
        yield transcript, list(_sessions(transcript.path, seen))


def _sessions(path: Path, seen: set[str]) -> Iterator[Session]:
    if _is_database(path):
        yield from opencode.read_all(path)
        return
    agent = _agent(path)
    if agent is not None:
        yield agent.read(path, seen)


def _is_database(path: Path) -> bool:
    if path.suffix != ".db":
        return False
    try:
        with path.open("rb") as stream:
            return stream.read(len(opencode.MAGIC)) == opencode.MAGIC
    except OSError:
        return False


def _agent(path: Path) -> ModuleType | None:
    if path.suffix == ".json":
        return gemini if gemini.is_ours(read_document(path)) else None
    for _, line in zip(range(_FIRST_LINES), read_lines(path), strict=False):
        for agent in _BY_LINES:
            if agent.is_ours(line):
                return agent
    return None


# -- the files -------------------------------------------------------------------------------------


def _expanded(place: str, environ: Mapping[str, str]) -> Path | None:
    """Give the first of several paths whose variable is set to an absolute one."""
    for choice in place.split(" or "):
        first, _, rest = choice.partition("/")
        base = home(environ) if first == "~" else environ.get(first[1:], "")
        if base.startswith("/"):
            return Path(base, rest)
    return None


def _below(paths: Sequence[Path]) -> list[Transcript]:
    found: dict[str, Transcript] = {}
    for path in paths:
        for transcript in _walk(path, _DEEPEST):
            found.setdefault(str(transcript.path), transcript)
            if len(found) >= _MOST_FILES:
                break
    return sorted(found.values(), key=lambda transcript: -transcript.changed)


def _walk(path: Path, depth: int) -> Iterator[Transcript]:
    """Links inside of a directory are not followed: they may lead anywhere, and in circles."""
    try:
        if path.is_file():
            status = path.stat()
            yield Transcript(path, status.st_size, status.st_mtime)
            return
        with os.scandir(path) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False) and depth > 1:
                    yield from _walk(Path(entry.path), depth - 1)
                elif entry.is_file(follow_symlinks=False) and entry.name.endswith(_SUFFIXES):
                    status = entry.stat(follow_symlinks=False)
                    yield Transcript(Path(entry.path), status.st_size, status.st_mtime)
    except OSError:
        return

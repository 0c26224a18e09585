"""Finds the transcripts of past sessions: where agents keep them, or where a person says."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from laconic.files import home
from laconic.sessions import claude_code, codex, gemini, opencode
from laconic.sessions.documents import read_document, read_lines
from laconic.sessions.values import Session, SessionFiles

_BY_LINES: tuple[ModuleType, ...] = (gemini, codex, claude_code)
_AGENTS: tuple[ModuleType, ...] = (*_BY_LINES, opencode)
_SUFFIXES = tuple({place.suffix for agent in _AGENTS for place in agent.PLACES})
_MOST_FILES = 50_000
_DEEPEST = 8
_ID, _SHORT_ID = 36, 8  # as long as the ids are with which names of files end
_FIRST_LINES = 5  # of which one tells whose file it is


class Transcript(NamedTuple):
    """A file that may hold sessions."""

    path: Path
    size: int
    changed: float


def find(environ: Mapping[str, str]) -> list[Transcript]:
    """Return the files where agents keep their sessions, the newest first."""
    places: list[SessionFiles] = [place for agent in _AGENTS for place in agent.PLACES]
    places_here = {p: path for p in places if (path := _expanded(p.paths, environ))}
    return _newest(t for p, path in places_here.items() for t in _walk(path, p.depth, p.suffix))


def find_in(paths: Sequence[Path]) -> list[Transcript]:
    """Return those in files and directories, the newest first."""
    return _newest(t for path in paths for t in _walk(path, _DEEPEST, _SUFFIXES))


def of_sessions(
    sessions: Collection[str], environ: Mapping[str, str]
) -> list[tuple[str, Transcript]]:
    """Return the newest transcript of each session; the name of its file ends in the id."""
    ids = {session: session for session in sessions if session}
    ids |= {session[:_SHORT_ID]: session for session in ids if len(session) == _ID}
    newest: dict[str, Transcript] = {}
    for transcript in find(environ) if ids else ():
        stem = transcript.path.stem
        for name in (stem, stem[-_ID:], stem[-_SHORT_ID:]):
            if name in ids:
                newest.setdefault(ids[name], transcript)
                break
    return list(newest.items())


def read(transcripts: Sequence[Transcript]) -> Iterator[tuple[Transcript, list[Session]]]:
    """Read the sessions of each file; those without a command in them as well."""
    seen: set[str] = set()
    for transcript in transcripts:
        yield transcript, list(_sessions(transcript.path, seen))


def _sessions(path: Path, seen: set[str]) -> Iterator[Session]:
    if _is_database(path):
        yield from opencode.read_all(path)
    elif path.suffix == ".json":
        document = read_document(path)
        if gemini.is_ours(document):
            yield gemini.read(path, seen)
        elif opencode.is_ours(document):
            yield opencode.read(path, document)
    elif agent := _agent(path):
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
    for _, line in zip(range(_FIRST_LINES), read_lines(path), strict=False):
        for agent in _BY_LINES:
            if agent.is_ours(line):
                return agent
    return None


# -- the files -------------------------------------------------------------------------------------


def _expanded(place: str, environ: Mapping[str, str]) -> Path | None:
    """Return the first of several paths whose variable is set to an absolute one."""
    for choice in place.split(" or "):
        first, _, rest = choice.partition("/")
        base = home(environ) if first == "~" else environ.get(first[1:], "")
        if base.startswith("/"):
            return Path(base, rest)
    return None


def _newest(transcripts: Iterable[Transcript]) -> list[Transcript]:
    newest = {str(each.path): each for each in islice(transcripts, _MOST_FILES)}
    return sorted(newest.values(), key=lambda each: -each.changed)


def _walk(path: Path, depth: int, suffixes: str | tuple[str, ...]) -> Iterator[Transcript]:
    """Yield the files in a directory; links in it are not followed, as they may form circles."""
    try:
        if path.is_file():
            status = path.stat()
            yield Transcript(path, status.st_size, status.st_mtime)
            return
        with os.scandir(path) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False) and depth > 1:
                    yield from _walk(Path(entry.path), depth - 1, suffixes)
                elif entry.is_file(follow_symlinks=False) and entry.name.endswith(suffixes):
                    status = entry.stat(follow_symlinks=False)
                    yield Transcript(Path(entry.path), status.st_size, status.st_mtime)
    except OSError:
        return

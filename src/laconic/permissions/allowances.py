"""Expiring allowances: a command that the user lets run in a project for a while, or once.

A command is compared as the parser reads it: the same words and operators, however they are quoted
and spaced; nothing can be added before, after or between them. The store is a file for the owner
alone, changed under a lock and in one step. Whatever is wrong with it, no allowance applies.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from laconic.errors import FileError, LaconicError
from laconic.files import make_private, read_file, reason, write_private
from laconic.settings.managed import Managed
from laconic.shell import ParseError, parse
from laconic.shell.ast import Assignment, Node, Word
from laconic.shell.words import literal

FOREVER = 253402300799.0  # the last second of the year 9999
_OUTSIDE = ("laconic run --outside", "laconic-py run --outside")
_LIMIT = 1 << 20
_MOST = 1000


class Allowance(NamedTuple):
    """One allowance. until is in seconds since the epoch; command is as the user typed it.

    outside: it is one plain command that may run without the box, asked for as such or not.
    """

    id: str
    directory: str
    command: str
    until: float
    once: bool
    outside: bool = False


# -- commands --------------------------------------------------------------------------------------


def normal_form(command: str) -> str:
    """What the parser reads, with words as they are without their quotes.

    Two commands of the same form run the same. LaconicError if it cannot be read.
    """
    source = command.encode("utf-8", "surrogateescape")
    try:
        return repr(_form(parse(source).body, source))
    except ParseError as error:
        raise LaconicError(f"cannot parse this: {error.message}, at byte {error.offset}") from error
    except RecursionError as error:
        raise LaconicError("this command is nested too deeply") from error


def _form(value: object, source: bytes) -> object:
    if isinstance(value, Word) and (known := literal(value)) is not None:
        return known
    if isinstance(value, Word | Assignment):
        return "as typed", source[value.start : value.end]
    if isinstance(value, Node):
        return type(value).__name__, [_form(field, source) for _, field in value.fields()]
    return [_form(item, source) for item in value] if isinstance(value, tuple) else value


# -- the store -------------------------------------------------------------------------------------


def find(state_dir: Path, command: str, directory: str, now: float) -> Allowance | None:
    """Return the allowance that lets this command run in this project now."""
    if not _store(state_dir).exists():
        return None
    wanted = normal_form(command)
    for allowance in _read(state_dir):
        is_here = allowance.directory == directory and allowance.until > now
        if is_here and wanted in _forms(allowance):
            return allowance
    return None


def _forms(allowance: Allowance) -> list[str]:
    """Return what the allowance is for, as the parser reads it."""
    command = allowance.command
    ways = [f"{way} {command}" for way in _OUTSIDE] if allowance.outside else []
    return [normal_form(one) for one in (command, *ways)]


def counts(allowance: Allowance, managed: Managed, now: float) -> bool:
    """Tell whether the policy of the machine lets an allowance of this kind count."""
    is_short = allowance.until - now <= managed.allowances
    return is_short and (allowance.once or not managed.only_once)


def use(state_dir: Path, allowance: Allowance) -> bool:
    """Use an allowance; False if it is gone. One for a single run is gone after this."""
    return remove(state_dir, allowance.id) if allowance.once else True


def add(
    state_dir: Path,
    command: str,
    directory: str,
    until: float,
    *,
    once: bool,
    now: float,
    outside: bool = False,
) -> Allowance:
    new = Allowance(secrets.token_hex(4), directory, command, until, once, outside)
    normal_form(command)  # what cannot be compared cannot be allowed
    with _locked(state_dir):
        kept = [allowance for allowance in _read(state_dir) if allowance.until > now]
        if len(kept) >= _MOST:
            raise LaconicError(f"there are {_MOST} allowances already", "laconic allow --list")
        _write(state_dir, [*kept, new])
    return new


def remove(state_dir: Path, name: str) -> bool:
    with _locked(state_dir):
        allowances = _read(state_dir)
        kept = [allowance for allowance in allowances if allowance.id != name]
        if len(kept) == len(allowances):
            return False
        _write(state_dir, kept)
    return True


def list_all(state_dir: Path, now: float) -> list[Allowance]:
    """Return those that have not expired, the next to expire first."""
    return sorted((a for a in _read(state_dir) if a.until > now), key=lambda a: a.until)


def _store(state_dir: Path) -> Path:
    return state_dir / "allowances.jsonl"


def _read(state_dir: Path) -> list[Allowance]:
    path = _store(state_dir)
    if not path.exists():
        return []
    try:
        lines = read_file(path, _LIMIT).splitlines()
        return [_allowance(json.loads(line)) for line in lines]
    except (ValueError, TypeError, RecursionError) as error:
        raise FileError(f"{path}: is broken; no allowance is in force", f"rm {path}") from error


def _allowance(row: dict[str, object]) -> Allowance:
    match row:
        case {
            "id": str(name),
            "directory": str(directory),
            "command": str(command),
            "until": float() | int() as until,
            "once": bool(once),
        }:
            is_outside = row.get("outside") is True
            return Allowance(name, directory, command, float(until), once, is_outside)
    raise ValueError("not an allowance")


def _write(state_dir: Path, allowances: list[Allowance]) -> None:
    lines = [json.dumps(allowance._asdict()) + "\n" for allowance in allowances]
    write_private(_store(state_dir), "".join(lines).encode())


@contextlib.contextmanager
def _locked(state_dir: Path) -> Iterator[None]:
    path = state_dir / "allowances.lock"
    try:
        make_private(state_dir)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise FileError(f"{path}: cannot be written: {reason(error)}") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)

"""Remembers which projects' files the user has read and trusts.

A project is trusted as long as its files are byte for byte those that were pinned: changing, adding
or removing a file ends the trust.  Callers must use the bytes that were compared
(`Snapshot.files`), and never read a file again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from laconic.errors import FileError, LaconicError
from laconic.files import read_file, write_private
from laconic.settings.environ import CONFIG_FILE, PROJECT_FOLDER

DIRECTORY, CONFIG = PROJECT_FOLDER, CONFIG_FILE
_COLLECTIONS = ("filters", "rules")
_MOST_FILES = 500


class Snapshot(NamedTuple):
    """The files of a project as they are now, and the refused files, with the reasons."""

    root: Path
    files: Mapping[str, bytes]
    refused: tuple[str, ...]


class Pin(NamedTuple):
    """A trusted project: the sha256 of each of its files."""

    root: str
    hashes: Mapping[str, str]


def take_snapshot(root: Path) -> Snapshot:
    """Read the files that may be pinned: config.toml, and filters/*.toml and rules/*.toml."""
    directory = root / DIRECTORY
    if directory.is_symlink():
        return Snapshot(root, {}, (f"{directory}: is a symbolic link",))
    files: dict[str, bytes] = {}
    refused: list[str] = []
    for path in _candidates(directory):
        if len(files) == _MOST_FILES:
            refused.append(f"{directory}: has more than {_MOST_FILES} files")
            break
        try:
            files[str(path.relative_to(directory))] = _read_inside(path, root)
        except LaconicError as error:
            refused.append(error.message)
    return Snapshot(root, files, tuple(refused))


def _candidates(directory: Path) -> Iterator[Path]:
    if os.path.lexists(directory / CONFIG):
        yield directory / CONFIG
    for collection in _COLLECTIONS:
        for folder, folders, names in os.walk(directory / collection):
            folders.sort()
            yield from (directory / folder / name for name in sorted(names) if name[-5:] == ".toml")


def _read_inside(path: Path, root: Path) -> bytes:
    target = path.resolve()
    if not target.is_relative_to(root.resolve()):
        raise FileError(f"{path}: leads out of the project, to {target}")
    return read_file(target)


# -- pins ----------------------------------------------------------------------------------------


def pin(state_dir: Path, snapshot: Snapshot) -> Pin:
    """Trust these files as they are."""
    if snapshot.refused:
        raise LaconicError(f"{snapshot.refused[0]}; this project cannot be trusted")
    new = Pin(str(snapshot.root), _hashes(snapshot))
    text = json.dumps({"root": new.root, "sha256": new.hashes}, indent=1)
    write_private(_pin_path(state_dir, snapshot.root), text.encode())
    return new


def unpin(state_dir: Path, root: Path) -> bool:
    """Stop trusting a project; tell whether it was trusted."""
    path = _pin_path(state_dir, root)
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    return True


def find_pin(state_dir: Path, root: Path) -> Pin | None:
    pin = _read_pin(_pin_path(state_dir, root))
    return pin if pin and pin.root == str(root) else None


def list_pins(state_dir: Path) -> list[Pin]:
    paths = sorted((state_dir / "trust").glob("*.json"))
    return sorted(pin for path in paths if (pin := _read_pin(path)))


def differences(pinned: Pin, snapshot: Snapshot) -> list[str]:
    """List what differs from the pinned files; an empty list means that the project is trusted."""
    now = _hashes(snapshot)
    lines = [f"{name} was removed" for name in pinned.hashes if name not in now]
    lines += [f"{name} was added" for name in now if name not in pinned.hashes]
    changed = (n for n in now if n in pinned.hashes and pinned.hashes[n] != now[n])
    return sorted([*lines, *(f"{name} was changed" for name in changed), *snapshot.refused])


def _hashes(snapshot: Snapshot) -> dict[str, str]:
    return {name: hashlib.sha256(data).hexdigest() for name, data in snapshot.files.items()}


def _pin_path(state_dir: Path, root: Path) -> Path:
    name = hashlib.sha256(os.fsencode(root)).hexdigest()[:32]
    return state_dir / "trust" / f"{name}.json"


def _read_pin(path: Path) -> Pin | None:
    """Read one pin; None for a file that is not a valid pin."""
    try:
        document: Any = json.loads(read_file(path))
        return Pin(str(document["root"]), {str(k): str(v) for k, v in document["sha256"].items()})
    except (FileError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None

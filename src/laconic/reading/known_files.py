"""Reads which files of a directory are secrets or guarded, to know them by their other names."""

# pathlib takes six milliseconds to load.
# ruff: noqa: PTH116, PTH118
from __future__ import annotations

import os
import stat
from collections.abc import Iterator

from laconic.files import names_in
from laconic.reading.place_names import GUARDED_NAMES, SECRET_NAMES
from laconic.reading.places import is_guarded
from laconic.reading.secret_files import is_secret

_MOST_FILES = 256  # below one name
_DEEPEST = 2
_BY_FIRST: dict[str, list[str]] = {".git": [".git/config", ".git/hooks", ".git/info"]}
for _name in (*SECRET_NAMES, *GUARDED_NAMES):
    if "/" in _name and "*" not in _name:
        _BY_FIRST.setdefault(_name.partition("/")[0].lower(), []).append(_name)


def known_files(directory: str) -> Iterator[tuple[tuple[int, int], str]]:
    """Device, inode and path of files that have other names, of those a directory is known for."""
    for name in names_in(directory):
        path = os.path.join(directory, name)
        if name != ".git" and (is_secret(path) or is_guarded(path)):
            yield from _files(path)
        for known in _BY_FIRST.get(name.lower(), ()):
            yield from _files(os.path.join(directory, known))


def _files(top: str) -> Iterator[tuple[tuple[int, int], str]]:
    """The file, or those that a directory and the directories in it begin with."""
    paths = [(top, 0)]
    for path, depth in paths:
        try:
            found = os.stat(path)
        except OSError:
            continue
        if stat.S_ISDIR(found.st_mode) and depth < _DEEPEST:
            more = [(os.path.join(path, name), depth + 1) for name in names_in(path)]
            paths += more[: _MOST_FILES - len(paths)]
        elif stat.S_ISREG(found.st_mode) and found.st_nlink > 1:
            yield (found.st_dev, found.st_ino), path

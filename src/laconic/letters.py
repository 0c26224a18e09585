"""Names in other letters, where a file system takes them for the same: on most Macs, and elsewhere.

A place has one spelling here, so that all that goes by names means the same place by each of them.
"""

# ruff: noqa: PTH119, PTH120, PTH208
from __future__ import annotations

import os
from os.path import basename, dirname

from laconic.files import folded, is_there, may_ignore_case

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def spelling_around(directory: str) -> Callable[[str], str] | None:
    """Return how paths are spelled around a directory; None if its names have one spelling only."""
    return Spelling().of if may_ignore_case(directory) else None


def spelled(path: str, around: str = "") -> str:
    """Spell one path alone; around: the directory that is looked at, if not the one above."""
    spelling = spelling_around(around or dirname(path))
    return path if spelling is None else spelling(path)


class Spelling:
    """The one spelling of each path that is asked for, while one line is read.

    A name that is there is spelled as the directory has it, which `realpath` in Python does not
    look for. One that is not there yet is spelled as it was for the first time.
    """

    def __init__(self) -> None:
        self._names: dict[str, dict[str, str]] = {}
        self._new: dict[str, dict[str, str]] = {}
        self._ignores: dict[str, bool] = {}

    def of(self, path: str) -> str:
        """Spell an absolute path; what follows `..` depends on links, so it stays as it is."""
        if path[:1] != "/":
            return path
        here = ""
        names = path.split("/")[1:]
        for pos, name in enumerate(names):
            if name in ("", ".", ".."):
                return "/".join((here, *names[pos:]))
            here = f"{here}/{self._name(here, name)}"
        return here

    def _name(self, directory: str, name: str) -> str:
        names = self._names_in(directory)
        if names.get(name) == name:
            return name
        key = folded(name)
        if key in names and is_there(f"{directory}/{name}"):
            return names[key]
        if not self._is_ignoring(directory):
            return name
        return self._new.setdefault(directory, {}).setdefault(key, name)

    def _names_in(self, directory: str) -> dict[str, str]:
        """What is in a directory, by each name and by what it is compared as."""
        if directory not in self._names:
            try:
                names = os.listdir(directory or "/")
            except OSError:
                names = []
            by_key = {folded(name): name for name in names}
            self._names[directory] = by_key | {name: name for name in names}
        return self._names[directory]

    def _is_ignoring(self, directory: str) -> bool:
        """Tell whether a directory finds names in other letters; one that is empty does as above.

        https://docs.kernel.org/admin-guide/ext4.html#case-insensitive-file-name-lookups
        """
        known = self._ignores.get(directory)
        if known is None:
            names = self._names_in(directory)
            swapped = (one.swapcase() for one in names.values() if one.isascii())
            other = next((one for one in swapped if names.get(one) != one), None)
            if other is not None:
                known = is_there(f"{directory}/{other}")
            else:
                known = directory != "" and self._is_found(directory)
            self._ignores[directory] = known
        return known

    def _is_found(self, directory: str) -> bool:
        above, name = dirname(directory).rstrip("/"), basename(directory)
        other = name.swapcase()
        if other != name and is_there(directory):
            return self._names_in(above).get(other) != other and is_there(f"{above}/{other}")
        return self._is_ignoring(above)

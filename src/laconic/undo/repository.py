"""A git repository of which what may change is kept: its directory, its objects, its files."""

from __future__ import annotations

import os
from collections.abc import Iterable

from laconic.files import real_path
from laconic.git import repository as git
from laconic.letters import spelled
from laconic.undo.reach import HARD_LINK, Place, Reach

# What an ordinary command does not change in the directory of a repository.
_QUIET = ("hooks", "branches", "lfs/objects", "modules", "worktrees", "objects")


class Repository(git.Repository):
    """What may change of it is added to a reach."""

    def stores(self) -> list[str]:
        """Return all object stores, those of submodules included."""
        stores = [f"{self.common}/objects"]
        for directory, folders, _ in os.walk(f"{self.common}/modules"):
            if "objects" in folders:
                stores.append(os.path.join(directory, "objects"))
                folders.remove("objects")
        return stores

    def add_state(self, reach: Reach, *, whole: bool = False) -> None:
        """Add index, HEAD, refs, reflogs, configuration and the like; whole: with submodules."""
        stores = self.stores() if whole else [f"{self.common}/objects"]
        reach.stores.update(stores)
        for directory in {self.git, self.common}:
            names = ("lfs/objects",) if whole else _QUIET
            quiet = [f"{directory}/{name}" for name in names]
            skipped = frozenset([*quiet, *stores])
            reach.put(Place(directory, deep=True, skipped=skipped))

    def add_objects(self, reach: Reach) -> None:
        """Add the objects themselves, which are never written in place, so that links will do."""
        for store in self.stores():
            reach.put(Place(store, deep=True, how=HARD_LINK))

    def add_names(self, reach: Reach, names: Iterable[bytes]) -> None:
        """Add paths of the work tree. One whose directories are links is outside it."""
        real: dict[str, bool] = {}
        for name in names:
            path = f"{self.top}/{os.fsdecode(name)}"
            parent = os.path.dirname(path)
            if parent not in real:
                real[parent] = real_path(parent) == parent
            if real[parent]:
                reach.put(Place(path))
            else:
                self._add_in_the_way(reach, path)

    def _add_in_the_way(self, reach: Reach, path: str) -> None:
        """Add a link, or a file, that is where a directory of the work tree belongs."""
        while len(path) > len(self.top):
            path = os.path.dirname(path)
            if os.path.islink(path):
                reach.put(Place(path))


def find_repository(directory: str) -> Repository | None:
    where = git.find_directories(spelled(directory, around=directory))
    return None if where is None else Repository(*where)

"""A git repository as it is on the disk: its directories, its refs, and what names mean.

https://git-scm.com/docs/gitrepository-layout and https://git-scm.com/docs/gitrevisions
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from heapq import heapify, heappop, heappush
from itertools import islice

from laconic.errors import FileError
from laconic.files import read_file, real_path, upwards
from laconic.git.index import CacheTree, Index, Tracked
from laconic.git.objects import MissingObjectError, Objects, blob_id
from laconic.patterns import pattern

_MOST_BYTES = 64 << 20
_MOST_FILE = 1 << 20
_REVISION = pattern(r"(.*?)((?:[~^][0-9]*|\^\{[a-z]*\})*)", 16)
_SUFFIX = pattern(r"([~^])([0-9]+|\{[a-z]*\})?", 0)
_HEX = pattern(r"[0-9a-f]{4,40}", 0)
_LOOSE = pattern(r"([0-9a-f]{40})(?:\s|$)", 0)  # as git's refs/files-backend.c reads a ref
_ENTRY = pattern(r"(.*)@\{(-?[0-9]+|u|upstream|push)\}", 0)
_FULL = 40
_DEEPEST = 10
_MOST_COMMITS = 2_000


class Repository:
    """top: the work tree, "" if there is none. git: its own directory; common: that of all."""

    def __init__(self, top: str, git: str) -> None:
        self.top, self.git = top, git
        try:
            with open(f"{git}/commondir", encoding="utf-8") as file:
                self.common = real_path(os.path.join(git, file.read().strip()))
        except (OSError, ValueError):
            self.common = git
        self.objects = Objects(f"{self.common}/objects", self._replaced())
        self._index: Index | None = None

    def _replaced(self) -> dict[bytes, bytes]:
        """Return the objects that stand for others: git-replace(1)."""
        start, known = "refs/replace/", {}
        with contextlib.suppress(OSError):
            for name in os.listdir(f"{self.common}/{start}"):
                known[name] = _text(f"{self.common}/{start}{name}").strip()
        packed = _text(f"{self.common}/packed-refs")
        for line in packed.splitlines() if start in packed else ():
            object_id, _, name = line.partition(" ")
            if name.startswith(start):
                known.setdefault(name.removeprefix(start), object_id)
        return {
            bytes.fromhex(name): bytes.fromhex(object_id)
            for name, object_id in known.items()
            if _HEX.fullmatch(name) and _HEX.fullmatch(object_id) and len(name) == _FULL
        }

    @property
    def index_path(self) -> str:
        return f"{self.git}/index"

    @property
    def index(self) -> Index:
        """The index; raises OSError or ValueError. A split one cannot be read here."""
        if self._index is None:
            index = Index(self.index_path)
            if index.is_split:
                raise ValueError("a split index")
            self._index = index
        return self._index

    @property
    def is_usual(self) -> bool:
        """Tell whether refs are files and objects have the usual names."""
        text = _text(f"{self.common}/config").lower()
        return "reftable" not in text and "objectformat" not in text

    # -- what differs

    def dirty(self, *, or_absent: bool = False) -> Iterator[bytes]:
        return self.index.differing(self.top, or_absent=or_absent)

    def staged(self) -> list[bytes]:
        """Return the names that differ between HEAD and the index."""
        head = self.resolve("HEAD")
        if head is None:
            return [one.name for one in self.index.entries]
        tree, _ = self.objects.commit(head)
        if self.index.tree_id == tree:
            return []
        entries = {one.name: one for one in self.index.entries}
        names: list[bytes] = []
        self._compare(tree, self.index.tree, b"", _by_directory(entries), names)
        names += [one.name for one in self.index.entries if one.flags & 0x3000]  # not merged
        return names

    def changed(self, fits: Callable[[bytes], bool]) -> list[bytes]:
        """Return the names in the index that fit, and whose file here is another than it says."""
        ids = {one.name: one.object_id for one in self.index.entries if fits(one.name)}
        return [name for name in ids if ids[name] != _blob_id(f"{self.top}/{os.fsdecode(name)}")]

    def _compare(
        self,
        tree: bytes,
        known: CacheTree | None,
        start: bytes,
        entries: dict[bytes, dict[bytes, tuple[int, bytes]]],
        found: list[bytes],
    ) -> None:
        """Compare a tree with the index below one directory; equal directories are not read."""
        if known is not None and known.object_id == tree:
            return
        theirs = self.objects.tree(tree)
        mine = entries.get(start, {})
        for name, (mode, child) in theirs.items():
            if mode == b"40000":
                below = known.below.get(name) if known else None
                self._compare(child, below, start + name + b"/", entries, found)
            elif mine.get(name) != (int(mode, 8), child):
                found.append(start + name)
        found += [start + name for name in mine if name not in theirs]
        for directory, names in entries.items():
            if directory.startswith(start) and directory != start:
                name = directory[len(start) :].split(b"/")[0]
                if theirs.get(name, (b"",))[0] != b"40000":
                    found += [directory + one for one in names]

    def between(self, one: bytes, other: bytes) -> set[bytes]:
        """Return the names that differ between two commits."""
        first, _ = self.objects.commit(one)
        second, _ = self.objects.commit(other)
        return set(self.objects.differences(first, second))

    def common_ancestor(self, one: bytes, other: bytes) -> bytes | None:
        """Return a commit that is in the history of both; None if there is none."""
        known = set(self._history(one))
        return next((commit for commit in self._history(other) if commit in known), None)

    def loses_directory(self, base: bytes, one: bytes, other: bytes) -> bool:
        """Tell whether a directory that one side changes since the base is gone on the other side.

        Then git takes it for renamed, and new files go where its files went: man 1 git-config,
        merge.directoryRenames.
        """
        for changed, opposite in ((one, other), (other, one)):
            folders = {os.path.dirname(name) for name in self.between(base, changed)} - {b""}
            if any(self._has(base, f) and not self._has(opposite, f) for f in folders):
                return True
        return False

    def _has(self, commit: bytes, folder: bytes) -> bool:
        tree, _ = self.objects.commit(commit)
        for part in folder.split(b"/"):
            mode, tree = self.objects.tree(tree).get(part, (b"", b""))
            if mode != b"40000":
                return False
        return True

    def brought_by(self, commit: bytes) -> set[bytes]:
        """Return the names that a commit changes against each of its parents."""
        tree, parents = self.objects.commit(commit)
        if not parents:
            return set(self.objects.names(tree))
        return {name for parent in parents for name in self.between(parent, commit)}

    def brought_since(self, tip: bytes, base: bytes) -> set[bytes]:
        """Return the names changed by the commits that are in the tip's history but not the base's.

        Raises MissingObjectError if they are too many.
        """
        return {name for commit in self.since(tip, base) for name in self.brought_by(commit)}

    def since(self, tip: bytes, base: bytes) -> list[bytes]:
        """Walk both histories from the youngest commit on, until only what both have is left.

        With clocks that were wrong there may be more commits than git would find.
        """
        is_known = {base: True, tip: tip == base}
        todo = [(-self.objects.when(commit), commit) for commit in {tip, base}]
        heapify(todo)
        found: list[bytes] = []
        while any(not is_known[commit] for _, commit in todo):
            _, commit = heappop(todo)
            if not is_known[commit]:
                found.append(commit)
            if len(is_known) > _MOST_COMMITS:
                raise MissingObjectError("the history is too long")
            with contextlib.suppress(MissingObjectError):  # a shallow clone's history is cut off
                for parent in self.objects.commit(commit)[1]:
                    if parent not in is_known:
                        heappush(todo, (-self.objects.when(parent), parent))
                    is_known[parent] = is_known.get(parent, False) or is_known[commit]
        return [commit for commit in found if not is_known[commit]]

    def first_of(self, tip: bytes, most: int) -> list[bytes]:
        """Return the first commits of a history."""
        return list(islice(self._history(tip), most))

    def _history(self, tip: bytes) -> Iterator[bytes]:
        todo, seen = [tip], set()
        while todo:
            commit = todo.pop()
            if commit in seen:
                continue
            seen.add(commit)
            if len(seen) > _MOST_COMMITS:
                raise MissingObjectError("the history is too long")
            yield commit
            with contextlib.suppress(MissingObjectError):  # a shallow clone's history is cut off
                todo += self.objects.commit(commit)[1]

    # -- names of commits: man 7 gitrevisions

    def resolve(self, name: str) -> bytes | None:
        """Return the commit (or tree, or tag) that a name means; None if that is not known here."""
        match = _REVISION.fullmatch(name)
        if match is None:
            return None
        object_id = self._base(match[1] or "HEAD")
        try:
            for step in _SUFFIX.finditer(match[2]):
                if object_id is None:
                    return None
                object_id = self._ancestor(object_id, step[1], step[2] or "1")
            if object_id is not None:
                self.objects.commit(object_id)
        except MissingObjectError:
            return None
        return object_id

    def _ancestor(self, object_id: bytes, kind: str, number: str) -> bytes | None:
        if number.startswith("{"):
            return object_id
        if kind == "~":
            for _ in range(int(number)):
                parents = self.objects.commit(object_id)[1]
                if not parents:
                    return None
                object_id = parents[0]
            return object_id
        parents = self.objects.commit(object_id)[1]
        if number == "0":
            return object_id
        return parents[int(number) - 1] if len(parents) >= int(number) else None

    def _base(self, name: str) -> bytes | None:
        if name == "@":
            name = "HEAD"
        if name == "-":
            name = "@{-1}"
        entry = _ENTRY.fullmatch(name)
        if entry is not None:
            return self._logged(entry[1], entry[2])
        for candidate in (
            name, f"refs/{name}", f"refs/tags/{name}", f"refs/heads/{name}", f"refs/remotes/{name}",
            f"refs/remotes/{name}/HEAD", f"refs/remotes/origin/{name}",
        ):  # fmt: skip
            object_id = self._ref(candidate)
            if object_id is not None:
                return object_id
        if _HEX.fullmatch(name):
            return bytes.fromhex(name) if len(name) == _FULL else self.objects.starting(name)
        return None

    def _ref(self, name: str, depth: int = 0) -> bytes | None:
        if depth > _DEEPEST or ".." in name or name.startswith("/"):
            return None
        for directory in (self.git, self.common):
            text = _text(f"{directory}/{name}").split("\n")[0].strip()
            if text.startswith("ref:"):
                return self._ref(text[4:].strip(), depth + 1)
            if match := _LOOSE.match(text):
                return bytes.fromhex(match[1])
        for line in _text(f"{self.common}/packed-refs").splitlines():
            if line.endswith(f" {name}") and len(line) == _FULL + 1 + len(name):
                return bytes.fromhex(line[:_FULL])
        return None

    def _logged(self, name: str, number: str) -> bytes | None:
        """`stash@{1}`, `@{-1}`: what the reflog says; `@{u}`: what is configured."""
        if not number.lstrip("-").isdigit():
            return self._upstream(name)
        if number.startswith("-"):
            moves = [
                line.rpartition("moving from ")[2].split(" to ")[0]
                for line in self._log("HEAD")
                if "\tcheckout: moving from " in line
            ]
            return self._base(moves[int(number)]) if len(moves) >= -int(number) else None
        # Without a name it is the current branch, not HEAD: man 7 gitrevisions, `@{<n>}`.
        head = _text(f"{self.git}/HEAD").strip().removeprefix("ref: ")
        current = head if head.startswith("refs/") else "HEAD"
        known = {"": current, "stash": "refs/stash"}.get(name, name)
        for candidate in (known, f"refs/heads/{known}", f"refs/{known}"):
            lines = self._log(candidate)
            if len(lines) > int(number):
                new = lines[-1 - int(number)].split(" ")[1]
                return bytes.fromhex(new) if _HEX.fullmatch(new) else None
        return None

    def _log(self, name: str) -> list[str]:
        for directory in (self.git, self.common):
            text = _text(f"{directory}/logs/{name}")
            if text:
                return text.splitlines()
        return []

    @property
    def branch(self) -> str:
        """The branch that is checked out; "" if there is none."""
        head = _text(f"{self.git}/HEAD").strip()
        start = "ref: refs/heads/"
        return head.removeprefix(start) if head.startswith(start) else ""

    def configured(self, branch: str) -> dict[str, str]:
        """Return what the configuration says of a branch: its `remote`, and what to `merge`."""
        wanted, section, values = f'[branch "{branch}"]', "", {}
        for line in map(str.strip, _text(f"{self.common}/config").splitlines()):
            if line.startswith("["):
                section = line
            elif section == wanted and "=" in line:
                key, _, value = line.partition("=")
                values[key.strip()] = value.strip()
        return values

    def _upstream(self, name: str) -> bytes | None:
        values = self.configured(name or self.branch)
        branch = values.get("merge", "").removeprefix("refs/heads/")
        return self._ref(f"refs/remotes/{values.get('remote', '')}/{branch}") if branch else None

    def state_commit(self, name: str) -> bytes | None:
        """Return the commit that a state file names: ORIG_HEAD, rebase-merge/onto."""
        text = _text(f"{self.git}/{name}").strip()
        return bytes.fromhex(text) if len(text) == _FULL and _HEX.fullmatch(text) else None

    def has_hook(self, *names: str) -> bool:
        """Tell whether git would run one of these hooks: githooks(5)."""
        if "hookspath" in _text(f"{self.common}/config").lower():
            return True
        return any(os.access(f"{self.common}/hooks/{name}", os.X_OK) for name in names)

    def worktrees(self) -> list[str]:
        """Return the `.git` files of the other work trees."""
        paths = []
        with contextlib.suppress(OSError):
            for name in os.listdir(f"{self.common}/worktrees"):
                path = _text(f"{self.common}/worktrees/{name}/gitdir").strip()
                if path:
                    paths.append(path)
        return paths


def _by_directory(entries: Mapping[bytes, Tracked]) -> dict[bytes, dict[bytes, tuple[int, bytes]]]:
    directories: dict[bytes, dict[bytes, tuple[int, bytes]]] = {}
    for name, one in entries.items():
        directory, slash, last = name.rpartition(b"/")
        directories.setdefault(directory + slash, {})[last] = (one.mode, one.object_id)
    return directories


def find_repository(directory: str) -> Repository | None:
    """Find the repository that a directory is in, as git does."""
    where = find_directories(directory)
    return None if where is None else Repository(*where)


def find_directories(directory: str) -> tuple[str, str] | None:
    """Find the work tree of that repository, empty if it has none, and its own directory."""
    for above in upwards(real_path(directory)):
        git = os.path.join(above, ".git")
        if os.path.isdir(git):
            return above, real_path(git)
        text = _text(git) if os.path.isfile(git) else ""
        if text.startswith("gitdir:"):
            return above, real_path(os.path.join(above, text[7:].strip()))
        if all(os.path.exists(os.path.join(above, name)) for name in ("HEAD", "objects", "refs")):
            return "", above
    return None


def _blob_id(path: str) -> bytes:
    """Return what git would call the content of a file; empty if it cannot be read."""
    try:
        data = (
            os.fsencode(os.readlink(path)) if os.path.islink(path) else read_file(path, _MOST_FILE)
        )
    except (OSError, FileError):
        return b""
    return blob_id(data)


def _text(path: str) -> str:
    try:
        return os.fsdecode(read_file(path, _MOST_BYTES))
    except FileError:
        return ""

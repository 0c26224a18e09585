"""Finds what a command left deeper in its project: guarded names, and repositories that run code.

Only what changed since the box was opened is looked at, by ctime (man 7 inode), which no command
can set. The clock is the kernel's coarse one, which file systems take their times from.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator
from os.path import dirname, isdir, isfile, join, lexists, realpath

from laconic.box.below import close_again, open_up
from laconic.box.places import guarded_anywhere, is_below
from laconic.errors import FileError
from laconic.files import read_file
from laconic.git.config import configuration
from laconic.patterns import pattern
from laconic.reading.place_names import GUARDED_OUTSIDE_PACKAGES, OF_PACKAGES

# What names programs in a git directory, or leads to what does: man 5 gitrepository-layout.
_TELLING = frozenset(("config", "config.worktree", "hooks", "commondir"))
_LONGEST_PATH = 3000  # longer ones are made to be overlooked: PATH_MAX of linux/limits.h is 4096
# Keys that name no program and lead to no file that does. All others count as if they did.
_HARMLESS = pattern(
    r"core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode"
    r"|symlinks|autocrlf|eol|safecrlf|abbrev|quotepath|worktree|untrackedcache|trustctime"
    r"|compression|bigfilethreshold|sharedrepository|protecthfs|protectntfs|longpaths)"
    r"|extensions\.(?:objectformat|refstorage|worktreeconfig|partialclone|noop)"
    r"|remote\..*\.(?:url|pushurl|fetch|push|mirror|tagopt|prune|promisor|partialclonefilter)"
    r"|branch\..*\.(?:remote|merge|rebase|description|pushremote)|submodule\..*"
    r"|user\.(?:name|email|useconfigonly)|init\.defaultbranch|(?:commit|tag)\.gpgsign"
    r"|gc\.auto|gc\.autodetach|maintenance\.auto|receive\.denycurrentbranch|advice\..*|color\..*"
    r"|fetch\.(?:prune|parallel)|pull\.(?:rebase|ff)|push\.default|merge\.(?:ff|conflictstyle)"
    r"|index\.version|feature\..*|status\..*|log\..*",
    0,
)
# https://github.com/lint-staged/lint-staged#how-to-use-lint-staged-in-a-multi-package-monorepo
_BESIDE_COMMITTED = ".lintstagedrc"
_RUNS = pattern(r"(?m)^\s*(?:x|exec)\b")
_MOST_TEXT = 1 << 20


def find_nested(
    root: str,
    repositories: Collection[str],
    started: int,
    links: Collection[str] = (),
    guarded: Collection[str] = (),
) -> Iterator[str]:
    """Yield the paths below a writable directory that must not stay as they are.

    repositories: the git directories that are known; their own guarded files are mounts. links: new
    entries of the index that are repositories. guarded: what was there, and could not be changed.
    """
    look = _Look(root, set(repositories), started, set(guarded))
    for link in links:
        yield from look.repository(join(root, link, ".git"), is_sure=True)
    yield from look.walk()


class _Look:
    def __init__(self, root: str, known: set[str], started: int, guarded: set[str]) -> None:
        self._root, self._known, self._started, self._guarded = root, known, started, guarded
        self._names = guarded_anywhere()

    def walk(self) -> Iterator[str]:
        """Look everywhere: what was overlooked would not be young when the next box has ended."""
        stack = [self._root]
        opened: dict[str, int] = {}
        while stack:
            directory = stack.pop()
            if len(directory) > _LONGEST_PATH:
                yield directory
                continue
            entries = _entries(directory)
            if entries is None and (mode := open_up(self._root, directory)) is not None:
                opened[directory] = mode
                entries = _entries(directory)
            for entry in entries or ():
                if entry.path not in self._guarded:
                    yield from self._entry(entry, directory)
                    if entry.is_dir(follow_symlinks=False):
                        stack.append(entry.path)
            names = {entry.name for entry in entries or ()}
            if _is_git_directory(names) and directory != self._root:
                yield from self.repository(directory, is_sure=self._is_young(directory))
        for directory, mode in reversed(opened.items()):
            close_again(self._root, directory, mode)

    def _entry(self, entry: os.DirEntry[str], directory: str) -> Iterator[str]:
        if entry.name == "git-rebase-todo" and self._is_young(entry.path):
            if _runs_programs(entry.path):
                yield entry.path
        elif directory == self._root:
            return
        elif entry.name == ".git":
            if not entry.is_dir(follow_symlinks=False):  # else it is looked at when it is entered
                yield from self.repository(entry.path, is_sure=False)
        elif entry.name in self._names and not self._is_of_package(entry.name, directory):
            yield from self._with_name(entry.path)

    def _is_of_package(self, name: str, directory: str) -> bool:
        """Tell whether a package has brought what counts beside files of the project only."""
        parts = directory[len(self._root) :].split("/")
        if name.startswith(_BESIDE_COMMITTED):
            return "node_modules" in parts
        return name in GUARDED_OUTSIDE_PACKAGES and not OF_PACKAGES.isdisjoint(parts)

    def _is_young(self, path: str) -> bool:
        try:
            return os.lstat(path).st_ctime_ns >= self._started
        except OSError:
            return False

    def _with_name(self, path: str) -> Iterator[str]:
        """Yield a path with a guarded name if it is new, else what is new in it."""
        if not isdir(path) or os.path.islink(path):
            if self._is_young(path):
                yield path
            return
        if self._is_young(path):
            yield path
            return
        for directory, below, names in os.walk(path):
            inner = (join(directory, name) for name in (*below, *names))
            yield from (file for file in inner if self._is_young(file))

    # -- repositories ------------------------------------------------------------------------------

    def repository(self, path: str, *, is_sure: bool) -> Iterator[str]:
        """Yield what makes git run a program in a new or changed repository.

        path: a git directory, or a file that says where it is. is_sure: it has changed.
        """
        if os.path.islink(path) or isfile(path):
            if self._is_young(path) and self._leads_astray(path):
                yield path
            return
        if path in self._known or not isdir(path):
            return
        parts = (path, *(join(path, name) for name in _TELLING))
        if is_sure or any(map(self._is_young, parts)) or self._has_new_hook(path):
            yield from self._bad_parts(path)

    def _leads_astray(self, path: str) -> bool:
        """Tell whether a `.git` file or link leads to a repository that runs programs."""
        target = realpath(path)
        if not os.path.islink(path):
            text = _text(path)
            if not text.startswith("gitdir:"):
                return False
            target = realpath(join(dirname(path), text[7:].strip()))
        if target in self._known:
            return False
        return not isdir(target) or any(self._bad_parts(target))

    def _has_new_hook(self, path: str) -> bool:
        return any(map(self._is_young, _hooks(path)))

    def _bad_parts(self, path: str) -> Iterator[str]:
        """Yield the files of a git directory that name programs."""
        for name in ("config", "config.worktree"):
            file = join(path, name)
            if lexists(file) and not self._is_harmless(file, path):
                yield file
        if any(True for _ in _hooks(path)):
            yield join(path, "hooks")
        shared = join(path, "commondir")
        if lexists(shared) and not self._is_shared(shared, path):
            yield shared

    def _is_harmless(self, file: str, directory: str) -> bool:
        if not isfile(file) or os.path.islink(file):
            return False
        for key, value in configuration(file):
            if not _HARMLESS.fullmatch(key):
                return False
            if key.startswith("submodule.") and key.endswith(".update") and value[:1] == "!":
                return False
            if key == "core.worktree" and not is_below(
                realpath(join(directory, value)), self._root
            ):
                return False
        return True

    def _is_shared(self, file: str, directory: str) -> bool:
        return realpath(join(directory, _text(file).strip())) in self._known


def _is_git_directory(names: set[str]) -> bool:
    """Tell whether git would take a directory with these names for one of its own (its setup.c)."""
    return "HEAD" in names and ("commondir" in names or {"objects", "refs"} <= names)


def _entries(directory: str) -> list[os.DirEntry[str]] | None:
    try:
        with os.scandir(directory) as entries:
            return list(entries)
    except OSError:
        return None


def _hooks(path: str) -> Iterator[str]:
    try:
        with os.scandir(join(path, "hooks")) as hooks:
            for entry in hooks:
                mode = entry.stat(follow_symlinks=False).st_mode
                if not entry.name.endswith(".sample") and not stat.S_ISDIR(mode):
                    yield entry.path
    except OSError:
        return


def _runs_programs(todo: str) -> bool:
    return _RUNS.search(_text(todo)) is not None


def _text(path: str) -> str:
    """Return what is in a file; what cannot be read counts as empty."""
    try:
        return os.fsdecode(read_file(path, _MOST_TEXT))
    except FileError:
        return ""

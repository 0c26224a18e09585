"""Reads where git keeps a project's repository, and which files decide what git runs.

https://git-scm.com/docs/gitrepository-layout says what is where. git itself is not asked: it would
take longer, and run what the configuration names.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from os.path import basename, dirname, isdir, isfile, join, normpath, realpath

from laconic.box.places import IN_GIT_DIRECTORY, is_below
from laconic.errors import FileError
from laconic.files import names_in, read_file
from laconic.git.config import configuration
from laconic.git.index import submodules

_MOST_INDEX = 256 << 20
_MOST_MODULES = 200


class Repository:
    """The repository of a project.

    directories: its git directories, those of worktrees and submodules included. outside: those
    outside the project that must be writable. guarded: paths that decide what git runs, whether
    they exist or not. gitlinks: the paths, below the project, of repositories in its index.
    """

    def __init__(self, project: str, home: str, environ: Mapping[str, str]) -> None:
        own = _own_directories(project, environ)
        self.directories = list(dict.fromkeys(d for one in own for d in (one, *_inner(one))))
        self.outside = [d for d in own if not is_below(d, project)]
        self.outside = [d for d in self.outside if not any(_is_above(o, d) for o in self.outside)]
        self.gitlinks = gitlinks(project, own)
        self.guarded = [join(d, name) for d in self.directories for name in IN_GIT_DIRECTORY]
        self.guarded += [join(project, link, ".git") for link in self.gitlinks]
        if not isdir(join(project, ".git")) or os.path.islink(join(project, ".git")):
            self.guarded.append(join(project, ".git"))  # a file that says where it is, or none yet
        self.guarded += _named_by_configuration(project, home, environ, self.directories)


def _is_above(directory: str, path: str) -> bool:
    return directory != path and is_below(path, directory)


def _own_directories(project: str, environ: Mapping[str, str]) -> list[str]:
    """Return the project's git directory and, for a worktree, the one that it shares."""
    directories = []
    for path in (join(project, ".git"), environ.get("GIT_DIR", ""), project):
        directory = _git_directory(path, project)
        if directory and directory not in directories and _belongs_to(directory, project):
            directories.append(directory)
            common = _text(join(directory, "commondir"))
            shared = realpath(join(directory, common)) if common else ""
            # Anybody can write a file of that name; a worktree that git made is below what it
            # shares: git-worktree(1), "DETAILS".
            if (
                shared
                and is_below(directory, join(shared, "worktrees"))
                and shared not in directories
            ):
                directories.append(shared)
    return directories


def _git_directory(path: str, project: str) -> str:
    if not path:
        return ""
    path = join(project, path)
    if isfile(path):
        text = _text(path)
        path = join(dirname(path), text[7:].strip()) if text.startswith("gitdir:") else ""
    return realpath(path) if path and isfile(join(path, "HEAD")) else ""


def _belongs_to(directory: str, project: str) -> bool:
    """Tell whether a git directory says itself that it is this project's.

    A `.git` file that came with an archive could name the repository of another project.
    """
    if is_below(directory, project):
        return True
    if back := _text(join(directory, "gitdir")):  # of a worktree
        return realpath(join(directory, back)) == join(project, ".git")
    values = dict(configuration(join(directory, "config")))
    if worktree := values.get("core.worktree"):  # of a submodule
        return realpath(join(directory, worktree)) == project
    # What `git init --separate-git-dir` makes names no worktree (git-init(1)); others have another
    # name, or none.
    return basename(directory) != ".git" and values.get("core.bare") == "false"


def _inner(directory: str) -> Iterator[str]:
    """Yield the git directories of submodules and worktrees below a git directory."""
    for name in sorted(names_in(join(directory, "worktrees"))):
        yield join(directory, "worktrees", name)
    stack, count = [join(directory, "modules")], 0
    while stack and count < _MOST_MODULES:
        place = stack.pop()
        for name in sorted(names_in(place)):
            path = join(place, name)
            if not isdir(path) or os.path.islink(path):
                continue
            if isfile(join(path, "HEAD")):
                count += 1
                yield path
                stack.append(join(path, "modules"))
            else:
                stack.append(path)


def _text(path: str) -> str:
    try:
        return os.fsdecode(read_file(path)).strip()
    except FileError:
        return ""


# -- the configuration -----------------------------------------------------------------------------


def _named_by_configuration(
    project: str, home: str, environ: Mapping[str, str], directories: list[str]
) -> Iterator[str]:
    """Yield the hooks, programs and further files in the project that the configuration names."""
    base = environ.get("XDG_CONFIG_HOME") or join(home, ".config")
    files = ["/etc/gitconfig", join(home, ".gitconfig"), join(base, "git/config")]
    files += [join(d, name) for d in directories for name in ("config", "config.worktree")]
    seen: set[str] = set()
    while files:
        file = files.pop()
        if file in seen:
            continue
        seen.add(file)
        for key, value in configuration(file):
            word = join(home, value[2:]) if value.startswith("~/") else value
            if key.startswith("include") and key.endswith(".path"):
                named = join(dirname(file), word)
                files.append(named)
            elif key == "core.hookspath":
                named = join(project, word)
            else:  # a program: its first word
                first = next(iter(value.lstrip("!").split()), "")
                named = join(project, first) if "/" in first else ""
                named = named if named and isfile(named) else ""
            for path in dict.fromkeys((normpath(named), realpath(named))) if named else ():
                if is_below(path, project) and path != project:
                    yield path


# -- the index -------------------------------------------------------------------------------------


def gitlinks(project: str, directories: list[str]) -> frozenset[str]:
    """Return the paths in the index that are repositories of their own (gitformat-index)."""
    if not directories:
        return frozenset()
    path = join(directories[0], "index")
    try:
        data = read_file(path, _MOST_INDEX)
    except FileError:
        return frozenset()
    values = dict(configuration(join(directories[-1], "config")))
    hash_bytes = 32 if values.get("extensions.objectformat") == "sha256" else 20
    names = map(os.fsdecode, submodules(path, data, hash_bytes))
    return frozenset(path for path in names if is_below(normpath(join(project, path)), project))

"""What commands of git bring into the work tree from commits: the names of files that differ.

https://git-scm.com/docs has one page for each command.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from itertools import permutations

from laconic.errors import FileError
from laconic.files import read_file
from laconic.git.command import GitCommand
from laconic.git.objects import MissingObjectError
from laconic.git.repository import Repository

GOING_ON = ("--abort", "--continue", "--skip", "--quit", "--show-current-patch", "--edit-todo")
CREATES = ("-b", "-B", "-c", "-C", "--orphan", "--create", "--force-create")
_STATE_COMMITS = (
    "ORIG_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD", "sequencer/head",
    "rebase-merge/orig-head", "rebase-merge/onto", "rebase-apply/orig-head", "rebase-apply/onto",
    "rebase-apply/abort-safety",
)  # fmt: skip


class Brought:
    """Names of files that a command brings, and doubts: why there may be more."""

    def __init__(self) -> None:
        self.names: set[bytes] = set()
        self.doubts: list[str] = []


def brought(command: GitCommand, repository: Repository) -> Brought:
    """Raises MissingObjectError, OSError or ValueError where the repository cannot be read."""
    found = Brought()
    reading = _READINGS.get(command.sub)
    if reading is not None:
        reading(command, repository, found)
    return found


def add_target(repository: Repository, name: str, found: Brought) -> bool:
    """Add what differs between HEAD and a commit; tell whether the commit is known."""
    target, head = repository.resolve(name), repository.resolve("HEAD")
    if target is None:
        return False
    if head is None:
        found.names.update(repository.objects.names(repository.objects.commit(target)[0]))
    else:
        found.names |= repository.between(head, target)
    return True


def _checkout(command: GitCommand, repository: Repository, found: Brought) -> None:
    """checkout, switch, restore, checkout-index, read-tree: by commit, by path, or both."""
    # What a path takes from a commit differs from HEAD, so that only commits are looked for here.
    words = command.words
    for word in words[: words.index("--")] if "--" in words else words:
        if word == "-" or not word.startswith("-") or "=" in word:
            name = word.partition("=")[2] if word.startswith("--") else word
            first, dots, last = name.partition("...")
            sides = (first, last) if dots else (name,)
            known = [add_target(repository, side or "HEAD", found) for side in sides]
            is_searched = name[:2] == ":/" and len(name) > 2  # noqa: PLR2004 - `:/text`, a commit
            if not any(known) and (is_searched or not _is_path(command, repository, name)):
                found.doubts.append(f"{name} is not known")
        elif word[:2] in ("-s", "-t", "-B", "-b", "-c", "-C") and len(word) > 2:  # noqa: PLR2004
            add_target(repository, word[2:], found)


def _is_path(command: GitCommand, repository: Repository, word: str) -> bool:
    """Tell whether a word is a path or a pattern of git, or the name of a new branch."""
    if command.has(*CREATES) or os.path.lexists(os.path.join(command.directory, word)):
        return True
    return any(matching(repository, command.directory, word))


def matching(repository: Repository, directory: str, word: str) -> Iterator[bytes]:
    """Return the tracked names that a path or pattern matches; all, if it has pathspec magic."""
    fits = fitting(repository, directory, word)
    return (entry.name for entry in repository.index.entries if fits(entry.name))


def fitting(repository: Repository, directory: str, word: str) -> Callable[[bytes], bool]:
    """Return what tells whether a path or pattern is about a name; magic is about all."""
    top = os.fsencode(repository.top)
    path = os.path.normpath(os.path.join(os.fsencode(directory), os.fsencode(word)))
    relative = os.path.relpath(path, top)
    is_all = word.startswith(":") or relative == b"."
    is_pattern = bool(set(b"*?[").intersection(relative))

    def fits(name: bytes) -> bool:
        if is_all or name == relative or name.startswith(relative + b"/"):
            return True
        return is_pattern and fnmatchcase(os.fsdecode(name), os.fsdecode(relative))

    return fits


def _reset(command: GitCommand, repository: Repository, found: Brought) -> None:
    if not command.has("--hard", "--merge", "--keep"):
        return
    for word in command.operands:
        if not add_target(repository, word, found):
            found.doubts.append(f"the commit {word} is not known")


def _merge(command: GitCommand, repository: Repository, found: Brought) -> None:
    if command.has(*GOING_ON):
        _going_on(command, repository, found)
        return
    operands = command.operands or ["@{u}"]
    known = [add_target(repository, word, found) for word in operands]
    for word in operands:
        _doubt_renames(repository, word, found)
    if not any(known) or _has_unknown(command, known):
        found.doubts.append("a commit is not known")


def _doubt_renames(repository: Repository, name: str, found: Brought) -> None:
    """Doubt where git may move new files along with a directory that the other side renamed.

    git-config(1), merge.directoryRenames.
    """
    ours, theirs = repository.resolve("HEAD"), repository.resolve(name)
    if ours is None or theirs is None:
        return
    with contextlib.suppress(MissingObjectError):
        base = repository.common_ancestor(ours, theirs)
        if base is None or base in (ours, theirs):
            return
        if not repository.loses_directory(base, ours, theirs):
            return
    found.doubts.append("a directory may have been renamed")


def _has_unknown(command: GitCommand, known: list[bool]) -> bool:
    """Tell whether a word may be a commit that is not known; values of options look the same."""
    return not all(known) and not command.has("-m", "-s", "-X", "-F", "--strategy", "--into-name")


def _going_on(command: GitCommand, repository: Repository, found: Brought) -> None:
    """Add what an operation that has begun may still bring, or take back."""
    head = repository.resolve("HEAD")
    for name in _STATE_COMMITS:
        commit = repository.state_commit(name)
        if commit is not None and head is not None:
            found.names |= repository.between(head, commit)
            if name not in ("ORIG_HEAD", "MERGE_HEAD"):
                found.names |= repository.brought_by(commit)
    start = repository.state_commit("rebase-merge/orig-head")
    base = repository.state_commit("rebase-merge/onto")
    if start is not None and base is not None:
        found.names |= repository.brought_since(start, base)
    if not command.has("--abort", "--quit"):
        for line in lines_of(f"{repository.git}/sequencer/todo"):
            commit = repository.resolve(line.split()[1]) if len(line.split()) > 1 else None
            if commit is not None:
                found.names |= repository.brought_by(commit)
        if os.path.isdir(f"{repository.git}/rebase-apply"):
            found.doubts.append("the rest of the patches is not read")


def lines_of(path: str) -> list[str]:
    try:
        return os.fsdecode(read_file(path, 1 << 20)).splitlines()
    except FileError:
        return []


def _rebase(command: GitCommand, repository: Repository, found: Brought) -> None:
    if command.has(*GOING_ON):
        _going_on(command, repository, found)
        return
    if command.has("-i", "--interactive", "-x", "--exec"):
        found.doubts.append("its list of things to do is not known")
    # The base, then the commit that it goes onto, then the branch that is moved.
    commits = {}
    for word in ("HEAD", *(command.operands or ["@{u}"])):
        commits[word] = repository.resolve(word)
        if commits[word] is None:
            found.doubts.append(f"the commit {word} is not known")
        else:
            add_target(repository, word, found)
            _doubt_renames(repository, word, found)
    known = {commit for commit in commits.values() if commit is not None}
    for tip, base in permutations(known, 2):
        found.names |= repository.brought_since(tip, base)


def _picking(command: GitCommand, repository: Repository, found: Brought) -> None:
    """cherry-pick and revert: what each of the commits has changed."""
    if command.has(*GOING_ON):
        _going_on(command, repository, found)
        return
    for word in command.operands:
        first, dots, last = word.partition("..")
        last = last.removeprefix(".")
        tip, base = repository.resolve(last if dots else word), repository.resolve(first or "HEAD")
        if tip is None or (dots and base is None):
            if not command.has("-m", "-s", "-X", "--strategy", "--mainline"):
                found.doubts.append(f"the commit {word} is not known")
        elif dots and base is not None:
            found.names |= repository.brought_since(tip, base)
        else:
            found.names |= repository.brought_by(tip)
            _doubt_renames(repository, word, found)


def _stash(command: GitCommand, repository: Repository, found: Brought) -> None:
    operands = command.operands
    sub = operands[0] if operands else "push"
    if sub not in ("pop", "apply", "branch"):
        return
    wanted = operands[2:] if sub == "branch" else operands[1:]
    commit = stashed(repository, wanted[0] if wanted else "")
    if commit is None:
        return  # git refuses
    _, parents = repository.objects.commit(commit)
    for parent in parents[:1]:
        found.names |= repository.between(parent, commit)
        if sub == "branch":
            head = repository.resolve("HEAD")
            if head is not None:
                found.names |= repository.between(head, parent)
    tracked = {entry.name for entry in repository.index.entries}
    found.names |= _all_names(repository, parents[1:]) - tracked


def stashed(repository: Repository, name: str) -> bytes | None:
    """Return the commit that a name of a stash means, without one the last."""
    name = name or "stash@{0}"
    return repository.resolve(f"stash@{{{name}}}" if name.isdigit() else name)


def _all_names(repository: Repository, commits: list[bytes]) -> set[bytes]:
    trees = [repository.objects.commit(commit)[0] for commit in commits]
    return {name for tree in trees for name in repository.objects.names(tree)}


def _am(command: GitCommand, repository: Repository, found: Brought) -> None:
    if command.has(*GOING_ON, "--resolved", "-r"):
        _going_on(command, repository, found)


_READINGS = {
    "am": _am,
    "checkout": _checkout,
    "switch": _checkout,
    "restore": _checkout,
    "checkout-index": _checkout,
    "read-tree": _checkout,
    "reset": _reset,
    "merge": _merge,
    "rebase": _rebase,
    "cherry-pick": _picking,
    "revert": _picking,
    "stash": _stash,
}

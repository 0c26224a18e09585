"""The git commands that change the work tree: which of its files each of them may change.

https://git-scm.com/docs has one page for each command. What they bring from commits is read by
`git.trees`.
"""

from __future__ import annotations

import os

from laconic.git import trees
from laconic.git.trees import GOING_ON, lines_of, matching
from laconic.reading.acts import Verb
from laconic.undo.reach import is_below

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from laconic.undo.git_commands import GitCall
    from laconic.undo.repository import Repository

_CHECKOUT_HOOKS = ("post-checkout", "post-merge", "post-rewrite", "pre-rebase", "post-commit")
_PLAIN_IGNORE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


def _own_work(one: GitCall) -> None:
    """Add what differs from HEAD in the work tree and the index."""
    repository = one.repository
    if not repository.top:
        return
    repository.add_names(one.reach, repository.dirty())
    repository.add_names(one.reach, repository.staged())


def _brought(one: GitCall) -> None:
    found = trees.brought(one, one.repository)
    one.repository.add_names(one.reach, found.names)
    for doubt in found.doubts:
        one.doubt(doubt)


def _hooks(one: GitCall) -> None:
    if one.repository.has_hook(*_CHECKOUT_HOOKS):
        one.doubt("a hook may change anything")


def checkout(one: GitCall) -> None:
    """checkout, switch, restore, checkout-index, read-tree: by commit, by path, or both."""
    _own_work(one)
    _hooks(one)
    if one.has("--orphan"):
        names = (entry.name for entry in one.repository.index.entries)
        one.repository.add_names(one.reach, names)
    _brought(one)  # what a path takes from the index is dirty


def reset(one: GitCall) -> None:
    if one.has("--hard", "--merge", "--keep"):
        _own_work(one)
        _brought(one)


def moving_commits(one: GitCall) -> None:
    """merge, rebase, cherry-pick and revert."""
    _own_work(one)
    _hooks(one)
    _brought(one)


def stash(one: GitCall) -> None:
    repository, operands = one.repository, one.operands
    sub = operands[0] if operands else "push"
    if sub in ("list", "show", "create"):
        return
    if sub in ("drop", "clear", "pop", "store", "branch"):
        repository.add_objects(one.reach)
        if sub in ("drop", "clear", "store"):
            return
    _own_work(one)
    if sub in ("pop", "apply", "branch"):
        _brought(one)
    elif one.has("-u", "--include-untracked", "-a", "--all"):
        for path in untracked(repository, ignored=one.has("-a", "--all")):
            one.reach.add(path, deep=True)


def apply(one: GitCall) -> None:
    """apply and am: the names in the headers of the patches."""
    repository = one.repository
    if one.sub == "am":
        _own_work(one)
        _hooks(one)
        if one.has(*GOING_ON, "--resolved", "-r"):
            _brought(one)
            return
    elif one.has("--check", "--stat", "--numstat", "--summary") and not one.has("--apply"):
        return
    written = [
        path for act in one.call.program.acts if act.verb is Verb.WRITE for path in act.paths
    ]
    if not written:
        one.doubt("the names in the patch are not known")
    for path in written:
        below = os.path.relpath(path, one.call.directory)
        for base in {repository.top, one.call.directory}:
            one.reach.add(os.path.join(base, below))
            if one.has("--reject"):
                one.reach.add(f"{os.path.join(base, below)}.rej")


def removing(one: GitCall) -> None:
    if one.has("-n", "--dry-run", "--cached"):
        return
    for word in one.operands:
        one.repository.add_names(one.reach, matching(one.repository, one.directory, word))
        path = one.call.path(word)
        if os.path.isdir(path):
            one.reach.add(path, deep=True)
    one.reach.add(f"{one.repository.top}/.gitmodules")


def moving(one: GitCall) -> None:
    if one.has("-n", "--dry-run"):
        return
    *sources, target = one.operands or [""]
    place = one.call.path(target)
    for word in sources:
        one.reach.add(one.call.path(word), deep=True)
        name = os.path.basename(word.rstrip("/"))
        one.reach.add(os.path.join(place, name) if os.path.isdir(place) else place, deep=True)
    one.reach.add(f"{one.repository.top}/.gitmodules")
    if os.path.isfile(f"{one.repository.top}/.gitmodules"):
        one.repository.add_state(one.reach, whole=True)


# -- what git does not track -----------------------------------------------------------------------


def untracked(repository: Repository, *, ignored: bool) -> Iterator[str]:
    """Return files and directories that git does not track; ignored: also what it ignores.

    Only rules without patterns are followed (gitignore(5)), so this returns more than git would.
    """
    tracked = {os.path.join(repository.top, os.fsdecode(e.name)) for e in repository.index.entries}
    folders = {os.path.dirname(path) for path in tracked}
    for folder in list(folders):
        above = folder
        while len(above) > len(repository.top):
            above = os.path.dirname(above)
            folders.add(above)
    left_out = frozenset() if ignored else _ignored_names(repository)
    todo = [repository.top]
    while todo:
        for item in os.scandir(todo.pop()):
            if item.path in tracked or item.name == ".git":
                continue
            is_folder = item.is_dir(follow_symlinks=False)
            if item.name in left_out or is_below(item.path, [repository.git]):
                continue
            if is_folder and item.path in folders:
                todo.append(item.path)
            else:
                yield item.path


def _ignored_names(repository: Repository) -> frozenset[str]:
    """Return the plain names that the top .gitignore ignores; none if a rule re-includes any."""
    lines = [line.strip() for line in lines_of(f"{repository.top}/.gitignore")]
    others = (f"{repository.common}/info/exclude",)
    if any(line.startswith("!") for path in others for line in lines_of(path)):
        return frozenset()
    if any(line.startswith("!") for line in lines):
        return frozenset()
    tracked = (entry.name for entry in repository.index.entries)
    if any(name.endswith(b"/.gitignore") for name in tracked):
        return frozenset()  # `!name` re-includes: man 5 gitignore
    names = {line.rstrip("/") for line in lines if line and not line.startswith("#")}
    return frozenset(name for name in names if name and set(name) <= _PLAIN_IGNORE)

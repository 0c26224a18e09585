"""The git commands that change the work tree: which of its files each of them may change.

https://git-scm.com/docs has one page for each command.
"""

from __future__ import annotations

import os
from fnmatch import fnmatchcase
from itertools import permutations

from laconic.errors import FileError
from laconic.files import read_file
from laconic.reading.acts import Verb
from laconic.undo.reach import is_below

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from laconic.undo.git_commands import GitCall
    from laconic.undo.repository import Repository

_GOING_ON = ("--abort", "--continue", "--skip", "--quit", "--show-current-patch", "--edit-todo")
_STATE_COMMITS = (
    "ORIG_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD", "sequencer/head",
    "rebase-merge/orig-head", "rebase-merge/onto", "rebase-apply/orig-head", "rebase-apply/onto",
    "rebase-apply/abort-safety",
)  # fmt: skip
_CHECKOUT_HOOKS = ("post-checkout", "post-merge", "post-rewrite", "pre-rebase", "post-commit")
_PLAIN_IGNORE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


def _own_work(one: GitCall) -> None:
    """Add what differs from HEAD in the work tree and the index."""
    repository = one.repository
    if not repository.top:
        return
    repository.add_names(one.reach, repository.dirty())
    repository.add_names(one.reach, repository.staged())


def _target(one: GitCall, name: str) -> bool:
    """Add what differs between HEAD and a commit; tell whether the commit is known."""
    repository = one.repository
    target, head = repository.resolve(name), repository.resolve("HEAD")
    if target is None:
        return False
    if head is None:
        repository.add_names(
            one.reach, repository.objects.names(repository.objects.commit(target)[0])
        )
    else:
        repository.add_names(one.reach, repository.between(head, target))
    return True


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
    # What a path takes from the index is dirty, what it takes from a commit differs from HEAD: both
    # are known already, so that only commits are looked for here.
    words = one.words[: one.words.index("--")] if "--" in one.words else one.words
    for word in words:
        if word == "-" or not word.startswith("-") or "=" in word:
            name = word.partition("=")[2] if word.startswith("--") else word
            first, dots, last = name.partition("...")
            known = [_target(one, side or "HEAD") for side in ((first, last) if dots else (name,))]
            is_searched = name[:2] == ":/" and len(name) > 2  # noqa: PLR2004 - `:/text`, a commit
            if not any(known) and (is_searched or not _is_path(one, name)):
                one.doubt(f"{name} is not known")
        elif word[:2] in ("-s", "-t", "-B", "-b", "-c", "-C") and len(word) > 2:  # noqa: PLR2004
            _target(one, word[2:])


def _is_path(one: GitCall, word: str) -> bool:
    """Tell whether a word is a path or a pattern of git, or the name of a new branch."""
    is_new = one.has("-b", "-B", "-c", "-C", "--orphan", "--create", "--force-create")
    return is_new or os.path.lexists(one.call.path(word)) or any(_matching(one, word))


def _matching(one: GitCall, word: str) -> Iterator[bytes]:
    """Return the tracked names that a path or pattern matches; all, if it has pathspec magic."""
    top = os.fsencode(one.repository.top)
    path = os.path.normpath(os.path.join(os.fsencode(one.call.directory), os.fsencode(word)))
    relative = os.path.relpath(path, top)
    is_all = word.startswith(":") or relative == b"."
    for entry in one.repository.index.entries:
        name = entry.name
        if (
            is_all
            or name == relative
            or name.startswith(relative + b"/")
            or (
                set(b"*?[").intersection(relative)
                and fnmatchcase(os.fsdecode(name), os.fsdecode(relative))
            )
        ):
            yield name


def reset(one: GitCall) -> None:
    if not one.has("--hard", "--merge", "--keep"):
        return
    _own_work(one)
    for word in one.operands:
        if not _target(one, word):
            one.doubt(f"the commit {word} is not known")


def merge(one: GitCall) -> None:
    _own_work(one)
    _hooks(one)
    if one.has(*_GOING_ON):
        _going_on(one)
        return
    operands = one.operands or ["@{u}"]
    known = [_target(one, word) for word in operands]
    for word in operands:
        _doubt_renames(one, word)
    if not any(known) or _has_unknown(one, known):
        one.doubt("a commit is not known")


def _doubt_renames(one: GitCall, name: str) -> None:
    """Doubt where git may move new files along with a directory that the other side renamed.

    git-config(1), merge.directoryRenames.
    """
    repository = one.repository
    ours, theirs = repository.resolve("HEAD"), repository.resolve(name)
    if ours is None or theirs is None:
        return
    base = repository.common_ancestor(ours, theirs)
    if base is None or base in (ours, theirs):
        return
    if repository.loses_directory(base, ours, theirs):
        one.doubt("a directory may have been renamed")


def _has_unknown(one: GitCall, known: list[bool]) -> bool:
    """Tell whether a word may be a commit that is not known; values of options look the same."""
    return not all(known) and not one.has("-m", "-s", "-X", "-F", "--strategy", "--into-name")


def _going_on(one: GitCall) -> None:
    """Add what an operation that has begun may still bring, or take back."""
    repository = one.repository
    head = repository.resolve("HEAD")
    for name in _STATE_COMMITS:
        commit = repository.state_commit(name)
        if commit is not None and head is not None:
            repository.add_names(one.reach, repository.between(head, commit))
            if name not in ("ORIG_HEAD", "MERGE_HEAD"):
                repository.add_names(one.reach, repository.brought_by(commit))
    start = repository.state_commit("rebase-merge/orig-head")
    base = repository.state_commit("rebase-merge/onto")
    if start is not None and base is not None:
        repository.add_names(one.reach, repository.brought_since(start, base))
    if not one.has("--abort", "--quit"):
        for line in _lines(f"{repository.git}/sequencer/todo"):
            commit = repository.resolve(line.split()[1]) if len(line.split()) > 1 else None
            if commit is not None:
                repository.add_names(one.reach, repository.brought_by(commit))
        if os.path.isdir(f"{repository.git}/rebase-apply"):
            one.doubt("the rest of the patches is not read")


def _lines(path: str) -> list[str]:
    try:
        return os.fsdecode(read_file(path, 1 << 20)).splitlines()
    except FileError:
        return []


def _goes_on(one: GitCall) -> bool:
    """What rebase, cherry-pick and revert reach in any case; True if they only go on with one."""
    _own_work(one)
    _hooks(one)
    if one.has(*_GOING_ON):
        _going_on(one)
        return True
    return False


def rebase(one: GitCall) -> None:
    if _goes_on(one):
        return
    repository = one.repository
    if one.has("-i", "--interactive", "-x", "--exec"):
        one.doubt("its list of things to do is not known")
    # The base, then the commit that it goes onto, then the branch that is moved.
    commits = {}
    for word in ("HEAD", *(one.operands or ["@{u}"])):
        commits[word] = repository.resolve(word)
        if commits[word] is None:
            one.doubt(f"the commit {word} is not known")
        else:
            _target(one, word)
            _doubt_renames(one, word)
    known = {commit for commit in commits.values() if commit is not None}
    for tip, base in permutations(known, 2):
        repository.add_names(one.reach, repository.brought_since(tip, base))


def picking(one: GitCall) -> None:
    """cherry-pick and revert: what each of the commits has changed."""
    if _goes_on(one):
        return
    repository = one.repository
    for word in one.operands:
        first, dots, last = word.partition("..")
        last = last.removeprefix(".")
        tip, base = repository.resolve(last if dots else word), repository.resolve(first or "HEAD")
        if tip is None or (dots and base is None):
            if not one.has("-m", "-s", "-X", "--strategy", "--mainline"):
                one.doubt(f"the commit {word} is not known")
        elif dots and base is not None:
            repository.add_names(one.reach, repository.brought_since(tip, base))
        else:
            repository.add_names(one.reach, repository.brought_by(tip))
            _doubt_renames(one, word)


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
    if sub not in ("pop", "apply", "branch"):
        if one.has("-u", "--include-untracked", "-a", "--all"):
            for path in untracked(repository, ignored=one.has("-a", "--all")):
                one.reach.add(path, deep=True)
        return
    wanted = operands[2:] if sub == "branch" else operands[1:]
    name = wanted[0] if wanted else "stash@{0}"
    commit = repository.resolve(f"stash@{{{name}}}" if name.isdigit() else name)
    if commit is None:
        return  # git refuses
    _, parents = repository.objects.commit(commit)
    for parent in parents[:1]:
        repository.add_names(one.reach, repository.between(parent, commit))
        if sub == "branch":
            head = repository.resolve("HEAD")
            if head is not None:
                repository.add_names(one.reach, repository.between(head, parent))
    for parent in parents[1:]:
        tree, _ = repository.objects.commit(parent)
        names = set(repository.objects.names(tree))
        tracked = {entry.name for entry in repository.index.entries}
        repository.add_names(one.reach, names - tracked)


def apply(one: GitCall) -> None:
    """apply and am: the names in the headers of the patches."""
    repository = one.repository
    if one.sub == "am":
        _own_work(one)
        _hooks(one)
        if one.has(*_GOING_ON, "--resolved", "-r"):
            _going_on(one)
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
        one.repository.add_names(one.reach, _matching(one, word))
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
    lines = [line.strip() for line in _lines(f"{repository.top}/.gitignore")]
    others = (f"{repository.common}/info/exclude",)
    if any(line.startswith("!") for path in others for line in _lines(path)):
        return frozenset()
    if any(line.startswith("!") for line in lines):
        return frozenset()
    tracked = (entry.name for entry in repository.index.entries)
    if any(name.endswith(b"/.gitignore") for name in tracked):
        return frozenset()  # `!name` re-includes: man 5 gitignore
    names = {line.rstrip("/") for line in lines if line and not line.startswith("#")}
    return frozenset(name for name in names if name and set(name) <= _PLAIN_IGNORE)

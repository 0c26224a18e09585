"""What the commands of git change, by their words and by the repository on the disk.

https://git-scm.com/docs

No git is started: it would run programs that the repository names. A commit that is not known here,
a hook, an option of the configuration on the command line are doubts.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import pairwise

from laconic.errors import FileError
from laconic.git.command import GitCommand
from laconic.git.objects import MissingObjectError
from laconic.undo import git_trees
from laconic.undo.call import PlacedCall, texts
from laconic.undo.reach import HARD_LINK, Reach, located
from laconic.undo.repository import Repository, find_repository

_ELSEWHERE = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
)
_PLAIN = frozenset(
    "-p --paginate -P --no-pager --no-replace-objects --literal-pathspecs --glob-pathspecs"
    " --noglob-pathspecs --icase-pathspecs --no-optional-locks --no-advice --no-lazy-fetch".split()
)
READING = frozenset(
    "annotate archive blame cat-file check-attr check-ignore check-mailmap"
    " check-ref-format cherry column count-objects describe diff diff-files diff-index diff-tree"
    " fmt-merge-msg for-each-ref format-patch fsck get-tar-commit-id grep help"
    " interpret-trailers log ls-files ls-remote ls-tree merge-base name-rev patch-id range-diff"
    " request-pull rev-list rev-parse shortlog show show-branch show-index show-ref status"
    " stripspace var verify-commit verify-pack verify-tag version whatchanged".split()
)
# Index, refs, reflogs and the like; no file of the work tree.
_STATE = frozenset(
    "add stage update-index commit-tree write-tree hash-object mktree mktag symbolic-ref fetch push"
    " rerere stripspace merge-base pack-refs bundle".split()
)
# As above; commits may also lose the last name that leads to them.
_DROPPING = frozenset("branch tag update-ref remote notes replace reflog".split())
_COLLECTING = frozenset(
    "gc prune repack prune-packed maintenance pack-objects multi-pack-index".split()
)


class GitCall(GitCommand):
    """A command of git with its repository, and what is found out about what it changes."""

    def __init__(
        self, call: PlacedCall, reach: Reach, repository: Repository, words: list[str]
    ) -> None:
        super().__init__(words[0], words[1:], call.directory)
        self.call, self.reach, self.repository = call, reach, repository

    def doubt(self, reason: str) -> None:
        place = self.repository.top or self.call.project
        self.reach.doubt(f"git {self.sub}: {reason}", place or self.call.directory)


def git(call: PlacedCall, reach: Reach) -> None:
    """Add what a git command changes."""
    directory, words, doubts = _globals(call)
    sub = words[0] if words else "help"
    inner = call.at(directory)
    if sub in READING or not words:
        _outputs(inner, reach, words)
        return
    if sub in ("init", "clone", "init-db"):
        _starting(inner, reach, words)
        return
    repository = find_repository(directory)
    if repository is None:
        return  # git refuses
    one = GitCall(inner, reach, repository, words)
    for reason in doubts:
        one.doubt(reason)
    named = {name: call.environment[name] for name in _ELSEWHERE if name in call.environment}
    if named:
        one.doubt("another repository is named in the environment")
    for word in (*_places(call.words[1:]), *named.values()):
        path = os.path.join(directory, word)
        if word and os.path.isdir(path):
            one.reach.doubt(f"git {sub}: it is about {word}", located(path))
    try:
        if repository.is_usual:
            _by_subcommand(one)
        else:
            repository.add_state(reach, whole=True)
            one.doubt("the repository has a form that is not known")
    except (OSError, ValueError, MissingObjectError, FileError, RecursionError) as error:
        repository.add_state(reach, whole=True)
        one.doubt(f"the repository cannot be read ({type(error).__name__})")


def _places(words: list[str]) -> list[str]:
    """Return the directories that the options before the subcommand name."""
    places, rest = [], list(words)
    while rest and rest[0].startswith("-"):
        word = rest.pop(0)
        name, equals, value = word.partition("=")
        if name in ("--git-dir", "--work-tree"):
            places.append(value if equals else rest.pop(0) if rest else "")
        elif word in ("-C", "-c", "--namespace", "--exec-path") and rest:
            rest.pop(0)
    return places


def is_changing(call: PlacedCall) -> bool:
    """Tell whether a command of git changes the repository, so that names mean something else."""
    if call.name != "git":
        return False
    _, words, _ = _globals(call)
    told = call.program.call
    only_reads = told is not None and not told.effects and not call.program.doubts
    return bool(words) and words[0] not in READING and not only_reads


def _outputs(call: PlacedCall, reach: Reach, words: list[str]) -> None:
    """Add the files that reading commands write: an archive, patches, `git diff --output=x`."""
    named = []
    for pos, word in enumerate(words):
        if word in ("-o", "--output", "--output-directory") and pos + 1 < len(words):
            named.append(words[pos + 1])
        elif word.startswith("--output"):
            named.append(word.partition("=")[2])
        elif words[0] in ("format-patch", "archive") and word.startswith("-o"):
            named.append(word[2:])
    if words[:1] == ["format-patch"] and "--stdout" not in words:
        for folder in named or ["."]:
            reach.add(os.path.join(call.path(folder), "0"), prefix=True)
            reach.add(os.path.join(call.path(folder), "v"), prefix=True)
            call.name_only(reach, folder)
    elif words:
        for word in named:
            call.file(reach, word)


def _bundle(one: GitCall) -> None:
    for word in one.operands[1:2] if one.operands[:1] == ["create"] else ():
        one.call.file(one.reach, word)


def _globals(call: PlacedCall) -> tuple[str, list[str], list[str]]:
    """Read the options before the subcommand: man 1 git."""
    directory, doubts = call.directory, []
    words = call.words[1:]
    while words and words[0].startswith("-"):
        word = words.pop(0)
        if word == "-C" and words:
            directory = os.path.join(directory, words.pop(0))
        elif word in _PLAIN:
            continue
        else:
            if word in ("-c", "--git-dir", "--work-tree", "--namespace", "--exec-path") and words:
                words.pop(0)
            if word not in ("--version", "--help", "-h"):
                doubts.append(f"{word} is not followed")
    return directory, words, doubts


def _by_subcommand(one: GitCall) -> None:
    repository, reach, sub = one.repository, one.reach, one.sub
    handler = _HANDLERS.get(sub)
    # Many commands look into submodules, and git writes their indexes anew when it has looked.
    has_submodules = os.path.isfile(f"{repository.top}/.gitmodules")
    repository.add_state(reach, whole=has_submodules or sub in _WHOLE)
    if handler is not None:
        handler(one)
    elif sub in _DROPPING:
        repository.add_objects(reach)
    elif sub in _COLLECTING:
        repository.add_state(reach, whole=True)
        repository.add_objects(reach)
    elif sub not in _STATE:
        repository.add_state(reach, whole=True)
        one.doubt("what it changes is not known")
    if sub == "push":
        reach.beyond.append("git push: it changes another repository")
    if one.has("--recurse-submodules"):
        repository.add_state(reach, whole=True)
        one.doubt("it may change submodules")


def _commit(one: GitCall) -> None:
    if one.repository.has_hook("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"):
        _doubt_hooks(one)


def _doubt_hooks(one: GitCall) -> None:
    one.doubt("a hook may change anything")


def _clean(one: GitCall) -> None:
    if one.has("-n", "--dry-run"):
        return
    ignored = one.has("-x", "-X")
    for path in git_trees.untracked(one.repository, ignored=ignored):
        one.reach.add(path, deep=True, how=HARD_LINK)


def _worktree(one: GitCall) -> None:
    operands = one.operands
    if operands[:1] == ["add"]:
        for word in operands[1:]:
            path = one.call.path(word)
            if not os.path.exists(path) or not os.listdir(path):
                one.reach.add(path, deep=True)
    elif operands[:1] in (["remove"], ["move"]):
        for word in operands[1:]:
            one.reach.add(one.call.path(word), deep=True)
            for path in one.repository.worktrees():  # by its name alone
                if os.path.dirname(path).endswith(f"/{word}"):
                    one.reach.add(os.path.dirname(path), deep=True)
    elif operands[:1] == ["repair"]:
        for path in one.repository.worktrees():
            one.reach.add(path)
        for word in operands[1:]:
            one.reach.add(one.call.path(f"{word}/.git"))


def _submodule(one: GitCall) -> None:
    if one.operands[:1] in (["status"], ["summary"]):
        return
    one.doubt("it changes other repositories")
    one.reach.add(f"{one.repository.top}/.gitmodules")


def _configuration(one: GitCall) -> None:
    if one.has("-e", "--edit") or one.operands[:1] == ["edit"]:
        one.doubt("an editor may do anything")
    environment = one.call.environment
    home = environment.get("HOME", "")
    if one.has("--global") and home:
        base = environment.get("XDG_CONFIG_HOME") or f"{home}/.config"
        one.call.file(one.reach, environment.get("GIT_CONFIG_GLOBAL") or f"{home}/.gitconfig")
        one.call.file(one.reach, f"{base}/git/config")
    if one.has("--system"):
        one.call.file(one.reach, "/etc/gitconfig")
    for pos, word in enumerate(one.words):
        if word in ("-f", "--file") and pos + 1 < len(one.words):
            one.call.file(one.reach, one.words[pos + 1])
        elif word.startswith("--file="):
            one.call.file(one.reach, word[7:])


def _starting(call: PlacedCall, reach: Reach, words: list[str]) -> None:
    """git init and git clone: a repository that is there may be moved, or is changed in place."""
    parsed = call.parsed
    operands = texts(parsed.operands)
    if words[0] == "clone":
        _cloning(call, reach, operands)
        return
    top = call.path(operands[0]) if operands else call.directory
    repository = find_repository(top) if os.path.isdir(top) else None
    for word in _values_of("--separate-git-dir", words):
        reach.add(call.path(word), deep=True)
        if repository is not None:
            repository.add_state(reach, whole=True)
            repository.add_objects(reach)
            for path in repository.worktrees():
                reach.add(path)
            reach.add(f"{repository.top}/.git")
    if repository is not None and repository.top == located(top):
        repository.add_state(reach, whole=True)
    elif parsed.has("--bare"):
        reach.add(top, deep=True)
    else:
        reach.add(os.path.join(top, ".git"), deep=True)


def _values_of(option: str, words: list[str]) -> list[str]:
    behind = [after for word, after in pairwise(words) if word == option]
    return [*behind, *(w.partition("=")[2] for w in words if w.startswith(f"{option}="))]


def _cloning(call: PlacedCall, reach: Reach, operands: list[str]) -> None:
    if not operands:
        return
    guessed = operands[0].rstrip("/").removesuffix("/.git").rsplit("/", 1)[-1].rsplit(":", 1)[-1]
    for word in operands[1:2] or [guessed.removesuffix(".git"), f"{guessed}.git"]:
        reach.add(call.path(word), deep=True)


_WHOLE = frozenset(
    ("worktree", "submodule", "rm", "gc", "prune", "repack", "reflog", "filter-branch")
)
_HANDLERS: dict[str, Callable[[GitCall], None]] = {
    "commit": _commit,
    "bundle": _bundle,
    "clean": _clean,
    "worktree": _worktree,
    "submodule": _submodule,
    "config": _configuration,
    "checkout": git_trees.checkout,
    "switch": git_trees.checkout,
    "restore": git_trees.checkout,
    "checkout-index": git_trees.checkout,
    "read-tree": git_trees.checkout,
    "reset": git_trees.reset,
    "merge": git_trees.moving_commits,
    "rebase": git_trees.moving_commits,
    "cherry-pick": git_trees.moving_commits,
    "revert": git_trees.moving_commits,
    "stash": git_trees.stash,
    "apply": git_trees.apply,
    "am": git_trees.apply,
    "rm": git_trees.removing,
    "mv": git_trees.moving,
}

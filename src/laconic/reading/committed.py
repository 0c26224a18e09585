"""Which files that git brings from commits decide what runs later, and which secrets it prints.

The trees of the commits say which files change: `git checkout topic` where the branch has another
`.envrc`, `git stash pop`, `git show HEAD` of a commit with a key. A commit that is not known here
says nothing; a repository that cannot be read is a doubt. https://git-scm.com/docs/gitrevisions
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatchcase
from posixpath import join

from laconic.errors import FileError
from laconic.git.command import GitCommand
from laconic.git.objects import MissingObjectError
from laconic.git.repository import Repository, find_repository
from laconic.git.trees import CREATES, brought, fitting, stashed
from laconic.reading.call import Call
from laconic.reading.globs import WILD
from laconic.reading.places import Facts, is_guarded
from laconic.reading.secret_files import is_secret
from laconic.types import Decision, Effect, Kind

# What touches no file of the work tree, but may change what the next command brings: its words name
# commits that count there, too.
_REFS = frozenset(
    """
    branch bundle describe fetch merge-base name-rev read-tree remote replace reset rev-list
    rev-parse symbolic-ref tag update-ref
    """.split()
)
_PLUMBING = frozenset("fast-import unpack-objects update-index".split())
_PATHS = frozenset("checkout restore checkout-index".split())
_FORCED = ("-f", "--force", "--discard-changes")
_STATISTICS = (
    "--stat", "--numstat", "--shortstat", "--name-only", "--name-status", "--summary", "--raw",
    "--dirstat", "-s", "--no-patch", "-q", "--quiet",
)  # fmt: skip
_PATCHES = ("-p", "-u", "--patch", "-U", "--unified", "--patch-with-stat", "--cc")
_MOST_ENTRIES = 64
_MOST_PRINTED = 20  # commits of a log that are looked at
_FAULTS = (MissingObjectError, FileError, OSError, ValueError, RecursionError, IndexError)


def committed_findings(call: Call, ways: list[str]) -> Iterator[Decision]:
    """What follows from the trees. ways: the directories that options before the verb lead to."""
    verb = call.path[1] if len(call.path) > 1 else ""
    changes, prints = _CHANGES.get(verb), _PRINTS.get(verb)
    if changes is None and prints is None:
        return
    words = [*call.path[2:], *(argument.text or "" for argument in call.arguments)]
    for start in call.situation.directories:
        directory = join(start, *ways)
        repository = call.judge.facts.repository(directory) if directory[:1] == "/" else None
        if repository is None:
            continue
        command = GitCommand(verb, words, directory)
        if changes is not None:
            yield from _brought(call, command, repository, changes)
        if prints is not None:
            yield from _printed(call, prints(command, repository, call.judge.facts))


def _brought(
    call: Call,
    command: GitCommand,
    repository: Repository,
    changes: Callable[[GitCommand, Repository], set[bytes]],
) -> Iterator[Decision]:
    before = _before(call)
    try:
        if not repository.is_usual:
            raise ValueError("its form is not known")
        names = changes(command, repository)
        for words in before.values():
            names |= _of_words(words, repository)
    except _FAULTS:
        why = "brings files from commits that cannot be read here"
        yield call.judge.finding(Effect.UNCLEAR, f"{call.id}/brings", why, call.span)
        return
    guarded = next((text for text in sorted(map(_text, names)) if is_guarded(text)), None)
    if guarded is not None:
        why = f"brings another {guarded}, which decides what runs later"
        yield call.judge.finding(
            Effect.GUARDED_WRITE, f"{call.id}/brings", why, call.span, firm=True
        ).but(kind=Kind.WRITE)
    elif not _PLUMBING.isdisjoint(before):
        why = "brings files that an earlier command of the line chooses"
        effects = Effect.UNCLEAR | Effect.GUARDED_WRITE
        yield call.judge.finding(effects, f"{call.id}/brings", why, call.span)


def _before(call: Call) -> dict[str, list[str]]:
    """The commands of git before this one that change what names mean, with their words."""
    found: dict[str, list[str]] = {}
    for program in call.situation.seen.programs:
        if program is call.program:
            break
        words = [argument.text or "" for argument in program.arguments]
        verb = program.call.path[1:2] if program.call is not None and words else ()
        if program.name == "git" and verb and (verb[0] in _REFS or verb[0] in _PLUMBING):
            found.setdefault(verb[0], []).extend(words[1:])
    return found


def _of_words(words: Iterable[str], repository: Repository) -> set[bytes]:
    found: set[bytes] = set()
    head = repository.resolve("HEAD")
    for word in words:
        target = repository.resolve(word.lstrip("+").partition(":")[0]) if word else None
        if target is not None and head is not None and target != head:
            found |= repository.between(head, target)
    return found


def _printed(call: Call, names: Iterator[bytes]) -> Iterator[Decision]:
    try:
        secret = next((text for text in map(_text, names) if is_secret(text)), None)
    except _FAULTS:
        return
    if secret is not None:
        verb = "puts aside" if call.path[-1] == "stash" else "prints"
        why = f"{verb} {secret}, which has keys, passwords or tokens"
        yield call.judge.finding(Effect.SECRETS, f"{call.id}/secret", why, call.span).but(
            kind=Kind.SECRET
        )


def _text(name: bytes) -> str:
    return name.decode("utf-8", "replace")


# -- what changes in the work tree -----------------------------------------------------------------


def _checkout(command: GitCommand, repository: Repository) -> set[bytes]:
    """From a commit, from the index (its own word is what was changed here), or both."""
    if command.has("-S", "--staged") and not command.has("-W", "--worktree"):
        return set()
    names = brought(command, repository).names
    creates = command.has(*CREATES)
    paths = _paths(command, repository) if command.sub in _PATHS and not creates else []
    if paths or command.has(*_FORCED) or command.sub == "checkout-index":
        names |= _own(repository)
    if command.has(*_FORCED) or (command.sub == "read-tree" and command.has("-u")):
        names |= set(repository.staged())
    if command.sub == "checkout-index" and command.has("--prefix"):
        names |= {entry.name for entry in repository.index.entries}
    if not paths:
        return names
    tests = [fitting(repository, command.directory, path) for path in paths]
    return {name for name in names if any(fits(name) for fits in tests)}


def _own(repository: Repository) -> set[bytes]:
    """The guarded files that are other here than the index has them."""
    others = (*repository.dirty(or_absent=True), *repository.staged())
    names = {name for name in others if is_guarded(_text(name))}
    return set(repository.changed(names.__contains__)) if names else names


def _paths(command: GitCommand, repository: Repository) -> list[str]:
    """The paths that it is about; without any, it is about all."""
    words, operands = command.words, [word for word in command.words if word[:1] != "-"]
    if any(word.startswith("--pathspec-from-file") for word in words):
        return [":"]
    if "--" in words:
        return words[words.index("--") + 1 :]
    if command.sub == "checkout" and operands and repository.resolve(operands[0]) is not None:
        return operands[1:]
    if command.sub == "checkout" and "..." in "".join(operands[:1]):
        return operands[1:]
    return operands


def _reset(command: GitCommand, repository: Repository) -> set[bytes]:
    if not command.has("--hard", "--merge", "--keep"):
        return set()
    own = {*_own(repository), *repository.staged()} if command.has("--hard") else set()
    return own | brought(command, repository).names


def _merge(command: GitCommand, repository: Repository) -> set[bytes]:
    """What the other side has changed since it parted from HEAD."""
    if command.has("--abort", "--continue", "--skip", "--quit"):
        return brought(command, repository).names
    operands = command.operands
    if command.sub == "pull":
        local = [name for name in _local_names(command, repository, operands) if name]
        if local:
            return set().union(*local)
        remote, *branches = (*operands, "@{u}") if len(operands) < 2 else operands  # noqa: PLR2004
        operands = [f"{remote}/{name.partition(':')[0]}" for name in branches if name != "@{u}"]
        operands = operands or ["@{u}"]
    return _parted(operands or ["@{u}"], repository)


def _parted(operands: list[str], repository: Repository) -> set[bytes]:
    names: set[bytes] = set()
    head = repository.resolve("HEAD")
    for word in operands:
        target = repository.resolve(word)
        if target is not None and head is not None:
            names |= repository.between(head, target) & repository.brought_since(target, head)
        elif target is not None:
            names |= set(repository.objects.names(repository.objects.commit(target)[0]))
    return names


def _local_names(
    command: GitCommand, repository: Repository, operands: list[str]
) -> Iterator[set[bytes]]:
    """What another repository on this machine has that HEAD has not: `git pull ./other topic`."""
    if not operands or not operands[0].startswith((".", "/", "file://")):
        return
    other = find_repository(join(command.directory, operands[0].removeprefix("file://")))
    if other is None:
        return
    mine = _entries(repository, "HEAD")
    for word in operands[1:] or ["HEAD"]:
        theirs = _entries(other, word.lstrip("+").partition(":")[0])
        yield {name for name, entry in theirs.items() if mine.get(name) != entry}


def _entries(repository: Repository, name: str) -> dict[bytes, tuple[bytes, bytes]]:
    commit = repository.resolve(name)
    if commit is None:
        return {}
    return dict(repository.objects.entries(repository.objects.commit(commit)[0]))


def _clone(command: GitCommand, repository: Repository) -> set[bytes]:
    """A repository on this machine that is cloned, where it differs from this one."""
    where = [word for word in command.operands if word.startswith((".", "/", "file://"))]
    branches = [
        after
        for word, after in zip(command.words, command.words[1:], strict=False)
        if word in ("-b", "--branch", "--revision")
    ]
    return set().union(*_local_names(command, repository, [*where[:1], *branches]))


def _rebase(command: GitCommand, repository: Repository) -> set[bytes]:
    if command.has("--abort", "--continue", "--skip", "--quit", "--edit-todo"):
        return brought(command, repository).names
    return _parted(command.operands or ["@{u}"], repository)


def _stash(command: GitCommand, repository: Repository) -> set[bytes]:
    operands = command.operands
    sub = operands[0] if operands else "push"
    if sub in ("list", "show", "drop", "clear", "create", "store", "export", "import"):
        return set()
    if sub not in ("pop", "apply", "branch"):
        return {*_own(repository), *repository.staged()}
    return brought(command, repository).names


def _worktree(command: GitCommand, repository: Repository) -> set[bytes]:
    if command.words[:1] != ["add"] or command.has("--no-checkout"):
        return set()
    return _of_words((word for word in command.words[1:] if word[:1] != "-"), repository)


def _bisect(command: GitCommand, repository: Repository) -> set[bytes]:
    """The commits between the bad one and the good ones, or the one to go back to."""
    sub, *words = command.words or [""]
    if sub not in ("start", "good", "bad", "old", "new", "reset"):
        return set()
    known = [one for one in map(repository.resolve, filter(None, words)) if one is not None]
    head = repository.resolve("HEAD")
    names: set[bytes] = set()
    for tip in known if head is not None else ():
        assert head is not None
        names |= repository.between(head, tip) if sub == "reset" else set()
        names |= repository.brought_since(tip, head) | repository.brought_since(head, tip)
    return names


def _names(command: GitCommand, repository: Repository) -> set[bytes]:
    return brought(command, repository).names


_CHANGES: dict[str, Callable[[GitCommand, Repository], set[bytes]]] = {
    "checkout": _checkout,
    "switch": _checkout,
    "restore": _checkout,
    "checkout-index": _checkout,
    "read-tree": _checkout,
    "reset": _reset,
    "merge": _merge,
    "pull": _merge,
    "rebase": _rebase,
    "stash": _stash,
    "cherry-pick": _names,
    "revert": _names,
    "am": _names,
    "worktree": _worktree,
    "bisect": _bisect,
    "clone": _clone,
}


# -- what is printed -------------------------------------------------------------------------------


def _shown(command: GitCommand, repository: Repository, facts: Facts) -> Iterator[bytes]:
    if command.has(*_STATISTICS) and not command.has(*_PATCHES):
        return
    commits, fits = _split(command, repository, facts)
    for word in commits or ["HEAD"]:
        commit = repository.resolve(word)
        if commit is not None:
            yield from filter(fits, repository.brought_by(commit))


def _logged(command: GitCommand, repository: Repository, facts: Facts) -> Iterator[bytes]:
    if not command.has(*_PATCHES) and command.sub not in ("format-patch", "range-diff"):
        return
    commits, fits = _split(command, repository, facts)
    for word in commits or ["HEAD"]:
        base, dots, tip = word.partition("..")
        commit = repository.resolve(tip.removeprefix(".") or "HEAD" if dots else word)
        if commit is None:
            continue
        if dots and (start := repository.resolve(base or "HEAD")) is not None:
            yield from filter(fits, repository.brought_since(commit, start))
            continue
        for one in repository.first_of(commit, _MOST_PRINTED):
            yield from filter(fits, repository.brought_by(one))


def _compared(command: GitCommand, repository: Repository, facts: Facts) -> Iterator[bytes]:
    if (command.has(*_STATISTICS) and not command.has(*_PATCHES)) or command.has("--no-index"):
        return
    words, fits = _split(command, repository, facts)
    sides = [side or "HEAD" for word in words for side in word.replace("...", "..").split("..")]
    known = [one for one in map(repository.resolve, sides) if one is not None]
    if command.has("--cached", "--staged"):
        yield from filter(fits, repository.staged())
    elif len(known) < 2:  # noqa: PLR2004 - two commits to compare, else the work tree
        here = set(_secrets_here(repository.top, facts))
        yield from filter(fits, repository.changed(here.__contains__)) if here else ()
    if command.sub == "diff-tree" and len(known) == 1:
        yield from filter(fits, repository.brought_by(known[0]))
    head = repository.resolve("HEAD")
    others = known[1:] or ([head] if head is not None else [])
    for one, other in zip(known, others, strict=False):
        yield from filter(fits, repository.between(one, other))


def _secrets_here(top: str, facts: Facts) -> Iterator[bytes]:
    """The secrets at the top of the work tree, and in the directories there."""
    entries = list(facts.names(top))
    below = [
        f"{one}/{name}" for one in entries[:_MOST_ENTRIES] for name in facts.names(f"{top}/{one}")
    ]
    return (path.encode() for path in (*entries, *below) if is_secret(path))


def _shown_stash(command: GitCommand, repository: Repository) -> Iterator[bytes]:
    untracked = command.has("--include-untracked", "--only-untracked", "-u")
    if command.has(*_STATISTICS) and not command.has(*_PATCHES):
        return
    if not untracked and not command.has(*_PATCHES):
        return
    commit = stashed(repository, (command.operands[1:] or [""])[0])
    if commit is None:
        return
    _, parents = repository.objects.commit(commit)
    yield from repository.between(parents[0], commit) if parents else ()
    for parent in parents[2:] if untracked else ():
        yield from repository.objects.names(repository.objects.commit(parent)[0])


def _stashed(command: GitCommand, repository: Repository, facts: Facts) -> Iterator[bytes]:
    """`git stash -u`: what is not tracked, and with -a what is ignored as well."""
    if command.words[:1] == ["show"]:
        yield from _shown_stash(command, repository)
        return
    if command.words[:1] == ["list"]:
        for number in range(_MOST_PRINTED if command.has(*_PATCHES) else 0):
            if (commit := stashed(repository, str(number))) is not None:
                yield from repository.brought_by(commit)
        return
    takes_all = command.has("-a", "--all")
    if not takes_all and not command.has("-u", "--include-untracked"):
        return
    here = list(_secrets_here(repository.top, facts))
    files = (f"{repository.common}/info/exclude", f"{facts.home}/.config/git/ignore")
    texts = [facts.text(path) or "" for path in (*files, f"{repository.top}/.gitignore")]
    rules = [line.strip() for text in texts for line in text.splitlines()]
    tracked = {entry.name for entry in repository.index.entries} if here else set()
    yield from (
        name
        for name in here
        if name not in tracked and (takes_all or not _is_ignored(_text(name), rules))
    )


def _is_ignored(path: str, rules: list[str]) -> bool:
    """Tell whether the last rule about a path ignores it: gitignore(5)."""
    is_ignored = False
    for rule in rules:
        text = rule.removeprefix("!").rstrip("/")
        if not text or rule[:1] == "#":
            continue
        parts = path.split("/") if "/" not in text else [path]
        if any(fnmatchcase(part, text.lstrip("/")) for part in parts):
            is_ignored = rule[:1] != "!"
    return is_ignored


def _archived(command: GitCommand, repository: Repository, facts: Facts) -> Iterator[bytes]:
    if command.sub == "bundle" and command.words[:1] != ["create"]:
        return
    commits, fits = _split(command, repository, facts)
    for word in commits:
        commit = repository.resolve(word)
        if commit is not None:
            yield from filter(fits, repository.objects.names(repository.objects.commit(commit)[0]))


def _searched(command: GitCommand, repository: Repository, facts: Facts) -> Iterator[bytes]:
    """`git grep` looks into all files that are tracked."""
    here = set(_secrets_here(repository.top, facts))
    if not here or command.has("--cached", "--no-index", "-l", "-L", "-c", "--count", "-q"):
        return
    has_pattern = command.has("-e", "-f")
    operands = [word for word in command.words if word[:1] != "-"][0 if has_pattern else 1 :]
    tests = [fitting(repository, command.directory, word) for word in operands]
    for entry in repository.index.entries:
        if entry.name in here and (not tests or any(fits(entry.name) for fits in tests)):
            yield entry.name


def _objects(command: GitCommand, repository: Repository, _facts: Facts) -> Iterator[bytes]:
    """`git cat-file --batch-all-objects --batch`: all that there is."""
    head = repository.resolve("HEAD")
    if head is None or not command.has("--batch-all-objects"):
        return
    yield from repository.objects.names(repository.objects.commit(head)[0])
    for one in repository.first_of(head, _MOST_PRINTED):
        yield from repository.brought_by(one)


def _split(
    command: GitCommand, repository: Repository, facts: Facts
) -> tuple[list[str], Callable[[bytes], bool]]:
    """The words that name commits, and what tells whether the paths are about a name."""
    words = command.words
    end = words.index("--") if "--" in words else len(words)
    commits, paths = [], words[end + 1 :]
    for word in words[:end]:
        if word[:1] == "-" or not word:
            continue
        sides = [side or "HEAD" for side in word.replace("...", "..").split("..")]
        if all(repository.resolve(side) is not None for side in sides):
            commits.append(word)
        elif WILD.search(word) or facts.exists(join(command.directory, word)):
            paths.append(word)
    tests = [fitting(repository, command.directory, path) for path in paths if ":" not in path]
    return commits, lambda name: not tests or any(fits(name) for fits in tests)


_PRINTS: dict[str, Callable[[GitCommand, Repository, Facts], Iterator[bytes]]] = {
    "show": _shown,
    "log": _logged,
    "whatchanged": _logged,
    "reflog": _logged,
    "format-patch": _logged,
    "diff": _compared,
    "diff-index": _compared,
    "diff-files": _compared,
    "diff-tree": _compared,
    "range-diff": _logged,
    "archive": _archived,
    "bundle": _archived,
    "fast-export": _archived,
    "grep": _searched,
    "cat-file": _objects,
    "stash": _stashed,
}

"""git: subcommands whose operands decide whether they read or write.

Unsafe: remote helpers (`ext::command`, any `name::address`), which run programs, wherever a remote
repository may be named; refspecs that write local refs (`git fetch origin a:b`) and --prune, which
deletes what the remote side deleted; `git config NAME VALUE`; `git tag NAME`; subcommands of reflog
that are not known; pushes that overwrite or delete.
"""

from __future__ import annotations

import posixpath

from laconic.git.objects import MissingObjectError
from laconic.git.repository import Repository
from laconic.knowledge.arguments import Argument
from laconic.knowledge.options import Parsed
from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.reading.commands.setting_by_name import is_secret_setting
from laconic.reading.environment import is_harmless
from laconic.reading.places import is_guarded, joined
from laconic.types import Effect, Kind

_FORCE = pattern(r"--force|--mirror$|--delete$|--prune$|-[a-zA-Z]*[fd][a-zA-Z]*$|[+:]")
_CREDENTIALS = pattern(r"://[^/\s:@]*:[^/\s@]+@|://[^/\s:@]{20,}@|(?i:extraheader)\s*=")
_BLANKS, _ESCAPED = pattern(r"(?<!%) "), pattern("%([% ])")  # git-remote-ext(1)
_HELPER = pattern(r"[A-Za-z0-9+.-]*::")
_BEFORE_HELPER = pattern(r"[A-Za-z0-9+.-]*:?")
_LISTS_TAGS = (
    "-l", "--list", "-n", "-v", "--verify", "--contains", "--no-contains", "--merged",
    "--no-merged", "--points-at",
)  # fmt: skip
_LISTS_BRANCHES = (
    "-l", "--list", "-r", "--remotes", "-a", "--all", "-v", "--verbose", "--show-current",
    "--contains", "--no-contains", "--merged", "--no-merged", "--points-at", "--format", "--sort",
    "--column",
)  # fmt: skip
_CHANGES_BRANCHES = (
    "-d", "--delete", "-m", "--move", "-c", "--copy", "-t", "--track", "--no-track", "-u",
    "--set-upstream-to", "--unset-upstream", "--create-reflog",
)  # fmt: skip
_PUBLISHES = "publishes commits"
_REMOTE_AND_BRANCH = 2
_PUSHES_MORE = ("--all", "--branches", "--mirror", "--tags", "-d", "--delete")
_DEFAULT_BRANCH = pattern(r"(?:ref: )?(?:refs/heads/)?(?:main|master|trunk)")
# No name of a branch ends so: a directory, a file with an extension that begins with a letter.
_LIKE_A_FILE = pattern(r"^\.\.?(?:/|$)|^[/:]|/$|\.[A-Za-z]\w*$")
_IMPORTED = pattern(r"(?m)^(?:M \S+ \S+ (.+)|[CR] .* (\S+))$")
_CONFIG_GETS = (
    "--get", "--get-all", "--get-regexp", "--get-urlmatch", "--get-color", "--get-colorbool",
)  # fmt: skip
_CONFIG_VERBS = frozenset(("set", "unset", "rename-section", "remove-section", "edit"))


def judge(call: Call) -> None:
    verb, parsed = call.path[1], call.parsed
    if verb in _NAME_REMOTES:
        _judge_remotes(call)
    if verb == "clone" and parsed.operands:
        _judge_cloned(call, parsed)
    if call.is_parsed:
        is_list = verb == "config" and parsed.has("-l", "--list", "--get-regexp")
        if (is_list or verb == "remote") and _holds_credentials(call):
            why = "prints credentials that stand in the repository's configuration"
            call.does(Effect.SECRETS, Kind.SECRET, why)
        if verb in _BY_OPERANDS:
            _BY_OPERANDS[verb](call, parsed)
        if verb in _PRINTS_CONTENTS or parsed.has(*_PATCHES):
            _judge_contents(call, parsed)


def _judge_cloned(call: Call, parsed: Parsed) -> None:
    """The directory that is named, else one with the name of the repository; -C comes before it."""
    ways = _ways(call)
    address, *directories = parsed.operands
    name = (address.text or "").rstrip("/").removesuffix(".git").rpartition("/")[2]
    made = Argument(name.rpartition(":")[2] or None, address.start, address.end)
    directory = directories[0] if directories else made
    if ways and directory.text is not None:
        path = posixpath.join(*ways, directory.text)
        call.writes(Argument(path, address.start, address.end))
    elif not directories:
        call.writes(made)
    if parsed.has("-c", "--config") and call.effects & Effect.PROJECT_CODE:
        why = "runs a program by a path in the repository that it brings"
        call.does(Effect.RUNS_FETCHED, Kind.CODE, why)


def _judge_place(call: Call, place: Argument) -> None:
    """A directory that gets files: `git init .` in a project is an everyday thing."""
    if call.leads_to_guarded(place, whatever=False) or any(map(call.is_outside, place.texts)):
        call.writes(place, whatever=False)


def judge_work_trees(call: Call, trees: list[Argument]) -> None:
    """`git --work-tree=DIR checkout`: what is changed is changed there."""
    if call.entry.verdict == "ask" or call.path[-1] in _BY_OPERANDS:
        for tree in trees:
            _judge_place(call, tree)


def _judge_init(call: Call, parsed: Parsed) -> None:
    ways = _ways(call)
    for directory in parsed.operands or [Argument(".", *call.span)]:
        path = posixpath.join(*ways, directory.text or "") if ways else directory.text
        _judge_place(call, Argument(path, directory.start, directory.end, glob=directory.glob))


def _ways(call: Call) -> list[str]:
    """The directories that -C leads to."""
    return [way.text or "" for _, before in call.match.before for way in before.values("-C")]


def _holds_credentials(call: Call) -> bool:
    """Tell whether an address or a header in the configuration has a password or a token."""
    facts = call.judge.facts
    texts = (facts.text(f"{d}/.git/config") for d in (*call.situation.directories, facts.project))
    return any(_CREDENTIALS.search(text) for text in texts if text)


def _judge_contents(call: Call, parsed: Parsed) -> None:
    """Files of the work tree, of a commit (`HEAD:.env`) or, with --no-index, of anywhere."""
    first = 1 if call.path[1] == "grep" and not parsed.has("-e", "-f") else 0
    for operand in (*parsed.operands[first:], *parsed.values("-L")):
        call.reads(operand.behind(operand.leading.rfind(":") + 1))
    if call.path[1] == "grep" and parsed.has("--no-index", "--no-exclude-standard"):
        call.reads_trees(parsed.operands[1:])


def _judge_remotes(call: Call) -> None:
    operands = call.parsed.operands if call.is_parsed else call.arguments
    remotes = operands[:1] if call.path[1] in _REMOTE_COMES_FIRST else operands
    for argument in call.arguments:
        if _names_helper(argument) or (argument in remotes and _may_name_helper(argument)):
            call.does(
                Effect.UNKNOWN, "helper", "runs a program that talks to the remote side", argument
            )
            if argument.leading.startswith("ext::") and argument.text is not None:
                words = _BLANKS.split(argument.text.removeprefix("ext::"))
                span = argument.start, argument.end
                call.runs([Argument(_ESCAPED.sub(r"\1", word), *span) for word in words if word])


def _names_helper(argument: Argument) -> bool:
    """Tell whether it is `name::address`, or an option that has one for its value."""
    known = argument.leading
    return "::" in known if known.startswith("-") else _HELPER.match(known) is not None


def _may_name_helper(argument: Argument) -> bool:
    return not argument.is_static and _BEFORE_HELPER.fullmatch(argument.leading) is not None


def _judge_rebase(call: Call, _parsed: Parsed) -> None:
    """`GIT_SEQUENCE_EDITOR=: git rebase -i`: no editor is started.

    https://git-scm.com/docs/git-var#Documentation/git-var.txt-GITSEQUENCEEDITOR
    """
    given = {**call.situation.exported, **call.situation.prefix_env}
    names = [name for name in ("GIT_SEQUENCE_EDITOR", "GIT_EDITOR") if name in given]
    if names and is_harmless(names[0], given[names[0]]):
        starts = [a.start for a in call.arguments if a.text in ("-i", "--interactive")]
        call.findings = [
            f for f in call.findings if f.kind is not Kind.EDITOR or f.start not in starts
        ]


def _judge_push(call: Call, parsed: Parsed) -> None:
    if parsed.has("-n", "--dry-run"):
        call.network()
    is_here = not any(before.options for _, before in call.match.before)
    why = (_pushed(call, parsed) if is_here else "") or _PUBLISHES
    force = next((word for word in call.arguments if _FORCE.match(word.leading)), None)
    if force is not None and _reaches_default_branch(call, parsed.operands[1:]):
        harm = "overwrites or deletes the default branch of the remote repository"
        instead = "push to another branch, and ask the user to merge it"
        call.does(Effect.DESTROYS, "force", harm, force, instead)
    elif force is not None:
        why += ", and may overwrite or delete what is there"
        call.does(Effect.SENDS, "force", "may overwrite or delete published commits", force)
    call.names(_PUBLISHES, why)


def _pushed(call: Call, parsed: Parsed) -> str:
    """Say how many commits go to which branch, as far as the repository tells."""
    operands, directories = parsed.operands, call.situation.directories
    if len(operands) > _REMOTE_AND_BRANCH or not all(operand.is_static for operand in operands):
        return ""
    repository = call.judge.facts.repository(directories[0]) if len(directories) == 1 else None
    current = repository.branch if repository is not None else ""
    words = [operand.text or "" for operand in operands]
    remote = words[0] if words else ""
    if not remote and repository is not None:
        remote = repository.configured(current).get("remote", "origin")
    source, _, target = (words[1:] or [current])[0].lstrip("+").rpartition(":")
    source, target = source or target, (target or source).removeprefix("refs/heads/")
    target = current if target in ("HEAD", "@") else target
    if remote and any(argument.text == "--mirror" for argument in call.arguments):
        return f"publishes all branches and tags to {remote}"
    if not remote or not target or parsed.has(*_PUSHES_MORE):
        return f"{_PUBLISHES} to {remote}" if remote else ""
    where = target if "/" in remote or ":" in remote else f"{remote}/{target}"
    where = f"{remote}, branch {target}" if where == target else where
    number = "" if repository is None else _number_of_new(repository, source, remote, target)
    return f"publishes {number or 'commits'} to {where}"


def _number_of_new(repository: Repository, source: str, remote: str, target: str) -> str:
    try:
        tip = repository.resolve(source)
        base = repository.resolve(f"refs/remotes/{remote}/{target}")
        number = len(repository.since(tip, base)) if tip and base else 0
    except (MissingObjectError, OSError, ValueError):
        return ""
    return f"{number} commit{'s' if number > 1 else ''}" if number else ""


def _reaches_default_branch(call: Call, refspecs: list[Argument]) -> bool:
    """`main`, `+x:main`, `:refs/heads/main`; without a refspec, the branch that is checked out."""
    names = [refspec.leading.rpartition(":")[2].lstrip("+") for refspec in refspecs]
    if not names:
        directories = call.situation.directories
        names = [call.judge.facts.text(f"{cwd}/.git/HEAD") or "" for cwd in directories]
    return any(_DEFAULT_BRANCH.fullmatch(name.strip()) for name in names)


def _judge_checkout(call: Call, parsed: Parsed) -> None:
    """Git refuses to lose changes when it switches, but not when it is told a file."""
    operands = parsed.operands
    creates = parsed.has("-b", "--orphan")
    is_file = parsed.ended or (len(operands) > 1 and not creates)
    if not is_file and operands and not creates:
        is_file = _may_be_file(call, operands[0])
    if is_file:
        last = operands[-1] if operands else None
        call.does(Effect.DISCARDS, "", "throws away changes in the work tree", last)
    else:
        call.does(Effect.HISTORY, "", "creates a branch" if creates else "switches to a branch")


def _may_be_file(call: Call, operand: Argument) -> bool:
    if operand.is_revision and not any("/" in shape for shape in operand.shapes):
        return False
    if operand.text is None or operand.glob or _LIKE_A_FILE.search(operand.text):
        return True
    exists = call.judge.facts.exists
    return any(exists(f"{cwd}/{operand.text}") for cwd in call.situation.directories)


def _judge_moved(call: Call, parsed: Parsed) -> None:
    """`git mv` and `git rm`: files of the work tree, which may be guarded."""
    if parsed.has("-n", "--dry-run", "--cached"):
        return
    moved = call.path[1] == "mv"
    for operand in parsed.operands[:-1] if moved else parsed.operands:
        call.deletes(operand, verb="moves" if moved else "deletes")
    for operand in parsed.operands[-1:] if moved else ():
        call.writes(operand)


def _judge_restore(call: Call, parsed: Parsed) -> None:
    if parsed.has("-S", "--staged") and not parsed.has("-W", "--worktree"):
        call.does(Effect.HISTORY, "", "takes files out of the index")
    else:
        call.does(Effect.DISCARDS, "", "throws away changes in the work tree")


def _judge_branch(call: Call, parsed: Parsed) -> None:
    if parsed.has("-D", "-M", "-C", "-f", "--force"):
        call.does(Effect.DISCARDS, "force", "deletes or overwrites a branch")
    elif parsed.has(*_CHANGES_BRANCHES) or (parsed.operands and not parsed.has(*_LISTS_BRANCHES)):
        call.does(Effect.HISTORY, "change", "creates, renames or deletes a branch")


def _judge_fetch(call: Call, parsed: Parsed) -> None:
    if parsed.has("-p", "--prune") and not parsed.has("--dry-run"):
        why = "deletes remote-tracking branches, whose commits may be nowhere else"
        call.does(
            Effect.HISTORY, "prune", why, instead="git fetch; git remote prune --dry-run NAME"
        )
    for operand in parsed.operands:
        if not operand.is_static:
            why = "fetches a remote or a refspec that is not known"
            call.does(Effect.UNCLEAR, "refspec", why, operand)
    for refspec in parsed.operands[1:]:
        if ":" in refspec.leading or refspec.leading.startswith("+"):
            call.does(Effect.HISTORY, "refspec", "writes local refs", refspec)


def _judge_config(call: Call, parsed: Parsed) -> None:
    words = [operand.text for operand in parsed.operands]
    first = words[0] if words else ""
    lists = parsed.has("-l", "--list")
    gets = parsed.has(*_CONFIG_GETS) or len(words) == 1
    if None in words or first in _CONFIG_VERBS or not (lists or gets):
        name = next((word for word in words if word and word not in _CONFIG_VERBS), "")
        what = f"git's setting {name}" if name else "settings of git"
        call.does(Effect.GUARDED_WRITE, Kind.WRITE, f"changes {what}")
    elif any(map(is_secret_setting, filter(None, words))):
        call.does(Effect.SECRETS, Kind.SECRET, "prints a setting that may hold a token")


def _judge_add(call: Call, parsed: Parsed) -> None:
    """What is staged can be shown by git from then on, and goes out with a push."""
    for operand in parsed.operands if not parsed.has("-n", "--dry-run") else ():
        if call.names_secret(operand):
            why = "puts keys, passwords or tokens into the repository"
            call.does(Effect.SECRETS, Kind.SECRET, why, operand)
    if parsed.has("-f", "--force") and not parsed.has("-n", "--dry-run"):
        call.reads_trees(parsed.operands)


def _judge_import(call: Call, _parsed: Parsed) -> None:
    """`git fast-import < FILE`: the paths that a stream names: git-fast-import(1)."""
    situation, facts = call.situation, call.judge.facts
    text, file = situation.input_text, situation.input_file
    if file is not None and file.text:
        here = (facts.text(joined(cwd, file.text)) for cwd in situation.directories)
        text = next((one for one in here if one is not None), text)
    if text is None:
        call.does(Effect.UNCLEAR, Kind.INPUT, "imports files from a stream that is not read")
    for found in _IMPORTED.finditer(text or ""):
        name = (found[1] or found[2]).strip('"')
        if is_guarded(name):
            why = f"brings another {name}, which decides what runs later"
            call.does(Effect.GUARDED_WRITE, Kind.WRITE, why)
            return


def _judge_tag(call: Call, parsed: Parsed) -> None:
    if parsed.operands and not parsed.has(*_LISTS_TAGS, "-d", "--delete"):
        call.does(
            Effect.HISTORY,
            Kind.CREATE,
            "creates a tag",
            parsed.operands[0],
            instead="git tag --list PATTERN",
        )


def _judge_reflog(call: Call, parsed: Parsed) -> None:
    _judge_collection(call, parsed)
    if parsed.operands and not parsed.operands[0].is_static:
        call.does(Effect.UNCLEAR, Kind.SUBCOMMAND, "what it does is not known", parsed.operands[0])


def _judge_collection(call: Call, parsed: Parsed) -> None:
    """Objects that nothing names go at once: with an expired reflog nothing brings them back."""
    for when in parsed.values("--prune", "--expire", "--expire-unreachable"):
        if when.text is None or when.text in ("now", "all"):
            why = "deletes the commits that no branch or tag names"
            call.does(Effect.DISCARDS | Effect.SYSTEM, "prune", why, when)


_PRINTS_CONTENTS = frozenset(
    "annotate archive blame cat-file diff diff-files diff-index grep show".split()
)
_PATCHES = ("-p", "-u", "--patch", "-U", "--unified", "--patch-with-stat", "-L", "-c", "--cc")
_REMOTE_COMES_FIRST = frozenset("clone ls-remote pull push".split())
_NAME_REMOTES = _REMOTE_COMES_FIRST | {"fetch", "remote", "request-pull", "submodule"}
_BY_OPERANDS = {
    "fast-import": _judge_import,
    "add": _judge_add,
    "init": _judge_init,
    "init-db": _judge_init,
    "stage": _judge_add,
    "branch": _judge_branch,
    "checkout": _judge_checkout,
    "mv": _judge_moved,
    "rm": _judge_moved,
    "restore": _judge_restore,
    "push": _judge_push,
    "rebase": _judge_rebase,
    "fetch": _judge_fetch,
    "pull": _judge_fetch,
    "config": _judge_config,
    "tag": _judge_tag,
    "reflog": _judge_reflog,
    "gc": _judge_collection,
}

"""Shell code that a shell reads from its standard input, where the line itself gives that text.

Unsafe: the code, judged as behind -c; and a command in it that reads its input, because that is the
rest of the code: what `read` takes away may be the line that makes text of the next ones. So all
but the last line must consist of commands that are known not to read, or that get another input.
https://pubs.opengroup.org/onlinepubs/9799919799/utilities/sh.html, section STDIN
"""

from __future__ import annotations

from laconic.knowledge.arguments import Argument, evaluate
from laconic.knowledge.catalog import library
from laconic.knowledge.traits import inner
from laconic.patterns import pattern
from laconic.shell import ParseError, parse
from laconic.shell.ast import Function, Redirect
from laconic.shell.walk import Occurrence, commands
from laconic.shell.words import literal

# By their manuals these do not read their input unless a word says so, as _SAYS_SO knows.
_NEVER_READ = frozenset(
    """
    : [ basename break cd chmod continue cp date declare df dirname du echo exit export false file
    hash id kill ln local ls mkdir mktemp mv popd printenv printf ps pushd pwd readlink readonly
    realpath return rm rmdir set shift shopt sleep stat test touch tree true type typeset ulimit
    umask uname unset wait which whoami
    black cargo cc clang clang++ curl eslint g++ gcc go gofmt golangci-lint jest make mypy npm pip
    pip3 pnpm pytest ruff rustc tsc uv vitest wget yarn
    """.split()
)
_GIT_NEVER_READS = frozenset(
    """
    add branch checkout cherry-pick clone commit config describe diff fetch init log ls-files merge
    mv pull push rebase remote reset restore rev-list rev-parse revert rm show stash status switch
    tag worktree
    """.split()
)
_DEEPEST = 5
_SAYS_SO = pattern(r".*[@=]-|-|-\w-|.*(?:/dev/stdin|/fd/0|stdin).*|--batch.*")


def may_read_itself(code: str) -> bool:
    """Tell whether a command of the code may read what follows it."""
    try:
        script = parse(code.encode("utf-8", "surrogateescape"))
    except ParseError:
        return False  # judged as such
    items = script.body.items
    # The shell reads a line before it runs what is in it.
    last_line = script.source.rfind(b"\n", 0, items[-1].start) if items else 0
    defined = {node.name for node in script.nodes() if isinstance(node, Function)}
    return any(
        _changes_input(occurrence)
        or (occurrence.command.start < last_line and _may_read(occurrence, defined))
        for occurrence in commands(script)
    )


def _changes_input(occurrence: Occurrence) -> bool:
    """`exec < file`: from then on the shell reads its code from there."""
    return "exec" in [literal(word) for word in occurrence.command.words[:4]]


def _may_read(occurrence: Occurrence, defined: set[str]) -> bool:
    command, context = occurrence.command, occurrence.context
    if context.reads_pipe or any(map(_is_input, (*command.redirects, *context.around))):
        return False
    words = [argument.text or "" for argument in _behind_wrappers(evaluate(command.words, {}))]
    if any(map(_SAYS_SO.fullmatch, words)):
        return True
    if words[:1] == ["git"]:
        return not words[1:] or words[1] not in _GIT_NEVER_READS
    return bool(words) and words[0] not in _NEVER_READ and words[0] not in defined


def _behind_wrappers(arguments: list[Argument]) -> list[Argument]:
    for _ in range(_DEEPEST):
        found = (inner(arguments, trait, library()) for trait in ("hands-on", "transparent"))
        inside = next(filter(None, found), None)
        if inside is None:
            break
        arguments = inside
    return arguments


def _is_input(redirect: Redirect) -> bool:
    return redirect.operator.startswith("<") and redirect.fd in ("", "0")

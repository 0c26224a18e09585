"""Names of secrets that one command prints, and another one of the same line reads.

`find . -name .netrc | xargs cat` and `ls -a | while read f; do cat "$f"; done` read files whose
names are only known when they run. That is fine where names are those of a project; it is not where
the line names secrets itself, or lists what is hidden and hands it on.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise, takewhile

from laconic.knowledge.arguments import Argument
from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.reading.globs import is_chosen, names_meant
from laconic.reading.secret_files import is_secret, secrets_below
from laconic.reading.situation import LineLog
from laconic.reading.spans import Spans
from laconic.shell.ast import Command, Node, Pipeline, Redirect, nodes
from laconic.shell.words import literal
from laconic.types import Decision, Effect, Verdict

Span = tuple[int, int]

_DIRECT = 2  # the one that prints the names, and the one that takes them
_BLANKS = pattern(r"\s+|\\[nt0]")
_EXPRESSION = pattern(r"-[A-Za-z]|[(!]")
_TAKE_EXPRESSIONS = frozenset(("awk", "grep", "sed"))
_LISTS_OTHERS = pattern(r"-[a-z]*[oi][a-z]*|--others|--ignored")
_LISTS_HIDDEN = {
    **dict.fromkeys("ls gls exa eza lsd dir vdir".split(), pattern(r"-\w*[aAf]\w*|--a.*")),
    "fd": pattern(r"-\w*[HuI]\w*|--hidden|--no-ignore|--unrestricted"),
    "rg": pattern(r"-\w*[u.]\w*|--hidden|--no-ignore"),
    "tree": pattern(r"-\w*a\w*"),
}


def listed_findings(seen: LineLog, all_nodes: Iterable[Node]) -> list[Decision]:
    """Ask where a line reads files by names that it lists, and secrets may be among them."""
    for call, directories in seen.calls:
        words = _words(call)
        if call.entry.code in _TAKE_EXPRESSIONS:
            words = [name for word in words for name in names_meant(word)]
        if _names_secrets(words):
            seen.named.append(call.span)
        if _lists_secrets(call, words, directories):
            seen.hidden.append((call.span, call.situation.substituted))
    seen.calls.clear()
    same, reads = frozenset(seen.reads), Spans(seen.reads)
    hidden = Spans(span for span, _ in seen.hidden)
    handed_on = [span for span, is_substituted in seen.hidden if is_substituted or span in same]
    for node in all_nodes:
        if isinstance(node, Pipeline):
            handed_on += _handed_on(node, hidden, reads)
        elif isinstance(node, Redirect) and node.operator.startswith("<<"):
            handed_on += [(node.start, node.end)] if _names_secret(node) else []
    return [
        Decision(
            Verdict.ASK,
            "listed-secret",
            "reads files that may be secrets",
            *span,
            effects=Effect.SECRETS,
        )
        for span in (*seen.named, *handed_on)
    ]


def _words(call: Call) -> list[str]:
    """The words that a command is given, as far as they are known."""
    given = named_by_find(call.arguments) if call.path[0] == "find" else call.arguments
    return [argument.text for argument in given if argument.text is not None]


def _names_secrets(words: list[str]) -> bool:
    split = (part for word in words for part in _BLANKS.split(word) if part[:1] != "-")
    return any(is_secret(word, glob=True) for word in split)


def _lists_secrets(call: Call, words: list[str], directories: tuple[str, ...]) -> bool:
    """Tell whether a command lists files that may be secrets."""
    if call.path[0] == "find":
        return _finds_secrets(call, directories)
    if call.path[0] == "git":
        return _lists_untracked(call, words, directories)
    shows = _LISTS_HIDDEN.get(call.path[0])
    if shows is None:
        return False
    return any(map(shows.fullmatch, words)) or _has_secrets_to_list(call, directories)


def _lists_untracked(call: Call, words: list[str], directories: tuple[str, ...]) -> bool:
    """`git ls-files -o`, `git status -s`: what is not tracked may be a secret, as for `ls -A`.

    `git status` shows most of them only where they are not ignored: there have to be some.
    """
    if call.path[1:2] == ("ls-files",):
        return any(map(_LISTS_OTHERS.fullmatch, words))
    if call.path[1:2] != ("status",) or "-uno" in words:
        return False
    return any(True for _ in secrets_below(".", list(directories), call.judge.facts))


def _has_secrets_to_list(call: Call, directories: tuple[str, ...]) -> bool:
    """Tell whether a list of the current directory would name a secret that is not hidden."""
    if any(argument.leading[:1] != "-" for argument in call.arguments):
        return False
    names = (n for cwd in directories for n in call.judge.facts.names(cwd))
    return any(name[:1] != "." and is_secret(name) for name in names)


def _handed_on(pipeline: Pipeline, hidden: Spans, reads: Spans) -> Iterable[Span]:
    """Lists in a pipeline, of which a later part reads the files; or names that are made up."""
    first = pipeline.commands[0]
    is_made_up = len(pipeline.commands) > _DIRECT and _prints(first)
    if is_made_up and reads.begin_in(first.end, pipeline.end):
        yield first.start, first.end
    for before, command in zip(pipeline.commands, pipeline.commands[1:], strict=False):
        lists = hidden.begin_in(before.start, before.end)
        if lists and reads.begin_in(command.start, pipeline.end):
            yield before.start, before.end


def _prints(command: Node) -> bool:
    """Tell whether it prints a text of the line, which what follows may turn into another."""
    if not isinstance(command, Command) or not command.words:
        return False
    return literal(command.words[0]) in ("echo", "printf")


def _names_secret(redirect: Redirect) -> bool:
    body = redirect.heredoc.parts if redirect.heredoc is not None else redirect.target.parts
    texts = (getattr(part, "value", None) or "" for node in body for part in nodes(node))
    return any(is_secret(word, glob=True) for text in texts for word in text.split())


def named_by_find(arguments: list[Argument]) -> list[Argument]:
    """The words of find but for the names that it leaves out: `! -name .env`."""
    texts = ["", "", *(argument.text for argument in arguments)]
    return [
        argument
        for argument, negation, test in zip(arguments, texts, texts[1:], strict=False)
        if not (negation in ("!", "-not") and test in ("-name", "-iname"))
    ]


def _finds_secrets(call: Call, directories: tuple[str, ...]) -> bool:
    """Tell whether there are secrets below the starting points that the tests let pass."""
    starts = list(takewhile(lambda a: not _EXPRESSION.match(a.leading), call.arguments))
    taken, left_out = _tested_names(call.arguments[len(starts) :])

    paths = starts or [Argument(".", *call.span)]
    here = call.situation.but(directories=list(directories))
    there = Call(call.match, call.entry, call.judge, here, call.span)
    return any(there.holds_secrets(p, lambda n: is_chosen(n, taken, left_out)) for p in paths)


def _tested_names(expression: list[Argument]) -> tuple[list[str], list[str]]:
    """The patterns of `-name`, and those of `! -name`."""
    taken: list[str] = []
    left_out: list[str] = []
    before = ["", *(word.text for word in expression)]
    for negation, (word, value) in zip(before, pairwise(expression), strict=False):
        if word.text in ("-name", "-iname") and value.text is not None:
            (left_out if negation in ("!", "-not") else taken).append(value.text.lower())
    return taken, left_out

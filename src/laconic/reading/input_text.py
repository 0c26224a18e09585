"""The text that a command reads or that a line puts into a file, where the line itself gives it.

Here-documents and here-strings without expansions, and what cat, echo and printf print of them or
of their own arguments, to a pipe or a file.
"""

from __future__ import annotations

from collections.abc import Iterator

from laconic.knowledge.arguments import Argument, Values, expand
from laconic.knowledge.printed import output
from laconic.shell.ast import Command, Literal, Node, Pipeline, Redirect
from laconic.shell.words import literal, text


class Inputs:
    """The commands on the left of each command's pipe."""

    __slots__ = ("_before",)

    def __init__(self, all_nodes: list[Node]) -> None:
        self._before: dict[int, Node] = {}
        for node in all_nodes:
            if isinstance(node, Pipeline):
                pairs = zip(node.commands, node.commands[1:], strict=False)
                self._before |= {id(after): before for before, after in pairs}

    def text(self, command: Command, values: Values, functions: frozenset[str]) -> str | None:
        """The text of the command's standard input; None if it is not certain."""
        given = [r for r in command.redirects if r.operator.startswith("<")]
        if given:
            return _given(given[0], values) if len(given) == 1 else None
        before = self._before.get(id(command))
        if not isinstance(before, Command) or before.redirects[1:] or before.assignments:
            return None
        return printed(before, self.text(before, values, functions), values, functions)

    def file(self, command: Command, values: Values) -> Argument | None:
        """The file that `<` makes the command's standard input."""
        given = [r for r in command.redirects if r.operator == "<" and r.fd in ("", "0")]
        found = expand((given[-1].target,), values) if given else []
        return found[0] if len(found) == 1 else None

    def sources(self, command: Node) -> tuple[str, ...]:
        """The names of the programs on the left of its pipe; an empty one if it is not known."""
        before = self._before.get(id(command))
        if before is None:
            return ()
        name = named_program(before) if isinstance(before, Command) else ""
        return (*self.sources(before), name)

    def words(self, command: Node, values: Values) -> list[list[Argument]]:
        """The words of the commands on the left of its pipe, and what they are given to read."""
        before = self._before.get(id(command))
        if before is None:
            return []
        given = () if not isinstance(before, Command) else before.redirects
        texts = tuple(r.target for r in given if r.operator == "<<<")
        words = (*before.words, *texts) if isinstance(before, Command) else ()
        return [*self.words(before, values), expand(words, values)]


def named_program(command: Command) -> str:
    """The name of a command's program, with the subcommand of git; empty if it is not known."""
    name = (literal(command.words[0]) if command.words else None) or ""
    if name == "git" and command.words[1:]:
        return f"git {literal(command.words[1]) or ''}"
    return name


def printed(
    command: Command, given: str | None, values: Values, functions: frozenset[str]
) -> str | None:
    """What `cat`, `echo` or `printf` prints; given: what it reads."""
    name = literal(command.words[0]) if command.words else None
    if name is None or name in functions:
        return None
    if name == "cat":
        return given if len(command.words) == 1 else None
    arguments = expand(command.words[1:], values)
    if not all(argument.is_static for argument in arguments):
        return None
    return output(name, [argument.text or "" for argument in arguments], values.certain)


def written(
    command: Command, given: str | None, values: Values, functions: frozenset[str]
) -> Iterator[tuple[Argument, str | None, bool]]:
    """The files that get output, its text if that is known, and whether it is appended."""
    words = expand(command.words, values)
    is_tee = bool(words) and words[0].text == "tee" and "tee" not in functions
    if is_tee and given is not None:
        is_more = any(word.text in ("-a", "--append") for word in words)
        for target in words[1:]:
            yield target, given, is_more
    puts = [redirect for redirect in command.redirects if opens_output(redirect)]
    shown = printed(command, given, values, functions) if puts and not is_tee else None
    for redirect in puts:
        is_plain = redirect.operator in (">", ">|", ">>") and redirect.fd in ("", "1")
        for target in expand((redirect.target,), values):
            yield target, shown if is_plain else None, redirect.operator == ">>"


def opens_output(redirect: Redirect) -> bool:
    """Tell whether it opens a file to write: `> x`, `&> x`, `<> x`, but not `2>&1` or `3>&-`."""
    if redirect.operator in (">&", "<&"):
        copied = (literal(redirect.target) or "").rstrip("-")
        return bool(copied) and not copied.isdigit()
    return ">" in redirect.operator


def _given(redirect: Redirect, values: Values) -> str | None:
    if redirect.fd not in ("", "0"):
        return None
    if redirect.operator == "<<<":
        found = expand((redirect.target,), values)
        is_known = len(found) == 1 and found[0].is_static
        return f"{found[0].text}\n" if is_known else None
    heredoc = redirect.heredoc
    if heredoc is None or not all(isinstance(part, Literal) for part in heredoc.parts):
        return None
    return text("".join(part.value for part in heredoc.parts if isinstance(part, Literal)))

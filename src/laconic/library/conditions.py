"""What a rule is about, by program, subcommand, options and operands; edits of its span."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from laconic.errors import LaconicError
from laconic.library import predicates
from laconic.library.line import Invocation
from laconic.rewrite.edits import Edit

_SYSTEM = ("/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/", "/opt/homebrew/bin/")


class RuleError(LaconicError, ValueError):
    """A rule, a catalogue or a configuration of the library is not well formed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """The commands that a rule is about; what is left out does not matter.

    program: names of programs. subcommand: the word after the program's own options. option: one
    of these comes before `--`, alone, with a value or among other letters. unless: one of these
    words comes anywhere after the program. operand: a glob that one of the operands matches.
    unless_variable: one of these is set for the command alone. code: a function of
    laconic.library.predicates that has the last word, with its own values.
    """

    program: tuple[str, ...] = ()
    subcommand: tuple[str, ...] = ()
    option: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    operand: tuple[str, ...] = ()
    unless_variable: tuple[str, ...] = ()
    code: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.program:
            raise RuleError("a match names at least one `program`")
        if self.code and self.code not in predicates.CODE:
            raise RuleError(f"there is no code {self.code!r}; known: {', '.join(predicates.CODE)}")

    def fits(self, invocation: Invocation, environ: Mapping[str, str]) -> bool:
        if invocation.program not in self.program:
            return False
        if self.subcommand and not self._has_subcommand(invocation):
            return False
        if not self.code and not _is_plain(invocation.name):
            return False
        if self.unless_variable and not invocation.variables.isdisjoint(self.unless_variable):
            return False
        before = invocation.before_end()
        if self.option and not any(gives(a.leading, o) for a in before for o in self.option):
            return False
        if self.unless and any(
            gives(word, option) for word in invocation.words for option in self.unless
        ):
            return False
        if self.operand and not any(
            fnmatchcase(word, glob)
            for word in invocation.words
            for glob in self.operand
            if word[:1] != "-"
        ):
            return False
        return not self.code or predicates.CODE[self.code](invocation, environ, self.values)

    def _has_subcommand(self, invocation: Invocation) -> bool:
        pos = invocation.subcommand()
        return pos < len(invocation.arguments) and invocation.words[pos] in self.subcommand


def gives(word: str, option: str) -> bool:
    """Tell whether a word is that option, perhaps with a value, or has its letter in a bundle."""
    if word == option or (option.startswith("--") and word.startswith(f"{option}=")):
        return True
    is_letter = len(option) == len("-x") and option[0] == "-" and option[1] != "-"
    is_bundle = word[:1] == "-" and word[1:2] not in ("-", "")
    return is_letter and is_bundle and option[1] in word[1:]


def _is_plain(name: str) -> bool:
    """A program of the system by its name or path; one of a project is another program."""
    return "/" not in name or name.startswith(_SYSTEM)


@dataclass(frozen=True, slots=True)
class Append:
    """Put words after the arguments of the program, before `--`."""

    words: str

    def edit(self, invocation: Invocation) -> Edit | None:
        before = invocation.before_end()
        end = max([invocation.program_end, *(argument.end for argument in before)])
        return Edit(end, f" {self.words}")


@dataclass(frozen=True, slots=True)
class Insert:
    """Put words before the subcommand."""

    words: str

    def edit(self, invocation: Invocation) -> Edit | None:
        pos = invocation.subcommand()
        if pos == len(invocation.arguments):
            return None
        return Edit(invocation.arguments[pos].start, f"{self.words} ")


@dataclass(frozen=True, slots=True)
class Replace:
    """Replace the program and its arguments by another command."""

    command: str

    def edit(self, invocation: Invocation) -> Edit | None:
        length = invocation.end - invocation.start
        return Edit(invocation.start, self.command, length)


@dataclass(frozen=True, slots=True)
class ListFiles:
    """Replace `find . -name '*.py'` by `rg --files`; types: ripgrep's, by extension."""

    types: Mapping[str, str]

    def edit(self, invocation: Invocation) -> Edit | None:
        extension = predicates.found_extension(invocation)
        if not extension:
            return None
        kind = self.types.get(extension)
        selection = f"-t {kind}" if kind else f"-g '*.{extension}'"
        return Replace(f"rg --files {selection}").edit(invocation)


SpanEdit = Append | Insert | Replace | ListFiles
EDITS = {"append": Append, "insert": Insert, "replace": Replace, "list_files": ListFiles}

"""Where and how a command runs, as far as its judgement depends on it: values that are passed down.

What the commands of a line leave behind for each other comes back in `LineLog`, which only grows,
and in the list of directories that later ones may run in.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator
from functools import partial

from laconic.knowledge.arguments import Argument, Line, Values
from laconic.reading.acts import Act
from laconic.reading.call import Call
from laconic.reading.line_files import texts_now
from laconic.reading.places import Facts, joined
from laconic.shell.ast import Script
from laconic.types import Decision, Value

_MAX_DIRECTORIES = 8


class LineLog:
    """What the commands of a line did so far that the judgement of others needs.

    programs: all that it runs, in the order in which they were read.
    ran, written: files that they run, and that they write; texts: what is in those that they write
    from texts of the line; unread: those that get something that nobody has read, with the program
    that writes it; fetched: those that come from elsewhere, with the address; commits: the address
    that commits come from which are not in the work tree yet; built: programs that they make of
    other files. unknown_vars: variables that may have any value from now on.
    reads: the spans of calls that read files whose names are not known. For `listed_secrets`, which
    is asked only if there are such reads: calls, those that it has not seen yet, with the
    directories that they may run in; named, hidden: the spans of those that name secrets, and of
    those that list hidden files, with whether their output becomes part of another command.
    """

    __slots__ = (
        "built", "calls", "commits", "fetched", "hidden", "named", "programs", "ran", "reads",
        "texts", "unknown_vars", "unread", "written",
    )  # fmt: skip

    def __init__(self) -> None:
        self.calls: list[tuple[Call, tuple[str, ...]]] = []
        self.programs: list[ProgramCall] = []
        self.reads: list[tuple[int, int]] = []
        self.named: list[tuple[int, int]] = []
        self.hidden: list[tuple[tuple[int, int], bool]] = []
        self.ran: set[str] = set()
        self.fetched: dict[str, str] = {}
        self.commits = ""
        self.built: set[str] = set()
        self.written: set[str] = set()
        self.texts: dict[str, str] = {}
        self.unread: dict[str, str] = {}
        self.unknown_vars: set[str] = set()

    def note_text(self, path: str, text: str | None, program: str) -> None:
        """Remember what a file gets; text: None if that is not known."""
        self.built.discard(path)
        if text is None:
            self.unread[path] = program
        else:
            self.texts[path] = text


class ProgramCall:
    """A program that a line runs, or the shell that reads the line.

    arguments: its words, the name first; none for the shell that reads the line. situation: where
    it runs; `situation.program` is what runs it. call: how its table reads the words, None where
    there is no table. doubts: the findings that no act explains.
    """

    __slots__ = ("acts", "arguments", "call", "doubts", "situation", "span")

    def __init__(
        self,
        arguments: list[Argument],
        span: tuple[int, int],
        situation: Situation | None = None,
    ) -> None:
        self.arguments, self.span, self.situation = arguments, span, situation
        self.call: Call | None = None
        self.acts: list[Act] = []
        self.doubts: list[Decision] = []

    def __repr__(self) -> str:
        return f"ProgramCall({' '.join(a.text or '?' for a in self.arguments)}: {self.acts})"

    @property
    def name(self) -> str:
        """Its name without directories; empty if it is not known."""
        name = (self.arguments[0].text if self.arguments else None) or ""
        return name.rsplit("/", 1)[-1]

    def around(self) -> Iterator[ProgramCall]:
        """The programs that run this one, from the innermost on; the shell itself is the last."""
        program = self
        while program.situation is not None:
            program = program.situation.program
            yield program


class Situation(Value):
    """One command's place in a line. It does not change; `but` makes one that differs.

    About its script: script, the text that its spans are in; shells, the families of those that may
    read it; functions, all that it may define; defined, those that are certain to be, with the
    place from which on; script_depth, how many programs run it; boxable, whether nothing in it
    opens files but what laconic itself runs in the box.
    About its place there: directories that it may run in, to which it adds those that it leads to;
    values, what is known of variables; is_fed, a function that tells whether text that is not
    literal flows into it (few ask); substituted, whether what it prints becomes part of another
    command; exported, the variables that are certain to be; prefix_env, those that are set before
    its name; input_text, what it reads, if the line itself says it; input_file, the file that it
    reads; fed_by, a function that names the programs that pipe to it; fed_words, one that gives
    their words; fed_texts, what may come in, as files say it now.
    About what runs it: calls, the arguments of those programs and its own; consent, what the user's
    rules allow it to do; guessing, whether its name is one of several that are possible. program:
    the one that is read, which is the shell itself outside of commands.
    """

    def __init__(self, facts: Facts) -> None:
        self.seen = LineLog()
        self.program = ProgramCall([], (0, 0))
        self.seen.programs.append(self.program)
        self.script: Script | None = None
        self.shells = facts.shells
        self.functions: frozenset[str] = frozenset()
        self.defined: dict[str, int] = {}
        self.script_depth = 0
        self.boxable = True
        self.directories = [facts.cwd]
        here = Line(partial(texts_now, facts))
        self.values = Values({"HOME": facts.home, "PWD": facts.cwd}, line=here)
        self.is_fed: Callable[[], bool] = lambda: False
        self.substituted = self.guessing = False
        self.exported: dict[str, str] = {}
        self.prefix_env: dict[str, str | None] = {}
        self.input_text: str | None = None
        self.input_file: Argument | None = None
        self.fed_by: Callable[[], tuple[str, ...]] = lambda: ()
        self.fed_words: Callable[[], list[list[Argument]]] = list
        self.fed_texts: Callable[[], tuple[str, ...]] = lambda: ()
        self.calls: tuple[list[Argument], ...] = ()
        self.consent: Callable[[Decision], Decision] | None = None

    @property
    def wrappers(self) -> list[str]:
        """The names of the programs that run the command."""
        return [(call[0].text or "").rsplit("/", 1)[-1] for call in self.calls[:-1]]

    def settle(self, finding: Decision) -> Decision:
        """The finding, or the user's rule that allows what it is about."""
        return finding if self.consent is None else self.consent(finding)

    def calls_function(self, name: str, start: int) -> bool:
        """Tell whether the shell itself calls a function by that name; a program cannot do so."""
        is_called_here = len(self.calls) - 1 == self.script_depth
        return is_called_here and name in self.defined and self.defined[name] < start

    def enter_directory(
        self,
        argument: Argument | None,
        facts: Facts,
        goes_by_text: Callable[[], bool] = lambda: False,
    ) -> list[str]:
        """`cd`: from here on commands may run there, too; an empty text is a place unknown.

        goes_by_text: tells whether `..` is certain to be taken away before links are followed.
        Gives the directories that it leads to, for what runs only if it worked.
        """
        if argument is not None and (argument.text is None or argument.text == "-"):
            reached = [""]
        else:
            target = facts.home if argument is None else argument.text or "."
            places = (entered(cwd, target, facts, goes_by_text) for cwd in self.directories)
            reached = [place for some in places for place in some]
        add_new(self.directories, reached)
        if len(self.directories) > _MAX_DIRECTORIES:
            self.directories[_MAX_DIRECTORIES:] = [""]
        return list(dict.fromkeys(reached))


def entered(
    cwd: str, target: str, facts: Facts, goes_by_text: Callable[[], bool] = lambda: False
) -> list[str]:
    """The directories that a shell or program comes to; an empty one is not known."""
    path = joined(cwd, target)
    if "/.." not in path:
        return [path]
    reached = []
    for base in _names_of_here(cwd, facts) if target[:1] != "/" else [cwd]:
        path = joined(base, target)
        text, ends = posixpath.normpath(path), facts.ends(path)
        reached.append(text)
        # Where its text leads nowhere, bash goes where the kernel does:
        # https://git.savannah.gnu.org/cgit/bash.git/tree/builtins/cd.def (change_to_directory)
        if ends != facts.ends(text) and not (goes_by_text() and facts.exists(text)):
            reached += ends
    return reached


def _names_of_here(cwd: str, facts: Facts) -> list[str]:
    """The names by which a shell may know its directory: it trusts a PWD that leads there."""
    named = facts.environment.get("PWD", "") if cwd == facts.cwd else ""
    is_other = named[:1] == "/" and named != cwd and facts.real_path(named) == cwd
    return [cwd, named] if is_other else [cwd]


def add_new(directories: list[str], reached: list[str]) -> None:
    directories += [one for one in dict.fromkeys(reached) if one not in directories]

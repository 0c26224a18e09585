"""From a command to what it may change: the acts of its programs become places, the rest doubts.

What a program changes under names that do not stand in its words is found out by a handler: what
`mv` puts into a directory, what an archive holds, what git checks out.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from glob import iglob

from laconic.knowledge import traits
from laconic.knowledge.arguments import Argument
from laconic.knowledge.catalog import library
from laconic.letters import spelled
from laconic.policy.rules import Rules
from laconic.reading.acts import Act, How, Verb
from laconic.reading.decide import read_line, read_program
from laconic.reading.facts import read_facts
from laconic.reading.places import Facts, is_storage, is_within
from laconic.reading.situation import ProgramCall
from laconic.types import Decision, Effect, Kind, Verdict
from laconic.undo import archives, changes, find_xargs
from laconic.undo.call import PlacedCall, is_device
from laconic.undo.git_commands import git, is_changing
from laconic.undo.reach import COPY, HARD_LINK, METADATA, Reach, located
from laconic.undo.repository import find_repository

# What a program may do without changing a file of this machine.
_ELSEWHERE = Effect.DOWNLOADS | Effect.SENDS | Effect.SECRETS
# What a handler finds out more about than the finding says.
_HANDLED = Effect.PROJECT_WRITE | Effect.HISTORY | Effect.DISCARDS
_RECURSIVE = ("-R", "-r", "--recursive")
_CHANGES = frozenset((Verb.WRITE, Verb.MAKE, Verb.DELETE))
_MOST_MATCHES = 20_000
HANDLERS: dict[str, Callable[[PlacedCall, Reach], None]] = {
    "git": git,
    "cp": changes.copying,
    "mv": changes.moving,
    "ln": changes.linking,
    "install": changes.installing,
    "split": changes.split,
    "csplit": changes.csplit,
    "rsync": changes.rsync,
    "patch": changes.patch,
    "trap": changes.trap,
    "tar": archives.tar,
    "unzip": archives.unzip,
    "zip": archives.zip_,
    **dict.fromkeys(
        "gzip gunzip bzip2 bunzip2 xz unxz lzma unlzma zstd unzstd lz4 unlz4 compress".split(),
        archives.compress,
    ),
}


def reach_of(argv: Sequence[str], directory: str, environment: Mapping[str, str]) -> Reach:
    """Return what a program may change when it is started with these words."""
    return _reach_of([Argument(word, 0, 0) for word in argv], directory, environment)


def reach_of_line(
    line: str, directory: str, environment: Mapping[str, str], parts: Collection[int] = ()
) -> Reach:
    """Return what a line of a shell may change, all of its commands together.

    parts: offsets of the commands that are meant, where not all of them are.
    """
    facts = read_facts(directory, environment)
    programs = read_line(line, library(), Rules(), facts)
    return _Line(programs, directory, environment, facts).reach(parts)


def _reach_of(arguments: list[Argument], directory: str, environment: Mapping[str, str]) -> Reach:
    facts = read_facts(directory, environment)
    programs = read_program(arguments, library(), Rules(), facts)
    return _Line(programs, directory, environment, facts).reach()


def project_of(directory: str) -> str:
    """Return the work tree that a directory is in, or the directory itself."""
    repository = find_repository(directory)
    return repository.top or repository.git if repository else spelled(located(directory))


class _Line:
    """The programs of one line, and what they change together."""

    def __init__(
        self,
        programs: list[ProgramCall],
        directory: str,
        environment: Mapping[str, str],
        facts: Facts,
    ) -> None:
        self._programs, self._directory, self._environment = programs, directory, environment
        self._reach = Reach(facts.spelled)
        self._settled: set[int] = set()  # programs of which a handler says all, also what they run
        self._found: ProgramCall | None = None  # the last `find`
        self._has_moved = False

    def reach(self, parts: Collection[int] = ()) -> Reach:
        for offset in parts:
            if not any(_is_at(program, offset) for program in self._programs):
                self._reach.doubt("a command of the line is not found", project_of(self._directory))
        for program in self._programs:
            if parts and not any(_is_at(program, offset) for offset in parts):
                self._note_moved(program)
                continue
            if not any(id(one) in self._settled for one in program.around()):
                self._add(program)
        if any(map(_makes_links, self._programs)) and self._runs_more():
            self._distrust_names()
        return self._reach

    def _add(self, program: ProgramCall) -> None:
        directories = program.situation.directories if program.situation else [self._directory]
        search = self._search(program)
        handler = HANDLERS.get(program.name) if program.call is not None else None
        is_handled = handler is not None or search is not None
        if not all(directories):
            self._doubt(program, "the directory is not known", self._directory)
        for directory in filter(None, directories):
            for finding in () if _is_undo(program) else program.doubts:
                if _is_doubt(finding, program, is_handled=is_handled):
                    self._doubt(program, finding.reason, directory)
            if is_handled and not all(one.texts for one in program.arguments):
                self._doubt(program, "a word is not known before it runs", directory)
            if search is not None:
                self._follow_search(program, search, directory)
            elif handler is not None:
                self._handle(program, handler, directory)
        for act in program.acts:
            if act.verb in _CHANGES:
                self._add_act(program, act, is_handled=is_handled)
        if program.name == "find":
            self._found = program

    def _doubt(self, program: ProgramCall, reason: str, directory: str) -> None:
        name = f"{program.name}: " if program.name else ""
        self._reach.doubt(f"{name}{reason}", project_of(directory))

    # -- acts

    def _add_act(self, program: ProgramCall, act: Act, *, is_handled: bool) -> None:
        if not act.is_certain:
            what = f"what it {act.verb.value.removesuffix('s')}s is not known before it runs"
            self._doubt(program, what, self._directory)
        for path in () if is_handled else act.paths:
            for each in _matches(path) if act.argument.glob else [path]:
                if not is_device(each):
                    self._add_place(program, act, each)
                    self._add_cache(program, os.path.dirname(located(each)))
                elif is_storage(located(each)) and act.how is not How.METADATA:
                    self._reach.beyond.append(f"{program.name or 'it'}: overwrites {each}")

    def _add_place(self, program: ProgramCall, act: Act, path: str) -> None:
        reach = self._reach
        if act.verb is Verb.DELETE:
            reach.add(path, deep=True, how=HARD_LINK)
        elif act.verb is Verb.MAKE:
            reach.add(path)
        elif act.how is How.METADATA:
            reach.add(path, deep=_is_recursive(program), how=METADATA)
            reach.add_followed(path, how=METADATA)  # the mode of what a link leads to
        elif act.how is How.REPLACED:
            reach.add(path, how=HARD_LINK)
        else:
            reach.add_followed(path)
            if os.path.isdir(path):
                reach.add(path, deep=True)

    def _add_cache(self, program: ProgramCall, directory: str) -> None:
        """A cache lies beside the settings: from what is changed up, or where the program runs."""
        path = " ".join(program.call.path) if program.call is not None else ""
        name = traits.detailed("caches").get(path)
        if name is None:
            return
        here = program.situation.directories if program.situation else [self._directory]
        top = project_of(self._directory)
        for start in (directory, *filter(None, here)):
            above = start
            while is_within(above, top):
                self._reach.add(os.path.join(above, name), deep=True)
                above = os.path.dirname(above)

    # -- programs with handlers

    def _handle(
        self, program: ProgramCall, handler: Callable[[PlacedCall, Reach], None], directory: str
    ) -> None:
        call = self._call(program, directory)
        if handler is git:
            if self._has_moved and is_changing(call):
                reason = "an earlier command of the line changes the repository"
                self._doubt(program, reason, directory)
            self._has_moved = self._has_moved or is_changing(call)
        handler(call, self._reach)

    def _note_moved(self, program: ProgramCall) -> None:
        """Another program, which only counts as it may change what git does after it."""
        for directory in filter(None, program.situation.directories if program.situation else ()):
            if program.name == "git" and program.call is not None:
                self._has_moved = self._has_moved or is_changing(self._call(program, directory))

    def _call(self, program: ProgramCall, directory: str) -> PlacedCall:
        call = PlacedCall(program, directory, project_of(directory))
        given = program.situation.prefix_env if program.situation else {}
        call.environment = {**self._environment, **{n: v or "" for n, v in given.items()}}
        return call

    def _search(self, program: ProgramCall) -> find_xargs.Search | None:
        """Return what `find` looks for, if a program or a pipe does something to that."""
        if program.name == "find" and program.call is not None:
            return find_xargs.Search(program.arguments[1:])
        if program.name != "xargs" or self._found is None or program.situation is None:
            return None
        if program.call is None:
            return None
        command = find_xargs.command_of(program)
        if not command or program.situation.fed_by() != ("find",):
            return None
        search = find_xargs.Search(self._found.arguments[1:])
        search.deletes, search.commands = False, [command]
        search.splits = not program.call.parsed.has("-0", "--null")
        return search

    def _follow_search(
        self, program: ProgramCall, search: find_xargs.Search, directory: str
    ) -> None:
        self._settled.add(id(program))
        call = self._call(program, directory)
        if search.unknown:
            self._doubt(program, f"{search.unknown} is not known", directory)
        for word in search.files:
            call.file(self._reach, word)
        if not (search.deletes or search.commands):
            return
        found = search.matches(call.paths)
        if found is None:
            self._doubt(program, "it looks at too many files", directory)
            return
        if search.splits and any(map(find_xargs.is_split, found)):
            self._doubt(program, "a name with blanks is several for it", directory)
        for path in found if search.deletes else ():
            self._reach.add(path, how=HARD_LINK)
        for command in search.commands:
            commands = find_xargs.filled(command, found)
            if commands is None:
                self._doubt(program, "too many files are found", directory)
            for words in commands or ():
                self._reach.join(_reach_of(words, directory, self._environment))

    # -- links

    def _runs_more(self) -> bool:
        return len([one for one in self._programs if one.arguments or one.acts]) > 1

    def _distrust_names(self) -> None:
        """Copy everything, and doubt: a new link leads a later command to another file."""
        for place in self._reach.places.values():
            place.how = COPY if place.how == HARD_LINK else place.how
        self._reach.doubt("a command of the line makes links", project_of(self._directory))


def _is_at(program: ProgramCall, offset: int) -> bool:
    """Tell whether it is a command of the line itself, there, whose changes are known."""
    is_own = program.situation is not None and not program.situation.script_depth
    is_known = program.name in HANDLERS or any(act.verb in _CHANGES for act in program.acts)
    return is_own and is_known and program.span[0] <= offset < program.span[1]


def _is_recursive(program: ProgramCall) -> bool:
    """Tell whether it may change all that is in a directory: `chown -R`, but not `touch`."""
    call = program.call
    return call is None or not call.is_parsed or call.parsed.has(*_RECURSIVE)


def _is_undo(program: ProgramCall) -> bool:
    """Tell whether it is an undo, which keeps what it changes itself."""
    path = program.call.path if program.call is not None else ()
    return path in (("laconic", "undo"), ("laconic-py", "undo"))


def _is_doubt(finding: Decision, program: ProgramCall, *, is_handled: bool) -> bool:
    """Tell whether a finding says that more may change than acts and handlers know."""
    if not finding.effects:
        return finding.verdict is not Verdict.ALLOW  # a fault of ours
    known = _ELSEWHERE
    if is_handled:
        known |= _HANDLED
    elif finding.kind is Kind.WHOLE and any(act.verb in _CHANGES for act in program.acts):
        known |= Effect.PROJECT_WRITE | Effect.SYSTEM
    return bool(finding.effects & ~known)


def _matches(path: str) -> Iterator[str]:
    """Return a path, which is a pattern, and what it matches."""
    yield path
    for count, match in enumerate(iglob(path, recursive=True)):
        if count > _MOST_MATCHES:
            return
        yield match


def _makes_links(program: ProgramCall) -> bool:
    if program.name == "cp" and program.call is not None:
        return program.call.parsed.has("-l", "--link", "-s", "--symbolic-link")
    return program.name in ("ln", "link")

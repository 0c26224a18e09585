"""From a command to what it may change: programs, wrappers, whole lines of a shell.

Words are evaluated by laconic's own parser; what is not certain before the line runs is a doubt.
"""

from __future__ import annotations

import os

from laconic.knowledge.arguments import Argument, Values, expand
from laconic.knowledge.options import Reading, Spec, parse_options
from laconic.knowledge.printed import PRINTERS
from laconic.shell import ParseError, parse
from laconic.shell.ast import Assignment, Function, Loop, Word
from laconic.shell.walk import commands, redirects
from laconic.shell.words import literal
from laconic.undo import finding, programs
from laconic.undo.call import Call, is_device, texts
from laconic.undo.git_commands import git, is_changing
from laconic.undo.reach import COPIED, LINKED, Reach, is_below, located
from laconic.undo.repository import find_repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from laconic.shell.ast import Node, Redirect, Script
    from laconic.shell.walk import Occurrence

_MOST_BYTES = 64 * 1024
_SHELLS = frozenset("bash sh dash zsh ksh".split())
# They set variables that they name: man 1 bash, "SHELL BUILTIN COMMANDS".
_SETTING = frozenset(
    "read mapfile readarray printf export declare typeset local readonly unset getopts let".split()
)
_EXPORTING = frozenset("export declare typeset readonly local".split())
_DIRECTORY = frozenset("cd pushd chdir".split())
_WRITING = frozenset((">", ">>", ">|", "&>", "&>>", "<>", ">&"))
# Programs that run another: their options, and how many operands come before its name.
_WRAPPERS = {
    "env": ("-i --ignore-environment -u=V --unset=V -0 -v --debug", 0),
    "nice": ("-n=V --adjustment=V -NUM", 0),
    "ionice": ("-c=V -n=V -t", 0),
    "nohup": ("", 0),
    "setsid": ("-c -f -w", 0),
    "time": ("-p -v -f=V -o=V -a", 0),
    "timeout": ("-k=V --kill-after=V -s=V --signal=V --preserve-status --foreground -v", 1),
    "stdbuf": ("-i=V -o=V -e=V --input=V --output=V --error=V", 0),
    "command": ("-p", 0),
    "builtin": ("", 0),
    "exec": ("-c -l -a=V", 0),
    "sudo": ("-E -H -n -S -b -u=V -g=V --user=V --group=V --preserve-env[=V]", 0),
    "doas": ("-n -s -u=V", 0),
    "chronic": ("-v -e", 0),
}
_XARGS = (
    "-0 --null -r --no-run-if-empty -n=V --max-args=V -P=V --max-procs=V -L=V --max-lines=V -t"
    " --verbose -d=V --delimiter=V -I=V -i[=V] --replace[=V] -a=V --arg-file=V -s=V -x -p"
)
_DEEPEST = 5
_MOST_POSSIBLE = 16  # as many as laconic.knowledge.arguments puts together


def reach_of(argv: Sequence[str], directory: str, environment: Mapping[str, str]) -> Reach:
    """Return what a program may change when it is started with these words."""
    reach = Reach()
    call = Call(argv, directory, project_of(directory))
    call.environment = dict(environment)
    analyse_call(call, reach)
    return reach


def reach_of_line(line: str, directory: str, environment: Mapping[str, str]) -> Reach:
    """Return what a line of a shell may change, all of its commands together."""
    reach = Reach()
    call = Call(["sh"], directory, project_of(directory))
    call.environment = dict(environment)
    analyse_line(line, call, reach)
    return reach


def project_of(directory: str) -> str:
    """Return the work tree that a directory is in, or the directory itself."""
    repository = find_repository(directory)
    return repository.top or repository.git if repository else located(directory)


def analyse_call(call: Call, reach: Reach, depth: int = 0) -> None:
    """Add what one program changes."""
    name = call.name
    form, handler = programs.FORMS.get(name), programs.HANDLERS.get(name)
    if depth > _DEEPEST:
        call.doubt(reach, "is nested too deep")
    elif name == "git":
        git(call, reach)
    elif form is not None:
        programs.apply_form(call, form, reach)
    elif handler is not None:
        handler(call, reach)
    elif name in _WRAPPERS:
        _unwrap(call, reach, depth)
    elif name == "xargs":
        _xargs(call, reach)
    elif name in _SHELLS:
        _shell(call, reach, depth)
    elif name not in programs.READERS:
        _unknown(call, reach)


def _unknown(call: Call, reach: Reach) -> None:
    """Doubt a program that is not known, and keep what its words name outside the project."""
    call.doubt(reach, "what it changes is not known")
    for word in call.words[1:]:
        value = word.partition("=")[2] if word.startswith("-") else word
        for path in call.paths(value) if value else ():
            place = located(path)
            is_outside = not is_below(place, [call.project]) and not is_below(call.project, [place])
            if is_outside and os.path.lexists(place) and not is_device(place):
                reach.add(path, deep=True)


def _unwrap(call: Call, reach: Reach, depth: int) -> None:
    options, count = _WRAPPERS[call.name]
    arguments = [Argument(word, 0, 0) for word in call.words[1:]]
    parsed = parse_options(arguments, Reading(Spec(options)), stop_at_operand=True)
    for _, problem in parsed.problems:
        call.doubt(reach, problem)
    rest = texts(parsed.rest)[count:]
    given = dict(call.environment)
    while call.name == "env" and rest and "=" in rest[0]:
        key, _, value = rest.pop(0).partition("=")
        given[key] = value
    if rest:
        inner = call.like(rest)
        inner.environment = given
        analyse_call(inner, reach, depth + 1)


def _xargs(call: Call, reach: Reach) -> None:
    arguments = [Argument(word, 0, 0) for word in call.words[1:]]
    parsed = parse_options(arguments, Reading(Spec(_XARGS)), stop_at_operand=True)
    command = texts(parsed.rest) or ["echo"]
    replaced = texts(parsed.values("-I", "--replace"))
    for mark in replaced:
        command = [word.replace(mark, "{}") for word in command]
    if parsed.problems or call.named is None:
        if command[0].rsplit("/", 1)[-1] not in programs.READERS:
            call.doubt(reach, "the words that it adds are not known")
            analyse_call(call.like(command), reach)
        return
    finding.run_with(call, reach, command, call.named)


def _shell(call: Call, reach: Reach, depth: int) -> None:
    words = call.words[1:]
    for pos, word in enumerate(words):
        if not word.startswith("-") or len(word) == 1:
            break
        if not word.startswith("--") and "c" in word:
            if pos + 1 < len(words):
                analyse_line(words[pos + 1], call, reach, depth + 1)
            return
    call.doubt(reach, "the script is not read")


# -- lines -----------------------------------------------------------------------------------------


def analyse_line(line: str, call: Call, reach: Reach, depth: int = 0) -> None:
    """Add what each command of a line changes; call: the shell that runs it."""
    source = line.encode("utf-8", "surrogateescape")
    try:
        script = parse(source) if len(source) <= _MOST_BYTES else None
    except (ParseError, RecursionError):
        script = None
    if script is None or depth > _DEEPEST:
        call.doubt(reach, "the line cannot be read")
        return
    _Line(script, call, reach, depth).analyse()


class _Line:
    """One line under analysis; directories: where its commands may run."""

    def __init__(self, script: Script, call: Call, reach: Reach, depth: int) -> None:
        self._script, self._call, self._reach, self._depth = script, call, reach, depth
        self._directories = [call.directory]
        nodes = script.nodes()
        self._functions = {node.name for node in nodes if isinstance(node, Function)}
        certain = dict(call.environment)
        certain.pop("PWD", None)
        occurrences = commands(script)
        if not any(_changes_directory(one) for one in occurrences):
            certain["PWD"] = call.directory
        changed = {node.name for node in nodes if isinstance(node, Assignment | Loop)}
        if "IFS" in changed:
            call.doubt(reach, "words may be split at other characters")
        for one in occurrences:
            changed |= _set_by_builtin(one)
        for name in changed & certain.keys():
            del certain[name]
        self._values = Values(certain, printers=PRINTERS - self._functions)
        possible = _possible(nodes, self._values, call.directory)
        for one in occurrences:
            for name in _set_by_builtin(one) & possible.keys():
                del possible[name]
        self._values.possible = possible
        self._named: tuple[Occurrence, list[str]] | None = None
        self._is_git = self._has_moved = self._has_linked = False
        self._exported = self._exports(occurrences)

    def _exports(self, occurrences: list[Occurrence]) -> dict[str, str]:
        exported: dict[str, str] = {}
        for one in occurrences:
            words = [each.text or "" for each in expand(one.command.words, self._values)]
            for word in words[1:] if words and words[0] in _EXPORTING else ():
                name, equals, value = word.partition("=")
                exported[name] = value if equals else exported.get(name, "")
            if not one.command.words:  # `NAME=VALUE` alone: the variable may be exported already
                exported.update((each.name, self._value(each)) for each in one.command.assignments)
        return exported

    def _value(self, assignment: Assignment) -> str:
        """Return what a variable gets, "" if that is not known."""
        value = assignment.value
        arguments = expand((value,), self._values) if isinstance(value, Word) else []
        return (arguments[0].text or "") if len(arguments) == 1 else ""

    def analyse(self) -> None:
        for redirect in redirects(self._script):
            self._redirect(redirect)
        for one in sorted(commands(self._script), key=lambda found: found.command.end):
            for directory in list(self._directories):
                self._command(one, directory)
            self._has_moved = self._has_moved or self._is_git
        if len(self._directories) > 1:  # again, now that all directories are known
            for redirect in redirects(self._script):
                self._redirect(redirect)
        if self._has_linked:
            self._distrust_names()

    def _distrust_names(self) -> None:
        """Copy everything, and doubt: a new link leads a later command to another file."""
        everything = [one for one in commands(self._script) if one.command.words]
        if len(everything) == 1 and not redirects(self._script):
            return
        for place in self._reach.places.values():
            place.how = COPIED if place.how == LINKED else place.how
        self._call.doubt(self._reach, "a command of the line makes links")

    def _redirect(self, redirect: Redirect) -> None:
        if redirect.operator not in _WRITING or redirect.heredoc is not None:
            return
        for argument in expand((redirect.target,), self._values):
            if redirect.operator == ">&" and (argument.text or "").lstrip("-").isdigit():
                continue
            if not argument.texts:
                self._call.doubt(self._reach, "the target of a redirect is not known")
            for text in argument.texts:
                for directory in self._directories:
                    path = os.path.join(directory, text)
                    if not is_device(path):
                        self._reach.add_followed(path)

    def _command(self, one: Occurrence, directory: str) -> None:
        arguments = expand(one.command.words, self._values)
        words = [text for argument in arguments for text in argument.texts]
        if any(not argument.texts for argument in arguments):
            if _is_reader(words):
                return
            shell = self._call.like(["sh"])
            shell.project = self._projects(directory)
            shell.doubt(self._reach, "a word of the line is not known before it runs")
        if not words or words[0] in self._functions:
            return
        call = self._call.like(words)
        call.directory, call.patterns, call.named = directory, True, None
        call.project = self._projects(directory)
        call.environment = self._given(one)
        call.stdin = self._stdin(one, directory)
        if _changes_directory(one):
            self._enter(call)
            return
        self._follow_pipe(one, call)
        if call.name in ("eval", "source", "."):
            call.doubt(self._reach, "what it runs is not known")
            return
        self._is_git = is_changing(call)
        self._has_linked = self._has_linked or _makes_links(call)
        if self._is_git and self._has_moved:
            call.doubt(self._reach, "an earlier command of the line changes the repository")
        analyse_call(call, self._reach, self._depth)

    def _projects(self, directory: str) -> str:
        """Return the project of a directory that a `cd` may lead to."""
        return self._call.project if directory == self._call.directory else project_of(directory)

    def _given(self, one: Occurrence) -> Mapping[str, str]:
        """Return the environment of a command, with what the line exports before it."""
        if not one.command.assignments and not self._exported:
            return self._call.environment
        given = {**self._call.environment, **self._exported}
        for assignment in one.command.assignments:
            given[assignment.name] = self._value(assignment)
        return given

    def _stdin(self, one: Occurrence, directory: str) -> str:
        for redirect in (*one.command.redirects, *one.context.around):
            if redirect.operator == "<" and redirect.fd in ("", "0"):
                arguments = expand((redirect.target,), self._values)
                if len(arguments) == 1 and arguments[0].is_static:
                    return os.path.join(directory, arguments[0].text or "")
        return ""

    def _enter(self, call: Call) -> None:
        targets = [word for word in call.words[1:] if not word.startswith("-")]
        target = targets[0] if targets else call.environment.get("HOME", "")
        if not target or call.words[-1:] == ["-"]:
            self._call.doubt(self._reach, "the directory is not known")
            return
        for path in call.paths(target):
            if os.path.normpath(path) not in self._directories:
                self._directories.append(os.path.normpath(path))

    def _follow_pipe(self, one: Occurrence, call: Call) -> None:
        """Let xargs know what the command before it prints, where that is certain."""
        previous = self._named
        if call.name == "xargs" and previous is not None:
            before = previous[0].context
            if before.stage == one.context.stage - 1 and before.feeds_pipe:
                call.named = previous[1]
        self._named = None
        if one.context.feeds_pipe and call.name == "find":
            search = finding.Search(call.words[1:])
            self._named = one, [os.path.normpath(path) for path in search.matches(call.paths)]
        elif one.context.feeds_pipe and call.name == "echo":
            names = [word for word in call.words[1:] if not word.startswith("-")]
            paths = [path for name in " ".join(names).split() for path in call.paths(name)]
            self._named = one, paths


def _makes_links(call: Call) -> bool:
    if call.name == "cp":
        flags = {"-l", "--link", "-s", "--symbolic-link"}
        short = "".join(word for word in call.words[1:] if word[:1] == "-" and word[:2] != "--")
        return bool(flags.intersection(call.words)) or not {"l", "s"}.isdisjoint(short)
    return call.name in ("ln", "link")


def _is_reader(words: list[str]) -> bool:
    return bool(words) and words[0].rsplit("/", 1)[-1] in programs.READERS


def _changes_directory(one: Occurrence) -> bool:
    words = one.command.words
    arguments = expand(words[:1], Values()) if words else []
    return bool(arguments) and arguments[0].text in _DIRECTORY


def _set_by_builtin(one: Occurrence) -> set[str]:
    """Return the variables that a builtin of the shell may set: their names are among its words."""
    words = [literal(word) or "" for word in one.command.words]
    if not words or words[0] not in _SETTING:
        return set()
    return {word.partition("=")[0].partition("[")[0] for word in words[1:]}


def _possible(nodes: list[Node], values: Values, directory: str) -> dict[str, tuple[str, ...]]:
    """Return all values that the line itself gives to its variables."""
    given: dict[str, list[str]] = {}
    for node in nodes:
        words: Sequence[Word] = ()
        if isinstance(node, Assignment) and isinstance(node.value, Word):
            words = (node.value,)
        elif isinstance(node, Loop):
            words = node.words or ()
        else:
            continue
        for argument in expand(tuple(words), values):
            found = given.setdefault(node.name, [])
            for text in argument.texts:
                found += [text, *_matches(text, directory)] if argument.glob else [text]
            if not argument.texts:
                found += [""] * _MOST_POSSIBLE  # it may be anything
    # More than these are not followed, so that nothing is said of such a variable.
    return {
        name: tuple(dict.fromkeys(found))
        for name, found in given.items()
        if len(found) <= _MOST_POSSIBLE
    }


def _matches(pattern: str, directory: str) -> list[str]:
    from glob import glob  # noqa: PLC0415 - few loops have one

    return glob(pattern, root_dir=directory)

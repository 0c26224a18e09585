"""The variables of one script: what sets them, and what is known of them at each command.

`for PATH in x`, `select`, `{PATH}<file`, `((PATH=1))`, `${ENV:=x}` and `coproc ENV {..}` all set a
variable of the shell, just as `PATH=x` does.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from laconic.files import folded
from laconic.knowledge.arguments import Argument, Line, Values, expand
from laconic.knowledge.knowledge import Library
from laconic.knowledge.printed import COUNTERS, LOCATORS, NAMERS, PRINTERS
from laconic.knowledge.traits import detailed, named
from laconic.patterns import pattern
from laconic.reading.bindings import Bindings, Sources, supposed
from laconic.reading.environment import is_private, rule_of
from laconic.reading.flow import Flow, State, worlds
from laconic.reading.line_files import LineFiles
from laconic.reading.meanings import Meanings
from laconic.reading.situation import Situation
from laconic.shell.ast import (
    Array,
    Assignment,
    Command,
    Coproc,
    Function,
    Loop,
    Node,
    Parameter,
    Redirect,
    Script,
    Word,
)
from laconic.shell.walk import Evaluation, Occurrence
from laconic.shell.words import Field, fields, literal
from laconic.types import Decision, Effect, Verdict

_BINDERS = (Loop, Coproc, Parameter, Redirect)
_ASSIGNS = pattern(r"(?<![=!<>])=(?!=)|<<=|>>=|\+\+|--")
_NAME = pattern(r"[A-Za-z_][A-Za-z0-9_]*")
_MAX_POSSIBLE = 16
_PUTS = pattern(rb">(?!&[0-9-]|/dev/null)")
# What makes a `*` stand for names that begin with a dot, too:
# https://www.gnu.org/software/bash/manual/html_node/The-Shopt-Builtin.html
# https://zsh.sourceforge.io/Doc/Release/Options.html#Expansion-and-Globbing
_HIDDEN = pattern(rb"(?i)dot_*glob|glob_*dots|GLOBIGNORE")
_INHERITED = frozenset(("HOME", "PWD"))
_PRINTERS = PRINTERS | COUNTERS | LOCATORS | NAMERS
_BEFORE_NAME = frozenset(("command", "builtin", "-p", "--"))


class Scope:
    """The values of one script's variables, on top of what its surroundings give.

    start: what holds everywhere. Variables of the surroundings may be exported, so their values are
    possible here, but not certain. functions: all that this text or one around it may define.
    binders: the nodes that set variables, besides assignments. changes_directory: one of its
    commands is `cd` or the like. meanings: what it makes names stand for, if it may do so.
    """

    __slots__ = (
        "_bindings", "_flow", "_is_plain", "_outer", "_read", "binders", "changes_directory",
        "functions", "meanings", "start",
    )  # fmt: skip

    def __init__(self, script: Script, occurrences: list[Occurrence], situation: Situation) -> None:
        self.functions = situation.functions
        if own_functions := script.nodes_of(Function):
            self.functions = self.functions.union(function.name for function in own_functions)
        self._flow: Flow | None = None
        changed = {node.name for node in _setters(script)}
        self.binders = script.nodes_of_any(_BINDERS)
        changed.update(name for node in self.binders for name in bound_by(node))
        self.changes_directory = any(map(changes_directory, occurrences))
        if len(situation.directories) > 1 or self.changes_directory:
            changed.add("PWD")
        outer = situation.values
        self._outer = outer.possible
        certain = outer.certain
        if changed or not certain.keys() <= _INHERITED:
            certain = {n: text for n, text in certain.items() if n in _INHERITED - changed}
        printers = _PRINTERS - self.functions if self.functions else _PRINTERS
        if "TMPDIR" in changed:
            printers -= {"mktemp"}
        if "IFS" in changed:
            printers = frozenset()
        source, line = script.source, outer.line
        is_hidden = b"glob" in source.lower() and _HIDDEN.search(source) is not None
        puts = (b">" in source and _PUTS.search(source) is not None) or b"tee" in source
        if is_hidden or puts or self.changes_directory:
            line = Line(line.files, line.alternatives, hidden=line.hidden or is_hidden)
        self.start = Values(certain, outer.possible, printers, shapes=outer.shapes, line=line)
        if line is not outer.line:
            line.files = LineFiles(occurrences, line.files, situation.directories).texts
        self._bindings: Bindings | None = None
        self._is_plain = True
        if line.alternatives or self.functions or changed or _may_bind(source):
            self._bind(script, occurrences)
        self.meanings = Meanings(script) if _may_give_meaning(source) else None
        self._read = script, occurrences

    def _bind(self, script: Script, occurrences: list[Occurrence]) -> None:
        self._bindings = bindings = Bindings(script, occurrences, self.start)
        outer, arguments = self.start.possible, bindings.arguments_in("")
        given = bindings.possible.items()
        merged = {name: (*outer.get(name, ()), *texts) for name, texts in given}
        self.start.possible = {**outer, **arguments, **merged}
        self.start.shapes = {**self.start.shapes, **_shapes(bindings, self.start)}
        line, lists = self.start.line, bindings.alternatives()
        if lists:
            self.start.line = Line(line.files, lists, hidden=line.hidden)
        self._is_plain = bindings.is_plain

    def follow(
        self,
        script: Script,
        occurrences: list[Occurrence],
        sites: list[Evaluation],
        library: Library,
    ) -> None:
        """Find out what variables hold where, as far as that is certain."""
        if self.functions:
            return
        names = followed_names(script, occurrences, sites, library)
        names -= self._outer.keys()
        if names:
            self._flow = Flow(script, names, script.nodes(), self.start)

    def at(self, node: Node, directories: list[str]) -> list[Values]:
        """What holds at a simple command or a redirect, for each case that is possible there.

        directories: those that it may run in.
        """
        start, flow = self.start, self._flow
        if flow is None and "PWD" in start.certain and self._is_plain:
            return [start]
        possible = dict(start.possible)
        if "PWD" not in start.certain:
            possible["PWD"] = tuple(filter(None, directories))
        state: State = {}
        if flow is not None:
            state = flow.states.get(id(node), {})
            possible.update((name, ()) for name in flow.places)
            possible.update((name, value.texts) for name, value in state.items())
        bindings = self._bindings
        function = "" if bindings is None else bindings.function_at(node)
        if bindings is not None and function:
            possible.update(bindings.arguments_in(function))
        cases = worlds(state, start.certain, node)
        leading = {name: value.leading for name, value in state.items() if value.leading}
        paths = frozenset(name for name, value in state.items() if value.is_path)
        revisions = frozenset(name for name, value in state.items() if value.is_revision)
        jobs = frozenset(name for name, value in state.items() if value.is_job)
        rest = (start.printers, leading, paths, start.shapes, start.line, revisions, jobs)
        known = [Values(certain, possible, *rest) for certain in cases]
        if bindings is None or self._is_plain:
            return known
        return [*known, *supposed(node, bindings.alternatives(function), known[0])]

    def input_texts(self, command: Command) -> tuple[str, ...]:
        """What a command may read from its input, as files and the line itself say it now."""
        bindings, values = self._bindings, self.start
        if bindings is not None:
            values = bindings.values_in(bindings.function_at(command))
        return Sources(*self._read).of(command, values)

    def fields(self, word: Word | Assignment) -> tuple[Field, ...] | None:
        """The arguments that a word becomes, known results of substitutions put in."""
        known = fields(word)
        if known is not None:
            return known
        arguments = expand((word,), Values(printers=self.start.printers))
        if not all(argument.is_static for argument in arguments):
            return None
        return tuple(Field(argument.text or "") for argument in arguments)


def _may_bind(source: bytes) -> bool:
    """Tell whether a text may give anything to names by builtins or in expansions."""
    return (
        b"read" in source
        or b"set" in source
        or b"mapfile" in source
        or (b"${" in source and b"=" in source)
        or (b"printf" in source and b"-v" in source)
    )


def _may_give_meaning(source: bytes) -> bool:
    return (
        b"alias" in source or b"hash" in source or b"BASH_CMDS" in source or b"commands[" in source
    )


def changes_directory(occurrence: Occurrence) -> bool:
    """Tell whether it is `cd` or the like, also after `command` and `builtin`."""
    for word in occurrence.command.words[:4]:
        name = literal(word)
        if name not in _BEFORE_NAME:
            return name in named("enters")
    return False


def _shapes(bindings: Bindings, values: Values) -> dict[str, tuple[str, ...]]:
    """What these values look like; `f=~+/.env` names a secret in whatever directory."""
    given: dict[str, list[str]] = {}
    for name, argument, is_more in _given(bindings.setters, values):
        if is_more:  # `x+=v`, perhaps again and again
            told = [f"{text}*" for text in values.possible.get(name, ()) if text]
            given.setdefault(name, []).extend(told)
        if argument.is_static:
            continue  # its value is followed
        shapes = argument.shapes
        if argument.glob and "/" not in shapes[0]:
            shapes = (f"./{shapes[0]}",)  # in the current directory, unlike what is not known
        told = [shape for shape in shapes if argument.glob or shape.strip("*./")]
        given.setdefault(name, []).extend(told)
    return {name: tuple(dict.fromkeys(shapes))[:_MAX_POSSIBLE] for name, shapes in given.items()}


def _given(setters: list[Node], values: Values) -> Iterator[tuple[str, Argument, bool]]:
    for node in setters:
        if isinstance(node, Loop):
            yield from ((node.name, a, False) for a in expand(node.words or (), values))
        elif isinstance(node, Assignment) and isinstance(node.value, Word):
            yield from ((node.name, a, node.append) for a in expand((node.value,), values))


# -- what sets variables, besides assignments -----------------------------------------------------


def binding_findings(
    binders: list[Node], sites: list[Evaluation], environment: dict[str, str]
) -> list[Decision]:
    bound = [(name, node.start, node.end) for node in binders for name in bound_by(node)]
    bound += [(name, site.start, site.end) for site in sites for name in assigned_at(site)]
    return [
        Decision(
            Verdict.ASK,
            rule_of(name),
            f"{name} changes how the shell or its programs run",
            start,
            end,
            effects=Effect.UNCLEAR,
        )
        for name, start, end in bound
        if not is_private(name, environment)
    ]


def _setters(script: Script) -> list[Assignment | Loop]:
    return script.nodes_of_any((Assignment, Loop))  # type: ignore[return-value]


def bound_by(node: Node) -> Iterator[str]:
    """The names that a node of the tree sets, assignments and arithmetic aside."""
    if isinstance(node, Loop | Coproc):
        if node.name:
            yield node.name
    elif isinstance(node, Parameter):
        if node.operator in ("=", ":=") or assigns_in_zsh(node):
            yield node.name
    elif isinstance(node, Redirect) and node.fd.startswith("{"):
        yield node.fd[1:-1].partition("[")[0]


def assigns_in_zsh(node: Parameter) -> bool:
    """`${x::=word}`: for bash an offset that starts with a colon, which is an error."""
    return node.operator == ":" and node.operand.startswith(":=")


def assigned_at(site: Evaluation) -> Iterator[str]:
    """The names in arithmetic that assigns something."""
    if site.kind == "arithmetic" and site.text is not None and _ASSIGNS.search(site.text):
        yield from dict.fromkeys(_NAME.findall(site.text))


# -- variables that can be followed ----------------------------------------------------------------

_MAX_NAMES = 64
# Variables that the shell itself sets:
# https://www.gnu.org/software/bash/manual/html_node/Bash-Variables.html
# https://zsh.sourceforge.io/Doc/Release/Parameters.html#Parameters-Set-By-The-Shell
_MAGIC = frozenset(
    """
    _ LINENO EPOCHSECONDS EPOCHREALTIME SRANDOM SHLVL GID EGID USERNAME HOST TTY ERRNO status argv
    ARGC pipestatus options parameters match mbegin mend MATCH MBEGIN MEND reply prompt PROMPT
    cdpath manpath mailpath module_path fignore psvar watch histchars
    """.split()
)
_PLAIN_SWITCH = pattern(r"[-+][euxvfCETo]+|pipefail|errexit|nounset|xtrace|verbose")


def followed_names(
    script: Script, occurrences: list[Occurrence], sites: list[Evaluation], library: Library
) -> frozenset[str]:
    """Variables that only plain assignments and `for` loops set: their values can be followed.

    None at all where something may set variables unseen.
    """
    setters = _setters(script)
    names = {node.name for node in setters if _sets_plainly(node)}
    if not names or len(names) > _MAX_NAMES:
        return frozenset()
    if any(script.nodes_of(kind) for kind in (Function, Coproc)):
        return frozenset()
    if any(p.prefix == "!" and p.operator in ("=", ":=") for p in script.nodes_of(Parameter)):
        return frozenset()
    others = {node.name for node in setters if not _sets_plainly(node)} | _MAGIC
    for node in (*script.nodes_of(Parameter), *script.nodes_of(Redirect)):
        others.update(bound_by(node))
    for site in sites:
        others.update(assigned_at(site))
    for occurrence in occurrences:
        bound = _bound_by_command(occurrence.command, library)
        if bound is None:
            return frozenset()
        others |= bound
    return frozenset(name for name in names - others if is_private(name, {}))


def _sets_plainly(node: Node) -> bool:
    if isinstance(node, Loop):
        return node.kind == "for" and node.words is not None
    return isinstance(node, Assignment) and bool(
        node.name and not node.append and node.index is None and not isinstance(node.value, Array)
    )


@cache
def _naming() -> frozenset[str]:
    """Builtins that name the variables they set, in their operands."""
    filling = (name for name, option in detailed("fills").items() if not option)
    return named("exports", "unsets").union(filling)


@cache
def _unseen() -> frozenset[str]:
    """Builtins that may set variables, or run code that does, without naming them.

    `set` is looked at by its words.
    """
    return named("declares", "calculates", "runs", "changes", "modifier") - {"set"}


def _bound_by_command(command: Command, library: Library) -> set[str] | None:
    """Names that a simple command sets without an assignment; None if they cannot be told."""
    if not command.words:
        return set()
    in_front = {assignment.name for assignment in command.assignments}
    name, words = literal(command.words[0]), command.words[1:]
    if name is None or name in _unseen():
        return None
    if not ("/" in name or library.knows(name) or library.knows(folded(name))):
        return None
    texts = [word.name if isinstance(word, Assignment) else literal(word) for word in words]
    if name in _naming():
        named = [_NAME.findall(given) for given in texts if given is not None]
        return None if len(named) < len(texts) else in_front.union(*named)
    is_plain = {
        "printf": not texts or (texts[0] is not None and not texts[0].startswith("-")),
        "set": all(t is not None and _PLAIN_SWITCH.fullmatch(t) for t in texts),
        "wait": all(t is not None and not t.startswith("-") for t in texts),
    }.get(name, True)
    return in_front if is_plain else None

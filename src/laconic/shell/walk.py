"""Everything in a tree that would run: commands with their context, redirects, evaluation sites."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from laconic.patterns import pattern
from laconic.shell.ast import (
    AndOr,
    AnyCommand,
    Arithmetic,
    ArithmeticCommand,
    Array,
    Assignment,
    Case,
    Command,
    Compound,
    Conditional,
    Coproc,
    Function,
    Literal,
    Loop,
    Node,
    Parameter,
    Pipeline,
    Redirect,
    Script,
    Sequence,
    Substitution,
    Test,
    Word,
)
from laconic.shell.words import Field, fields, leading, literal, splits

Reader = Callable[[Word | Assignment], tuple[Field, ...] | None]


class Context:
    """Where a command is.

    stage of stages: its place in the innermost pipeline. reads_pipe, feeds_pipe: its input or
    output is a pipe, if only because it is in a group that is piped. substitution: the innermost
    one it is in (`$(`, a backquote, `<(`, `>(`), or empty. function: the innermost function whose
    body it is in. around: redirects of the compound commands it is in, which feed or take its
    streams. assigned: the substitution's text becomes the value of a variable, not an argument.
    """

    def __init__(self) -> None:
        self.stage, self.stages = 0, 1
        self.background = self.subshell = self.negated = self.reads_pipe = self.feeds_pipe = False
        self.assigned = False
        self.substitution = self.function = ""
        self.around: tuple[Redirect, ...] = ()

    def but(self, **changes: object) -> Context:
        changed = Context()
        vars(changed).update(vars(self), **changes)
        return changed


class Occurrence:
    """A simple command and its context. Its words may be empty: only assignments or redirects."""

    __slots__ = ("command", "context")

    def __init__(self, command: Command, context: Context) -> None:
        self.command, self.context = command, context


def commands(script: Script) -> list[Occurrence]:
    """Every simple command that would run, at any depth, in the order of the source."""
    if script.commands is None:
        occurrences: list[Occurrence] = []
        _in_sequence(script.body, Context(), occurrences)
        occurrences.sort(key=lambda occurrence: occurrence.command.start)
        script.commands = occurrences
    return script.commands


def written(script: Script) -> list[tuple[Command, str]]:
    """The commands that have words, and these words as they are written."""
    found = [occurrence.command for occurrence in commands(script) if occurrence.command.words]
    spans = ((one, script.source[one.words[0].start : one.words[-1].end]) for one in found)
    return [(one, text.decode("utf-8", "replace")) for one, text in spans]


def command_at(script: Script, start: int, end: int) -> Command | None:
    """The innermost command with words that these bytes are in."""
    around = [one for one, _ in written(script) if one.start <= start and end <= one.end]
    return min(around, key=lambda one: one.end - one.start, default=None)


def redirects(script: Script) -> list[Redirect]:
    """Every redirect at any depth, those of compound commands included, in the source's order."""
    return sorted(script.nodes_of(Redirect), key=lambda redirect: redirect.start)


# -- commands ------------------------------------------------------------------------------------


def _in_sequence(sequence: Sequence, context: Context, occurrences: list[Occurrence]) -> None:
    for item, separator in zip(sequence.items, sequence.separators, strict=True):
        in_background = separator is not None and separator.text == "&"
        inner = context.but(background=True, subshell=True) if in_background else context
        _in_and_or(item, inner, occurrences)


def _in_and_or(item: AndOr, context: Context, occurrences: list[Occurrence]) -> None:
    for pipeline in item.pipelines:
        _in_pipeline(pipeline, context, occurrences)


def _in_pipeline(pipeline: Pipeline, context: Context, occurrences: list[Occurrence]) -> None:
    stages = len(pipeline.commands)
    negated = pipeline.negations % 2 == 1
    for stage, command in enumerate(pipeline.commands):
        if stages > 1 or negated or context.stages > 1 or context.negated:
            inner = context.but(
                stage=stage,
                stages=stages,
                reads_pipe=context.reads_pipe or stage > 0,
                feeds_pipe=context.feeds_pipe or stage < stages - 1,
                negated=negated,
                subshell=context.subshell or stages > 1,
            )
        else:
            inner = context
        _in_command(command, inner, occurrences)


def _in_command(command: AnyCommand, context: Context, occurrences: list[Occurrence]) -> None:
    if isinstance(command, Command):
        occurrences.append(Occurrence(command, context))
        for part in (*command.assignments, *command.words, *command.redirects):
            _in_words(part, context, occurrences, assigned=isinstance(part, Assignment))
    elif isinstance(command, Function):
        _in_command(command.body, context.but(function=command.name), occurrences)
    elif isinstance(command, Coproc):
        inner = context.but(background=True, subshell=True, reads_pipe=True, feeds_pipe=True)
        _in_command(command.body, inner, occurrences)
    else:
        _in_compound(command, context, occurrences)


def _in_compound(
    command: Compound | Loop | Case | Conditional | ArithmeticCommand,
    context: Context,
    occurrences: list[Occurrence],
) -> None:
    for redirect in command.redirects:
        _in_words(redirect, context, occurrences)
    inner = context
    if command.redirects:
        inner = inner.but(around=context.around + command.redirects)
    if isinstance(command, Compound):
        if command.kind == "(":
            inner = inner.but(subshell=True)
        for body in command.bodies:
            _in_sequence(body, inner, occurrences)
    elif isinstance(command, Loop):
        for word in command.words or ():
            _in_words(word, inner, occurrences)
        if command.header is not None:
            _in_words(command.header, inner, occurrences)
        _in_sequence(command.body, inner, occurrences)
    elif isinstance(command, Case):
        _in_words(command.subject, inner, occurrences)
        for clause in command.clauses:
            for pattern in clause.patterns:
                _in_words(pattern, inner, occurrences)
            _in_sequence(clause.body, inner, occurrences)
    elif isinstance(command, Conditional):
        for test in command.tests:
            _in_words(test, inner, occurrences)
    else:
        _in_words(command.expression, inner, occurrences)


def _in_words(
    root: Node, context: Context, occurrences: list[Occurrence], *, assigned: bool | None = None
) -> None:
    """Follow the substitutions in words, assignments, redirects and here-documents.

    assigned: whether they become the value of a variable; as around them if None.
    """
    if isinstance(root, Word) and len(root.parts) == 1 and isinstance(root.parts[0], Literal):
        return  # most words are such
    for substitution in outermost_substitutions(root):
        inner = context.but(
            assigned=context.assigned if assigned is None else assigned,
            substitution=substitution.style,
            subshell=True,
            stage=0,
            stages=1,
            reads_pipe=substitution.style == ">(",
            feeds_pipe=substitution.style != ">(",
            negated=False,
            around=(),
        )
        _in_sequence(substitution.body, inner, occurrences)


def outermost_substitutions(root: Node) -> Iterator[Substitution]:
    """The substitutions that are not inside another one."""
    todo = [root]
    while todo:
        node = todo.pop()
        if isinstance(node, Substitution):
            yield node
            continue
        todo += node.children()


# -- evaluation sites ----------------------------------------------------------------------------


class Evaluation:
    """A place where bash evaluates text a second time, and so may run code inside it.

    kind `arithmetic`: an expression (names in it are evaluated in turn, subscripts expanded);
    `variable`: the name of a variable, perhaps with a subscript; `indirect`: `${!x}` or a nameref;
    `prompt`: `${x@P}`. text: what is evaluated, None if it is not known.
    """

    __slots__ = ("end", "kind", "start", "text")

    def __init__(self, node: Node, kind: str, text: str | None) -> None:
        self.start, self.end, self.kind, self.text = node.start, node.end, kind, text

    def __repr__(self) -> str:
        return f"Evaluation({self.start}, {self.end}, {self.kind!r}, {self.text!r})"

    @property
    def names(self) -> frozenset[str] | None:
        """The variables that are evaluated, if the text is made of names, numbers and operators.

        None: it may hold more than that, such as a subscript that runs a command.
        """
        if self.text is None or not _PLAIN_EXPRESSION.fullmatch(self.text):
            return None
        return frozenset(_NAME.findall(self.text))


_NAME = pattern(r"[A-Za-z_][A-Za-z0-9_]*")
_PLAIN_EXPRESSION = pattern(
    r"(?:[A-Za-z0-9_ \t\n+\-*/%<>=!&|^~?:,();#@]|\[[A-Za-z0-9_]+\]|\$(?:[A-Za-z_][A-Za-z0-9_]*"
    r"|\{[A-Za-z_][A-Za-z0-9_]*\}|[#?]))*"
)
_COMPARISONS = frozenset(["-eq", "-ne", "-lt", "-le", "-gt", "-ge"])
_DECLARING = frozenset(["declare", "typeset", "local"])


def evaluations(script: Script, read: Reader = fields) -> list[Evaluation]:
    """Every evaluation site at any depth, in the order of the source.

    read: what the arguments of builtins say, None for a word that is not known.
    """
    sites = [Evaluation(node, "arithmetic", node.text) for node in script.nodes_of(Arithmetic)]
    for parameter in script.nodes_of(Parameter):
        sites += _in_parameter(parameter)
    for test in script.nodes_of(Test):
        sites += _in_test(test)
    for command in script.nodes_of(Command):
        sites += _in_builtin(command, read)
    return sorted(sites, key=lambda site: site.start)


def _in_parameter(node: Parameter) -> Iterator[Evaluation]:
    if node.index is not None and node.index not in ("@", "*"):
        yield Evaluation(node, "arithmetic", node.index)
    if node.operator == ":":
        yield Evaluation(node, "arithmetic", node.operand)
    if node.operator.startswith("@P"):
        yield Evaluation(node, "prompt", None)
    is_listing = node.operator in ("@", "*") or node.index in ("@", "*")
    if node.prefix == "!" and not is_listing:
        yield Evaluation(node, "indirect", node.name)


def _in_test(node: Test) -> Iterator[Evaluation]:
    if node.operator in _COMPARISONS:
        for operand in node.operands:
            yield Evaluation(operand, "arithmetic", literal(operand))
    elif node.operator in ("-v", "-R"):
        yield Evaluation(node.operands[0], "variable", literal(node.operands[0]))


def _in_builtin(command: Command, read: Reader) -> Iterator[Evaluation]:
    words = command.words
    name = literal(words[0]) if words else None
    while len(words) > 1 and name in ("command", "builtin"):
        words = words[1:]
        name = literal(words[0])
    if name not in TAKING_NAMES:
        return
    arguments = _known_arguments(words[1:], read)
    if name == "printf":
        arguments = arguments[:2]  # after the format nothing is an option
    if name == "let":
        for word, value in arguments:
            yield Evaluation(word, "arithmetic", value)
    elif name in NAMING_OPTION:
        yield from _names_behind(arguments, NAMING_OPTION[name])
    else:
        kind = _declared_kind(arguments) if name in _DECLARING else "variable"
        for word, value in arguments:
            if _fills_array(word, value, arguments):
                yield Evaluation(word, "arithmetic", None)
            elif value is None or not value.startswith(("-", "+")):
                is_sure = kind == "variable" or (kind == "arithmetic" and _gives_number(value))
                text = _name_part(word, value) if is_sure else None
                yield Evaluation(word, kind, text)


NAMING_OPTION = {"test": "-v", "[": "-v", "printf": "-v", "wait": "-p"}
TAKING_NAMES = _DECLARING.union(
    NAMING_OPTION, "let read unset mapfile readarray getopts export readonly".split()
)


def _known_arguments(
    words: tuple[Word | Assignment, ...], read: Reader
) -> list[tuple[Node, str | None]]:
    """Arguments as the builtin sees them; None for a text that is not known."""
    arguments: list[tuple[Node, str | None]] = []
    for word in words:
        values = read(word)
        if values is None and leading(word).startswith("-"):
            arguments.append((word, leading(word)))
        arguments += [(word, None)] if values is None else [(word, value.text) for value in values]
    return arguments


def _names_behind(arguments: list[tuple[Node, str | None]], option: str) -> Iterator[Evaluation]:
    """The argument after the option, `-v name` or `-vname`; an unknown word may be that option."""
    for pos, (word, value) in enumerate(arguments):
        following = arguments[pos + 1] if pos + 1 < len(arguments) else None
        hides_both = isinstance(word, Word) and value is None and splits(word)
        if hides_both:
            yield Evaluation(word, "unquoted", None)
        elif value is None and following is not None and following[1] is None:
            yield Evaluation(word, "variable", None)
        elif value == option and following is not None:
            yield Evaluation(following[0], "variable", following[1])
        elif value is not None and value.startswith(option) and value != option:
            yield Evaluation(word, "variable", value[len(option) :])


def _declared_kind(arguments: list[tuple[Node, str | None]]) -> str:
    """What becomes of all values given to such a variable, now and later."""
    flags = "".join(value[1:] for _, value in arguments if value and value[0] in "-+")
    return "indirect" if "n" in flags else "arithmetic" if "i" in flags else "variable"


def _fills_array(word: Node, value: str | None, arguments: list[tuple[Node, str | None]]) -> bool:
    """`declare -a 'x=([$(command)]=1)'`: what stands in the brackets is expanded once more.

    https://git.savannah.gnu.org/cgit/bash.git/tree/builtins/declare.def
    """
    if value is not None:
        given = value.partition("=")[2]
        return given.startswith("(") and any(char in given for char in "$`[")
    is_array = any(text and text[0] in "-+" and {*"aA"} & {*text} for _, text in arguments)
    return is_array and isinstance(word, Assignment) and not isinstance(word.value, Array)


def _gives_number(value: str | None) -> bool:
    """`n=5`: the integer flag evaluates a number, and what the name is given later."""
    return value is not None and re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*=-?[0-9]+", value) is not None


def _name_part(word: Node, value: str | None) -> str | None:
    """The name that a declaration assigns to, without the value."""
    if isinstance(word, Assignment):
        is_element = word.index is not None or (
            isinstance(word.value, Array)
            and any(isinstance(e, Assignment) for e in word.value.elements)
        )
        return None if is_element else word.name
    return None if value is None else value.split("=", 1)[0].removesuffix("+")

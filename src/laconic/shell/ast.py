"""The nodes of a parsed command line.

Every node knows its span: `start` and `end` are byte offsets into the source.  Text in nodes holds
one character per byte (latin-1), so that offsets, lengths and slices agree; `words.text` turns it
into readable text.  Nodes are plain values: they compare by content and print themselves.

The parts of a Word tile it: each byte of the word belongs to exactly one part.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeVar

    from laconic.shell.walk import Occurrence

    N = TypeVar("N", bound="Node")


class Node:
    """A piece of the source with its byte span."""

    __slots__ = ("end", "start")
    start: int
    end: int

    def fields(self) -> Iterator[tuple[str, object]]:
        for name in self.__slots__:
            yield name, getattr(self, name)

    def children(self) -> Iterable[Node]:
        """Return the nodes right below this one."""
        below: list[Node] = []
        for name in self.__slots__:
            value = getattr(self, name)
            if isinstance(value, tuple):
                below += [item for item in value if isinstance(item, Node)]
            elif isinstance(value, Node):
                below.append(value)
        return below

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Node)
            and type(self) is type(other)
            and self.start == other.start
            and self.end == other.end
            and list(self.fields()) == list(other.fields())
        )

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        inside = "".join(f", {name}={value!r}" for name, value in self.fields())
        return f"{type(self).__name__}({self.start}, {self.end}{inside})"


class Mark(Node):
    """An operator, a separator, a reserved word or a comment, as it was typed."""

    __slots__ = ("text",)

    def __init__(self, start: int, end: int, text: str) -> None:
        self.start, self.end, self.text = start, end, text


# -- parts of words ------------------------------------------------------------------------------


class Literal(Node):
    """Unquoted text: glob, brace and tilde characters in it are active."""

    __slots__ = ("value",)

    def __init__(self, start: int, end: int, value: str) -> None:
        self.start, self.end, self.value = start, end, value

    def children(self) -> Iterable[Node]:
        return ()


class Quoted(Node):
    """Text that stands for itself. style: `'`, `$'` or a backslash; value None: not certain."""

    __slots__ = ("style", "value")

    def __init__(self, start: int, end: int, value: str | None, style: str) -> None:
        self.start, self.end, self.value, self.style = start, end, value, style

    def children(self) -> Iterable[Node]:
        return ()


class DoubleQuoted(Node):
    """`".."` or `$".."`."""

    __slots__ = ("parts", "style")

    def __init__(self, start: int, end: int, parts: tuple[Part, ...], style: str) -> None:
        self.start, self.end, self.parts, self.style = start, end, parts, style


class Parameter(Node):
    """`$x` or `${x..}`.

    prefix is `!` (indirection) or `#` (length) or empty; index is the text between `[` and `]`, if
    any; operator is what follows the name (`:-`, `##`, `/`, `@P`, ..), operand the text after it;
    parts are the expansions found in index and operand.
    """

    __slots__ = ("index", "name", "operand", "operator", "parts", "prefix")

    def __init__(
        self,
        start: int,
        end: int,
        name: str,
        prefix: str = "",
        index: str | None = None,
        operator: str = "",
        operand: str = "",
        parts: tuple[Part, ...] = (),
    ) -> None:
        self.start, self.end, self.name, self.prefix = start, end, name, prefix
        self.index, self.operator, self.operand, self.parts = index, operator, operand, parts


class Substitution(Node):
    """A command substitution or process substitution. style: `$(`, a backquote, `<(` or `>(`."""

    __slots__ = ("body", "style")

    def __init__(self, start: int, end: int, body: Sequence, style: str) -> None:
        self.start, self.end, self.body, self.style = start, end, body, style


class Arithmetic(Node):
    """`$((..))`, `$[..]`, or the inside of `((..))`; parts are the expansions in it."""

    __slots__ = ("parts", "text")

    def __init__(self, start: int, end: int, text: str, parts: tuple[Part, ...]) -> None:
        self.start, self.end, self.text, self.parts = start, end, text, parts


class Pattern(Node):
    """An extended glob `@(..)` or a group of a regular expression; parts are expansions in it."""

    __slots__ = ("parts",)

    def __init__(self, start: int, end: int, parts: tuple[Part, ...]) -> None:
        self.start, self.end, self.parts = start, end, parts


Part = Literal | Quoted | DoubleQuoted | Parameter | Substitution | Arithmetic | Pattern


class Word(Node):
    """The parts of an argument.

    plain: what laconic.shell.words.plain_text finds; False as long as nobody has asked.
    """

    __slots__ = ("parts", "plain")

    def __init__(self, start: int, end: int, parts: tuple[Part, ...]) -> None:
        self.start, self.end, self.parts = start, end, parts
        self.plain: str | bool | None = False

    def fields(self) -> Iterator[tuple[str, object]]:
        yield "parts", self.parts

    def children(self) -> Iterable[Node]:
        return self.parts


# -- assignments and redirects -------------------------------------------------------------------


class Array(Node):
    """The `(..)` of a compound assignment; an element is a word or `[index]=value`."""

    __slots__ = ("elements",)

    def __init__(self, start: int, end: int, elements: tuple[Word | Assignment, ...]) -> None:
        self.start, self.end, self.elements = start, end, elements


class Assignment(Node):
    """`name=value`, `name[index]+=value`, `name=(..)`; name is empty for an array's element.

    plain: as that of a Word, which it never is.
    """

    __slots__ = ("append", "index", "name", "value")
    plain = None

    def __init__(
        self,
        start: int,
        end: int,
        name: str,
        index: Arithmetic | None,
        append: bool,
        value: Word | Array | None,
    ) -> None:
        self.start, self.end, self.name = start, end, name
        self.index, self.append, self.value = index, append, value


class Heredoc(Node):
    """A here-document: the span is its body, close the line that ends it.

    The parser fills start, end, parts and close when it reaches the body.
    """

    __slots__ = ("close", "delimiter", "parts", "quoted", "strip_tabs")

    def __init__(self, delimiter: str, quoted: bool, strip_tabs: bool) -> None:
        self.start = self.end = 0
        self.delimiter, self.quoted, self.strip_tabs = delimiter, quoted, strip_tabs
        self.parts: tuple[Part, ...] = ()
        self.close = Mark(0, 0, "")


class Redirect(Node):
    """`2>&1`, `{fd}>file`, `<<EOF`. fd is the text before the operator, empty if none."""

    __slots__ = ("fd", "heredoc", "operator", "target")

    def __init__(
        self, start: int, end: int, fd: str, operator: str, target: Word, heredoc: Heredoc | None
    ) -> None:
        self.start, self.end, self.fd, self.operator = start, end, fd, operator
        self.target, self.heredoc = target, heredoc


# -- commands ------------------------------------------------------------------------------------


class Command(Node):
    """A simple command. An argument of `declare`, `export`.. may be an Assignment."""

    __slots__ = ("assignments", "redirects", "words")

    def __init__(
        self,
        start: int,
        end: int,
        assignments: tuple[Assignment, ...],
        words: tuple[Word | Assignment, ...],
        redirects: tuple[Redirect, ...],
    ) -> None:
        self.start, self.end = start, end
        self.assignments, self.words, self.redirects = assignments, words, redirects

    def children(self) -> Iterable[Node]:
        return (*self.assignments, *self.redirects, *self.words)


class Compound(Node):
    """kind `{`, `(`: one body; `while`, `until`: test and body; `if`: tests and bodies in turn."""

    __slots__ = ("bodies", "kind", "redirects")

    def __init__(
        self,
        start: int,
        end: int,
        kind: str,
        bodies: tuple[Sequence, ...],
        redirects: tuple[Redirect, ...],
    ) -> None:
        self.start, self.end, self.kind = start, end, kind
        self.bodies, self.redirects = bodies, redirects


class Loop(Node):
    """kind `for` or `select`: name, words (None without `in`); kind `for((`: header."""

    __slots__ = ("body", "header", "kind", "name", "redirects", "words")

    def __init__(
        self,
        start: int,
        end: int,
        kind: str,
        name: str,
        words: tuple[Word, ...] | None,
        header: Arithmetic | None,
        body: Sequence,
        redirects: tuple[Redirect, ...],
    ) -> None:
        self.start, self.end, self.kind, self.name = start, end, kind, name
        self.words, self.header, self.body, self.redirects = words, header, body, redirects


class Clause(Node):
    """`pattern | pattern) body ;;`"""

    __slots__ = ("body", "patterns", "terminator")

    def __init__(
        self, start: int, end: int, patterns: tuple[Word, ...], body: Sequence, terminator: str
    ) -> None:
        self.start, self.end = start, end
        self.patterns, self.body, self.terminator = patterns, body, terminator


class Case(Node):
    __slots__ = ("clauses", "redirects", "subject")

    def __init__(
        self,
        start: int,
        end: int,
        subject: Word,
        clauses: tuple[Clause, ...],
        redirects: tuple[Redirect, ...],
    ) -> None:
        self.start, self.end = start, end
        self.subject, self.clauses, self.redirects = subject, clauses, redirects


class Test(Node):
    """One test of `[[ ]]`: operator empty for a lone word, one or two operands."""

    __slots__ = ("operands", "operator")

    def __init__(self, start: int, end: int, operator: str, operands: tuple[Word, ...]) -> None:
        self.start, self.end, self.operator, self.operands = start, end, operator, operands


class Conditional(Node):
    """`[[ .. ]]`, its tests in order; `!`, `&&`, `||` and parentheses are marks."""

    __slots__ = ("redirects", "tests")

    def __init__(
        self, start: int, end: int, tests: tuple[Test, ...], redirects: tuple[Redirect, ...]
    ) -> None:
        self.start, self.end, self.tests, self.redirects = start, end, tests, redirects


class ArithmeticCommand(Node):
    """`((..))`"""

    __slots__ = ("expression", "redirects")

    def __init__(
        self, start: int, end: int, expression: Arithmetic, redirects: tuple[Redirect, ...]
    ) -> None:
        self.start, self.end = start, end
        self.expression, self.redirects = expression, redirects


class Function(Node):
    __slots__ = ("body", "name")

    def __init__(self, start: int, end: int, name: str, body: AnyCommand) -> None:
        self.start, self.end, self.name, self.body = start, end, name, body


class Coproc(Node):
    __slots__ = ("body", "name")

    def __init__(self, start: int, end: int, name: str, body: AnyCommand) -> None:
        self.start, self.end, self.name, self.body = start, end, name, body


COMPOUNDS = (Compound, Loop, Case, Conditional, ArithmeticCommand, Function, Coproc)
AnyCommand = Command | Compound | Loop | Case | Conditional | ArithmeticCommand | Function | Coproc


# -- lists ---------------------------------------------------------------------------------------


class Pipeline(Node):
    """`! time a | b`; operators are the `|` and `|&` between the commands."""

    __slots__ = ("commands", "negations", "operators", "timed")

    def __init__(
        self,
        start: int,
        end: int,
        negations: int,
        timed: bool,
        commands: tuple[AnyCommand, ...],
        operators: tuple[Mark, ...],
    ) -> None:
        self.start, self.end, self.negations, self.timed = start, end, negations, timed
        self.commands, self.operators = commands, operators

    def children(self) -> Iterable[Node]:
        return (*self.commands, *self.operators)


class AndOr(Node):
    """Pipelines joined by `&&` and `||`."""

    __slots__ = ("operators", "pipelines")

    def __init__(
        self, start: int, end: int, pipelines: tuple[Pipeline, ...], operators: tuple[Mark, ...]
    ) -> None:
        self.start, self.end = start, end
        self.pipelines, self.operators = pipelines, operators

    def children(self) -> Iterable[Node]:
        return (*self.operators, *self.pipelines)


class Sequence(Node):
    """Lists and the separator after each: `;`, `&`, a newline, or None at the end."""

    __slots__ = ("items", "separators")

    def __init__(
        self, start: int, end: int, items: tuple[AndOr, ...], separators: tuple[Mark | None, ...]
    ) -> None:
        self.start, self.end, self.items, self.separators = start, end, items, separators

    def children(self) -> Iterable[Node]:
        return (*self.items, *(mark for mark in self.separators if mark is not None))


class Script(Node):
    """A whole parsed text; marks are all operators, reserved words and comments in it.

    commands: what laconic.shell.walk finds in it, once somebody has asked.
    """

    __slots__ = ("_by_kind", "_nodes", "body", "commands", "marks", "source")

    def __init__(self, source: bytes, body: Sequence, marks: tuple[Mark, ...]) -> None:
        self.start, self.end = 0, len(source)
        self.source, self.body, self.marks = source, body, marks
        self._nodes: list[Node] | None = None
        self._by_kind: dict[type[Node], list[Node]] = {}
        self.commands: list[Occurrence] | None = None

    def fields(self) -> Iterator[tuple[str, object]]:
        return iter((("body", self.body), ("marks", self.marks), ("source", self.source)))

    def nodes(self) -> list[Node]:
        """All nodes of the body; computed once, because trees are never changed."""
        if self._nodes is None:
            self._nodes = nodes(self.body)
            for node in self._nodes:
                self._by_kind.setdefault(type(node), []).append(node)
        return self._nodes

    def nodes_of(self, kind: type[N]) -> list[N]:
        """Return the nodes of one kind."""
        if self._nodes is None:
            self.nodes()
        return self._by_kind.get(kind, [])  # type: ignore[return-value]

    def nodes_of_any(self, kinds: tuple[type[Node], ...]) -> list[Node]:
        """Return the nodes of several kinds, those of one kind together."""
        if self._nodes is None:
            self.nodes()
        if self._by_kind.keys().isdisjoint(kinds):  # as in most scripts
            return []
        return [node for kind in kinds for node in self._by_kind.get(kind, ())]


def nodes(root: Node) -> list[Node]:
    """All nodes of a tree, parents before children; without recursion, for any depth."""
    found = [root]
    for node in found:  # which grows meanwhile
        if not isinstance(node, Literal):  # most nodes are such, and nothing is below them
            found += node.children()
    return found

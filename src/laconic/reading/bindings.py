"""All that a line gives to names: variables, arrays, and the arguments of functions and scripts.

Nothing here is certain: it is what a name may hold at any place of the line, as far as that is
known. Every way to set a name counts, whether it runs or not.
"""

from __future__ import annotations

from itertools import islice, product

from laconic.knowledge.arguments import Line, Values, expand
from laconic.knowledge.parameters import MAX_LENGTH, MAX_POSSIBLE
from laconic.knowledge.streams import input_texts, node_output, rare_first
from laconic.patterns import pattern
from laconic.shell import ParseError, parse
from laconic.shell.ast import (
    Array,
    Assignment,
    Command,
    Function,
    Loop,
    Parameter,
    Pipeline,
    Word,
    nodes,
)
from laconic.shell.words import literal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from laconic.knowledge.arguments import Argument
    from laconic.knowledge.parameters import List
    from laconic.shell.ast import Node, Script
    from laconic.shell.walk import Occurrence

    Texts = tuple[str, ...]
    Words = tuple[Word | Assignment, ...]

_MAX_ROUNDS = 4  # of values that are made of other values
_MAX_LISTS = 16
_MAX_SHIFTS = 3
_MAX_WORDS = 64
_MANY = 64  # places that give something to names: they are gone through once
_MAX_FUNCTIONS = 64
_READERS = frozenset("read mapfile readarray".split())
_DECLARES = frozenset("declare local typeset".split())
_REFERS = pattern(r"-[A-Za-z]*n[A-Za-z]*")
_BUILTINS = _READERS | _DECLARES | {"set", "printf"}
_SAYS = frozenset("echo printf".split())
_EVALUATES = frozenset("eval trap".split())
_MOVES = pattern(rb"\bshift\b|\bgetopts\b")
_SEPARATORS = pattern(r"[\s:,;=|]+")
_TAKES_VALUE = frozenset(("-d", "-i", "-n", "-N", "-p", "-t", "-u", "-k"))
_NAME = pattern(r"[A-Za-z_]\w*")
_DEFINES = frozenset((":=", "="))


class Bindings:
    """What a script gives to names, on top of what is known around it.

    possible, shapes: as in Values. arrays: the lists that an array may be. arguments: the lists
    that the arguments of each function may be; of the script itself, by the empty name.
    """

    def __init__(self, script: Script, occurrences: list[Occurrence], outer: Values) -> None:
        self.possible: dict[str, Texts] = {}
        self.arrays: dict[str, tuple[List, ...]] = {}
        self.arguments: dict[str, tuple[List, ...]] = {}
        self._merged = dict(outer.possible)  # and what is in possible, as soon as it is there
        self._lists: dict[str, Mapping[str, tuple[List, ...]]] = {}  # what alternatives has found
        self._script, self._outer = script, outer
        self._sources = Sources(script, occurrences)
        self._functions = script.nodes_of(Function)[:_MAX_FUNCTIONS]
        self._names = frozenset(function.name for function in self._functions)
        self._shifts = _MOVES.search(script.source) is not None
        self.setters: list[Node] = []
        self._gather(occurrences)

    def _gather(self, occurrences: list[Occurrence]) -> None:
        script = self._script
        self.setters = [*script.nodes_of(Assignment), *script.nodes_of(Loop)]
        events: list[Node] = [node for node in self.setters if getattr(node, "name", "")]
        events += (p for p in script.nodes_of(Parameter) if p.operator in _DEFINES)
        events += (one.command for one in occurrences if self._binds(one.command))
        events.sort(key=lambda node: node.start)
        for _ in range(_MAX_ROUNDS if len(events) <= _MANY else 1):
            before = dict(self.possible), dict(self.arrays), dict(self.arguments)
            events = [event for event in events if self._note(event)]
            if not events or before == (self.possible, self.arrays, self.arguments):
                break

    def _binds(self, command: Command) -> bool:
        if not command.words:
            return False
        name = literal(command.words[0])
        if name in _BUILTINS:
            return True
        if not self._names or name in _SAYS:
            return False
        is_open = name is None or name in _EVALUATES
        return is_open or not self._names.isdisjoint(map(literal, command.words))

    @property
    def is_plain(self) -> bool:
        """Tell whether all that is known of a name is one text for each of its values."""
        is_split = any(" " in text for texts in self.possible.values() for text in texts)
        return not (is_split or self.arrays or self.arguments or self._outer.line.alternatives)

    def alternatives(self, function: str = "") -> Mapping[str, tuple[List, ...]]:
        """The lists that arrays and the arguments may be."""
        if function not in self._lists:
            arguments = self.lists_in(function)
            around = {n: lists for n, lists in self._outer.line.alternatives.items() if n != "@"}
            found = {**around, **self.arrays, **({"@": arguments} if arguments else {})}
            self._lists[function] = found
        return self._lists[function]

    # -- one place

    def function_at(self, node: Node) -> str:
        """The innermost function that a node is in."""
        around = [f for f in self._functions if f.start <= node.start < f.end]
        return max(around, key=lambda f: f.start).name if around else ""

    def values_in(self, function: str) -> Values:
        """What is known in the body of a function."""
        line, arguments = self._outer.line, self.arguments_in(function)
        return Values(
            self._outer.certain,
            {**self._merged, **arguments} if arguments else self._merged,
            self._outer.printers,
            line=Line(line.files, self.alternatives(function), hidden=line.hidden),
        )

    def arguments_in(self, function: str) -> dict[str, Texts]:
        """What `$1`, `$2` .. and `$@` may be there."""
        lists = self.lists_in(function)
        if not lists:
            return {}
        every = tuple(dict.fromkeys(w for words in lists for w in words if w is not None))
        found = {"@": every}
        for place in range(max(map(len, lists))):
            own = every if self._shifts else (w[place] for w in lists if place < len(w))
            found[str(place + 1)] = tuple(dict.fromkeys(w for w in own if w is not None))
        return {name: texts[:MAX_POSSIBLE] for name, texts in found.items() if texts}

    def lists_in(self, function: str) -> tuple[List, ...]:
        """The lists of arguments that there may be, also after `shift`."""
        given = self.arguments.get(function, ())
        if not function:
            given = (*given, *self._outer.line.alternatives.get("@", ()))
        if self._shifts:
            given = tuple(words[n:] for words in given for n in range(_MAX_SHIFTS + 1) if words[n:])
        return given[:_MAX_LISTS]

    def _values_at(self, node: Node) -> Values:
        return self.values_in(self.function_at(node) if self._functions else "")

    # -- what sets names

    def _note(self, node: Node) -> bool:
        """Remember what is given there; tell whether it may be more when more is known."""
        values = self._values_at(node)
        if isinstance(node, Command):
            self._note_command(node, values)
            return True
        if isinstance(node, Parameter):
            self._add(node.name, values.texts_of(node.operand, depth=0))
            return True
        if isinstance(node, Loop):
            every = values.all_of("@") if node.words is None else ()
            given = expand(node.words or (), values)
            self._add(node.name, (*every, *_texts(given)))
            return node.words is None or not all(argument.is_static for argument in given)
        if not isinstance(node, Assignment):
            return False
        if isinstance(node.value, Array):
            self._note_array(node, node.value, values)
            return True
        given = expand((node.value,), values) if isinstance(node.value, Word) else []
        texts = _texts(given)
        if node.append:
            texts = (*texts, *(old + t for old in self.possible.get(node.name, ()) for t in texts))
        elif node.index is not None:
            self._add_lists(node.name, [tuple(texts)])
        self._add(node.name, texts)
        is_static = all(argument.is_static for argument in given)
        return node.append or not is_static

    def _note_array(self, node: Assignment, array: Array, values: Values) -> None:
        words: list[Word] = []
        for element in array.elements:
            value = element.value if isinstance(element, Assignment) else element
            words += [value] if isinstance(value, Word) else []
        self._add(node.name, _texts(expand(tuple(words), values)))
        lists = self._lists_of(tuple(words), array, values)
        before = self.arrays.get(node.name, ()) if node.append else ()
        self._add_lists(node.name, [*lists, *(old + new for old in before for new in lists)])

    def _note_command(self, command: Command, values: Values) -> None:
        name = literal(command.words[0])
        if name in _READERS:
            self._note_reader(command, values)
        elif name == "set":
            self._note_set(command, values)
        elif name == "printf" and command.words[2:] and literal(command.words[1]) == "-v":
            printed = node_output(_without(command, 2), (), values)
            self._add(literal(command.words[2]) or "", printed)
        elif name in _EVALUATES:
            self._note_evaluated(command, values)
        elif name in _DECLARES:
            self._note_references(command, values)
        if name not in _SAYS:
            self._note_call(command, values)

    def _note_set(self, command: Command, values: Values) -> None:
        """`set -- a b` and `set -e a b` bind the arguments of what they are in."""
        words = command.words[1:]
        while words and (literal(words[0]) or "")[:1] in ("-", "+"):
            is_end, words = literal(words[0]) in ("--", "-"), words[1:]
            if is_end:
                break
        if words:
            self._add_arguments(self.function_at(command), words, command, values)

    def _note_call(self, command: Command, values: Values) -> None:
        """`f a`, also `time f a`, `command f a`: the words after the name are its arguments."""
        for pos, word in enumerate(command.words):
            called = literal(word)
            names = [called] if called is not None else []
            if called is None and not pos:
                names = [text for first in expand((word,), values) for text in first.texts]
            for name in self._names.intersection(names):
                self._add_arguments(name, command.words[pos + 1 :], command, values)

    def _note_references(self, command: Command, values: Values) -> None:
        """`declare -n r=v`: what is given to one of the names is given to the other."""
        if not any(_REFERS.fullmatch(literal(word) or "") for word in command.words[1:]):
            return
        for word in command.words[1:]:
            if isinstance(word, Assignment) and isinstance(word.value, Word):
                for meant in _texts(expand((word.value,), values)):
                    self._add(word.name, values.all_of(meant))
                    self._add(meant, values.all_of(word.name))

    def _note_evaluated(self, command: Command, values: Values) -> None:
        texts = [argument.texts[:1] for argument in expand(command.words[1:], values)]
        try:
            inner = parse(" ".join(t for one in texts for t in one))
        except ParseError:
            return
        for called in inner.nodes_of(Command):
            self._note_call(called, values)

    def _note_reader(self, command: Command, values: Values) -> None:
        """read and mapfile: each name may get each line, or each word of it."""
        names, is_value, is_all = [], False, literal(command.words[0]) != "read"
        is_list = is_all
        for word in command.words[1:]:
            known = literal(word) or ""
            if not is_value and not known.startswith("-") and _NAME.fullmatch(known):
                names.append(known)
            is_list = is_list or (known.startswith("-") and known[-1:] in ("a", "A"))
            is_value = not is_value and known in _TAKES_VALUE and not (is_all and known == "-t")
        texts = self._sources.of(command, values)
        lines = [t for known in texts for t in rare_first(known.split("\n"), MAX_POSSIBLE) if t]
        words = [word for line in lines for word in _SEPARATORS.split(line) if word]
        if texts and is_list:
            many = [tuple(lines), *(tuple(line.split()) for line in lines[:1])]
            for name in names or ["MAPFILE"]:
                self._add_lists(name, many)
        for name in names or ["REPLY", "MAPFILE"]:
            self._add(name, (*lines, *words))

    # -- what is known so far

    def _add(self, name: str, texts: Iterable[str]) -> None:
        short = (text for text in texts if len(text) <= MAX_LENGTH)
        merged = tuple(dict.fromkeys((*self.possible.get(name, ()), *short)))[:MAX_POSSIBLE]
        if merged:
            self.possible[name] = merged
            self._merged[name] = (*self._outer.possible.get(name, ()), *merged)

    def _add_lists(self, name: str, lists: Iterable[List]) -> None:
        self._put_lists(self.arrays, name, lists)

    def _add_arguments(self, function: str, words: Words, command: Command, values: Values) -> None:
        self._put_lists(self.arguments, function, self._lists_of(words, command, values))

    def _put_lists(
        self, known: dict[str, tuple[List, ...]], name: str, lists: Iterable[List]
    ) -> None:
        short = (words[:_MAX_WORDS] for words in lists)
        merged = tuple(dict.fromkeys((*known.get(name, ()), *short)))[:_MAX_LISTS]
        if merged != known.get(name):
            known[name] = merged
            self._lists.clear()

    def _lists_of(self, words: Words, node: Node, values: Values) -> list[List]:
        """The lists that words may become, one for each of the lists that they are made of."""
        cases = [*supposed(node, values.line.alternatives, values), values]
        return [made for case in cases for made in _combined(expand(words, case))]


def list_name(part: Parameter) -> str:
    """The list that a parameter is of: `$1` and `$*` are of `@`."""
    return "@" if part.name.isdigit() or part.name == "*" else part.name


def supposed(node: Node, lists: Mapping[str, tuple[List, ...]], known: Values) -> list[Values]:
    """Cases beside those that are certain: one for each of the lists that a name may be."""
    used = {list_name(part) for part in nodes(node) if isinstance(part, Parameter)}
    given: dict[str, tuple[List, ...]] = {}
    for name in sorted(used):
        several = lists.get(name, ())
        if not several and name not in known.certain:
            several = tuple((text,) for text in known.possible.get(name, ()) if " " in text)
        if several:
            given[name] = several
    if not given:
        return []
    chosen = islice(product(*given.values()), _MAX_LISTS)
    return [_with_lists(known, dict(zip(given, one, strict=True))) for one in chosen]


def _with_lists(known: Values, lists: dict[str, List]) -> Values:
    """The same values, where these names are certain to be these lists."""
    certain = dict(known.certain)
    for name, words in lists.items():
        places = enumerate(words, 1) if name == "@" else [(name, word) for word in words[:1]]
        certain.update((str(place), word) for place, word in places if word is not None)
    made = Values(
        certain,
        known.possible,
        known.printers,
        known.leading,
        known.paths,
        known.shapes,
        known.line,
    )
    made.lists = lists
    return made


class Sources:
    """Where the commands of a script read from: redirects, those around them, and pipes."""

    def __init__(self, script: Script, occurrences: list[Occurrence]) -> None:
        self._script, self._occurrences = script, occurrences

    def of(self, command: Command, values: Values) -> Texts:
        own = input_texts(command.redirects, values)
        if own is None:
            around = (one.context.around for one in self._occurrences if one.command is command)
            own = input_texts(next(around, ()), values)
        return self._piped(command, values) if own is None else own

    def _piped(self, node: Node, values: Values) -> Texts:
        """What the command before the innermost pipe prints."""
        fed = [
            (after, before)
            for pipeline in self._script.nodes_of(Pipeline)
            for before, after in zip(pipeline.commands, pipeline.commands[1:], strict=False)
            if after.start <= node.start < after.end
        ]
        if not fed:
            return ()
        _, before = max(fed, key=lambda pair: pair[0].start)
        return node_output(before, self._piped(before, values), values)


def _texts(given: list[Argument]) -> Texts:
    return tuple(t for argument in given for t in argument.texts)


def _combined(given: list[Argument]) -> Iterator[List]:
    """The lists that arguments may be, None for a word that is not known."""
    choices = [argument.texts or (None,) for argument in given]
    return islice(product(*choices), _MAX_LISTS)


def with_arguments(values: Values, given: list[Argument], *, hidden: bool = False) -> Values:
    """The same for a script that gets these arguments, `$1` first. hidden: as in Line."""
    line = values.line
    lists = {**line.alternatives, "@": tuple(_combined(given))}
    inside = Line(line.files, lists, hidden=hidden or line.hidden)
    return Values(
        values.certain, values.possible, values.printers, shapes=values.shapes, line=inside
    )


def _without(command: Command, count: int) -> Command:
    """The same command without as many words after its name: `printf -v x a` prints a."""
    words = (command.words[0], *command.words[count + 1 :])
    return Command(command.start, command.end, (), words, ())

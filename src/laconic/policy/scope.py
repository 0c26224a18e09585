"""What is known of variables and substitutions at each command of one script."""

from __future__ import annotations

from laconic.knowledge.arguments import Values, expand
from laconic.knowledge.printed import COUNTERS, LOCATORS, PRINTERS
from laconic.policy.bindings import BINDERS, bound_by, followed_names
from laconic.policy.flow import Flow, worlds
from laconic.shell.ast import Assignment, Loop, Word
from laconic.shell.words import Field, fields, literal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from laconic.knowledge.arguments import Argument
    from laconic.knowledge.knowledge import Library
    from laconic.policy.flow import State
    from laconic.policy.situation import Situation
    from laconic.shell.ast import Node, Script
    from laconic.shell.walk import Evaluation, Occurrence

_MAX_POSSIBLE = 16
_INHERITED = ("HOME", "PWD")
_IN_FRONT = frozenset(("command", "builtin", "-p", "--"))
_CHANGES_DIRECTORY = frozenset(("cd", "pushd", "popd", "chdir"))


class Scope:
    """The values of one script's variables, on top of what its surroundings give.

    start: what holds everywhere. Variables of the surroundings may be exported, so their values
    are still possible here; certain they are not.
    """

    __slots__ = ("_flow", "_functions", "_outer", "start")

    def __init__(
        self, found: list[Node], occurrences: list[Occurrence], situation: Situation
    ) -> None:
        self._functions = situation.functions
        self._flow: Flow | None = None
        changed = {node.name for node in found if isinstance(node, Assignment)}
        changed.update(n for node in found if isinstance(node, BINDERS) for n in bound_by(node))
        if len(situation.directories) > 1 or any(map(changes_directory, occurrences)):
            changed.add("PWD")
        outer = situation.values
        self._outer = outer.possible
        certain = {
            name: outer.certain[name]
            for name in _INHERITED
            if name in outer.certain and name not in changed
        }
        known = PRINTERS | COUNTERS | LOCATORS
        printers = frozenset() if "IFS" in changed else known - situation.functions
        self.start = Values(certain, outer.possible, printers)
        own = _possible_values(found, self.start)
        merged = {name: (*outer.possible.get(name, ()), *texts) for name, texts in own.items()}
        self.start.possible = {**outer.possible, **merged}
        self.start.shapes = {**outer.shapes, **_shapes(found, self.start)}

    def follow(
        self,
        script: Script,
        found: list[Node],
        occurrences: list[Occurrence],
        sites: list[Evaluation],
        library: Library,
    ) -> None:
        """Find out what variables hold where, as far as that is certain."""
        if self._functions:
            return
        names = followed_names(found, occurrences, sites, library)
        names -= self._outer.keys()
        if names:
            self._flow = Flow(script, names, found, self.start)

    def at(self, node: Node, directories: list[str]) -> list[Values]:
        """What holds at a simple command or a redirect, for each case that is possible there.

        directories: those that it may run in.
        """
        start, flow = self.start, self._flow
        if flow is None and "PWD" in start.certain:
            return [start]
        possible = dict(start.possible)
        if "PWD" not in start.certain:
            possible["PWD"] = tuple(filter(None, directories))
        state: State = {}
        if flow is not None:
            state = flow.states.get(id(node), {})
            possible.update((name, ()) for name in flow.places)
            possible.update((name, value.texts) for name, value in state.items())
        cases = worlds(state, start.certain, node)
        leading = {name: value.leading for name, value in state.items() if value.leading}
        paths = frozenset(name for name, value in state.items() if value.is_path)
        return [
            Values(certain, possible, start.printers, leading, paths, start.shapes)
            for certain in cases
        ]

    def fields(self, word: Word | Assignment) -> tuple[Field, ...] | None:
        """The arguments that a word becomes, known results of substitutions put in."""
        known = fields(word)
        if known is not None:
            return known
        arguments = expand((word,), Values(printers=self.start.printers))
        if not all(argument.is_static for argument in arguments):
            return None
        return tuple(Field(argument.text or "") for argument in arguments)


def changes_directory(occurrence: Occurrence) -> bool:
    """cd and its like, also behind `command` and `builtin`."""
    names = [literal(word) for word in occurrence.command.words[:4]]
    while names and names[0] in _IN_FRONT:
        del names[0]
    return bool(names) and names[0] in _CHANGES_DIRECTORY


def _possible_values(found: list[Node], values: Values) -> dict[str, tuple[str, ...]]:
    """All values that the text itself gives to its variables: any of them may be meant."""
    given: dict[str, list[str]] = {}
    for name, argument in _given(found, values):
        if argument.text is not None:
            given.setdefault(name, []).append(argument.text)
    return {name: tuple(dict.fromkeys(texts))[:_MAX_POSSIBLE] for name, texts in given.items()}


def _shapes(found: list[Node], values: Values) -> dict[str, tuple[str, ...]]:
    """What these values look like: `f=~+/.env` gives a name of a secret, wherever it lies."""
    given: dict[str, list[str]] = {}
    for name, argument in _given(found, values):
        if argument.is_static:
            continue  # its value is followed
        shapes = argument.shapes
        if argument.glob and "/" not in shapes[0]:
            shapes = (f"./{shapes[0]}",)  # in the current directory, unlike what is not known
        told = (shape for shape in shapes if argument.glob or shape.strip("*./"))
        given.setdefault(name, []).extend(told)
    return {name: tuple(dict.fromkeys(shapes))[:_MAX_POSSIBLE] for name, shapes in given.items()}


def _given(found: list[Node], values: Values) -> Iterator[tuple[str, Argument]]:
    for node in found:
        if isinstance(node, Assignment) and isinstance(node.value, Word):
            yield from ((node.name, argument) for argument in expand((node.value,), values))
        elif isinstance(node, Loop):
            yield from ((node.name, argument) for argument in expand(node.words or (), values))

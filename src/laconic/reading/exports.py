"""Variables that a line exports for certain, and what their values are."""

from __future__ import annotations

from collections.abc import Iterable

from laconic.knowledge.arguments import Values, expand
from laconic.reading.places import Facts
from laconic.shell.ast import AndOr, Assignment, Command, Loop, Node, Script, Word
from laconic.shell.walk import Occurrence
from laconic.shell.words import leading, literal


def value_of(assignment: Assignment, values: Values) -> str | None:
    """The value that an assignment gives, with the home in place of a tilde; None if not known."""
    if assignment.append or assignment.index is not None:
        return None
    if not isinstance(assignment.value, Word):
        return "" if assignment.value is None else None
    arguments = expand((assignment.value,), values)
    return arguments[0].text if len(arguments) == 1 and not arguments[0].glob else None


class Export:
    """A variable that is certain to be exported for the commands between two offsets."""

    __slots__ = ("assignment", "end", "name", "start", "value")

    def __init__(self, assignment: Assignment, value: str, start: int, end: int) -> None:
        self.assignment, self.name, self.value = assignment, assignment.name, value
        self.start, self.end = start, end


def exports(script: Script, values: Values, facts: Facts) -> list[Export]:
    """The exports that are certain to happen: at the top, without a condition, not in a pipe."""
    certain: list[Export] = []
    for item, separator in zip(script.body.items, script.body.separators, strict=True):
        in_background = separator is not None and separator.text == "&"
        if in_background or any(operator.text == "||" for operator in item.operators):
            continue
        for position, assignment in _exported(item, facts):
            value = value_of(assignment, values)
            end = script.end if position == 0 else item.end
            if value is not None:
                certain.append(Export(assignment, value, assignment.end, end))
    return certain


def _exported(item: AndOr, facts: Facts) -> Iterable[tuple[int, Assignment]]:
    for position, pipeline in enumerate(item.pipelines):
        command = pipeline.commands[0]
        if len(pipeline.commands) > 1 or not isinstance(command, Command):
            continue
        if command.words and literal(command.words[0]) == "export":
            given = [word for word in command.words[1:] if isinstance(word, Assignment)]
        else:
            known = facts.environment
            given = [a for a in command.assignments if not command.words and a.name in known]
        yield from ((position, assignment) for assignment in given)


def changed_names(
    all_nodes: list[Node], occurrences: list[Occurrence], certain: list[Export]
) -> set[str]:
    """Names that may be set, read into or unset in any other way than by those exports."""
    expected = {id(export.assignment) for export in certain}
    in_front = {
        id(assignment)
        for occurrence in occurrences
        if occurrence.command.words
        for assignment in occurrence.command.assignments
    }
    names = {node.name for node in all_nodes if isinstance(node, Loop)}
    for node in all_nodes:
        if isinstance(node, Assignment) and id(node) not in expected | in_front:
            names.add(node.name)
    for occurrence in occurrences:
        words = occurrence.command.words[1:]
        names |= {leading(word).split("=")[0] for word in words if isinstance(word, Word)}
    return names

"""What a program of a line hands on to others, and whether the gate has read that for certain."""

from __future__ import annotations

from collections.abc import Iterator

from laconic.knowledge import traits
from laconic.knowledge.arguments import Argument
from laconic.knowledge.catalog import library
from laconic.reading.acts import Act, Verb
from laconic.reading.situation import ProgramCall
from laconic.types import Effect, Kind

_WRAPPING = ("hands-on", "transparent")
_OF_WORDS = frozenset((Kind.OPTION, Kind.VALUE, Kind.WORD, Kind.CODE))


def outermost_start(program: ProgramCall) -> int:
    """Return where the command of the line begins that runs this one in the end."""
    outermost = program
    for each in program.around():
        outermost = each if each.arguments else outermost
    return outermost.arguments[0].start if outermost.arguments else 0


def variables(program: ProgramCall) -> Iterator[str]:
    """Yield the names that are set for a program alone, before it or by what runs it."""
    if program.situation is not None:
        yield from program.situation.prefix_env
    for outer in program.around():
        for act in outer.acts:
            if act.verb is Verb.SET:
                yield act.argument.leading.partition("=")[0]


def is_tail(program: ProgramCall, arguments: list[Argument]) -> bool:
    """Tell whether its words stand where they are written, as the last ones of what runs it."""
    places = [argument.start for argument in arguments]
    return all(
        places == [argument.start for argument in outer.arguments[-len(places) :]]
        for outer in program.around()
        if outer.arguments
    )


def unjudged(program: ProgramCall) -> list[Argument] | None:
    """The command of a wrapper that the gate asks about as a whole."""
    if not program.doubts or _handed(program):
        return None
    found = (traits.inner(program.arguments, trait, library()) for trait in _WRAPPING)
    return next(filter(None, found), None)


def is_doubtful(program: ProgramCall) -> bool:
    """Tell whether it hands on words, or code, that were not read for certain."""
    if any(map(_is_unread, program.acts)) or is_faulty(program):
        return True
    if not program.doubts:
        return False
    is_shell, has_handed = program.name in traits.shells(), bool(_handed(program))
    if is_shell and not has_handed and program.situation and program.situation.input_text:
        return True
    is_wrapper = is_shell or has_handed or _is_wrapper(program)
    return is_wrapper and any(doubt.kind in _OF_WORDS for doubt in program.doubts)


def is_faulty(program: ProgramCall) -> bool:
    """Tell whether it, or what the shell reads, could not be judged at all."""
    return any(doubt.effects & Effect.UNJUDGED for doubt in program.doubts)


def _handed(program: ProgramCall) -> list[Act]:
    return [act for act in program.acts if act.verb in (Verb.COMMAND, Verb.SHELL)]


def _is_wrapper(program: ProgramCall) -> bool:
    path = program.call.match.path if program.call is not None else []
    return any(" ".join(path[:n]) in traits.named(*_WRAPPING) for n in range(1, len(path) + 1))


def _is_unread(act: Act) -> bool:
    text = act.argument.text
    if act.verb is Verb.COMMAND:
        return act.argument.leading.startswith("-")  # an option behind operands
    if act.verb is Verb.RUN:
        return text is None
    if act.verb is not Verb.SHELL:
        return False
    return text is None or act.argument.glob

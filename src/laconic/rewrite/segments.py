"""The segments of a command line that a rewrite may touch, and the facts that forbid it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from laconic.shell.ast import (
    AnyCommand,
    Case,
    Command,
    Compound,
    Heredoc,
    Loop,
    Node,
    Pipeline,
    Redirect,
    Script,
    Sequence,
    Substitution,
    nodes,
)
from laconic.shell.words import literal

_OUTPUT = frozenset((">", ">>", ">|", "&>", "&>>", "<>"))
_STREAMS = frozenset(("", "0", "1", "2"))


class Segment:
    """One pipeline where its output reaches the reader; forbidden: why it must stay as it is."""

    __slots__ = ("forbidden", "pipeline", "tested")

    def __init__(self, pipeline: Pipeline, forbidden: str, *, tested: bool) -> None:
        self.pipeline, self.forbidden, self.tested = pipeline, forbidden, tested


def segments(script: Script) -> Iterator[Segment]:
    """Every pipeline outside substitutions and functions, in the order of the source."""
    yield from _in_sequence(script.body, "", tested=False)


def _in_sequence(sequence: Sequence, forbidden: str, *, tested: bool) -> Iterator[Segment]:
    for item, separator in zip(sequence.items, sequence.separators, strict=True):
        in_background = separator is not None and separator.text == "&"
        reason = forbidden or ("runs in the background" if in_background else "")
        last = len(item.pipelines) - 1
        for pos, pipeline in enumerate(item.pipelines):
            matters = tested or pos < last or pipeline.negations > 0
            yield from _in_pipeline(pipeline, reason, tested=matters)


def _in_pipeline(pipeline: Pipeline, forbidden: str, *, tested: bool) -> Iterator[Segment]:
    if all(isinstance(command, Command) for command in pipeline.commands):
        yield Segment(pipeline, forbidden or _forbids(pipeline), tested=tested)
        return
    is_piped = len(pipeline.commands) > 1
    for command in pipeline.commands:
        if isinstance(command, Compound | Loop | Case):
            reason = forbidden or ("its output goes into a pipe" if is_piped else "")
            yield from _in_compound(command, reason or _redirected(command), tested=tested)


def _in_compound(
    command: Compound | Loop | Case, forbidden: str, *, tested: bool
) -> Iterator[Segment]:
    for body, is_test in _bodies(command):
        yield from _in_sequence(body, forbidden, tested=tested or is_test)


def _bodies(command: Compound | Loop | Case) -> Iterator[tuple[Sequence, bool]]:
    if isinstance(command, Loop):
        yield command.body, False
    elif isinstance(command, Case):
        for clause in command.clauses:
            yield clause.body, False
    elif command.kind in ("while", "until"):
        yield command.bodies[0], True
        yield command.bodies[1], False
    elif command.kind == "if":
        for pos, body in enumerate(command.bodies):
            is_test = pos % 2 == 0 and pos + 1 < len(command.bodies)
            yield body, is_test
    else:
        yield command.bodies[0], False


def _redirected(command: AnyCommand) -> str:
    return _redirect_reason(getattr(command, "redirects", ()))


def _forbids(pipeline: Pipeline) -> str:
    """Why the pipeline's own redirects keep it from being rewritten."""
    for command in pipeline.commands:
        if reason := _redirected(command):
            return reason
    return ""


def _redirect_reason(redirects: Iterable[Redirect]) -> str:
    for redirect in redirects:
        if redirect.heredoc is not None:
            return "has a here-document"
        if _is_silencer(redirect):
            continue
        if redirect.operator in _OUTPUT:
            return "its output goes to a file"
        if redirect.operator in ("<&", ">&") and not _is_stream(redirect):
            return "its output goes to a descriptor that may be a file"
        if redirect.fd not in _STREAMS:
            return "opens a descriptor"
    return ""


def _is_silencer(redirect: Redirect) -> bool:
    """`2>/dev/null`, which takes nothing from a file and gives nothing to one."""
    is_output = redirect.operator in (">", ">>")
    return redirect.fd == "2" and is_output and literal(redirect.target) == "/dev/null"


def _is_stream(redirect: Redirect) -> bool:
    """`2>&1`, `>&-`, and any input; what a higher descriptor is, is not known."""
    target = literal(redirect.target) or ""
    if redirect.operator == "<&" and redirect.fd in ("", "0"):
        return target.isdigit() or target == "-"
    return redirect.operator == ">&" and target in ("1", "2", "-")


def hides_heredoc(script: Script) -> bool:
    """Tell whether a here-document is inside any substitution: then nothing is touched."""
    substitutions: list[Node] = [n for n in script.nodes() if isinstance(n, Substitution)]
    return any(isinstance(n, Heredoc) for found in substitutions for n in nodes(found))

"""Applies the catalogues that the user has named (`[rules] stacks`) to a command of a hook.

A rule may deny the command, give advice, or put another text in its place. What it says is part of
the decision, so that the agent reads it in the answer and a person in the log.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache

from laconic.engine import Request
from laconic.files import is_there, upwards
from laconic.library.envelope import Envelope
from laconic.library.modes import rewrite_with_audit
from laconic.library.outlets import Pending, going_to
from laconic.library.registry import NoCatalogueError, Registry, plugin, shipped_stacks
from laconic.library.rule import Context, normal_stack
from laconic.library.rules import Rules
from laconic.settings.load import Settings
from laconic.types import Decision, Outcome, Verdict, strictest

AUTO = "auto"
_UNIVERSAL = "universal"
_MARKS = {
    "rust": ("Cargo.toml",),
    "python": ("pyproject.toml", "setup.py", "requirements.txt"),
    "typescript": ("package.json", "tsconfig.json"),
    "swift": ("Package.swift",),
}


def apply_catalogues(request: Request, settings: Settings) -> Envelope | None:
    """What the rules say of a command; None if they say nothing."""
    rules = _rules(tuple(_named(settings.config.rules.stacks, request.cwd)))
    stacks = frozenset(catalogue.stack for catalogue in rules.registry)
    context = Context(stacks=stacks, cwd=request.cwd, environ=request.environ)
    with going_to(Pending()):  # the decision is what is written down here
        return rules.apply(request.command, context, rewrite_with_audit)


def named_catalogues(settings: Settings, cwd: str) -> Registry:
    """The catalogues that the user has named, and those for every stack."""
    return _rules(tuple(_named(settings.config.rules.stacks, cwd))).registry


def with_advice(decision: Decision, envelope: Envelope) -> Decision:
    """The decision, which also says what the rules have to say."""
    why = f"{envelope.explanation} ({envelope.rule_id})"
    if envelope.outcome is Outcome.DENIED:
        denial = Decision(
            Verdict.DENY,
            envelope.rule_id,
            envelope.explanation,
            0,
            decision.end,
            effects=decision.effects,
        )
        return strictest((decision, denial), 0, decision.end)
    said = f"rewritten to `{envelope.command}`: {why}" if envelope.changed else f"mind: {why}"
    return Decision(
        decision.verdict,
        decision.rule,
        f"{decision.reason}; {said}",
        decision.start,
        decision.end,
        effects=decision.effects,
        parts=(decision,),
        instead=decision.instead,
        risk=decision.risk,
        firm=decision.firm,
        problems=decision.problems,
    )


def _named(names: Iterable[str], cwd: str) -> Iterable[str]:
    for name in names:
        if name == AUTO:
            yield from _detected(cwd)
        else:
            yield normal_stack(name)


def _detected(cwd: str) -> Iterable[str]:
    """The stacks that the files of the project call for, from the directory up to its root."""
    found: set[str] = set()
    for directory in upwards(cwd):
        for stack, marks in _MARKS.items():
            if any(is_there(f"{directory}/{mark}") for mark in marks):
                found.add(stack)
        if is_there(f"{directory}/.git"):
            break
    return sorted(found)


@lru_cache(maxsize=16)
def _rules(stacks: tuple[str, ...]) -> Rules:
    """The shipped catalogues of these names, and those of packages that are installed with us."""
    registry = Registry.seed(stacks)
    for name in stacks:
        if name not in shipped_stacks() and name != _UNIVERSAL:
            with suppress(NoCatalogueError):  # as a stack that a later version may know
                registry = registry.register(plugin(name))
    return Rules((), registry, ())

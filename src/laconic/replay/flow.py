"""Tells what an agent itself would have asked a person, by its own rules and mode.

What cannot be told counts as asked where the agent asks at all: most commands are asked about.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from laconic.policy.permissions import Permission
from laconic.sessions.values import Step
from laconic.settings import toml
from laconic.shell import ParseError, parse
from laconic.shell.walk import written
from laconic.shell.words import literal
from laconic.types import Effect, Verdict


class AgentFlow(NamedTuple):
    """As data/flows.toml describes it."""

    asks: bool
    calls_again: bool
    quiet_modes: frozenset[str]
    reads: frozenset[str]
    edit_modes: frozenset[str]
    edits: frozenset[str]


@cache
def flow_of(agent: str) -> AgentFlow:
    document = toml.parse((Path(__file__).parent / "data/flows.toml").read_bytes())
    table = document.get(agent, {"asks": True})
    lists = (frozenset(table.get(name, ())) for name in AgentFlow._fields[2:])
    return AgentFlow(table["asks"], table.get("calls_again", False), *lists)


def asks(agent: str, step: Step, effects: Effect, rules: Sequence[Permission]) -> bool:
    """Tell whether the agent asks about a step. effects: those of its command.

    rules: those in the agent's settings, the project's among them.
    """
    if step.was_asked is not None:
        return step.was_asked
    flow, found = flow_of(agent), _written(step.command)
    speaking = {rule.verdict for rule in rules for text in found or () if rule.fits(text)}
    if Verdict.DENY in speaking or step.mode in flow.quiet_modes:
        return False
    if Verdict.ASK in speaking or found is None:
        return flow.asks or Verdict.ASK in speaking
    if not flow.asks:
        return False
    allowed = [rule for rule in rules if rule.verdict is Verdict.ALLOW]
    is_edit = step.mode in flow.edit_modes and effects in (Effect.READS, Effect.PROJECT_WRITE)
    quiet = flow.reads | (flow.edits if is_edit else frozenset())
    may_pass = effects is Effect.READS or is_edit
    return not all(
        (may_pass and text.partition(" ")[0] in quiet) or any(rule.fits(text) for rule in allowed)
        for text in found
    )


def _written(command: str) -> list[str] | None:
    """Return the commands of a line as they are written; None if it cannot be parsed."""
    try:
        found = written(parse(command.encode("utf-8", "replace")))
    except ParseError:
        return None
    texts = []
    for each, text in found:
        name = (literal(each.words[0]) or "").rpartition("/")[2]
        words = " ".join(text.split())
        texts.append(f"{name} {words.partition(' ')[2]}".rstrip() if name else words)
    return texts

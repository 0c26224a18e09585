"""Adds up what happened, as counters that only grow: what is sent twice counts once.

A counter is known by its name and attributes. What the records say of runs is compared with what
was known of each day, as a run may be stored late, and old days expire.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from laconic.export.leaving import Leaving
from laconic.record.queries import Gain

Attributes = tuple[tuple[str, str], ...]
Counters = dict[tuple[str, Attributes], int]
AGENT, SERIAL = "gen_ai.agent.name", "laconic.policy.serial"


class Metric(NamedTuple):
    """A name that counters have, with its unit and meaning."""

    name: str
    unit: str
    about: str


METRICS = (
    Metric("laconic.decisions", "{decision}", "Commands that were judged"),
    Metric("laconic.questions", "{question}", "Times that a person was asked, by usual rules"),
    Metric("laconic.unchecked", "{command}", "Times that something ran unchecked"),
    Metric("laconic.boxed", "{command}", "Commands that ran in the box"),
    Metric("laconic.runs", "{run}", "Commands that laconic ran"),
    Metric("laconic.tokens", "{token}", "Tokens without laconic, with it, and recalled"),
    Metric("laconic.recalls", "{recall}", "Times that hidden output was asked for"),
)


def add_decision(counters: Counters, line: Leaving) -> None:
    """Count a line of the log."""
    agent = (AGENT, line.agent)
    if line.is_unchecked:
        _add(counters, "laconic.unchecked", (agent, ("laconic.rule", line.rule)))
        return
    by = (agent, (SERIAL, line.policy))
    if line.is_question:
        _add(counters, "laconic.questions", by)
    if line.is_again:
        return
    about: Attributes = (
        ("laconic.verdict", line.verdict),
        ("laconic.outcome", line.outcome),
        ("laconic.effect", line.gravest),
        ("laconic.profile", line.profile),
    )
    _add(counters, "laconic.decisions", (*by, *about))
    if line.in_box:
        _add(counters, "laconic.boxed", (agent,))


def add_runs(counters: Counters, known: dict[str, list[int]], rows: Iterable[Gain]) -> None:
    """Count the runs of days and agents beyond those that are known, which is brought up to date.

    known: runs, tokens without and with laconic, recalls, recalled tokens; by day and agent.
    """
    days = set()
    for row in rows:
        day, agent = row.keys
        key = f"{day} {agent}"
        days.add(key)
        sums = [
            row.runs, row.input_tokens, row.output_tokens, row.recalls, row.recalled_tokens,
        ]  # fmt: skip
        before = known.get(key, [0] * len(sums))
        new = [max(0, now - then) for now, then in zip(sums, before, strict=True)]
        known[key] = [max(pair) for pair in zip(sums, before, strict=True)]
        by: Attributes = ((AGENT, agent),)
        kinds = zip(("input", "output", "recalled"), (new[1], new[2], new[4]), strict=True)
        _add(counters, "laconic.runs", by, new[0])
        _add(counters, "laconic.recalls", by, new[3])
        for kind, count in kinds:
            _add(counters, "laconic.tokens", (*by, ("laconic.token.kind", kind)), count)
    for key in known.keys() - days:
        del known[key]


def _add(counters: Counters, name: str, attributes: Attributes, count: int = 1) -> None:
    if count:
        key = (name, tuple(sorted(attributes)))
        counters[key] = counters.get(key, 0) + count


def packed(counters: Counters) -> list[list[Any]]:
    """Return counters as JSON can hold them."""
    return [[name, dict(attributes), count] for (name, attributes), count in counters.items()]


def unpacked(rows: Iterable[Iterable[Any]]) -> Counters:
    return {(name, tuple(sorted(by.items()))): int(count) for name, by, count in rows}

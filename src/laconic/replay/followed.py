"""Tells what agents did with the answers in the log, as far as their transcripts tell it.

A line of the log and a step of a transcript are the same if they are of one session and have the
same command; of several, the last belong together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from laconic.record.decisions import as_logged
from laconic.sessions import find
from laconic.sessions.find import Transcript
from laconic.sessions.values import Step

Row = dict[str, Any]

RAN, REFUSED = "ran", "refused"


def follow(rows: Iterable[Row], environ: Mapping[str, str], most_bytes: int) -> None:
    """Add `then` to the rows of which it is known: it ran, or a person refused it.

    most_bytes: of transcripts that are read.
    """
    waiting: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row.get("session") and row.get("outcome") != "deny":
            waiting[str(row["session"])].append(row)
    for session, transcript in find.of_sessions(waiting, environ):
        most_bytes -= transcript.size
        if most_bytes < 0:
            return
        steps = {command: list(thens) for command, thens in _steps(transcript).items()}
        for row in reversed(waiting[session]):
            thens = steps.get(str(row.get("command")))
            if thens and (then := thens.pop()):
                row["then"] = then


@lru_cache(maxsize=512)
def _steps(transcript: Transcript) -> Mapping[str, Sequence[str]]:
    """Return what became of each command in a file, which is read once while it does not change."""
    found: dict[str, list[str]] = defaultdict(list)
    for _, sessions in find.read([transcript]):
        for step in (step for each in sessions for step in each.steps):
            found[as_logged(step.command)].append(then_of(step))
    return found


def then_of(step: Step) -> str:
    """Return what became of a step; nothing if its transcript does not tell."""
    if step.has_run:
        return RAN
    return REFUSED if step.was_asked else ""

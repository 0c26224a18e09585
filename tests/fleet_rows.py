"""Rows of several machines, whose sums are known: cases/export/rows.txt."""

from __future__ import annotations

import time
from datetime import datetime
from pathlib import Path

from laconic.export.table import Row
from laconic.types import EFFECTS, HARD

CASES = Path(__file__).parent / "cases/export"
NOW = time.time()


def read_rows():
    """The rows of the case, each at an hour of its own."""
    lines = [line for line in (CASES / "rows.txt").read_text().splitlines() if line]
    for number, line in enumerate(line for line in lines if not line.startswith("#")):
        yield row_of(number, *(cell.strip() for cell in line.split("|")))


def row_of(number, kind, day, team, person, machine, agent, session, version, policy, *rest):
    verdict, outcome, effects, rule, question, would_ask, followed, sent, shown, micro = rest
    at = datetime.fromisoformat(f"{day}T{number % 24:02}:30:00+00:00")
    return Row(
        id=f"{number:016x}",
        kind=kind,
        time=int(at.timestamp() * 1e6),
        exported=int(NOW * 1e6),
        team=team,
        person=person,
        machine=machine,
        project=f"of {team}",
        agent=agent,
        session=session,
        call="",
        version=version,
        policy=policy,
        profile="default",
        verdict=verdict,
        outcome=outcome,
        effects=effects,
        hard=any(EFFECTS[word] & HARD for word in effects.split()),
        rule=rule,
        question=question == "yes",
        would_ask=would_ask == "yes",
        followed=followed,
        input_tokens=int(sent),
        output_tokens=int(shown),
        saved_microdollars=int(micro) if micro else None,
    )

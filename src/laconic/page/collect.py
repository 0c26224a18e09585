"""Turns what was recorded into the one value that the page shows; it reads nothing by itself.

Texts come from commands and files, so they may be hostile: characters that a reader would not see
are escaped, and long ones are clipped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from laconic.record import queries
from laconic.record.activity import Hidden, Recall, SessionRuns
from laconic.record.decisions import OWN
from laconic.record.queries import Gain
from laconic.report.dates import local_of
from laconic.report.text import visible

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_RUNS, MOST_SESSIONS, MOST_RECALLS = 500, 300, 200
_MOST_ASKED = 400
_LONGEST = 1000
_MOST_BARS = 92  # with more days there is a bar for each week
_MOST_DAYS = 401  # records are kept for so long; other days are mistakes


class Decided(NamedTuple):
    """A line of the log, with its time in ISO 8601.

    is_prompt: the agent by itself would have asked a person. is_saved: because laconic allowed the
    command, it did not.
    """

    time: str
    verdict: str
    effects: tuple[str, ...]
    rule: str
    reason: str
    agent: str
    command: str
    is_prompt: bool
    is_saved: bool


class Told(NamedTuple):
    """What a transcript tells of its session."""

    models: tuple[str, ...]
    commands: int


class Recorded(NamedTuple):
    """All that the page is made from. told: by agent and session."""

    by_day: Sequence[Gain]
    by_filter: Sequence[Gain]
    hidden: Sequence[Hidden]
    sessions: Sequence[SessionRuns]
    session_count: int
    recalls: Sequence[Recall]
    runs: Sequence[Mapping[str, Any]]
    decisions: Sequence[Decided]
    told: Mapping[tuple[str, str], Told]


def collect(recorded: Recorded, *, version: str, now: str, since: str, note: str) -> dict[str, Any]:
    """Return the data of the page. now: `2026-11-15 09:00:00`; since: as now, or "" for all."""
    total = queries.total(list(recorded.by_day))
    judged = [each for each in recorded.decisions if each.agent != OWN]
    first, last = _ends(recorded.by_day, judged, now)
    bars, unit = _bars(recorded.by_day, judged, first, last)
    asked = _asked(judged)
    return {
        "version": 1,
        "laconic": version,
        "made": now,
        "since": since,
        "note": _text(note),
        "first": first,
        "last": last,
        "totals": {
            "runs": total.runs,
            "input": total.input_tokens,
            "output": total.output_tokens,
            "exact": total.exact,
            "recalls": total.recalls,
            "recalled": total.recalled_tokens,
            "hiding": sum(each.hiding for each in recorded.hidden),
            "recalled_runs": sum(each.recalled_runs for each in recorded.hidden),
            "decisions": len(judged),
            "allowed": sum(each.verdict == "allow" for each in judged),
            "asked": sum(each.verdict == "ask" for each in judged),
            "denied": sum(each.verdict == "deny" for each in judged),
            "prompts": sum(each.is_prompt for each in judged),
            "prompts_saved": sum(each.is_saved for each in judged),
            "checks": len(recorded.decisions) - len(judged),
            "sessions": recorded.session_count,
            "days": len({row.keys[0] for row in recorded.by_day} | {_day(e) for e in judged}),
            "asked_rows": len(asked),
        },
        "unit": unit,
        "bars": bars,
        "rules": _rules(judged),
        "asked": asked[:_MOST_ASKED],
        "filters": _filters(recorded),
        "sessions": [_session(each, recorded.told) for each in recorded.sessions],
        "recalls": [_recall(each) for each in recorded.recalls],
        "runs": [_run(each) for each in reversed(recorded.runs)],
    }


# -- over time -------------------------------------------------------------------------------------


def _ends(by_day: Iterable[Gain], judged: Iterable[Decided], now: str) -> tuple[str, str]:
    """Return the first and the last day; days that cannot be are left out."""
    today = date.fromisoformat(now[:10])
    earliest = str(today - timedelta(days=_MOST_DAYS))
    days = {row.keys[0] for row in by_day} | {_day(each) for each in judged}
    days = {day for day in days if earliest <= day <= str(today + timedelta(days=1))}
    return (min(days), max(days)) if days else (str(today), str(today))


def _bars(
    by_day: Iterable[Gain], judged: Iterable[Decided], first: str, last: str
) -> tuple[list[dict[str, Any]], str]:
    """Return a row for each day, or for each week by its Monday, without gaps."""
    start, end = date.fromisoformat(first), date.fromisoformat(last)
    days = [str(start + timedelta(days=n)) for n in range((end - start).days + 1)]
    is_weekly = len(days) > _MOST_BARS
    names = {day: _monday(day) if is_weekly else day for day in days}
    sums: dict[str, Counter[str]] = {name: Counter() for name in names.values()}
    for row in by_day:
        if row.keys[0] in names:
            sums[names[row.keys[0]]].update(
                runs=row.runs, input=row.input_tokens, output=row.output_tokens
            )
    for each in judged:
        if _day(each) in names:
            kind = "saved" if each.is_saved else each.verdict
            sums[names[_day(each)]].update({"decisions": 1, kind: 1})
    kinds = ("runs", "input", "output", "decisions", "saved", "allow", "ask", "deny")
    rows = [{"day": name} | {kind: found[kind] for kind in kinds} for name, found in sums.items()]
    return rows, "week" if is_weekly else "day"


def _monday(day: str) -> str:
    given = date.fromisoformat(day)
    return str(given - timedelta(days=given.weekday()))


def _day(each: Decided) -> str:
    return each.time[:10]


# -- decisions -------------------------------------------------------------------------------------


def _asked(judged: Iterable[Decided]) -> list[dict[str, Any]]:
    """Return the commands that were asked about or denied, those with most questions first."""
    rows: dict[tuple[str, ...], dict[str, Any]] = {}
    for each in judged:
        if each.verdict == "allow":
            continue
        row = rows.setdefault(
            (each.verdict, each.rule, each.command),
            {
                "verdict": _text(each.verdict),
                "command": _text(each.command),
                "reason": _text(each.reason),
                "rule": _text(each.rule),
                "effects": _text(" ".join(each.effects)),
                "agents": set(),
                "times": 0,
            },
        )
        row["times"] += 1
        row["agents"].add(_text(each.agent))
        row["last"] = _moment(each.time)
    listed = [row | {"agents": ", ".join(sorted(row["agents"]))} for row in rows.values()]
    newest = sorted(listed, key=lambda row: row["last"], reverse=True)
    return sorted(newest, key=lambda row: -row["times"])


def _rules(judged: Iterable[Decided]) -> list[dict[str, Any]]:
    """Return the rules that asked or denied. example: the newest command."""
    rows: dict[str, dict[str, Any]] = {}
    for each in judged:
        if each.verdict == "allow":
            continue
        row = rows.setdefault(each.rule, {"rule": _text(each.rule), "asked": 0, "denied": 0})
        row["denied" if each.verdict == "deny" else "asked"] += 1
        row |= {"reason": _text(each.reason), "example": _text(each.command)}
        row["last"] = _moment(each.time)
    return sorted(rows.values(), key=lambda row: -(row["asked"] + row["denied"]))


# -- runs ------------------------------------------------------------------------------------------


def _filters(recorded: Recorded) -> list[dict[str, Any]]:
    hidden = {each.filter: each for each in recorded.hidden}
    rows = []
    for row in recorded.by_filter:
        (name,) = row.keys
        hid = hidden.get(name)
        rows.append(
            {
                "filter": _text(name),
                "runs": row.runs,
                "input": row.input_tokens,
                "output": row.output_tokens,
                "exact": row.exact,
                "hiding": hid.hiding if hid else 0,
                "recalled_runs": hid.recalled_runs if hid else 0,
                "recalls": row.recalls,
            }
        )
    return rows


def _session(each: SessionRuns, told: Mapping[tuple[str, str], Told]) -> dict[str, Any]:
    known = told.get((each.agent, each.session))
    return {
        "session": _text(each.session),
        "agent": _text(each.agent),
        "project": _text(each.project),
        "models": _text(", ".join(known.models)) if known else "",
        "first": _minute(each.first),
        "last": _minute(each.last),
        "runs": each.runs,
        "commands": known.commands if known else None,
        "input": each.input_tokens,
        "output": each.output_tokens,
        "exact": bool(each.exact),
        "recalls": each.recalls,
    }


def _recall(each: Recall) -> dict[str, Any]:
    return {
        "time": _minute(each.time),
        "id": _text(each.raw_id),
        "command": _text(each.command),
        "filter": _text(each.filter),
        "agent": _text(each.agent),
        "tokens": each.tokens,
        "exact": bool(each.exact),
    }


def _run(run: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "time": _minute(run["time"]),
        "command": _text(run["command"]),
        "status": run["status"],
        "seconds": run["duration_ms"] / 1000,
        "filter": _text(run["filter"]),
        "agent": _text(run["agent"]),
        "project": _text(run["project"]),
        "input": run["input_tokens"],
        "output": run["output_tokens"],
        "exact": bool(run["exact"]),
        "id": _text(run["raw_id"]),
    }


def _minute(time: int) -> str:
    return local_of(time)[:16]


def _moment(time: str) -> str:
    return _text(time[:16].replace("T", " "))


def _text(text: str) -> str:
    shown = visible(text[:_LONGEST])
    return shown if len(text) <= _LONGEST else f"{shown}… ({len(text):,} characters)"

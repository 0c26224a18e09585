"""Turns what was recorded into the one value that the page shows; it reads nothing by itself.

Texts come from commands and files, so they may be hostile: characters that a reader would not see
are escaped, and long ones are clipped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

from laconic.record import queries
from laconic.record.activity import Hidden, HourRuns, Recall, SessionRuns
from laconic.record.decisions import LEFT
from laconic.record.queries import Gain
from laconic.replay.followed import RAN, REFUSED
from laconic.report.dates import local_of
from laconic.report.text import visible
from laconic.secrets.redact import redact
from laconic.sessions.proposal import Proposal

MOST_RUNS, MOST_SESSIONS, MOST_RECALLS = 500, 300, 200
_MOST_ASKED = 400
_MOST_CHANGES = 3
_MOST_HOURLY = 3  # days; with fewer there is a bar for each hour
_LONGEST = 1000
_MOST_BARS = 92  # with more days there is a bar for each week
_HOUR = len("2026-11-15T09")
_MOST_DAYS = 401  # records are kept for so long; other days are mistakes


class Decided(NamedTuple):
    """What an agent was answered about a command, with the time in ISO 8601.

    verdict: allow, ask, deny, or left to the agent. then: what its transcript says of it.
    is_prompt: the agent by itself would have asked a person. is_saved: because laconic allowed the
    command, it did not. is_question: a person was asked, by laconic or the agent.
    """

    time: str
    verdict: str
    effects: tuple[str, ...]
    rule: str
    reason: str
    agent: str
    command: str
    cwd: str = ""
    then: str = ""
    is_prompt: bool = False
    is_saved: bool = False
    is_question: bool = False


class Told(NamedTuple):
    """What a transcript tells of its session."""

    models: tuple[str, ...]
    commands: int


class Recorded(NamedTuple):
    """All that the page is made from. told: by agent and session. dollars: by session, saved."""

    by_day: Sequence[Gain]
    by_hour: Sequence[HourRuns]
    by_project: Sequence[Gain]
    by_agent: Sequence[Gain]
    by_week: Sequence[Gain]
    by_filter: Sequence[Gain]
    hidden: Sequence[Hidden]
    sessions: Sequence[SessionRuns]
    session_count: int
    recalls: Sequence[Recall]
    runs: Sequence[Mapping[str, Any]]
    decisions: Sequence[Decided]
    checks: int
    told: Mapping[tuple[str, str], Told]
    dollars: Mapping[str, float]
    proposals: Sequence[Proposal]


def collect(
    recorded: Recorded, *, version: str, now: str, since: str, note: str, prices: str
) -> dict[str, Any]:
    """Return the data of the page. now: `2026-11-15 09:00:00`; since: as now, or "" for all."""
    total = queries.total(list(recorded.by_day))
    judged = recorded.decisions
    first, last = _ends(recorded.by_day, judged, now)
    bars, unit = _bars(recorded, first, last)
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
            "left": sum(each.verdict == LEFT for each in judged),
            "questions": sum(each.is_question for each in judged),
            "ran": sum(each.is_question and each.then == RAN for each in judged),
            "refused": sum(each.is_question and each.then == REFUSED for each in judged),
            "dollars": sum(recorded.dollars.values()) if recorded.dollars else None,
            "priced": len(recorded.dollars),
            "prices": prices,
            "prompts": sum(each.is_prompt for each in judged),
            "prompts_saved": sum(each.is_saved for each in judged),
            "checks": recorded.checks,
            "sessions": recorded.session_count,
            "days": len({row.keys[0] for row in recorded.by_day} | {_day(e) for e in judged}),
            "asked_rows": len(asked),
        },
        "unit": unit,
        "bars": bars,
        "changes": [_change(each) for each in recorded.proposals[:_MOST_CHANGES]],
        "groups": _groups(recorded),
        "asked": asked[:_MOST_ASKED],
        "filters": _filters(recorded),
        "sessions": [_session(each, recorded) for each in recorded.sessions],
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


def _bars(recorded: Recorded, first: str, last: str) -> tuple[list[dict[str, Any]], str]:
    """Return a row for each day, without gaps; of few days for each hour, of many for each week.

    A week is named by its Monday.
    """
    start, end = date.fromisoformat(first), date.fromisoformat(last)
    days = [str(start + timedelta(days=n)) for n in range((end - start).days + 1)]
    unit = "hour" if len(days) < _MOST_HOURLY else "week" if len(days) > _MOST_BARS else "day"
    names = {day: monday(day) if unit == "week" else day for day in days}
    sums: dict[str, Counter[str]] = {name: Counter() for name in names.values()}
    if unit == "hour":
        names = {hour: hour for hour in _hours(recorded, first)}
        sums = {hour: Counter() for hour in names}
    for time, runs, sent, shown in _runs(recorded, is_hourly=unit == "hour"):
        if time in names:
            sums[names[time]].update(runs=runs, input=sent, output=shown)
    for each in recorded.decisions:
        name = names.get(_hour(each) if unit == "hour" else _day(each))
        if name:
            kind = "saved" if each.is_saved else each.verdict
            sums[name].update({"decisions": 1, kind: 1})
    kinds = ("runs", "input", "output", "decisions", "saved", "allow", "left", "ask", "deny")
    rows = [{"day": name} | {kind: found[kind] for kind in kinds} for name, found in sums.items()]
    return rows, unit


def _hours(recorded: Recorded, day: str) -> list[str]:
    """Return the hours from the first in which something happened to the last, without gaps."""
    hours = {each.hour for each in recorded.by_hour} | {_hour(e) for e in recorded.decisions}
    hours = {each for each in hours if each >= day} or {f"{day}T00"}
    first, last = (datetime.fromisoformat(f"{each}:00") for each in (min(hours), max(hours)))
    count = min(int((last - first).total_seconds()) // 3600 + 1, _MOST_HOURLY * 24)
    return [(first + timedelta(hours=n)).isoformat()[:_HOUR] for n in range(count)]


def _runs(recorded: Recorded, *, is_hourly: bool) -> Iterator[tuple[str, int, int, int]]:
    """Yield when something ran, how often, and the tokens without and with laconic."""
    if is_hourly:
        yield from recorded.by_hour
    else:
        for row in recorded.by_day:
            yield row.keys[0], row.runs, row.input_tokens, row.output_tokens


def _hour(each: Decided) -> str:
    return each.time[:_HOUR]


def monday(day: str) -> str:
    given = date.fromisoformat(day)
    return str(given - timedelta(days=given.weekday()))


def _day(each: Decided) -> str:
    return each.time[:10]


# -- decisions -------------------------------------------------------------------------------------


def _asked(judged: Iterable[Decided]) -> list[dict[str, Any]]:
    """Return the commands that were asked about or denied, each once, the most frequent first."""
    rows: dict[tuple[bool, str], dict[str, Any]] = {}
    for each in judged:
        is_denied = each.verdict == "deny"
        if not (each.is_question or is_denied):
            continue
        row = rows.setdefault(
            (is_denied, each.command), {"agents": set(), "times": 0, "ran": 0, "refused": 0}
        )
        row |= {
            "verdict": "deny" if is_denied else "ask",
            "command": _text(each.command),
            "reason": _text(each.reason),
            "effects": _text(" ".join(each.effects)),
            "last": _moment(each.time),
        }
        row["times"] += 1
        row["ran"] += each.then == RAN
        row["refused"] += each.then == REFUSED
        row["agents"].add(_text(each.agent))
    listed = [row | {"agents": ", ".join(sorted(row["agents"]))} for row in rows.values()]
    newest = sorted(listed, key=lambda row: row["last"], reverse=True)
    return sorted(newest, key=lambda row: -row["times"])


def _change(proposal: Proposal) -> dict[str, Any]:
    return {
        "line": _text(proposal.line),
        "saved": proposal.saved,
        "meaning": _text(proposal.meaning),
        "examples": [_text(redact(command)) for command, _ in proposal.examples],
    }


# -- by project, agent and week ----------------------------------------------------------------


def _groups(recorded: Recorded) -> list[dict[str, Any]]:
    """Return rows of three kinds; what is asked in a directory counts for its project."""
    projects = sorted((row.keys[0] for row in recorded.by_project), key=len, reverse=True)
    agent_of = {each.session: each.agent for each in recorded.sessions}
    project_of = {each.session: each.project for each in recorded.sessions}
    week_of = {each.session: monday(local_of(each.last)[:10]) for each in recorded.sessions}

    def project(each: Decided) -> str:
        within = (p for p in projects if p and f"{each.cwd}/".startswith(f"{p}/"))
        return next(within, each.cwd)

    kinds: tuple[tuple[str, Sequence[Gain], Callable[[Decided], str], Mapping[str, str]], ...] = (
        ("project", recorded.by_project, project, project_of),
        ("agent", recorded.by_agent, lambda each: each.agent, agent_of),
        ("week", recorded.by_week, lambda each: monday(_day(each)), week_of),
    )
    return [row for kind in kinds for row in _group(recorded, *kind)]


def _group(
    recorded: Recorded,
    kind: str,
    gains: Sequence[Gain],
    name_of: Callable[[Decided], str],
    of_session: Mapping[str, str],
) -> list[dict[str, Any]]:
    counts: dict[str, Counter[str]] = {row.keys[0]: Counter() for row in gains}
    for each in recorded.decisions:
        found = counts.setdefault(name_of(each), Counter())
        found.update(decisions=1, questions=each.is_question, denied=each.verdict == "deny")
    saved = {row.keys[0]: row for row in gains}
    dollars: dict[str, float] = {}
    for session, amount in recorded.dollars.items():
        name = of_session.get(session, "")
        dollars[name] = dollars.get(name, 0.0) + amount
    rows = []
    for name, found in counts.items():
        gain = saved.get(name)
        rows.append(
            {
                "kind": kind,
                "name": _text(name),
                "runs": gain.runs if gain else 0,
                "input": gain.input_tokens if gain else 0,
                "output": gain.output_tokens if gain else 0,
                "exact": gain.exact if gain else True,
                "dollars": dollars.get(name),
                **{key: found[key] for key in ("decisions", "questions", "denied")},
            }
        )
    return rows


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


def _session(each: SessionRuns, recorded: Recorded) -> dict[str, Any]:
    known = recorded.told.get((each.agent, each.session))
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
        "dollars": recorded.dollars.get(each.session),
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

"""Makes the rows of one machine: its decisions, what ran unchecked, its runs and recalls."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from laconic.export.identity import Identity
from laconic.export.leaving import Leaving, leaving
from laconic.export.table import DECISION, RECALL, RUN, UNCHECKED, Row
from laconic.record import activity, decisions
from laconic.record.activity import Happened
from laconic.record.database import reading
from laconic.replay.followed import RAN, REFUSED, follow
from laconic.replay.questions import asks_usually
from laconic.replay.spending import Spending, read_spendings
from laconic.secrets.redact import redact
from laconic.settings.environ import cache_directory

Policies = Mapping[str, list[tuple[int, str, str]]]

_MOST_TRANSCRIPTS = 1 << 30  # bytes; nobody waits for an export
_MICRO = 1_000_000
_ID_MASK = (1 << 64) - 1


def rows(
    state_dir: str | os.PathLike[str],
    environ: Mapping[str, str],
    who: Identity,
    *,
    since: float,
    now: float,
    with_commands: bool,
) -> Iterator[Row]:
    """Yield the rows of this machine since then, in no order."""
    log = decisions.of_agents(decisions.read(state_dir, since))
    follow(log, environ, _MOST_TRANSCRIPTS)
    policies: dict[str, list[tuple[int, str, str]]] = defaultdict(list)
    for row in decided(log, who, who.project, now=now, with_commands=with_commands):
        policies[row.session].append((row.time, row.policy, row.profile))
        yield row
    with reading(state_dir) as (connection, _):
        happened = activity.happened(connection, since)
    spent = _spent({each.session for each in happened}, environ)
    for known in policies.values():
        known.sort()
    for each in happened:
        common = {
            **_common(who, now),
            "project": who.project(each.project),
            "command": redact(each.command) if with_commands else "",
        }
        yield _happened(each, policies, spent.get(each.session), common)


def decided(
    log: Iterable[Mapping[str, Any]],
    who: Identity,
    project_of: Callable[[str], str],
    *,
    now: float,
    with_commands: bool,
) -> Iterator[Row]:
    """Yield the rows of a log. project_of: names the project that a directory is in."""
    for given in log:
        line = leaving(given, with_command=with_commands)
        if line is not None:
            common = {**_common(who, now), "project": project_of(str(given.get("cwd", "")))}
            common["id"] = line.id or who.hash("line", f"{line.time} {line.session} {line.rule}")
            yield _decided(line, given, common)


def _common(who: Identity, now: float) -> dict[str, Any]:
    exported = round(now * _MICRO)
    return {"exported": exported, "team": who.team, "person": who.person, "machine": who.machine}


def _decided(line: Leaving, given: Mapping[str, Any], common: Mapping[str, Any]) -> Row:
    then = given.get("then")
    texts = (str(given.get(key, "")) for key in ("command", "mode"))
    usual = asks_usually(line.agent, *texts, line.effects)
    return Row(
        kind=UNCHECKED if line.is_unchecked else DECISION,
        time=round(line.time * _MICRO),
        agent=line.agent,
        session=line.session,
        call=line.call,
        version=line.version,
        policy=line.policy,
        profile=line.profile,
        verdict=line.verdict,
        outcome=line.outcome,
        effects=" ".join(line.effects),
        hard=line.is_hard,
        rule=line.rule,
        question=line.is_question,
        would_ask=usual and not line.is_unchecked,
        followed=then if then in (RAN, REFUSED) else "",
        box=line.in_box,
        command=line.command,
        **common,
    )


def _happened(
    each: Happened,
    policies: Policies,
    spending: Spending | None,
    common: Mapping[str, Any],
) -> Row:
    """Return the row of a run or a recall, with the policy that was last seen in its session."""
    before = policies.get(each.session, [])
    place = bisect_right(before, each.time, key=lambda item: item[0])
    _, policy, profile = before[place - 1] if place else (0, "", "")
    dollars = spending.dollars if spending else None
    saved = each.input_tokens - each.output_tokens
    return Row(
        id=f"{each.id & _ID_MASK:016x}",
        kind=RECALL if each.is_recall else RUN,
        time=each.time,
        agent=each.agent,
        session=each.session,
        call="",
        version="",
        policy=policy,
        profile=profile,
        model=spending.model if spending else "",
        input_tokens=each.input_tokens,
        output_tokens=each.output_tokens,
        exact=bool(each.exact),
        saved_microdollars=None if dollars is None else round(saved * dollars * _MICRO),
        **common,
    )


def _spent(sessions: set[str], environ: Mapping[str, str]) -> Mapping[str, Spending]:
    """Read what sessions cost; each call reads for a while, and the next one goes on."""
    unread = -1
    while True:
        spendings = read_spendings(sessions, environ, Path(cache_directory(environ)))
        if not spendings.unread or spendings.unread == unread:
            return spendings.found
        unread = spendings.unread

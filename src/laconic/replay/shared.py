"""What a team may know of its members' questions: rules that end in `*` and counts, no command.

The rules are those for the commands in data/open.txt. No other text of a session leaves a machine,
and none in a file of somebody else's is taken for a rule.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from laconic.errors import LaconicError
from laconic.patterns import pattern
from laconic.replay.candidates import OPEN, Candidate, open_commands
from laconic.replay.followed import RAN, REFUSED
from laconic.replay.tune import PastStep, Tuner
from laconic.types import EFFECTS, HARD, Decision, Effect, union

TEAM = pattern(r"[A-Za-z0-9][\w.-]{0,40}")
ENOUGH, ENOUGH_TEAMS, FEWEST = 5, 2, 3  # people; with fewer than the last one could tell who it was
APPROVED = 95  # of a hundred questions
_ANY = " *"
_PERSON = pattern(r"[0-9a-f]{16}")
_FORM = 1
_MOST = 10_000_000  # questions that anybody may have been asked


class Row(NamedTuple):
    """A rule, what the commands did that it is about, and how often somebody was asked.

    Where nobody can tell what came of a question, it is neither approved nor rejected.
    """

    rule: str
    effects: Effect
    asked: int
    approved: int
    rejected: int

    @property
    def document(self) -> dict[str, Any]:
        return {**self._asdict(), "effects": [*self.effects.words]}


class Share(NamedTuple):
    """What one person shares. person: a hash."""

    team: str
    person: str
    rows: tuple[Row, ...]

    @property
    def text(self) -> str:
        rules = [row.document for row in self.rows]
        whole = {"version": _FORM, "team": self.team, "person": self.person, "rules": rules}
        return json.dumps(whole, indent=1) + "\n"


class Backed(NamedTuple):
    """A rule that a team may take over, and what speaks for it."""

    rule: str
    effects: Effect
    people: int
    teams: int
    asked: int
    approved: int
    rejected: int

    @property
    def candidate(self) -> Candidate:
        program = self.rule.partition(" ")[0]
        return Candidate("commands", "allow", self.rule, program, self.effects)

    @property
    def is_backed(self) -> bool:
        return not self.effects & ~OPEN and self.approved * 100 >= self.asked * APPROVED


def start_of(rule: str) -> str:
    """The beginning of a command that a rule is about; empty if it is none that may be shared."""
    start = rule.removesuffix(_ANY)
    return start if rule.endswith(_ANY) and start in open_commands() else ""


# -- one person ------------------------------------------------------------------------------------


def rows_of(
    ended: Mapping[tuple[PastStep, str], int], decided: Mapping[PastStep, Decision], tuner: Tuner
) -> tuple[Row, ...]:
    """Return what may be shared of past commands and what came of each, the most asked first.

    decided: the questions among them. One counts for a rule only if such rules alone would have
    ended it.
    """
    effects: dict[str, Effect] = {}
    counts: dict[str, Counter[str]] = {}
    for (each, then), count in ended.items():
        decision = decided.get(each)
        rules = tuner.narrow(each, decision) if decision and not decision.effects & HARD else ()
        if all(start_of(rule.value) for rule in rules):
            for rule in rules:
                effects[rule.value] = union((effects.get(rule.value, rule.effects), rule.effects))
                counts.setdefault(rule.value, Counter())[then] += count
    rows = [
        Row(rule, effects[rule], thens.total(), thens[RAN], thens[REFUSED])
        for rule, thens in counts.items()
    ]
    return tuple(sorted(rows, key=lambda row: (-row.asked, row.rule)))


# -- a team ----------------------------------------------------------------------------------------


def parsed(data: bytes) -> Share:
    """Read what somebody shares; LaconicError if it is anything else, or has any other text."""
    try:
        whole = json.loads(data)
        if set(whole) != {"version", "team", "person", "rules"} or whole["version"] != _FORM:
            raise ValueError
        if not (TEAM.fullmatch(whole["team"]) and _PERSON.fullmatch(whole["person"])):
            raise ValueError
        rows = tuple(_row(each) for each in whole["rules"])
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise LaconicError("is not what laconic tune --share writes") from error
    return Share(whole["team"], whole["person"], rows)


def _row(given: Any) -> Row:
    counts = [given[name] for name in ("asked", "approved", "rejected")]
    if any(type(count) is not int or not 0 <= count <= _MOST for count in counts):
        raise ValueError
    asked, approved, rejected = counts
    if set(given) != {*Row._fields} or approved + rejected > asked or not start_of(given["rule"]):
        raise ValueError
    return Row(given["rule"], union(EFFECTS[word] for word in given["effects"]), *counts)


def backed(shares: Iterable[Share], min_people: int = ENOUGH) -> list[Backed]:
    """Return the rules that enough people in two teams or more said yes to, most asked first.

    Of several files of a person, the one counts that has most of a rule; so does one team.
    """
    found: dict[str, dict[str, tuple[Row, str]]] = {}
    for share in sorted(shares):
        for row in share.rows:
            people = found.setdefault(row.rule, {})
            before = people.get(share.person)
            if row.asked and (before is None or row.asked > before[0].asked):
                people[share.person] = row, share.team
    summed = [_summed(rule, [*people.values()]) for rule, people in found.items()]
    enough = [
        each
        for each in summed
        if each.people >= min_people and each.teams >= ENOUGH_TEAMS and each.is_backed
    ]
    return sorted(enough, key=lambda each: (-each.asked, each.rule))


def _summed(rule: str, people: list[tuple[Row, str]]) -> Backed:
    rows = [row for row, _ in people]
    teams = {team for _, team in people}
    return Backed(
        rule,
        union(row.effects for row in rows),
        len(rows),
        len(teams),
        sum(row.asked for row in rows),
        sum(row.approved for row in rows),
        sum(row.rejected for row in rows),
    )

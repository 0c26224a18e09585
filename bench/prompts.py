"""Count how often commands of real sessions would interrupt a person, by profile, effect, program.

python bench/prompts.py FILE [--kind KIND] [--cwd DIR] [--home DIR] [--rows] [--asked PROFILE]

FILE has one command per line, or one JSON object with `command`; `kind` tells sorts of sessions
apart. Where rows carry labels (`effects`, a verdict per profile, perhaps `ambiguous`), the two are
compared. A command interrupts where laconic asks or denies, or where it leaves a soft effect to the
agent, and Claude Code would ask in its default mode without rules. "without" is that mode without
laconic, as laconic replay reckons it (src/laconic/replay/data/flows.toml). Each profile is counted
twice: without a box, and where a box can be made and the line can be rewritten for it.

Each row is judged in a checkout with the files that its `project` has, a kind in words ("web, TS"),
at its `cwd` (see checkouts.py); one without them, in a project of all kinds.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import checkouts
from boxes import with_box

from laconic.knowledge.catalog import library
from laconic.policy.profiles import PROFILES
from laconic.policy.rules import Rules
from laconic.reading.decide import decide
from laconic.replay.flow import asks
from laconic.sessions.values import Step
from laconic.shell.parser import forget
from laconic.types import EFFECTS, HARD, Decision, Effect, Verdict, union

if TYPE_CHECKING:
    from laconic.reading.places import Facts

Row = dict[str, Any]
AGENT = "claude-code"
SHOWN = 15
WIDTH = 140


class Judged(NamedTuple):
    row: Row
    decisions: dict[str, Decision]
    boxed: dict[str, Decision]

    @property
    def effects(self) -> Effect:
        return self.decisions["default"].effects


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--kind", default="people", help="rows of this kind; all if none has it")
    parser.add_argument("--cwd", default="/home/dev/src/project", help="of rows that do not say it")
    parser.add_argument("--home", default="/home/dev", help="that the commands name")
    parser.add_argument("--rows", action="store_true", help="print each row that differs")
    parser.add_argument("--asked", choices=PROFILES, help="print each row that interrupts")
    args = parser.parse_args()
    lines = args.file.read_text("utf-8").splitlines()
    given = [read_row(line) for line in lines if line.strip()]
    rows = checkouts.make(given, args.home, args.cwd)
    judged = [judge(row, checkouts.facts_of(row)) for row in rows]
    counted = [one for one in judged if one.row.get("kind", args.kind) == args.kind] or judged
    print_prompts(counted)
    print_projects(counted)
    if args.asked:
        print_asked(counted, args.asked)
    if any("effects" in row for row in rows):
        print_labels(judged, with_rows=args.rows)
    print_speed(rows, checkouts.facts_of(rows[0]))


def read_row(line: str) -> Row:
    """Read a line, which is a command if it is no JSON object."""
    row: Row = json.loads(line) if line.startswith('{"') else {"command": line}
    return row


def judge(row: Row, facts: Facts) -> Judged:
    rules = {profile: Rules(profile) for profile in PROFILES}
    command = row["command"]
    found = {name: decide(command, library(), each, facts) for name, each in rules.items()}
    boxed = {name: with_box(command, found[name], each, facts) for name, each in rules.items()}
    return Judged(row, found, boxed)


def interrupts(decision: Decision, profile: str) -> bool:
    """In guard a soft effect is not laconic's question; elsewhere somebody has to answer it."""
    if profile == "guard":
        return bool(decision.effects & HARD) or decision.verdict is Verdict.DENY
    return decision.verdict is not Verdict.ALLOW


def print_prompts(judged: list[Judged]) -> None:
    print(f"{len(judged)} commands; interrupts per 100 of them, without and with a box:")
    alone = [one for one in judged if asks(AGENT, Step(one.row["command"], ""), one.effects, ())]
    print(f"  {'without':8} {per_100(len(alone), len(judged)):>5}")
    for profile in PROFILES:
        stopped = [one for one in judged if interrupts(one.decisions[profile], profile)]
        asked = [one for one in judged if interrupts(one.boxed[profile], profile)]
        boxed = [one for one in judged if one.boxed[profile].in_box]
        shares = [per_100(len(some), len(judged)) for some in (stopped, asked, boxed)]
        print(f"  {profile:8} {shares[0]:>5} {shares[1]:>5}   ({shares[2]} run in the box)")
    for profile in ("default", "work"):
        stopped = [one for one in judged if interrupts(one.decisions[profile], profile)]
        effects = Counter(word for one in stopped for word in one.effects.words)
        programs = Counter(
            leaf.rule.split("/")[0]
            for one in stopped
            for leaf in one.decisions[profile].leaves()
            if leaf.verdict is not Verdict.ALLOW
        )
        print(f"{profile}, by effect:  " + counts(effects, len(judged)))
        print(f"{profile}, by program: " + counts(programs, len(judged)))


def print_projects(judged: list[Judged]) -> None:
    by_project: dict[str, list[Judged]] = {}
    for one in judged:
        by_project.setdefault(str(one.row.get("project", "")), []).append(one)
    if len(by_project) < 2:  # noqa: PLR2004 - the sum is above
        return
    print(f"by project, without and with a box: {', '.join(PROFILES)}")
    for project, some in by_project.items():
        shares = (
            f"{per_100(count(some, name, boxed=False), len(some)):>5}"
            f"{per_100(count(some, name, boxed=True), len(some)):>6}"
            for name in PROFILES
        )
        print(f"  {len(some):5} {project[:50]:50} {'   '.join(shares)}")


def count(judged: list[Judged], profile: str, *, boxed: bool) -> int:
    return sum(
        interrupts((one.boxed if boxed else one.decisions)[profile], profile) for one in judged
    )


def print_asked(judged: list[Judged], profile: str) -> None:
    """Print what interrupts without a box, with one, or both ways, with the reasons."""
    words = {(True, True): "box", (True, False): "no box", (False, True): "only with a box"}
    for one in judged:
        both = interrupts(one.decisions[profile], profile), interrupts(one.boxed[profile], profile)
        if not any(both):
            continue
        print(f"{words[both]}: {json.dumps(one.row['command'])}")
        for leaf in one.boxed[profile].leaves():
            if leaf.verdict is not Verdict.ALLOW or (profile == "guard" and leaf.effects & HARD):
                print(f"    {leaf.rule} [{' '.join(leaf.effects.words)}] {leaf.reason}")


def counts(counter: Counter[str], total: int) -> str:
    return ", ".join(f"{name} {per_100(n, total)}" for name, n in counter.most_common(SHOWN))


def per_100(some: int, total: int) -> str:
    return f"{100 * some / total:.1f}" if total else "-"


# -- labels ----------------------------------------------------------------------------------------


def print_labels(judged: list[Judged], *, with_rows: bool) -> None:
    labelled = [one for one in judged if "effects" in one.row]
    plain = [one for one in labelled if not one.row.get("ambiguous")]
    same = [one for one in plain if one.effects == expected(one.row)]
    missed = [one for one in plain if expected(one.row) & HARD & ~one.effects]
    print(f"{len(labelled)} rows with labels, {len(plain)} of them without a tag:")
    print(f"  exactly the labelled effects: {len(same)} ({per_100(len(same), len(plain))} %)")
    print(f"  a hard effect missed: {len(missed)}")
    for profile in PROFILES:
        wanted = [one for one in plain if one.row.get(profile) in ("allow", "none", "ask", "deny")]
        looser = [
            one
            for one in wanted
            if one.row[profile] in ("ask", "deny")
            and not interrupts(one.decisions[profile], profile)
        ]
        stricter = [
            one
            for one in wanted
            if one.row[profile] in ("allow", "none") and interrupts(one.decisions[profile], profile)
        ]
        print(f"  {profile:8} looser than the label {len(looser)}, stricter {len(stricter)}")
    for one in missed:
        print_row("missed", one)
    for one in plain if with_rows else ():
        if one not in same and one not in missed:
            print_row("differs", one)


def expected(row: Row) -> Effect:
    return union(EFFECTS[word] for word in row["effects"])


def print_row(what: str, one: Judged) -> None:
    ours, theirs = one.effects, expected(one.row)
    extra, lacking = (ours & ~theirs).words, (theirs & ~ours).words
    print(f"  {what}: {json.dumps(one.row['command'])[:WIDTH]}")
    print(f"      too many: {' '.join(extra)}; too few: {' '.join(lacking)}")
    for leaf in one.decisions["default"].leaves():
        if leaf.effects & ~theirs:
            print(f"      {leaf.rule}: {leaf.reason}")


def print_speed(rows: list[Row], facts: Facts) -> None:
    rules, times = Rules(), []
    for row in rows:
        forget()
        start = time.perf_counter()
        decide(row["command"], library(), rules, facts)
        times.append(time.perf_counter() - start)
    print(f"a decision takes {1e6 * statistics.median(times):.0f} us (median)")


if __name__ == "__main__":
    main()

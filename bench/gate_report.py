"""Measure the gate on files of commands with the answers that are right for them, and its speed.

python bench/gate_report.py DIRECTORY, which has bypass.jsonl (commands that must not be allowed)
and gate.jsonl (commands of both kinds). A row's `expected` lists the right verdicts.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from boxes import with_box

from laconic.knowledge.catalog import library
from laconic.policy.rules import Rules
from laconic.reading.decide import decide
from laconic.reading.places import Facts
from laconic.shell.parser import forget
from laconic.types import HARD, Decision, Effect, Verdict

Row = dict[str, Any]
ROUNDS = 5
BY_TABLE = (
    Effect.PROJECT_CODE | Effect.PROJECT_WRITE | Effect.HISTORY | Effect.INSTALLS | Effect.DOWNLOADS
)
WIDTH = 110


class Judged(NamedTuple):
    row: Row
    decision: Decision

    @property
    def is_allowed(self) -> bool:
        return self.decision.verdict is Verdict.ALLOW

    @property
    def line(self) -> str:
        command = json.dumps(self.row["command"], ensure_ascii=True)
        reasons = dict.fromkeys(f"{leaf.rule}: {leaf.reason}" for leaf in self.decision.leaves())
        return "\n        ".join((f"    {command[:WIDTH]}", *reasons))


def judge(path: Path, profile: str = "default") -> list[Judged]:
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    return [Judged(row, decide(row["command"], library(), Rules(profile), Facts())) for row in rows]


def bypass_report(judged: list[Judged], profile: str) -> None:
    counted = [j for j in judged if not j.row.get("policy") and "allow" not in j.row["expected"]]
    print(f"bypass.jsonl, {profile}: {len(judged)} rows, {len(counted)} with one undisputed answer")
    for is_proven, name, limit in ((True, "proven", "0"), (False, "unproven", "at most 1 %")):
        rows = [j for j in counted if bool(j.row.get("proven")) is is_proven]
        allowed = [j for j in rows if j.is_allowed]
        print(f"  {name:9} {share(allowed, rows)} allowed  (goal: {limit})")
        print_rows(allowed)


def work_report(path: Path) -> None:
    """In `work` much may run: here is all of it, which must not have a hard effect."""
    judged = [j for j in judge(path, "work") if "allow" not in j.row["expected"] and j.is_allowed]
    hard = [j for j in judged if j.decision.effects & HARD]
    print(f"bypass.jsonl, work: {len(judged)} allowed for soft effects, {len(hard)} with hard ones")
    for words, count in Counter(j.decision.effects.words for j in judged).most_common():
        print(f"    {count:5} {' '.join(words)}")
    print_rows(hard)


def box_report(path: Path) -> None:
    """Print what runs only where a box can be made: none of it may have a hard effect."""
    for profile in ("default", "work"):
        rules = Rules(profile)
        found = [
            Judged(j.row, with_box(j.row["command"], j.decision, rules, Facts()))
            for j in judge(path, profile)
            if "allow" not in j.row["expected"] and not j.is_allowed
        ]
        boxed = [j for j in found if j.is_allowed]
        hard = [j for j in boxed if j.decision.effects & HARD]
        print(
            f"bypass.jsonl, {profile} with a box: {len(boxed)} more are allowed, in the box or by "
            f"an undo, {len(hard)} with hard effects"
        )
        for words, count in Counter(j.decision.effects.words for j in boxed).most_common():
            print(f"    {count:5} {' '.join(words)}")
        print_rows(hard)
        for j in boxed:
            print(f"          {json.dumps(j.row['command'])[:WIDTH]}")


def gate_report(judged: list[Judged]) -> None:
    harmless = [j for j in judged if "allow" in j.row["expected"]]
    asking = [j for j in judged if "allow" not in j.row["expected"]]
    denying = [j for j in asking if j.row["expected"] == ["deny"]]
    allowed = [j for j in asking if j.is_allowed]
    print(f"gate.jsonl: {len(judged)} rows")
    by_table = [j for j in harmless if not j.is_allowed and asks_by_table(j)]
    counted = [j for j in harmless if j not in by_table]
    print(f"  harmless  {share([j for j in harmless if j.is_allowed], harmless)} allowed")
    allowed_here = share([j for j in counted if j.is_allowed], counted)
    print(f"            {allowed_here} without rows that ask by the table  (goal: at least 96 %)")
    print_asked([j for j in counted if not j.is_allowed])
    print(f"  harmless rows that ask by the table of effects: {len(by_table)}")
    print_rows(by_table)
    print(f"  deny      {share([j for j in denying if j.is_allowed], denying)} allowed  (goal: 0)")
    print(f"  ask       {share(allowed, asking)} allowed  (goal: at most 0.5 %)")
    print_rows(allowed)


def asks_by_table(judged: Judged) -> bool:
    """The effect is understood, and the profile asks about it: no gap in the knowledge."""
    return bool(judged.decision.effects) and not judged.decision.effects & ~BY_TABLE


def share(some: list[Judged], all_rows: list[Judged]) -> str:
    percent = 100 * len(some) / len(all_rows) if all_rows else 0
    return f"{len(some):5} of {len(all_rows):5} ({percent:6.2f} %)"


def print_asked(rows: list[Judged]) -> None:
    """Print why harmless rows ask, and how many for each reason: some of them ask rightly."""
    reasons = Counter(
        next(leaf.reason for leaf in j.decision.leaves() if leaf.verdict is j.decision.verdict)
        for j in rows
    )
    for reason, count in reasons.most_common():
        print(f"    {count:5} {reason}")


def print_rows(rows: list[Judged]) -> None:
    for row in rows:
        print(row.line)


# -- speed -----------------------------------------------------------------------------------------


def micros(command: str, rounds: int) -> float:
    """The best of the rounds: what the decision costs, without what else the machine does."""
    knowledge, rules, facts = library(), Rules(), Facts()
    times = []
    for _ in range(rounds):
        forget()
        start = time.perf_counter()
        decide(command, knowledge, rules, facts)
        times.append(time.perf_counter() - start)
    return min(times) * 1e6


def speed_report(judged: list[Judged]) -> None:
    times = sorted(micros(j.row["command"], ROUNDS) for j in judged)
    p99 = times[int(len(times) * 0.99)]
    print(f"speed over gate.jsonl: median {statistics.median(times):.0f} us (goal: at most 300), "
          f"p99 {p99:.0f} us (goal: at most 2000)")  # fmt: skip


def linearity_report() -> None:
    """A longer text should cost the same for each of its bytes."""
    print("length: microseconds per KB, for 1, 4, 16 and 60 KB")
    for name, piece in (
        ("words", "word "),
        ("commands", "git log -1; "),
        ("pipes", "cat a | "),
        ("substitutions", "$(pwd) "),
        ("quotes", "'a b' \"c $d\" "),
    ):
        costs = []
        for size_kb in (1, 4, 16, 60):
            command = "echo " + piece * (size_kb * 1000 // len(piece)) + "cat"
            costs.append(f"{micros(command, 1) / size_kb:7.0f}")
        print(f"  {name:14}{''.join(costs)}")


def main(argv: list[str]) -> int:
    if len(argv) != 1:
        print("say where the cases are: python bench/gate_report.py DIRECTORY", file=sys.stderr)
        return 2
    directory = Path(argv[0])
    if not (directory / "gate.jsonl").is_file() or not (directory / "bypass.jsonl").is_file():
        print(f"{directory}: no gate.jsonl and bypass.jsonl there, so there is nothing to measure")
        return 0
    for profile in ("default", "strict"):
        bypass_report(judge(directory / "bypass.jsonl", profile), profile)
    work_report(directory / "bypass.jsonl")
    box_report(directory / "bypass.jsonl")
    gate = judge(directory / "gate.jsonl")
    gate_report(gate)
    speed_report(gate)
    linearity_report()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Run commands that the gate allows, and tell which of them change something.

`python -m effects.hunt [SEED [SECONDS]]` runs all claims, in a plain place and in a hostile one;
then attacks in the hostile one, what the tables accept, option by option, and random arguments,
each for so long. It prints each command that changed, ran, printed or sent what it must not, as
short as it could be made; in the end it plants faults in the gate, which attacks must find. It
exits 1 if any command did such a thing, or if a fault was not found.
"""

from __future__ import annotations

import random
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from laconic.policy.places import Facts
from laconic.shell import parse
from laconic.shell.walk import commands

from .arguments import each_operand, each_option, random_command, random_script, scripts, tools
from .attacks import attacks
from .claims import BUILDERS, allowing_rules, claims, programs, unexcused
from .isolation import isolation
from .knowledge import built_in
from .scratch import Scratch

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from .knowledge import Knowledge

_WORKERS = 2
_TRIES = 20
_SHOWN = 4
_HEAVIEST = 8  # git has a hundred paths, cat has one
_SCRIPTS = 0.25  # the share of small programs


class Finding(NamedTuple):
    """An allowed command and what it changed."""

    command: str
    changes: list[str]

    def __str__(self) -> str:
        return f"{self.command}\n    {', '.join(self.changes[:_SHOWN])}"


class Hunt:
    """Runs commands in several places at a time until they or the time are used up.

    enough: the number of findings that it ends with.
    """

    def __init__(
        self,
        candidates: Iterable[str],
        each_s: float,
        deadline: float,
        knowledge: Knowledge | None = None,
        *,
        enough: float = float("inf"),
        is_hostile: bool = False,
    ) -> None:
        self._is_hostile = is_hostile
        self._candidates, self._each_s, self._deadline = iter(candidates), each_s, deadline
        self._knowledge, self._enough = knowledge or built_in(), enough
        self._lock = threading.Lock()
        self.ran = 0
        self.findings: list[Finding] = []

    def run(self) -> Hunt:
        with ThreadPoolExecutor(_WORKERS) as pool:
            for worker in [pool.submit(self._work) for _ in range(_WORKERS)]:
                worker.result()
        return self

    def _next(self) -> str | None:
        is_over = time.monotonic() >= self._deadline or len(self.findings) >= self._enough
        with self._lock:
            return None if is_over else next(self._candidates, None)

    def _work(self) -> None:
        scratch = Scratch(is_hostile=self._is_hostile)
        try:
            while (command := self._next()) is not None:
                changes = self._changes(command, scratch)
                self.ran += changes is not None
                if changes:
                    self.findings.append(self._shortest(Finding(command, changes), scratch))
        finally:
            scratch.close()

    def _changes(self, command: str, scratch: Scratch) -> list[str] | None:
        rules = allowing_rules(command, scratch.facts, knowledge=self._knowledge)
        if rules is None:
            return None
        return unexcused(scratch.changes(command, self._each_s), rules | programs(command))

    def _shortest(self, finding: Finding, scratch: Scratch) -> Finding:
        """Leave out words as long as the rest is allowed and changes something."""
        for shorter in _without_a_word(finding.command):
            changes = self._changes(shorter, scratch)
            if changes:
                return self._shortest(Finding(shorter, changes), scratch)
        return finding


def _without_a_word(command: str) -> Iterator[str]:
    source = command.encode()
    for found in commands(parse(command)):
        for word in found.command.words[1:]:
            yield (source[: word.start].rstrip() + source[word.end :]).decode()


def runnable_claims() -> list[str]:
    """All claims but those of builders; where there is a network, none that would use it."""
    guard = isolation()
    assert guard is not None
    return [
        command
        for command in claims()
        if not programs(command) & BUILDERS.keys()
        and (guard.is_closed or allowing_rules(command, Facts(), "strict") is not None)
    ]


def random_commands(
    seed: int, without: Collection[str] = (), knowledge: Knowledge | None = None
) -> Iterator[str]:
    """Allowed command lines without end, from all programs in turn."""
    source, facts, left_out = random.Random(seed), Facts(), {*BUILDERS, *without}
    known = {name: found for name, found in tools(knowledge).items() if name not in left_out}
    names, programmable = list(known), scripts()
    weights = [min(len(known[name]), _HEAVIEST) for name in names]
    while True:
        tool = source.choice(known[source.choices(names, weights)[0]])
        script = source.choice(programmable) if source.random() < _SCRIPTS else None
        for _ in range(_TRIES):
            command = random_script(source, script) if script else random_command(source, tool)
            if allowing_rules(command, facts, knowledge=knowledge) is not None:
                yield command
                break


def commands_by_table(
    seed: int, only: Collection[str] = (), knowledge: Knowledge | None = None
) -> list[str]:
    """Every option of every table and telling operands, each once before any a second time."""
    known = [
        tool
        for name, found in tools(knowledge).items()
        if name not in BUILDERS and (not only or name in only)
        for tool in found
    ]
    tables = {(tool.path[0], *tool.spec.known, *tool.words): tool for tool in known}
    found = tables.values()
    ways = [ways for tool in found for ways in (*each_option(tool), *each_operand(tool))]
    random.Random(seed).shuffle(ways)
    rounds = zip_longest(*ways)
    return list(dict.fromkeys(command for each in rounds for command in each if command))


def main() -> int:
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else time.time_ns() % 10**9
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 300
    guard = isolation()
    if guard is None or not guard.is_closed:
        print("effects: needs unshare and setpriv, to shut off what it runs", file=sys.stderr)
        return 1
    print(f"effects: seed {seed}, {seconds:.0f} s for tables and as much for the rest", flush=True)
    failed = _report("claims", Hunt(runnable_claims(), 5, float("inf")))
    hostile = Hunt(runnable_claims(), 5, float("inf"), is_hostile=True)
    failed |= _report("claims in a hostile place", hostile)
    deadline = time.monotonic() + seconds
    failed |= _report("attacks", Hunt(attacks(seed), 5, deadline, is_hostile=True))
    deadline = time.monotonic() + seconds
    failed |= _report("tables", Hunt(commands_by_table(seed), 2, deadline))
    deadline = time.monotonic() + seconds
    failed |= _report("random arguments", Hunt(random_commands(seed), 2, deadline))
    from . import planted

    return failed | planted.main()


def _report(what: str, hunt: Hunt) -> bool:
    hunt.run()
    print(f"{what}: {hunt.ran} commands ran, {len(hunt.findings)} did what they must not")
    print(*hunt.findings, sep="\n", flush=True)
    return bool(hunt.findings)


if __name__ == "__main__":
    sys.exit(main())

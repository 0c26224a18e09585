"""Run commands that the gate allows, and tell which of them change something.

`python -m effects.hunt [SEED [SHARE]]` runs claims in a plain place and claims in a hostile one;
attacks in the hostile one; what the tables accept, option by option; and random arguments. The seed
chooses a share of them, all of which run, however long that takes; with a share of 1 everything
runs, which takes hours. It prints each command that changed, ran, printed or sent what it must not,
as short as it could be made; then it plants faults in the gate, which attacks must find, and says
which programs ran, which were stopped because they did not end, and which are not installed. It
exits 1 if any command did such a thing, or if a fault was not found.
"""

from __future__ import annotations

import os
import random
import sys
import textwrap
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, NamedTuple

from laconic.reading.places import Facts
from laconic.shell import parse
from laconic.shell.walk import commands

from .arguments import (
    each_operand,
    each_option,
    judged_programs,
    random_command,
    random_script,
    scripts,
    tools,
)
from .attacks import attacks, texts_to_begin_with
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
_SHARE = 0.15  # about ten minutes with two processors
_PROGRESS_SECONDS = 15
_MIXTURES, _RANDOM = 6_000, 10_000  # there is no end of them: so many are all


class Finding(NamedTuple):
    """An allowed command and what it changed."""

    command: str
    changes: list[str]

    def __str__(self) -> str:
        return f"{self.command}\n    {', '.join(self.changes[:_SHOWN])}"


class Hunt:
    """Runs commands in several places at a time until all have run.

    enough: the number of findings that it ends with. what: its name, if it tells how far it is.
    """

    def __init__(
        self,
        candidates: Iterable[str],
        each_s: float,
        knowledge: Knowledge | None = None,
        *,
        enough: float = float("inf"),
        is_hostile: bool = False,
        what: str = "",
    ) -> None:
        self._is_hostile, self._what = is_hostile, what
        self._told = time.monotonic()
        self._candidates, self._each_s = iter(candidates), each_s
        self._knowledge, self._enough = knowledge or built_in(), enough
        self._lock = threading.Lock()
        self.taken = self.ran = 0
        self.programs: set[str] = set()
        self.stopped: Counter[str] = Counter()
        self.findings: list[Finding] = []

    def run(self) -> Hunt:
        with ThreadPoolExecutor(_WORKERS) as pool:
            for worker in [pool.submit(self._work) for _ in range(_WORKERS)]:
                worker.result()
        return self

    def _next(self) -> str | None:
        with self._lock:
            if len(self.findings) >= self._enough:
                return None
            command = next(self._candidates, None)
            if command is None:
                return None
            self.taken += 1
            self._tell()
            return command

    def _tell(self) -> None:
        if self._what and time.monotonic() - self._told > _PROGRESS_SECONDS:
            self._told = time.monotonic()
            print(f"  {self._what}: {self.taken} looked at, {self.ran} ran so far", flush=True)

    def _work(self) -> None:
        scratch = Scratch(is_hostile=self._is_hostile)
        try:
            while (command := self._next()) is not None:
                changes = self._changes(command, scratch)
                if changes is not None:
                    self.ran += 1
                    self.programs |= programs(command)
                if changes:
                    self.findings.append(self._shortest(Finding(command, changes), scratch))
        finally:
            scratch.close()

    def _changes(self, command: str, scratch: Scratch) -> list[str] | None:
        rules = allowing_rules(command, scratch.facts, knowledge=self._knowledge)
        if rules is None:
            return None
        changes = scratch.changes(command, self._each_s)
        if scratch.was_stopped:
            self.stopped.update(programs(command))
        return unexcused(changes, rules | programs(command))

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
    seed: int,
    only: Collection[str] = (),
    knowledge: Knowledge | None = None,
    share: float = 1,
) -> list[str]:
    """Every option of every table and telling operands, each once before any a second time.

    Of a share below 1 each is tried in one way, which the seed chooses.
    """
    known = [
        tool
        for name, found in tools(knowledge).items()
        if name not in BUILDERS and (not only or name in only)
        for tool in found
    ]
    tables = {(tool.path[0], *tool.spec.known, *tool.words): tool for tool in known}
    found = tables.values()
    ways = [ways for tool in found for ways in (*each_option(tool), *each_operand(tool))]
    source = random.Random(seed)
    source.shuffle(ways)
    if share < 1:
        some = [way for way in ways if way][: round(len(ways) * share)]
        return list(dict.fromkeys(source.choice(way) for way in some))
    rounds = zip_longest(*ways)
    return list(dict.fromkeys(command for each in rounds for command in each if command))


class Part(NamedTuple):
    """Commands of one kind, the seconds that each may take, and where they run."""

    what: str
    commands: Iterable[str]
    each_s: float
    is_hostile: bool = False


def parts(seed: int, share: float) -> list[Part]:
    """What is run for a share of everything: other claims in the hostile place than elsewhere."""
    source, known = random.Random(seed), runnable_claims()
    here, there = (source.sample(known, round(len(known) * share)) for _ in range(2))
    first = len(texts_to_begin_with())  # each of these comes before any mixture
    mixed = islice(attacks(seed), first + round(_MIXTURES * share))
    by_chance = islice(random_commands(seed), round(_RANDOM * share))
    return [
        Part("claims", here, 5),
        Part("claims in a hostile place", there, 5, is_hostile=True),
        Part("attacks", mixed, 5, is_hostile=True),
        Part("tables", commands_by_table(seed, share=share), 2),
        Part("random arguments", by_chance, 2),
    ]


def main() -> int:
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else time.time_ns() % 10**9
    share = float(sys.argv[2]) if len(sys.argv) > 2 else _SHARE
    guard = isolation()
    if guard is None or not guard.is_closed:
        print("effects: needs unshare and setpriv, to shut off what it runs", file=sys.stderr)
        return 1
    os.umask(0o022)  # what runs here must be able to read what it is given
    print(f"effects: seed {seed}, a share of {share:g}", flush=True)
    ran: set[str] = set()
    stopped: Counter[str] = Counter()
    failed = False
    for part in parts(seed, share):
        hunt = Hunt(part.commands, part.each_s, is_hostile=part.is_hostile, what=part.what)
        failed |= _report(part.what, hunt)
        ran |= hunt.programs
        stopped += hunt.stopped
    from . import planted

    failed |= planted.main()
    _tell_what_was_covered(ran, stopped)
    print("effects: failed" if failed else "effects: nothing found, and every planted fault")
    return failed


def _report(what: str, hunt: Hunt) -> bool:
    start = time.monotonic()
    hunt.run()
    seconds = time.monotonic() - start
    told = (
        f"{what}: {hunt.taken} looked at, {hunt.ran} allowed and run,"
        f" {len(hunt.findings)} did what they must not ({seconds:.0f} s)"
    )
    print(told, *hunt.findings, sep="\n", flush=True)
    return bool(hunt.findings)


def _tell_what_was_covered(ran: set[str], stopped: Counter[str]) -> None:
    known, here = judged_programs(), set(tools())
    missing = sorted(known - here)
    print(f"{len(ran & known)} of the {len(here)} programs that are here and may be allowed ran")
    told = ", ".join(f"{name} {count}" for name, count in stopped.most_common()) or "none"
    print("commands that were stopped because they did not end, by program:")
    print(textwrap.fill(told, 98, break_on_hyphens=False))
    print(f"builders, which make files and do not run: {', '.join(sorted(BUILDERS))}")
    print(f"{len(missing)} programs that may be allowed are not installed here:")
    print(textwrap.fill(" ".join(missing), 98, break_on_hyphens=False), flush=True)


if __name__ == "__main__":
    sys.exit(main())

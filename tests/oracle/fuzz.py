"""Compare our parser with the instrumented bash on random texts.

`python -m oracle.fuzz [SEED [COUNT]]` prints counts and, for each failure, the shortest text found
that still fails; it exits 1 if there is any.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING

from . import facts
from .bash import oracle
from .compare import FAILURES, Difference, compare, shrink
from .generate import CASES, RESERVED, mutate, read_cases
from .grammar import Grammar
from .pairs import pairs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .bash import Truth

_SHOWN = 25


def texts(seed: int, count: int) -> Iterator[str]:
    """A third programs, a third mutations of programs, a third mutations of the case files."""
    source = random.Random(seed)
    grammar = Grammar(source)
    known = [text for path in sorted(CASES.glob("*.txt")) for text in read_cases(path)]
    known += pairs()
    recent = [grammar.program() for _ in range(500)]
    for number in range(count):
        if number % 3 == 0:
            recent[source.randrange(len(recent))] = text = grammar.program()
        else:
            text = mutate(source, known if number % 3 == 1 else recent)
        if not RESERVED.search(text):
            yield text


def difference(ask: Callable[[str], Truth], text: str) -> Difference:
    truth = ask(text.encode("utf-8", "surrogateescape").decode("latin-1"))
    return compare(text, truth.verdict, facts.from_bash(truth.records))


def shortest(ask: Callable[[str], Truth], text: str, kind: str) -> str:
    return shrink(text, lambda shorter: difference(ask, shorter).kind == kind)


def main() -> int:
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else time.time_ns() % 10**9
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 20_000
    print(f"fuzz: seed {seed}, {count} texts", flush=True)
    counts: Counter[str] = Counter()
    failures: dict[str, Difference] = {}
    with oracle() as ask:
        for text in texts(seed, count):
            kind = difference(ask, text).kind
            counts[kind] += 1
            if kind in FAILURES and len(failures) < _SHOWN:
                short = shortest(ask, text, kind)
                failures[short] = difference(ask, short)
    print("fuzz:", ", ".join(f"{kind} {number}" for kind, number in sorted(counts.items())))
    for text, found in failures.items():
        print(f"{found.kind}: {text!r} {found.message}\n  bash: {found.bash}\n  ours: {found.ours}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

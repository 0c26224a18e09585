"""Measures the parser: time of typical commands, growth with length, cost of its import."""

from __future__ import annotations

import contextlib
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from laconic.shell import ParseError, parse
from laconic.shell.parser import forget
from laconic.shell.walk import commands

if TYPE_CHECKING:
    from collections.abc import Callable

COMMANDS = Path(__file__).with_name("commands.txt")
ROUNDS = 30
STARTS = 25
FACTORS = (1, 2, 4, 8, 16, 32, 64)
UNIT = 1500  # bytes at factor 1, so that a hundred kilobytes are reached
SHAPES: dict[str, Callable[[int], str]] = {
    "arguments": lambda count: "echo" + " word" * count,
    "lines": lambda count: "echo a b\n" * count,
    "pipeline": lambda count: "a" + " | b" * count,
    "substitutions": lambda count: "echo" + " $(a b)" * count,
    "string": lambda count: 'echo "' + "a $b " * count + '"',
    "backquotes": lambda count: "echo" + " `a \\$b`" * count,
    "one backquoted": lambda count: "echo `" + "a \\$b;" * count + "`",
    "arithmetic": lambda count: "((" + "1 + " * count + "1))",
    "not arithmetic": lambda count: "((" + "(a);" * count + "b) )",
    "here-document": lambda count: "cat <<E\n" + "a $b\n" * count + "E\n",
    "here-documents": lambda count: "cat <<E\na\nE\n" * count,
    "clauses": lambda count: "case x in " + "a) b;; " * count + "esac",
    "elif": lambda count: "if a; then b; " + "elif c; then d; " * count + "fi",
    "braces": lambda count: "echo " + "{a," * count,
    "continued word": lambda count: "echo " + "a\\\n" * count,
    "open quotes": lambda count: "echo" + " $'a' \"b" * count,
}


def timed(action: Callable[[], object]) -> float:
    forget()
    before = time.process_time()
    action()
    return time.process_time() - before


def read_commands() -> list[bytes]:
    return COMMANDS.read_bytes().splitlines()


def percentile(times: list[float], share: float) -> float:
    return sorted(times)[min(len(times) - 1, int(len(times) * share))]


def show_commands() -> None:
    """Each command counts with its best round: the rest is noise of the machine."""
    sources = read_commands()
    print(f"{len(sources)} typical commands       median     p99     max")
    show_figures("parse", [best_us(parse, source) for source in sources])
    show_figures("parse and walk", [best_us(walk, source) for source in sources])


def show_figures(name: str, times: list[float]) -> None:
    figures = statistics.median(times), percentile(times, 0.99), max(times)
    print(f"  {name:24}" + "".join(f"{figure:8.1f}" for figure in figures) + "  us")


def walk(source: bytes) -> object:
    return commands(parse(source))


def best_us(action: Callable[[bytes], object], source: bytes) -> float:
    return 1e6 * min(timed(lambda: action(source)) for _ in range(ROUNDS))


def attempt(source: bytes) -> None:
    with contextlib.suppress(ParseError):
        parse(source)


def show_growth() -> None:
    """A ratio of 1.0 is linear: time per byte at the last factor over that at the first."""
    lengths = "".join(f"{'x' + str(factor):>9}" for factor in FACTORS)
    print(f"\ngrowth: ms for each length{lengths}    ratio")
    for name, make in SHAPES.items():
        count = max(1, UNIT // (len(make(2)) - len(make(1))))
        times = []
        for factor in FACTORS:
            source = make(count * factor).encode()
            times.append(1e3 * min(timed(lambda s=source: attempt(s)) for _ in range(3)))
        ratio = times[-1] / times[0] / FACTORS[-1]
        print(f"  {name:24}" + "".join(f"{one:9.2f}" for one in times) + f"{ratio:9.2f}")


def cpu_ms(code: str) -> float:
    """User and system time of a fresh interpreter."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-I", "-c", code], check=True)  # noqa: S603 - our own code
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def show_import() -> None:
    """Interleaved runs, so that a busy moment falls on all of them alike."""
    codes = {
        "bare python": "pass",
        "import re": "import re",
        "import laconic.shell": "import laconic.shell",
    }
    times: dict[str, list[float]] = {name: [] for name in codes}
    for _ in range(STARTS):
        for name, code in codes.items():
            times[name].append(cpu_ms(code))
    bare = statistics.median(times["bare python"])
    print("\nstart of an interpreter     CPU ms    over bare")
    for name, found in times.items():
        median = statistics.median(found)
        print(f"  {name:24}{median:8.1f}{median - bare:13.1f}")


CHECK = """
import time
from laconic.patterns import problem
before = time.perf_counter_ns()
problem()
print(time.perf_counter_ns() - before)
"""


def show_self_check() -> None:
    """How long the first use of `re` takes, in a new process: laconic.patterns tries it."""
    words = [sys.executable, "-I", "-c", CHECK]
    starts = (subprocess.run(words, check=True, capture_output=True) for _ in range(STARTS))  # noqa: S603
    taken = sorted(int(done.stdout) / 1e6 for done in starts)
    print(f"self-check of `re`, cold: best {taken[0]:.2f} ms, median {taken[STARTS // 2]:.2f} ms")


if __name__ == "__main__":
    show_commands()
    show_growth()
    show_import()
    show_self_check()

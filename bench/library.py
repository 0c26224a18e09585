"""Measures the library: matching beyond the parse, decisions, eight threads, the import."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import laconic
from laconic.library.registry import line_of
from laconic.shell import ParseError, parse

if TYPE_CHECKING:
    from collections.abc import Callable

COMMANDS = Path(__file__).with_name("commands.txt").read_text().splitlines()
STACKS = ["rust", "python", "typescript", "swift", "sql", "harn"]
ROUNDS = 5
STARTS = 15
THREADS = 8


def microseconds(work: Callable[[str], object], command: str) -> float:
    """The CPU time of this thread: others on the machine do not count.

    Each round has another number of newlines at the end, so that no parsed text is found again.
    """
    spent = []
    for newlines in range(ROUNDS):
        text = command + "\n" * newlines
        started = time.thread_time_ns()
        work(text)
        spent.append((time.thread_time_ns() - started) / 1000)
    return statistics.median(spent)


def show(name: str, values: list[float], bound: float = 0) -> None:
    middle = statistics.median(values)
    worst = sorted(values)[int(len(values) * 0.95)]
    limit = f"  (at most {bound:.0f})" if bound else ""
    print(f"{name:50} median {middle:7.1f} us   95 % {worst:7.1f} us{limit}")


def parsable(command: str) -> bool:
    try:
        parse(command)
    except ParseError:
        return False
    return bool(command.strip())


def import_cost() -> float:
    """Milliseconds of CPU that `import laconic` takes beyond a bare start."""

    def cpu(statement: str) -> float:
        clock = "time.process_time()"
        program = f"import time; a = {clock}; {statement}; print({clock} - a)"
        runs = [
            subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, check=True)  # noqa: S603
            for _ in range(STARTS)
        ]
        return min(float(run.stdout) for run in runs) * 1000

    return cpu("import laconic") - cpu("pass")


def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        project = Path(home, "app")
        Path(project, ".git").mkdir(parents=True)
        measure(str(project), {"HOME": home, "PATH": "/usr/bin:/bin"})
    print(f"{'import laconic':50} {import_cost():.1f} ms of CPU  (at most 10)")


def measure(project: str, environ: dict[str, str]) -> None:
    commands = [command for command in COMMANDS if parsable(command)]
    rules = laconic.Gate(stacks=STACKS, gate=False, cwd=project, environ=environ)
    gate = laconic.Gate(stacks=STACKS, cwd=project, environ=environ)
    context = rules.context(project)
    for command in commands:  # what is loaded and computed once
        gate.decide(command)
    parsing = [microseconds(parse, command) for command in commands]

    def match(command: str) -> object:
        return rules.judge.rules.registry.match(line_of(command, context), context=context)

    matching = [microseconds(match, command) for command in commands]
    beyond = [both - one for both, one in zip(matching, parsing, strict=True)]
    show("parse", parsing)
    show("read and match all catalogues, beyond the parse", beyond, 300)
    show("decide, rules only", [microseconds(rules.decide, command) for command in commands])
    verdicts = [microseconds(lambda c: gate.judge.verdict(c, context), c) for c in commands]
    show("laconic's verdict alone", verdicts)
    show("decide, with laconic's verdicts", [microseconds(gate.decide, c) for c in commands], 300)
    with ThreadPoolExecutor(THREADS) as pool:
        shared = list(pool.map(lambda c: microseconds(gate.decide, c), commands * THREADS))
    show(f"decide in {THREADS} threads", shared, 300)


if __name__ == "__main__":
    main()

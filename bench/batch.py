"""How many recorded commands and outputs a core judges in a second: a loop, two processes, Ray.

python bench/batch.py [ROWS]. Ray is measured where it is installed. All of them must say the same
of each row. The rows are the commands of bench/commands.txt, each with another comment behind it,
and the recorded outputs of tests/cases/compact, each with another last line.
"""

from __future__ import annotations

import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import cycle, islice
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa

from laconic.batch import judge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Way = Callable[[list[pa.Table]], list["Done"]]

ROWS = 20_000
OUTPUTS = 2_000
WORKERS = 2
PARTS = 16
COMMANDS = Path(__file__).with_name("commands.txt")
CASES = Path(__file__).parent.parent / "tests/cases/compact"


class Done(NamedTuple):
    """A part of the table, judged: by which process, and the seconds of CPU that it took."""

    table: pa.Table
    worker: int
    seconds: float


def timed(part: pa.Table) -> Done:
    begin = time.process_time()
    table = judge(part)
    return Done(table, os.getpid(), time.process_time() - begin)


# -- the rows --------------------------------------------------------------------------------------


def commands(count: int) -> pa.Table:
    lines = [line for line in COMMANDS.read_text().splitlines() if line and line[0] != "#"]
    texts = [f"{line}\n# {number}" for number, line in enumerate(islice(cycle(lines), count))]
    return pa.table({"command": texts})


def outputs(count: int) -> pa.Table:
    rows = []
    paths = sorted(CASES.rglob("*.cmd"))
    for number, path in enumerate(islice(cycle(paths), count)):
        command, status = path.read_text().splitlines()[:2]
        raw = path.with_suffix(".in").read_bytes() + b"# %d\n" % number
        rows.append((command, raw, int(status.removeprefix("status "))))
    names = ("command", "output", "status")
    columns = zip(*rows, strict=True)
    return pa.table({name: list(column) for name, column in zip(names, columns, strict=True)})


def parts_of(table: pa.Table) -> list[pa.Table]:
    size = -(-len(table) // PARTS)
    return [table.slice(start, size) for start in range(0, len(table), size)]


# -- the ways --------------------------------------------------------------------------------------


@contextmanager
def loop() -> Iterator[Way]:
    yield lambda parts: [timed(part) for part in parts]


@contextmanager
def processes() -> Iterator[Way]:
    with ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn")) as pool:
        yield lambda parts: list(pool.map(timed, parts))


@contextmanager
def ray_tasks() -> Iterator[Way]:
    import ray  # noqa: PLC0415 - it may not be here

    ray.init(num_cpus=WORKERS, include_dashboard=False, log_to_driver=False, logging_level="error")
    try:
        task = ray.remote(timed)
        yield lambda parts: ray.get([task.remote(part) for part in parts])
    finally:
        ray.shutdown()


def measure(name: str, way: Way, parts: list[pa.Table]) -> pa.Table:
    """The first run loads what is loaded once, and is not counted."""
    way([part.slice(0, 300) for part in parts])
    begin = time.perf_counter()
    done = way(parts)
    wall, rows = time.perf_counter() - begin, sum(map(len, parts))
    seconds = sum(each.seconds for each in done)
    workers = len({each.worker for each in done})
    speed = f"{rows / seconds:8,.0f} rows/s of a core, {rows / wall:8,.0f} rows/s by the clock"
    print(f"  {name:12} {speed}, workers: {workers}")
    return pa.concat_tables(each.table for each in done)


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    ways = {"loop": loop, "2 processes": processes}
    if find_spec("ray"):
        ways["Ray, 2 tasks"] = ray_tasks
    judged = commands(rows)
    compacted = outputs(min(rows, OUTPUTS))
    size = compacted["output"].nbytes / len(compacted) / 1000
    work = {
        f"{rows:,} commands, judged": judged,
        f"{len(compacted):,} outputs of {size:.1f} KB on average, judged and compacted": compacted,
    }
    results: dict[str, list[pa.Table]] = {title: [] for title in work}
    for name, opened in ways.items():
        with opened() as way:
            for title, table in work.items():
                print(title)
                results[title].append(measure(name, way, parts_of(table)))
    for title, (first, *others) in results.items():
        same = all(other.equals(first) for other in others)
        print(f"{title}: {'all say the same' if same else 'THEY DIFFER'}")
        if not same:
            sys.exit(1)


if __name__ == "__main__":
    main()

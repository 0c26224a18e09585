"""Measure the filters on this machine: milliseconds for a megabyte of output, small and large.

Typical is the recorded output once, among as many lines of the same command that went well as make
up the size; dense is the recorded output again and again, each of its errors a thousand times.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from laconic.compact.generic import compact_generic  # noqa: E402
from laconic.compact.lines import read_lines  # noqa: E402
from laconic.compact.pipeline import compact  # noqa: E402
from outputs import FOUND, cases  # noqa: E402 - behind the path that it is found by

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from laconic.compact.filter import Filter
    from laconic.compact.lines import Lines

    Work = Callable[[Lines], object]

MEGABYTE = 1_000_000
AIM_MS = 15.0
SMALLEST = 1000  # bytes; a line or two is no output
LOG = b"".join(
    b"2026-11-15 10:%02d:%02d INFO worker %d handled request %x in %d ms\n"
    % (n // 60 % 60, n % 60, n % 7, n * 7919, n % 300)
    for n in range(2000)
)
ORDINARY = {
    "cargo/test": b"test module::tests::case_%d_is_handled ... ok\n",
    "pytest": b"tests/test_calc.py::test_add[%d] PASSED                    [ 12%%]\n",
    "make": b"cc -O2 -Wall -Wextra -Isrc -c -o src/f%d.o src/f.c\n",
    "npm/install": b"npm http fetch GET 200 https://registry.example.com/dep-%d 12ms\n",
}


def best_ms(work: Work, raw: bytes, runs: int = 5) -> float:
    """The best of some runs, for one megabyte; splitting into lines is not the filter's work."""
    times = []
    for _ in range(runs):
        lines = read_lines(raw)
        start = time.process_time()
        work(lines)
        times.append(time.process_time() - start)
    return min(times) * 1000 / (len(raw) / MEGABYTE)


def typical(identifier: str, raw: bytes, size: int) -> bytes:
    line = ORDINARY.get(identifier)
    if line is None:
        return raw * max(1, size // len(raw))
    return raw + b"".join(line % n for n in range(size // len(line))) + raw


def works() -> list[tuple[str, str, Work, bytes]]:
    found: list[tuple[str, str, Work, bytes]] = [("generic", "log", compact_generic, LOG)]
    for case in cases():
        wanted = case.filter
        if wanted is not None and len(case.raw) > SMALLEST:
            found.append((wanted.id, case.id, _with(wanted, case.status), case.raw))
    for identifier in FOUND.ids:
        wanted = FOUND.load(identifier)
        assert wanted is not None
        found.append(("any", f"{identifier} on a log", _with(wanted, 0), LOG))
    return found


def _with(wanted: Filter, status: int) -> Work:
    return lambda lines: compact(wanted, status, lines)


def main() -> int:
    worst = 0.0
    print(f"{'ms for 1 MB of':44} {'typical':>8} {'of 8 MB':>8} {'dense':>8}")
    for identifier, name, work, raw in works():
        small = best_ms(work, typical(identifier, raw, MEGABYTE))
        large = best_ms(work, typical(identifier, raw, 8 * MEGABYTE), runs=2)
        dense = best_ms(work, raw * max(1, MEGABYTE // len(raw)), runs=3)
        worst = max(worst, small, large)
        print(f"{name:44} {small:8.1f} {large:8.1f} {dense:8.1f}")
    print(f"{'slowest, typical':44} {worst:8.1f}   (the aim is {AIM_MS:.0f})")
    return 0


if __name__ == "__main__":
    sys.exit(main())

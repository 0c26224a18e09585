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
PROGRESS = b"\r".join(b"Receiving objects: %3d%% (%d/9999)" % (n // 100, n) for n in range(9999))
# A line that the command prints by the thousand when all is well.
ORDINARY = {
    "cargo/build": "   Compiling serde_{} v1.0.229",
    "cargo/clippy": "    Checking serde_{} v1.0.229",
    "cargo/test": "test module::tests::case_{}_is_handled ... ok",
    "docker/build": "#6 2.210 Preparing to unpack .../{}-gcc_12.2.0-14_amd64.deb ...",
    "eslint": "  {}:15  warning  Unexpected console statement                 no-console",
    "find": "web/src/components/button/file_{}.tsx",
    "git/branch": "  remotes/origin/topic/{}",
    "git/commit": " create mode 100644 docs/page_{}.md",
    "git/fetch": " * [new branch]      topic/{0}    -> origin/topic/{0}",
    "git/pull": " docs/page_{}.md | 2 +-",
    "git/show": "+    value_{0} = compute(value, {0})",
    "go/build": "go: downloading golang.org/x/sync{} v0.24.0",
    "go/test": "    --- PASS: TestAdd/case#{} (0.00s)",
    "grep": "web/src/hooks/use.ts:{}:export function use() {{ return 1 }} // TODO",
    "jest": "    ✓ adds {} (2 ms)",
    "kubectl/get": "api-6f9d8b7c4-{}        1/1     Running            0             13d",
    "make": "cc -O2 -Wall -Wextra -Isrc -c -o src/f{}.o src/f.c",
    "npm/install": "npm http fetch GET 200 https://registry.example.com/dep-{} 12ms",
    "npm/test": "    ok {} - adds 0",
    "pip/install": "Collecting idna{}<4,>=2.5 (from requests->-r requirements.txt (line 1))",
    "pnpm/install": "Progress: resolved {}, reused 0, downloaded 1, added 0",
    "pytest": "tests/test_calc.py::test_add[{}] PASSED                    [ 12%]",
    "terraform/plan": '      + name_{} = "small"',
    "tree": "│   │   ├── file_{}.css",
    "unittest": "test_case_{} (tests.test_good.Good.test_case) ... ok",
    "vitest": " ✓ m{}.test.js (6 tests) 4ms",
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
    count = size // len(line)
    return raw + "".join(f"{line.format(n)}\n" for n in range(count)).encode() + raw


def works() -> list[tuple[str, str, Work, bytes]]:
    found: list[tuple[str, str, Work, bytes]] = [
        ("generic", "log", compact_generic, LOG),
        ("generic", "progress", compact_generic, PROGRESS + b"\n"),
    ]
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

"""Measures what compacting costs on this machine: milliseconds of CPU for a megabyte of output.

`python bench/compact.py [NAME ...]` prints a line for each kind of output whose name has one of the
words in it: lines of any command, and the largest recorded success and failure of every filter. A
recorded output is repeated until it has the size; where a line is known that the command prints by
the thousand, it also stands once at both ends of such lines (typical). The exit status is 1 if any
is above the aim.

The time is that of the processor, and yet a busy machine makes it longer. So the last column
compares with splitting and decoding the same output, and the last line tells what a fixed search
cost meanwhile: what it costs more than when nothing else runs, all rows cost more.
"""

from __future__ import annotations

import sys
import time
from functools import partial
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from laconic.compact.lines import read_streams  # noqa: E402
from laconic.compact.view import RUN, View, render  # noqa: E402
from laconic.patterns import pattern  # noqa: E402
from outputs import Case, cases  # noqa: E402 - behind the path that it is found by

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from laconic.compact.filter import Filter

    Source = Callable[[int], bytes]

MEGABYTE = 1_000_000
SIZES_MB = (4, 16)
AIM_MS = 10.0
TRIES = 4  # for a row above the aim: something else may have been in its way
FIXED = pattern(rb"\berror\b[^\n]*")

# Outputs of commands without a filter, by the line with the number n.
LINES = {
    "log": "2026-11-15 10:00:00 INFO worker {0} handled request {0:x} in 12 ms",
    "log with a path": "copied build/lib/module_{0}.py to /srv/app/lib/module_{0}.py",
    "log with a place": "INFO     shop.orders:orders.py:{0} handled {2} for {1}",
    "log with nothing in common": "{0} {1}",
    "log with no two lines alike": "{2} {1}",
    "tiny lines (seq)": "{0}",
    "tiny lines, similar": "n={0}",
    "errors only": 'src/pkg/mod_{0}.py:{0}: error: Incompatible types in assignment (got "str")',
    "errors only, tiny": "error {0}",
    "errors, every third line": "step {0} is done\nstep {0} begins\nerror: step {0} failed: assert",
    "failures that are none": "test case {0}: ok, 0 errors, 0 failures",
    "progress with carriage returns": "\r".join(["Receiving objects: {0}/9999"] * 50),
    "lines with carriage returns": "fetched {0} of many\r",
    "colours": "\x1b[1m\x1b[32m{0}\x1b[0m passed \x1b[36min\x1b[0m \x1b[2m12 ms\x1b[0m",
    "other languages": "Zeile {0}: Größe geändert, 漢字 и кириллица ✓",
}
WORDS = "alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike".split()
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


def numbered(line: str, size: int) -> bytes:
    """As many lines as make up the size, each with its number and some words."""
    step = len(line.format(size, "", "").encode()) + 1
    count = size // step + 1
    texts = (
        line.format(n, " ".join(WORDS[n % 11 :: n % 3 + 2]), scattered(n)) for n in range(count)
    )
    return "\n".join([*texts, ""]).encode()[:size]


def scattered(number: int) -> str:
    """Letters that are like those of no other number."""
    return (number * 0x9E3779B97F4A7C15 % (1 << 64)).to_bytes(8, "big").hex()


def long_lines(size: int) -> bytes:
    """Lines of a megabyte each."""
    line = b" ".join(b"%d: some words" % n for n in range(MEGABYTE // 18))[: MEGABYTE - 1]
    return (line + b"\n") * (size // MEGABYTE)


def invalid(size: int) -> bytes:
    """A log with bytes that are not UTF-8 in each line."""
    return numbered(LINES["log"], size).replace(b"INFO", b"\xff\xfe\xc3")


def typical(line: str, raw: bytes, size: int) -> bytes:
    return raw + numbered(line, size) + b"\n" + raw


def dense(raw: bytes, size: int) -> bytes:
    whole = raw if raw.endswith(b"\n") else raw + b"\n"
    return whole * max(1, size // len(whole))


def sources() -> Iterator[tuple[str, Filter | None, int, Source]]:
    """Name, filter and exit status of each kind of output, and what makes so much of it."""
    for name, line in LINES.items():
        yield name, None, 1, partial(numbered, line)
    yield "lines of a megabyte", None, 1, long_lines
    yield "invalid UTF-8", None, 1, invalid
    for case in largest():
        wanted = case.filter
        yield case.id, wanted, case.status, partial(dense, case.raw)
        if line := ORDINARY.get(wanted.id):
            yield f"{case.id}, typical", wanted, case.status, partial(typical, line, case.raw)


def largest() -> list[Case]:
    """The largest recorded success and failure of each filter."""
    found: dict[tuple[str, bool], Case] = {}
    for case in cases():
        if case.filter is not None and case.raw.strip():
            key = case.filter.id, case.status == 0
            found[key] = max(case, found.get(key, case), key=lambda one: len(one.raw))
    return list(found.values())


def deliver(wanted: Filter | None, status: int, raw: bytes) -> None:
    """What `laconic run` does between reading an output and printing what is left of it."""
    view = View(RUN, wanted)
    compacted = view.compacted(status, read_streams(raw, b""))
    if view.problem:
        sys.exit(f"the output would be shown raw: {view.problem}")
    if compacted is not None:
        for text in render(compacted, "k3f9ab").values():
            text.encode("utf-8", "surrogateescape")


def plain(raw: bytes) -> None:
    [line.decode("utf-8", "surrogateescape") for line in raw.splitlines()]


def cost_ms(work: Callable[[bytes], None], raw: bytes) -> float:
    """The time for one megabyte."""
    start = time.process_time()
    work(raw)
    return (time.process_time() - start) * 1000 / (len(raw) / MEGABYTE)


def best_ms(work: Callable[[bytes], None], raw: bytes) -> float:
    """The time for one megabyte; of some tries the best, as long as it is above the aim."""
    best = cost_ms(work, raw)
    for _ in range(1, TRIES):
        if best <= AIM_MS:
            break
        best = min(best, cost_ms(work, raw))
    return best


def main(words: list[str]) -> int:
    worst: dict[str, float] = {}
    fixed_text = numbered(LINES["log"], MEGABYTE)
    fixed: list[float] = []
    print(f"{'ms for 1 MB, of':44} {'4 MB':>7} {'16 MB':>7} {'x plain':>8}")
    for name, wanted, status, make in sources():
        if words and not any(word in name for word in words):
            continue
        work = partial(deliver, wanted, status)
        found = [best_ms(work, make(size * MEGABYTE)) for size in SIZES_MB]
        ratio = found[0] / min(cost_ms(plain, make(4 * MEGABYTE)) for _ in range(2))
        fixed.append(cost_ms(FIXED.findall, fixed_text))
        worst[name] = max(found)
        figures = " ".join(f"{ms:7.1f}" for ms in found)
        mark = "  above the aim" if worst[name] > AIM_MS else ""
        print(f"{name:44} {figures} {ratio:8.1f}{mark}", flush=True)
    above = sorted((ms, name) for name, ms in worst.items() if ms > AIM_MS)
    print(f"{len(worst) - len(above)} of {len(worst)} rows at or below {AIM_MS:.0f} ms/MB")
    for ms, name in reversed(above):
        print(f"{ms:7.1f} {name}")
    if fixed:
        mean = sum(fixed) / len(fixed)
        print(f"the fixed search: {mean:.2f} ms/MB, at best {min(fixed):.2f}")
    return int(bool(above))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

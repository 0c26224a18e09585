"""Measure start-up, running and parsing on this machine: the best of many runs."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from laconic.shell import parse

LACONIC = str(Path(sys.executable).with_name("laconic"))
RUNS = 15
_KILOBYTE = 1024 if sys.platform == "darwin" else 1  # the unit of ru_maxrss there is a byte
STARTS = (
    ("bare Python", [sys.executable, "-I", "-c", "pass"]),
    ("import laconic.shell", [sys.executable, "-I", "-c", "import laconic.shell"]),
    ("laconic --version", [LACONIC, "--version"]),
    ("laconic parse", [LACONIC, "parse", "git status"]),
    ("laconic config show", [LACONIC, "config", "show"]),
    ("true", ["true"]),
    ("laconic run true", [LACONIC, "run", "true"]),
    ("laconic -c true", [LACONIC, "-c", "true"]),
)
SIZES_MB = (25, 50, 100)
LINE = "2026-11-15 step {:012d} of a long run is done, and nothing is wrong with it at all"
COMMANDS = (
    "git status --short",
    "cd src && grep -rn 'def main' . | head -20",
    'for f in *.py; do python -m py_compile "$f" || echo "bad: $f"; done',
    "cat > notes.txt <<'EOF'\none\ntwo $three\nEOF\n",
    'git commit -m "$(printf "%s\\n" "subject" "" "body")" && git push 2>&1 | tail -3',
)


def best_ms(argv: list[str]) -> float:
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own program
        times.append(time.perf_counter() - start)
    return min(times) * 1000


def large_run(size_mb: int) -> tuple[float, int]:
    """Give the seconds and the megabytes resident of a run that prints that much."""
    count = (size_mb << 20) // (len(LINE.format(0)) + 1)
    program = f"for i in range({count}): print({LINE!r}.format(i))"
    start = time.perf_counter()
    pid = os.posix_spawn(
        LACONIC,
        [LACONIC, "run", sys.executable, "-c", program],
        os.environ,
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)],
    )
    _, status, usage = os.wait4(pid, 0)
    assert status == 0
    # The largest of laconic and the children it waited for; Python printing lines needs little.
    return time.perf_counter() - start, usage.ru_maxrss // (1024 * _KILOBYTE)


def parse_us() -> float:
    sources = [command.encode() for command in COMMANDS]
    rounds = 200
    start = time.perf_counter()
    for _ in range(rounds):
        for source in sources:
            parse(source)
    return (time.perf_counter() - start) / rounds / len(sources) * 1e6


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as state:
        os.environ["LACONIC_STATE_DIR"] = state
        for size_mb in SIZES_MB:
            seconds, resident_mb = large_run(size_mb)
            print(
                f"laconic run, {size_mb:3} MB      {seconds:8.1f} s   {resident_mb:4} MB resident"
            )
    for name, argv in STARTS:
        print(f"{name:24} {best_ms(argv):8.1f} ms")
    print(f"{'parse one command':24} {parse_us():8.1f} us")

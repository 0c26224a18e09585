"""Measure start-up and parsing on this machine: the best of many runs, in milliseconds."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from laconic.shell import parse

LACONIC = str(Path(sys.executable).with_name("laconic"))
RUNS = 15
STARTS = (
    ("bare Python", [sys.executable, "-I", "-c", "pass"]),
    ("import laconic.shell", [sys.executable, "-I", "-c", "import laconic.shell"]),
    ("laconic --version", [LACONIC, "--version"]),
    ("laconic parse", [LACONIC, "parse", "git status"]),
    ("laconic config show", [LACONIC, "config", "show"]),
)
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


def parse_us() -> float:
    sources = [command.encode() for command in COMMANDS]
    rounds = 200
    start = time.perf_counter()
    for _ in range(rounds):
        for source in sources:
            parse(source)
    return (time.perf_counter() - start) / rounds / len(sources) * 1e6


if __name__ == "__main__":
    for name, argv in STARTS:
        print(f"{name:24} {best_ms(argv):8.1f} ms")
    print(f"{'parse one command':24} {parse_us():8.1f} us")

"""Measures what `laconic run` adds to a short command in the agents' own sandboxes.

python bench/sandbox.py [ROUNDS]: least and middle milliseconds of each line, interleaved in one
sandbox: without laconic, with a laconic-py of its own, and with the process outside that answers at
a named pipe. `make e2e` fetches the sandboxes; what is not there is named.
"""

from __future__ import annotations

import statistics
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT)]

from e2e.sandbox_test import WRITABLE, ask_hook, fill  # noqa: E402 - how one is entered
from e2e.sandboxes import Sandbox, lacking, probe  # noqa: E402 - stands with the tests
from warm_server import wait_for  # noqa: E402

LINES = {
    "git log": "git log",
    "laconic run git log, alone": "env LACONIC_NO_SERVER=1 laconic run git log",
    "laconic run git log": "laconic run git log",
    "true": "true",
    "laconic run true": "laconic run true",
    "laconic-py --version": "laconic-py --version",
}


def measure(sandbox: Sandbox, rounds: int) -> dict[str, list[float]]:
    """Run all lines in turn, so that a busy moment meets each of them."""
    lines = " ".join(f"'{line}'" for line in LINES.values())
    turns = " ".join(map(str, range(rounds)))
    loop = (
        f"for n in {turns}; do for c in {lines}; do s=$(date +%s%N); "
        '$c | cat > /dev/null; echo "$(( ($(date +%s%N) - s) / 1000 )) $c"; done; done'
    )
    names = {line: name for name, line in LINES.items()}
    times: dict[str, list[float]] = {name: [] for name in LINES}
    for row in sandbox.line(loop).stdout.splitlines():
        taken, _, line = row.partition(" ")
        times[names[line]].append(int(taken) / 1000)
    return times


def main() -> int:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    for kind in WRITABLE:
        if why := lacking(kind):
            print(f"{kind}: not measured: {why}")
            continue
        sandbox = Sandbox(kind)
        try:
            if why := probe(sandbox):
                print(f"{kind}: not measured: {why}")
                continue
            fill(sandbox)
            sandbox.inside("laconic", "run", "true")  # makes the place for outputs
            ask_hook(sandbox, "git status")  # starts the server
            wait_for(lambda box=sandbox: list(box.tmp.glob("laconic-kept-*/slot-*")))
            print(f"{kind}: milliseconds, least and middle of {rounds}")
            for name, taken in measure(sandbox, rounds).items():
                print(f"  {name:28} {min(taken):7.1f} {statistics.median(taken):7.1f}")
        finally:
            sandbox.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Measures what a box costs over a plain run: interleaved, so that only the differences count.

python bench/box.py [ROUNDS]: p50 in milliseconds of wall time, and of CPU with the server's share,
for `laconic run true`, `laconic run --box true`, and bubblewrap alone, with and without the mounts
of a box. On a busy machine only the CPU means something, unless who may goes ahead of all others:
chrt --rr 10 python bench/box.py.
"""

# ruff: noqa: S603 - it is about running programs
from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT)]

import warm_server  # noqa: E402 - how a client is compiled and a server asked stands with the tests

_PR_SET_CHILD_SUBREAPER = 36  # of linux/prctl.h: so that what a child leaves behind is counted


class Cost(NamedTuple):
    wall_ms: float
    own_ms: float
    server_ms: float


def measure(argv: list[str], installation: warm_server.Installation, pids: list[int]) -> Cost:
    before, served = resource.getrusage(resource.RUSAGE_CHILDREN), _run_time(pids)
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    started = time.perf_counter()
    pid = os.posix_spawn(argv[0], argv, installation.environ, file_actions=actions)
    status = os.waitpid(pid, 0)[1]
    wall = time.perf_counter() - started
    assert status == 0, f"{argv}: {status}"
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(wall * 1000, used * 1000, _run_time(pids) - served)


def _run_time(pids: list[int]) -> float:
    """Return for how many milliseconds these processes have run."""
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            total += int(Path(f"/proc/{pid}/schedstat").read_text().split()[0])
    return total / 1e6


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    bwrap = shutil.which("bwrap")
    if not bwrap:
        print("bubblewrap is not installed, so there is no box to measure")
        return
    with tempfile.TemporaryDirectory(prefix="lac") as folder, contextlib.ExitStack() as stack:
        bin_dir, home, project = (Path(folder, name) for name in ("bin", "home", "project"))
        for directory in (bin_dir, home, project):
            directory.mkdir()
        subprocess.run(["git", "init", "-q", project], check=True)  # noqa: S607
        installation = warm_server.install(bin_dir, home)
        stack.callback(installation.close)
        installation.warm_up()
        server = int(installation.status()["process"])
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        os.chdir(project)
        true = shutil.which("true") or "true"
        client = str(installation.client)
        bare = [bwrap, "--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
        cases = {
            "true": [true],
            "bwrap true": [*bare, true],
            "laconic run true": [client, "run", "true"],
            "laconic run --box true": [client, "run", "--box", "true"],
        }
        costs: dict[str, list[Cost]] = {name: [] for name in cases}
        for _ in range(rounds):
            for name, argv in cases.items():
                pids = [server, *installation.workers(server)]
                costs[name].append(measure(argv, installation, pids))
        os.chdir("/")
    print(f"{rounds} rounds, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    print(f"{'':24} {'p50 ms':>8} {'min ms':>8} {'cpu ms':>8} {'server ms':>10}")
    for name, found in costs.items():
        walls = [cost.wall_ms for cost in found]
        own, served = (statistics.median(cost[at] for cost in found) for at in (1, 2))
        print(
            f"{name:24} {statistics.median(walls):8.2f} {min(walls):8.2f} {own:8.2f} {served:10.2f}"
        )
    plain, boxed = (costs[name] for name in ("laconic run true", "laconic run --box true"))
    over = statistics.median(
        one.wall_ms - other.wall_ms for one, other in zip(boxed, plain, strict=True)
    )
    print(f"\nthe box takes {over:.1f} ms more, at p50")


if __name__ == "__main__":
    main()

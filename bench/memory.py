"""Measures how much memory `laconic run` needs: the most that one of its processes has resident.

`python bench/memory.py [NAME ...]` prints a line for each kind of output whose name has one of the
words in it, in megabytes, all of the process counted, Python itself as well. The exit status is 1
if any is above the aim. The runners: the one in Python, the one in C without a server, which starts
a Python for large outputs, and the one in C with a worker of the server. Linux only: it reads
VmHWM of /proc (man 5 proc_pid_status).
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "bench"), str(ROOT)]

import warm_server  # noqa: E402 - an installation of its own stands with the tests
from compact import LINES, MEGABYTE, dense, numbered  # noqa: E402
from outputs import cases  # noqa: E402

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

AIM_MB = 60
SIZES_MB = (1, 16, 100, 400)
PIECE = 4 * MEGABYTE
POLL_S = 0.005
PRINTS = '#!/bin/sh\ncat "$1"\nexit "$2"\n'
# Recorded outputs whose filters work in different ways: by patterns, by groups, without a budget.
RECORDED = ("pytest/passed-verbose", "cargo/build/color-errors", "git/gc/fsck", "git/blame/blamed")


class Kind(NamedTuple):
    """An output: its name, the filter to use if any, the exit status, and a piece of it."""

    name: str
    filter_id: str
    status: int
    piece: bytes


def kinds() -> Iterator[Kind]:
    for name in ("log", "errors only", "tiny lines (seq)", "other languages"):
        yield Kind(name, "", 1, numbered(LINES[name], PIECE) + b"\n")
    recorded = {case.id: case for case in cases()}
    for name in RECORDED:
        case = recorded[name]
        yield Kind(name, case.filter.id, case.status, dense(case.raw, PIECE))


def write(path: Path, piece: bytes, size: int) -> None:
    with path.open("wb") as file:
        for start in range(0, size, len(piece)):
            file.write(piece[: size - start])


def peak_mb(argv: list[str], environ: dict[str, str], server: int) -> float:
    """Run a command; return the most that it, a child of it or of the server has resident."""
    actions = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    pid = os.posix_spawn(argv[0], argv, environ, file_actions=actions)
    peak = 0
    while os.waitpid(pid, os.WNOHANG) == (0, 0):
        for process in [*below(pid), *(below(server) if server else ())]:
            peak = max(peak, high_water_kb(process))
        time.sleep(POLL_S)
    # a worker of the server records the run after the client has its answer
    peak = max([peak, *map(high_water_kb, below(server) if server else ())])
    return peak / 1024


def below(pid: int) -> Iterator[int]:
    """A process and all that descend from it."""
    yield pid
    with contextlib.suppress(OSError):
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            yield from below(int(child))


def high_water_kb(pid: int) -> int:
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    return 0


def main(words: list[str]) -> int:
    wanted = [kind for kind in kinds() if not words or any(word in kind.name for word in words)]
    worst = 0.0
    print(f"{'MB resident, of':32} {'MB':>5} {'python':>8} {'c, cold':>8} {'c, warm':>8}")
    with tempfile.TemporaryDirectory(prefix="lac") as folder, contextlib.ExitStack() as stack:
        bin_dir, home, prints, output = (
            Path(folder, name) for name in ("bin", "home", "prints", "out")
        )
        bin_dir.mkdir()
        home.mkdir()
        prints.write_text(PRINTS)
        prints.chmod(0o755)
        installation = warm_server.install(bin_dir, home)
        stack.callback(installation.close)
        warm = installation.environ
        cold = warm | {"LACONIC_NO_SERVER": "1"}
        for kind in wanted:
            for size_mb in SIZES_MB:
                write(output, kind.piece, size_mb * MEGABYTE)
                options = ["--filter", kind.filter_id] if kind.filter_id else []
                run = ["run", *options, str(prints), str(output), str(kind.status)]
                server = fresh_server(installation)
                found = (
                    peak_mb([str(bin_dir / "laconic-py"), *run], cold, 0),
                    peak_mb([str(installation.client), *run], cold, 0),
                    peak_mb([str(installation.client), *run], warm, server),
                )
                worst = max(worst, *found)
                figures = " ".join(f"{mb:8.1f}" for mb in found)
                print(f"{kind.name:32} {size_mb:5} {figures}", flush=True)
                shutil.rmtree(home / "state" / "laconic" / "raw", ignore_errors=True)
    print(f"the most: {worst:.1f} MB, the aim: {AIM_MB}")
    return int(worst > AIM_MB)


def fresh_server(installation: warm_server.Installation) -> int:
    """Stop the server and start another, whose workers have not seen an output yet."""
    installation.run("server", "stop")
    return installation.warm_up()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

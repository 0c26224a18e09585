"""Measures how much memory `laconic run` needs: the most that one of its processes has resident.

`python bench/memory.py [NAME ...]` prints a line for each kind of output whose name has one of the
words in it, in megabytes, all of the process counted, Python itself as well. The exit status is 1
if any is above the aim. The runners: the one in Python, the one in C, which starts a Python for
the output, and the one in C with a worker of the server. Linux only: it reads VmHWM of /proc
(man 5 proc_pid_status). A worker has more resident than is told here, as it shares most of what it
has at rest with the server.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "bench"), str(ROOT)]

import warm_server  # noqa: E402 - an installation of its own stands with the tests
from compact import LINES, MEGABYTE, dense, numbered  # noqa: E402
from outputs import cases  # noqa: E402

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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


def peak_mb(argv: list[str], environ: dict[str, str], found: Callable[[], list[int]]) -> float:
    """Run a command; return the most memory that one of these processes needs meanwhile.

    Of what a worker shares with its server and the other workers at rest, its part counts, as in
    Pss of smaps_rollup; what it grows by is its own.
    """
    shared = {pid: shared_kb(pid) for pid in found()}
    of_new = max(shared.values(), default=0)  # a worker that is added later shares as much
    actions = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    pid = os.posix_spawn(argv[0], argv, environ, file_actions=actions)
    peak, is_running = 0, True
    while is_running:
        is_running = os.waitpid(pid, os.WNOHANG) == (0, 0)
        for process in found():
            used = figure_kb(process, "status", "VmHWM:") - shared.get(process, of_new)
            peak = max(peak, used)
        time.sleep(POLL_S)
    return peak / 1024


def runners(bin_dir: Path) -> list[int]:
    """The processes of an installation, but not those of a server."""
    found = []
    for process in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            words = (process / "cmdline").read_bytes() if process.name.isdecimal() else b""
            if bytes(bin_dir) in words and b"serve" not in words.split(b"\0"):
                found.append(int(process.name))
    return found


def shared_kb(pid: int) -> int:
    """How much of what is resident belongs to others."""
    return figure_kb(pid, "status", "VmRSS:") - figure_kb(pid, "smaps_rollup", "Pss:")


def figure_kb(pid: int, name: str, key: str) -> int:
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/{name}").read_text().splitlines():
            if line.startswith(key):
                return int(line.split()[1])
    return 0


def measure(installation: warm_server.Installation, run: list[str]) -> tuple[float, float, float]:
    """The megabytes for the runner in Python, the one in C, and the one in C with a server.

    Nothing is known of the run before: a command that runs again at once is shown as it is.
    """
    bin_dir, warm = installation.bin_dir, installation.environ
    python, native = str(bin_dir / "laconic-py"), str(installation.client)
    cold = warm | {"LACONIC_NO_SERVER": "1"}
    state = Path(warm["XDG_STATE_HOME"])
    in_python = peak_mb([python, *run], cold, partial(runners, bin_dir))
    shutil.rmtree(state, ignore_errors=True)
    alone = peak_mb([native, *run], cold, partial(runners, bin_dir))
    shutil.rmtree(state, ignore_errors=True)
    server = installation.warm_up()  # its workers have not seen an output yet
    served = peak_mb([native, *run], warm, partial(installation.workers, server))
    installation.run("server", "stop")
    shutil.rmtree(state, ignore_errors=True)
    return in_python, alone, served


def main(words: list[str]) -> int:
    wanted = [kind for kind in kinds() if not words or any(word in kind.name for word in words)]
    worst = 0.0
    print(f"{'MB resident, of':32} {'MB':>5} {'python':>8} {'c, cold':>8} {'c, warm':>8}")
    with tempfile.TemporaryDirectory(prefix="lac") as folder, contextlib.ExitStack() as stack:
        bin_dir, home = Path(folder, "bin"), Path(folder, "home")
        bin_dir.mkdir()
        home.mkdir()
        prints, output = Path(folder, "prints"), Path(folder, "out")
        prints.write_text(PRINTS)
        prints.chmod(0o755)
        os.environ["LACONIC_NO_SERVER"] = "1"  # of programs that try what was installed
        installation = warm_server.install(bin_dir, home)
        stack.callback(installation.close)
        for kind in wanted:
            options = ["--filter", kind.filter_id] if kind.filter_id else []
            for size_mb in SIZES_MB:
                write(output, kind.piece, size_mb * MEGABYTE)
                run = ["run", *options, str(prints), str(output), str(kind.status)]
                found = measure(installation, run)
                worst = max(worst, *found)
                figures = " ".join(f"{mb:8.1f}" for mb in found)
                print(f"{kind.name:32} {size_mb:5} {figures}", flush=True)
    print(f"the most: {worst:.1f} MB, the aim: {AIM_MB}")
    return int(worst > AIM_MB)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Faults, and what must hold: python bench/faults.py [NAME ...], all of them without a name.

Each fault is tried on an installation of its own, with the real client and server. A line says how
often it was tried and how often something did not hold; the exit status is 1 if anything did not.
"""

# ruff: noqa: PLR2004, S311, S603, S607 - it starts programs, counts, and damages files by chance
from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT)]

import warm_server  # noqa: E402 - how a client is compiled and a server asked stands with the tests

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Installation = warm_server.Installation
    Fault = Callable[[Path], Iterator[str]]

BUG = 70
READERS = (
    "log", "history", "gain", "gain --daily", "status", "stats recalls", "undo --list",
    "try --list", "recall --list", "report", "doctor",
)  # fmt: skip
HOLDS = ""


def installation(place: Path) -> Installation:
    for name in ("bin", "home", "project"):
        (place / name).mkdir(parents=True)
    subprocess.run(["git", "init", "-q", place / "project"], check=True)
    return warm_server.install(place / "bin", place / "home")


@contextlib.contextmanager
def warm(place: Path) -> Iterator[Installation]:
    made = installation(place)
    with contextlib.closing(made):
        made.warm_up()
        yield made


def recorded(made: Installation, count: int = 0) -> list[dict[str, object]]:
    """The rows of the history; they are waited for, as a run is recorded after it has ended."""
    deadline = time.monotonic() + 30
    while True:
        lines = made.run("history", "--json", "-n", "1000").stdout.splitlines()
        if len(lines) >= count or time.monotonic() > deadline:
            return [json.loads(line) for line in lines]
        time.sleep(0.2)


def wrong_hook(made: Installation) -> str:
    """What is wrong about the two hooks that every fault must leave right; empty for nothing."""
    for command, wanted in (("rm -rf /", "deny"), ("git status", "allow")):
        done = made.hook(command)
        said = warm_server.verdict(done.stdout) if done.stdout else "silence"
        if (said, done.returncode) != (wanted, 0):
            return f"hook: {command}: {said}, status {done.returncode}"
    return HOLDS


def wrong_run(made: Installation) -> str:
    done = made.run("run", "sh", "-c", "seq 3; exit 7")
    is_right = (done.stdout, done.returncode) == (b"1\n2\n3\n", 7)
    return HOLDS if is_right else f"run: {done.stdout!r}, status {done.returncode}"


# -- the faults: each gives a text for every trial, what did not hold, or nothing ------------------


def many_runs_at_once(place: Path) -> Iterator[str]:
    """25, 50, 100 and 200 runs at once: each has its output and status, and a line in history."""
    with warm(place) as made:
        before = 0
        for count in (25, 50, 100, 200):
            with ThreadPoolExecutor(count) as pool:
                done = list(
                    pool.map(lambda n: made.run("run", "sh", "-c", f"exit {n % 99}"), range(count))
                )
            yield from (
                HOLDS if one.returncode == n % 99 else "status" for n, one in enumerate(done)
            )
            rows = len(recorded(made, before + count)) - before
            yield HOLDS if rows == count else f"{rows} of {count} runs are in the history"
            before += rows


def a_server_that_dies_or_stops(place: Path) -> Iterator[str]:
    """In the middle of a run: its output, its status and its line in the history are there."""
    for number, how in enumerate((signal.SIGKILL, signal.SIGSTOP) * 3):
        with warm(place / str(number)) as made:
            go = place / str(number) / "go"
            line = f"echo begun; {warm_server.until(go)}; seq 3000; exit 7"
            process = made.popen("run", "sh", "-c", line)
            process.stdout.readline()
            server = int(made.status()["process"])
            pids = [server, *made.workers(server)]
            for pid in pids:
                warm_server.kill(pid, how)
            go.touch()
            out, _ = process.communicate(timeout=warm_server.PATIENCE_S)
            for pid in pids if how == signal.SIGSTOP else ():
                warm_server.kill(pid, signal.SIGCONT)
            rows = [row["status"] for row in recorded(made)]
            is_right = out.endswith(b"3000\n") and process.returncode == 7 and rows == [7]
            yield (
                HOLDS
                if is_right
                else f"{how.name}: status {process.returncode}, history {rows}, {out[-60:]!r}"
            )


def long_commands(place: Path) -> Iterator[str]:
    """A hook behind 20 of them takes as long as alone, and they take no worker."""
    with warm(place) as made:

        def hooks() -> float:
            times = []
            for _ in range(30):
                started = time.monotonic()
                made.hook()
                times.append(time.monotonic() - started)
            return statistics.median(times)

        alone = hooks()
        go = place / "go"
        line = f"echo begun; {warm_server.until(go)}".replace("0.05", "1")
        running = [made.popen("run", "sh", "-c", line) for _ in range(20)]
        for process in running:
            process.stdout.readline()
        time.sleep(12)  # workers that were made for the burst go
        behind, server = hooks(), int(made.status()["process"])
        workers = len(made.workers(server))
        print(f"  alone {alone * 1000:.1f} ms, behind 20 commands {behind * 1000:.1f} ms, "
              f"{workers} workers")  # fmt: skip
        go.touch()
        for process in running:
            process.communicate()
        yield HOLDS if behind < 3 * alone else "a hook waits"
        yield HOLDS if workers <= 2 else f"{workers} workers"


def locks_are_refused(place: Path) -> Iterator[str]:
    """As on NFS without lockd: what runs is recorded, and the verdicts are right."""
    made = installation(place)
    (made.bin_dir / "sitecustomize.py").write_text(
        "import errno, fcntl\n"
        "def flock(*_): raise OSError(errno.ENOLCK, 'No locks available')\n"
        "fcntl.flock = fcntl.lockf = flock\n"
    )
    with contextlib.closing(made):
        for count in range(1, 6):
            yield wrong_hook(made) or wrong_run(made)
            rows = len(recorded(made, count))
            yield HOLDS if rows == count else f"{rows} of {count} runs are in the history"


def a_clock_that_runs_ahead(place: Path) -> Iterator[str]:
    """For one command, by days or years: nothing that was recorded or kept before is lost."""
    for days in (-400, 400, 20 * 365, -30 * 365):
        made = installation(place / str(days))
        site = made.bin_dir / "sitecustomize.py"
        project, file = place / str(days) / "project", place / str(days) / "project" / "f"
        with contextlib.closing(made):
            environ = made.environ | {"LACONIC_NO_SERVER": "1"}
            file.write_text("kept\n")
            made.run("run", "--undo", "rm", "-f", "f", cwd=project, env=environ)
            made.run("run", "seq", "3000", cwd=project, env=environ)
            before = [row["raw_id"] for row in recorded(made, 2)]
            site.write_text(
                f"import time\nplain, plain_ns = time.time, time.time_ns\n"
                f"time.time = lambda: plain() + {days * 86400}\n"
                f"time.time_ns = lambda: plain_ns() + {days * 86400 * 10**9}\n"
            )
            yield wrong_hook(made)
            made.run("run", "seq", "3000", cwd=project, env=environ)
            (project / "g").touch()
            made.run("run", "--undo", "rm", "-f", "g", cwd=project, env=environ)
            site.unlink()
            after = {row["raw_id"] for row in recorded(made)}
            yield (
                HOLDS if after.issuperset(before) else f"{days} days: rows of the history are gone"
            )
            raw = next(row for row in before if row)
            done = made.run("recall", str(raw), "--raw", env=environ)
            yield HOLDS if done.stdout.count(b"\n") > 2000 else f"{days} days: an output is gone"
            lists = made.run("undo", "--list", cwd=project, env=environ).stdout
            yield HOLDS if b"rm -f f" in lists else f"{days} days: a keep is gone"


def damaged_state_files(place: Path) -> Iterator[str]:
    """Readers end with another status than 70 and no traceback; hooks and runs stay right."""
    chance = random.Random(7)
    with warm(place) as made:
        project = place / "project"
        for number in range(3):
            (project / "f").write_text(f"{number}\n")
            made.run("run", "--undo", "rm", "-f", "f", cwd=project)
            made.run("run", "sh", "-c", "seq 3000; exit 1", cwd=project)
        made.run("allow", "ls", cwd=project)
        made.run("gain")
        server = made.status().get("process")
        for pid in [int(server), *made.workers(int(server))] if server else ():
            warm_server.kill(pid)
        home = place / "home"
        good = place / "good"
        shutil.copytree(home, good, symlinks=True)
        files = sorted(path.relative_to(good) for path in good.rglob("*") if path.is_file())
        for path, kind in [(path, kind) for path in files for kind in DAMAGES]:
            shutil.rmtree(home, ignore_errors=True)  # a server may write there just now
            shutil.copytree(good, home, symlinks=True, dirs_exist_ok=True)
            data = (home / path).read_bytes()
            (home / path).write_bytes(DAMAGES[kind](data, chance))
            environ = made.environ | {"LACONIC_NO_SERVER": "1"}
            words = chance.choice(READERS).split()
            done = made.run(*words, cwd=project, env=environ)
            is_bug = done.returncode == BUG or b"Traceback" in done.stderr
            yield f"{path}, {kind}: {' '.join(words)}: {done.returncode}" if is_bug else HOLDS
            if chance.random() < 0.1:
                yield wrong_hook(made) or wrong_run(made)


def _flipped(data: bytes, chance: random.Random) -> bytes:
    if not data:
        return b"x"
    at = chance.randrange(len(data))
    return data[:at] + bytes((data[at] ^ 1 << chance.randrange(8),)) + data[at + 1 :]


DAMAGES: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "a bit flipped": _flipped,
    "cut short": lambda data, chance: data[: chance.randrange(len(data) + 1)],
    "empty": lambda _data, _chance: b"",
    "zeros": lambda data, _chance: bytes(len(data)),
    "noise": lambda data, chance: chance.randbytes(len(data)),
    "twice": lambda data, _chance: data * 2,
    "no key": lambda _data, _chance: b"{}\n",
}


def damaged_keeps(place: Path) -> Iterator[str]:
    """`laconic undo` never brings back other bytes than there were: it refuses by name."""
    chance = random.Random(3)
    made = installation(place)
    project, file = place / "project", place / "project" / "f"
    environ = made.environ | {"LACONIC_NO_SERVER": "1"}
    with contextlib.closing(made):
        for size in (20, 5000, 300_000) * 6:
            content = chance.randbytes(size)
            file.write_bytes(content)
            made.run("run", "--undo", "rm", "-f", "f", cwd=project, env=environ)
            keeps = Path(made.environ["XDG_STATE_HOME"], "laconic/undo")
            kept = [
                path for path in keeps.rglob("*") if path.is_file() and path.stat().st_size > 15
            ]
            for path in kept:
                if "data" in path.parts or path.name.startswith("pack"):
                    path.write_bytes(_flipped(path.read_bytes(), chance))
            done = made.run("undo", "--yes", cwd=project, env=environ)
            is_back = file.exists()
            is_wrong = is_back and file.read_bytes() != content
            yield f"{size} bytes: other bytes came back" if is_wrong else HOLDS
            yield (
                f"{size} bytes: status {done.returncode}, nothing back"
                if not is_back and done.returncode in (0, BUG)
                else HOLDS
            )
            shutil.rmtree(keeps, ignore_errors=True)
            file.unlink(missing_ok=True)


def a_log_of_a_gigabyte(place: Path) -> Iterator[str]:
    """It is read from its end."""
    made = installation(place)
    with contextlib.closing(made):
        made.hook()
        log = Path(made.environ["XDG_STATE_HOME"], "laconic/decisions.jsonl")
        warm_server.wait_for(log.exists)
        line = log.read_bytes().splitlines()[0] + b"\n"
        block = line * (1 << 20 // len(line) or 4096)
        with log.open("wb") as file:
            while file.tell() < 1 << 30:
                file.write(block)
        started = time.monotonic()
        done = made.run("log", env=made.environ | {"LACONIC_NO_SERVER": "1"})
        taken = time.monotonic() - started
        print(f"  {taken:.2f} s for the end of {log.stat().st_size >> 20} MB")
        is_right = done.returncode == 0 and done.stdout.count(b"git status") > 0 and taken < 3
        yield HOLDS if is_right else f"status {done.returncode} after {taken:.1f} s"


def a_mount_namespace_for_each_command(place: Path) -> Iterator[str]:
    """None of them leaves a server."""
    made = installation(place)
    with contextlib.closing(made):
        for _ in range(5):
            words = ["unshare", "-m", str(made.client), "run", "true"]
            subprocess.run(words, env=made.environ, capture_output=True, check=False)
        time.sleep(4)
        count = 0
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                words = path.read_bytes().split(b"\0")
                count += str(made.runtime).encode() in b" ".join(words) and b"serve" in words
        yield HOLDS if not count else f"{count} servers"


def files_of_former_installations(place: Path) -> Iterator[str]:
    """Locks and logs that nobody holds go when a server starts."""
    made = installation(place)
    with contextlib.closing(made):
        folder = made.runtime / "laconic"
        folder.mkdir(mode=0o700)
        old = time.time() - 10 * 86400
        for number in range(50):
            for kind in ("lock", "log"):
                path = folder / f"{number:x}.{kind}"
                path.touch()
                os.utime(path, (old, old))
        made.warm_up()
        left = sorted(path.name for path in folder.iterdir())
        yield HOLDS if len(left) <= 4 else f"{len(left)} files are left"


def killed_runs(place: Path) -> Iterator[str]:
    """`kill -9` of the client at any moment: no command lives on, and the readers work."""
    chance = random.Random(5)
    with warm(place) as made:
        for number in range(30):
            mark = f"{os.getpid()}{number}"
            process = made.popen("run", "sh", "-c", f"seq 3000; exec sleep 3{mark}")
            time.sleep(chance.random() * 0.15)
            process.kill()
            process.communicate()
            deadline = time.monotonic() + 5
            while (lives := _is_running(f"sleep\0003{mark}")) and time.monotonic() < deadline:
                time.sleep(0.05)
            yield "the command lives on" if lives else HOLDS
        done = made.run("history")
        yield HOLDS if done.returncode in (0, 1) else f"history: {done.returncode}"
        yield wrong_hook(made) or wrong_run(made)


def _is_running(words: str) -> bool:
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if path.read_bytes().startswith(words.encode()):
                return True
    return False


FAULTS: tuple[Fault, ...] = (
    many_runs_at_once, a_server_that_dies_or_stops, long_commands, locks_are_refused,
    a_clock_that_runs_ahead, damaged_state_files, damaged_keeps, a_log_of_a_gigabyte,
    a_mount_namespace_for_each_command, files_of_former_installations, killed_runs,
)  # fmt: skip


def main() -> int:
    wanted, is_well = sys.argv[1:], True
    for fault in FAULTS:
        if wanted and fault.__name__ not in wanted:
            continue
        # a server that was ended may still write its last line
        with tempfile.TemporaryDirectory(prefix="lac", ignore_cleanup_errors=True) as folder:
            found = list(fault(Path(folder)))
        wrong = [text for text in found if text]
        print(
            f"{fault.__name__.replace('_', ' ')}: {len(found)} checks, {len(wrong)} wrong",
            flush=True,
        )
        for text in dict.fromkeys(wrong):
            print(f"  {text}")
        is_well = is_well and not wrong
    return 0 if is_well else 1


if __name__ == "__main__":
    sys.exit(main())

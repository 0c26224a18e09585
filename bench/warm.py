"""Measures what a call costs: the rows of a group are interleaved, so that only the ratios count.

python bench/warm.py [ROUNDS]: a table of p50 and p95 in milliseconds for hooks and runs, warm, cold
and through the client in Python, against /bin/true and bare Python; CPU of the cold path, many
calls at once, and what the server's memory does. Peers on the PATH are measured as well. A hook is
measured next to /bin/true alone, and again among programs that fill the processor's caches; in
both groups next to a server that gives each call the same answer, too: the rest is the decision.
"""

# ruff: noqa: S603, S607 - it is about running programs
from __future__ import annotations

import contextlib
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT)]

import warm_server  # noqa: E402 - how a client is compiled and a server asked stands with the tests

PYTHON = sys.executable  # the one that laconic runs in: another may load other things at start
MANY = 200
FIXED = "a fixed answer"
PEERS = {
    "tokf": ["tokf", "hook", "handle"],
    "rtk": ["rtk", "hook", "claude"],
    "cc-toolgate": ["cc-toolgate"],
    "dippy": ["dippy"],
    "nah": ["nah", "hook"],
    "tokenjuice": ["tokenjuice", "claude-code-pre-tool-use"],
}


class Case(NamedTuple):
    """One command line to be measured; cold: without a server."""

    group: str
    name: str
    argv: list[str]
    stdin: str = os.devnull
    cold: bool = False


class Cost(NamedTuple):
    wall_ms: float
    cpu_ms: float


def measure(case: Case, environ: dict[str, str], cwd: Path) -> Cost:
    """Run it once. Its children count, a server that it starts does not."""
    variables = environ | ({"LACONIC_NO_SERVER": "1"} if case.cold else {})
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    os.chdir(cwd)
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, case.stdin, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    started = time.perf_counter()
    pid = os.posix_spawn(case.argv[0], case.argv, variables, file_actions=actions)
    os.waitpid(pid, 0)
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(wall * 1000, used * 1000)


def cases(native: str, fixed: str, twin: str, hook_json: str) -> list[Case]:
    hook, status, large = ["hook", "claude-code"], ["git", "status"], ["seq", "1400000"]
    found = [
        Case("hook", "/bin/true", [_path("true")]),
        Case("hook", FIXED, [fixed, *hook], hook_json),
        Case("hook", "laconic warm", [native, *hook], hook_json),
        Case("among others", "/bin/true", [_path("true")]),
        Case("among others", "bare python", [PYTHON, "-I", "-c", "pass"]),
        Case("among others", FIXED, [fixed, *hook], hook_json),
        Case("among others", "laconic warm", [native, *hook], hook_json),
        Case("among others", "laconic cold", [native, *hook], hook_json, cold=True),
        Case("among others", "python client, warm", [twin, *hook], hook_json),
        Case("run true", "true", [_path("true")]),
        Case("run true", "laconic warm", [native, "run", "true"]),
        Case("run true", "laconic cold", [native, "run", "true"], cold=True),
        Case("run git status", "git status", [_path("git"), "status"]),
        Case("run git status", "laconic warm", [native, "run", *status]),
        Case("run git status", "laconic cold", [native, "run", *status], cold=True),
        Case("10 MB of output", "seq", [_path("seq"), "1400000"]),
        Case("10 MB of output", "laconic warm", [native, "run", *large]),
        Case("10 MB of output", "laconic cold", [native, "run", *large], cold=True),
    ]
    peers = [(name, argv) for name, argv in PEERS.items() if shutil.which(argv[0])]
    found += [Case("among others", name, [_path(a[0]), *a[1:]], hook_json) for name, a in peers]
    return found


def with_a_fixed_answer(bin_dir: Path, home: Path) -> warm_server.Installation:
    """Install a server that decides nothing: what is left are two processes and the wire."""
    made = warm_server.install(bin_dir, home)
    Path(bin_dir, "sitecustomize.py").write_text(
        "if sys.argv[1] == 'server':\n"
        "    from laconic.hooks.response import Answer\n"
        "    from laconic.server import handlers\n"
        f"    fixed = Answer({made.hook().stdout!r})\n"
        "    handlers.answer_hook = lambda *given, **more: fixed\n"
    )
    made.close()  # the first hook has started a server that knows nothing of this
    made.runtime.mkdir(0o700)
    made.warm_up()
    return made


def _path(name: str) -> str:
    return shutil.which(name) or name


def table(measured: dict[Case, list[Cost]]) -> None:
    print(f"{'':16} {'':22} {'p50 ms':>8} {'p95 ms':>8} {'cpu ms':>8} {'ratio':>7}")
    first: dict[str, float] = {}
    for case, costs in measured.items():
        wall = sorted(cost.wall_ms for cost in costs)
        p50, p95 = statistics.median(wall), wall[int(len(wall) * 0.95)]
        cpu = statistics.median(cost.cpu_ms for cost in costs)
        ratio = p50 / first.setdefault(case.group, p50)
        print(f"{case.group:16} {case.name:22} {p50:8.2f} {p95:8.2f} {cpu:8.2f} {ratio:6.2f}x")
    cold, bare = (_cpu(measured, name) for name in ("laconic cold", "bare python"))
    print(f"\ncold hook, CPU: {cold / bare:.1f} x bare python ({cold:.0f} and {bare:.0f} ms)")


def _cpu(measured: dict[Case, list[Cost]], name: str) -> float:
    costs = next(
        c for case, c in measured.items() if (case.group, case.name) == ("among others", name)
    )
    return statistics.mean(cost.cpu_ms for cost in costs)


def many_at_once(installation: warm_server.Installation) -> None:
    commands = ["git status", "rm -rf /"] * (MANY // 2)

    def call(command: str) -> tuple[float, bool]:
        started = time.perf_counter()
        said = installation.hook(command).stdout
        taken = time.perf_counter() - started
        return taken * 1000, warm_server.verdict(said) == ("deny" if command[0] == "r" else "allow")

    with ThreadPoolExecutor(32) as pool:
        found = list(pool.map(call, commands))
    times = sorted(taken for taken, _ in found)
    right = sum(is_right for _, is_right in found)
    print(f"{MANY} hooks, 32 at once: {right} right, p50 {times[MANY // 2]:.0f} ms, "
          f"p95 {times[int(MANY * 0.95)]:.0f} ms")  # fmt: skip


def growth(installation: warm_server.Installation, calls: int) -> None:
    """Ask the server itself, over and over: without a client the calls are ten times as fast."""
    import socket  # noqa: PLC0415

    from laconic import __version__  # noqa: PLC0415
    from laconic.server import wire  # noqa: PLC0415

    body = wire.call(__version__, "/", ["hook", "claude-code"], installation.environ)
    frame = wire.frame(wire.Kind.HOOK, body + wire.text(warm_server.hook_input()))
    server = int(installation.status()["process"])

    def ask(count: int) -> None:
        for _ in range(count):
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(str(installation.socket))
                connection.sendall(frame)
                assert wire.receive(connection, 1 << 20)[0] == wire.Kind.ANSWER

    ask(500)
    before, handles = _resident(installation, server)
    ask(calls)
    after, handles_after = _resident(installation, server)
    print(f"{calls} hooks: the server grew by {(after - before) / 1024:.1f} MB (of "
          f"{after / 1024:.0f}), handles {handles} and {handles_after}")  # fmt: skip


def _resident(installation: warm_server.Installation, server: int) -> tuple[int, int]:
    """Return the kilobytes of the server and its workers, and how many files they have open."""
    size = handles = 0
    for pid in [server, *installation.workers(server)]:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
        size += int(next(line for line in text.splitlines() if line.startswith("Pss:")).split()[1])
        handles += len(list(Path(f"/proc/{pid}/fd").iterdir()))
    return size, handles


def instructions(native: str, hook_json: str, environ: dict[str, str]) -> None:
    """Count instructions where valgrind is: unlike time, they are the same every time."""
    valgrind = shutil.which("valgrind")
    if not valgrind:
        return
    for name, argv in (
        ("/bin/true", [_path("true")]),
        ("warm hook", [native, "hook", "claude-code"]),
    ):
        with Path(hook_json).open("rb") as stdin:
            command = [valgrind, "--tool=lackey", "--basic-counts=yes", "--log-fd=2", *argv]
            done = subprocess.run(
                command, env=environ, stdin=stdin, capture_output=True, check=False
            )
        counted = [line for line in done.stderr.decode().splitlines() if "guest instrs" in line]
        print(f"instructions, {name}: {counted[0].split()[-1] if counted else 'not counted'}")


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    with tempfile.TemporaryDirectory(prefix="lac") as folder, contextlib.ExitStack() as stack:
        names = ("bin", "fixed", "home", "project")
        bin_dir, fixed_dir, home, project = (Path(folder, name) for name in names)
        for directory in (bin_dir, fixed_dir, home, project):
            directory.mkdir()
        subprocess.run(["git", "init", "-q", project], check=True)
        twin = warm_server.write_program(bin_dir, "laconic-twin", "ask_server_first")
        installation = warm_server.install(bin_dir, home)
        stack.callback(installation.close)
        fixed = with_a_fixed_answer(fixed_dir, home)
        stack.callback(fixed.close)
        hook_json = Path(folder, "hook.json")
        hook_json.write_text(
            json.dumps({**json.loads(warm_server.hook_input()), "cwd": str(project)})
        )
        installation.warm_up()
        measured: dict[Case, list[Cost]] = {
            case: []
            for case in map(
                _frozen,
                cases(*map(str, (installation.client, fixed.client, twin, hook_json))),
            )
        }
        for group in dict.fromkeys(case.group for case in measured):
            rows = [(case, costs) for case, costs in measured.items() if case.group == group]
            for _ in range(rounds // 10 if group == "10 MB of output" else rounds):
                for case, costs in rows:
                    environ = fixed.environ if case.name == FIXED else installation.environ
                    costs.append(measure(_thawed(case), environ, project))
        print(f"{rounds} rounds, {os.cpu_count()} cores, Python {sysconfig.get_python_version()}\n")
        table(measured)
        many_at_once(installation)
        growth(installation, int(os.environ.get("CALLS", "5000")))
        instructions(str(installation.client), str(hook_json), installation.environ)
        os.chdir("/")


def _frozen(case: Case) -> Case:
    return case._replace(argv=tuple(case.argv))  # type: ignore[arg-type]


def _thawed(case: Case) -> Case:
    return case._replace(argv=list(case.argv))


if __name__ == "__main__":
    main()

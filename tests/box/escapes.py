"""`python -m box.escapes [--control | --bubblewrap] [FILE...]`: try to get out in every way.

A file is of one of two forms. `.jsonl` has one object a line: id, class, command (for bash, in the
project) and success, with kind and arg; without success, as in files of commands that get past a
gate, only what changes outside counts, and one that is not `proven` is left out. `.escapes` has for
each attempt a line `--- KIND ARG`, and the command on the lines that follow. An attempt is out if
its own sign of success is seen, or if anything outside the project has changed.

As root, everything is tried as root and as a plain user. --control: without a box, as a plain user
in a process namespace of its own, to see which attempts can succeed. --bubblewrap: in boxes that
bubblewrap makes, as where laconic itself may not.
"""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from .installation import (
    ONLY_BUBBLEWRAP,
    as_user,
    fit_directory,
    install,
    missing,
    missing_bubblewrap,
    users,
)
from .world import CANARY, World, print_of

CASES = Path(__file__).parents[1] / "cases/box"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_LIMIT_S, _SHORT_S = 60, 15
_LATE_S = 2
_OUTSIDE = "outside"  # of an attempt without a sign of its own


class Attempt(NamedTuple):
    name: str
    command: str
    kind: str
    arg: str


def read(path: Path) -> Iterator[Attempt]:
    if path.suffix == ".jsonl":
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            row = json.loads(line) if line.strip() else {"proven": False}
            if row.get("proven", True):
                success = row.get("success", {"kind": _OUTSIDE})
                name = row.get("id", f"{path.stem}-{number:03}")
                yield Attempt(name, row["command"], success["kind"], success.get("arg", ""))
        return
    for number, part in enumerate(re.split(r"(?m)^--- ", path.read_text())[1:], start=1):
        head, _, command = part.partition("\n")
        command = "\n".join(line for line in command.split("\n") if not line.startswith("## "))
        kind, _, arg = head.strip().partition(" ")
        if kind == "git-status-in":
            below, _, arg = arg.partition(" ")
            kind = f"{kind} {below}"
        yield Attempt(f"{path.stem}-{number:02}", command.strip("\n"), kind, arg)


def _has_hits(world: World) -> bool:
    """What arrives is noted by a thread of its own, which may be late."""
    deadline = time.monotonic() + _LATE_S
    while not world.hits and time.monotonic() < deadline:
        time.sleep(0.01)
    return bool(world.hits)


def out_of(attempt: Attempt, world: World, words: list[str]) -> str:
    """Make an attempt; return what shows that it got out, or nothing."""
    world.reset()
    variables = world.variables()
    arg = re.sub(r"\$(\w+)", lambda found: variables.get(found[1], found[0]), attempt.arg)
    if attempt.kind.startswith("exists") and os.path.lexists(arg):
        return f"cannot be told, because {arg} was there before: remove it, and try again"
    sign = print_of(arg) if attempt.kind == "changed" else ""
    before = world.print_of_outside()
    command = [*words, "bash", "-c", attempt.command]
    is_any = attempt.kind == _OUTSIDE
    run = _run_at_terminal if attempt.kind.startswith("tty") else _run
    printed = run(command, world.project, variables, _SHORT_S if is_any else _LIMIT_S)
    if printed is None and not is_any:
        return f"did not end within {_LIMIT_S} s"
    printed = printed or ""
    if "there is no box" in printed or "was not run" in printed:
        return f"NO BOX: {printed.strip()[-300:]}"
    kind = attempt.kind
    if kind == "exists-late":
        time.sleep(_LATE_S)
    if kind.startswith("git-status"):
        world.git_status(kind.partition(" ")[2])
    reached = {
        _OUTSIDE: lambda: False,
        "exists": lambda: os.path.lexists(arg),
        "exists-late": lambda: os.path.lexists(arg),
        "gone": lambda: not os.path.lexists(arg),
        "changed": lambda: print_of(arg) != sign,
        "stdout": lambda: CANARY in printed,
        "stdout-is": lambda: arg in printed,
        "tty-stdout-is": lambda: arg in printed,
        "hit": lambda: _has_hits(world),
        "victim": lambda: world.is_victim_hurt(within_s=_LATE_S),
        "suid": lambda: os.path.exists(arg) and bool(os.stat(arg).st_mode & 0o6000),
        "git-status": lambda: os.path.lexists(arg),
    }
    if reached[kind.split()[0].replace("git-status-in", "git-status")]():
        return f"{kind} {attempt.arg}".strip()
    if CANARY in printed:
        return "a secret was printed"
    if world.hits:
        return f"reached {world.hits[0]!r}"
    after = world.print_of_outside()
    changed = [name for name in before.keys() | after if before.get(name) != after.get(name)]
    return f"changed {changed[:3]}" if changed else ""


def _run(words: list[str], cwd: Path, variables: dict[str, str], limit_s: float) -> str | None:
    process = subprocess.Popen(
        words, cwd=cwd, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, start_new_session=True,
    )  # fmt: skip
    try:
        data, _ = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return None
    return data.decode(errors="replace")


def _run_at_terminal(
    words: list[str], cwd: Path, variables: dict[str, str], limit_s: float
) -> str | None:
    pid, handle = pty.fork()
    if pid == 0:
        os.chdir(cwd)
        os.execvpe(words[0], words, variables)
    data, end = b"", time.monotonic() + limit_s
    while time.monotonic() < end:
        try:
            piece = os.read(handle, 4096)
        except OSError:
            piece = b""
        if not piece:
            os.waitpid(pid, 0)
            os.close(handle)
            return data.decode(errors="replace")
        data += piece
    os.kill(pid, signal.SIGKILL)
    return None


def try_all(base: Path, words: list[str], files: list[Path], who: str, *, control: bool) -> int:
    """Make all attempts as the user that we are; print those that got out, and their number."""
    world = World(base / who, PATH)
    start = [] if control else [*words, "box", "--raw"]
    count, out = 0, []
    try:
        for attempt in (attempt for file in files for attempt in read(file)):
            found = out_of(attempt, world, start)
            count += 1
            if found:
                out.append(attempt.name)
                print(f"OUT as {who}: {attempt.name}: {found}", flush=True)
    finally:
        world.close()
    print(f"{who}: {len(out)} of {count} got out", flush=True)
    return len(out)


def main(argv: list[str]) -> int:
    control = "--control" in argv
    options = [ONLY_BUBBLEWRAP] if "--bubblewrap" in argv else []
    argv = [word for word in argv if word not in ("--control", "--bubblewrap")]
    if argv[:1] == ["--as"]:  # we are this user already
        who, base, *rest = argv[1:]
        words, files = rest[: rest.index("--")], rest[rest.index("--") + 1 :]
        found = try_all(Path(base), words, [Path(f) for f in files], who, control=control)
        return 1 if found else 0
    lacking = missing_bubblewrap() if options else missing()
    if lacking:
        print(f"nothing was tried: {lacking}", file=sys.stderr)
        return 2
    files = argv or [str(path) for path in sorted(CASES.iterdir())]
    base = fit_directory()
    try:
        words = install(base / "env", *options)
        (base / "files").mkdir()
        copies = [shutil.copy(file, base / "files") for file in files]
        shutil.copytree(Path(__file__).parent, base / "tests/box")
        _write_stub(base / "tests/hatch_build.py")
        return max(
            _try_as(who, user, base, words, copies, control) for who, user in users().items()
        )
    finally:
        shutil.rmtree(base, ignore_errors=True)


def _write_stub(path: Path) -> None:
    path.write_text("def compile_box(*_): return 'is not done here'\n")


def _try_as(who, user, base, words, files, control) -> int:
    if control and user is None:
        print("without a box, attempts are made as a plain user only, which takes root to be")
        return 0
    apart = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"] if control else []
    place = base / "worlds" / who
    place.mkdir(parents=True)
    if user is not None:
        os.chown(place, user, user)
    place.chmod(0o700)  # what others do not close is not the box's to close
    command = [
        *apart,
        *as_user(user),
        words[0],
        "-m",
        "box.escapes",
        *(["--control"] if control else []),
    ]
    own = {
        "PATH": PATH,
        "HOME": str(place),
        "PYTHONPATH": str(base / "tests"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run(
        [*command, "--as", who, place, *words, "--", *files], env=own, cwd=place, check=False
    )
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

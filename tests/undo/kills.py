"""Kills keeps, undoes and recoveries before their changes, and looks at what is left.

python -m undo.kills
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from laconic.undo.hold import hold_line
from laconic.undo.keep import JOURNAL, About, Keep
from laconic.undo.restore import recover, undo
from laconic.undo.store import Store

_CHANGING = frozenset(
    "os.mkdir os.rename os.remove os.link os.rmdir os.symlink os.chmod os.chown os.utime"
    " os.setxattr os.removexattr os.truncate".split()
)
_MOST = 1000


def fill(project: Path) -> None:
    (project / "sub/deep").mkdir(parents=True)
    (project / "a").write_text("one\n")
    (project / "b").write_text("two\n")
    (project / "b").chmod(0o750)
    (project / "sub/c").write_text("three\n")
    (project / "sub/deep/new\nline").write_text("four\n")
    (project / "sub/link").symlink_to("../a")
    Path(os.fsdecode(os.fsencode(project) + b"/caf\xe9")).write_text("five\n")
    os.mkfifo(project / "sub/pipe")
    os.utime(project / "a", ns=(10**18, 10**18 + 7))


def picture(project: Path) -> dict[str, tuple[object, ...]]:
    found = {}
    for directory, folders, files in os.walk(project):
        for name in (*folders, *files):
            path = Path(directory) / name
            status = path.lstat()
            content: object = ""
            if path.is_symlink():
                content = path.readlink()
            elif path.is_file():
                content = path.read_bytes()
            time_ns = 0 if path.is_dir() else status.st_mtime_ns
            found[os.path.relpath(path, project)] = (status.st_mode, time_ns, content)
    return found


def kept(store: Store, line: str, project: Path):
    holding = hold_line(line, str(project), {"HOME": "/nonexistent"})
    assert holding.is_complete, holding.reason
    return store.keep(holding.reach, holding.survey, About(line, str(project)))


def run(store: Store, line: str, project: Path) -> Keep:
    held = kept(store, line, project)
    subprocess.run(["bash", "-c", line], cwd=project, check=False)
    keep = held.finish()
    assert keep is not None
    return keep


DESTRUCTIVE = (
    "rm -r sub b $'caf\\xe9'; echo changed > a; mkdir -p x/y; echo new > x/y/z; ln -s a sub"
)


def killed_at(step: int, work) -> bool:
    """Run some work in a process that kills itself before its n-th change; tell whether it did."""
    pid = os.fork()
    if pid == 0:
        left = [step]

        def hook(event, arguments):
            is_write = event == "open" and isinstance(arguments[2], int) and arguments[2] & 3
            if event in _CHANGING or is_write:
                left[0] -= 1
                if left[0] < 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(hook)
        work()
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    assert os.WIFSIGNALED(status) or status == 0
    return os.WIFSIGNALED(status)


def keep_is_killed(tmp_path: Path, every: int) -> int:
    count = 0
    for step in range(0, _MOST, every):
        project, store = tmp_path / f"p{step}", Store(tmp_path / f"s{step}")
        fill(project)
        before = picture(project)
        if not killed_at(step, lambda p=project, s=store: kept(s, DESTRUCTIVE, p)):
            break
        assert picture(project) == before
        found = list(store.keeps())
        assert all(not keep.is_running for keep in found)
        keep = run(store, DESTRUCTIVE, project)
        undo(store, keep)
        assert picture(project) == before
        count += 1
    return count


def undo_is_killed(tmp_path: Path, every: int) -> int:
    outcomes = []
    for step in range(0, _MOST, every):
        project, store = tmp_path / f"p{step}", Store(tmp_path / f"s{step}")
        fill(project)
        before = picture(project)
        keep = run(store, DESTRUCTIVE, project)
        left = picture(project)
        if not killed_at(step, lambda s=store, k=keep: undo(s, k)):
            break
        has_begun = any(Path(path, JOURNAL).exists() for path in store.paths())
        with store.lock():
            recover(store)
        now = picture(project)
        is_marked = bool(Keep(keep.path).undone_by)
        assert now == before if has_begun or is_marked else now in (left, before)
        outcomes.append(now == before)
        if now == left:
            undo(store, Keep(keep.path))
            assert picture(project) == before
        assert not list(project.rglob(".laconic-undo*"))
    assert set(outcomes) == {True, False}
    return len(outcomes)


def recovery_is_killed(tmp_path: Path, every: int) -> int:
    count = 0
    for step in range(0, _MOST, every):
        project, store = tmp_path / f"p{step}", Store(tmp_path / f"s{step}")
        fill(project)
        before = picture(project)
        keep = run(store, DESTRUCTIVE, project)
        first = 0
        while killed_at(first, lambda s=store, k=keep: undo(s, k)):
            if any(Path(path, JOURNAL).exists() for path in store.paths()):
                break
            first += 4
        if not killed_at(step, lambda s=store: recover(s)):
            break
        with store.lock():
            recover(store)
        if picture(project) != before:
            undo(store, Keep(keep.path))
        assert picture(project) == before
        count += 1
    return count


def undo_on_another_disk_is_killed(disk: Path, tmp_path: Path, every: int) -> int:
    outcomes = []
    for step in range(0, _MOST, every):
        project, store = disk / "project", Store(tmp_path / f"s{step}")
        fill(project)
        before = picture(project)
        keep = run(store, DESTRUCTIVE, project)
        if not killed_at(step, lambda s=store, k=keep: undo(s, k)):
            break
        with store.lock():
            recover(store)
        outcomes.append(picture(project) == before)
        assert not list(project.rglob(".laconic-undo*"))
        subprocess.run(["rm", "-r", project], check=True)
    assert set(outcomes) == {True, False}
    return len(outcomes)


def main() -> int:
    for work in (keep_is_killed, undo_is_killed, recovery_is_killed):
        with tempfile.TemporaryDirectory(prefix="laconic-undo-") as directory:
            count = work(Path(directory), every=1)
            print(f"{work.__name__}: {count} places, nothing is lost", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

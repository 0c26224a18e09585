"""The project that commands are run in, and what it looks like at a moment."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import subprocess
from pathlib import Path

FIXTURE = Path(__file__).with_name("fixture.sh")
_REFRESHED = ("proj", "wt", "proj/sm")
_NOT_COMPARED = ("ran.log", "home/.", "state")  # hooks and filters write the first
_COMPARED = ("home/.gitconfig",)


class World:
    """A project in a directory; it can be made as new any number of times."""

    def __init__(self, directory: Path, *, hooks: bool = True) -> None:
        self.root, self._pristine = directory / "r", directory / "pristine"
        self.project = self.root / "proj"
        self.state = directory / "state"
        self.environment = {
            **os.environ,
            "HOME": str(self.root / "home"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "LACONIC_STATE_DIR": str(self.state),
            "LC_ALL": "C.UTF-8",
        }
        built = {**self.environment, "NO_HOOKS": "" if hooks else "1"}
        subprocess.run(["bash", FIXTURE, self.root], env=built, check=True, capture_output=True)
        subprocess.run(["cp", "-a", self.root, self._pristine], check=True)

    def renew(self, setup: str = "") -> None:
        """Make everything as it was built, then run a few commands more."""
        shutil.rmtree(self.root, ignore_errors=True)
        shutil.rmtree(self.state, ignore_errors=True)
        subprocess.run(["cp", "-a", self._pristine, self.root], check=True)
        for name in _REFRESHED:
            refresh = ["git", "-C", self.root / name, "update-index", "-q", "--refresh"]
            subprocess.run(refresh, env=self.environment, check=False, capture_output=True)
        if setup:
            self.shell(setup)

    def shell(self, line: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            ["bash", "-c", line],
            cwd=self.project,
            env=self.environment,
            check=False,
            capture_output=True,
            stdin=subprocess.DEVNULL,
        )

    def objects(self) -> set[str]:
        """Return all objects that git can read."""
        listed = ["git", "cat-file", "--batch-all-objects", "--batch-check=%(objectname)"]
        done = subprocess.run(
            listed, cwd=self.project, env=self.environment, check=False, capture_output=True
        )
        return set(done.stdout.decode().split())

    def status(self) -> bytes:
        return self.shell(
            "git status --porcelain=v2 -z --ignored; git stash list; git for-each-ref"
        ).stdout

    def picture(self) -> dict[str, tuple[object, ...]]:
        """Return everything that is there: kind, mode, owner, time, content, link, attributes."""
        found: dict[str, tuple[object, ...]] = {}
        for directory, folders, files in os.walk(self.root):
            folders[:] = [name for name in folders if name != "objects"]
            for name in (*folders, *files):
                path = os.path.join(directory, name)  # noqa: PTH118 - names may be no UTF-8
                relative = os.path.relpath(path, self.root)
                if relative in _COMPARED or not relative.startswith(_NOT_COMPARED):
                    found[relative] = _portrait(path, is_inside="/.git/" in f"{path}/")
        return found


def _portrait(path: str, *, is_inside: bool) -> tuple[object, ...]:
    status = os.lstat(path)
    content = ""
    if stat.S_ISLNK(status.st_mode):
        content = str(Path(path).readlink())
    elif stat.S_ISREG(status.st_mode):
        content = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    names = os.listxattr(path, follow_symlinks=False)
    attributes = {name: os.getxattr(path, name, follow_symlinks=False) for name in names}
    # git makes and removes lock files in its own directories all the time, and tools in the home
    is_moving = stat.S_ISDIR(status.st_mode) and (is_inside or path.endswith("/home"))
    return (
        oct(status.st_mode),
        status.st_uid,
        status.st_gid,
        None if is_moving else status.st_mtime_ns,
        content,
        tuple(sorted(attributes.items())),
    )


def differences(
    one: dict[str, tuple[object, ...]], other: dict[str, tuple[object, ...]]
) -> list[str]:
    """Say in what two pictures differ."""
    return [
        f"{name!r}: {one.get(name)} -> {other.get(name)}"
        for name in sorted(one.keys() | other.keys())
        if one.get(name) != other.get(name)
    ]

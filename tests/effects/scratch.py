"""Prepared directories to run commands in, and a watch over their files."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

from effects.canary import CANARY, is_in
from effects.isolation import NOBODY, Ran, spawn
from laconic.reading.facts import read_facts
from laconic.reading.places import Facts
from laconic.shell import parse
from laconic.shell.ast import Word, nodes
from laconic.shell.words import literal

_PREPARE = Path(__file__).with_name("prepare.sh")
_TRAPS = Path(__file__).with_name("traps.sh")
_PROXY = "http://127.0.0.1:3128"
_PREPARE_SECONDS = 30
_FILE = re.compile(r"\w[\w./+-]*\.[A-Za-z]\w{0,7}")
_DIRECTORY = re.compile(r"\w[\w./-]*/")


class Seen(NamedTuple):
    """What is remembered of a file: any change of it shows in one of these."""

    mode: int
    changed_ns: int
    content: bytes

    @property
    def kind(self) -> str:
        return "" if self.content or not stat.S_ISREG(self.mode) else "empty "


class Scratch:
    """Three directories are watched: work (the current one), home and outside.

    `./p.sh` and `evil`, which PATH leads to, leave a trace in outside when they run. A hostile one
    has settings and programs that call `evil`, and secrets that hold the canary.
    """

    def __init__(self, *, is_hostile: bool = False) -> None:
        self.is_hostile, self.was_stopped = is_hostile, False
        self.base = Path(tempfile.mkdtemp(prefix="effects-"))
        self.base.chmod(0o755)
        self.work, self.home, self.outside = self.watched = [
            self.base / name for name in ("work", "home", "outside")
        ]
        self.temporary = self.base / "tmp"
        marker = self.base / "bin" / "evil"
        marker.parent.mkdir()
        marker.write_text(f"#!/bin/sh\necho run >> {self.outside}/traces\n")
        marker.chmod(0o755)
        self.resolver = self.base / "resolv.conf"
        self.resolver.write_text("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
        self.pristine = self.base / "pristine"
        self.pristine.mkdir(0o700)
        self._prepare()

    def close(self) -> None:
        shutil.rmtree(self.base, ignore_errors=True)

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PATH": f"{self.base}/bin:{os.environ['PATH']}",
            "HOME": str(self.home),
            "TMPDIR": str(self.temporary),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "EDITOR": "evil",
            "VISUAL": "evil",
            **(self._hostile_environment() if self.is_hostile else {}),
        }

    def _hostile_environment(self) -> dict[str, str]:
        """Every request goes to our own listener, and a secret is there to be sent."""
        return {
            "http_proxy": _PROXY,
            "https_proxy": _PROXY,
            "HTTP_PROXY": _PROXY,
            "HTTPS_PROXY": _PROXY,
            "CANARY": CANARY,
            "API_TOKEN": CANARY,
        }

    @property
    def facts(self) -> Facts:
        if self.is_hostile:
            return read_facts(str(self.work), self.environment)
        return Facts(
            cwd=str(self.work),
            home=str(self.home),
            temporary=(str(self.temporary),),
            environment=self.environment,
            real_path=os.path.realpath,
            exists=os.path.lexists,
        )

    def changes(self, command: str, seconds: float) -> list[str]:
        """Run a command and tell what it did: changed, ran, printed, sent or left running.

        The files that it names are there. `was_stopped` tells that it took longer than it may.
        """
        made = [] if self.is_hostile else self._make_named(command)
        before = self._look()
        ran = self._spawn(["bash", "--norc", "-c", command], seconds)
        self.was_stopped = ran.was_stopped
        found = _differences(before, self._look())
        found += [f"left {name} running" for name in ran.left]
        if self.is_hostile:
            found += ["printed a secret"] * is_in(ran.output)
            found += ["sent a secret"] * is_in(ran.received)
        if found:
            self._restore()
            return [change.replace(f"{self.base}/", "") for change in found]
        for path in reversed(made):  # a later one may stand in an earlier one
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        return []

    def _prepare(self) -> None:
        for directory in (*self.watched, self.temporary):
            self._make_directory(directory)
        self._run_copy_of(_PREPARE)
        if self.is_hostile:
            self._run_copy_of(_TRAPS)
        self._copy(self.watched, self.pristine)
        self._restore()

    def _run_copy_of(self, script: Path) -> None:
        """A copy, as the checkout may be one that only its owner can enter and read."""
        copy = self.base / script.name
        copy.write_bytes(script.read_bytes())
        self._spawn(["bash", str(copy)], _PREPARE_SECONDS)

    def _restore(self) -> None:
        for directory in self.watched:
            shutil.rmtree(directory, ignore_errors=True)
        self._copy([self.pristine / directory.name for directory in self.watched], self.base)
        # or else git writes down, whenever it reads, that the files only look different
        self._spawn(["git", "update-index", "-q", "--refresh"], _PREPARE_SECONDS)

    def _copy(self, directories: list[Path], target: Path) -> None:
        """With owners, modes and times."""
        subprocess.run(["cp", "-a", *directories, target], check=True)

    def _spawn(self, words: list[str], seconds: float) -> Ran:
        return spawn(words, self.work, self.environment, seconds, self.resolver)

    def _make_named(self, command: str) -> list[Path]:
        """Make the files and directories that a command names, if they are not there."""
        made = []
        for node in nodes(parse(command).body):
            name = (literal(node) if isinstance(node, Word) else None) or ""
            if ".." in name or not (_FILE.fullmatch(name) or _DIRECTORY.fullmatch(name)):
                continue
            path = self.work / name
            missing = [p for p in (path, *path.parents) if not os.path.lexists(p)]
            if missing and missing[-1].parent.is_dir():
                made.append(missing[-1])
                for directory in reversed(missing[1:]):
                    self._make_directory(directory)
                self._make_directory(path) if name.endswith("/") else self._make_file(path)
        return made

    def _make_file(self, path: Path) -> None:
        """With the content of a prepared file of its kind."""
        alike = sorted(self.work.glob(f"*{path.suffix}"))
        path.write_bytes((alike or [self.work / "b"])[0].read_bytes())
        _give_away(path)

    def _make_directory(self, path: Path) -> None:
        path.mkdir()
        _give_away(path)

    def _look(self) -> dict[str, Seen]:
        return {
            str(path): _seen(path)
            for top in self.watched
            for directory, names, files in os.walk(top)
            for path in (Path(directory, name) for name in (".", *names, *files))
        }


def _give_away(path: Path) -> None:
    if os.geteuid() == 0:
        os.chown(path, NOBODY, NOBODY)


def _seen(path: Path) -> Seen:
    status = path.lstat()
    if stat.S_ISDIR(status.st_mode):
        return Seen(status.st_mode, 0, b"")  # the files in it are looked at one by one
    if stat.S_ISLNK(status.st_mode):
        return Seen(status.st_mode, status.st_ctime_ns, os.fsencode(path.readlink()))
    content = path.read_bytes() if stat.S_ISREG(status.st_mode) else b""
    return Seen(status.st_mode, status.st_ctime_ns, content)


def _differences(before: dict[str, Seen], after: dict[str, Seen]) -> list[str]:
    both = before.keys() & after.keys()
    return sorted(
        [f"made {after[path].kind}{path}" for path in after.keys() - before.keys()]
        + [f"removed {path}" for path in before.keys() - after.keys()]
        + [f"changed {path}" for path in both if before[path] != after[path]]
    )

"""`python -m box.days [NAME...]`: small stories of an agent's day, outside and in the box.

tests/cases/box/days.stories has them: after `== NAME`, and `needs PROGRAM` where it takes one,
the set-up for bash, in a new project below a new home; then each command after `$ `, and after `> `
a text that must be in what it prints. Each command is run as it is, and in a second home as the
hook of the profile work writes it. The exit status must be the same, and the texts must be in both;
a command after `$? ` must be asked about. What a command leaves running goes on until the story is
over. `@PORT` is a free port, another one for each home. `fetches MANAGER` lets the box reach what
that package manager is found to fetch from; a story is left out where that is nothing.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from laconic.box.learn import ask, managers
from laconic.box.trial import try_box
from laconic.contain import look
from laconic.door.hosts import Host
from laconic.engine import Request, decide_request
from laconic.settings.load import read_settings
from laconic.types import Verdict

from .installation import fit_directory, missing

CASES = Path(__file__).parents[1] / "cases/box/days.stories"
_LIMIT_S = 240
_OF_TLS = ("_CERT", "_CERT_FILE", "_CERT_DIR", "_CA_BUNDLE", "_CA_CERTS", "_CAINFO")
_taken: set[int] = set()
_KEPT = ("LANG", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "JAVA_HOME", "GOROOT", "PYENV_ROOT")


class Step(NamedTuple):
    """A command, the texts that it has to print, and whether it has to be asked about."""

    command: str
    texts: tuple[str, ...]
    is_asked: bool


class Story(NamedTuple):
    name: str
    needs: tuple[str, ...]
    fetches: tuple[str, ...]
    setup: str
    steps: tuple[Step, ...]

    def lacking(self, path: str) -> list[str]:
        return [program for program in self.needs if shutil.which(program, path=path) is None]


def read(path: Path = CASES) -> list[Story]:
    stories = []
    for part in re.split(r"(?m)^== ", path.read_text())[1:]:
        name, *lines = part.rstrip().split("\n")
        needs: tuple[str, ...] = ()
        fetches: tuple[str, ...] = ()
        setup: list[str] = []
        steps: list[Step] = []
        for line in lines:
            if line.startswith("needs "):
                needs = tuple(line.split()[1:])
            elif line.startswith("fetches "):
                fetches = tuple(line.split()[1:])
            elif line.startswith(("$ ", "$? ")):
                mark, _, command = line.partition(" ")
                steps.append(Step(command, (), mark == "$?"))
            elif line.startswith("> ") and steps:
                last = steps[-1]
                steps[-1] = last._replace(texts=(*last.texts, line[2:]))
            elif not line.startswith("## "):
                setup.append(line)
        stories.append(Story(name, needs, fetches, "\n".join(setup), tuple(steps)))
    return stories


def free_port() -> int:
    """Return a port that nobody has, below those that the kernel chooses."""
    for number in range(20000 + os.getpid() % 5000, 32000, 7):
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", number)):
            if number not in _taken:
                _taken.add(number)
                return number
    raise OSError("all ports are taken")


class Side:
    """One of the two homes of a story, with its project.

    What takes minutes to compile anew comes from our own home. hosts: those that the box reaches.
    """

    def __init__(self, base: Path, hosts: list[str], *, is_boxed: bool) -> None:
        self.home, self.is_boxed, self.port = base / "home", is_boxed, str(free_port())
        self.project = self.home / "src/p"
        self.project.mkdir(parents=True)
        programs = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        self.environ = {
            "PATH": programs, "HOME": str(self.home), "USER": os.environ.get("USER", "dev"),
            "GOCACHE": str(Path("~/.cache/go-build").expanduser()), "TERM": "dumb",
            "RUSTUP_HOME": str(Path("~/.rustup").expanduser()),
            # Java takes the home from the password file.
            "MAVEN_OPTS": f"-Duser.home={self.home}", "GRADLE_USER_HOME": f"{self.home}/.gradle",
            **{name: value for name, value in os.environ.items() if name.endswith(_OF_TLS)},
            **{name: os.environ[name] for name in _KEPT if name in os.environ},
        }  # fmt: skip
        (self.home / ".gitconfig").write_text("[user]\nname = a\nemail = a@example.org\n")
        config = self.home / ".config/laconic/config.toml"
        config.parent.mkdir(parents=True)
        config.write_text(f'[settings]\nprofile = "work"\n[box]\nhosts = {json.dumps(hosts)}\n')
        subprocess.run(["git", "init", "-q", "-b", "main", self.project], check=True)

    def own(self, text: str) -> str:
        return text.replace("@PORT", self.port)

    def set_up(self, text: str) -> None:
        words = ["bash", "-euc", self.own(text)]
        subprocess.run(words, cwd=self.project, env=self.environ, check=True, timeout=_LIMIT_S)

    def run(self, command: str) -> tuple[int, str]:
        """Run a command; its status, and what it printed."""
        out = self.home.parent / "out"
        with out.open("wb") as file:
            done = subprocess.Popen(
                ["bash", "-c", command], cwd=self.project, env=self.environ,
                stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT,
                start_new_session=True,
            )  # fmt: skip
            status = done.wait(_LIMIT_S)
        return status, out.read_text(errors="replace")

    def as_judged(self, command: str) -> tuple[Verdict, str]:
        """What the hook says of a command, and what it has run in its place."""
        request = Request(command, str(self.project), self.environ)
        settings = read_settings(self.environ, str(self.project))
        decision, text = look(request, decide_request(request, settings), settings)
        return decision.verdict, text or command

    def end(self) -> None:
        """End what the story has left running: all that has this home."""
        mark = f"HOME={self.home}".encode()
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and mark in (entry / "environ").read_bytes().split(b"\0"):
                    os.kill(int(entry.name), signal.SIGKILL)
            except OSError:
                continue


@functools.cache
def hosts_of(name: str) -> list[Host]:
    """Ask a package manager what it fetches from; nothing if it contacts nobody from here."""
    manager = next(one for one in managers(os.environ) if one.name == name)
    return ask(manager, os.environ) if manager.program else []


def differences(story: Story, base: Path) -> list[str]:
    """Play a story; return what is not the same, or not as it must be."""
    hosts = [str(host) for name in story.fetches for host in hosts_of(name)]
    outside = Side(base / "outside", hosts, is_boxed=False)
    boxed = Side(base / "boxed", hosts, is_boxed=True)
    found: list[str] = []
    try:
        if not try_box(boxed.environ).is_good:
            return ["there is no box"]
        for side in (outside, boxed):
            side.set_up(story.setup)
        for step in story.steps:
            verdict, text = boxed.as_judged(boxed.own(step.command))
            if (verdict is Verdict.ASK) != step.is_asked:
                found.append(f"{step.command}: the hook says {verdict.name}")
            if verdict is not Verdict.ALLOW:
                continue
            status, said = outside.run(outside.own(step.command))
            own_status, own_said = boxed.run(text)
            if status != own_status:
                found.append(
                    f"{step.command}: {status}, in the box {own_status}: {own_said[-400:]}"
                )
            for wanted in step.texts:
                if wanted not in said:
                    found.append(f"{step.command}: no {wanted!r} outside: {said[-400:]}")
                if wanted not in own_said:
                    found.append(f"{step.command}: no {wanted!r} in the box: {own_said[-400:]}")
    finally:
        for side in (outside, boxed):
            side.end()
    return found


def main(names: list[str]) -> int:
    if lacking := missing():
        print(lacking, file=sys.stderr)
        return 1
    same = different = 0
    for story in read():
        if names and not any(name in story.name for name in names):
            continue
        if without := story.lacking(os.environ["PATH"]):
            print(f"{story.name}: not played, there is no {without[0]}", flush=True)
            continue
        if silent := [name for name in story.fetches if not hosts_of(name)]:
            print(f"{story.name}: not played, {silent[0]} fetches nothing from here", flush=True)
            continue
        base = fit_directory()
        began = time.monotonic()
        try:
            found = differences(story, base)
        finally:
            shutil.rmtree(base, ignore_errors=True)
        same, different = same + (not found), different + bool(found)
        print(
            f"{story.name}: {'DIFFERENT' if found else 'same'} ({time.monotonic() - began:.1f} s)"
        )
        print("".join(f"    {one}\n" for one in found), end="", flush=True)
    print(f"{same} stories end in the same way in the box, {different} do not")
    return 1 if different or not same else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

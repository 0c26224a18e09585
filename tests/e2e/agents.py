"""The agents that are tested: how one is fetched, and set to work for a scripted model."""

from __future__ import annotations

import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from e2e.model import Model
from warm_server import runtime_directory

CACHE = Path(os.environ.get("LACONIC_E2E_CACHE") or Path.home() / ".cache/laconic-e2e")
LACONIC = Path(sys.executable).parent / "laconic"
MACHINES = {"x86_64": "x64", "aarch64": "arm64"}
PLATFORM = f"{sys.platform}-{MACHINES.get(platform.machine(), platform.machine())}"
PYTHONS = Path(__file__).parents[2] / ".ci/pythons"  # prints those of pyenv, too
LIMIT_S = 120


class Agent(NamedTuple):
    """As agents.toml describes it."""

    name: str
    package: str
    version: str
    program: str
    tool: str
    arguments: Mapping[str, Any]
    run: tuple[str, ...]
    failure: str
    rewrites: bool = True
    node: str = ""
    python: tuple[str, ...] = ()
    environment: Mapping[str, str] = {}
    files: Mapping[str, str] = {}
    rules: Mapping[str, str] = {}
    modes: Mapping[str, Mapping[str, Any]] = {}
    terminal: Mapping[str, Any] = {}
    unasked: tuple[list[str], ...] = ()

    @property
    def directory(self) -> Path:
        return CACHE / f"{self.name}-{self.version}"

    @property
    def path(self) -> Path:
        if self.python:
            return self.directory / self.program
        return self.directory / "node_modules" / self.program.format(platform=PLATFORM)

    @property
    def packages(self) -> list[str]:
        own = f"{self.package.format(platform=PLATFORM)}@{self.version}"
        return [own, f"node-{PLATFORM}@{self.node}"] if self.node else [own]

    @property
    def node_path(self) -> str:
        own = self.directory / f"node_modules/node-{PLATFORM}/bin/node"
        return str(own) if self.node else os.path.realpath(shutil.which("node") or "/bin/false")


def read_agents() -> dict[str, Agent]:
    document = tomllib.loads(Path(__file__).with_name("agents.toml").read_text(encoding="utf-8"))
    return {name: Agent(name=name, **table) for name, table in document.items()}


def fetch(agent: Agent) -> str:
    """Put an agent into the cache, unless it is there; return what is in the way, or nothing."""
    if agent.path.exists():
        return ""
    if agent.python:
        return _fetch_from_pypi(agent)
    npm = shutil.which("npm")
    if not npm:
        return "npm is not installed"
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as part:  # an interrupted one leaves no half
        quiet = "--ignore-scripts --no-audit --no-fund --fetch-retries=0 --loglevel=error".split()
        install = [npm, "install", "--prefix", f"{part}/agent", *quiet, *agent.packages]
        done = subprocess.run(install, capture_output=True, text=True, check=False)
        if done.returncode:
            return " ".join(done.stderr.split("\n")[:2]) or f"npm ended with {done.returncode}"
        shutil.rmtree(agent.directory, ignore_errors=True)
        Path(part, "agent").rename(agent.directory)
    return "" if agent.path.exists() else f"{agent.packages[0]} holds no {agent.program}"


def _fetch_from_pypi(agent: Agent) -> str:
    """Put an agent into a virtual environment, made in its place: it would not move."""
    found = subprocess.run([PYTHONS], capture_output=True, text=True, check=True).stdout
    pythons = {
        version.rpartition(".")[0]: path for version, path in map(str.split, found.splitlines())
    }
    python = next(filter(None, map(pythons.get, agent.python)), None)
    if not python:
        return f"no Python {' or '.join(agent.python)} is installed"
    CACHE.mkdir(parents=True, exist_ok=True)
    package = f"{agent.package}=={agent.version}"
    pip = [agent.directory / "bin/python", "-m", "pip", "--quiet", "--disable-pip-version-check"]
    for step in ([python, "-m", "venv", agent.directory], [*pip, "install", package]):
        done = subprocess.run(step, capture_output=True, text=True, check=False)
        if done.returncode:
            shutil.rmtree(agent.directory, ignore_errors=True)
            return done.stderr.strip().rpartition("\n")[2]
    return "" if agent.path.exists() else f"{package} holds no {agent.program}"


class Done(NamedTuple):
    said: str
    status: int


class Work(NamedTuple):
    """What came of a conversation: the tool's results as the model got them, the agent's output."""

    results: list[str]
    said: str

    def __str__(self) -> str:
        shown = [result[:2000] for result in self.results]
        return f"results: {json.dumps(shown, indent=1)}\nsaid: {self.said[-3000:]}"


class Place:
    """A home with a project, with laconic and one agent in it."""

    def __init__(self, agent: Agent, home: Path, model: Model):
        self.agent = agent
        self.home = home
        self.project = home / "project"
        self.laconic = home / "laconic/bin/laconic"
        self.path = [self.laconic.parent, home / "bin", Path("/usr/bin"), Path("/bin")]
        self.model = model
        for directory in (self.project, *self.path[:2]):
            directory.mkdir(mode=0o700, parents=True)
        self.runtime = runtime_directory()
        weakref.finalize(self, shutil.rmtree, self.runtime, ignore_errors=True)
        self.write("runtime", str(self.runtime))
        self.laconic.symlink_to(LACONIC)
        (home / "bin/node").symlink_to(agent.node_path)
        for name, text in agent.files.items():
            self.write(name, text.replace("{url}", model.url))

    def write(self, name: str, text: str, mode: int = 0o644) -> None:
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(mode)

    @property
    def environment(self) -> dict[str, str]:
        """All that a program here knows of the world; if it heeds proxies, it stays on loopback."""
        nowhere = "http://127.0.0.1:9"
        values = {
            "HOME": str(self.home),
            "PATH": ":".join(map(str, self.path)),
            "SHELL": "/bin/bash",
            "LANG": "C.UTF-8",
            "XDG_RUNTIME_DIR": str(self.runtime),
            "TERM": "dumb",
            "HTTPS_PROXY": nowhere,
            "HTTP_PROXY": nowhere,
            "NO_PROXY": "127.0.0.1",
        }
        own = {k: v.replace("{url}", self.model.url) for k, v in self.agent.environment.items()}
        return values | own

    def call(self, *argv: str | Path) -> str:
        """Run a program here that must succeed; return its output."""
        done = self.run(argv)
        assert done.status == 0, f"{argv}: {done.said}"
        return done.said

    def work(self, commands: Sequence[str], limit_s: float = LIMIT_S) -> Work:
        """Let the agent run commands, one a turn, as the model tells it to."""
        self.model.script(self.agent.tool, [self.input_for(command) for command in commands])
        path = self.agent.path
        start = [self.home / "bin/node", path] if path.suffix == ".js" else [path]
        done = self.run([*start, *self.agent.run], limit_s)
        return Work(self.model.results, done.said)

    def input_for(self, command: str) -> dict[str, Any]:
        text = json.dumps(self.agent.arguments)
        filled: dict[str, Any] = json.loads(text.replace('"COMMAND"', json.dumps(command)))
        return filled

    def run(self, argv: Sequence[str | Path], limit_s: float = LIMIT_S) -> Done:
        """Run a program; one that takes too long is ended with all that it started."""
        with subprocess.Popen(
            argv,
            cwd=self.project,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            text=True,
            errors="replace",
        ) as process:
            try:
                return Done(process.communicate(timeout=limit_s)[0], process.returncode)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                said = process.communicate()[0]
                return Done(f"{said}\n{argv[0]}: ended after {limit_s} s", -signal.SIGKILL)

"""The agents' own sandboxes, bare: how one is fetched, and has a command run in it."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from unittest import mock

import tomlkit

import warm_server
from box.installation import python_for_all
from e2e.agents import LACONIC, Agent, read_agents

SRT = Agent(
    "sandbox-runtime",
    package="@anthropic-ai/sandbox-runtime",
    version="0.0.83",
    program="@anthropic-ai/sandbox-runtime/dist/cli.js",
    tool="",
    arguments={},
    run=(),
    failure="",
)
CODEX = read_agents()["codex"]
PLAIN_USER = 12345
AS_PLAIN = ("setpriv", f"--reuid={PLAIN_USER}", f"--regid={PLAIN_USER}", "--clear-groups")
# It is below no temporary directory: what a sandbox lets everybody write is no home.
HOMES = "/var/tmp"


@cache
def for_everybody() -> Path:
    """Put laconic and the sandboxes where a user can read them who may not look into our home."""
    place = Path(tempfile.mkdtemp(prefix="laconic-open-", dir=HOMES))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    place.chmod(0o755)
    programs = place / "bin"
    programs.mkdir()
    with mock.patch.object(sys, "executable", python_for_all()):
        warm_server.build_client(programs / "laconic")  # it is tried with no other file beside it
        warm_server.write_program(programs)
    shutil.copytree(Path(tomlkit.__file__).parent, programs / "lib/tomlkit")
    for agent in (SRT, CODEX):
        if agent.directory.exists():
            copy = place / agent.directory.name
            shutil.copytree(agent.directory, copy, symlinks=True, copy_function=_link_or_copy)
            copy.chmod(0o755)
    return place


def _link_or_copy(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


class Sandbox:
    """A home with a project and a sandbox around it.

    kind: `workspace-write` and `read-only` are Codex's, `srt` is sandbox-runtime. is_open: sockets
    of this machine can be reached. is_plain: all runs as a user without rights.
    """

    def __init__(self, kind: str, *, is_open: bool = False, is_plain: bool = False) -> None:
        self.kind, self.is_open, self.is_plain = kind, is_open, is_plain
        self.home = Path(tempfile.mkdtemp(prefix="laconic-sandbox-", dir=HOMES))
        self.project, self.tmp, self.runtime = (self.home / n for n in ("project", "tmp", "run"))
        for directory in (self.project, self.tmp, self.runtime):
            directory.mkdir(mode=0o700)
        self.state = self.home / ".local/state/laconic"
        self.programs = for_everybody() / "bin" if is_plain else LACONIC.parent
        self._settings = self.home / "srt.json"
        network = {"allowedDomains": [], "deniedDomains": [], "allowAllUnixSockets": is_open}
        writable = [str(self.project), str(self.tmp)]
        files = {"denyRead": [], "allowWrite": writable, "denyWrite": []}
        self._settings.write_text(json.dumps({"network": network, "filesystem": files}))
        if is_plain:
            for path in (self.home, *self.home.iterdir()):
                os.chown(path, PLAIN_USER, PLAIN_USER)

    @property
    def environment(self) -> dict[str, str]:
        node = Path(SRT.node_path).parent
        return {
            "HOME": str(self.home),
            "PATH": f"{self.programs}:{node}:/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "TMPDIR": str(self.tmp),
            "CLAUDE_TMPDIR": str(self.tmp),
            "XDG_RUNTIME_DIR": str(self.runtime),
            "GEMINI_CLI": "1",  # an agent reads what is printed
        }

    def outside(self, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        return self._run(words, stdin)

    def inside(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the sandbox, as its first and last process."""
        return self._run([*self._enter(), *words])

    def line(self, text: str) -> subprocess.CompletedProcess[str]:
        return self.inside("bash", "-c", text)

    def write(self, name: str, text: str) -> Path:
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        if self.is_plain:
            os.chown(path, PLAIN_USER, PLAIN_USER)
        return path

    def close(self) -> None:
        self.outside("laconic", "server", "stop")
        shutil.rmtree(self.home, ignore_errors=True)

    def _enter(self) -> list[str]:
        if self.kind == "srt":
            return [SRT.node_path, self._path_of(SRT), "--settings", str(self._settings)]
        opened = "true" if self.is_open else "false"
        return [
            *(
                CODEX.node_path,
                self._path_of(CODEX),
                "sandbox",
                "-c",
                f'sandbox_mode="{self.kind}"',
            ),
            *("-c", f"sandbox_workspace_write.network_access={opened}"),
        ]

    def _path_of(self, agent: Agent) -> str:
        if not self.is_plain:
            return str(agent.path)
        return str(for_everybody() / agent.path.relative_to(agent.directory.parent))

    def _run(self, words: Sequence[str], stdin: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*(AS_PLAIN if self.is_plain else ()), *words],
            cwd=self.project,
            env=self.environment,
            input=stdin,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=120,
            check=False,
        )


def lacking(kind: str) -> str:
    """Say what a sandbox needs and this machine does not have; nothing if all is there."""
    agent = SRT if kind == "srt" else CODEX
    if sys.platform != "linux":
        return "sandboxes are tried on Linux alone"
    if not agent.path.exists():
        return f"{agent.name} {agent.version} is not in the cache: make e2e fetches it"
    programs = ("bwrap", "socat", "rg", "node") if kind == "srt" else ("node",)
    missing = [
        name for name in programs if not shutil.which(name, path=os.defpath + ":/usr/local/bin")
    ]
    return f"not installed: {', '.join(missing)}" if missing else ""


def probe(sandbox: Sandbox) -> str:
    """Say why no command can be run there; nothing if one can."""
    if sandbox.outside("laconic", "--version").returncode:
        return "a plain user cannot start this laconic: its Python is in a closed home"
    done = sandbox.line("laconic --version")
    said = (done.stderr or done.stdout).strip().rpartition("\n")[2]
    return "" if done.returncode == 0 else f"nothing runs in {sandbox.kind}: {said}"

"""A world to escape into: secrets, sockets, processes and a project, and what was reached."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

CANARY = f"CANARY-{os.urandom(6).hex()}"  # another run may have left its own somewhere
SECRETS = """
.config/gh/hosts.yml .codex/auth.json .netrc .mozilla/firefox/p/logins.json .kube/config
.gnupg/private .bash_history .aws/credentials .claude/.credentials.json .claude.json
.docker/config.json .git-credentials .npmrc .pypirc .cargo/credentials.toml
.config/gcloud/credentials.db .pgpass .m2/settings.xml .gradle/gradle.properties
.config/google-chrome/Default/Cookies .password-store/x.gpg .local/share/keyrings/login.keyring
.config/Code/User/globalStorage/state.vscdb .gemini/oauth_creds.json
.local/state/laconic/trust/x.json .config/laconic/config.toml .python_history .vault-token
work/other/.env elsewhere/.env.production
""".split()
PLACES = {
    ".vscode/settings.json": "{}\n",
    ".github/workflows/ci.yml": "on: push\n",
    ".claude/settings.json": "{}\n",
    ".mcp.json": "{}\n",
    ".envrc": "true\n",
    ".npmrc": "fund=false\n",
    "conf/zed/settings.json": "{}\n",
    "a": "text\n",
    "src/main.py": "print(1)\n",
    ".env": "OWN=1\n",
}
# Not to be reached by a name: guarded files that are there, compared after every attempt.
GUARDED = (
    ".vscode/settings.json .github/workflows/ci.yml .claude/settings.json .mcp.json .envrc .npmrc "
    ".zed/settings.json .git/config .git/hooks/pre-commit .git/modules/sub/config sub/.git "
    ".gitmodules"
).split()
_GIT = {
    "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org", "GIT_ALLOW_PROTOCOL": "file",
}  # fmt: skip


class World:
    """One world; it belongs to the user that we are.

    hits: what arrived at sockets outside.
    """

    def __init__(self, base: Path, path: str) -> None:
        self.base, self._path = base, path
        self.home, self.out, self.runtime = base / "home", base / "out", base / "rt"
        self.work, self.state, self._kept = base / "work", base / "state", base / "template"
        self.project = self.work / "project"
        self.hits: list[str] = []
        self._sockets: list[socket.socket] = []
        self._ports: dict[str, str] = {}
        self._victim: subprocess.Popen[bytes] | None = None
        for place in (self.home, self.out, self.runtime, self.work / "other", self.state):
            place.mkdir(parents=True)
        self._write_secrets()
        self._write_template()
        self._listen()
        self._share_memory()

    # -- what is there -----------------------------------------------------------------------------

    def _write_secrets(self) -> None:
        keys = self.base / "keys"
        keys.mkdir()
        (keys / "id_rsa").write_text(f"{CANARY}\n")
        (self.home / ".ssh").symlink_to(keys)
        (self.out / "bysymlink").symlink_to(keys)
        for name in SECRETS:
            path = self.home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{CANARY}\n")
        for name in (".bashrc", ".profile", ".zshrc", ".gitconfig"):
            (self.home / name).write_text("# mine\n")
        (self.work / "other/keep").write_text("keep\n")
        (self.work / "other/.env").write_text(f"KEY={CANARY}\n")
        self._write_victim()

    def _write_victim(self) -> None:
        (self.out / "victimfile").write_text("victim\n")

    def _write_template(self) -> None:
        inner, outer = self.base / "inner", self._kept
        for place in (inner, outer):
            place.mkdir()
            self._git(place, "init", "-q", "-b", "main")
        (inner / "b").write_text("b\n")
        self._git(inner, "add", ".")
        self._git(inner, "commit", "-qm", "b")
        for name, text in PLACES.items():
            path = outer / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (outer / ".zed").symlink_to("conf/zed")
        self._git(outer, "submodule", "--quiet", "add", "../inner", "sub")
        self._git(outer, "add", ".")
        self._git(outer, "commit", "-qm", "all")
        hook = outer / ".git/hooks/pre-commit"
        hook.write_text("#!/bin/sh\nexit 0\n")
        hook.chmod(0o755)
        shutil.rmtree(outer / ".git/modules/sub/hooks", ignore_errors=True)

    def _git(self, place: Path, *words: str) -> None:
        environ = {"PATH": self._path, "HOME": str(self.base), **_GIT}
        allowed = ("-c", "protocol.file.allow=always")
        subprocess.run(["git", *allowed, *words], cwd=place, env=environ, check=True)

    def _listen(self) -> None:
        unix = socket.AF_UNIX
        for path in (self.runtime / "docker.sock", self.home / ".agent.sock", self.out / "s.sock"):
            self._serve(unix, socket.SOCK_STREAM, str(path))
        self._serve(unix, socket.SOCK_DGRAM, str(self.out / "d.sock"))
        for path in ("/tmp/esc-sock", "\0esc-abstract"):
            with contextlib.suppress(OSError):
                Path(path.strip("\0")).unlink(missing_ok=True)
            self._serve(unix, socket.SOCK_STREAM, path)
        for name, family, kind, place in (
            ("TCP", socket.AF_INET, socket.SOCK_STREAM, ("0.0.0.0", 0)),
            ("TCP6", socket.AF_INET6, socket.SOCK_STREAM, ("::1", 0)),
            ("UDP", socket.AF_INET, socket.SOCK_DGRAM, ("0.0.0.0", 0)),
        ):
            found = self._serve(family, kind, place)
            self._ports[name] = str(found.getsockname()[1]) if found else "9"

    def _serve(self, family, kind, place):
        server = socket.socket(family, kind)
        try:
            server.bind(place)
        except OSError:
            server.close()
            return None
        if kind == socket.SOCK_STREAM:
            server.listen(16)
        self._sockets.append(server)
        threading.Thread(target=self._note, args=(server, str(place)), daemon=True).start()
        return server

    def _note(self, server: socket.socket, name: str) -> None:
        while True:
            try:
                if server.type == socket.SOCK_STREAM:
                    server.accept()[0].close()
                else:
                    server.recv(100)
            except OSError:
                return
            self.hits.append(name)

    def _share_memory(self) -> None:
        library = ctypes.CDLL(None)
        library.shmget(0x45534331, 4096, 0o1600)

    # -- one attempt -------------------------------------------------------------------------------

    def reset(self) -> None:
        """Bring everything back to how it was before an attempt."""
        if self.project.exists():  # what is in it may not want to be removed
            self.project.rename(self.base / f"used-{time.time_ns()}")
        shutil.copytree(self._kept, self.project, symlinks=True)
        for entry in self.out.iterdir():
            if entry.name not in {"s.sock", "d.sock", "bysymlink"}:
                _remove(entry)
        self._write_victim()
        self.hits.clear()
        if self._victim is None or self._victim.poll() is not None:
            environ = {"PATH": self._path, "SESSION_TOKEN": CANARY}
            self._victim = subprocess.Popen(["sleep", "10000"], env=environ)
        os.kill(self._victim.pid, signal.SIGCONT)

    def variables(self) -> dict[str, str]:
        return {
            "PATH": self._path, "HOME": str(self.home), "UHOME": str(self.home), "LANG": "C.UTF-8",
            "PROJECT": str(self.project), "OUT": str(self.out), "RT": str(self.runtime),
            "VSOCK": "9999", "HOSTIP": _host_address(), "VICTIM": str(self._victim_id()),
            "USER": "esc", "LACONIC_STATE_DIR": str(self.state),
            "LACONIC_CACHE_DIR": str(self.state / "cache"),
            "SSH_AUTH_SOCK": str(self.home / ".agent.sock"),
            "MY_SERVICE_TOKEN": CANARY, "DATABASE_URL": f"postgres://u:{CANARY}@h/d",
            **self._ports, **_GIT,
        }  # fmt: skip

    def _victim_id(self) -> int:
        assert self._victim is not None
        return self._victim.pid

    def is_victim_hurt(self, within_s: float) -> bool:
        """Tell whether it ends or stops: a signal that was sent may arrive late."""
        deadline = time.monotonic() + within_s
        while not self._is_victim_hurt_now():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.01)
        return True

    def _is_victim_hurt_now(self) -> bool:
        assert self._victim is not None
        if self._victim.poll() is not None:
            return True
        state = Path(f"/proc/{self._victim.pid}/stat").read_text().rpartition(")")[2].split()[0]
        return state in "Tt"

    def print_of_outside(self) -> dict[str, str]:
        """Return what is outside the project, each file with a print of it."""
        found: dict[str, str] = {}
        for top in (self.home, self.out, self.runtime, self.work / "other", self.base / "keys"):
            for directory, names, files in os.walk(top):
                for name in (*names, *files):
                    path = os.path.join(directory, name)
                    found[path] = print_of(path)
        for name in os.listdir(self.work):
            found[str(self.work / name)] = ""
        for name in GUARDED:
            found[name] = print_of(self.project / name)
        return found

    def git_status(self, below: str = "") -> None:
        environ = {"PATH": self._path, "HOME": str(self.base), "GIT_CONFIG_NOSYSTEM": "1"}
        place = self.project / below
        if place.is_dir():
            subprocess.run(
                ["git", "status"], cwd=place, env=environ, check=False, timeout=20,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip

    def close(self) -> None:
        for server in self._sockets:
            server.close()
        if self._victim:
            self._victim.kill()
            self._victim.wait()
        library = ctypes.CDLL(None)
        library.shmctl(library.shmget(0x45534331, 4096, 0), 0, None)
        with contextlib.suppress(OSError):
            Path("/tmp/esc-sock").unlink()


def print_of(path: str | Path) -> str:
    """Return a text that changes with a file's content, mode, owner, time and link target."""
    try:
        status = os.stat(path)
        link = os.readlink(path) if os.path.islink(path) else ""
    except OSError:
        return "missing"
    content = ""
    if os.path.isfile(path):
        with contextlib.suppress(OSError):
            content = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    whole = os.path.isdir(path)
    moment = 0 if whole else status.st_mtime_ns
    return f"{status.st_mode:o} {status.st_uid} {moment} {link} {os.path.realpath(path)} {content}"


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def _host_address() -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"

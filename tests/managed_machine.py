"""A machine with a policy, for tests: /etc and /home of its own, and a user without any rights.

`python managed_machine.py`, as root in a mount namespace of its own, reads on stdin what the
machine has and which calls are made on it, and prints what came of them. The program is what is
installed: nothing in it knows that it is tested.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from unittest import mock

import tomlkit

UID = 12345
HOME = Path("/home/u")
PROJECT = HOME / "project"
POLICY = "/etc/laconic/policy.toml"
ROOT = Path(__file__).parent
# With processes of its own: a server that was started ends with the first of them.
NAMESPACES = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
CASES = ROOT / "cases/managed"


def can_run() -> bool:
    """Tell whether this is root, who may have mounts of its own."""
    tried = [*NAMESPACES, "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    is_root = os.geteuid() == 0 and shutil.which("unshare") is not None
    return is_root and subprocess.run(tried, check=False, capture_output=True).returncode == 0


def install() -> Path:
    """Install laconic for all users, as root would, with what it computes beside its modules."""
    import warm_server

    place = Path(tempfile.mkdtemp(prefix="managed-", dir=os.environ["TESTS_PLACE"]))
    place.chmod(0o755)
    (place / "python").mkdir()
    bin_dir = place / "bin"
    bin_dir.mkdir()
    warm_server.build_client(bin_dir / "laconic")
    with mock.patch.object(sys, "executable", python_at(place)):
        warm_server.write_program(bin_dir)
    shutil.copytree(Path(tomlkit.__file__).parent, bin_dir / "lib/tomlkit")
    started = calls(place, {"prepare": True, "calls": []})
    assert started == [], started
    return place


def python_at(place: Path) -> str:
    """Return the Python of the machine, which its user can start."""
    name = Path(os.path.realpath(sys.executable)).relative_to(sys.base_prefix)
    return str(place / "python" / name)


def calls(place: Path, machine: dict) -> list[dict]:
    """Make a machine, and return what came of the calls on it."""
    told = {"place": str(place), "base": sys.base_prefix, **machine}
    done = subprocess.run(
        [*NAMESPACES, sys.executable, __file__],
        input=json.dumps(told),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def read_cases(name: str) -> tuple[dict, dict[str, dict]]:
    """Return what all cases of a file begin with, and the cases by name."""
    document = tomllib.loads((CASES / f"{name}.toml").read_text())
    return document["machine"], document["case"]


# -- inside ------------------------------------------------------------------------------------


def _mount(*words: str) -> None:
    subprocess.run(["mount", *words], check=True)


def _make(machine: dict) -> None:
    place = Path(machine["place"])
    kept = place / "etc"
    if not kept.exists():
        shutil.copytree("/etc", kept, symlinks=True)
    _mount("-t", "tmpfs", "tmpfs", "/mnt")
    shutil.copytree(kept, "/mnt/etc", symlinks=True)
    _mount("--bind", "/mnt/etc", "/etc")
    with Path("/etc/passwd").open("a") as users:
        users.write(f"u:x:{UID}:{UID}::{HOME}:/bin/sh\n")
    _mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", "/home")
    _mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", "/var/lib")
    _mount("--bind", machine["base"], str(place / "python"))
    (PROJECT / ".git").mkdir(parents=True)
    Path("/home/elsewhere").mkdir()
    for path, text in machine.get("files", {}).items():
        target = HOME / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    for directory, _, names in os.walk("/home"):
        for name in (".", *names):
            os.chown(Path(directory, name), UID, UID, follow_symlinks=False)
    _write_policy(machine)


def _write_policy(machine: dict) -> None:
    if "policy" not in machine:
        return
    Path("/etc/laconic").mkdir(mode=0o755)
    Path(POLICY).write_text(machine["policy"])
    if "good" in machine:
        Path("/etc/laconic/policy.good.toml").write_text(machine["good"])
    for command in machine.get("as_root", ()):
        subprocess.run(["/bin/sh", "-c", command], check=True)


def _call(machine: dict, words: list[str], environ: dict, stdin: str, *, by_root: bool) -> dict:
    plain = {} if by_root else {"user": UID, "group": UID, "extra_groups": []}
    done = subprocess.run(
        words,
        input=stdin,
        **plain,
        cwd=PROJECT,
        env={
            "HOME": str(HOME),
            "PATH": f"{machine['place']}/bin:{os.environ['PATH']}",
            "LANG": "C.UTF-8",
            **environ,
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return {"status": done.returncode, "out": done.stdout, "err": done.stderr}


def main() -> None:
    machine = json.load(sys.stdin)
    _make(machine)
    if machine.get("prepare"):
        _prepare(machine)
    results = []
    for call in machine["calls"]:
        words = call.get("words") or ["/bin/sh", "-c", call["shell"]]
        if words[0] == "laconic":
            words = [f"{machine['place']}/bin/laconic", *words[1:]]
        environ, stdin = call.get("environ", {}), call.get("stdin", "")
        results.append(_call(machine, words, environ, stdin, by_root=call.get("root", False)))
    log = HOME / ".local/state/laconic/decisions.jsonl"
    if machine.get("log"):
        results.append(log.read_text() if log.exists() else "")
    print(json.dumps(results))


def _prepare(machine: dict) -> None:
    """Have root compute once what hooks need, as `laconic install --managed` does."""
    call = {"tool_name": "Bash", "tool_input": {"command": "git push && npm i"}, "cwd": "/"}
    data = json.dumps({"hook_event_name": "PreToolUse", **call}).encode()
    client = f"{machine['place']}/bin/laconic"
    environ = {**os.environ, "HOME": "/root", "LACONIC_NO_SERVER": "1", "XDG_CACHE_HOME": "/home/x"}
    environ["LACONIC_STATE_DIR"] = "/home/state"
    words = [client, "hook", "claude-code"]
    subprocess.run(words, input=data, env=environ, check=True, capture_output=True)


if __name__ == "__main__":
    main()

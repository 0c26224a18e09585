"""Measures what the policy of a machine costs a hook: calls with and without one are interleaved.

python bench/managed.py [ROUNDS], as root: p10, p50 and their ratio, warm by a server, and cold
without one. It has an /etc of its own, so that the machine keeps the policy that it has. The third
way has the same lists in the user's file, because it is rules that cost, whoever wrote them.
"""

# ruff: noqa: S603, S607 - it is about running programs
from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT)]

import warm_server  # noqa: E402 - how a client is compiled stands with the tests

ROUNDS = 40
CALLS = 10
COLD_CALLS = 2
POLICY = """name = "acme"
serial = 17
on_failure = "ask"
[require.settings]
profile = "default"
[require.commands]
deny = ["terraform apply", "nc"]
ask = ["npm publish"]
[require.effects]
installs = "ask"
[require.paths]
never_write = ["deploy/**"]
secret = ["~/vault.txt"]
"""
CONFIG = '[settings]\nprofile = "default"\n'
RULES = """[commands]
deny = ["terraform apply", "nc"]
ask = ["npm publish"]
[effects]
installs = "ask"
[paths]
never_write = ["deploy/**"]
secret = ["~/vault.txt"]
"""
INSIDE = "inside"


def main(argv: list[str]) -> None:
    if argv[1:2] != [INSIDE]:
        words = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
        subprocess.run([*words, sys.executable, __file__, INSIDE, *argv[1:]], check=True)
        return
    rounds = int(argv[2]) if len(argv) > 2 else ROUNDS  # noqa: PLR2004
    with tempfile.TemporaryDirectory(dir="/var/lib") as place:
        measure(Path(place), rounds)


def measure(place: Path, rounds: int) -> None:
    shutil.copytree("/etc", place / "etc", symlinks=True)
    subprocess.run(["mount", "--bind", place / "etc", "/etc"], check=True)
    folder = Path("/etc/laconic")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name in ("bin", "home", "home/project", "home/project/.git"):
        (place / name).mkdir()
    installed = warm_server.install(place / "bin", place / "home")
    config = place / "home/.config/laconic/config.toml"
    config.parent.mkdir(parents=True)
    for name, count, environ in (
        ("warm", CALLS, installed.environ),
        ("cold", COLD_CALLS, {**installed.environ, "LACONIC_NO_SERVER": "1"}),
    ):
        costs: dict[str, list[float]] = {"without": [], "with": [], "the user's": []}
        for _ in range(rounds if name == "warm" else max(3, rounds // 4)):
            for which, found in costs.items():
                put(folder, POLICY if which == "with" else None)
                config.write_text(CONFIG + RULES if which == "the user's" else CONFIG)
                call(installed, environ)  # what changed is read again
                found += [call(installed, environ) for _ in range(count)]
        report(name, costs)
    subprocess.run([installed.client, "server", "stop"], env=installed.environ, check=False)
    shutil.rmtree(installed.runtime, ignore_errors=True)
    os.sync()
    subprocess.run(["umount", "/etc"], check=False)


def put(folder: Path, text: str | None) -> None:
    path = folder / "policy.toml"
    if text is None:
        path.unlink(missing_ok=True)
    else:
        path.write_text(text)
        path.chmod(0o644)


def call(installed: warm_server.Installation, environ: dict[str, str]) -> float:
    start = time.perf_counter()
    done = installed.hook("git status && ls | head -3", env=environ)
    assert done.returncode == 0, done
    return (time.perf_counter() - start) * 1000


def report(name: str, costs: dict[str, list[float]]) -> None:
    for label, number in (("p10", 10), ("p50", 50)):
        without, policy, users = (
            statistics.quantiles(found, n=100)[number - 1] for found in costs.values()
        )
        print(
            f"{name} {label}: {without:.2f} ms without a policy, {policy:.2f} ms with one"
            f" (ratio {policy / without:.2f}), {users:.2f} ms with the same rules of a user's"
            f" (ratio {users / without:.2f})"
        )


if __name__ == "__main__":
    main(sys.argv)

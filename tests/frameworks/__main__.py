"""`make frameworks`: runs the adapters with real frameworks and scripted models; prints a table.

The heavy frameworks are left out unless `--all` is given. Words name single frameworks.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from frameworks.scenario import ABILITIES

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CACHE = Path(
    os.environ.get("LACONIC_FRAMEWORKS_CACHE") or Path.home() / ".cache/laconic-frameworks"
)
LIMIT_S = 180
NOT_REACHABLE = "the index of Python's packages is not reachable"


class Framework(NamedTuple):
    """As frameworks.toml describes it."""

    name: str
    title: str
    packages: Sequence[str]
    heavy: bool = False
    python: str = ""
    environment: Mapping[str, str] = {}
    beside: str = ""

    @property
    def directory(self) -> Path:
        return CACHE / self.name

    @property
    def program(self) -> Path:
        return self.directory / "bin/python"

    def is_there(self) -> bool:
        mark = self.directory / "packages"
        return mark.exists() and mark.read_text().split() == self._wanted()

    def _wanted(self) -> list[str]:
        return ["tomlkit", *self.packages]  # what laconic itself needs comes first

    def fetch(self) -> str:
        """Make the environment; return what is in the way, or nothing."""
        packages = self._wanted()
        python = _python(self.python)
        if not python:
            return f"Python {self.python} is not installed"
        shutil.rmtree(self.directory, ignore_errors=True)
        CACHE.mkdir(parents=True, exist_ok=True)
        pip = [self.program, "-m", "pip", "--quiet", "--disable-pip-version-check"]
        install = [*pip, "install", "--retries", "1", *packages]
        for step in ([python, "-m", "venv", self.directory], install):
            done = subprocess.run(step, capture_output=True, text=True, check=False)
            if "after connection broken by" in done.stderr and done.returncode:
                return NOT_REACHABLE
            if done.returncode:
                return f"it cannot be fetched: {done.stderr.strip().rpartition(chr(10))[2]}"
        (self.directory / "packages").write_text("\n".join(packages))
        return ""

    def run(self) -> dict[str, Any]:
        """What its driver saw, in a home of its own and without a network."""
        nowhere = "http://127.0.0.1:9"
        with tempfile.TemporaryDirectory() as home:
            environment = {
                "HOME": home,
                "PATH": "/usr/bin:/bin",
                "LANG": "C.UTF-8",
                "PYTHONPATH": f"{ROOT / 'src'}:{ROOT / 'tests'}",
                "PYTHONDONTWRITEBYTECODE": "1",
                "HTTPS_PROXY": nowhere,
                "HTTP_PROXY": nowhere,
                "NO_PROXY": "127.0.0.1",
                "BESIDE": str(CACHE / self.beside / "bin/python"),
                **self.environment,
            }
            place = Path(home, "project")
            place.mkdir()
            driver = HERE / f"drivers/{self.name}.py"  # -P: its name is that of the framework
            argv = [self.program, "-P", driver]
            return _result(argv, place, environment)


def _result(argv: Sequence[Any], place: Path, environment: Mapping[str, str]) -> dict[str, Any]:
    try:
        done = subprocess.run(
            argv,
            cwd=place,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=LIMIT_S,
        )
    except subprocess.TimeoutExpired:
        return {"faults": [f"it took more than {LIMIT_S} s"]}
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    if not lines or done.returncode:
        return {"faults": [f"ended with {done.returncode}", done.stderr[-3000:]]}
    results = [json.loads(line.removeprefix("RESULT ")) for line in lines]
    faults = [fault for result in results for fault in result["faults"]]
    if faults:
        faults.append(done.stderr[-3000:])
    return {"abilities": results[0]["abilities"], "faults": faults}


def _python(least: str) -> str:
    """Return a Python of this version or a later one; empty if there is none."""
    if not least:
        return sys.executable
    done = subprocess.run([ROOT / ".ci/pythons"], capture_output=True, text=True, check=True)
    found = [line.split(maxsplit=1) for line in done.stdout.splitlines()]
    return next((path for number, path in found if _number(number) >= _number(least)), "")


def _number(version: str) -> list[int]:
    return [int(part) for part in version.split(".")[:2]]


def read_frameworks() -> list[Framework]:
    document = tomllib.loads((HERE / "frameworks.toml").read_text(encoding="utf-8"))
    return [Framework(name=name, **table) for name, table in document.items()]


def _missing(frameworks: Sequence[Framework], offline: str) -> str:
    """Make the environments that are not there; give what is in the way, or nothing."""
    wanted = (framework for framework in frameworks if not framework.is_there())
    return next(filter(None, (offline or framework.fetch() for framework in wanted)), "")


def _row(title: str, words: Sequence[str], rest: str = "") -> None:
    print(f"{title:28}" + "".join(f"{word:9}" for word in words) + rest, flush=True)


def main(arguments: Sequence[str]) -> int:
    names = {argument for argument in arguments if argument != "--all"}
    faults: list[str] = []
    ran = skipped = 0
    offline = ""
    known = {framework.name: framework for framework in read_frameworks()}
    _row("framework", ABILITIES)
    for framework in known.values():
        if names and framework.name not in names:
            continue
        why = "" if names or "--all" in arguments or not framework.heavy else "it is heavy"
        needed = (framework, known[framework.beside]) if framework.beside else (framework,)
        why = why or _missing(needed, offline)
        offline = offline or (why if why == NOT_REACHABLE else "")  # for all others, too
        if why:
            skipped += 1
            _row(framework.title, (), f"skipped: {why}")
            continue
        start = time.monotonic()
        result = framework.run()
        ran += 1
        words = [result.get("abilities", {}).get(name, "?") for name in ABILITIES]
        took = f"{time.monotonic() - start:3.0f} s"
        _row(framework.title, words, f"{took}  {' '.join(framework.packages)}")
        faults += [f"{framework.title}: {fault}" for fault in result["faults"]]
    print(f"{ran} ran, {skipped} skipped. kept: the reminder stays in the history.")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

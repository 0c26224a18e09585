"""`make inspector`: asks `laconic mcp` with the MCP inspector, under both versions of mcp."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from frameworks.__main__ import CACHE, ROOT, Framework, read_frameworks

VERSION = "2.12.0"
CASES = ROOT / "tests/cases/mcp/inspector.cases"
LIMIT_S = 60


def fetch() -> Path:
    """Return the program; npm brings it where it is not there yet."""
    place = CACHE / f"inspector-{VERSION}"
    program = place / "node_modules/.bin/mcp-inspector"
    if not program.exists():
        place.mkdir(parents=True, exist_ok=True)
        package = f"@modelcontextprotocol/inspector@{VERSION}"
        subprocess.run(["npm", "install", "--silent", "--prefix", place, package], check=True)
    return program


def cases() -> Iterator[tuple[int, list[str], list[str]]]:
    """A status, the arguments, and what must be printed, of each paragraph of the file."""
    for part in re.split(r"\n{2,}", CASES.read_text(encoding="utf-8")):
        lines = [line for line in part.splitlines() if line and not line.startswith("#")]
        if lines:
            status, _, arguments = lines[0].partition(" ")
            yield int(status), shlex.split(arguments), lines[1:]


def faults(inspector: Path, framework: Framework, home: Path) -> Iterator[str]:
    """What differs from the cases, with the server of an environment."""
    server = [framework.program, "-P", "-m", "laconic", "mcp"]
    environment = {
        "HOME": str(home),
        "PATH": f"{Path(shutil.which('node') or '/').parent}:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(ROOT / "src"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    told = [f"-e{name}={value}" for name, value in environment.items()]
    for status, arguments, wanted in cases():
        done = subprocess.run(
            [inspector, "--cli", *told, *map(str, server), *arguments],
            cwd=home,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=LIMIT_S,
        )
        shown = done.stdout + done.stderr
        closed = re.sub(r"\s*\n\s*|(?<=[\":,]) (?=[\"\w{\[])", "", shown)
        lacking = [text for text in wanted if text not in shown and text not in closed]
        if done.returncode != status or lacking:
            what = f"{framework.title}: {shlex.join(arguments)}"
            yield f"{what}: status {done.returncode}, without {lacking}: {shown}"


def main() -> int:
    if shutil.which("npm") is None:
        print("skipped: npm is not installed")
        return 0
    inspector, found = fetch(), []
    for framework in read_frameworks():
        if framework.name not in ("mcp", "mcp_1"):
            continue
        why = "" if framework.is_there() else framework.fetch()
        if why:
            print(f"{framework.title}: skipped: {why}")
            continue
        with tempfile.TemporaryDirectory() as home:
            here = list(faults(inspector, framework, Path(home)))
        count = len(list(cases()))
        print(f"{framework.title}: {count - len(here)} of {count}")
        found += here
    for fault in found:
        print(fault, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

"""`python -m box.registries [NAME...]`: have real package managers fetch in the box.

Which hosts that takes is learned from each while this runs, by its own settings; nothing is written
down. Each asks its question outside, then in a box that leads nowhere, where the first host must be
named, and then in one that leads to what was learned. A manager that is not installed, or that
cannot fetch outside, is left out by its name. The home is a new one, so that nothing is cached.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from laconic.box.learn import Manager, ask, managers

LACONIC = [sys.executable, "-I", "-m", "laconic"]
_LIMIT_S = 300


def tried(manager: Manager, place: Path, environ: dict[str, str]) -> str:
    """Say how a manager fared."""
    project = place / manager.name
    words = [manager.program if word == "PROGRAM" else word for word in manager.ask]

    def run(*before: str) -> subprocess.CompletedProcess[str]:
        subprocess.run(["rm", "-rf", project], check=True)
        for name, text in manager.files.items():
            (project / name).parent.mkdir(parents=True, exist_ok=True)
            (project / name).write_text(text)
        project.mkdir(exist_ok=True)
        subprocess.run(["git", "init", "-q", project], check=True)
        return subprocess.run(
            [*before, *words], cwd=project, env=environ, capture_output=True, text=True,
            check=False, timeout=_LIMIT_S,
        )  # fmt: skip

    hosts = ask(manager, environ)
    if not hosts:
        return "left out: it contacts nobody from here"
    boxed = [*LACONIC, "box", "--raw"]
    refused = run(*boxed)
    if not any(f"did not let it reach {host.name}:" in refused.stderr for host in hosts):
        return f"FAILED: nothing was said of a refusal\n{refused.stderr}"
    for host in hosts:
        words_of_line = [*LACONIC, "allow", "--host", str(host)]
        subprocess.run(words_of_line, env=environ, cwd=project, check=True, capture_output=True)
    done = run(*boxed)
    for host in hosts:
        words_of_line = [*LACONIC, "allow", "--remove", str(host)]
        subprocess.run(words_of_line, env=environ, cwd=project, check=True, capture_output=True)
    if done.returncode == 0:
        return f"ok: {len(hosts)} hosts"
    if run().returncode != 0:
        return "left out: it cannot fetch outside either"
    return f"FAILED: {done.returncode}\n{done.stdout}{done.stderr}"


def main() -> int:
    wanted = sys.argv[1:]
    has_failed = False
    above = "/var/lib" if os.geteuid() == 0 else str(Path("~").expanduser())
    with tempfile.TemporaryDirectory(
        prefix="laconic-registries-", dir=above, ignore_cleanup_errors=True
    ) as folder:
        place = Path(folder)
        (place / "home").mkdir()
        environ = {**os.environ, "HOME": str(place / "home")}
        for name in [name for name in environ if name.startswith(("XDG_", "LACONIC_"))]:
            del environ[name]
        environ.setdefault("RUSTUP_HOME", str(Path("~/.rustup").expanduser()))  # where rustc is
        for manager in managers(environ):
            if wanted and manager.name not in wanted:
                continue
            said = tried(manager, place, environ) if manager.program else "left out: not installed"
            print(f"{manager.name:10} {said}", flush=True)
            has_failed = has_failed or said.startswith("FAILED")
    return int(has_failed)


if __name__ == "__main__":
    sys.exit(main())

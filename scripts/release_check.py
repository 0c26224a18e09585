"""Builds every package, installs each in a clean environment, and tries the program there.

python scripts/release_check.py DIRECTORY REPOSITORY, in an environment with build, twine and
others: make release-check. The packages are left in DIRECTORY/dist, and a line for what was not
tried as this machine cannot.
"""

from __future__ import annotations

import email
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path

import wheels
from first_steps import DENIED

ROOT = Path(__file__).parent.parent
PACKAGES = ROOT / "packages"
TOOLS = Path(sys.executable).parent
THIS = f"{'macos' if sys.platform == 'darwin' else sys.platform}-{platform.machine()}"


def main(argv: list[str]) -> int:
    place, repository = Path(argv[0]).resolve(), argv[1]
    packages = build(place, repository)
    for package in packages.values():
        examine(package, repository)
    say("the packages", f"{len(packages)} in {place / 'dist'}")
    for name in (THIS, wheels.PURE, "source"):
        program = install(packages[name], place / "clean")
        run([sys.executable, ROOT / "scripts/first_steps.py", program, place / "home"])
        kind = "in Python" if name == wheels.PURE else "in C"
        say(name, f"installed in a clean environment and tried; its client is {kind}")
    for name in wheels.TARGETS.keys() - {THIS}:
        emulate(name, packages[name], place / "emulated")
    manifests(install(packages[THIS], place / "clean"), place)
    run([sys.executable, ROOT / "scripts/image_steps.py", packages[THIS]], shown=True)
    return 0


def say(what: str, text: str) -> None:
    print(f"{what}: {text}", flush=True)


def run(command: list[str | Path], *, shown: bool = False, **options: object) -> str:
    """Run a program that must succeed; return what it printed, or show it."""
    status = options.pop("status", 0)
    pipe = None if shown else subprocess.PIPE
    done = subprocess.run(  # type: ignore[call-overload]  # noqa: S603
        command, stdout=pipe, stderr=shown or subprocess.STDOUT, text=True, check=False, **options
    )
    if done.returncode != status:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout or ''}ended with {done.returncode}")
    return str(done.stdout)


# -- the packages ----------------------------------------------------------------------------------


def build(place: Path, repository: str) -> dict[str, Path]:
    """Make every wheel and the source package, and put them where an upload takes them from."""
    shutil.rmtree(place / "dist", ignore_errors=True)
    wheels.build_all(place / "wheels", repository)
    (place / "dist").mkdir()
    packages = {}
    for name in (*wheels.TARGETS, wheels.PURE):
        wheel = wheels.wheel_of(place / "wheels", name)
        say(name, wheels.examine(wheel, name))
        packages[name] = Path(shutil.copy2(wheel, place / "dist"))
    environ = os.environ | {"LACONIC_REPOSITORY": repository}
    run([sys.executable, "-m", "build", "--sdist", "--outdir", place / "dist", ROOT], env=environ)
    (packages["source"],) = (place / "dist").glob("*.tar.gz")
    run([TOOLS / "twine", "check", "--strict", *packages.values()])
    return packages


def examine(package: Path, repository: str) -> None:
    """Check what an index looks at."""
    if package.suffix == ".whl":
        with zipfile.ZipFile(package) as archive:
            (name,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
            text = archive.read(name).decode()
    else:
        with tarfile.open(package) as archive:
            (member,) = (m for m in archive.getmembers() if m.name.count("/") == 1
                         and m.name.endswith("/PKG-INFO"))  # fmt: skip
            text = archive.extractfile(member).read().decode()  # type: ignore[union-attr]
    metadata = email.message_from_string(text)
    urls = metadata.get_all("Project-URL") or []
    assert len(urls) >= 4 and all(repository in url for url in urls), urls  # noqa: PLR2004, PT018
    readme = metadata.get_payload()
    assert isinstance(readme, str)
    relative = re.findall(r"\]\((?!https?://|#)[^)]*\)", readme)
    assert not relative, f"{package.name}: links that lead nowhere on an index: {relative}"
    if "manylinux" in package.name:
        say("auditwheel", " ".join(run([TOOLS / "auditwheel", "show", package]).split()))


def install(package: Path, place: Path) -> Path:
    """Install it where nothing else is; return the program."""
    shutil.rmtree(place, ignore_errors=True)
    run([sys.executable, "-m", "venv", place])
    run([place / "bin/pip", "install", "--quiet", "--disable-pip-version-check", package])
    return place / "bin/laconic"


def emulate(name: str, package: Path, place: Path) -> None:
    """Run the client of another machine as far as it goes without a Python of that machine."""
    emulator = shutil.which(f"qemu-{name.rpartition('-')[2]}-static")
    if not name.startswith("linux") or emulator is None:
        say(name, "not run: this machine has nothing that emulates it")
        return
    shutil.rmtree(place, ignore_errors=True)
    client = place / "laconic"
    with zipfile.ZipFile(package) as archive:
        (member,) = (n for n in archive.namelist() if n.endswith("/scripts/laconic"))
        client.parent.mkdir(parents=True)
        client.write_bytes(archive.read(member))
    client.chmod(0o755)
    environ = {"HOME": str(place), "XDG_RUNTIME_DIR": str(place), "PATH": "/usr/bin:/bin"}
    told = run([emulator, client, "run", "sh", "-c", "echo told; exit 7"], env=environ, status=7)
    assert told == "told\n", told
    denied = run([emulator, client, "hook", "claude-code"], env=environ, input=json.dumps(DENIED))
    assert "laconic cannot start" in denied, denied
    say(name, "emulated without a Python: a run keeps output and status, a hook says what is wrong")


# -- what else is published ------------------------------------------------------------------------


def manifests(program: Path, place: Path) -> None:
    version = run([program, "--version"]).split()[1]
    plugin = PACKAGES / "claude-code"
    for path in (plugin / ".claude-plugin/plugin.json",
                 PACKAGES / "devcontainer/laconic/devcontainer-feature.json"):  # fmt: skip
        assert json.loads(path.read_text())["version"] == version, f"{path} is of another version"
    scripts = sorted(PACKAGES.rglob("*.sh"))
    optional("shellcheck", "the scripts of packages/", [*scripts])
    optional("claude", "the plugin and the marketplace", ["plugin", "validate", plugin],
             ["plugin", "validate", ROOT])  # fmt: skip
    feature = ["features", "package", "-o", place / "feature", PACKAGES / "devcontainer/laconic"]
    optional("devcontainer", "the feature", [*feature, "--force-clean-output-folder"])
    schema = ["--builtin-schema", "vendor.github-actions", PACKAGES / "action/action.yml"]
    run([TOOLS / "check-jsonschema", *schema])
    judge(program)


def optional(name: str, what: str, *calls: list[str | Path]) -> None:
    """Let another program examine something, where it is installed."""
    found = shutil.which(name)
    if not found:
        say(what, f"not examined by {name}, which is not installed")
        return
    for words in calls:
        run([found, *words])
    say(what, f"{name} finds no fault")


def judge(program: Path) -> None:
    """Run the step of the action as a runner does."""
    environ = os.environ | {"PATH": f"{program.parent}:{os.environ['PATH']}"}
    script = PACKAGES / "action/judge.sh"
    started = time.monotonic()
    for commands, accept, status in (
        ("git status\n\nls -l", "allow", 0),
        ("git status\ngit push", "allow", 1),
        ("git status\ngit push", "ask", 0),
        ("rm -rf /", "ask", 1),
    ):
        given = {"COMMANDS": commands, "ACCEPT": accept, "PROFILE": "default"}
        run([script], env=environ | given | {"LACONIC_NO_SERVER": "1"}, status=status)
    say("the action", f"judges as it should ({time.monotonic() - started:.0f} s)")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

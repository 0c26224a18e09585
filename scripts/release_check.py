"""Builds every package, installs each in a clean environment, and tries the program there.

python scripts/release_check.py DIRECTORY REPOSITORY, in an environment with build, twine and
others: make release-check. The packages are left in DIRECTORY/dist. What cannot be tried on
this machine is said so.
"""

from __future__ import annotations

import email
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = ROOT / "packages"
TOOLS = Path(sys.executable).parent
DENIED = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": "/"} | {
    "tool_input": {"command": "rm -rf /"}
}


def main(argv: list[str]) -> int:
    place, repository = Path(argv[0]).resolve(), argv[1]
    native, pure, source = build(place, repository)
    for package in (native, pure, source):
        examine(package, repository)
    say("the packages", f"{len(list((place / 'dist').iterdir()))} in {place / 'dist'}")
    for package in (native, pure, source):
        program = install(package, place / "clean")
        use(program, place / "home")
        kind = "in C" if program.read_bytes()[:4] == b"\x7fELF" else "in Python"
        say(package.name, f"installed in a clean environment and tried; its client is {kind}")
    manifests(install(native, place / "clean"), place)
    run([sys.executable, ROOT / "scripts/image_steps.py", native], shown=True)
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


def build(place: Path, repository: str) -> tuple[Path, Path, Path]:
    """Make the wheel in C, the wheel in Python and the source package; the wheels from the last."""
    shutil.rmtree(place / "dist", ignore_errors=True)
    environ = os.environ | {"LACONIC_REPOSITORY": repository}
    environ.pop("LACONIC_NO_NATIVE", None)
    make = [sys.executable, "-m", "build", "--outdir", place / "dist"]
    run([*make, ROOT], env=environ)
    (native,) = (place / "dist").glob("*.whl")
    (source,) = (place / "dist").glob("*.tar.gz")
    run([*make, "--wheel", ROOT], env=environ | {"LACONIC_NO_NATIVE": "1"})
    (pure,) = (place / "dist").glob("*-none-any.whl")
    run([TOOLS / "twine", "check", "--strict", native, pure, source])
    return native, pure, source


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
    if package.suffix == ".whl" and not package.name.endswith("-none-any.whl"):
        tag = package.stem.rpartition("-")[2]
        assert "manylinux" in tag, f"{package.name}: an index does not take {tag}"
        say("auditwheel", " ".join(run([TOOLS / "auditwheel", "show", package]).split()))


def install(package: Path, place: Path) -> Path:
    """Install it where nothing else is; return the program."""
    shutil.rmtree(place, ignore_errors=True)
    run([sys.executable, "-m", "venv", place])
    run([place / "bin/pip", "install", "--quiet", "--disable-pip-version-check", package])
    return place / "bin/laconic"


def use(program: Path, home: Path) -> None:
    """Do what a stranger does first, in a home of its own."""
    shutil.rmtree(home, ignore_errors=True)
    (home / "project").mkdir(parents=True)
    path = f"{program.parent}:/usr/bin:/bin"
    environ = {"HOME": str(home), "PATH": path, "XDG_RUNTIME_DIR": str(home), "LANG": "C.UTF-8"}

    def typed(*words: str, status: int = 0, stdin: str = "") -> str:
        return run([program, *words], status=status, env=environ, cwd=home / "project", input=stdin)

    try:
        assert typed("--version").startswith("laconic ")
        assert typed("check", "git status").startswith("allow ")
        assert typed("check", "rm -rf /", status=20).startswith("deny ")
        assert "claude-code" in typed("install", "claude-code", "--global", "--yes")
        assert "laconic hook claude-code" in (home / ".claude/settings.json").read_text()
        assert '"deny"' in typed("hook", "claude-code", stdin=json.dumps(DENIED))
        assert "lines hidden: laconic recall" in typed("run", "seq", "-f", "ok %g", "500")
        assert "tokens" in typed("gain")
        typed("doctor")  # ends with 1 if something does not work
        typed("uninstall", "claude-code")
        assert not (home / ".claude/settings.json").exists()
    finally:
        typed("server", "stop")


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

"""Carries out what a Dockerfile or a feature's install.sh says, without a container engine.

python scripts/image_steps.py WHEEL, as root on Debian. Each stage gets the files of this machine
under a layer of its own that takes all changes, and is gone afterwards. That shows that the steps
work; it does not show that the base image has what they need.
"""

from __future__ import annotations

import json
import os
import shlex  # noqa: TID251 - for lines of a Dockerfile, which are ours
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
PACKAGES = ROOT / "packages"
KEPT = ("PIP_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT")
# $1: the layer's directory; $2: the script. The mounts end with the process.
ENTER = """set -eu
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
for place in proc dev sys; do mount --rbind "/$place" "$1/root/$place"; done
exec chroot "$1/root" /bin/sh -euc "$2"
"""


class Layer(NamedTuple):
    """A root directory that begins as this machine's."""

    directory: Path

    @property
    def upper(self) -> Path:
        return self.directory / "upper"

    def run(self, script: str) -> str:
        keep = {name: value for name, value in os.environ.items() if name.startswith(KEPT)}
        environ = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": "/root"} | keep
        done = subprocess.run(  # noqa: S603 - the steps are ours
            ["unshare", "--mount", "sh", "-c", ENTER, "sh", self.directory, script],  # noqa: S607
            env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            sys.exit(f"{script}\n{done.stdout}\nended with {done.returncode}")
        return done.stdout


def new_layer(place: Path, name: str) -> Layer:
    for part in ("upper", "work", "root"):
        (place / name / part).mkdir(parents=True)
    return Layer(place / name)


def instructions(text: str) -> list[tuple[str, str]]:
    """Return the words of a Dockerfile and what follows them."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    parts = (line.strip().partition(" ") for line in joined.splitlines() if line.strip())
    return [(word, " ".join(rest.split())) for word, _, rest in parts]


def build(place: Path) -> tuple[Layer, str, list[str]]:
    """Carry out all stages; return the last, its user and what it starts."""
    stages: dict[str, Layer] = {}
    layer, user, start = new_layer(place, "none"), "root", []
    for word, rest in instructions((PACKAGES / "Dockerfile").read_text()):
        match word:
            case "FROM":
                name = rest.rpartition(" AS ")[2]
                layer = stages[name] = new_layer(place, f"stage{len(stages)}")
            case "RUN":
                layer.run(rest)
            case "COPY":
                copy(rest.split(), layer, stages)
            case "USER":
                user = rest
            case "ENTRYPOINT":
                start = json.loads(rest)
            case "WORKDIR" | "CMD":
                pass
            case _:
                sys.exit(f"packages/Dockerfile: {word} is not known here")
    return layer, user, start


def copy(words: list[str], layer: Layer, stages: dict[str, Layer]) -> None:
    target = layer.upper / words[-1].lstrip("/")
    if words[0].startswith("--from="):
        source = stages[words[0].partition("=")[2]].upper / words[1].lstrip("/")
        shutil.copytree(source, target, symlinks=True)
        return
    target.mkdir(parents=True)
    ignored = (PACKAGES / "Dockerfile.dockerignore").read_text().split()
    for name in (line[1:] for line in ignored if line.startswith("!")):
        take = shutil.copytree if (ROOT / name).is_dir() else shutil.copyfile
        take(ROOT / name, target / name)


def try_image(place: Path) -> None:
    layer, user, start = build(place)
    program = " ".join(map(shlex.quote, start))
    as_user = f"runuser -u {user} -- env HOME=/home/{user} LACONIC_NO_SERVER=1 {program}"
    assert layer.run(f"{as_user} check 'git status'").startswith("allow ")
    assert layer.run(f"{as_user} check 'rm -rf /' || [ $? = 20 ]").startswith("deny ")
    assert "native client" in layer.run(f"{as_user} doctor")


def try_feature(place: Path, wheel: Path) -> None:
    layer = new_layer(place, "feature")
    inside = layer.upper / "feature"
    shutil.copytree(PACKAGES / "devcontainer/laconic", inside)
    shutil.copy(wheel, inside)
    layer.run("useradd --create-home vscode")
    said = layer.run("AGENTS='claude-code codex' PROFILE=work /feature/install.sh")
    assert said.splitlines()[-1].startswith("laconic "), said
    settings = "/usr/local/share/laconic/install-agents"
    layer.run(f"runuser -u vscode -- env HOME=/home/vscode LACONIC_NO_SERVER=1 {settings}")
    home = layer.upper / "home/vscode"
    assert "laconic hook claude-code" in (home / ".claude/settings.json").read_text()
    assert (home / ".codex/hooks.json").exists()
    assert 'profile = "work"' in (home / ".config/laconic/config.toml").read_text()


def why_not() -> str:
    """Say what prevents all of this, or nothing."""
    if sys.platform != "linux" or os.geteuid() or not shutil.which("unshare"):
        return "this takes root on Linux, and unshare"
    if not Path("/etc/debian_version").exists():
        return "this is not Debian"
    return ""


def main(argv: list[str]) -> int:
    if reason := why_not():
        print(f"not tried: {reason}")
        return 0
    with tempfile.TemporaryDirectory(prefix="laconic-image-") as folder:
        try_image(Path(folder))
        print("the steps of packages/Dockerfile work, and laconic answers in what they make")
        try_feature(Path(folder), Path(argv[0]).resolve())
        print("the feature's install.sh works, and the agents that it names have the hook")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

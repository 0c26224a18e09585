"""Puts the executable `laconic` into the wheel: the client in C, or the one in Python.

The one in Python is used where no compiler is, and where LACONIC_NO_NATIVE is set.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FLAGS = ("-std=c11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra")
# Code that runs before the C library is started must not call it, nor must the compiler.
BARE = (
    "-DLACONIC_BARE", "-Wl,-e,bare_entry", "-static", "-fno-builtin", "-fno-stack-protector",
    "-fno-tree-loop-distribute-patterns",
)  # fmt: skip
TWIN = """#!python
import sys

from laconic.cli.twin import main

sys.exit(main())
"""


class ClientBuildHook(BuildHookInterface[Any]):
    """Called by hatchling for every wheel, an editable one included."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        self.made = Path(tempfile.mkdtemp(prefix="laconic-build-"))
        script = self.made / "laconic"
        complaint = compile_client(Path(self.root, "client"), script, self.metadata.version)
        if complaint:
            self.app.display_warning(f"{complaint}: installing the slower client in Python")
            script.write_text(TWIN)
            script.chmod(0o755)
        else:
            build_data["pure_python"] = False
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["tag"] = f"py3-none-{platform}"
        build_data["shared_scripts"][str(script)] = "laconic"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        shutil.rmtree(self.made)


def compile_client(sources: Path, target: Path, version: str) -> str:
    """Compile it; what is in the way, or an empty text."""
    if os.environ.get("LACONIC_NO_NATIVE", "") not in ("", "0"):
        return "LACONIC_NO_NATIVE is set"
    if sys.platform == "win32":
        return "on Windows there is no client in C"
    compiler = os.environ.get("CC", "cc").split()
    if not compiler or shutil.which(compiler[0]) is None:
        return "there is no C compiler"
    files = sorted(map(str, sources.glob("*.c")))
    command = [*compiler, *FLAGS, f'-DLACONIC_VERSION="{version}"', *files, "-o", str(target)]
    # The less is loaded and started before it, the sooner a hook is answered (client/bare.c); not
    # every system has what that takes.
    for extra in (BARE, ("-static",), ()):
        done = subprocess.run(  # noqa: S603 - the user's own compiler
            [*command, *extra], capture_output=True, text=True, check=False
        )
        if done.returncode == 0 and (extra is not BARE or works(target)):
            return ""
    return f"the C compiler failed:\n{done.stderr}"


def works(client: Path) -> bool:
    """Tell whether it starts in both ways; with nothing beside it, a hook says nothing."""
    calls = ([str(client), "hook"], [str(client), "run", "true"])
    found = [
        subprocess.run(call, stdin=subprocess.DEVNULL, capture_output=True, check=False)  # noqa: S603
        for call in calls
    ]
    return all((done.returncode, done.stdout, done.stderr) == (0, b"", b"") for done in found)

"""Puts the executables into the wheel: the client `laconic`, and `laconic-py`, which it asks.

The client is in C, or in Python if there is no compiler or LACONIC_NO_NATIVE is set. For an index,
LACONIC_REPOSITORY is the address of the repository: links of the README then lead there. With
LACONIC_TARGET, a name of TARGETS, the programs are compiled by zig for machines of that kind.
"""

from __future__ import annotations

import os
import re
import shutil
import struct
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface
from packaging.tags import sys_tags

FLAGS = ("-std=c11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra")
# Code that runs before the C library is started must not call it, nor must the compiler.
BARE = (
    "-DLACONIC_BARE", "-Wl,-e,bare_entry", "-static", "-fno-builtin", "-fno-stack-protector",
)  # fmt: skip
BARE_BY_GCC = (*BARE, "-fno-tree-loop-distribute-patterns")
STATIC = ("-static",)
# An installer puts its interpreter into a line that is `#!python`, and drops what follows there.
INTERPRETER = "#!python\n# The first line names the interpreter of laconic, for laconic-py.\n"
# Read by the shell and by Python. The shell starts Python with -I: neither variables of the caller
# nor files of the directory that it is called in have a say in what is loaded. Without -I they
# would have had it before the first line of ours.
SCRIPT = r"""#!/bin/sh
''':'
file=$0
while [ -h "$file" ]; do
    link=$(PATH=/usr/bin:/bin; readlink "$file")
    case $link in /*) file=$link ;; *) file=${file%/*}/$link ;; esac
done
case $file in */*) ;; *) file=./$file ;; esac
{ read -r line; read -r second; } < "${file%/*}/laconic-interpreter"
python=${line#??}
if [ "$python" = /bin/sh ]; then # how installers write a path that is long or has blanks
    python=${second#*exec?' '}
    python=${python%' '?'$0'*}
    case $python in '"'*'"' | "'"*"'") python=${python#?} python=${python%?} ;; esac
fi
# Not every shell passes on what it does not understand: exported functions, IFS, PWD.
laconic_environ=$({ PATH=/usr/bin:/bin; base64 < /proc/$$/environ; } 2> /dev/null)
[ ${#laconic_environ} -lt 120000 ] || laconic_environ= # no variable may be longer (man 2 execve)
export laconic_environ
[ -x "$python" ] && exec "$python" -I "$0" "$@"
echo "laconic: ${python:-its Python} cannot be run: install laconic again" >&2
exit @status@
'''
import sys

try:
    from laconic.__main__ import @function@
except ModuleNotFoundError:
    # Installed for a user, below whose base this file is; -I leaves that out.
    import site
    from os.path import dirname, realpath

    site.USER_BASE, site.USER_SITE = dirname(dirname(realpath(__file__))), None
    site.addsitedir(site.getusersitepackages())
    from laconic.__main__ import @function@
sys.exit(@function@())
"""


class ClientBuildHook(BuildHookInterface[Any]):
    """Called by hatchling for every wheel, an editable one included."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        self.made = Path(tempfile.mkdtemp(prefix="laconic-build-"))
        script = self.made / "laconic"
        target = TARGETS[name] if (name := os.environ.get("LACONIC_TARGET", "")) else None
        complaint = compile_client(Path(self.root, "client"), script, self.metadata.version, target)
        if complaint and target:
            raise RuntimeError(complaint)
        if complaint:
            self.app.display_warning(f"{complaint}: installing the slower client in Python")
            # A hook must always exit with 0.
            write(
                script, script_for("ask_server_first", '"$([ "$1" = hook ] && echo 0 || echo 127)"')
            )
        else:
            build_data["pure_python"] = False
            complaint = compile_box(Path(self.root), self.made / "laconic-box", target=target)
            if complaint:
                self.app.display_warning(f"{complaint}: there will be no box")
            tag = target.tag if target else platform_tag(list(self.made.iterdir()))
            build_data["tag"] = f"py3-none-{tag}"
        write(self.made / "laconic-py", script_for("main"))
        write(self.made / "laconic-interpreter", INTERPRETER)
        for path in self.made.iterdir():
            build_data["shared_scripts"][str(path)] = path.name

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        shutil.rmtree(self.made)


class ReadmeHook(MetadataHookInterface):
    """Called by hatchling for the metadata of every package."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        if home := os.environ.get("LACONIC_REPOSITORY", "").rstrip("/"):
            text = for_an_index(text, home, f"v{metadata['version']}")
            metadata["urls"] = {
                "Homepage": home,
                "Documentation": f"{home}/blob/v{metadata['version']}/docs/index.md",
                "Changelog": f"{home}/blob/v{metadata['version']}/CHANGELOG.md",
                "Issues": f"{home}/issues",
                "Security": f"{home}/blob/v{metadata['version']}/SECURITY.md",
            }
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def for_an_index(text: str, home: str, version: str) -> str:
    """Return the README as an index can show it, which has no other files of the checkout."""

    def link(found: re.Match[str]) -> str:
        mark, shown, target = found.groups()
        view = "raw" if mark else "blob"
        return f"{mark}[{shown}]({home}/{view}/{version}/{target})"

    text = re.sub(r"(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)\s]+)\)", link, text)
    return re.sub(r"\binstall \.(?=\s)", "install laconic", text)


# By the machine in the header of an ELF file; the oldest systems that pip knows by these names.
PORTABLE = {
    62: "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
    183: "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
}


class Target(NamedTuple):
    """A kind of machine for which the programs can be compiled on another."""

    triple: str  # how zig calls it
    tag: str
    links: tuple[str, ...]  # options of the link


TARGETS = {
    "linux-x86_64": Target("x86_64-linux-musl", PORTABLE[62], BARE),
    "linux-aarch64": Target("aarch64-linux-musl", PORTABLE[183], STATIC),
    "macos-arm64": Target("aarch64-macos.11.0", "macosx_11_0_arm64", ()),
    "macos-x86_64": Target("x86_64-macos.10.15", "macosx_10_15_x86_64", ()),
}


def compiler_for(target: Target | None) -> list[str]:
    """Return the user's compiler, or zig's, which is a package of Python, for another machine."""
    if target is None:
        return os.environ.get("CC", "cc").split()
    return [sys.executable, "-m", "ziglang", "cc", "-target", target.triple, "-g0", "-s"]


def platform_tag(programs: list[Path]) -> str:
    """Name the platforms of a wheel: any Linux, if its programs need no library of the system."""
    found = {static_machine(path.read_bytes()) for path in programs}
    portable = PORTABLE.get(found.pop() or 0, "") if len(found) == 1 else ""
    if portable and not {tag.platform for tag in sys_tags()}.isdisjoint(portable.split(".")):
        return portable
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")


def static_machine(program: bytes) -> int | None:
    """Read the machine of a static 64-bit program for Linux; None if it is anything else.

    elf(5): an ET_EXEC (2) without PT_DYNAMIC (2) and PT_INTERP (3) runs with nothing else loaded.
    """
    if program[:6] != b"\x7fELF\x02\x01":  # 64 bits, little endian
        return None
    kind, machine = struct.unpack_from("<HH", program, 16)
    (start,) = struct.unpack_from("<Q", program, 32)
    size, count = struct.unpack_from("<HH", program, 54)
    segments = {struct.unpack_from("<I", program, start + n * size)[0] for n in range(count)}
    return int(machine) if kind == 2 and not segments & {2, 3} else None  # noqa: PLR2004 - above


def script_for(function: str, status: str = "127") -> str:
    """Return the program that calls a function of laconic.__main__; status: without a Python."""
    return SCRIPT.replace("@function@", function).replace("@status@", status)


def write(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def compile_client(sources: Path, path: Path, version: str, target: Target | None = None) -> str:
    """Compile the client; return what prevents it, or an empty text."""
    if os.environ.get("LACONIC_NO_NATIVE", "") not in ("", "0"):
        return "LACONIC_NO_NATIVE is set"
    if target is None and sys.platform not in ("linux", "darwin"):
        return "the client in C is for Linux and macOS"
    compiler = compiler_for(target)
    if not compiler or shutil.which(compiler[0]) is None:
        return "there is no C compiler"
    files = sorted(map(str, sources.glob("*.c")))
    command = [*compiler, *FLAGS, f'-DLACONIC_VERSION="{version}"', *files, "-o", str(path)]
    # A static start without the C library answers a hook faster (client/bare.c), but not every
    # system can link it.
    for extra in (target.links,) if target else (BARE_BY_GCC, STATIC, ()):
        done = subprocess.run(  # noqa: S603 - the user's own compiler
            [*command, *extra], capture_output=True, text=True, check=False
        )
        if done.returncode == 0 and (target or extra is not BARE_BY_GCC or works(path)):
            return ""
    return f"the C compiler failed:\n{done.stderr}"


def compile_box(root: Path, path: Path, *options: str, target: Target | None = None) -> str:
    """Compile what starts commands in a box; what is in the way, or an empty text."""
    if "linux" not in (target.triple if target else sys.platform):
        return "boxes are for Linux"
    compiler = compiler_for(target)
    files = [*sorted(map(str, (root / "box").glob("*.c"))), str(root / "client/start.c")]
    # a box may hide the directories of a C library
    for extra in (STATIC,) if target else (STATIC, ()):
        done = subprocess.run(  # noqa: S603 - the user's own compiler
            [*compiler, *FLAGS, *options, *files, "-o", str(path), *extra],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode == 0:
            return ""
    path.unlink(missing_ok=True)
    return f"the C compiler failed:\n{done.stderr}"


def works(client: Path) -> bool:
    """Tell whether the client starts in both ways, with no other file beside it."""
    with tempfile.TemporaryDirectory() as state:  # an installation leaves nothing in the user's
        environ = {**os.environ, "LACONIC_STATE_DIR": state}
        found = [
            subprocess.run(  # noqa: S603 - it was compiled a moment ago
                [str(client), *words],
                env=environ, stdin=subprocess.DEVNULL, capture_output=True, check=False,
            )
            for words in (("hook",), ("run", "true"))
        ]  # fmt: skip
    return all((done.returncode, done.stdout) == (0, b"") for done in found)

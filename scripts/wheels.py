"""Builds a wheel for each kind of machine on this one, twice, and examines what is in them.

python scripts/wheels.py DIRECTORY REPOSITORY, in an environment with build, ziglang and lief: make
wheels. Each has the same bytes as a second one, which was built from a copy of the checkout.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import lief

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from hatch_build import TARGETS, compiler_for  # noqa: E402

from laconic.machine import libproc  # noqa: E402

MACHINES = {
    "linux-x86_64": "X86_64",
    "linux-aarch64": "AARCH64",
    "macos-arm64": "ARM64",
    "macos-x86_64": "X86_64",
}  # as lief names them
SYSTEM = "/usr/lib/libSystem.B.dylib"  # the only library of a Mac that is promised to stay
PURE = "pure"


def main(argv: list[str]) -> int:
    place, repository = Path(argv[0]).resolve(), argv[1]
    compare_layouts()
    build_all(place, repository)
    for name in (*TARGETS, PURE):
        wheel = wheel_of(place, name)
        found = examine(wheel, name)
        print(f"{name}: {wheel.name}, {wheel.stat().st_size // 1000} kB; {found}", flush=True)
    print(f"all {len(TARGETS) + 1} were built twice, in two places, with the same bytes")
    return 0


def build_all(place: Path, repository: str) -> None:
    """Build every wheel from this checkout and from a copy of it; both must be the same."""
    shutil.rmtree(place, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="laconic-wheels-") as folder:
        copy = Path(folder, "elsewhere")
        subprocess.run(["git", "clone", "-q", ROOT, copy], check=True)  # noqa: S603, S607
        changed = git("ls-files", "-z", "--modified", "--others", "--exclude-standard")
        for name in filter(None, changed.split("\0")):
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            if (ROOT / name).exists():
                shutil.copy2(ROOT / name, copy / name)
            else:
                (copy / name).unlink()
        for name in (*TARGETS, PURE):
            for source, out in ((ROOT, place), (copy, Path(folder, "again"))):
                build(source, out / name, repository, name)
            (again,) = Path(folder, "again", name).glob("*.whl")
            first = wheel_of(place, name)
            if (first.name, first.read_bytes()) != (again.name, again.read_bytes()):
                sys.exit(f"{name}: built again elsewhere, the wheel is another one")


def git(*words: str) -> str:
    return subprocess.check_output(["git", "-C", str(ROOT), *words], text=True)  # noqa: S603, S607


def build(source: Path, out: Path, repository: str, name: str) -> None:
    variables = {"LACONIC_NO_NATIVE": "1"} if name == PURE else {"LACONIC_TARGET": name}
    # The same moment for every build, as all files of an archive carry one: that of the commit.
    moment = git("log", "-1", "--format=%ct").strip()
    environ = os.environ | {"LACONIC_REPOSITORY": repository, "SOURCE_DATE_EPOCH": moment}
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, source]
    done = subprocess.run(  # noqa: S603
        command, env=environ | variables, text=True, capture_output=True, check=False
    )
    if done.returncode != 0:
        sys.exit(f"{name}\n{done.stdout}{done.stderr}")


def wheel_of(place: Path, name: str) -> Path:
    (wheel,) = (place / name).glob("*.whl")
    return wheel


# -- what the code says about a Mac ----------------------------------------------------------------


def compare_layouts() -> None:
    """Compare the structures of laconic.machine.libproc with the headers of macOS."""
    structures = {
        "proc_bsdinfo": ("PROC_PIDTBSDINFO", libproc.OF_PROCESS),
        "proc_taskinfo": ("PROC_PIDTASKINFO", libproc.OF_TASK),
        "vnode_fdinfo": ("PROC_PIDFDVNODEINFO", libproc.OF_FILE),
        "pipe_fdinfo": ("PROC_PIDFDPIPEINFO", libproc.OF_PIPE),
    }
    claims = []
    for name, (flavor, layout) in structures.items():
        claims += [f"{flavor} == {layout.flavor}", f"sizeof(struct {name}) == {layout.size}"]
        for field, offset, kind in layout.fields:
            claims.append(f"offsetof(struct {name}, {field}) == {offset}")
            claims.append(f"sizeof(((struct {name} *)0)->{field}) == {struct.calcsize(kind)}"
                          if kind != "16s" else "MAXCOMLEN == 16")  # fmt: skip
    lines = ["#include <stddef.h>", "#include <sys/param.h>", "#include <sys/proc_info.h>"]
    lines += [f'_Static_assert({claim}, "{claim}");' for claim in claims]
    for name in ("macos-arm64", "macos-x86_64"):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "layouts.c")
            source.write_text("\n".join(lines) + "\n")
            command = [*compiler_for(TARGETS[name]), "-c", source, "-o", Path(folder, "layouts.o")]
            subprocess.run(command, check=True)  # noqa: S603
    print(f"libproc: {len(claims)} claims hold in the headers of macOS, for both processors")


# -- what is in a wheel ----------------------------------------------------------------------------


def examine(wheel: Path, name: str) -> str:
    """Check the programs of a wheel; return what was found, in a few words."""
    with zipfile.ZipFile(wheel) as archive:
        scripts = {Path(n).name: archive.read(n) for n in archive.namelist() if "/scripts/" in n}
        everything = b"".join(archive.read(n) for n in archive.namelist())
    programs = {n: data for n, data in scripts.items() if data[:2] != b"#!"}
    for path in (str(ROOT), sys.prefix, tempfile.gettempdir() + "/laconic-"):
        assert path.encode() not in everything, f"{wheel.name} names {path}"
    if name == PURE:
        assert not programs, f"{wheel.name} has programs: {sorted(programs)}"
        assert wheel.name.endswith("-none-any.whl"), wheel.name
        return "no programs"
    expected = {"laconic", "laconic-box"} if name.startswith("linux") else {"laconic"}
    assert programs.keys() == expected, f"{wheel.name}: {sorted(programs)}"
    assert wheel.stem.endswith(TARGETS[name].tag), wheel.name
    kind = examine_linux if name.startswith("linux") else examine_mac
    return "; ".join(f"{n}: {kind(data, name)}" for n, data in sorted(programs.items()))


def examine_linux(data: bytes, name: str) -> str:
    program = lief.ELF.parse(list(data))
    assert program is not None
    assert program.header.machine_type.name == MACHINES[name], program.header.machine_type
    needed = [*program.libraries, *program.imported_symbols]
    assert not program.has_interpreter, "needs a loader"
    assert not needed, f"needs what the system may not have: {needed}"
    return f"{len(data) // 1000} kB, static"


def examine_mac(data: bytes, name: str) -> str:
    programs = lief.MachO.parse(list(data))
    assert programs is not None
    assert len(programs) == 1
    program = programs.at(0)
    assert program.header.cpu_type.name == MACHINES[name], program.header.cpu_type
    assert [str(library.name) for library in program.libraries] == [SYSTEM]
    oldest = ".".join(map(str, program.build_version.minos[:2]))
    assert TARGETS[name].tag.startswith(f"macosx_{oldest.replace('.', '_')}"), oldest
    # An arm64 Mac starts no program without a signature; one without a certificate will do.
    # https://developer.apple.com/documentation/macos-release-notes/macos-big-sur-11_0_1-universal-apps-release-notes
    if program.has_code_signature:
        where = program.code_signature
        check_signature(data, where.data_offset, where.data_size)
    assert program.has_code_signature or name != "macos-arm64", "is not signed"
    signed = "signed" if program.has_code_signature else "not signed"
    symbols = f"{len(list(program.imported_symbols))} symbols of the system"
    return f"{len(data) // 1000} kB, macOS {oldest} or later, {signed}, {symbols}"


def check_signature(data: bytes, offset: int, size: int) -> None:
    """Compare the pages of a program with their sums in its signature (cs_blobs.h in XNU).

    https://github.com/apple-oss-distributions/xnu/blob/main/osfmk/kern/cs_blobs.h
    """
    blob = data[offset : offset + size]
    _, _, count = struct.unpack_from(">3I", blob)
    places = [struct.unpack_from(">2I", blob, 12 + 8 * pos) for pos in range(count)]
    (start,) = (at for kind, at in places if kind == 0)  # CSSLOT_CODEDIRECTORY
    directory = blob[start:]
    sums, _, _, slots, limit = struct.unpack_from(">5I", directory, 16)
    length, kind, _, page = struct.unpack_from("4B", directory, 36)
    assert (length, kind) == (32, 2), "the sums are not SHA-256"
    assert limit == offset, "something before the signature is not signed"
    for pos in range(slots):
        text = data[pos << page : min((pos + 1) << page, limit)]
        told = directory[sums + pos * length : sums + (pos + 1) * length]
        assert hashlib.sha256(text).digest() == told, f"page {pos} is not what was signed"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

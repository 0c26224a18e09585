"""What an installer makes of a checkout: `laconic` on the path, in C or in Python."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import hatch_build
import pytest

import warm_server
from laconic import __version__


def build(tmp_path, **variables):
    """Build a wheel from the checkout; return it."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    environ = dict(os.environ) | variables
    subprocess.run([*command, "-w", tmp_path, warm_server.ROOT], env=environ, check=True)
    return next(Path(tmp_path).glob("*.whl"))


def installed(wheel, directory):
    """Install a wheel; return the directory of its executables."""
    venv.create(directory)
    pip = [sys.executable, "-m", "pip", "--python", directory / "bin/python"]
    subprocess.run([*pip, "install", "--quiet", "--no-deps", "--no-index", wheel], check=True)
    return directory / "bin"


def script_of(wheel):
    with zipfile.ZipFile(wheel) as archive:
        name = next(n for n in archive.namelist() if n.endswith(".data/scripts/laconic"))
        return archive.read(name)


def says(program, *words, **options):
    """Call it in a directory whose files would be loaded if Python were not started isolated."""
    place = program.parent.parent / "hostile"
    place.mkdir(exist_ok=True)
    for name in ("json", "os", "re", "sitecustomize", "laconic"):
        (place / f"{name}.py").write_text("import os; os._exit(9)\n")
    environ = dict(os.environ) | {"LACONIC_NO_SERVER": "1", "PYTHONPATH": str(place)}
    options["cwd"] = place
    return subprocess.run(
        [program, *words], env=environ, capture_output=True, check=False, **options
    )


@warm_server.needs_compiler
def test_with_a_compiler_the_wheel_has_the_client_in_c(tmp_path):
    wheel = build(tmp_path)
    assert script_of(wheel)[:4] == b"\x7fELF" or sys.platform != "linux"
    assert "none-any" not in wheel.name
    assert "manylinux" in wheel.name or platform.machine() not in ("x86_64", "aarch64")
    with zipfile.ZipFile(wheel) as archive:
        scripts = {Path(name).name for name in archive.namelist() if "/scripts/" in name}
        assert any(n.endswith("/data/share/man/man1/laconic.1") for n in archive.namelist())
    assert ("laconic-box" in scripts) == (sys.platform == "linux")
    bin_dir = installed(wheel, tmp_path / "env")
    assert says(bin_dir / "laconic", "--version").stdout.startswith(b"laconic ")
    done = says(
        bin_dir / "laconic", "hook", "claude-code", input=warm_server.hook_input("rm -rf /")
    )
    assert warm_server.verdict(done.stdout) == "deny"


@warm_server.needs_compiler
def test_a_client_that_does_not_work_without_the_c_library_is_made_with_it(tmp_path, monkeypatch):
    def compiled(name):
        assert hatch_build.compile_client(warm_server.ROOT / "client", tmp_path / name, "1") == ""
        assert hatch_build.works(tmp_path / name)
        return b"bare_entry" in (tmp_path / name).read_bytes()

    monkeypatch.delenv("LACONIC_NO_NATIVE", raising=False)
    assert compiled("first") == (platform.machine() == "x86_64" and sys.platform == "linux")
    works = iter([False, True])
    monkeypatch.setattr(hatch_build, "works", lambda _: next(works))
    assert not compiled("second")


# -- the name of the wheel -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """A small program, static and not."""
    folder = tmp_path_factory.mktemp("programs")
    source = folder / "main.c"
    source.write_text("int main(void) { return 0; }\n")
    kinds = {"static": ["-static"], "dynamic": [], "pie": ["-static-pie"], "object": ["-c"]}
    for name, flags in kinds.items():
        subprocess.run([warm_server.COMPILER, source, "-o", folder / name, *flags], check=True)
    return folder


on_linux = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() not in ("x86_64", "aarch64"),
    reason="this is about Linux on the two common machines",
)


@warm_server.needs_compiler
@on_linux
def test_a_wheel_of_static_programs_is_for_every_linux(programs):
    tag = hatch_build.platform_tag([programs / "static"])
    machine = platform.machine()
    assert tag.split(".")[0] == f"manylinux_2_17_{machine}"
    assert tag.split(".")[-1] == f"musllinux_1_1_{machine}"


@warm_server.needs_compiler
@on_linux
@pytest.mark.parametrize(
    "names", [["dynamic"], ["static", "dynamic"], ["pie"], ["object"], ["main.c"], []]
)
def test_a_wheel_of_other_programs_is_for_this_system(programs, names):
    tag = hatch_build.platform_tag([programs / name for name in names])
    assert tag == f"linux_{platform.machine()}"


@warm_server.needs_compiler
@on_linux
def test_where_the_installer_takes_no_such_wheel_the_name_is_that_of_the_system(
    programs, monkeypatch
):
    monkeypatch.setattr(hatch_build, "sys_tags", list)
    assert hatch_build.platform_tag([programs / "static"]) == f"linux_{platform.machine()}"


def test_the_readme_of_an_index_has_no_link_to_a_file_beside_it():
    text = (warm_server.ROOT / "README.md").read_text()
    shown = hatch_build.for_an_index(text, "https://example.org/x", "v1")
    targets = re.findall(r"\]\(([^)]+)\)", shown)
    assert len(targets) > 10
    assert all(target.startswith(("https://", "#")) for target in targets)
    assert "(https://example.org/x/raw/v1/docs/images/terminal.svg)" in shown
    assert "(https://example.org/x/blob/v1/SECURITY.md#the-seven-nevers)" in shown
    assert "pipx install laconic " in shown
    assert " install . " not in shown


@pytest.mark.parametrize(
    "variables", [{"LACONIC_NO_NATIVE": "1"}, {"CC": "nosuchcompiler"}, {"CC": "false"}, {"CC": ""}]
)
def test_without_one_there_is_none_in_c(tmp_path, monkeypatch, variables):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert hatch_build.compile_client(warm_server.ROOT / "client", tmp_path / "laconic", "1")
    assert not (tmp_path / "laconic").exists()


@pytest.fixture(scope="module")
def no_compiler(tmp_path_factory):
    """A PATH with all that the tests see but a C compiler."""
    folder = tmp_path_factory.mktemp("bin")
    for path in (path for place in os.get_exec_path() for path in Path(place).iterdir()):
        if path.name not in {"cc", "gcc", "clang", "cpp", "as", "ld"}:
            (folder / path.name).symlink_to(path)
    assert shutil.which("cc", path=folder) is None
    return str(folder)


@pytest.mark.parametrize("variables", [{"LACONIC_NO_NATIVE": "1"}, {"CC": "/no/such/cc"}])
def test_without_one_it_has_the_client_in_python(tmp_path, no_compiler, monkeypatch, variables):
    """A real wheel, installed in an environment of its own, where everything works."""
    if "CC" in variables:
        monkeypatch.setenv("PATH", no_compiler)
    wheel = build(tmp_path, **variables)
    assert script_of(wheel).startswith(b"#!/bin/sh\n")
    assert wheel.name.endswith("-py3-none-any.whl")
    program = installed(wheel, tmp_path / "env") / "laconic"
    done = says(program, "--version")
    assert (done.stdout, done.stderr) == (f"laconic {__version__}\n".encode(), b"")
    done = says(program, "check", "git status")
    assert (done.stdout[:5], done.stderr, done.returncode) == (b"allow", b"", 0)
    done = says(program, "run", "echo", "hi")
    assert (done.stdout, done.stderr, done.returncode) == (b"hi\n", b"", 0)
    done = says(program, "run", "sh", "-c", "echo out; exit 7")
    assert (done.stdout, done.stderr, done.returncode) == (b"out\n", b"", 7)
    done = says(program, "hook", "claude-code", input=warm_server.hook_input("rm -rf /"))
    assert (warm_server.verdict(done.stdout), done.returncode) == ("deny", 0)


WINDOWS = """
import sys
sys.platform, sys.modules["fcntl"], sys.modules["pwd"] = "win32", None, None
from laconic.__main__ import {function}
{function}()
"""


def on_windows(function, *words, stdin=""):
    program = [sys.executable, "-c", WINDOWS.format(function=function), *words]
    return subprocess.run(program, input=stdin, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("function", ["main", "ask_server_first"])
def test_on_windows_a_person_is_shown_the_way_to_wsl(function):
    for words in (["run", "git", "status"], ["check", "ls"], ["--help"], ["server", "status"], []):
        done = on_windows(function, *words)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.splitlines()[1].startswith("hint: install laconic in WSL")


@pytest.mark.parametrize("function", ["main", "ask_server_first"])
def test_on_windows_a_hook_ends_well(function):
    call = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "rm x"}}
    done = on_windows(function, "hook", "claude-code", stdin=json.dumps(call))
    assert (done.returncode, done.stderr) == (0, "")
    done = on_windows(function, "hook", "codebuddy", stdin=json.dumps(call))
    assert (done.returncode, done.stderr) == (0, "")
    assert "WSL" in done.stdout

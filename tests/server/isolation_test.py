"""Nothing of the caller's has a say in how laconic starts; the command has all of it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import hatch_build
import pytest

import warm_server
from machine import each_of

MODULES = ("json", "re", "os", "socket", "site", "encodings", "signal", "tomllib", "typing")
CUSTOM = ("sitecustomize", "usercustomize")
HOSTILE = "open({marker!r}, 'a').write(__name__ + '\\n'); import os; os._exit(0)\n"
VARIABLES = (
    {"PYTHONPATH": "."},
    {"PYTHONPATH": "{place}"},
    {"PYTHONHOME": "/nonexistent"},
    {"PYTHONHOME": "{place}"},
    {"PYTHONUSERBASE": "{place}/user"},
    {"PYTHONSTARTUP": "{place}/json.py", "PYTHONINSPECT": "1"},
    {"PYTHONPLATLIBDIR": "{place}", "PYTHONCASEOK": "1"},
    {"PYTHONWARNINGS": "error", "PYTHONDEVMODE": "1", "PYTHONVERBOSE": "1"},
    {"PYTHONUTF8": "x", "PYTHONMALLOC": "nosuch", "PYTHONHASHSEED": "nosuch"},
    {"PYTHONPATH": ".:{place}", "PYTHONUSERBASE": "{place}/user", "PYTHONSAFEPATH": ""},
)


@pytest.fixture(scope="module")
def bin_dir():
    with tempfile.TemporaryDirectory(prefix="lac") as directory:
        folder = Path(directory)
        warm_server.write_program(folder)
        warm_server.write_program(folder, "laconic-twin", "ask_server_first")
        if warm_server.COMPILER:
            warm_server.build_client(folder / "laconic")
        yield folder


@pytest.fixture
def place(tmp_path):
    """A directory full of modules that shadow others; one that is loaded says so, and ends all."""
    marker = tmp_path / "loaded"
    folder = tmp_path / "place"
    user = folder / f"user/lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
    for each in (folder, user, folder / "laconic", folder / "laconic/cli"):
        each.mkdir(parents=True)
    paths = [at / f"{name}.py" for at in (folder, user) for name in (*MODULES, *CUSTOM)]
    for path in (*paths, folder / "laconic/__init__.py", folder / "laconic/cli/__init__.py"):
        path.write_text(HOSTILE.format(marker=str(marker)))
    return folder


def named(variables):
    return "-".join(variables).replace("PYTHON", "").lower() + str(len(str(variables)))


@pytest.fixture(params=VARIABLES, ids=named)
def hostile(request, place, bin_dir):
    """An installation that is called in such a directory, with such variables."""
    variables = {name: value.format(place=place) for name, value in request.param.items()}
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    made = warm_server.Installation(bin_dir, own | variables)
    made.variables, made.place = variables, place
    yield made
    clean = {name: value for name, value in made.environ.items() if name not in variables}
    made.environ = clean
    made.close()
    assert not (place.parent / "loaded").exists(), (place.parent / "loaded").read_text()


def call(installation, program, *words, **more):
    return subprocess.run(
        [installation.bin_dir / program, *words],
        cwd=installation.place, env=installation.environ, capture_output=True, check=False,
        timeout=warm_server.PATIENCE_S, **more,
    )  # fmt: skip


PROGRAMS = [
    pytest.param("laconic", marks=warm_server.needs_compiler),
    "laconic-twin",
    "laconic-py",
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_hook_and_a_command_are_what_they_are_elsewhere(hostile, program):
    """Cold, while a server is started, and by that server, which laconic-py never asks."""
    for _ in range(1 if program == "laconic-py" else 2):
        done = call(
            hostile, program, "hook", "claude-code", input=warm_server.hook_input("rm -rf ~")
        )
        assert (warm_server.verdict(done.stdout), done.stderr) == ("deny", b"")
        script = "env | grep ^PYTHON | sort; pwd; exit 7"
        done = call(hostile, program, "run", "sh", "-c", script)
        expected = [f"{name}={value}" for name, value in sorted(hostile.variables.items())]
        assert done.stdout.decode().splitlines() == [*expected, str(hostile.place)]
        assert (done.stderr, done.returncode) == (b"", 7)
        done = call(hostile, program, "-c", f"{script} # a line")
        assert done.stdout.decode().splitlines() == [*expected, str(hostile.place)]
        assert (done.stderr, done.returncode) == (b"", 7)
        if program != "laconic-py":
            have_server(hostile)


def have_server(hostile):
    def is_up():
        return call(hostile, "laconic-py", "server", "status").returncode == 0

    warm_server.wait_for(is_up)


def test_the_server_has_an_environment_of_its_own(hostile):
    call(hostile, "laconic-py", "hook", "claude-code", input=warm_server.hook_input())
    have_server(hostile)
    said = call(hostile, "laconic-py", "server", "status").stdout.decode()
    pid = dict(line.split(None, 1) for line in said.splitlines())["process"]
    found = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    names = {pair.partition(b"=")[0].decode() for pair in found if pair}
    assert not {name for name in names if name.startswith("PYTHON")}
    assert b"-I" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")


# -- the script that finds its interpreter ---------------------------------------------------------


@pytest.mark.parametrize("how", ["plain", "with blanks", "long"])
@pytest.mark.parametrize("link", ["", "absolute", "relative"])
def test_the_interpreter_is_found_as_an_installer_wrote_it(tmp_path, how, link):
    folder = tmp_path / "bin"
    folder.mkdir()
    program = warm_server.write_program(folder)
    python = tmp_path / "a place" / "python" if how == "with blanks" else Path(sys.executable)
    python.parent.mkdir(exist_ok=True)
    if how == "with blanks":
        python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        python.chmod(0o755)
    first = f"#!{python}\n"
    if how != "plain":  # as distlib writes it, and as uv does
        quote = '"' if how == "with blanks" else "'"
        first = f"#!/bin/sh\n'''exec' {quote}{python}{quote} \"$0\" \"$@\"\n' '''\n"
    (folder / "laconic-interpreter").write_text(first)
    if link:
        other = tmp_path / "other"
        other.symlink_to(program if link == "absolute" else "bin/laconic-py")
        program = other
    done = subprocess.run([program, "--version"], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"laconic ")


@pytest.mark.parametrize("gone", ["interpreter", "record"])
def test_without_an_interpreter_it_says_so(tmp_path, gone):
    program = warm_server.write_program(tmp_path)
    if gone == "record":
        (tmp_path / "laconic-interpreter").unlink()
    else:
        (tmp_path / "laconic-interpreter").write_text("#!/no/such/python\n")
    done = subprocess.run([program, "gain"], capture_output=True, check=False)
    assert done.returncode == 127
    assert b"cannot be run: install laconic again\n" in done.stderr


@pytest.mark.parametrize("shell", each_of("sh", "bash", "dash", "zsh"))
def test_the_script_is_one_for_the_shell_and_for_python(shell):
    made = hatch_build.script_for("main")
    compile(made, "laconic-py", "exec")
    subprocess.run([shell, "-n"], input=made.partition("'''\nimport")[0].encode(), check=True)

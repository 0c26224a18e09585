"""What is a call of laconic as a shell: its arguments, which both clients must tell alike."""

from __future__ import annotations

import re
import subprocess

import pytest

import warm_server
from laconic.run.shell_call import is_shell_call
from laconic.run.shell_line import launcher, read_line


@pytest.mark.parametrize(
    ("words", "options", "text", "parameters"),
    [
        (["-c", "git status"], ["-c"], "git status", []),
        (["-cu", "x"], ["-cu"], "x", []),
        (["-ec", "x; y"], ["-ec"], "x; y", []),
        (["-e", "-c", "x"], ["-e", "-c"], "x", []),
        (["-eu", "-o", "pipefail", "-c", "x"], ["-eu", "-o", "pipefail", "-c"], "x", []),
        (["-euo", "pipefail", "-c", "x"], ["-euo", "pipefail", "-c"], "x", []),
        (["-c", "git", "status"], ["-c"], "git status", []),
        (["-c", "printf", "%s", "a b", "it's", ""], ["-c"], "printf %s 'a b' 'it'\\''s' ''", []),
        (["-cu", "echo $1", "recipe", "a b"], ["-cu"], "echo $1", ["recipe", "a b"]),
    ],
)
def test_what_a_shell_is_called_with(words, options, text, parameters):
    line = read_line(words)
    assert (line.options, line.text, line.parameters) == (options, text, parameters)


@pytest.mark.parametrize("words", [["-h"], ["--version"], ["run", "-c"], ["-x"], [], ["--c"]])
def test_what_is_no_call_of_a_shell(words):
    assert not is_shell_call(words)


CALLS = [
    ["-c"], ["-c", "x"], ["-ec", "x"], ["-e", "-c", "x"], ["-eo", "c", "x"], ["-o", "c", "-c", "x"],
    ["-o"], ["-co"], ["-e"], ["-"], ["-", "-c"], ["--", "-c"], ["--c"], ["-c1", "x"], ["-c-"],
    ["-\xe9c"], ["-e", "x", "-c"], ["run", "-c"], [""], [], ["-C"], ["-oo", "-c"],
]  # fmt: skip


@pytest.fixture(scope="module")
def client_tells(tmp_path_factory):
    """Make a program of what the client in C says to the same question."""
    source = (warm_server.ROOT / "client/laconic.c").read_text()
    function = re.search(r"static bool is_shell_call\(.*?\n}\n", source, re.DOTALL)
    folder = tmp_path_factory.mktemp("client")
    text = "#include <stdbool.h>\n#include <string.h>\n" + function.group()
    text += "int main(int argc, char **argv) { return argc > 0 && is_shell_call(argv + 1); }\n"
    (folder / "tells.c").write_text(text)
    command = [warm_server.COMPILER, folder / "tells.c", "-o", folder / "tells"]
    subprocess.run(command, check=True)
    return folder / "tells"


@warm_server.needs_compiler
@pytest.mark.parametrize("words", CALLS, ids=str)
def test_both_clients_tell_a_call_of_a_shell_alike(words, client_tells):
    done = subprocess.run([client_tells, *words], check=False)
    assert bool(done.returncode) == is_shell_call(words)


def test_this_very_laconic_is_started_again():
    assert launcher("/opt/my tools/laconic") == "'/opt/my tools/laconic'"
    assert launcher("laconic") == "laconic"
    assert launcher("/x/laconic/__main__.py").endswith(" -m laconic")

"""laconic -c: the shell of make and just, with the real make."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import warm_server
from laconic.run.shell_call import is_shell_call
from laconic.run.shell_line import launcher, read_line

LACONIC = Path(sys.executable).with_name("laconic")
JUST = str(Path(sys.executable).with_name("just"))  # from the development tools
NOISE = "x" * 40
NOTICE = re.compile(r"\[\d+/\d+ lines hidden: \S+ recall \w{6}\]")


def laconic(*words, **more):
    return subprocess.run([LACONIC, *words], capture_output=True, check=False, **more)


@pytest.fixture
def noisy(home, tmp_path, monkeypatch):
    """A program with a filter: of 50 lines one is shown."""
    folder = home / ".config/laconic/filters"
    folder.mkdir(parents=True)
    (folder / "noisy.toml").write_text(
        'command = ["noisy"]\nkind = "summary"\nkeep = ["^result"]\n'
    )
    program = tmp_path / "bin/noisy"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nseq -f "%g {NOISE}" 50\necho "result $1"\nexit ${{1:-0}}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    return tmp_path


def lines(done):
    """What was printed, without the notices."""
    return [line for line in done.stdout.decode().splitlines() if not NOTICE.fullmatch(line)]


# -- the arguments ---------------------------------------------------------------------------------


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


@pytest.mark.skipif(warm_server.COMPILER is None, reason="there is no C compiler")
@pytest.mark.parametrize("words", CALLS, ids=str)
def test_both_clients_tell_a_call_of_a_shell_alike(words, client_tells):
    done = subprocess.run([client_tells, *words], check=False)
    assert bool(done.returncode) == is_shell_call(words)


def test_this_very_laconic_is_started_again():
    assert launcher("/opt/my tools/laconic") == "'/opt/my tools/laconic'"
    assert launcher("laconic") == "laconic"
    assert launcher("/x/laconic/__main__.py").endswith(" -m laconic")


# -- lines -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [0, 1, 5, 77])
def test_the_exit_status_is_that_of_the_line(status):
    assert laconic("-c", f"exit {status}").returncode == status


def test_a_line_without_a_filter_is_the_shells():
    done = laconic("-c", 'x="a  b"; echo "$x" | tr a-z A-Z; echo $0; kill -TERM $$')
    assert (done.returncode, done.stdout) == (-15, b"A  B\nsh\n")


@pytest.mark.usefixtures("noisy")
def test_each_command_of_a_line_is_compacted_by_its_filter():
    done = laconic("-c", "noisy && echo between; noisy 3 || echo failed")
    assert lines(done) == ["result ", "between", "result 3", "failed"]


@pytest.mark.usefixtures("noisy")
def test_several_arguments_are_one_command():
    done = laconic("-c", "noisy", "4")
    assert (done.returncode, lines(done)) == (4, ["result 4"])


@pytest.mark.usefixtures("noisy")
def test_the_options_of_the_shell_hold():
    assert laconic("-ec", "noisy 3; echo no").returncode == 3
    done = laconic("-cu", "noisy; echo $nosuchvariable")
    assert done.returncode != 0
    assert lines(done) == ["result "]


@pytest.mark.usefixtures("noisy")
def test_it_can_be_switched_off():
    done = laconic("-c", "noisy", env=os.environ | {"LACONIC_NO_FILTER": "1"})
    assert done.stdout.count(b"\n") == 51


@pytest.mark.usefixtures("noisy")
def test_verbose_says_what_was_decided():
    done = laconic("-c", "noisy; true", env=os.environ | {"LACONIC_VERBOSE": "1"})
    said = done.stderr.decode().splitlines()
    assert said[:2] == [
        "laconic: run: noisy: filter noisy",
        "laconic: skip: true: no filter, and true is not known to end",
    ]


def test_a_line_that_cannot_be_parsed_is_the_shells():
    done = laconic("-c", "echo 'unfinished")
    bare = subprocess.run(["sh", "-c", "echo 'unfinished"], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (
        bare.returncode, bare.stdout, bare.stderr
    )  # fmt: skip


def test_minus_c_alone_is_an_error():
    done = laconic("-c")
    assert (done.returncode, done.stderr.decode()) == (
        2, "laconic: -c needs a command line\nhint: laconic -c 'git status'\n"
    )  # fmt: skip


# -- make ------------------------------------------------------------------------------------------

MAKEFILE = """\
.PHONY: check good bad order
check: good bad
good:
\t@noisy 0
\t@echo done with good
bad:
\t@echo before
\t@noisy 3
\t@echo never
order:
\t@echo one; noisy; echo two >&2
kept:
\t-@noisy 2
\t@echo still here
"""


def make(directory, *words, **more):
    (directory / "Makefile").write_text(MAKEFILE)
    return subprocess.run(
        ["make", f"SHELL={LACONIC}", *words],
        cwd=directory,
        capture_output=True,
        check=False,
        **more,
    )


def test_make_runs_each_line_of_a_recipe_through_us(noisy):
    done = make(noisy, "good")
    assert (done.returncode, lines(done)) == (0, ["result 0", "done with good"])


def test_make_stops_at_a_failure_with_its_own_status(noisy):
    done = make(noisy, "check")
    assert done.returncode == 2
    assert lines(done) == ["result 0", "done with good", "before", "result 3"]
    assert b"Makefile:8: bad] Error 3" in done.stderr


def test_make_goes_on_where_the_recipe_says_so(noisy):
    done = make(noisy, "kept")
    assert (done.returncode, lines(done)) == (0, ["result 2", "still here"])


def test_make_with_several_jobs(noisy):
    done = make(noisy, "-j4", "-k", "check")
    assert done.returncode == 2
    shown = lines(done)
    assert sorted(shown) == ["before", "done with good", "result 0", "result 3"]
    assert shown.index("before") < shown.index("result 3")
    assert b"jobserver" not in done.stderr


def test_make_keeps_the_order_of_what_a_line_prints(noisy):
    (noisy / "Makefile").write_text(MAKEFILE)
    done = subprocess.run(
        ["make", f"SHELL={LACONIC}", "order"],
        cwd=noisy, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True,
    )  # fmt: skip
    assert lines(done) == ["one", "result ", "two"]


def test_a_make_inside_of_make_is_given_jobs(noisy):
    (noisy / "Makefile").write_text("all:\n\t@$(MAKE) -s inner\ninner: a b\na b:\n\t@echo $@\n")
    done = subprocess.run(
        ["make", "-j2", f"SHELL={LACONIC}", "all"], cwd=noisy, capture_output=True, check=True
    )
    assert sorted(lines(done)) == ["a", "b"]
    assert b"warning" not in done.stderr


def test_just_runs_each_line_of_a_recipe_through_us(noisy):
    (noisy / "justfile").write_text("check:\n  @noisy 0\n  @noisy 3\n  @echo never\n")
    done = subprocess.run(
        [JUST, "--shell", LACONIC, "--shell-arg", "-cu", "check"],
        cwd=noisy, capture_output=True, check=False,
    )  # fmt: skip
    assert (done.returncode, lines(done)) == (3, ["result 0", "result 3"])


READS = """\
FOUND := $(shell noisy)
LATER = $(shell noisy 0)
SHOWN != noisy
all:
\t@echo $(words $(FOUND)) $(words $(LATER)) $(words $(SHOWN))
\t@noisy 0
"""


def test_what_make_reads_itself_is_never_compacted(noisy):
    (noisy / "Makefile").write_text(READS)
    bare = subprocess.run(["make"], cwd=noisy, capture_output=True, check=True)
    done = subprocess.run(["make", f"SHELL={LACONIC}"], cwd=noisy, capture_output=True, check=True)
    assert lines(done) == [bare.stdout.decode().splitlines()[0], "result 0"]


def test_what_just_reads_itself_is_never_compacted(noisy):
    (noisy / "justfile").write_text(
        'found := `noisy`\ncheck:\n  @echo {{ replace(found, "\\n", " ") }}\n  @noisy 0\n'
    )
    bare = subprocess.run([JUST, "check"], cwd=noisy, capture_output=True, check=True)
    done = subprocess.run(
        [JUST, "--shell", LACONIC, "--shell-arg", "-cu", "check"],
        cwd=noisy, capture_output=True, check=True,
    )  # fmt: skip
    assert lines(done) == [bare.stdout.decode().splitlines()[0], "result 0"]

"""laconic -c: the shell of make and just, with the real make."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from runners import IN_PYTHON, LACONIC, bin_dir, runner, runtime

__all__ = ["bin_dir", "runner", "runtime"]  # fixtures for all tests here

JUST = str(Path(sys.executable).with_name("just"))  # from the development tools
NOISE = "x" * 40
NOTICE = re.compile(r"\[\d+/\d+ lines hidden: \S+ recall \w{6}\]")


def laconic(*words, **more):
    return subprocess.run([*LACONIC, *words], capture_output=True, check=False, **more)


@pytest.fixture
def program(runner, tmp_path):
    """The runner as one program, which make and just can start."""
    if runner.place:
        return runner.place / "laconic"
    script = tmp_path / "laconic"
    script.write_text(f'#!/bin/sh\nexec {" ".join(IN_PYTHON)} "$@"\n')
    script.chmod(0o755)
    return script


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


@pytest.fixture
def make(noisy, program):
    (noisy / "Makefile").write_text(MAKEFILE)

    def run_make(*words, stderr=subprocess.PIPE):
        words = ["make", f"SHELL={program}", *words]
        return subprocess.run(words, cwd=noisy, stdout=subprocess.PIPE, stderr=stderr, check=False)

    return run_make


def test_make_runs_each_line_of_a_recipe_through_us(make):
    done = make("good")
    assert (done.returncode, lines(done)) == (0, ["result 0", "done with good"])


def test_make_stops_at_a_failure_with_its_own_status(make):
    done = make("check")
    assert done.returncode == 2
    assert lines(done) == ["result 0", "done with good", "before", "result 3"]
    assert b"Makefile:8: bad] Error 3" in done.stderr


def test_make_goes_on_where_the_recipe_says_so(make):
    done = make("kept")
    assert (done.returncode, lines(done)) == (0, ["result 2", "still here"])


def test_make_with_several_jobs(make):
    done = make("-j4", "-k", "check")
    assert done.returncode == 2
    shown = lines(done)
    assert sorted(shown) == ["before", "done with good", "result 0", "result 3"]
    assert shown.index("before") < shown.index("result 3")
    assert b"jobserver" not in done.stderr


def test_make_keeps_the_order_of_what_a_line_prints(make):
    done = make("order", stderr=subprocess.STDOUT)
    assert lines(done) == ["one", "result ", "two"]


def test_a_make_inside_of_make_is_given_jobs(noisy, make):
    (noisy / "Makefile").write_text("all:\n\t@$(MAKE) -s inner\ninner: a b\na b:\n\t@echo $@\n")
    done = make("-j2", "all")
    assert sorted(lines(done)) == ["a", "b"]
    assert b"warning" not in done.stderr


def test_just_runs_each_line_of_a_recipe_through_us(noisy, program):
    (noisy / "justfile").write_text("check:\n  @noisy 0\n  @noisy 3\n  @echo never\n")
    done = subprocess.run(
        [JUST, "--shell", program, "--shell-arg", "-cu", "check"],
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


def test_what_make_reads_itself_is_never_compacted(noisy, make):
    (noisy / "Makefile").write_text(READS)
    bare = subprocess.run(["make"], cwd=noisy, capture_output=True, check=True)
    done = make()
    assert lines(done) == [bare.stdout.decode().splitlines()[0], "result 0"]


def test_what_just_reads_itself_is_never_compacted(noisy, program):
    (noisy / "justfile").write_text(
        'found := `noisy`\ncheck:\n  @echo {{ replace(found, "\\n", " ") }}\n  @noisy 0\n'
    )
    bare = subprocess.run([JUST, "check"], cwd=noisy, capture_output=True, check=True)
    done = subprocess.run(
        [JUST, "--shell", program, "--shell-arg", "-cu", "check"],
        cwd=noisy, capture_output=True, check=True,
    )  # fmt: skip
    assert lines(done) == [bare.stdout.decode().splitlines()[0], "result 0"]

"""laconic run against the bare command: same output, streams, signals and exit status."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from laconic.record.store import Store, is_id
from laconic.run.spool import new_id
from laconic.run.task import Task
from laconic.settings import environ as surroundings
from laconic.settings.load import read_directories
from records import rows
from runners import (
    LACONIC,
    RUN,
    bin_dir,
    end,
    no_process_left,
    read_until,
    run,
    runner,
    runtime,
    shell,
    start,
    wait_for,
)

__all__ = ["bin_dir", "no_process_left", "runner", "runtime"]  # fixtures for all tests here


@pytest.fixture
def state(home):
    return home / ".local/state/laconic"


# -- the same as the bare command ------------------------------------------------------------------


@pytest.mark.parametrize("status", [0, 1, 2, 5, 77, 126, 127, 255])
def test_the_exit_status_is_the_commands(status):
    assert shell(f"exit {status}").returncode == status


@pytest.mark.parametrize("name", ["TERM", "KILL", "INT", "SEGV", "PIPE", "USR1"])
def test_a_signal_gives_128_and_its_number(name):
    number = signal.Signals[f"SIG{name}"]
    assert shell(f"kill -{name} $$; sleep 5").returncode == 128 + number


def odd_files(folder):
    """Make files that bash itself refuses, or runs in its own way."""
    for name in ("folder", "first", "second", "first/folder"):
        (folder / name).mkdir()
    for name, target in (("loop", "loop"), ("dangling", "nowhere"), ("link", "script")):
        (folder / name).symlink_to(target)
    for name in ("plain", "first/both", "first/plain"):
        (folder / name).write_text("echo not to be run\n")
    (folder / "long").write_text(f"#!/{'x' * 400}\n")
    for name, data in (
        ("lost", b"#!/no/such/program\n"),
        ("to-a-folder", b"#!/tmp\n"),
        ("to-a-plain-file", f"#!{folder}/plain\n".encode()),
        ("binary", b"\0\1\2"),
        ("nul", b"\0x\ntouch EXECUTED\n"),
        ("nul-later", b"ab\0c\ntouch EXECUTED\n"),
        ("nul-second", b"echo ran; exit 6\n\0\n"),
        ("elf", b"\x7fELF and no more\ntouch EXECUTED\n"),
        ("empty", b""),
        ("blank", b"#!\necho ran; exit 5\n"),
        ("script", b'echo "got $1"; exit 4\n'),
        ("second/both", b"echo second; exit 3\n"),
    ):
        (folder / name).write_bytes(data)
        (folder / name).chmod(0o755)


@pytest.mark.parametrize(
    ("name", "status", "message"),
    [
        ("nosuchcommand", 127, "command not found"),
        ("", 127, "command not found"),
        ("folder", 127, "command not found"),
        ("both", 3, ""),
        ("plain", 126, "permission denied"),
        ("./nosuchfile", 127, "no such file or directory"),
        ("./plain", 126, "permission denied"),
        ("./folder", 126, "is a directory"),
        ("/", 126, "is a directory"),
        ("./lost", 127, "its interpreter is not there"),
        ("./to-a-folder", 126, "permission denied"),
        ("./to-a-plain-file", 126, "permission denied"),
        ("./binary", 126, "cannot execute binary file"),
        ("./nul", 126, "cannot execute binary file"),
        ("./nul-later", 126, "cannot execute binary file"),
        ("./elf", 126, "cannot execute binary file"),
        ("./nul-second", 6, ""),
        ("./empty", 0, ""),
        ("./blank", 5, ""),
        ("./script", 4, ""),
        ("./link", 4, ""),
        ("plain/x", 126, "not a directory"),
        ("./loop", 126, "too many levels of symbolic links"),
        ("./dangling", 127, "no such file or directory"),
        (f"./{'n' * 300}", 126, "file name too long"),
    ],
)
@pytest.mark.parametrize("starter", ["run", "wrap"])
def test_what_cannot_be_started_gets_the_status_of_bash(tmp_path, starter, name, status, message):
    odd_files(tmp_path)
    path = f"{tmp_path}/plain:{tmp_path}/first:{tmp_path}/second:{os.environ['PATH']}"
    environ = os.environ | {"PATH": path}
    words = [*LACONIC, starter, "--", name, "a b"]
    done = subprocess.run(words, cwd=tmp_path, env=environ, capture_output=True, check=False)
    bare = subprocess.run(
        ["bash", "-c", '"$@"', "bash", name, "a b"],
        cwd=tmp_path, env=environ, capture_output=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (bare.returncode, bare.stdout) == (status, bare.stdout)
    said = f"laconic: {name}: {message}\n" if message else ""
    assert done.stderr.decode() == said
    assert not (tmp_path / "EXECUTED").exists()


def test_without_a_path_commands_of_the_system_are_found():
    environ = {name: value for name, value in os.environ.items() if name != "PATH"}
    assert run("echo", "found", env=environ).stdout == b"found\n"


def test_an_empty_entry_of_the_path_is_the_current_directory(tmp_path):
    odd_files(tmp_path)
    environ = os.environ | {"PATH": f":{os.environ['PATH']}"}
    assert run("script", "here", cwd=tmp_path, env=environ).stdout == b"got here\n"


def test_nothing_is_left_of_a_command_that_did_not_start(state):
    run("nosuchcommand")
    assert list((state / "spool").iterdir()) == []


def test_a_script_without_an_interpreter_line_is_for_the_shell(tmp_path):
    script = tmp_path / "script"
    script.write_text('echo "got $1"\nexit 4\n')
    script.chmod(0o755)
    done = run("./script", "a b", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (4, b"got a b\n")


def test_arguments_arrive_as_they_are():
    words = ["", " ", "a b", "--raw", "-c", "$(x)", "é", "*", "'", "\n", b"\xff"]
    done = run("printf", "%s\\0", *words)
    expected = b"".join((w if isinstance(w, bytes) else w.encode()) + b"\0" for w in words)
    assert done.stdout == expected


def test_stdin_is_passed_through():
    data = os.urandom(300_000)
    done = subprocess.run([*RUN, "cat"], input=data, capture_output=True, check=True)
    assert done.stdout == data


def test_a_command_that_does_not_read_leaves_stdin_to_the_next():
    line = f"{' '.join(RUN)} true; cat"
    done = subprocess.run(["sh", "-c", line], input=b"for cat", capture_output=True, check=True)
    assert done.stdout == b"for cat"


def test_directory_environment_limits_and_mask_are_the_callers(tmp_path):
    line = "pwd; echo $GREETING; ulimit -n; umask; ulimit -f"
    bare = subprocess.run(
        ["sh", "-c", f"umask 027; ulimit -n 123; {line}"],
        cwd=tmp_path, env=os.environ | {"GREETING": "hello"}, capture_output=True, check=True,
    )  # fmt: skip
    ours = subprocess.run(
        ["sh", "-c", f"umask 027; ulimit -n 123; {' '.join(RUN)} sh -c '{line}'"],
        cwd=tmp_path, env=os.environ | {"GREETING": "hello"}, capture_output=True, check=True,
    )  # fmt: skip
    assert ours.stdout == bare.stdout
    assert b"hello\n123\n0027\n" in ours.stdout


def test_signals_that_python_changes_are_as_the_shell_has_them():
    line = ["grep", "-E", "^Sig(Ign|Blk)", "/proc/self/status"]
    bare = subprocess.run(line, capture_output=True, check=True)

    def masks(output):
        # 32 and 33 are the C library's own; its posix_spawn leaves them ignored.
        return [int(mask, 16) & ~(3 << 31) for mask in output.split()[1::2]]

    assert masks(run(*line).stdout) == masks(bare.stdout) == [0, 0]


def test_what_the_caller_ignores_the_command_ignores():
    line = f"trap '' HUP; {' '.join(RUN)} grep SigIgn /proc/self/status"
    done = subprocess.run(["sh", "-c", line], capture_output=True, check=True)
    assert int(done.stdout.split()[1], 16) & 1


def test_the_command_is_not_the_leader_of_a_group():
    """`setsid x` would not wait for x then."""
    done = run("setsid", "sh", "-c", "sleep 0.2; echo waited; exit 6")
    assert (done.returncode, done.stdout) == (6, b"waited\n")


def test_descriptors_of_the_caller_reach_the_command_and_ours_do_not(tmp_path):
    with (tmp_path / "file").open("w") as file:
        number = file.fileno()
        done = run("bash", "-c", f"ls /proc/self/fd; echo hi >&{number}", pass_fds=[number])
    assert (tmp_path / "file").read_text() == "hi\n"
    assert {int(n) for n in done.stdout.split()} == {0, 1, 2, 3, number}  # 3: of ls itself


def test_stdout_and_stderr_stay_apart():
    done = shell("echo out; echo err >&2")
    assert (done.stdout, done.stderr) == (b"out\n", b"err\n")


def test_the_order_of_both_is_kept_where_they_lead_to_one_place():
    line = 'for i in $(seq 15); do echo "out $i"; echo "err $i" >&2; done'
    done = subprocess.run(
        [*RUN, "sh", "-c", line], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True
    )
    assert done.stdout == b"".join(b"out %d\nerr %d\n" % (i, i) for i in range(1, 16))


def test_dev_stderr_can_be_opened_again():
    """In a file, `> /dev/stderr` would erase all that was written before."""
    done = shell("echo first; echo second > /dev/stderr; echo third > /dev/stdout; echo fourth")
    assert done.stdout == b"first\nthird\nfourth\n"
    assert done.stderr == b"second\n"


@settings(max_examples=12, deadline=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip
@given(st.binary(max_size=2000))
def test_any_bytes_come_through(tmp_path, data):
    (tmp_path / "data").write_bytes(data)
    assert run("cat", "data", cwd=tmp_path).stdout == data


def test_output_without_a_newline_and_with_nul_bytes_comes_through():
    assert shell(r"printf 'a\0b\377\rc'").stdout == b"a\0b\xff\rc"


# -- what is hidden --------------------------------------------------------------------------------


def many_lines(count=5000):
    return ["seq", "-f", "line %g of the output, which is long enough to be hidden", str(count)]


def test_a_large_output_is_compacted_and_can_be_had_back(state):
    done = run(*many_lines())
    *shown, notice = done.stdout.decode().splitlines()
    assert len(shown) < 500
    assert notice.startswith("[")
    raw_id = notice.split()[-1].rstrip("]")
    bare = subprocess.run(many_lines(), capture_output=True, check=True)
    assert Store(state).load(raw_id)["out"] == bare.stdout
    assert list((state / "spool").iterdir()) == []


def test_a_small_output_is_shown_as_it_is():
    done = run("seq", "100")
    assert done.stdout == b"".join(b"%d\n" % i for i in range(1, 101))


def test_a_command_that_reads_something_out_is_left_alone(tmp_path):
    text = "".join(f"line {i} of a file that somebody wants to read\n" for i in range(3000))
    (tmp_path / "file").write_text(text)
    assert run("cat", "file", cwd=tmp_path).stdout.decode() == text


@pytest.mark.parametrize("name", ["LACONIC_NO_FILTER", "LACONIC_DISABLED"])
def test_it_can_be_switched_off(name):
    done = run(*many_lines(), env=os.environ | {name: "1"})
    assert done.stdout.count(b"\n") == 5000
    assert run(*many_lines(), flags=["--raw"]).stdout.count(b"\n") == 5000


def test_verbose_says_what_was_done():
    done = run(*many_lines(), env=os.environ | {"LACONIC_VERBOSE": "1"})
    assert done.stderr.decode().startswith("laconic: generic: ")
    done = run("true", env=os.environ | {"LACONIC_VERBOSE": "1"})
    assert done.stderr == b"laconic: generic: shown as it is: nothing to hide\n"


def test_a_filter_can_be_asked_for(home):
    folder = home / ".config/laconic/filters"
    folder.mkdir(parents=True)
    (folder / "mine.toml").write_text('command = ["nothing"]\nkind = "summary"\ndrop = ["line"]\n')
    done = run("sh", "-c", "seq -f 'line number %g' 60; echo kept", flags=["--filter", "mine"])
    kept, notice = done.stdout.decode().splitlines()
    assert kept == "kept"
    assert "60/61 lines hidden" in notice


def test_a_filter_that_is_not_there_is_an_error_before_anything_runs(tmp_path):
    done = run("touch", "file", flags=["--filter", "nosuch"], cwd=tmp_path)
    assert (done.returncode, done.stderr.decode()) == (
        2, "laconic: there is no filter 'nosuch'\nhint: laconic filters list\n"
    )  # fmt: skip
    assert not (tmp_path / "file").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["run"], "laconic: run needs a command\nhint: laconic run --help\n"),
        (["run", "--no"], "laconic: unrecognized arguments: --no\nhint: laconic run --help\n"),
        (["run", "--filter"], "laconic: --filter needs a value\nhint: laconic run --help\n"),
        (
            ["run", "--raw=1"],
            "laconic: unrecognized arguments: --raw=1\nhint: laconic run --help\n",
        ),
        (["err"], "laconic: err needs a command\nhint: laconic err --help\n"),
    ],
)
def test_a_wrong_command_line_gets_status_2(words, message):
    done = subprocess.run([*LACONIC, *words], capture_output=True, check=False)
    assert (done.returncode, done.stderr.decode()) == (2, message)


def test_help_is_ours_only_in_front_of_the_command():
    assert run("--help").stdout.startswith(b"usage: laconic run")
    assert run("printf", "%s", "--help").stdout == b"--help"


LOG = "seq -f 'step %g is done and all is well' 400; echo 'x.c:3: error: no'; echo end"


def test_err_shows_errors_with_what_is_around_them():
    done = subprocess.run([*LACONIC, "err", "sh", "-c", f"{LOG}; exit 2"],
                          capture_output=True, check=False)  # fmt: skip
    assert done.returncode == 2
    assert b"step 400 is done and all is well\nx.c:3: error: no\nend\n" in done.stdout
    assert b"step 300" not in done.stdout


@pytest.mark.parametrize("mode", ["test", "summary"])
def test_the_views_keep_the_exit_status_and_every_diagnostic(mode):
    done = subprocess.run([*LACONIC, mode, "sh", "-c", f"{LOG}; exit 2"],
                          capture_output=True, check=False)  # fmt: skip
    assert done.returncode == 2
    assert b"x.c:3: error: no\n" in done.stdout
    assert done.stdout.count(b"\n") < 100


# -- a file has every byte -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "RUN MANY > file",
        "RUN MANY >> file",
        "RUN MANY > file 2>&1",
        "exec 3> file; RUN MANY >&3",
        "exec > file; RUN MANY",
        "{ RUN MANY; } > file",
        "f() { RUN MANY; }; f > file",
        "RUN MANY 1<> file",
        "RUN sh -c 'MANY >&2' 2> file",
        "exec 2> file; RUN sh -c 'MANY >&2'",
        "RUN sh -c 'MANY >&2' 2> file | cat",
        "RUN sh -c 'MANY >&2; MANY' 2> file > /dev/null",
    ],
)
def test_a_file_has_every_byte_whoever_opened_it(tmp_path, line):
    many = f'{" ".join(many_lines()[:2])} "{many_lines()[2]}" 5000'
    for name, front in (("ours", " ".join(RUN)), ("bare", "")):
        (tmp_path / name).mkdir()
        script = line.replace("RUN", front).replace("MANY", many)
        subprocess.run(["bash", "-c", script], cwd=tmp_path / name, check=True, capture_output=True)
    bare = (tmp_path / "bare/file").read_bytes()
    assert bare.count(b"\n") == 5000
    assert (tmp_path / "ours/file").read_bytes() == bare


@pytest.mark.skipif(sys.platform != "linux", reason="what the parent writes to is in /proc")
@pytest.mark.parametrize(
    ("line", "is_compacted"), [("RUN MANY; :", True), ("RUN MANY > x; cat x", False)]
)
def test_a_file_that_an_agent_gives_its_shell_is_read_by_the_agent(tmp_path, line, is_compacted):
    """Claude Code does so; what the command itself redirects still has every byte."""
    many = f'{" ".join(many_lines()[:2])} "{many_lines()[2]}" 5000'
    script = line.replace("RUN", " ".join(RUN)).replace("MANY", many)
    with (tmp_path / "agents").open("wb") as file:
        environ = {**os.environ, "CLAUDECODE": "1"}
        command = ["bash", "-c", script]
        subprocess.run(command, cwd=tmp_path, env=environ, stdout=file, stderr=file, check=True)
    assert ((tmp_path / "agents").read_bytes().count(b"\n") < 1000) == is_compacted


def test_with_stderr_in_a_file_stdout_is_compacted(tmp_path):
    with (tmp_path / "file").open("wb") as file:
        line = f"{' '.join(many_lines()[:2])} '{many_lines()[2]}' 5000; echo to the file >&2"
        done = subprocess.run([*RUN, "sh", "-c", line], stdout=-1, stderr=file, check=True)
    assert (tmp_path / "file").read_text() == "to the file\n"
    assert done.stdout.count(b"\n") < 500


@pytest.mark.usefixtures("report")
def test_a_file_has_what_the_pipe_leaves(tmp_path):
    for flags, bare in ((["tail -2"], "report | tail -2"),
                        (["tail -2", "--pipe-stderr"], "report 2>&1 | tail -2")):  # fmt: skip
        with (tmp_path / "file").open("wb") as file:
            subprocess.run([*RUN, "--baseline-pipe", *flags, "report"], stdout=file, check=True)
        expected = subprocess.run(["bash", "-c", bare], capture_output=True, check=True)
        assert (tmp_path / "file").read_bytes() == expected.stdout


# -- pipes that were taken off ---------------------------------------------------------------------


REPORT = (
    "seq -f 'test number %g has passed as it should' 200; echo 'b failed'; echo 'the end';"
    "echo 'on stderr' >&2; exit ${1:-0}"
)


@pytest.fixture
def report(home, tmp_path, monkeypatch):
    """Two programs, one with a filter that sums up, one with a filter for listings."""
    folder = home / ".config/laconic/filters"
    folder.mkdir(parents=True)
    for name, kind in (("report", "summary"), ("listing", "listing")):
        text = f'command = ["{name}"]\nkind = "{kind}"\nkeep = ["failed"]\n'
        (folder / f"{name}.toml").write_text(text)
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\n{REPORT}\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")


@pytest.mark.usefixtures("report")
def test_a_summary_answers_in_place_of_tail():
    done = run("report", flags=["--baseline-pipe", "tail -3"])
    first, notice = done.stdout.decode().splitlines()
    assert first == "b failed"
    assert "202/203 lines hidden" in notice
    assert done.stderr == b""


@pytest.mark.usefixtures("report")
def test_a_summary_has_every_line_that_grep_asks_for():
    done = run("report", flags=["--baseline-pipe", "grep 'er 1.0 '"])
    lines = done.stdout.decode().splitlines()
    wanted = [f"test number {i} has passed as it should" for i in range(100, 200, 10)]
    assert lines[:-1] == [*wanted, "b failed"]


@pytest.mark.usefixtures("report")
def test_of_a_listing_the_pipe_gets_what_it_asked_for():
    done = run("listing", flags=["--baseline-pipe", "tail -2"])
    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        b"b failed\nthe end\n",
        b"on stderr\n",
    )
    done = run("listing", flags=["--baseline-pipe", "tail -1", "--pipe-stderr"])
    assert done.stdout == b"on stderr\n"


def test_head_ends_a_command_that_never_ends():
    done = run("yes", flags=["--baseline-pipe", "head -3"], timeout=5)
    assert (done.returncode, done.stdout) == (0, b"y\ny\ny\n")


@pytest.mark.usefixtures("report")
@pytest.mark.parametrize("name", ["report", "listing"])
@pytest.mark.parametrize(
    ("pipe", "flags", "status"),
    [
        ("tail -3", [], 0),
        ("grep -q failed", [], 0),
        ("grep nosuchline", [], 1),
        ("tail -3", ["--pipefail"], 7),
        ("grep nosuchline", ["--pipefail"], 1),
    ],
)
def test_the_exit_status_is_that_of_the_pipeline(name, pipe, flags, status):
    done = run(name, "7", flags=["--baseline-pipe", pipe, *flags])
    assert done.returncode == status
    line = f"set {'-o' if flags else '+o'} pipefail; {name} 7 | {pipe}"
    assert (
        subprocess.run(["bash", "-c", line], capture_output=True, check=False).returncode == status
    )


@pytest.mark.usefixtures("report")
def test_a_failure_that_the_pipe_hides_is_named():
    done = run("report", "7", flags=["--baseline-pipe", "tail -3"])
    assert done.stdout.decode().splitlines()[-1] == "[laconic: report itself exited with status 7]"


@pytest.mark.usefixtures("report")
def test_prefer_less_takes_the_smaller_one():
    done = run("report", flags=["--prefer-less", "--baseline-pipe", "tail -1"])
    assert done.stdout == b"the end\n"
    assert b"on stderr" in done.stderr

    def is_recorded():  # behind the output: the client does not wait for it
        told = subprocess.run([*LACONIC, "gain"], capture_output=True, check=True).stdout
        return b"pipe preferred: 1 run" in told

    wait_for(is_recorded)


@pytest.mark.usefixtures("report")
def test_a_pipe_that_is_no_simple_one_is_run_by_the_shell():
    done = run("listing", flags=["--baseline-pipe", "tail -2 | tr a-z A-Z"])
    assert done.stdout == b"B FAILED\nTHE END\n"


# -- while it runs ---------------------------------------------------------------------------------


def test_lines_appear_while_a_command_runs():
    process = start("sh", "-c", "echo early; sleep 30")
    assert read_until(process, b"early\n") == b"early\n"
    assert end(process) == b""
    assert process.returncode == 143


def test_a_question_without_a_newline_appears():
    process = start("sh", "-c", "printf 'name? '; sleep 30")
    assert read_until(process, b"name? ") == b"name? "
    end(process)


def test_a_diagnostic_appears_with_a_mark_for_what_is_between():
    line = "seq -f 'line %g' 500; echo 'error: broken'; sleep 0.2; seq -f 'more %g' 500; sleep 30"
    process = start("sh", "-c", line)
    shown = read_until(process, b"error: broken\n").decode().splitlines()
    assert shown == [f"line {i}" for i in range(1, 101)] + [
        "[... 400 lines hidden]", "error: broken"
    ]  # fmt: skip
    rest = end(process).decode()
    assert "more 500\n" in rest
    assert "of 1001 lines hidden" in rest.splitlines()[-1]


def test_what_appeared_while_it_ran_does_not_appear_again():
    line = "seq -f 'line %g' 100; sleep 1.7; echo plain; echo error: x; sleep 1; echo done"
    shown = shell(line).stdout.decode().splitlines()
    assert shown[100:] == ["plain", "error: x", "done"]


def test_with_a_filter_what_its_patterns_decide_appears(home):
    folder = home / ".config/laconic/filters"
    folder.mkdir(parents=True)
    (folder / "sh.toml").write_text(
        'command = ["sh"]\nkind = "summary"\ndrop = ["^noise"]\nmust_keep = ["^sure"]\n'
    )
    noise = "seq -f 'noise number %g that nobody reads' 50"
    line = f"{noise}; echo sure; echo maybe; echo sure 2; sleep 30"
    process = start("sh", "-c", line)
    assert read_until(process, b"sure\n") == b"sure\n"
    rest = end(process).decode().splitlines()
    assert rest[:2] == ["maybe", "sure 2"]
    assert "50 of 53 lines hidden" in rest[2]


def test_what_was_shown_while_a_command_ran_is_not_shown_again(home):
    folder = home / ".config/laconic/filters"
    folder.mkdir(parents=True)
    (folder / "sh.toml").write_text(
        'command = ["sh"]\nkind = "summary"\ndrop = ["^noise"]\nmust_keep = ["^sure"]\n'
    )
    shown = run("sh", "-c", "echo noise; echo sure; sleep 2; seq 3").stdout.decode().splitlines()
    assert shown[:4] == ["sure", "1", "2", "3"]
    assert shown[4].startswith("[laconic: 1 of 5 lines hidden, see them: ")


def test_a_line_without_end_is_not_said_to_be_whole():
    done = run(sys.executable, "-c", "print('z' * 100_000)")
    assert b"0 of 1 lines hidden, 1 shortened" in done.stdout


def test_with_a_filter_what_none_of_its_patterns_speaks_of_appears(tmp_path):
    (tmp_path / "Makefile").write_text("all:\n\t@echo serving; sleep 30\n")
    process = start("make", cwd=tmp_path)
    assert read_until(process, b"serving\n") == b"serving\n"
    rest = end(process)
    assert b"serving" not in rest
    assert b"make: *** " in rest


def test_what_a_filter_may_yet_change_waits_for_the_end(tmp_path):
    compiled = "".join(f"\t@echo cc -c -O2 -o f{i}.o f{i}.c\n" for i in range(30))
    (tmp_path / "Makefile").write_text(f"all:\n\t@echo first\n{compiled}\t@echo later; sleep 2\n")
    process = start("make", cwd=tmp_path)
    assert read_until(process, b"first\n") == b"first\n"
    rest = process.communicate(timeout=10)[0].decode().splitlines()
    assert rest[:2] == ["30 x cc -c in all", "later"]
    assert rest[2].startswith("[laconic: 30 of 32 lines hidden")


def test_a_command_that_is_told_to_end_may_say_goodbye():
    process = start("sh", "-c", "trap 'echo bye; exit 9' TERM; echo ready; sleep 30 & wait")
    read_until(process, b"ready\n")
    assert end(process) == b"bye\n"
    assert process.returncode == 9


def test_a_command_has_as_long_as_it_takes_to_clean_up():
    """Nobody has sent a KILL, so there is none, however often it is told to end."""
    processes = {}
    for name in ("TERM", "HUP", "INT"):  # at the same time: each takes its seconds
        line = f"trap 'echo cleaning; sleep 2.5; echo cleaned; exit 5' {name}"
        line = f"trap '' TERM HUP INT; {line}; echo up; sleep 30 >&- 2>&- & wait"
        processes[signal.Signals[f"SIG{name}"]] = start("bash", "-c", line)
    for awaited in (b"up\n", b"cleaning\n"):
        for number, process in processes.items():
            read_until(process, awaited)
            process.send_signal(number)
    for number, process in processes.items():
        out, _ = process.communicate(timeout=20)
        assert (process.returncode, out.splitlines()[-1]) == (5, b"cleaned"), number


def test_a_command_that_is_deaf_goes_on_and_what_it_wrote_is_shown():
    line = "trap '' TERM; echo up; while [ ! -e go ]; do sleep 0.05; done; echo went on; exit 4"
    with tempfile.TemporaryDirectory() as folder:
        process = start("sh", "-c", line, cwd=folder)
        read_until(process, b"up\n")
        for _ in range(3):
            process.terminate()
            time.sleep(0.5)
        Path(folder, "go").touch()
        assert process.communicate(timeout=20)[0] == b"went on\n"
    assert process.returncode == 4


@pytest.mark.parametrize("name", ["INT", "HUP", "QUIT", "USR1", "USR2", "WINCH"])
def test_signals_are_passed_on(name):
    program = f"trap 'echo got {name}; exit 3' {name}; echo ready; sleep 20 >&- 2>&- & wait"
    process = start("sh", "-c", program)
    read_until(process, b"ready\n")
    process.send_signal(signal.Signals[f"SIG{name}"])
    out, _ = process.communicate(timeout=20)
    assert (process.returncode, out) == (3, f"got {name}\n".encode())


def test_a_stopped_laconic_stops_its_command_and_both_go_on():
    process = start("sh", "-c", "echo $$; while :; do sleep 0.05; done")
    pid = int(read_until(process, b"\n"))

    def states():
        return [Path(f"/proc/{p}/stat").read_text().split()[2] for p in (process.pid, pid)]

    process.send_signal(signal.SIGTSTP)
    # D: the shell waits for a child of its own that was stopped before it could become `sleep`.
    wait_for(lambda: states() in (["T", "T"], ["T", "D"]))
    process.send_signal(signal.SIGCONT)
    wait_for(lambda: "T" not in states())
    end(process)


def test_ctrl_c_on_a_terminal_ends_both_and_the_shell_sees_it():
    pid, terminal = pty.fork()
    if pid == 0:
        words = [*RUN, "sh", "-c", "trap 'echo caught; exit 5' INT; echo up; sleep 20 & wait"]
        os.execvp(words[0], words)
    shown = b""
    while b"up" not in shown:
        shown += os.read(terminal, 1000)
    os.write(terminal, b"\x03")
    with contextlib.suppress(OSError):
        while piece := os.read(terminal, 1000):
            shown += piece
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 5
    assert b"caught" in shown
    os.close(terminal)


def test_a_command_on_a_terminal_can_read_from_it():
    pid, terminal = pty.fork()
    if pid == 0:
        words = [*RUN, "sh", "-c", "read x </dev/tty; echo got $x"]
        os.execvp(words[0], words)
    os.write(terminal, b"word\n")
    shown = b""
    with contextlib.suppress(OSError):  # once nobody has it open
        while piece := os.read(terminal, 1000):
            shown += piece
    _, status = os.waitpid(pid, 0)
    assert (status, shown.count(b"got word")) == (0, 1)
    os.close(terminal)


# -- children in the background --------------------------------------------------------------------


def recalled(raw_id):
    return subprocess.run([*LACONIC, "recall", raw_id], capture_output=True, check=True).stdout


def test_a_background_child_neither_blocks_nor_dies(state, tmp_path):
    begin = time.monotonic()
    line = f"(sleep 1.2; echo late; echo alive > {tmp_path}/proof) & echo started"
    done = shell(line)
    assert time.monotonic() - begin < 1
    first, notice = done.stdout.decode().splitlines()
    assert (done.returncode, first, done.stderr) == (0, "started", b"")
    assert "something was left running and may still write" in notice
    raw_id = re.search(r"recall (\w{6})\]", notice)[1]
    assert recalled(raw_id) == b"started\n"
    wait_for((tmp_path / "proof").exists)
    wait_for(lambda: recalled(raw_id) == b"started\nlate\n")
    for path in (state / "spool").iterdir():
        os.utime(path, (time.time() - 60, time.time() - 60))  # nobody writes to it any more
    wait_for(lambda: recalled(raw_id) and not list((state / "spool").iterdir()))
    assert recalled(raw_id) == b"started\nlate\n"
    assert rows(state, "SELECT raw_id FROM runs") == [raw_id]


def test_who_writes_a_moment_later_is_still_shown():
    assert shell("(sleep 0.03; echo late) & echo started").stdout == b"started\nlate\n"


# -- the environment -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "environ",
    [
        {"HOME": "/home/x"},
        {"HOME": "/home/x", "XDG_STATE_HOME": "/s"},
        {"HOME": "/home/x", "XDG_STATE_HOME": "relative"},
        {"HOME": "/home/x", "LACONIC_STATE_DIR": "/own", "XDG_STATE_HOME": "/s"},
        {"HOME": "/home/x", "LACONIC_STATE_DIR": "relative"},
        {"HOME": "relative"},
        {},
    ],
)
def test_a_run_and_the_settings_agree_on_the_state_directory(environ):
    assert surroundings.state_directory(environ) == str(read_directories(environ).state)


def test_ids_are_those_of_the_raw_store():
    assert all(is_id(new_id()) for _ in range(100))


def test_a_command_is_written_down_as_it_could_be_typed():
    assert Task(["git", "log", "a b", "", "it's", "é"]).command == "git log 'a b' '' 'it'\\''s' 'é'"


def test_runs_are_recorded_with_agent_and_session():
    run("true", env=os.environ | {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s1"})
    import json

    done = subprocess.run([*LACONIC, "history", "--json"], capture_output=True, check=True)
    assert b"claude-code" in done.stdout
    assert json.loads(done.stdout)


def test_the_spool_is_for_the_owner_alone(state):
    process = start("sh", "-c", "echo x; sleep 30")
    files = wait_for(lambda: list((state / "spool").glob("*.both")))
    assert (files[0].stat().st_mode & 0o777, files[0].parent.stat().st_mode & 0o777) == (
        0o600, 0o700
    )  # fmt: skip
    end(process)


def test_a_limit_on_files_does_not_reach_what_the_command_writes_to_us():
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    done = shell("seq 5000", preexec_fn=limit)
    assert (done.returncode, done.stdout.count(b"\n")) == (0, 5000)


def test_little_is_loaded_before_the_command_starts():
    heavy = {
        "argparse",
        "json",
        "pathlib",
        "subprocess",
        "tomllib",
        "typing",
        "laconic.settings.load",
    }
    program = "import sys; import laconic.cli.main, laconic.cli.run; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, check=True)
    bare = subprocess.run(
        [sys.executable, "-I", "-c", "import sys; print(*sys.modules)"],
        capture_output=True, check=True,
    )  # fmt: skip
    assert not heavy & (set(loaded.stdout.decode().split()) - set(bare.stdout.decode().split()))


def test_a_few_lines_between_two_diagnostics_are_shown():
    """A mark would be longer than what it hides."""
    line = "seq 300; echo error: a; echo x; echo error: b; sleep 1.6; echo end"
    done = shell(line)
    assert done.stdout.decode().splitlines()[-5:-1] == ["error: a", "x", "error: b", "end"]


def test_more_than_can_be_held_is_shown_by_its_ends_and_diagnostics(state):
    line = "seq -f 'step %.0f is done and all is well' 300000; echo 'error: in the middle';" * 2
    done = shell(f"{line} echo the end; exit 2", timeout=30)
    assert done.returncode == 2
    lines = done.stdout.decode().splitlines()
    assert lines[:2] == ["step 1 is done and all is well", "step 2 is done and all is well"]
    assert lines.count("error: in the middle") == 2
    assert lines[-2] == "the end"
    assert "of 600003 lines hidden (20 MB: only the ends and diagnostics are shown)" in lines[-1]
    hidden = sum(int(line.split()[1]) for line in lines if line.startswith("[... "))
    assert hidden + sum(not line.startswith("[") for line in lines) == 600003
    raw_id = lines[-1].split()[-1].rstrip("]")
    assert Store(state).load(raw_id)["out"].count(b"\n") == 600003

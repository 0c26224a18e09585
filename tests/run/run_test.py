"""laconic run against the bare command: same output, streams, signals and exit status."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from laconic.compact.tokens import estimate
from laconic.record.store import Store, is_id
from laconic.run.spool import new_id
from laconic.run.task import Task
from laconic.settings import environ as surroundings
from laconic.settings.load import read_directories
from runners import (
    LACONIC,
    RUN,
    bin_dir,
    end,
    no_process_left,
    run,
    runner,
    runtime,
    shell,
    start,
    state,
    wait_for,
)

__all__ = [
    "bin_dir",
    "no_process_left",
    "runner",
    "runtime",
    "state",
]  # fixtures


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
            "laconic: unrecognized arguments: --raw=1\nhint: did you mean: laconic run --raw\n",
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
    done = run("report", flags=["--baseline-pipe", "tail -30"])
    first, notice = done.stdout.decode().splitlines()
    assert first == "b failed"
    assert "202/203 lines hidden" in notice
    assert done.stderr == b""


@pytest.fixture
def suite(home, tmp_path, monkeypatch):
    """A program with a filter that sums up, of which 60 headings and, after a failure, 40 failures
    stay.
    """
    folder = home / ".config/laconic/filters"
    folder.mkdir(parents=True)
    text = 'command = ["suite"]\nkind = "summary"\nkeep = ["^part", "failed", "passed"]\n'
    (folder / "suite.toml").write_text(text)
    program = tmp_path / "suite"
    parts = "seq -f 'part %g of the suite\n  a test of it is done' 60"
    failures = "[ ${1:-0} = 0 ] || seq -f 'test %g failed: the sum is not what it should be' 40"
    program.write_text(f"#!/bin/sh\n{parts}\n{failures}\necho 900 passed\nexit ${{1:-0}}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")


def piped(pipe, *words):
    """What is shown of the suite, and what the pipe alone would show of it."""
    done = run("suite", *words, flags=["--baseline-pipe", pipe])
    bare = subprocess.run(
        ["sh", "-c", f"suite {' '.join(words)} | {pipe}"], capture_output=True, check=True
    )
    return done.stdout.decode(), bare.stdout.decode()


@pytest.mark.usefixtures("suite")
@pytest.mark.parametrize("pipe", ["tail -5", "head -n 4"])
def test_after_a_success_no_more_is_shown_than_head_or_tail_would_show(pipe):
    got, bare = piped(pipe)
    assert got == bare


@pytest.mark.usefixtures("suite")
@pytest.mark.parametrize("pipe", ["tail -20", "head -30"])
def test_after_a_failure_three_times_as_much_is_shown_as_head_or_tail_would_show(pipe):
    got, bare = piped(pipe, "3")
    *lines, said = got.splitlines()
    assert said == "[laconic: suite itself exited with status 3]"
    text = "\n".join(lines)
    assert estimate(bare) < estimate(text) <= 3 * estimate(bare)
    assert "test 1 failed: the sum is not what it should be" in lines
    assert "test 40 failed: the sum is not what it should be" in lines
    assert "laconic recall" in lines[-1]


@pytest.mark.usefixtures("suite")
def test_what_does_not_fit_into_three_times_a_line_is_that_line():
    got, bare = piped("tail -1", "3")
    assert got == f"{bare}[laconic: suite itself exited with status 3]\n"


@pytest.mark.usefixtures("report")
def test_a_summary_of_a_failure_has_every_line_that_grep_asks_for():
    done = run("report", "7", flags=["--baseline-pipe", "grep 'er 1.0 '"])
    lines = done.stdout.decode().splitlines()
    wanted = [f"test number {i} has passed as it should" for i in range(100, 200, 10)]
    assert lines[:-2] == [*wanted, "b failed"]


@pytest.mark.usefixtures("suite")
@pytest.mark.parametrize(
    "pipe", ["grep -iE 'part 7|passed'", "grep -E '^part|passed'", "grep -x no"]
)
def test_after_a_success_no_more_is_shown_than_grep_would_show(pipe):
    done = run("suite", flags=["--baseline-pipe", pipe])
    bare = subprocess.run(["sh", "-c", f"suite | {pipe}"], stdout=-1, check=False)
    assert (done.returncode, done.stdout) == (bare.returncode, bare.stdout)


@pytest.mark.usefixtures("report")
@pytest.mark.parametrize("status", ["0", "7"])
@pytest.mark.parametrize("flags", ["-v", "-iv", "-F -v"])
def test_a_summary_stays_one_where_grep_takes_lines_away(flags, status):
    done = run("report", status, flags=["--baseline-pipe", f"grep {flags} 'the end'"])
    first, notice, *_ = done.stdout.decode().splitlines()
    assert first == "b failed"
    assert "202/203 lines hidden" in notice


@pytest.fixture
def go(tmp_path, monkeypatch):
    """A program that prints what `go test` prints of 60 packages, of which one may fail."""
    program = tmp_path / "go"
    passed = "seq -f 'ok  \texample.org/m/p%g\t0.01s' 30"
    untested = "seq -f '?   \texample.org/m/q%g\t[no test files]' 30"
    failed = "--- FAIL: TestX (0.00s)\n    x_test.go:5: no\nFAIL\texample.org/m/x\t0.01s\nFAIL"
    end = f"[ $# = 2 ] || {{ echo '{failed}'; exit 1; }}"
    program.write_text(f"#!/bin/sh\n{passed}\n{untested}\n{end}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")


@pytest.mark.usefixtures("go")
@pytest.mark.parametrize("pipe", ["grep -v 'no test files'", "grep -E '^ok|FAIL'"])
@pytest.mark.parametrize("words", [["./..."], ["-count=1", "./..."]])
def test_a_sum_is_not_shown_beside_what_it_stands_for(pipe, words):
    done = run("go", "test", *words, flags=["--baseline-pipe", pipe])
    lines = done.stdout.decode().splitlines()
    sums = [line for line in lines if line.startswith("ok  \t[")]
    packages = [line for line in lines if line.startswith("ok  \texample")]
    assert (len(sums), len(packages)) == ((1, 0) if "-v" in pipe else (0, 30))


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
    done = run("yes", flags=["--baseline-pipe", "head -3"], timeout=60)
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

    def is_recorded():  # after the output: the client does not wait for it
        told = subprocess.run([*LACONIC, "gain"], capture_output=True, check=True).stdout
        return b"pipe preferred: 1 run" in told

    wait_for(is_recorded)


@pytest.mark.usefixtures("report")
def test_a_pipe_that_is_no_simple_one_is_run_by_the_shell():
    done = run("listing", flags=["--baseline-pipe", "tail -2 | tr a-z A-Z"])
    assert done.stdout == b"B FAILED\nTHE END\n"


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

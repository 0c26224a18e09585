"""laconic wrap: a shell and its line run as they are, and what is inside decides."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

from laconic.run.shells import host_shell, is_wrapped, last_commands, sole_command, unwrap
from runners import LACONIC, bin_dir, runner, runtime

__all__ = ["bin_dir", "runner", "runtime"]  # fixtures for all tests here


def wrap(*words, **more):
    return subprocess.run([*LACONIC, "wrap", *words], capture_output=True, check=False, **more)


def trace(*words, **more):
    done = wrap("--format", "json", "--trace", *words, **more)
    return json.loads(done.stdout)["result"]


@pytest.fixture
def repository(tmp_path):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    for number in range(60):
        (tmp_path / f"file-with-a-long-name-{number}.txt").write_text("x")
    return tmp_path


# -- the program -----------------------------------------------------------------------------------


def test_the_line_runs_in_its_shell_with_its_exit_status():
    done = wrap("--", "bash", "-c", 'x=1; echo "$x" | cat; [[ a == a ]] && exit 3')
    assert (done.returncode, done.stdout) == (3, b"1\n")


def test_the_inner_command_decides(repository):
    found = trace("--", "bash", "-c", "git status", cwd=repository)
    assert found["trace"] == {
        "normalizedCommand": "git status",
        "normalizedArgv": ["git", "status"],
        "matchedReducer": "git/status",
        "family": "git",
    }
    assert found["exitCode"] == 0
    assert found["ratio"] <= 1


def test_a_command_without_a_shell_decides_itself(repository):
    found = trace("--", "git", "status", cwd=repository)
    assert found["trace"]["matchedReducer"] == "git/status"
    assert found["trace"]["normalizedCommand"] == "git status"


def test_raw_has_the_ratio_1(repository):
    found = trace("--raw", "--", "sh", "-c", "seq 5000", cwd=repository)
    assert found["ratio"] == 1
    assert found["stdout"].count("\n") == 5000
    assert wrap("--raw", "--", "sh", "-c", "seq 5000").stdout.count(b"\n") == 5000


def test_what_is_compacted_has_a_smaller_ratio():
    found = trace("--", "sh", "-c", "seq -f 'line %g of many lines' 5000")
    assert 0 < found["ratio"] < 0.9
    assert found["rawId"] in found["stdout"]
    assert found["shownTokens"] < found["rawTokens"]


def test_several_commands_are_not_compacted_by_the_filter_of_one(repository):
    found = trace("--", "sh", "-c", "git status; seq 5", cwd=repository)
    assert found["trace"]["matchedReducer"] == "generic"
    assert found["trace"]["normalizedArgv"] == []
    shown = wrap("--", "sh", "-c", "git status; seq 5", cwd=repository).stdout
    assert b"\n1\n2\n3\n4\n5\n" in shown


def test_a_line_that_reads_something_out_is_left_alone(tmp_path):
    text = "".join(f"{i}: a line of a file that somebody wants to read\n" for i in range(2000))
    (tmp_path / "file").write_text(text)
    done = wrap("--", "bash", "-c", "cd . && cat file", cwd=tmp_path)
    assert done.stdout.decode() == text


def test_a_shell_that_is_not_there():
    done = wrap("--format", "json", "--", "nosuchshell", "-c", "true")
    assert (done.returncode, done.stdout) == (127, b"")


def test_a_format_that_is_not_there():
    done = wrap("--format", "xml", "--", "true")
    assert (done.returncode, done.stderr.decode()) == (
        2, "laconic: there is no format 'xml'\nhint: --format text or json\n"
    )  # fmt: skip


def test_bytes_that_are_no_text_do_not_break_the_json():
    found = trace("--", "sh", "-c", r"printf '\377\0'; echo err >&2")
    assert found["stdout"] == "�\0"
    assert found["stderr"] == "err\n"


# -- what is inside --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "command", "arguments"),
    [
        (["bash", "-lc", "git status"], "git status", ["git", "status"]),
        (["/bin/bash", "-l", "-c", "git status"], "git status", ["git", "status"]),
        (["zsh", "-ic", "A=1 git status 2>&1"], "A=1 git status 2>&1", ["git", "status"]),
        (["fish", "--login", "-c", "ls"], "ls", ["ls"]),
        (["sh", "-c", "bash -c 'git log'"], "git log", ["git", "log"]),
        (["sh", "-c", "git status && ls"], "git status && ls", []),
        (["sh", "-c", "git status | head"], "git status | head", []),
        (["sh", "-c", "git status &"], "git status &", []),
        (["sh", "-c", "git status > file"], "git status > file", []),
        (["sh", "-c", "if"], "if", []),
        (["git", "status"], None, ["git", "status"]),
        (["bash", "script.sh", "-c", "x"], None, ["bash", "script.sh", "-c", "x"]),
        (["sh", "-c"], None, ["sh", "-c"]),
    ],
)
def test_shells_are_seen_through(words, command, arguments):
    inner = unwrap(words)
    assert (inner.command, [argument.text for argument in inner.arguments]) == (command, arguments)


def test_a_dynamic_word_stays_unknown():
    (program, option) = sole_command("git $x")
    assert (program.text, option.text) == ("git", None)


def test_the_commands_whose_output_is_read():
    found = last_commands("cat a | sort; ls | head && git log")
    assert [[a.text for a in arguments] for arguments in found] == [
        ["sort"], ["head"], ["git", "log"]
    ]  # fmt: skip


@pytest.mark.parametrize(
    "line",
    [
        "laconic wrap -- git status",
        "laconic run git status",
        "laconic-py run ls",
        "cd x && laconic wrap --raw -- make",
        "make; A=1 /usr/local/bin/laconic run make",
        "'C:\\bin\\laconic.exe' wrap -- ls",
        "/opt/x/laconic.cmd run ls",
        "python3 -m laconic run ls",
        "/usr/bin/python3.12 -m laconic run ls",
        "node /home/x/laconic/dist/cli/main.js wrap -- ls",
        "node /abs/laconic.js wrap -- ls",
        "bash -lc 'laconic run ls'",
        "x=$(laconic run ls)",
        "laconic wrap -- 'unfinished",
    ],
)
def test_a_line_that_is_wrapped_is_known(line):
    assert is_wrapped(line)


@pytest.mark.parametrize(
    "line",
    [
        "git status",
        "echo laconic wrap -- ls",
        "git commit -m 'laconic run x'",
        "cat laconic",
        "./laconical run",
        "python3 -m laconical",
        "node server.js wrap",
        "cd laconic && make run",
        "echo 'unfinished",
    ],
)
def test_a_line_that_is_not_wrapped_is_known(line):
    assert not is_wrapped(line)


# -- the shell of the host -------------------------------------------------------------------------


@pytest.fixture
def shells(tmp_path):
    for name in ("asked", "forced", "usual", "bash", "sh"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    (tmp_path / "plain").write_text("")
    return tmp_path


@pytest.mark.parametrize(
    ("asked", "forced", "usual", "there", "expected"),
    [
        ("asked", "forced", "usual", "all", "asked"),
        ("{}/asked", "forced", "usual", "all", "asked"),
        ("", "forced", "usual", "all", "forced"),
        ("nosuch", "", "{}/usual", "all", "usual"),
        ("{}/plain", "{}/nosuch", "", "all", "bash"),
        ("", "", "", "sh", "sh"),
        ("  ", "", "nosuch", "none", None),
    ],
)
def test_the_order_in_which_a_shell_is_looked_for(shells, asked, forced, usual, there, expected):
    for name in ("bash", "sh"):
        if there not in {"all", name}:
            (shells / name).unlink()
    environ = {
        "PATH": str(shells),
        "LACONIC_CODEBUDDY_SHELL": forced.format(shells),
        "SHELL": usual.format(shells),
    }
    found = host_shell(asked.format(shells), environ)
    assert found == (None if expected is None else str(shells / expected))


def test_a_relative_path_is_used_as_it_is(shells, monkeypatch):
    monkeypatch.chdir(shells)
    assert host_shell("./asked", {"PATH": os.devnull}) == "./asked"

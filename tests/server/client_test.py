"""The client, with a server and without: the command runs, and its output and code arrive."""

from __future__ import annotations

import re
import resource
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import warm_server
from clients import SCRIPT, bin_dir, cold, everywhere, has_run, needs_client, server

__all__ = ["bin_dir", "cold", "server"]  # fixtures
pytestmark = needs_client


# -- without a fault -------------------------------------------------------------------------------


@everywhere
def test_the_first_call_is_answered_and_starts_a_server(cold):
    del cold.environ["LACONIC_NO_SERVER"]
    assert warm_server.verdict(cold.hook("git status").stdout) == "allow"
    warm_server.wait_for(cold.status)
    before = cold.calls()
    assert warm_server.verdict(cold.hook("rm -rf /").stdout) == "deny"
    assert cold.calls() == before + 2  # the hook, and the question for this number


@everywhere
def test_a_server_and_the_long_way_give_the_same_answers(server):
    for words in (
        ("check", "git status"),
        ("check", "--json", "rm -rf /"),
        ("check", "a", "b"),
        ("rewrite", "git status | head -3"),
        ("-c", "echo $0 $1; exit 4", "zero", "one"),
        ("-ec", "false; echo no"),
        ("run", "--nosuch", "x"),
        ("run", "sh", "-c", SCRIPT),
        ("wrap", "--", "bash", "-c", SCRIPT),
        ("run", "--baseline-pipe", "tail -1", "git", "log", "-2", "--oneline"),
        ("run", "nosuchcommand"),
        ("--version",),
        ("hook", "--help"),
    ):
        given = server.run(*words)
        slow = server.run(*words, env=server.environ | {"LACONIC_NO_SERVER": "1"})
        assert (given.stdout, given.stderr, given.returncode) == (
            slow.stdout, slow.stderr, slow.returncode,
        ), words  # fmt: skip


@everywhere
def test_the_output_of_a_command_is_compacted_and_kept(server):
    script = "for i in $(seq 3000); do echo line $i of many; done; echo error: it broke; exit 1"
    before = server.calls()
    done = server.run("run", "sh", "-c", script)
    assert server.calls() == before + 2
    assert done.returncode == 1
    assert b"error: it broke" in done.stdout
    assert len(done.stdout) < 20_000
    recall = done.stdout.rsplit(b"laconic recall ", 1)[1].split(b"]")[0].decode()
    whole = server.run("recall", recall.split()[0], "--raw").stdout
    assert whole.count(b"\n") == 3001
    assert not list(Path(server.environ["XDG_STATE_HOME"], "laconic/spool").iterdir())


@pytest.mark.parametrize(
    "script",
    [
        "cat {}",
        "sh -c 'cat {} >&2'",
        "sh -c 'for i in $(seq 900); do echo a line of many words; done; cat {}'",
        "sh -c 'cat {}; sleep 2; cat {}'",
        "tail -n 5 -s 0.1 --pid=$! -f {}",
    ],
)
def test_secrets_are_masked_in_what_the_server_sends(server, tmp_path, script):
    token = "ghp_" + "aB3dE6gH9" * 4
    (tmp_path / "secrets").write_text(f"a {token}\nb s3cr3t-value\n")
    line = f"{server.client} run {script.format(*[tmp_path / 'secrets'] * 2)}"
    if "$!" in script:
        line = f"sleep 2.5 > /dev/null & {line}"
    environ = server.environ | {"MY_SECRET": "s3cr3t-value"}
    before = server.calls()
    done = subprocess.run(
        ["sh", "-c", line], env=environ, capture_output=True, stdin=subprocess.DEVNULL,
        check=True, timeout=warm_server.PATIENCE_S,
    )  # fmt: skip
    assert server.calls() == before + 2
    shown = (done.stdout + done.stderr).decode()
    assert token not in shown
    assert "s3cr3t-value" not in shown
    assert "[hidden: GitHub token]" in shown
    assert re.search(r"\d secrets masked(?:, shown at a terminal by)?: .* recall \w{6}\]", shown)


def test_what_is_certain_is_shown_while_a_command_runs(server, tmp_path):
    go = tmp_path / "go"
    process = server.popen("run", "sh", "-c", f"echo first; {warm_server.until(go)}; echo last")
    assert process.stdout.readline() == b"first\n"
    go.touch()
    assert process.communicate(timeout=warm_server.PATIENCE_S) == (b"last\n", b"")


def test_a_question_without_a_newline_is_shown_before_its_answer(server, tmp_path):
    go = tmp_path / "go"
    line = f"printf 'name? '; {warm_server.until(go)}; echo nobody"
    process = server.popen("run", "sh", "-c", line)
    assert process.stdout.read(6) == b"name? "
    go.touch()
    assert process.communicate(timeout=warm_server.PATIENCE_S) == (b"nobody\n", b"")


@everywhere
def test_order_and_bytes_of_both_streams_are_kept(server):
    script = "printf 'a\\n'; printf 'b\\377\\000\\n' >&2; printf 'c'; exit 3"
    done = server.run("run", "sh", "-c", script, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert (done.stdout, done.returncode) == (b"a\nb\xff\0\nc", 3)


@everywhere
def test_a_command_has_the_callers_stdin_and_limits(server):
    done = server.run("run", "sh", "-c", "cat; ulimit -n", input=b"given", preexec_fn=_fewer_files)
    assert done.stdout == b"given99\n"


def _fewer_files():
    resource.setrlimit(resource.RLIMIT_NOFILE, (99, 99))


def test_who_writes_on_in_the_background_holds_nobody(server, tmp_path):
    go, late = tmp_path / "go", tmp_path / "late"
    line = f"({warm_server.until(go)}; echo late; echo late > {late}) & echo now"
    done = server.run("run", "sh", "-c", line)
    assert done.stdout.startswith(b"now\n[laconic: something was left running")
    has_run(done, done.stdout, b"", 0)
    go.touch()
    warm_server.wait_for(late.exists)  # and was not ended by a broken pipe


@everywhere
def test_200_calls_at_once_are_all_answered_right(server):
    commands = ["git status", "rm -rf /"] * 100
    with ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(lambda command: server.hook(command).stdout, commands))
    assert [warm_server.verdict(answer) for answer in answers] == ["allow", "deny"] * 100


# -- signals ---------------------------------------------------------------------------------------


@everywhere
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_the_command_and_prints_what_there_is(server, number):
    process = server.popen("run", "sh", "-c", "echo begun; exec sleep 30", preexec_fn=_take_signals)
    assert process.stdout.readline() == b"begun\n"
    process.send_signal(number)
    out, _ = process.communicate(timeout=warm_server.PATIENCE_S)
    assert out == b""
    # Ctrl-C ends the client itself as well, so that a loop of a shell ends.
    assert process.returncode == (-number if number == signal.SIGINT else 128 + number)


def _take_signals():
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def test_a_signal_that_a_command_handles_is_the_commands(server):
    script = "trap 'echo got it; exit 5' USR1; echo ready; while :; do sleep 0.05; done"
    process = server.popen("run", "sh", "-c", script)
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(signal.SIGUSR1)
    assert process.communicate(timeout=warm_server.PATIENCE_S)[0] == b"got it\n"
    assert process.returncode == 5


@everywhere
def test_a_killed_client_leaves_no_command_and_loses_no_output(server):
    process = server.popen("run", "sh", "-c", "sleep 60 & echo $! $$; exec sleep 30")
    spools = Path(server.environ["XDG_STATE_HOME"], "laconic/spool")
    kept = Path(
        warm_server.wait_for(lambda: [p for p in spools.glob("*.out") if p.stat().st_size])[0]
    )
    pids = kept.read_text().split()
    process.kill()
    process.wait()
    warm_server.wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids))
    assert kept.read_text().split() == pids


@everywhere
def test_a_command_ignores_the_signals_that_the_caller_ignores(server):
    def ignore():
        for number in (signal.SIGCHLD, signal.SIGUSR1):
            signal.signal(number, signal.SIG_IGN)

    done = server.run("run", "grep", "SigIgn", "/proc/self/status", preexec_fn=ignore)
    ignored = int(done.stdout.split()[1], 16)
    assert [ignored >> (number - 1) & 1 for number in (signal.SIGCHLD, signal.SIGUSR1)] == [1, 1]


def test_death_by_a_signal_is_128_and_its_number(server):
    has_run(server.run("run", "sh", "-c", "kill -9 $$"), b"", b"", 137)

"""Tokens are counted where a tokenizer is installed, and whatever it does, the rest goes on.

Most tests have a package of their own under its name, which counts characters or misbehaves.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import warm_server
from laconic.compact.tokens import estimate_bytes
from laconic.record import health, tokenizer
from laconic.record.runs import record_run
from laconic.record.store import Store
from records import a_run, rows

LACONIC = [sys.executable, "-m", "laconic"]
SOUND = "return len(text)"
TOKENS = "SELECT raw_tokens, piped_tokens, shown_tokens, exact FROM runs ORDER BY time"
# What a filter shortens.
REPORT = """#!/bin/sh
echo '===== test session starts ====='
for n in $(seq 60); do echo "tests/a_test.py::test_$n PASSED [ 10%]"; done
echo
echo '===== 60 passed in 0.10s ====='
"""
LOAD = """
from laconic.record import tokenizer
tokenizer.load()
print(tokenizer.is_loaded(), tokenizer.counts([b"text"]))
"""


def write_package(directory, in_count=SOUND, in_load="", at_import=""):
    """Write a tokenizer that is not the real one; it notes in `loads` who loaded it."""
    package = Path(directory, tokenizer.PACKAGE)
    package.mkdir(parents=True)
    package.joinpath("__init__.py").write_text("")
    package.joinpath("bpe.py").write_text(f"""
import os, signal, sys, time
{at_import}
class Encoder:
    def count(self, text):
        {in_count}
class openai:
    @staticmethod
    def o200k_base():
        with open({str(package / "loads")!r}, "a") as file:
            print(os.getpid(), file=file)
        {in_load or "pass"}
        return Encoder()
""")
    return package / "loads"


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Return what installs a package for this process and for those it starts."""

    def install(**parts):
        loads = write_package(tmp_path / "site", **parts)
        for name in [name for name in sys.modules if name.startswith(tokenizer.PACKAGE)]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.syspath_prepend(tmp_path / "site")
        monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
        return loads

    return install


@pytest.fixture
def missing(monkeypatch):
    monkeypatch.setattr(tokenizer, "PACKAGE", "nosuchpackage")


@pytest.fixture
def state(home):
    return home / ".local/state/laconic"


def run(*words, **more):
    more.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run([*LACONIC, *words], capture_output=True, check=False, **more)


# -- the real one --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def count():
    pytest.importorskip("rs_bpe")
    return tokenizer.counter()


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("antidisestablishmentarianism", 6), ("2 + 2 = 4", 7), ("お誕生日おめでとう", 8)],
)
def test_known_texts_have_the_tokens_that_everybody_counts(count, text, tokens):
    assert count(text) == tokens
    assert tokenizer.counts([text.encode()]) == [tokens]


@given(st.binary(max_size=2000))
@settings(max_examples=200, deadline=None)
def test_any_bytes_are_counted(count, data):
    text = data.decode("utf-8", "replace")
    (found,) = tokenizer._count([data], count)
    assert bool(text) <= found <= len(text.encode())


@pytest.mark.parametrize("unit", ["-", "=", "a", "aA", " ", "\n", "\0", "\r", "0", "é", "中", "�"])
def test_a_line_without_an_end_takes_no_longer_than_its_length(count, unit):
    size = tokenizer.MOST_BYTES // len(unit.encode())
    started = time.process_time()
    short = count(unit * (size // 8))
    middle = time.process_time()
    assert count(unit * size) == pytest.approx(8 * short, rel=0.01, abs=8)
    # If it were as the square of the length, that would be 64 times.
    assert time.process_time() - middle < 32 * (middle - started) + 0.05


@pytest.mark.parametrize("unit", [b"-", b"\xff", b"\0", b"ab12+/"])
def test_the_largest_text_that_is_counted_is_counted_in_time(count, unit, monkeypatch):
    assert count
    size, limit = tokenizer.MOST_BYTES // len(unit), tokenizer._LONGEST_S
    # Its time is limited by the clock, and what else runs has a share of that.
    monkeypatch.setattr(tokenizer, "_LONGEST_S", warm_server.PATIENCE_S)
    monkeypatch.setattr(tokenizer, "_ALONE_S", warm_server.PATIENCE_S)
    before = os.times()
    assert tokenizer.counts([unit * size]) is not None
    after = os.times()
    used = after.children_user + after.children_system
    assert 0 < used - before.children_user - before.children_system < limit
    assert tokenizer.counts([unit * size, b"\n" * len(unit)]) is None


# -- one that is missing or broken ---------------------------------------------------------------


@pytest.mark.usefixtures("missing")
def test_without_a_tokenizer_nothing_is_counted():
    assert not tokenizer.is_installed()
    assert tokenizer.counts([b"text"]) is tokenizer.counts([b""]) is None


def test_nothing_is_loaded_to_count_nothing(installed):
    loads = installed()
    assert tokenizer.counts([b"", b""]) == [0, 0]
    assert not loads.exists()


BROKEN = {
    "cannot be imported": {"at_import": "raise RuntimeError('x')"},
    "exits when it is imported": {"at_import": "sys.exit(3)"},
    "cannot be loaded": {"in_load": "raise OSError('no vocabulary')"},
    "panics": {"in_count": "raise BaseException('panicked')"},
    "gives nonsense": {"in_count": "return 'many'"},
    "crashes": {"in_count": "os.kill(os.getpid(), signal.SIGSEGV)"},
    "aborts at once": {"at_import": "os.abort()"},
    "exits at once": {"in_load": "os._exit(9)"},
    "never ends": {"in_count": "time.sleep(60)"},
    "closes everything": {"in_load": "os.closerange(0, 100)"},
    "talks": {"in_count": "print('hey'); os.write(2, b'panicked'); raise ValueError"},
}


@pytest.mark.parametrize("parts", BROKEN.values(), ids=BROKEN)
def test_a_broken_one_harms_no_run(installed, state, parts):
    installed(**parts)
    done = run("run", "sh", "-c", "echo out; echo err >&2; exit 7")
    assert (done.stdout, done.stderr, done.returncode) == (b"out\n", b"err\n", 7)
    tokens = estimate_bytes(b"out\n") + estimate_bytes(b"err\n")
    assert rows(state, TOKENS) == [(tokens, None, tokens, 0)]


@pytest.mark.parametrize("parts", BROKEN.values(), ids=BROKEN)
def test_a_broken_one_is_found_out_before_it_is_loaded(installed, parts):
    installed(**parts)
    done = subprocess.run([sys.executable, "-c", LOAD], capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"False None\n", b"")


def test_one_that_never_ends_does_not_outlive_a_killed_run_for_long(installed):
    loads = installed(in_count="time.sleep(60)")
    with subprocess.Popen([*LACONIC, "run", "echo", "text"], stdout=subprocess.PIPE) as process:
        child = int(warm_server.wait_for(lambda: loads.exists() and loads.read_text()))
        process.kill()
    assert child != process.pid
    warm_server.wait_for(lambda: not is_running(child), seconds=10)


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("error", [BaseException, MemoryError])
def test_one_that_breaks_later_is_no_error(error, monkeypatch):
    def count(_text):
        raise error

    monkeypatch.setattr(tokenizer, "_loaded", [count])
    assert tokenizer.counts([b"text"]) is None


# -- runs ----------------------------------------------------------------------------------------


def test_a_run_is_counted(installed, state):
    installed()
    done = run("run", "sh", "-c", "printf 'a\\377b\\n'; echo err >&2")
    assert (done.stdout, done.stderr) == (b"a\xffb\n", b"err\n")
    assert rows(state, TOKENS) == [(8, None, 8, 1)]


def test_both_streams_together_are_counted(installed, state):
    installed()
    command = f"{sys.executable} -m laconic run sh -c 'echo out; echo err >&2' 2>&1"
    done = subprocess.run(command, shell=True, capture_output=True, check=True)
    assert done.stdout == b"out\nerr\n"
    assert rows(state, TOKENS) == [(8, None, 8, 1)]


def test_what_is_printed_is_counted_with_its_notice(installed, state, tmp_path, monkeypatch):
    installed()
    raw = _report(tmp_path, monkeypatch)
    done = run("run", "pytest")
    assert len(done.stdout) < len(raw)
    assert b"laconic recall" in done.stdout
    assert rows(state, TOKENS) == [(len(raw), None, len(done.stdout), 1)]


def test_what_a_pipe_would_have_left_is_counted(installed, state, tmp_path, monkeypatch):
    installed()
    raw = _report(tmp_path, monkeypatch)
    done = run("run", "--baseline-pipe", "tail -3", "pytest")
    piped = b"".join(raw.splitlines(keepends=True)[-3:])
    assert rows(state, TOKENS) == [(len(raw), len(piped), len(done.stdout), 1)]


def _report(tmp_path, monkeypatch):
    """Put a pytest on the path that always says the same; return what that is."""
    program = tmp_path / "bin/pytest"
    program.parent.mkdir()
    program.write_text(REPORT)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    return subprocess.run([program], capture_output=True, check=True).stdout


def test_what_was_shown_while_it_ran_is_counted(installed, state):
    installed()
    done = run("run", "sh", "-c", "echo first; sleep 1.9; echo second")
    assert done.stdout == b"first\nsecond\n"
    assert rows(state, TOKENS) == [(13, None, 13, 1)]


def test_lines_left_out_while_it_ran_are_not_counted_as_shown(installed, state):
    installed()
    line = "seq 150; sleep 1.7; seq -f 'nothing of interest %g' 50; echo error: x; sleep 1.2; seq 3"
    done = run("run", "sh", "-c", line)
    assert b"lines hidden" in done.stdout
    (tokens,) = rows(state, TOKENS)
    assert tokens[2:] == (len(done.stdout.decode()), 1)


def test_a_large_output_is_estimated(installed, state):
    loads = installed()
    run("run", "cat", "/dev/null")
    run("run", "head", "-c", str(tokenizer.MOST_BYTES + 1), "/dev/zero")
    assert rows(state, "SELECT exact FROM runs ORDER BY time") == [1, 0]
    assert not loads.exists()


def test_the_output_is_printed_before_anything_is_counted(installed, state):
    loads = installed(in_count="time.sleep(0.5); return 5")
    with subprocess.Popen([*LACONIC, "run", "echo", "text"], stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"text\n"
        assert process.poll() is None
    assert process.returncode == 0
    assert loads.exists()
    assert rows(state, TOKENS) == [(5, None, 5, 1)]


def test_a_hook_loads_no_tokenizer(installed):
    loads = installed()
    done = run("hook", "claude-code", input=warm_server.hook_input(), stdin=None)
    assert warm_server.verdict(done.stdout) == "allow"
    assert not loads.exists()


def test_json_tells_the_counts(installed):
    installed()
    done = run("wrap", "--format", "json", "--", "sh", "-c", "echo four")
    result = json.loads(done.stdout)["result"]
    assert (result["rawTokens"], result["shownTokens"]) == (5, 5)


# -- recalls and reports -------------------------------------------------------------------------


def test_a_recall_is_counted_if_the_agent_reads_all_of_it(installed, state):
    installed()
    store = Store(state)
    short, long = (
        store.keep({"out": data}) for data in (b"line\n" * 9, b"%s\n" % (b"x" * 79) * 900)
    )
    for raw_id in (short, long):
        assert run("recall", raw_id).returncode == 0
    (tokens, exact), (_, is_exact) = rows(state, "SELECT tokens, exact FROM recalls ORDER BY time")
    assert (tokens, exact, is_exact) == (45, 1, 0)


def test_a_share_of_an_output_is_an_estimate(state):
    """What the agent would have cut off is not known by its text."""
    known = {"raw_tokens": 20_000, "raw_chars": 60_000, "shown_tokens": 50, "exact": True}
    record_run(state, a_run("whole", **known))
    record_run(state, a_run("piped", piped_tokens=70, **known))
    record_run(state, a_run("short", **(known | {"raw_chars": 100})))
    found = rows(state, "SELECT input_tokens, exact FROM runs ORDER BY time")
    assert found == [(10_000, 0), (70, 1), (20_000, 1)]


def test_sums_of_counts_are_not_called_estimates_and_mixed_ones_are(installed, state):
    installed()
    run("run", "echo", "text")
    assert b"input tokens:   5\n" in run("gain").stdout
    assert b"est." not in run("gain").stdout + run("history").stdout
    record_run(state, a_run(raw_tokens=10))
    assert b"input tokens:   15 est.\n" in run("gain").stdout
    assert json.loads(run("gain", "--json").stdout)["total"]["exact"] is False
    message = health.findings(state)[0].message
    assert message.endswith(": 2 runs, the tokens of 1 counted")


def test_doctor_says_who_counts(installed, state):
    installed()
    assert health.findings(state)[-1] == ("ok", "tokens are counted by rs_bpe (o200k)", "")


def test_doctor_names_one_that_does_not_work(installed, state):
    installed(in_load="raise ValueError")
    state, message, hint = health.findings(state)[-1]
    assert (state, message) == ("warn", "rs_bpe does not work: tokens are estimated")
    assert hint


@pytest.mark.usefixtures("missing")
def test_doctor_says_how_to_have_one(state):
    state, message, _ = health.findings(state)[-1]
    assert (state, message.partition(";")[0]) == ("ok", "tokens are estimated")


# -- the server ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bin_dir():
    with tempfile.TemporaryDirectory(prefix="lac") as directory:
        warm_server.compile_client(Path(directory, "laconic"))
        warm_server.write_program(Path(directory))
        yield Path(directory)


@pytest.fixture
def started(bin_dir, installed):
    """Return what starts a server of its own with a tokenizer."""
    made = []
    site = bin_dir / "sitecustomize.py"  # of the program; see warm_server.write_program

    def start(**parts):
        loads = installed(**parts)
        # No variable of the caller's tells the server where modules are: its own program does.
        site.write_text(f"sys.path.insert(0, {str(loads.parent.parent)!r})\n")
        made.append(warm_server.Installation(bin_dir, dict(os.environ)))
        made[0].warm_up()
        return made[0], loads

    yield start
    site.unlink(missing_ok=True)
    for installation in made:
        installation.close()


on_linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


@warm_server.needs_compiler
@on_linux
def test_the_server_loads_it_once_for_all_its_workers(started, state):
    server, loads = started()
    for number in range(9):
        assert server.run("run", "echo", str(number)).stdout == b"%d\n" % number
    warm_server.wait_for(lambda: rows(state, TOKENS) == [(2, None, 2, 1)] * 9)
    _trial, by_server = loads.read_text().split()
    assert by_server == server.status()["process"]
    assert server.status()["tokens"] == "counted by rs_bpe"
    assert b"est." not in server.run("gain").stdout


@warm_server.needs_compiler
@on_linux
def test_a_client_does_not_wait_for_its_output_to_be_counted(started, state, tmp_path):
    go = tmp_path / "go"
    waits = f"while text.startswith('text') and not os.path.exists({str(go)!r}): time.sleep(0.05)"
    server, _ = started(in_count=f"{waits}\n        return 3")  # it is tried with another text
    assert server.run("run", "echo", "text").stdout == b"text\n"
    go.touch()
    warm_server.wait_for(lambda: rows(state, TOKENS) == [(3, None, 3, 1)])


@warm_server.needs_compiler
@on_linux
@pytest.mark.parametrize("name", ["cannot be imported", "crashes", "never ends", "aborts at once"])
def test_a_broken_one_harms_no_server(started, state, name):
    server, _ = started(**BROKEN[name])
    assert warm_server.verdict(server.hook().stdout) == "allow"
    assert server.run("run", "sh", "-c", "echo out; exit 7").returncode == 7
    assert server.status()["tokens"] == "estimated"
    warm_server.wait_for(lambda: rows(state, "SELECT exact FROM runs") == [0])

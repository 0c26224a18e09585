"""Filter files: what is wrong with one, where they come from, and that a bad one does no harm."""

from __future__ import annotations

import signal
import threading
import time
from pathlib import Path

import pytest

from laconic import toml, trust
from laconic.cli.main import run
from laconic.compact import bound
from laconic.compact.filter import Filter
from laconic.compact.lines import Lines
from laconic.compact.pipeline import compact
from laconic.filter_file import check_filter
from laconic.filters import DATA, built_in_commands, check_bytes, load_filters
from laconic.settings import read_settings
from outputs import FOUND

CASES = sorted((Path(__file__).parent / "cases/filters").glob("*.toml"))
BUILT_IN = sorted(DATA.rglob("*.toml"))


def messages(path: Path) -> str:
    _, problems = check_bytes(path.read_bytes(), path.name)
    lines = []
    for problem in problems:
        lines += [problem.line, *([f"hint: {problem.hint}"] if problem.hint else [])]
    return "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_the_messages_of_a_filter_file_are_exactly_these(path, request):
    expected = path.with_suffix(".err")
    if request.config.getoption("--update-cases"):
        expected.write_text(messages(path))
    assert messages(path) == expected.read_text()


@pytest.mark.parametrize("path", BUILT_IN, ids=lambda path: path.stem)
def test_the_built_in_filters_are_valid(path):
    document = toml.parse(path.read_bytes())
    assert not list(check_filter(document))
    listed = [
        command
        for command, identifier in built_in_commands()
        if DATA / f"{identifier}.toml" == path
    ]
    assert listed == document["command"], "command = [...] must stand on one line"
    assert path.read_text().startswith("# "), "it begins with what it shows and hides"


def test_no_command_has_two_filters():
    commands = [command for command, _ in built_in_commands()]
    assert len(commands) == len(set(commands))


def test_the_built_in_filters_are_small():
    sizes = sorted(len(path.read_text().split("[[example]]")[0].splitlines()) for path in BUILT_IN)
    assert sizes[len(sizes) // 2] <= 25


# -- where they come from ------------------------------------------------------------------------

GIT_LOG = """
command = ["git log"]
kind = "listing"
drop = ["^noise"]
"""


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def git_log(found):
    from outputs import arguments

    return found.filters.find(arguments("git log -3"))


def test_a_filter_of_the_user_wins_over_a_built_in_one(home, tmp_path):
    path = home / ".config/laconic/filters/git/log.toml"
    write(path, GIT_LOG)
    found = load_filters(read_settings(cwd=tmp_path))
    assert git_log(found).source == str(path)
    path.rename(path.with_name("mine.toml"))
    found = load_filters(read_settings(cwd=tmp_path))
    assert git_log(found).id == "git/mine"


def test_a_broken_filter_is_a_problem_and_the_built_in_one_stays(home, tmp_path):
    write(home / ".config/laconic/filters/git/log.toml", 'command = ["git log"]\nkind = "x"\n')
    found = load_filters(read_settings(cwd=tmp_path))
    assert git_log(found).source == "built-in"
    assert [problem.kind for problem in found.problems] == ["broken"]


def test_a_filter_of_a_project_needs_trust(tmp_path):
    write(tmp_path / ".laconic/config.toml", "")
    write(tmp_path / ".laconic/filters/git/log.toml", GIT_LOG)
    found = load_filters(read_settings(cwd=tmp_path))
    assert git_log(found).source == "built-in"
    assert [problem.kind for problem in found.problems] == ["untrusted"]
    trust.pin(read_settings(cwd=tmp_path).directories.state, trust.take_snapshot(tmp_path))
    found = load_filters(read_settings(cwd=tmp_path))
    assert git_log(found).source == str(tmp_path / ".laconic/filters/git/log.toml")
    assert found.problems == ()


# -- a bad filter does no harm -------------------------------------------------------------------


def lines() -> Lines:
    return Lines([*("word " * 20 for _ in range(300)), "a" * 40 + "b"])


def test_a_pattern_that_runs_away_gives_raw_within_the_bound():
    wanted = Filter("x", {"command": ["x"], "drop": ["^(a+)+$"]})
    start = time.monotonic()
    result, fault = bound.attempt(lambda: compact(wanted, 0, lines()), 20_000, seconds=0.2)
    assert (result, fault) == (None, "took longer than 0.2 seconds")
    assert time.monotonic() - start < 1


def test_a_filter_that_raises_gives_raw():
    wanted = Filter("x", {"command": ["x"], "drop": [3]})
    result, fault = bound.attempt(lambda: compact(wanted, 0, lines()), 1000)
    assert result is None
    assert fault.startswith(("TypeError", "AttributeError"))


def test_a_good_filter_gives_its_result_and_the_timer_is_off():
    wanted = Filter("x", {"command": ["x"], "dedupe": True})
    result, fault = bound.attempt(lambda: compact(wanted, 0, lines()), 1000, seconds=0.05)
    assert (result.shown[0].text, fault) == ("word " * 20 + " (x300)", "")
    time.sleep(0.1)


def test_a_timer_that_is_set_already_goes_on():
    class OutOfTimeError(Exception):
        pass

    def stop(*_):
        raise OutOfTimeError

    previous = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    runaway = Filter("x", {"command": ["x"], "drop": ["^(a+)+$"]})

    def until_stopped():
        bound.attempt(lambda: compact(runaway, 0, lines()), 20_000)
        time.sleep(1)

    start = time.monotonic()
    try:
        assert bound.attempt(lambda: "done", 10) == ("done", "")
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 0.3
        with pytest.raises(OutOfTimeError):
            until_stopped()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    assert time.monotonic() - start < 0.9


def test_outside_of_the_main_thread_nothing_runs_that_could_not_be_stopped():
    found = []
    thread = threading.Thread(target=lambda: found.append(bound.attempt(lambda: 1 / 0, 10)))
    thread.start()
    thread.join()
    assert found == [(None, "a filter runs in the main thread only, where it can be stopped")]


def test_a_filter_that_would_leave_nothing_gives_raw():
    wanted = Filter("x", {"command": ["x"], "drop": ["."]})
    assert compact(wanted, 0, lines()) is None


def test_a_filter_that_makes_the_text_longer_gives_raw():
    rule = {"match": "^(word)", "show": "{count} " * 9000}
    assert (
        compact(Filter("x", {"command": ["x"], "group": [rule], "budget": 0}), 0, lines()) is None
    )


@pytest.mark.parametrize("identifier", FOUND.ids)
def test_no_built_in_pattern_is_slow_on_hostile_lines(identifier):
    wanted = FOUND.load(identifier)
    hostile = [
        "a" * 20_000,
        " " * 20_000,
        "1 " * 9000,
        "test " * 4000,
        "=" * 20_000,
        "x/" * 9000 + ":1",
    ]
    hostile += [
        line[:20] * 900
        for example in wanted.table["example"]
        for line in example["input"].split("\n")
        if line
    ]
    for status in (0, 1):
        start = time.perf_counter()
        compact(wanted, status, Lines(hostile))
        assert time.perf_counter() - start < 0.5


# -- the command line ----------------------------------------------------------------------------


def laconic(capfd, *argv: str) -> tuple[int, str, str]:
    status = run(["filters", *argv])
    return status, *capfd.readouterr()


def test_list_and_show(capfd):
    status, out, _ = laconic(capfd, "list")
    assert status == 0
    assert "cargo/test" in out
    assert laconic(capfd, "show", "cargo/test")[1] == (DATA / "cargo/test.toml").read_text()
    assert laconic(capfd, "show", "cargo/tset") == (
        1, "", "laconic: there is no filter 'cargo/tset'\nhint: did you mean: cargo/test\n",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("command", "status", "answer"),
    [
        ("git -C x log -3", 0, "git/log  (built-in)\n"),
        ("git log -p", 1, "none: an option passes git/log by; its output is shown as it is\n"),
        ("git log --format=%h", 1, "none: it asks for exact output, or a program reads it\n"),
        ("cat x", 1, "none: it reads something out; its output is shown as it is\n"),
        ("./build.sh", 1, "none: no filter; only a large output is compacted\n"),
    ],
)
def test_which(command, status, answer, capfd):
    assert laconic(capfd, "which", command) == (status, answer, "")


def test_which_wants_one_command_that_can_be_parsed(capfd):
    assert laconic(capfd, "which", "a; b")[2] == "laconic: expected one command, found 2\n"
    assert laconic(capfd, "which", "a (")[0] == 1


def test_the_examples_of_a_filter_are_tested(home, capfd):
    path = home / ".config/laconic/filters/x.toml"
    write(
        path,
        GIT_LOG
        + '[[example]]\ncommand = "git log"\nstatus = 0\ninput = "noise\\na\\n"\noutput = "b\\n"\n',
    )
    status, out, _ = laconic(capfd, "test", "x")
    assert status == 1
    assert out == (
        "x: example 1: `git log`, status 0\n  --- expected\n  +++ got\n  @@ -1 +1 @@\n  -b\n  +a\n"
        "1 examples, 1 of them wrong\n"
    )
    assert laconic(capfd, "test", str(path))[0] == 1
    assert laconic(capfd, "test", "cargo/test", "git/log")[0] == 0


def test_new_writes_a_filter_whose_example_is_the_output(home, tmp_path, capfd):
    output = tmp_path / "out.txt"
    output.write_bytes(b'say """x""" \\ \t \xff\n\x1b[31mred\nlast')
    status, out, _ = laconic(
        capfd,
        "new",
        "my/build",
        "--from",
        str(output),
        "--command",
        "mytool build -v",
        "--status",
        "3",
    )
    path = home / ".config/laconic/filters/my/build.toml"
    assert (status, out.splitlines()[0]) == (0, str(path))
    document = toml.parse(path.read_bytes())
    assert document["command"] == ["mytool build"]
    assert document["example"][0]["status"] == 3
    assert document["example"][0]["input"] == 'say """x""" \\ \t \ufffd\n\x1b[31mred\nlast\n'
    assert laconic(capfd, "new", "my/build", "--from", str(output), "--command", "x")[0] == 1


@pytest.mark.parametrize(
    ("argv", "complaint"),
    [
        (["new", "x"], "where is the output?"),
        (["new", "x", "--from", "/dev/null"], "is not a regular file"),
        (["new", "../x", "--from", __file__, "--command", "x"], "leads out of your filters"),
        (["new", "x", "--from", __file__], "which command wrote it?"),
    ],
)
def test_new_says_what_it_needs(argv, complaint, capfd):
    status, _, err = laconic(capfd, *argv)
    assert status in (1, 2)
    assert complaint in err


def test_new_takes_a_recorded_run(capfd):
    from laconic.record.runs import Run, record_run
    from laconic.record.store import Store
    from laconic.settings import read_directories

    state = read_directories().state
    raw_id = Store(state).keep({"both": b"built\nerror: no\n"})
    record_run(state, Run("mytool build", status=2, raw_id=raw_id))
    status, out, err = laconic(capfd, "new", "my/build", "--run", "last")
    assert (status, err) == (0, "")
    document = toml.parse(Path(out.splitlines()[0]).read_bytes())
    example = document["example"][0]
    assert (example["command"], example["status"], example["input"]) == (
        "mytool build", 2, "built\nerror: no\n",
    )  # fmt: skip

"""Filter files: what is wrong with one, where they come from, and that a bad one does no harm."""

from __future__ import annotations

import re
import signal
import threading
import time
from pathlib import Path

import pytest

from independent_diagnostics import is_alarm
from laconic.compact import bound
from laconic.compact.diagnostics import is_diagnostic
from laconic.compact.filter import Filter
from laconic.compact.format import check_filter
from laconic.compact.generic import compact_generic
from laconic.compact.lines import Lines, read_lines
from laconic.compact.load import DATA, built_in_commands, check_bytes, load_filters
from laconic.compact.match import is_passed_through
from laconic.compact.notice import notice
from laconic.compact.pipeline import compact
from laconic.compact.stages.clean import clean
from laconic.compact.tokens import estimate
from laconic.compact.view import RUN, View
from laconic.run.shells import arguments_of
from laconic.settings import toml, trust
from laconic.settings.load import read_settings
from outputs import FOUND, cases, for_each
from printed_faults import faults, wrong_sums
from problem_lines import as_text

CASES = sorted((Path(__file__).parents[1] / "cases/filters").glob("*.toml"))
BUILT_IN = sorted(DATA.rglob("*.toml"))


def messages(path: Path) -> str:
    _, problems = check_bytes(path.read_bytes(), path.name)
    return as_text(problems)


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
    median = sizes[len(sizes) // 2]
    print(f"{len(sizes)} filters, lines without examples: {sizes}, median {median}")
    assert median <= 25


# -- what is printed is true ---------------------------------------------------------------------

RECORDED = [case for case in cases() if case.filter]


def printed(wanted: Filter, status: int, raw: bytes) -> str | None:
    """What an agent reads, or None if that is the output as it is."""
    compacted = compact(wanted, status, read_lines(raw))
    if compacted is None:
        return None
    line = notice(compacted)
    return compacted.text() + (f"{line}\n" if line else "")


def is_certain(text: str) -> bool:
    return text.startswith(("error: ", "fatal: "))


def raw_texts(wanted: Filter, raw: bytes) -> list[str]:
    return list(clean(read_lines(raw), is_text=wanted.kind == "text").texts)


@for_each(RECORDED)
def test_what_is_printed_is_true_and_costs_less_and_stays_as_it_is(case):
    for status in {case.status, 0, 1}:
        text = printed(case.filter, status, case.raw)
        if text is not None:
            is_real = status == case.status  # else the hits of a search would be mistakes
            must_show = is_alarm if is_real else is_certain
            raw = raw_texts(case.filter, case.raw)
            assert faults(case.filter, status, raw, text, must_show) == []
            assert estimate(text) < estimate(case.raw.decode("utf-8", "replace"))
            again = printed(case.filter, status, text.encode("utf-8", "surrogateescape"))
            assert again in (None, text)


@pytest.mark.parametrize("identifier", FOUND.ids)
def test_a_filter_that_would_drop_everything_hides_no_failure(identifier):
    own = [case for case in RECORDED if case.filter.id == identifier and case.status != 0]
    for change in ({"drop": ["."]}, {"keep": ["^no such line$"]}, {"head": 1, "tail": 1}):
        for case in own:
            table = {**case.filter.table, **change, "failure": change, "replace": [], "group": []}
            wanted = Filter(identifier, table)
            text = printed(wanted, case.status, case.raw)
            if text is not None:
                texts = raw_texts(wanted, case.raw)
                assert faults(wanted, case.status, texts, text, is_diagnostic) == []


def test_a_result_is_never_compacted_again():
    wanted = Filter("x", {"command": ["x"], "replace": [["^(.*) word-word-word$", "{1}"]]})
    text = printed(wanted, 0, b"name word-word-word word-word-word word-word-word\n" * 30)
    assert text.startswith("name word-word-word word-word-word\nname ")
    assert printed(wanted, 0, text.encode()) is None


@for_each(cases())
def test_without_a_filter_the_notice_is_true_and_all_of_it_costs_less(case):
    for status in {case.status, 0, 1}:
        compacted = compact_generic(read_lines(case.raw), status)
        if compacted is not None:
            text = compacted.text() + notice(compacted)
            assert estimate(text) < estimate(case.raw.decode("utf-8", "replace"))
            raw = list(clean(read_lines(case.raw)).texts)
            assert list(wrong_sums(raw, text.splitlines())) == []


def lost(lines: list[str]) -> list[str]:
    return [line for line in lines if "error" not in line.lower() and "FAILED" not in line]


def lost_and_counted(lines: list[str]) -> list[str]:
    left = lost(lines)
    missing = len(lines) - len(left)
    return [*left[:-1], re.sub(r"\d+", lambda n: str(int(n[0]) + missing), left[-1], count=1)]


def invented(lines: list[str]) -> list[str]:
    return ["ok: all tests passed", *lines]


def swapped(lines: list[str]) -> list[str]:
    return [lines[-2], *lines[1:-2], lines[0], lines[-1]]


def miscounted(lines: list[str]) -> list[str]:
    return [re.sub(r"^\d+(?= x )|(?<= )\d+(?= passed; 0 failed)", "99", line) for line in lines]


def cut(lines: list[str]) -> list[str]:
    longest = max(lines[:-1], key=len)
    return [line[:-9] if line == longest else line for line in lines]


def misplaced(lines: list[str]) -> list[str]:
    return [line.replace("many/m9.py:10", "many/m9.py:11") for line in lines]


def renumbered(lines: list[str]) -> list[str]:
    return [re.sub(r"(?<= \+)3(?=: )", "2", line) for line in lines]


def exaggerated(lines: list[str]) -> list[str]:
    return [line.replace("[the same 12 findings", "[the same 13 findings") for line in lines]


def overcounted(lines: list[str]) -> list[str]:
    return [*lines[:-1], re.sub(r"\d+/(\d+)", r"\1/\1", lines[-1])]


def undercounted(lines: list[str]) -> list[str]:
    return [*lines[:-1], re.sub(r"\d+/", "1/", lines[-1])]


def unannounced(lines: list[str]) -> list[str]:
    return lines[:-1]


def overstated(lines: list[str]) -> list[str]:
    return [*lines[:-1], re.sub(r"\d+ shortened", "9 shortened", lines[-1])]


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("cargo/test/failed", lost),
        ("cargo/test/failed", lost_and_counted),
        ("make/failed", lost_and_counted),
        ("cargo/test/failed", invented),
        ("cargo/test/passed", invented),
        ("docker/build/failed", swapped),
        ("cargo/test/passed", miscounted),
        ("make/failed", cut),
        ("docker/build/failed", cut),
        ("mypy/many", misplaced),
        ("mypy/many", renumbered),
        ("eslint/many", exaggerated),
        ("git/diff/unstaged", unannounced),
        ("pytest/failed", overcounted),
        ("pytest/failed", undercounted),
        ("docker/build/failed", overcounted),
        ("docker/build/failed", undercounted),
        ("composer/installed", overstated),
    ],
)
def test_a_fault_that_is_planted_in_what_is_printed_is_found(name, fault):
    case = next(case for case in RECORDED if case.id == name)
    text = printed(case.filter, case.status, case.raw)
    planted = "".join(f"{line}\n" for line in fault(text.splitlines()))
    assert planted != text
    assert faults(case.filter, case.status, raw_texts(case.filter, case.raw), planted) != []


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
    assert time.monotonic() - start < 10


def test_a_filter_that_raises_gives_raw():
    wanted = Filter("x", {"command": ["x"], "drop": [3]})
    result, fault = bound.attempt(lambda: compact(wanted, 0, lines()), 1000)
    assert result is None
    assert fault.startswith(("TypeError", "AttributeError"))


def test_a_good_filter_gives_its_result_and_the_timer_is_off():
    wanted = Filter("x", {"command": ["x"], "shape": ["repeats"]})
    result, fault = bound.attempt(lambda: compact(wanted, 0, lines()), 1000, seconds=60)
    assert (result.shown[0].text, fault) == ("word " * 20 + " [x300]", "")
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


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
        time.sleep(30)

    start = time.monotonic()
    try:
        assert bound.attempt(lambda: "done", 10) == ("done", "")
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 0.3
        with pytest.raises(OutOfTimeError):
            until_stopped()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    assert time.monotonic() - start < 10


def in_thread(work):
    found = []
    thread = threading.Thread(target=lambda: found.append(work()))
    thread.start()
    thread.join()
    return found[0]


def test_outside_of_the_main_thread_filters_work():
    wanted = Filter("x", {"command": ["x"], "shape": ["repeats"]})
    result, fault = in_thread(lambda: bound.attempt(lambda: compact(wanted, 0, lines()), 1000))
    assert (result.shown[0].text, fault) == ("word " * 20 + " [x300]", "")
    assert in_thread(lambda: bound.attempt(lambda: 1 / 0, 10)) == (
        None, "ZeroDivisionError: division by zero",
    )  # fmt: skip


@pytest.mark.parametrize("is_main", [True, False])
def test_a_deadline_holds_between_pieces_in_any_thread(is_main):
    wanted = Filter("x", {"command": ["x"], "drop": ["^(a|b)+ [0-9]+$"]})
    many = Lines(["word " * 20] * 200_000)

    def work():
        return bound.attempt(lambda: compact(wanted, 0, many), 0, seconds=0.005)

    start = time.monotonic()
    assert (work() if is_main else in_thread(work)) == (None, "took longer than 0.0 seconds")
    assert time.monotonic() - start < 10


def test_the_time_that_others_take_does_not_count():
    def work():
        time.sleep(0.05)  # while another thread or another program has the processor
        bound.check()
        return "done"

    found = in_thread(lambda: bound.attempt(work, 0, seconds=0.02))
    assert found == ("done", "")


def test_what_cannot_be_stopped_does_not_run():
    own = Filter("x", {"command": ["x"], "drop": ["^(a+)+$"], "passthrough": ["^(a+)+$"]}, "x.toml")
    view = View(RUN, own)
    assert in_thread(lambda: view.compacted(0, lines())) is None
    assert view.problem.startswith("a filter of your own runs only where it can be stopped")
    words = arguments_of(["x", "a" * 40 + "b"])
    assert in_thread(lambda: is_passed_through(own, words))  # all is shown, at once
    previous = signal.signal(signal.SIGALRM, lambda *_: None)
    try:
        assert view.compacted(0, lines()) is None
        assert "can be stopped" in view.problem
    finally:
        signal.signal(signal.SIGALRM, previous)


def test_the_alarm_of_a_host_is_not_touched():
    rung = []
    previous = signal.signal(signal.SIGALRM, lambda *_: rung.append(time.monotonic()))
    wanted = Filter("x", {"command": ["x"], "shape": ["repeats"]})
    start = time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, 0.2, 0.2)
    try:
        while time.monotonic() - start < 0.7:
            result, fault = bound.attempt(lambda: compact(wanted, 0, lines()), 1000)
            assert result is not None
            assert fault == ""
        assert signal.getitimer(signal.ITIMER_REAL)[1] == pytest.approx(0.2)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    assert len(rung) >= 2


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
        for example in wanted.table.get("example", ())
        for line in example["input"].split("\n")
        if line
    ]
    for status in (0, 1):
        start = time.process_time()
        compact(wanted, status, Lines(hostile))
        assert time.process_time() - start < 0.5

"""Reports about the runs: what each command prints is in cases/record/reports.case."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import sqlite3
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from laconic.cli import main as cli
from laconic.record import database, queries
from laconic.record.database import reading
from laconic.record.migrations import migrate
from laconic.record.runs import record_run
from laconic.record.schema import COLUMNS
from laconic.report.gain import bar
from records import CASES, a_run, write_runs

REPORTS = CASES / "reports.case"
RUNS = (CASES / "runs.txt").read_text()


def read_cases():
    """`$ command`, then what it prints, to the empty line before the next command."""
    for block in REPORTS.read_text().removeprefix("$ ").split("\n\n$ "):
        command, _, expected = block.rstrip("\n").partition("\n")
        yield command, expected


CASE_LIST = list(read_cases())


@pytest.fixture
def state_dir(home, monkeypatch):
    monkeypatch.setattr(database, "_KEPT_US", 1 << 60)  # the cases grow old
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    time.tzset()
    yield home / ".local/state/laconic"
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def laconic(state_dir, capsys):
    assert not state_dir.exists()

    def run(*words):
        status = cli.run(list(words))
        out, err = capsys.readouterr()
        return status, out, err

    return run


@pytest.mark.parametrize(("command", "expected"), CASE_LIST, ids=[case[0] for case in CASE_LIST])
def test_a_report_says(command, expected, state_dir, laconic, request):
    write_runs(state_dir, RUNS)
    status, out, err = laconic(*command.split()[1:])
    assert (status, err) == (0, "")
    if "--json" in command:
        out = _without_random_ids(out)
    if request.config.getoption("--update-cases"):
        _update(command, out)
    else:
        assert out.rstrip("\n") == expected


def _without_random_ids(text):
    return "\n".join(
        json.dumps({**json.loads(line), "id": 0}) if line.startswith('{"id"') else line
        for line in text.splitlines()
    )


def _update(command, out):
    found = dict(read_cases()) | {command: out.rstrip("\n")}
    blocks = (f"$ {name}\n{text}".rstrip("\n") for name, text in found.items())
    REPORTS.write_text("\n\n".join(blocks) + "\n")


def test_without_any_run_the_summary_is_all_zeros(laconic):
    status, out, err = laconic("gain")
    assert (status, err) == (0, "")
    assert out.splitlines()[1:5] == [
        "  total runs:     0",
        "  input tokens:   0 est.",
        "  output tokens:  0 est.",
        "  tokens saved:   0 est.",
    ]


def test_the_summary_reads_like_this(laconic, state_dir):
    for number in range(42):
        saved = a_run(raw_tokens=12_500, shown_tokens=3_200) if number == 0 else a_run()
        saved.pipe_override = number < 5
        record_run(state_dir, saved)
    assert laconic("gain")[1] == (
        "laconic gain summary\n"
        "  total runs:     42\n"
        "  input tokens:   12,500 est.\n"
        "  output tokens:  3,200 est.\n"
        "  tokens saved:   9,300 est. (74.4%)\n"
        "  pipe preferred: 5 runs (what the pipe let through was shorter than the summary)\n"
    )


def test_a_loss_is_shown_as_a_loss(laconic, state_dir):
    record_run(state_dir, a_run(raw_tokens=5000, piped_tokens=100, shown_tokens=180))
    assert "  tokens saved:   -80 est. (-80.0%)\n" in laconic("gain")[1]


def test_counted_tokens_are_not_called_estimates(laconic, state_dir):
    record_run(state_dir, a_run(raw_tokens=10, shown_tokens=5, exact=True))
    assert "est." not in laconic("gain")[1]
    record_run(state_dir, a_run(raw_tokens=10, shown_tokens=5, exact=False))
    assert "  tokens saved:   10 est. (50.0%)\n" in laconic("gain")[1]


def test_since_takes_a_span(laconic, state_dir):
    record_run(state_dir, a_run(raw_tokens=7), time.time() - 3 * 3600)
    record_run(state_dir, a_run(raw_tokens=5), time.time() - 60)
    assert "total runs:     1\n" in laconic("gain", "--since", "2h")[1]
    assert "total runs:     2\n" in laconic("gain", "--since", "4h")[1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["gain", "--since", "soon"], "laconic: 'soon' is neither a span nor a date\n"),
        (["gain", "--daily", "--weekly"],
         "laconic: argument --weekly: not allowed with argument --daily\n"),
        (["gain", "--json", "--csv"],
         "laconic: argument --csv: not allowed with argument --json\n"),
        (["history", "-n", "-1"], "laconic: -n takes a whole number, 0 or more\n"),
        (["stats"], "laconic: the following arguments are required: WHAT\n"),
    ],
)  # fmt: skip
def test_a_wrong_command_line_is_told(words, message, laconic):
    status, out, err = laconic(*words)
    assert (status, out) == (2, "")
    assert err.startswith(message)


def test_a_history_without_runs_says_so_and_prints_nothing(laconic):
    hint = "hint: at your own terminal: laconic run git status | cat"
    told = f"laconic: no run is recorded yet\n{hint}\n"
    assert laconic("history") == (0, "", told)
    assert laconic("history", "--json") == (0, "", "")


def test_names_that_command_a_terminal_are_escaped(laconic, state_dir):
    record_run(state_dir, a_run("x\x1b[2J", program="p\x1b[2J", filter_id="f\n\x07", project="/\r"))
    for words in (["history"], ["gain", "--by", "command"], ["gain", "--by", "filter"],
                  ["gain", "--by", "project"]):  # fmt: skip
        out = laconic(*words)[1]
        assert all(character.isprintable() or character == "\n" for character in out)
        assert len(out.splitlines()) <= 3


def test_csv_survives_commas_quotes_and_newlines(laconic, state_dir):
    name = 'a "b", c\nd'
    record_run(state_dir, a_run(project=name))
    table = list(csv.DictReader(io.StringIO(laconic("gain", "--csv", "--by", "project")[1])))
    assert [row["project"] for row in table] == [name]


NUMBERS = st.integers(0, 10_000)


@given(
    st.lists(st.tuples(st.sampled_from("abc"), NUMBERS, st.none() | NUMBERS, NUMBERS), max_size=12)
)
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
def test_groups_add_up_to_the_total(tmp_path_factory, entries):
    state_dir = tmp_path_factory.mktemp("state")
    for name, raw, piped, shown in entries:
        run = a_run(filter_id=name, raw_tokens=raw, piped_tokens=piped, shown_tokens=shown)
        record_run(state_dir, run)
    with reading(state_dir) as (connection, _):
        total = queries.gain(connection)[0]
        for period, by in (("daily", ""), ("weekly", ""), ("", "filter"), ("daily", "project")):
            groups = queries.gain(connection, 0, period, by)
            assert sum(group.runs for group in groups) == total.runs == len(entries)
            assert sum(group.saved_tokens for group in groups) == total.saved_tokens


DAY_US = 86_400_000_000
HAPPENED = st.lists(
    st.tuples(
        st.booleans(), st.integers(0, 4 * DAY_US), st.sampled_from("ab"), st.booleans(), NUMBERS
    ),
    max_size=30,
)


@given(HAPPENED, st.integers(-1, 5 * DAY_US), st.data())
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_sums_of_days_are_those_of_the_runs_from_any_moment_on(entries, since, data):
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        migrate(connection)
        for number, entry in enumerate(entries):
            _store(connection, number, *entry)
        gone = data.draw(st.sets(st.sampled_from(range(len(entries))))) if entries else set()
        for number in gone:
            for table in ("runs", "recalls"):
                connection.execute(f"DELETE FROM {table} WHERE id = ?", (number,))
        left = [e for n, e in enumerate(entries) if n not in gone and e[1] >= since]
        for period, by in (("", ""), ("daily", ""), ("weekly", "filter")):
            total = queries.total(queries.gain(connection, since / 1e6, period, by))
            assert total.runs == sum(is_run for is_run, *_ in left)
            assert total.recalls == sum(not is_run for is_run, *_ in left)
            assert total.input_tokens == sum(e[4] * e[0] for e in left)
            assert total.output_tokens == sum(e[4] for e in left)
            assert total.exact is (bool(left) and all(e[3] for e in left))


def _store(connection, number, is_run, time_us, name, exact, tokens):
    text = {"program": name, "filter": name, "project": name, "raw_id": "k3f9ab"}
    row = {**dict.fromkeys(COLUMNS["runs" if is_run else "recalls"], 0), **text}
    if is_run:
        row |= {"command": name, "agent": "", "session": "", "input_tokens": tokens,
                "output_tokens": tokens}  # fmt: skip
    else:
        row |= {"tokens": tokens}
    row |= {"id": number, "time": time_us, "exact": int(exact)}
    table = "runs" if is_run else "recalls"
    marks = ", ".join("?" * len(row))
    connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", [*row.values()])


def test_a_gain_reads_no_run_but_those_of_the_first_day(state_dir):
    """A million rows are summed up in the time that their days take."""
    record_run(state_dir, a_run(raw_tokens=10))
    with reading(state_dir) as (connection, _):
        connection.execute("DROP TRIGGER runs_removed")
        connection.execute("DELETE FROM runs")
        assert queries.gain(connection)[0].runs == 1


@pytest.mark.parametrize(
    ("value", "longest", "drawn"),
    [(0, 0, ""), (0, 9, ""), (9, 9, "█" * 40), (1, 1000, "█"), (-9, 9, "-" * 40)],
)
def test_a_bar_is_to_scale_and_never_hides_a_little(value, longest, drawn):
    assert bar(value, longest) == drawn


def test_a_filter_that_is_often_recalled_is_named_with_what_to_type(laconic, state_dir):
    for number in range(8):
        raw_id = f"aaaaa{number + 2}"
        record_run(state_dir, a_run(raw_id=raw_id))
        record_run(state_dir, a_run(filter_id="", raw_id=f"bbbbb{number + 2}"))
        if number < 3:
            for filter_id in ("cargo/test", ""):
                write_runs(state_dir, f"> 2026-10-26T08:05Z | {raw_id} | {filter_id} | x | y | 9")
    assert laconic("stats", "recalls")[1] == (
        "filter      runs  hiding  recalls  recalled runs\n"
        "(none)         8       8        3        3 (38%)\n"
        "cargo/test     8       8        3        3 (38%)\n"
        "cargo/test may hide too much; see what it does: laconic filters show cargo/test\n"
    )


def test_nothing_recalled_is_said(laconic):
    assert laconic("stats", "recalls") == (0, "nothing was recalled yet\n", "")

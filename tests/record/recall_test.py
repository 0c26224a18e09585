"""Whatever was hidden can be had back: whole, by line, by pattern, byte for byte."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.cli import main as cli
from laconic.compact.tokens import estimate_bytes
from laconic.errors import UsageError
from laconic.record import sweep as sweep_module
from laconic.record.database import DATABASE
from laconic.record.recall import lines, wanted
from laconic.record.runs import record_run
from laconic.record.step_back import NAME, StepBack
from laconic.record.store import Store
from laconic.record.sweep import sweep
from laconic.record.tokenizer import counts
from records import a_run, rows

NASTY = (
    b"\x1b[31mred\x1b[0m\r\n\0\xff\xfe\r50%\r100%\n\xe2\x82\n\n" + "é\u2028ü\n".encode() + b"end"
)


@pytest.fixture
def store(home):
    return Store(home / ".local/state/laconic")


@pytest.fixture
def laconic(capfdbinary):
    def run(*words):
        status = cli.run(list(words))
        out, err = capfdbinary.readouterr()
        return status, out, err.decode()

    return run


def keep(store, parts, now=None, **fields):
    raw_id = store.keep(parts)
    assert record_run(store.state_dir, a_run(raw_id=raw_id, **fields), now)
    return raw_id


# -- lines ---------------------------------------------------------------------------------------

STREAMS = st.lists(st.binary(max_size=30) | st.just(b"\n"), max_size=8)


@given(STREAMS, STREAMS)
def test_lines_put_together_are_the_output(out, err):
    chunks = [("out", chunk) for chunk in out] + [("err", chunk) for chunk in err]
    found = list(lines(chunks))
    for stream, pieces in (("out", out), ("err", err)):
        own = [line.data for line in found if line.stream == stream]
        assert own == re.findall(rb"[^\n]*\n|[^\n]+", b"".join(pieces))
    assert [line.number for line in found] == list(range(1, len(found) + 1))


@given(st.lists(st.binary().map(lambda data: data.replace(b"\n", b"")), max_size=20),
       st.integers(1, 22), st.integers(0, 22))  # fmt: skip
def test_a_range_is_what_it_says(texts, first, length):
    data = b"".join(text + b"\n" for text in texts)
    found = wanted(f"{first}:{first + length}", None).pick(lines([("both", data)]))
    assert [line.data[:-1] for line in found] == texts[first - 1 : first + length]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("2:3", [2, 3]), ("2:", [2, 3, 4]), (":2", [1, 2]), ("3", [3]), ("4:9", [4]), ("9:", [])],
)
def test_a_range_may_be_open(text, expected):
    found = wanted(text, None).pick(lines([("both", b"a\nb\nc\nd")]))
    assert [line.number for line in found] == expected


@pytest.mark.parametrize("text", ["", ":", "a:b", "3:2", "0", "0:5", "-1:2", "1:2:3", "1 :2", "²:"])
def test_what_is_no_range_is_told(text):
    with pytest.raises(UsageError, match="--lines"):
        wanted(text, None)


def test_range_and_pattern_hold_together():
    chunks = [("both", b"error 1\nfine\nerror 3\nerror 4\n")]
    assert [line.number for line in wanted("2:3", "error").pick(lines(chunks))] == [3]


# -- the command ---------------------------------------------------------------------------------


def test_an_output_comes_back_byte_for_byte(store, laconic):
    raw_id = keep(store, {"both": NASTY})
    assert laconic("recall", raw_id) == (0, NASTY, "")
    assert laconic("recall", raw_id, "--raw") == (0, NASTY, "")


def test_lines_come_back_byte_for_byte(store, laconic):
    raw_id = keep(store, {"both": NASTY})
    whole = NASTY.split(b"\n")
    assert laconic("recall", raw_id, "--lines", "2:3")[1] == b"\n".join(whole[1:3]) + b"\n"
    assert laconic("recall", raw_id, "--lines", "6:")[1] == b"end"
    assert laconic("recall", raw_id, "--lines", "1:99")[1] == NASTY


def test_a_pattern_finds_lines_with_their_numbers_and_raw_without(store, laconic):
    raw_id = keep(store, {"both": NASTY})
    assert laconic("recall", raw_id, "--grep", r"^\x1b|end$")[1] == (
        b"1:\x1b[31mred\x1b[0m\r\n6:end"
    )
    assert laconic("recall", raw_id, "--grep", "ü", "--raw")[1] == "é\u2028ü\n".encode()


def by_pipe(*words):
    """What a reader gets that is no file."""
    program = [sys.executable, "-m", "laconic", *words]
    done = subprocess.run(program, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr.decode()


def test_of_a_large_output_an_agent_gets_the_first_part_and_how_to_go_on(store):
    texts = [f"line {n} of the work, which goes on and on" for n in range(1, 5001)]
    raw_id = keep(store, {"both": "".join(f"{text}\n" for text in texts).encode()})
    found: list[str] = []
    rest = f"laconic recall {raw_id}"
    while rest:
        status, out, err = by_pipe(*rest.split()[1:])
        assert status == 0
        assert estimate_bytes(out) < 1.2 * 8000
        found += out.decode().splitlines()
        more = re.search(r"recall \w+ --lines \d+:", err)
        rest = f"laconic {more[0]}" if more else ""
        assert not rest or f"recall {raw_id} --raw" in err
    assert found == texts
    assert by_pipe("recall", raw_id, "--raw")[1].decode().splitlines() == texts


def test_of_very_many_lines_that_match_the_first_are_shown(store):
    raw_id = keep(store, {"both": b"".join(b"%d matches\n" % n for n in range(20_000))})
    _, out, err = by_pipe("recall", raw_id, "--grep", "match", "--lines", "100:19000")
    last = int(out.splitlines()[-1].split(b":")[0])
    assert f"recall {raw_id} --lines {last + 1}:19000 --grep match" in err


def test_a_line_that_is_too_large_is_cut_and_says_so(store):
    raw_id = keep(store, {"both": b"x" * 1_000_000})
    _, out, _ = by_pipe("recall", raw_id)
    shown, missing = re.fullmatch(rb"(x+) \[\.\.\. (\d+) bytes hidden\]\n", out).groups()
    assert len(shown) + int(missing) == 1_000_000


def test_streams_that_were_apart_come_together_or_apart_with_raw(store, laconic):
    raw_id = keep(store, {"err": b"warning\n", "out": b"one\ntwo"})
    assert laconic("recall", raw_id) == (0, b"one\ntwowarning\n", "")
    assert laconic("recall", raw_id, "--raw") == (0, b"one\ntwo", "warning\n")
    assert laconic("recall", raw_id, "--lines", "2:") == (0, b"two\nwarning\n", "")
    assert laconic("recall", raw_id, "--grep", "o|w") == (0, b"1:one\n2:two\n3:warning\n", "")
    assert laconic("recall", raw_id, "--grep", "o|w", "--raw") == (0, b"one\ntwo", "warning\n")


def test_an_output_of_nothing_is_nothing(store, laconic):
    assert laconic("recall", keep(store, {"out": b"", "err": b""})) == (0, b"", "")


def test_last_is_the_last_and_says_which(store, laconic):
    first = keep(store, {"out": b"first"}, now=time.time() - 60)
    second = keep(store, {"out": b"second"})
    record_run(store.state_dir, a_run(raw_id=""))
    status, out, err = laconic("recall", "last")
    assert (status, out) == (0, b"second")
    assert laconic("recall") == (status, out, err)
    assert re.fullmatch(
        rf"laconic: {second} is from \d{{4}}-\d\d-\d\d [\d:]{{8}}: cargo test\n", err
    )
    assert laconic("recall", first)[1] == b"first"
    assert laconic("recall", "")[2].startswith("laconic: '' is not an id")


def test_a_terminal_is_not_commanded_unless_raw(store):
    raw_id = keep(store, {"both": b"a\tb\x1b[2J\xff\n"})
    for more, expected in (([], b"a\tb\\x1b[2J\\udcff\r\n"), (["--raw"], b"a\tb\x1b[2J\xff\r\n")):
        reader, writer = pty.openpty()
        command = [sys.executable, "-m", "laconic", "recall", raw_id, *more]
        subprocess.run(command, stdout=writer, check=True)
        assert os.read(reader, 1000) == expected
        os.close(reader)
        os.close(writer)


def test_a_reader_that_has_seen_enough_is_no_error_and_counts(store):
    raw_id = keep(store, {"both": b"line\n" * 500_000})
    command = f"{sys.executable} -m laconic recall {raw_id} | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"line\n", b"")
    assert rows(store.state_dir, "SELECT raw_id FROM recalls") == [raw_id]


@pytest.mark.parametrize(
    ("variables", "line", "is_counted"),
    [
        ({}, "{laconic}", False),
        ({}, "{laconic} | cat", False),
        ({}, "{laconic} 2>/dev/null", False),
        ({"CLAUDECODE": "1"}, "{laconic}", True),
        ({}, "{laconic} </dev/null", True),
        ({}, "{laconic} 2>/dev/null | cat", True),
    ],
)
def test_what_a_person_at_a_terminal_asks_for_is_not_charged(store, variables, line, is_counted):
    raw_id = keep(store, {"both": b"line\n"})
    reader, writer = pty.openpty()
    line = line.format(laconic=f"{sys.executable} -m laconic recall {raw_id}")
    subprocess.run(
        ["bash", "-c", line], stdin=writer, stdout=writer, stderr=writer, check=True,
        env={**os.environ, **variables},
    )  # fmt: skip
    assert os.read(reader, 1000) == b"line\r\n"
    os.close(reader)
    os.close(writer)
    assert rows(store.state_dir, "SELECT raw_id FROM recalls") == [raw_id] * is_counted


@pytest.mark.parametrize(
    ("line", "streams"),
    [
        ("{laconic}", "out err"),
        ("{laconic} | cat", "out err"),
        ("{laconic} | while read -r line; do echo $line; done", "out err"),
        ("{laconic} --raw | grep -c o", "err"),
        ("cd / && ({laconic} --raw 2>&1) | tail -1", ""),
        ("{laconic} > file", ""),
        ("{laconic} --raw >/dev/null", "err"),
    ],
)
def test_what_a_program_or_a_file_gets_of_a_recall_costs_no_tokens(store, tmp_path, line, streams):
    raw_id = keep(store, {"out": b"word\n" * 100, "err": b"on the other stream\n" * 50})
    line = line.format(laconic=f"{sys.executable} -m laconic recall {raw_id}")
    environ = {**os.environ, "CLAUDECODE": "1"}
    subprocess.run(
        ["bash", "-c", line], stdout=-1, stderr=-1, cwd=tmp_path, env=environ, check=True
    )
    shown = {"out": b"word\n" * 100, "err": b"on the other stream\n" * 50}
    wanted = b"".join(shown[stream] for stream in streams.split())
    tokens = counts([wanted]) or [estimate_bytes(wanted)]
    assert rows(store.state_dir, "SELECT tokens FROM recalls") == tokens


def test_recalls_are_counted_for_the_filter_up_to_what_the_agent_reads(store):
    short = keep(store, {"out": b"x\n" * 50}, filter_id="make", project="/p")
    long = keep(store, {"out": b"word\n" * 100_000}, filter_id="npm/install", program="npm install")
    for words in ([short], [short, "--lines", "1"], [long], [short, "--grep", "nowhere"]):
        command = [sys.executable, "-m", "laconic", "recall", *words]
        subprocess.run(command, capture_output=True, check=False)
    found = rows(
        store.state_dir, "SELECT filter, program, project, raw_id FROM recalls ORDER BY time"
    )
    assert found == [
        ("make", "cargo test", "/p", short),
        ("make", "cargo test", "/p", short),
        ("npm/install", "npm install", "", long),
    ]
    tokens = rows(store.state_dir, "SELECT tokens FROM recalls ORDER BY time")
    assert 0 < tokens[1] < tokens[0] < tokens[2] <= 30_000


# -- what is not there ---------------------------------------------------------------------------


def test_an_old_id_says_when_and_why_it_expired(store, laconic, monkeypatch):
    monkeypatch.setattr(sweep_module, "KEPT_WHATEVER_AGE", 0)
    raw_id = keep(store, {"out": b"x"})
    sweep(store, time.time() + 15 * 86400)
    status, out, err = laconic("recall", raw_id)
    assert (status, out) == (1, b"")
    assert re.fullmatch(
        rf"laconic: {raw_id} expired on \d{{4}}-\d\d-\d\d [\d:]{{8}}: it was older than 14 days\n"
        r"hint: to keep more: store_mb and store_days of \[compact\] in the configuration\n",
        err,
    )


def test_a_file_that_somebody_removed_is_told(store, laconic):
    raw_id = keep(store, {"out": b"x"})
    store.remove(raw_id)
    assert laconic("recall", raw_id) == (
        1, b"", f"laconic: {raw_id} is gone: its file was removed\nhint: run the command again\n",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["aaaaaa"], 1, "laconic: 'aaaaaa': no output has this id\nhint: laconic history\n"),
        (["../../etc/passwd"], 1,
         ("laconic: '../../etc/passwd' is not an id: ids have six letters and digits\n"
          "hint: laconic history\n")),
        (["last"], 1, "laconic: no output is kept yet\n"),
        (["aaaaaa", "--grep", "("], 2,
         ("laconic: --grep '(': missing ), unterminated subpattern at position 0\n"
          "hint: put \\ before a character that is meant literally: \\(\n")),
        (["aaaaaa", "--lines", "x"], 2,
         "laconic: --lines 'x': is not a range of lines\nhint: laconic recall ID --lines 10:20\n"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_told_in_a_line(words, status, message, laconic):
    assert laconic("recall", *words) == (status, b"", message)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--lines", "5:"], "has 2 lines, not 5:"),
        (["--grep", "nowhere"], "has 2 lines, none matches 'nowhere'"),
        (["--lines", "1:1", "--grep", "b"], "has 2 lines, none of 1:1 matches 'b'"),
    ],
)
def test_no_line_is_told(words, message, store, laconic):
    raw_id = keep(store, {"out": b"a\nb\n"})
    told = f"laconic: {raw_id} {message}\nhint: laconic recall {raw_id}\n"
    assert laconic("recall", raw_id, *words) == (1, b"", told)


def test_outputs_outlive_the_records(store, laconic):
    raw_id = keep(store, {"out": b"still there"})
    rows(store.state_dir)
    (store.state_dir / DATABASE).write_bytes(os.urandom(5000))
    assert laconic("recall", raw_id)[:2] == (0, b"still there")
    assert laconic("recall", "last")[:2] == (0, b"still there")


def test_an_output_of_a_killed_laconic_is_found(store, laconic):
    store.spool_dir.mkdir(parents=True)
    spool = store.spool_dir / "aaaaaa.both"
    spool.write_bytes(b"so far")
    os.utime(spool, (time.time() - 60,) * 2)
    assert laconic("recall", "last")[:2] == (0, b"so far")
    assert b"aaaaaa  exit ?" in laconic("history")[1]


def test_an_output_that_is_taken_in_later_is_not_the_last_one(store, laconic):
    store.spool_dir.mkdir(parents=True)
    for name, data in (("aaaaaa.both", b"of a server in the background"), ("aaaaaa.cmd", b"serve")):
        (store.spool_dir / name).write_bytes(data)
        os.utime(store.spool_dir / name, (time.time() - 60,) * 2)
    record_run(store.state_dir, a_run(raw_id=""))
    keep(store, {"out": b"of what ran since"}, now=time.time() - 30)
    assert laconic("recall", "last")[:2] == (0, b"of what ran since")
    assert laconic("recall", "aaaaaa")[:2] == (0, b"of a server in the background")


@pytest.mark.parametrize("name", ["ids", "recalls", "times", "program", "project"])
def test_a_record_that_lacks_something_is_forgotten(tmp_path, name):
    remembered = StepBack(tmp_path, ("agent",))
    for command in ("one", "two"):
        remembered.ran("/p", command, command, f"{command}id", is_whole=True)
    path = tmp_path / NAME
    known = json.loads(path.read_text())
    del next(iter(known["commands"].values()))[name]
    path.write_text(json.dumps(known))
    remembered.recalled("twoid")
    assert [one.program for one in remembered.stepped()] == ["two"]
    remembered.ran("/p", "one", "one", "oneid", is_whole=False)

"""What sandboxes have kept comes into the records, whatever else is put there."""

from __future__ import annotations

import fcntl
import json
import os
import time
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.cli import main as cli
from laconic.record import collect as collecting
from laconic.record import kept
from laconic.record import sweep as sweeping
from laconic.record.collect import collect, rows
from laconic.record.database import reading
from laconic.record.queries import history
from laconic.record.runs import Run, record_run, row_of
from laconic.record.store import Store
from laconic.record.sweep import purge
from laconic.run.spool import open_spool


@pytest.fixture
def places(tmp_path, monkeypatch):
    """Stand for the directories: that of the records, and the one that a sandbox may write."""
    monkeypatch.setattr(kept, "_TMP", str(tmp_path / "tmp"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    (apart,) = dict.fromkeys(kept.made(os.environ, str(tmp_path / "state")))
    return tmp_path / "state", Path(apart)


def put(apart, raw_id="", output=b"", **about):
    """Do what laconic does in a sandbox."""
    if raw_id:
        Store(apart).keep({"out": output}, raw_id)
    assert record_run(apart, Run("make", raw_id=raw_id, **about))


def collected(state):
    with reading(state) as (connection, note):
        assert note == ""
        return history(connection, 1000)


def test_a_run_comes_with_its_output_and_is_marked(places):
    state, apart = places
    put(apart, "abcdef", b"one\n", status=7)
    (run,) = collected(state)
    assert (run["command"], run["status"], run["raw_id"], run["sandboxed"]) == (
        "make",
        7,
        "abcdef",
        1,
    )
    assert Store(state).load("abcdef") == {"out": b"one\n"}
    assert [p.name for p in apart.rglob("*") if p.is_file() and not p.name.startswith(".")] == []
    assert len(collected(state)) == 1


def test_what_runs_outside_is_not_marked(places):
    state, _ = places
    record_run(state, Run("ls"))
    assert [run["sandboxed"] for run in collected(state)] == [0]


def test_two_places_are_collected(places):
    state, apart = places
    given_one = state / kept.APART
    given_one.mkdir(parents=True, mode=0o700)
    put(given_one, "bbbbbb", b"x")
    put(apart, "cccccc", b"y")
    assert {run["raw_id"] for run in collected(state)} == {"bbbbbb", "cccccc"}


def test_an_id_that_is_known_is_not_replaced(places):
    state, apart = places
    Store(state).keep({"out": b"mine"}, "abcdef")
    put(apart, "abcdef", b"false")
    (run,) = collected(state)
    assert run["raw_id"] == ""
    assert Store(state).load("abcdef") == {"out": b"mine"}


def test_an_id_of_an_output_that_was_removed_is_not_taken_over(places):
    state, apart = places
    Store(state).keep({"out": b"mine"}, "abcdef")
    record_run(state, Run("ls", raw_id="abcdef"))
    purge(Store(state))
    put(apart, "abcdef", b"false")
    assert [run["raw_id"] for run in collected(state)] == ["abcdef", ""]
    assert not Store(state).has("abcdef")
    assert not Store(apart).has("abcdef")  # it is looked at once


@pytest.mark.parametrize("stream", ["both", "out"])
def test_an_id_of_a_command_that_still_runs_is_not_taken_over(places, stream):
    state, apart = places
    spool = open_spool(str(state), "abcdef", ["both"], "ls", os.environ)
    os.write(spool.handles["both"], b"mine")
    Store(apart).keep({stream: b"false"}, "abcdef")
    record_run(apart, Run("make", raw_id="abcdef"))
    assert collect(state, os.environ) == 1
    spool.keep(256, 14)
    assert Store(state).load("abcdef") == {"both": b"mine"}


def test_outputs_of_a_sandbox_displace_no_others(places, monkeypatch):
    state, apart = places
    monkeypatch.setattr(sweeping, "KEPT_WHATEVER_AGE", 0)
    store = Store(state, store_mb=2)
    mine = [store.keep({"out": os.urandom(200_000)}) for _ in range(4)]
    for number in range(12):
        put(apart, f"aaaa{'abcdefghjkmn'[number]}a", os.urandom(200_000))
    assert collect(state, os.environ) == 12
    sweeping.sweep(store, time.time())
    assert all(map(store.has, mine))
    left = {path.name for path in store.directory.glob("aaaa*")}
    assert 4 < len(left) < 12


def test_where_the_records_cannot_be_read_what_was_kept_waits(places):
    state, apart = places
    put(apart, "abcdef", b"one")
    (state / "records.db").mkdir(parents=True)
    assert collect(state, os.environ) == 0
    (state / "records.db").rmdir()
    assert collect(state, os.environ) == 1
    assert Store(state).load("abcdef") == {"out": b"one"}


def test_an_output_waits_for_its_run_unless_that_was_killed(places):
    state, apart = places
    store = Store(apart)
    store.keep({"out": b"a"}, "aaaaaa")
    assert collect(state, os.environ) == 0
    assert not Store(state).has("aaaaaa")
    (path,) = store.paths("aaaaaa")
    os.utime(path, (time.time() - 3600,) * 2)
    collect(state, os.environ)
    assert Store(state).load("aaaaaa") == {"out": b"a"}


def test_a_journal_that_is_being_written_waits(places):
    state, apart = places
    put(apart)
    with (apart / "runs.journal").open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_SH)
        assert collect(state, os.environ) == 0
    assert collect(state, os.environ) == 1


def link(path, target):
    path.symlink_to(target)


def fifo(path, _):
    os.mkfifo(path, 0o600)


def hard_link(path, target):
    os.link(target, path)


def device(path, _):
    path.mkdir()


@pytest.mark.parametrize("make", [link, fifo, hard_link, device])
@pytest.mark.parametrize("name", ["raw/eeeeee.out.z", "runs.journal"])
def test_what_is_no_file_of_its_own_is_refused(places, tmp_path, make, name):
    state, apart = places
    put(apart, "eeeeee", b"x")
    target = tmp_path / "secret"
    (apart / name).rename(target)
    make(apart / name, target)
    collect(state, os.environ)
    assert not Store(state).has("eeeeee")
    assert target.exists()


def opened_to_others(path, _):
    path.chmod(0o755)


def moved(path, target):
    path.rename(target)
    path.symlink_to(target)


@pytest.mark.parametrize("change", [opened_to_others, moved])
@pytest.mark.parametrize("name", ["raw", ""])
def test_a_directory_that_is_a_link_or_open_to_others_is_refused(places, tmp_path, change, name):
    state, apart = places
    put(apart, "eeeeee", b"x")
    change(apart / name, tmp_path / "elsewhere")
    collect(state, os.environ)
    assert not Store(state).has("eeeeee")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_another_users_directory_is_refused(places):
    state, apart = places
    put(apart, "eeeeee", b"x")
    os.chown(apart, 12345, 12345)
    assert collect(state, os.environ) == 0


def test_no_id_leads_out_of_the_directory(places):
    state, apart = places
    put(apart, "eeeeee", b"x")
    for name in (
        "e$(id).z",
        "..out.z",
        "eeeeee.out.sum",
        "eeeeee",
        "eeeeeee.out.z",
        "EEEEEE.out.z",
    ):
        (apart / "raw" / name).write_bytes(zlib.compress(b"x"))
    collect(state, os.environ)
    assert [path.name for path in Store(state).directory.glob("[!.]*")] == ["eeeeee.out.z"]


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(zlib.compress(bytes(40 << 20), 9), id="a bomb"),
        pytest.param(os.urandom((32 << 20) + 1), id="a large file"),
        pytest.param(b"", id="nothing"),
        pytest.param(b"no zlib", id="not packed"),
        pytest.param(zlib.compress(b"abcdef" * 99)[:-5], id="without its end"),
    ],
)
def test_an_output_that_laconic_would_not_have_written_is_refused(places, data):
    state, apart = places
    put(apart, "eeeeee", b"x")
    (apart / "raw/eeeeee.out.z").write_bytes(data)
    (run,) = collected(state)
    assert run["raw_id"] == ""
    assert not Store(state).has("eeeeee")
    assert not Store(apart).has("eeeeee")  # it is looked at once


def test_of_too_many_names_some_are_taken(places):
    state, apart = places
    (apart / "raw").mkdir(mode=0o700)
    for number in range(collecting.MOST_NAMES + 1):
        (apart / f"raw/x{number}").touch()
    put(apart, "eeeeee", b"x")
    assert collect(state, os.environ) == 1


def test_a_place_that_changes_meanwhile_leads_nowhere(places, tmp_path, monkeypatch):
    state, apart = places
    put(apart, "eeeeee", b"x")
    secret = tmp_path / "secret/raw"
    secret.mkdir(parents=True, mode=0o700)
    (secret / "ffffff.out.z").write_bytes(zlib.compress(b"secret"))
    found = collecting._journal

    def swap(directory):
        apart.rename(tmp_path / "moved")
        apart.symlink_to(secret.parent)
        return found(directory)

    monkeypatch.setattr(collecting, "_journal", swap)
    collect(state, os.environ)
    assert Store(state).has("eeeeee")
    assert not Store(state).has("ffffff")


def test_recall_outside_shows_nothing_that_a_sandbox_puts_in_place_of_an_output(
    places, tmp_path, monkeypatch, capfdbinary
):
    state, apart = places
    monkeypatch.setenv("LACONIC_STATE_DIR", str(state))
    Store(state).keep({"out": b"mine"}, "abcdef")
    Store(apart).keep({"out": b"false"}, "abcdef")
    (tmp_path / "key").write_bytes(b"secret")
    (apart / "raw/eeeeee.out").symlink_to(tmp_path / "key")
    assert cli.run(["recall", "abcdef"]) == 0
    assert cli.run(["recall", "eeeeee"]) == 1
    assert capfdbinary.readouterr().out.strip() == b"mine"


# -- lines of the journal --------------------------------------------------------------------------


SOUND = row_of(Run("make"))


def lines(*documents):
    return b"".join(json.dumps(one).encode() + b"\n" for one in documents)


def test_a_sound_line_is_taken_among_others():
    data = b'x\n{}\n[]\n["runs", []]\n\n' + lines(["runs", SOUND], ["days", SOUND], ["expired", {}])
    assert list(rows(data, time.time())) == [SOUND]


@pytest.mark.parametrize(
    "change",
    [
        {"raw_id": "../../x"}, {"raw_id": None}, {"id": -1}, {"id": 1 << 63}, {"id": 0},
        {"id": "1"}, {"time": 0}, {"time": 1 << 62}, {"status": 256}, {"status": True},
        {"input_tokens": -5}, {"input_tokens": 1 << 40}, {"output_tokens": 1.5}, {"exact": 2},
        {"command": 3}, {"command": "x" * 9000}, {"day": "2026-01-01"}, {"sandboxed": 0},
    ],
    ids=str,
)  # fmt: skip
def test_a_line_with_a_false_value_is_refused(change):
    assert list(rows(lines(["runs", SOUND | change]), time.time())) == []
    lacking = {name: value for name, value in SOUND.items() if name not in change}
    if lacking != SOUND:
        assert list(rows(lines(["runs", lacking]), time.time())) == []


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from(sorted(SOUND)), anything))
def test_whatever_a_line_says_the_rows_can_be_stored(change):
    for row in rows(lines(["runs", SOUND | change]), time.time()):
        assert row.keys() == SOUND.keys()
        assert all(isinstance(value, str | int | None) for value in row.values())


@given(st.binary(max_size=400))
def test_any_bytes_are_read_to_their_end(data):
    assert list(rows(data, time.time())) == []

"""The raw store: any bytes come back, for the owner alone, within its bounds."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from laconic.cli import main as cli
from laconic.errors import LaconicError
from laconic.record import store as module
from laconic.record import sweep as sweep_module
from laconic.record.store import STREAMS, MissingError, Store, is_id, new_id
from laconic.record.sweep import adopt, sweep
from records import rows

DAY = 86400


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "state")


def names(store):
    return sorted(path.name for path in store.directory.glob("[!.]*"))


def age(store, raw_id, seconds):
    for path in store.paths(raw_id):
        then = time.time() - seconds
        os.utime(path, (then, then))


@given(st.dictionaries(st.sampled_from(STREAMS), st.binary(), min_size=1))
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_bytes_come_back(tmp_path_factory, parts):
    store = Store(tmp_path_factory.mktemp("state"))
    assert store.load(store.keep(parts)) == parts


def test_a_file_comes_back_and_stays_where_it_was(store, tmp_path):
    spool = tmp_path / "spool"
    data = os.urandom(3 << 20) + b"\n" * (2 << 20)
    spool.write_bytes(data)
    assert store.load(store.keep({"both": spool})) == {"both": data}
    assert spool.exists()


def test_a_large_spool_is_moved_and_one_from_elsewhere_is_copied(store, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_MOVED_BYTES", 1000)
    store.spool_dir.mkdir(parents=True)
    own, foreign = store.spool_dir / "aaaaaa.out", tmp_path / "foreign"
    for path in (own, foreign):
        path.write_bytes(b"x" * 1001)
    assert store.load(store.keep({"out": own})) == {"out": b"x" * 1001}
    assert store.load(store.keep({"out": foreign})) == {"out": b"x" * 1001}
    assert (own.exists(), foreign.exists()) == (False, True)


def test_pieces_are_small_however_well_an_output_compresses(store):
    raw_id = store.keep({"both": b"\0" * (64 << 20)})
    sizes = [len(chunk) for _, chunk in store.chunks(raw_id)]
    assert sum(sizes) == 64 << 20
    assert max(sizes) <= 1 << 20


def test_only_the_owner_can_look(store):
    old = os.umask(0)
    try:
        store.keep({"out": b"secret", "err": b""})
    finally:
        os.umask(old)
    modes = {oct(path.stat().st_mode & 0o777) for path in store.directory.iterdir()}
    assert modes == {"0o600"}
    assert store.directory.stat().st_mode & 0o777 == 0o700
    assert store.state_dir.stat().st_mode & 0o777 == 0o700


def test_ids_are_short_and_differ():
    ids = {new_id() for _ in range(2000)}
    assert len(ids) > 1990
    assert all(is_id(raw_id) for raw_id in ids)


def test_an_id_that_is_taken_is_not_given_again(store, monkeypatch):
    drawn = iter(["aaaaaa", "aaaaaa", "bbbbbb"])
    monkeypatch.setattr(module, "new_id", lambda: next(drawn))
    assert [store.keep({"out": b"1"}), store.keep({"out": b"2"})] == ["aaaaaa", "bbbbbb"]
    assert store.load("aaaaaa") == {"out": b"1"}


@pytest.mark.parametrize("text", ["", "last", "../raw", "aaaaa/", "aaaaa\0", "AAAAAA", "*" * 6])
def test_what_is_no_id_leads_nowhere(store, text):
    assert not is_id(text)
    with pytest.raises(MissingError):
        store.load(text)


@pytest.mark.parametrize("damage", [lambda data: data[:-3], lambda data: b"no" + data[2:]])
def test_a_damaged_copy_is_told(store, damage):
    raw_id = store.keep({"out": os.urandom(500)})
    (path,) = store.paths(raw_id)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(LaconicError, match="the kept copy is damaged"):
        store.load(raw_id)


def test_damage_in_a_large_output_that_was_moved_is_told(store, monkeypatch):
    monkeypatch.setattr(module, "_MOVED_BYTES", 1000)
    store.spool_dir.mkdir(parents=True)
    large = store.spool_dir / "large"
    large.write_bytes(os.urandom(5000))
    raw_id = store.keep({"out": large})
    (path,) = store.paths(raw_id)
    data = bytearray(path.read_bytes())
    assert store.load(raw_id) == {"out": bytes(data)}
    data[2000] ^= 1
    path.write_bytes(data)
    with pytest.raises(LaconicError, match=f"{raw_id}.out: the kept copy is damaged"):
        store.load(raw_id)
    store.remove(raw_id)
    assert list(store.directory.glob(f"{raw_id}*")) == []


def test_without_room_nothing_is_kept_and_the_caller_is_told(store):
    program = f"""
import os, resource, signal
from laconic.record.store import Store
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    Store({str(store.state_dir)!r}).keep({{"out": b"small", "err": os.urandom(100_000)}})
except OSError as error:
    print(error.strerror)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout == b"File too large\n"
    assert list(store.directory.iterdir()) == []


def test_a_state_directory_that_cannot_be_written_is_an_oserror(tmp_path):
    (tmp_path / "state").write_text("a file, not a directory")
    with pytest.raises(OSError, match=r"File exists|Not a directory"):
        Store(tmp_path / "state").keep({"out": b""})


# -- bounds --------------------------------------------------------------------------------------


def test_the_oldest_go_first_and_say_when_and_why(store):
    store.limit_bytes = 4 << 20
    ids = [store.keep({"out": os.urandom(1 << 20)}) for _ in range(6)]
    for number, raw_id in enumerate(ids):
        age(store, raw_id, 1000 - number)
    sweep(store, time.time())
    assert [store.has(raw_id) for raw_id in ids] == [False, False, False, True, True, True]
    reasons = rows(store.state_dir, "SELECT raw_id, reason FROM expired ORDER BY time")
    assert {*reasons} == {
        (raw_id, "all outputs together were larger than 4 MB") for raw_id in ids[:3]
    }


def test_what_is_too_old_goes(store, monkeypatch):
    monkeypatch.setattr(sweep_module, "KEPT_WHATEVER_AGE", 0)
    old, young = store.keep({"out": b"old"}), store.keep({"out": b"young"})
    age(store, old, 14 * DAY + 60)
    age(store, young, 14 * DAY - 60)
    sweep(store, time.time())
    assert (store.has(old), store.has(young)) == (False, True)
    assert rows(store.state_dir, "SELECT raw_id, reason FROM expired") == [
        (old, "it was older than 14 days")
    ]


def test_the_newest_stays_however_large_and_takes_no_small_one_with_it(store):
    store.limit_bytes = 1 << 20
    smalls = [store.keep({"out": os.urandom(10_000)}) for _ in range(20)]
    larges = [store.keep({"out": os.urandom(3 << 20)}) for _ in range(3)]
    for number, raw_id in enumerate((*smalls, *larges)):
        age(store, raw_id, 1000 - number)
    sweep(store, time.time())
    assert all(map(store.has, smalls))
    assert [store.has(raw_id) for raw_id in larges] == [False, False, True]
    young = store.keep({"out": b"x"})
    sweep(store, time.time())
    assert all(map(store.has, (*smalls, young)))
    assert not store.has(larges[-1])


def test_small_outputs_have_a_bound_of_their_own(store):
    store.limit_bytes = 1 << 20
    smalls = [store.keep({"out": os.urandom(100_000)}) for _ in range(20)]
    for number, raw_id in enumerate(smalls):
        age(store, raw_id, 1000 - number)
    sweep(store, time.time())
    kept = [store.has(raw_id) for raw_id in smalls]
    assert kept == sorted(kept)
    assert 5 < sum(kept) < 11


# -- purge ---------------------------------------------------------------------------------------


def test_purge_removes_what_is_asked_for_and_says_so(home, capsys):
    store = Store(home / ".local/state/laconic")
    ids = [store.keep({"out": b"secret"}) for _ in range(4)]
    age(store, ids[0], 3 * DAY)
    size = sum(path.stat().st_size for path in store.paths(ids[0]))
    assert cli.run(["purge", "--older", "2d"]) == 0
    assert capsys.readouterr().out == (
        f"removed 1 output, {size} bytes, from {store.directory}\n3 are still there\n"
    )
    assert [store.has(raw_id) for raw_id in ids] == [False, True, True, True]
    assert cli.run(["purge", ids[1]]) == 0
    assert [store.has(raw_id) for raw_id in ids] == [False, False, True, True]
    assert cli.run(["purge", ids[1]]) == 1
    assert "no output is kept under" in capsys.readouterr().err
    assert cli.run(["purge"]) == 0
    assert capsys.readouterr().out.startswith("removed 2 outputs, ")
    assert not list(store.directory.glob("[!.]*"))
    assert cli.run(["purge"]) == 0
    assert capsys.readouterr().out.startswith("removed 0 outputs, 0 bytes")
    assert cli.run(["recall", ids[2]]) == 1
    assert "removed by laconic purge" in capsys.readouterr().err


def test_what_is_kept_is_for_the_owner_alone(store):
    raw_id = store.keep({"out": b"secret", "err": b"secret"})
    assert {path.stat().st_mode & 0o777 for path in store.paths(raw_id)} == {0o600}
    assert store.directory.stat().st_mode & 0o777 == 0o700


def test_a_sweep_is_made_once_a_day_and_when_much_is_new(store, monkeypatch):
    swept = []
    monkeypatch.setattr("laconic.record.sweep.sweep", lambda *_: swept.append(1))
    for _ in range(50):
        store.keep({"out": b"x"})
    assert len(swept) == 1
    store.limit_bytes = 16 << 20  # a sixteenth of it is 1 MB: sixteen outputs of up to 64 KB
    for _ in range(40):
        store.keep({"out": b"x"})
    assert len(swept) == 1 + 3
    monkeypatch.setattr(time, "gmtime", lambda *_: time.localtime(time.time() + DAY))
    store.keep({"out": b"x"})
    assert len(swept) == 1 + 3 + 1


def test_the_bound_holds_over_many_outputs_without_a_call_to_sweep(tmp_path):
    store = Store(tmp_path, store_mb=2)
    for _ in range(60):
        store.keep({"out": os.urandom(100_000)})
    total = sum(path.stat().st_size for path in store.directory.iterdir())
    assert total < (2 << 20) + (2 << 20) // 16 + 200_000
    assert len(names(store)) > 10


def test_a_sweep_takes_drafts_away_but_not_those_of_the_moment(store):
    store.keep({"out": b"x"})
    for name, seconds in ((".aaaaaa.out.z.1", 7200), (".bbbbbb.out.z.2", 5)):
        draft = store.directory / name
        draft.write_bytes(b"half")
        os.utime(draft, (time.time() - seconds,) * 2)
    sweep(store, time.time())
    assert [path.name for path in store.directory.glob(".?????[ab]*")] == [".bbbbbb.out.z.2"]


def test_a_clock_that_runs_ahead_removes_no_new_output(store):
    ids = [store.keep({"out": b"x"}) for _ in range(5)]
    sweep(store, time.time() + 400 * DAY)
    assert all(map(store.has, ids))


def test_two_sweeps_at_once_are_one(store, monkeypatch):
    monkeypatch.setattr(sweep_module, "KEPT_WHATEVER_AGE", 0)
    raw_id = store.keep({"out": b"x"})
    age(store, raw_id, 15 * DAY)
    lock = os.open(store.directory, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    sweep(store, time.time())
    assert store.has(raw_id)
    os.close(lock)
    sweep(store, time.time())
    assert not store.has(raw_id)


# -- spools of a laconic that was killed ---------------------------------------------------------


@pytest.fixture
def spool(store):
    store.spool_dir.mkdir(parents=True)

    def write(name, data, seconds=60):
        path = store.spool_dir / name
        path.write_bytes(data)
        os.utime(path, (time.time() - seconds,) * 2)
        return path

    return write


def test_a_spool_that_nobody_writes_to_is_taken_in(store, spool):
    spool("aaaaaa.out", b"output")
    spool("aaaaaa.err", b"")
    spool("aaaaaa.cmd", b"make --password=hunter22")
    assert adopt(store) == ["aaaaaa"]
    assert store.load("aaaaaa") == {"out": b"output", "err": b""}
    assert list(store.spool_dir.iterdir()) == []
    found = rows(store.state_dir, "SELECT command, status, raw_id, raw_bytes FROM runs")
    assert found == [("make --password=[hidden]", None, "aaaaaa", 6)]


def test_a_spool_that_a_child_still_has_open_is_left_alone(store, spool):
    path = spool("aaaaaa.both", b"so far")
    with path.open("ab") as stream:
        fcntl.flock(stream, fcntl.LOCK_SH)
        child = subprocess.Popen(["sleep", "60"], stdout=stream)
    try:
        os.utime(path, (time.time() - 60,) * 2)
        assert adopt(store) == []
    finally:
        child.kill()
        child.wait()
    assert adopt(store) == ["aaaaaa"]


def test_a_spool_that_is_young_empty_or_kept_already_adds_no_run(store, spool):
    store.keep({"both": b"kept"}, "cccccc")
    spool("aaaaaa.both", b"", seconds=1)
    spool("bbbbbb.both", b"")
    spool("cccccc.both", b"kept")
    spool("notes.txt", b"of somebody else")
    assert adopt(store) == []
    left = sorted(path.name for path in store.spool_dir.iterdir())
    assert left == ["aaaaaa.both", "notes.txt"]
    assert rows(store.state_dir) == []


def test_what_a_laconic_wrote_that_was_killed_a_moment_ago_is_taken_in_at_once(store, spool):
    spool("aaaaaa.out", b"so far", seconds=0)
    spool("aaaaaa.err", b"", seconds=0)
    assert adopt(store) == ["aaaaaa"]
    assert store.load("aaaaaa") == {"out": b"so far", "err": b""}


def test_without_spools_there_is_nothing_to_do(store):
    assert adopt(store) == []

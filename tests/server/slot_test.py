"""Who is in a sandbox may ask what to print of an output; whatever is asked does nothing else."""

from __future__ import annotations

import os
import select
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import warm_server
from laconic.record import kept
from laconic.record.collect import rows
from laconic.secrets.mask import Masker
from laconic.server import slot, wire
from laconic.server.slot import Question, Slot, answer

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="nobody asks there")

ID = "abcdef"
TOKEN = b"ghp_" + b"a1B2" * 9
LONG = b"".join(b"line %d of many\n" % n for n in range(400))
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


def body(words, *, status=0, raw_id=ID, streams=("out", "err"), marks=(), launcher="laconic"):
    named = [word.encode("utf-8", "surrogateescape") for word in words]
    return (
        wire.number(status)
        + wire.number(3)
        + wire.text(raw_id.encode())
        + wire.texts([name.encode() for name in streams])
        + wire.text(b"/project")
        + wire.text(launcher.encode())
        + wire.texts(named)
        + wire.texts([mark.encode() for mark in marks])
    )


def request(*given, **more):
    told = body(*given, **more)
    return wire.number(len(told)) + told


def told(frame):
    """What an answer says: its kind, whether to show and keep the spools, and three texts."""
    kind, found = frame[4:5], wire.ServerAnswer(frame[9:])
    reader = wire.Reader(found.rest)
    said = [reader.text() for _ in range(3)] if kind == wire.Kind.NOTED else []
    reader.end()
    return kind, found.first, found.second, said


def asked(words, out=b"", err=b"", **more):
    return told(answer(Question(body(words, **more)), {"out": out, "err": err}, dict(os.environ)))


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A place where a sandbox keeps outputs, with an output in it."""
    monkeypatch.setattr(kept, "_TMP", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("LACONIC_STATE_DIR", str(tmp_path / "state"))
    (path,) = dict.fromkeys(kept.made(os.environ, str(tmp_path / "state")))
    for name, data in ("out", LONG), ("err", b""):
        spool = Path(path, "spool", f"{ID}.{name}")
        spool.parent.mkdir(mode=0o700, exist_ok=True)
        spool.write_bytes(data)
        spool.chmod(0o600)
    return Path(path)


def exchange(place, data, wait_s=5.0):
    """Do what a client does; return what is answered, nothing if that is nothing."""
    made = Slot(str(place), "slot-1")
    path = place / "spool" / f"{ID}.ask"
    if not path.exists():
        os.mkfifo(path, 0o600)
    own = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    os.write(made.pipe, data)
    found = b""

    def listen():
        nonlocal found
        deadline = time.monotonic() + wait_s
        while time.monotonic() < deadline:
            if select.select((own,), (), (), 0.05)[0]:
                piece = os.read(own, 1 << 16)
                found += piece
                if not piece:
                    return

    listener = threading.Thread(target=listen)
    try:
        for question in made.questions():
            listener.start()
            slot._answer(made, question, dict(os.environ))
    finally:
        if listener.ident:
            listener.join()
        os.close(own)
        os.close(made.pipe)
    return found


def test_a_question_is_answered_with_what_to_print_and_to_write_down(place):
    kind, is_raw, is_kept, (out, err, line) = told(exchange(place, request(["sh", "-c", "x"])))
    assert (kind, is_raw, is_kept, err) == (wire.Kind.NOTED, 0, 1, b"")
    assert len(out) < len(LONG) / 2
    assert b"laconic recall abcdef" in out
    (row,) = rows(line, time.time())
    assert (row["raw_id"], row["status"], row["project"], row["duration_ms"]) == (
        ID,
        0,
        "/project",
        3,
    )
    assert not list(place.parent.glob("state/**"))


def test_what_is_too_short_to_be_hidden_is_shown_as_it_is():
    kind, is_raw, is_kept, (out, _, line) = asked(["echo", "x"], b"x\n")
    assert (kind, is_raw, is_kept, out) == (wire.Kind.NOTED, 1, 0, b"")
    (row,) = rows(line, time.time())
    assert row["raw_id"] == ""


def test_secrets_are_masked():
    _, is_raw, is_kept, (out, _, _) = asked(["cat", "x"], b"token " + TOKEN + b"\n")
    assert (is_raw, is_kept) == (0, 1)
    assert TOKEN not in out
    assert b"1 secret masked" in out


@pytest.mark.parametrize("words", [["npm", "test"], ["/bin/npm", "--prefix", "/x", "run", "y"]])
def test_what_a_file_of_a_project_says_is_left_to_the_client(words):
    assert asked(words, LONG)[0] == wire.Kind.COLD


# -- whatever is asked -----------------------------------------------------------------------------

opened = []


def note(event, about):
    is_path = bool(about) and isinstance(about[0], str | bytes)  # else it has been opened before
    if (
        opened
        and is_path
        and event in ("open", "os.listdir", "os.scandir", "os.mkdir", "os.rename")
    ):
        opened.append(os.fsdecode(about[0]))


sys.addaudithook(note)
OWN = (str(warm_server.ROOT / "src"), sys.prefix, sys.base_prefix)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from(["npm", "git", "log", "sh", "-c", "cat", "/etc/passwd", "--prefix", "make"])
        | texts,
        min_size=1,
        max_size=5,
    ),
    st.integers(0, 255),
    st.binary(max_size=400) | texts.map(str.encode).map(lambda data: data * 50),
    st.binary(max_size=100),
    st.lists(st.sampled_from(["CLAUDECODE=1", "CODEX_THREAD_ID=x", "HOME=/", "PATH=.", "x"])),
)
def test_no_question_makes_it_open_a_file_or_start_a_program(words, status, out, err, marks):
    own = (*OWN, os.environ["HOME"], *filter(None, map(os.environ.get, ("XDG_CONFIG_HOME",))))
    question = Question(body(words, status=status, marks=marks))
    opened[:] = ["begin"]
    try:
        frame = answer(question, {"out": out, "err": err}, dict(os.environ))
    finally:
        found, opened[:] = opened[1:], []
    assert [path for path in found if not path.startswith(own) and path != "/"] == []
    kind, _, _, said = told(frame)
    assert kind in (wire.Kind.NOTED, wire.Kind.COLD)
    if kind == wire.Kind.NOTED:
        assert Masker({}).mask(said[0] + said[1]) == said[0] + said[1]
        assert len(list(rows(said[2], time.time()))) == 1


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_any_bytes_are_questions_or_nothing(tmp_path, data):
    sound = request(["git", "log"])
    cut = st.integers(0, len(sound)).map(lambda size: sound[:size])
    piece = st.binary(max_size=60) | st.just(sound) | cut
    mixed = b"".join(data.draw(st.lists(piece, max_size=4)))
    (tmp_path / "p").mkdir(mode=0o700, exist_ok=True)
    made = Slot(str(tmp_path / "p"), "slot-1")
    try:
        os.write(made.pipe, mixed + b"\0")
        for question in made.questions():
            assert question.raw_id == ID or len(question.raw_id) == len(ID)
            assert question.words
        assert list(made.questions()) == []
    finally:
        os.close(made.pipe)


@pytest.mark.parametrize(
    "change",
    [
        {"raw_id": "../../x"}, {"raw_id": ""}, {"status": 256}, {"streams": ()},
        {"streams": ("out", "out")}, {"streams": ("/etc/passwd",)}, {"words": []},
    ],
    ids=str,
)  # fmt: skip
def test_what_no_client_asks_is_no_question(change):
    with pytest.raises(wire.WireError):
        Question(body(change.pop("words", ["ls"]), **change))


# -- a hostile place -------------------------------------------------------------------------------


def link(path, target):
    path.symlink_to(target)


def hard_link(path, target):
    os.link(target, path)


def pipe(path, _):
    os.mkfifo(path, 0o600)


def anothers(path, target):
    path.write_bytes(target.read_bytes())
    os.chown(path, 12345, 12345)


only_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


def large(path, _):
    with path.open("wb") as file:
        file.truncate(slot.MOST_BYTES + 1)


@pytest.mark.parametrize(
    "make",
    [
        link, hard_link, pipe, large,
        pytest.param(anothers, marks=only_root),
    ],
)  # fmt: skip
def test_a_spool_that_is_no_file_of_ours_is_not_read(place, tmp_path, make):
    secret = tmp_path / "secret"
    secret.write_bytes(b"secret\n" * 300)
    path = place / "spool" / f"{ID}.out"
    path.unlink()
    make(path, secret)
    assert exchange(place, request(["ls"]), 0.3) == b""


@pytest.mark.parametrize("name", ["spool", ""])
def test_a_directory_that_others_may_enter_is_not_entered(place, tmp_path, name):
    made = Slot(str(place), "slot-1")
    (place / name).rename(tmp_path / "elsewhere")
    (place / name).symlink_to(tmp_path / "elsewhere")
    os.mkfifo(tmp_path / "elsewhere" / ("" if name else "spool") / f"{ID}.ask", 0o600)
    os.write(made.pipe, request(["ls"]))
    (question,) = made.questions()
    with pytest.raises((OSError, slot.RefusedError)):
        made.reply(question, dict(os.environ))
    os.close(made.pipe)


def test_a_pipe_that_has_lost_its_name_is_made_again(place):
    slots = {}
    slot._look(slots, "slot-1", os.environ)
    assert len(slots) == 1
    (place / "slot-1").unlink()
    slot._look(slots, "slot-1", os.environ)
    (new,) = slots.values()
    assert not new.is_lost()
    new.remove()
    assert list(place.glob("slot-*")) == []
    os.close(new.pipe)


def test_nothing_is_written_to_what_is_no_pipe_of_ours(place, tmp_path):
    path = place / "spool" / f"{ID}.ask"
    for make, target in ((link, tmp_path / "a"), (hard_link, tmp_path / "b")):
        target.write_bytes(b"mine")
        make(path, target)
        made = Slot(str(place), "slot-1")
        os.write(made.pipe, request(["ls"]))
        (question,) = made.questions()
        with pytest.raises((OSError, slot.RefusedError)):
            made.reply(question, dict(os.environ))
        assert target.read_bytes() == b"mine"
        path.unlink()
        os.close(made.pipe)


@pytest.mark.parametrize("make", [link, hard_link, large])
def test_a_pipe_that_is_none_is_not_waited_at(place, tmp_path, make):
    (tmp_path / "target").write_bytes(b"")
    make(place / "slot-1", tmp_path / "target")
    with pytest.raises((OSError, slot.RefusedError)):
        Slot(str(place), "slot-1")

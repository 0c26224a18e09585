"""Frames: what one side writes the other reads, and nothing that arrives does harm."""

from __future__ import annotations

import contextlib
import re
import socket
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

import warm_server
from laconic import __version__
from laconic.server import identity, peer, python_client, wire, worker
from laconic.server.run_handler import _open_spool
from laconic.settings import environ

LIMIT = 1 << 20
words = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
names = st.text(st.characters(codec="ascii", exclude_characters="\0="), min_size=1)


def received(data):
    """Return the frame that is read from these bytes."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(data)
        ours.shutdown(socket.SHUT_WR)
        return wire.receive(theirs, LIMIT)


@given(words, st.lists(words), st.dictionaries(names, words), st.binary())
def test_a_call_arrives_as_it_was_made(directory, arguments, environ, behind):
    body = wire.call("1.2", directory, arguments, environ) + wire.text(behind)
    kind, arrived = received(wire.frame(wire.Kind.HOOK, body))
    call = wire.ClientCall(arrived)
    assert (kind, call.version, call.directory) == (wire.Kind.HOOK, "1.2", directory)
    assert (call.arguments, call.variables) == (arguments, environ)
    assert call.rest.text() == behind
    call.rest.end()


@given(st.binary(max_size=200))
def test_any_bytes_are_a_frame_or_refused(data):
    try:
        kind, body = received(data)
    except wire.WireError:
        return
    assert data.startswith(wire.frame(kind, body)) or not data


def test_the_frame_behind_a_frame_is_left_for_the_next_call():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(wire.frame(wire.Kind.HOOK, b"one") + wire.frame(wire.Kind.DONE, b"two"))
        assert wire.receive(theirs, LIMIT) == (wire.Kind.HOOK, b"one")
        assert wire.receive(theirs, LIMIT) == (wire.Kind.DONE, b"two")


@given(st.binary(max_size=200))
def test_any_body_is_a_call_or_refused(body):
    try:
        call = wire.ClientCall(body)
    except wire.WireError:
        return
    assert len(call.arguments) * 4 <= len(body)


def test_a_frame_that_is_too_large_is_refused_before_it_is_read():
    with pytest.raises(wire.WireError):
        received(wire.MAGIC + wire.Kind.HOOK + wire.number(LIMIT + 1))


def test_of_two_variables_with_one_name_the_first_counts():
    pairs = wire.texts([b"A=1", b"A=2", b"no pair", b"=x", b"B=c=d"])
    body = wire.text(b"1") + wire.text(b"/") + wire.texts([]) + pairs
    assert wire.ClientCall(body).variables == {"A": "1", "B": "c=d"}


def test_both_sides_have_the_same_kinds():
    header = (warm_server.ROOT / "client/kinds.h").read_text()
    in_c = {name: kind.encode() for name, kind in re.findall(r"(\w+) = '(.)'", header)}
    in_python = {name: kind for name, kind in vars(wire.Kind).items() if name.isupper()}
    assert in_c == in_python
    assert len(set(in_c.values())) == len(in_c)


def test_both_sides_heed_the_same_variables():
    source = (warm_server.ROOT / "client/laconic.c").read_text()
    in_c = {
        name: tuple(re.findall(r'"(\w+)"', listed))
        for name, listed in re.findall(r"const (\w+)\[\] = \{(\"LACONIC_[^}]*), NULL\}", source)
    }
    assert in_c["switches"] == environ.SWITCHES
    marks = re.search(r"const marks\[\] = \{([^}]*), NULL\}", source)[1]
    assert tuple(re.findall(r'"(\w+)"', marks)) == environ.MARKS
    by_place = {"LACONIC_NO_SERVER"}  # the client in C asks for it where it looks for a server
    assert {*in_c["switches"], *in_c["talkative"]} | by_place == set(python_client._ODD)


def test_both_sides_name_a_server_after_the_same_and_compare_the_same():
    client = warm_server.ROOT / "client"
    for path, name, ours in (
        ("paths.c", "place_names", identity.PLACES),
        ("peer.c", "names", peer._VIEWS),
    ):
        listed = re.search(rf"const {name}\[\] = \{{([^}}]*)\}}", (client / path).read_text())[1]
        assert tuple(re.findall(r'"([\w/]+)"', listed)) == ours


@warm_server.needs_compiler
def test_the_client_reads_no_byte_too_many_whatever_a_server_sends(tmp_path):
    sources = [warm_server.ROOT / "tests/client/fuzz.c", warm_server.ROOT / "client/wire.c"]
    program = tmp_path / "fuzz"
    command = [
        warm_server.COMPILER,
        *warm_server.FLAGS,
        *warm_server.SANITIZED,
        *sources,
        "-o",
        program,
    ]
    subprocess.run(command, check=True)
    for seed in ("1", "2", "3"):
        done = subprocess.run([program, "10000", seed], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


class Connection:
    """One call, and what it is answered."""

    def __init__(self, version):
        self.body, self.sent = wire.call(version, "/", [], {}), []

    def receive(self):
        return wire.Kind.HOOK, self.body

    def send(self, frame):
        self.sent.append(frame)


@pytest.mark.parametrize(("version", "is_answered"), [(__version__, True), ("0.0.0", False)])
def test_a_client_of_another_version_is_told_to_do_it_itself(version, is_answered):
    connection, calls = Connection(version), []
    worker.answer(connection, {wire.Kind.HOOK: lambda *call: calls.append(call)})
    assert len(calls) == is_answered
    assert connection.sent == ([] if is_answered else [wire.reply(wire.Kind.COLD)])


@given(
    st.lists(
        st.sampled_from(["/state/spool", "/etc", "memory", "", "..", "/state/spool/.."]).flatmap(
            lambda folder: st.sampled_from(
                ["abcdef.out", "bbbbbb.both", "passwd", "abcdef.out/..", "a.b.c", "\0"]
            ).map(lambda name: f"{folder}/{name}")
        ),
        min_size=1,
        max_size=3,
    )
)
def test_the_server_opens_no_spool_but_its_own(paths):
    opened = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.open", lambda path, *_: opened.append(path) or 0)
        with contextlib.suppress(wire.WireError):
            _open_spool(paths, "/state/spool", ())
    assert all(re.fullmatch("/state/spool/[a-z]{6}[.](out|err|both)", path) for path in opened)
    assert len({path.partition(".")[0] for path in opened}) <= 1

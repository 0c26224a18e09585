"""The answers to questions for names, byte by byte."""

from __future__ import annotations

import random
import struct

import pytest

from laconic.door.names import Names

ADDRESS, OF_6, POINTER, SERVICE = 1, 28, 12, 65


def question(name, kind=ADDRESS, *, flags=0x0100, count=1):
    labels = b"".join(bytes([len(p)]) + p.encode() for p in name.split(".")) + b"\0"
    return struct.pack("!6H", 7, flags, count, 0, 0, 0) + labels + struct.pack("!2H", kind, 1)


def code_and_address(answer):
    _, flags, questions, answers, _, _ = struct.unpack_from("!6H", answer)
    assert questions == 1
    assert flags & 0x8000
    found = ".".join(map(str, answer[-4:])) if answers else ""
    return flags & 15, found


@pytest.fixture
def names():
    return Names(lambda name: name == "mirror")


def test_each_name_has_an_address_that_leads_to_it_only(names):
    code, first = code_and_address(names.answer(question("a.example.org")))
    _, again = code_and_address(names.answer(question("A.EXAMPLE.org")))
    _, other = code_and_address(names.answer(question("b.example.org")))
    assert (code, first == again, first == other) == (0, True, False)
    assert first.startswith("198.18.")
    assert names.name_at(first) == "a.example.org"
    assert names.name_at("198.18.9.9") == ""


@pytest.mark.parametrize("kind", [OF_6, SERVICE, 16, 255])
def test_there_are_no_other_records_and_nobody_waits_for_them(names, kind):
    assert code_and_address(names.answer(question("a.example.org", kind))) == (0, "")


@pytest.mark.parametrize("name", ["db", "printer.local", "x.invalid", "10.0.0.1", "a_b c.org"])
def test_names_of_nobody_are_not_found(names, name):
    assert code_and_address(names.answer(question(name))) == (3, "")
    assert code_and_address(names.answer(question("mirror")))[1].startswith("198.18.")


def test_the_loopback_keeps_its_name_and_no_address_has_one(names):
    assert code_and_address(names.answer(question("a.localhost"))) == (0, "127.0.0.1")
    assert code_and_address(names.answer(question("2.0.18.198.in-addr.arpa", POINTER)))[0] == 3


@pytest.mark.parametrize(
    "query",
    [
        b"", b"\0" * 11, question("a.example.org")[:-3], question("a.org", flags=0x8100),
        question("a.org", count=2), question("a.org", count=0),
        struct.pack("!6H", 7, 0x0100, 1, 0, 0, 0) + b"\xc0\x0c\0\1\0\1",
        struct.pack("!6H", 7, 0x0100, 1, 0, 0, 0) + b"\x3fab\0\0\1\0\1",
        question("a.org") + b"x" * 600,
    ],
)  # fmt: skip
def test_what_is_no_question_gets_no_answer(names, query):
    assert names.answer(query) == b""


def test_another_operation_is_not_done(names):
    assert code_and_address(names.answer(question("a.org", flags=0x2800))) == (4, "")


def test_nothing_that_arrives_makes_a_fault(names):
    chance = random.Random(7)
    whole = question("a.example.org")
    for _ in range(5000):
        data = bytearray(whole)
        for _ in range(chance.randrange(1, 6)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        names.answer(bytes(data[: chance.randrange(len(data) + 1)]))


def test_there_is_an_end_of_addresses(names):
    codes = [code_and_address(names.answer(question(f"n{n}.org")))[0] for n in range(20_001)]
    assert codes[:20_000] == [0] * 20_000
    assert codes[-1] == 2

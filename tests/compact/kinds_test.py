"""A large output is looked at by the kinds of its lines; that must give what each line gives."""

from __future__ import annotations

import random
from unittest import mock

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from laconic.compact.lines import Lines
from laconic.compact.multiline import blind_to_digits
from laconic.compact.patterns import Pattern
from laconic.compact.stages import clean as cleaning
from laconic.compact.stages.clean import clean
from laconic.compact.stages.group import group
from laconic.patterns import compile_written
from outputs import FOUND, cases

ONE_DIGIT = str.maketrans("123456789", "000000000")
WORDS = [
    "error: ",
    "0 errors",
    "3 errors",
    "ok",
    " ",
    "12",
    "1",
    "100%",
    "\x1b[1m",
    "\x1b[31;1m",
    "é",
]


def sources():
    """Every pattern of every filter."""
    for wanted in map(FOUND.load, FOUND.ids):
        for branch in (wanted.plain, wanted.success, wanted.failure):
            for patterns in (branch.drop, branch.keep, branch.must_keep):
                yield from patterns.sources
            yield from (pattern.source for pattern, _ in branch.groups)


def repeated(texts, size):
    """So many characters of these lines, in an order of their own each time."""
    chosen = random.Random(1)
    found, left = [], size
    while left > 0:
        found += chosen.sample(texts, len(texts))
        left -= sum(map(len, texts)) + len(texts)
    return found


def test_a_pattern_that_is_blind_to_digits_finds_at_least_the_same():
    texts = [
        text for case in cases()[::20] for text in case.raw.decode("utf-8", "replace").split("\n")
    ]
    chosen = random.Random(1)
    for source in sorted(set(sources())):
        blind = blind_to_digits(source)
        if blind is None:
            continue
        exact, found = compile_written(source), compile_written(blind)
        for text in chosen.sample(texts, 100):
            matches = found.search(text) is not None
            assert matches == (found.search(text.translate(ONE_DIGIT)) is not None), (source, text)
            assert matches or not exact.search(text), (source, text)
            assert source != blind or matches == bool(exact.search(text))


@pytest.mark.parametrize(
    ("source", "blind"),
    [
        (r"^a\d+ [0-9]{2}$", r"^a\d+ [0-9]{2}$"),
        ("(?i)^100%", r"(?i)^\d\d\d%"),
        ("(?!100%)x", "x"),
        ("(?!a)x(?<!0)", "(?!a)x"),
        ("(?:(?!0)a)?b", "(?:a)?b"),
        ("[1-9] [^0] [^a5]", "[0-9] . [^a]"),
        ("(?!0)+x", None),
        ("(?:1a)?(?:b2)*", None),
        ("[+-9]", None),
        (r"\x31", None),
    ],
)
def test_what_names_a_digit_takes_any(source, blind):
    assert blind_to_digits(source) == blind


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(WORDS), max_size=5).map("".join), min_size=1, max_size=12),
    st.sampled_from(["^error", "100%$", r"\d+ errors", "[1-9] ", "ok", "^$", r"(?!0)\d", "(?i)OK"]),
)
def test_a_pattern_finds_in_a_large_output_what_it_finds_in_each_line(texts, source):
    every = repeated(texts, 100_000)
    search = compile_written(source).search
    assert list(Pattern(source).mask(Lines(every))) == [bool(search(text)) for text in every]


@settings(max_examples=15, deadline=None)
@given(
    st.lists(
        st.lists(st.sampled_from([*WORDS, "\r", "\r"]), max_size=6).map("".join),
        min_size=1,
        max_size=8,
    ),
)
@example(["0 errors\rdone", "3 errors\rdone"])
def test_a_large_output_is_cleaned_as_each_line_of_it(texts):
    every = repeated(texts, 100_000)
    cleaned = {text: next(iter(clean(Lines([text, "end"])).texts)) for text in texts}
    with mock.patch.object(cleaning, "_LARGE", 50_000):
        lines = clean(Lines(every))
    assert list(lines.texts) == [cleaned[text] for text in every]
    search = compile_written("^error: |[1-9] errors").search
    found = Pattern("^error: |[1-9] errors").mask(lines)
    assert list(found) == [bool(search(cleaned[text])) for text in every]


def rows_of(mask):
    return [row for row, is_left in enumerate(mask) if is_left]


@settings(max_examples=8, deadline=None)
@given(st.lists(st.sampled_from(["x 1", "x 2", "y 3", "z", "-"]), min_size=1, max_size=8))
def test_lines_of_a_large_output_are_grouped_as_by_each(texts):
    every = repeated(texts, 100_000)
    lines, left = Lines(every), bytes(n % 5 != 0 for n in range(len(every)))
    for source in (r"^([xyz])", r"^[xyz]", r"^([xyz]) [1-9]"):
        gone, made = group(left, lines, Pattern(source), "{count} of {1}" if "(" in source else "")
        members = {}
        for row in rows_of(left):
            if found := compile_written(source).search(every[row]):
                members.setdefault(found.groups(), []).append(row + 1)
        several = {rows[0] - 1: rows for rows in members.values() if len(rows) > 1}
        assert {row: list(one.numbers) for row, one in made.items()} == several
        assert rows_of(gone) == sorted(n - 1 for rows in several.values() for n in rows[1:])

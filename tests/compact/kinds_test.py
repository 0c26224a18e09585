"""A large output is looked at by the kinds of its lines; that must give what each line gives."""

from __future__ import annotations

import random
from unittest import mock

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from laconic.compact import runs
from laconic.compact.lines import Lines
from laconic.compact.masks import Members
from laconic.compact.multiline import blind_to_digits
from laconic.compact.patterns import Pattern
from laconic.compact.result import GAP, MADE, Shown
from laconic.compact.stages import clean as cleaning
from laconic.compact.stages.clean import clean
from laconic.compact.stages.dedupe import dedupe
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


def test_equal_neighbours_are_one_also_where_lines_between_them_are_gone():
    texts = ["a", "x", "a", "b", "", "", "b", "b"]
    left, made = dedupe(bytes([1, 0, 1, 1, 1, 1, 1, 1]), {}, Lines(texts))
    assert list(left) == [1, 0, 0, 1, 1, 1, 1, 0]
    assert {row: (one.text, list(one.numbers)) for row, one in made.items()} == {
        0: ("a (x2)", [1, 3]),
        6: ("b (x2)", [7, 8]),
    }


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(["a", "b1", "b2", "", " "]), st.booleans(), st.booleans()),
        max_size=40,
    ),
    st.sampled_from([{}, {0: Shown(GAP, "a", (1, 2)), 3: Shown(GAP, "b1", (4,))}]),
)
def test_neighbours_are_one_where_a_look_at_each_says_so(lines, marks):
    def changed(text):
        return text.rstrip("12")

    texts = [text for text, _, _ in lines]
    left = bytes(is_left for _, is_left, _ in lines)
    changing = bytes(changes for _, _, changes in lines)
    marks = {row: mark for row, mark in marks.items() if row < len(left) and left[row]}
    expected = dict(marks)
    found = []
    for row in (row for row, is_left in enumerate(left) if is_left):
        text = marks[row].text if row in marks else texts[row]
        text = changed(text) if changing[row] and row not in marks else text
        if found and found[-1][0] == text and text.strip():
            found[-1][1].append(row)
        else:
            found.append((text, [row]))
    for text, rows in found:
        if len(rows) > 1:
            numbers = [
                n for row in rows for n in (marks[row].numbers if row in marks else [row + 1])
            ]
            expected[rows[0]] = Shown(MADE, f"{text} (x{len(rows)})", numbers)
    now, made = dedupe(left, marks, Lines(texts), changing, changed)
    assert rows_of(now) == [rows[0] for _, rows in found]
    heads = set(rows_of(now))
    shown = {row: (made[row].text, list(made[row].numbers)) for row in made if row in heads}
    wanted = {row: (one.text, list(one.numbers)) for row, one in expected.items() if row in heads}
    assert shown == wanted
    assert all((row in made) == (row in expected) for row in heads)


def rows_of(mask):
    return [row for row, is_left in enumerate(mask) if is_left]


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(WORDS), max_size=5).map("".join), min_size=1, max_size=12),
    st.integers(1, 30),
    st.sampled_from([b"\0", b"\1", b"\0\0\0\0\1"]),
)
def test_runs_of_similar_lines_are_the_same_with_and_without_kinds(texts, times, single):
    every = [text for text in repeated(texts, 20_000) for _ in range(times)]
    mask = (single * len(every))[: len(every)]
    plain = Lines(every)
    with mock.patch.object(Lines, "numbers", return_value=None):
        expected = [*runs.forward_bounds(plain, mask)], [*runs.backward_bounds(plain, mask)]
    lines = Lines(every)
    assert ([*runs.forward_bounds(lines, mask)], [*runs.backward_bounds(lines, mask)]) == expected


@given(st.lists(st.integers(0, 3), min_size=1), st.integers(1, 3))
def test_members_of_a_class_are_the_numbers_of_its_lines(classes, own):
    members = Members(bytes(classes), own)
    expected = [number for number, found in enumerate(classes, 1) if found == own]
    assert list(members) == expected
    assert len(members) == len(expected)
    assert all((number in members) == (number in expected) for number in range(1, len(classes) + 1))
    if expected:
        assert [members[place] for place in (0, -1, len(expected) // 2)] == [
            expected[place] for place in (0, -1, len(expected) // 2)
        ]


@settings(max_examples=8, deadline=None)
@given(st.lists(st.sampled_from(["x 1", "x 2", "y 3", "z", "-"]), min_size=1, max_size=8))
def test_lines_are_grouped_by_kinds_as_by_each(texts):
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

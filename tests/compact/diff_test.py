"""Of a diff nothing is left out without a mark, whatever was changed."""

from __future__ import annotations

import difflib
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.compact.shapes.asked import Asked
from laconic.compact.shapes.diff import diff
from laconic.compact.shapes.passes import shaped
from laconic.compact.shapes.rows import text_of

WORDS = ["def load(path):", "    return path", "", "class Shelf:", "    total = 1", "import os"]
changes = st.lists(st.tuples(st.integers(0, 399), st.sampled_from(["-", "+", "x"])), max_size=60)


def rows_of(texts: list[str]):
    return diff(list(range(len(texts))), texts, Asked(0, bytes(len(texts))))


def changed(found, context: int) -> list[str]:
    """A diff of a file of 400 lines, changed at these places."""
    old = [WORDS[n % 7 % 6] + (f"  # {n}" if n % 3 else "") for n in range(400)]
    new: list[str] = []
    kinds = dict(found)
    for number, line in enumerate(old):
        kind = kinds.get(number, " ")
        new += {" ": [line], "-": [], "+": [line, f"added {number}"], "x": [f"other {number}"]}[
            kind
        ]
    return [line.rstrip("\n") for line in difflib.unified_diff(old, new, "a.py", "a.py", n=context)]


@given(changes, st.sampled_from([0, 1, 3, 10, 40]))
def test_lines_that_follow_each_other_in_what_is_shown_do_so_in_the_diff(found, context):
    texts = changed(found, context)
    rows = rows_of(texts)
    for one, other in pairwise(rows):
        if isinstance(one, int) and isinstance(other, int):
            assert other == one + 1


@given(changes, st.sampled_from([0, 3, 10]))
def test_the_lines_of_a_hunk_begin_at_the_number_that_its_head_says(found, context):
    texts = changed(found, context)
    number = 0
    begins = {}  # the number in the new file of each line of the diff
    for index, text in enumerate(texts):
        if text.startswith("@@"):
            number = int(text.split("+")[1].split(",")[0].split()[0])
        else:
            begins[index] = number
            number += text[:1] in (" ", "+", "")
    rows = rows_of(texts)
    for head, first in pairwise(rows):
        text = text_of(head, texts)
        if text.startswith("@@ +") and isinstance(first, int):
            assert int(text.split()[1]) == begins[first], text


@pytest.mark.parametrize("count", [20, 80])
def test_a_diff_that_marks_words_stays_as_it_is(count):
    body = [f" x = [-{n}-]{{+{n + 1}+}}" for n in range(count)]
    texts = ["diff --git a/x b/x", "--- a/x", "+++ b/x", f"@@ -1,{count} +1,{count} @@", *body]
    assert rows_of(texts) == list(range(len(texts)))


def test_a_diff_of_few_lines_stays_as_it_is():
    texts = changed([(10, "x"), (20, "-"), (30, "+")], 3)
    assert 20 < len(texts) < 60
    assert rows_of(texts) == list(range(len(texts)))


def test_a_line_that_is_very_long_counts():
    lines = [f" {n}" for n in range(60)]
    long = f"+{'x' * 5000}"
    texts = ["diff --git a/x b/x", "--- a/x", "+++ b/x", "@@ -1,60 +1,61 @@", *lines, long]
    rows = shaped(["diff"], list(range(len(texts))), texts, Asked(0, bytes(len(texts))))
    assert text_of(rows[0], texts) == "x +1 -0"


def test_of_a_long_line_that_is_not_changed_the_beginning_is_shown():
    around = [f" see {'the manual ' * 20}of part {n}" for n in range(2)]
    changes = [f"+{'a line of its own ' * 5}{one}{two}" for one in "abcdef" for two in "klmnopq"]
    texts = ["diff --git a/x b/x", "--- a/x", "+++ b/x", "@@ -1,2 +1,44 @@", around[0], *changes]
    rows = rows_of([*texts, around[1]])
    shown = [text_of(row, [*texts, around[1]]) for row in rows]
    assert [text for text in shown if text.startswith(" see")] == [f"{around[0][:60]}…"] * 2
    assert not [change for change in changes if change not in shown]

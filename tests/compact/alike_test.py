"""What is printed again and again, whatever the tool."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from laconic.compact.lines import Lines
from laconic.compact.masks import mask_of
from laconic.compact.result import Compacted, Written, texts_of
from laconic.compact.shapes.asked import Asked
from laconic.compact.shapes.passes import shaped

NAMES = ("rounds", "blocks")
BLOCK = ["  expected a header of the response", "  but there was none"]


def told(texts, names=NAMES, *, status=1, pinned=(), is_answer=False):
    written = Written(enumerate(texts))
    asked = Asked(status, mask_of(pinned, len(texts)), is_answer=is_answer)
    return texts_of(shaped(names, list(range(len(texts))), written, asked), written)


def test_blocks_below_other_heads_are_told_once():
    heads = [f"{n}) test {name}" for n, name in enumerate(("one", "two", "three"), 1)]
    texts = [line for head in heads for line in (head, *BLOCK)]
    said = "[the same below each of these 2]"
    assert told(["before", *texts, "after"]) == [
        "before", heads[0], *BLOCK, said, *heads[1:], "after",
    ]  # fmt: skip


def test_equal_blocks_are_counted():
    texts = ["--- FAIL: TestX", *BLOCK] * 30
    assert told(texts) == ["--- FAIL: TestX [x30, with all below]", *BLOCK]


def test_blocks_that_differ_in_a_line_stay():
    texts = [line for n in range(3) for line in (f"{n}) test", BLOCK[0], f"  but {n}")]
    assert told(texts) == texts


COMMON = [
    "  it was asked for by commander/lib/command.js",
    "  which index.js and esm.mjs load first",
    "  and which the bundle of the page begins with",
]
REPORTS = [
    ["error in node:fs", "  cannot read node:fs", *COMMON, "  3:5"],
    ["error in node:os", "  cannot read node:os", *COMMON, "  8:1"],
]


def test_of_a_block_like_another_what_differs_is_told():
    texts = ["", *REPORTS[0], "", *REPORTS[1]]
    assert told(texts, status=0)[7:] == ["", "error in node:os [as above, with 8:1 for 3:5]"]


AS_ABOVE = f"[{len(COMMON)} lines as in the block above]"


def test_after_a_failure_a_block_in_which_more_differs_than_its_head_is_told_but_for_equal_lines():
    texts = ["", *REPORTS[0], "", *REPORTS[1]]
    others = [*REPORTS[1][:2], REPORTS[1][5]]
    assert told(texts) == [*texts[:8], *others, AS_ABOVE]
    assert told(texts, pinned={10, 11, 12}) == texts
    same = [*REPORTS[1][:5], REPORTS[0][5]]
    said = ["error in node:os [as above]"]
    assert told(["", *REPORTS[0], "", *same])[7:] == ["", *said]
    said = [*same[:2], "[4 lines as in the block above]"]
    assert told(["", *REPORTS[0], "", *same], pinned={9})[7:] == ["", *said]


def test_a_block_in_which_one_word_stands_for_two_is_not_told_as_another():
    texts = ["", *REPORTS[0], "", *REPORTS[1][:5], "  3:5 8:1"]
    assert told(texts) == [*texts[:8], *REPORTS[1][:2], "  3:5 8:1", AS_ABOVE]


def test_of_a_report_that_may_be_cut_no_block_is_told_by_another():
    many = [line for n in range(900) for line in ("", f"warning {n} of those that fill it", "")]
    texts = ["", *REPORTS[0], *many, *REPORTS[1]]
    assert told(texts, ("blocks",)) == texts


def test_equal_lines_are_no_blocks():
    assert told(["INSERT 0 1 into a table"] * 50) == ["INSERT 0 1 into a table"] * 50


def test_each_line_of_a_listing_is_an_answer():
    texts = ["a", *BLOCK] * 30
    assert told(texts, is_answer=True) == texts


def test_the_words_of_a_list_stand_in_one_line():
    names = ["click", "flask", "jinja2", "rich"]
    texts = ["installed:", *(f" + {name}" for name in names), "done"]
    assert told(texts, ("items",), status=0) == ["installed:", f" + {' '.join(names)}", "done"]
    texts = [f"lib/view.js -> {name}" for name in names]
    assert told(texts, ("items",), is_answer=True) == [f"lib/view.js -> {' '.join(names)}"]


def test_of_what_a_failure_lists_the_names_are_enough():
    texts = [f" * WITH_{n}X, this feature is on" for n in range(12)]
    names = " ".join(f"WITH_{n}X" for n in range(12))
    assert told(texts, ("items",)) == [f" * {names} [names only]"]
    assert told(texts, ("items",), status=0) == texts
    assert told(texts, ("items",), pinned={5}) == texts


LINES = st.lists(st.sampled_from(["head a", "head b", *BLOCK, "", "." * 30]), max_size=40)


@given(LINES)
def test_every_line_is_shown_or_counted_as_hidden(texts):
    written = Written(enumerate(texts))
    rows = shaped(NAMES, list(range(len(texts))), written, Asked(1, bytes(len(texts))))
    compacted = Compacted("generic", Lines(texts or [""]), rows, written)
    told_numbers = {n for row in compacted.shown if row.kind != "made" for n in row.numbers}
    hidden = {n for first, last in compacted.dropped for n in range(first, last + 1)}
    assert not told_numbers & hidden
    assert told_numbers | hidden >= set(range(1, len(texts) + 1))
    words = set(" ".join(row.text for row in compacted.shown).split())
    lines = [texts[n - 1] for n in told_numbers]
    assert {word for line in lines for word in line.split()} <= words

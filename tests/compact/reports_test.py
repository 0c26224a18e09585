"""The report of a test run has shapes also where other outputs are too large for them."""

from __future__ import annotations

from laconic.compact.generic import compact_generic
from laconic.compact.lines import read_lines
from laconic.compact.pipeline import compact
from laconic.compact.reports import may_be_shaped
from laconic.compact.shapes.passes import MOST_SHAPED
from laconic.compact.tokens import estimate
from outputs import FOUND

FAILED = (4_000, 4_500)


def of_jest(count: int) -> str:
    marks = "".join(
        f"    {'✕' if n in FAILED else '✓'} finds the article {n} (1 ms)\n" for n in range(count)
    )
    failures = "".join(
        f"  \u25cf catalogue \u203a finds the article {n}\n\n"
        "    expect(received).toBe(expected) // Object.is equality\n\n"
        f"    Expected: {n}\n    Received: undefined\n\n"
        "      at Object.toBe (test/catalogue.test.js:5:20)\n\n"
        for n in FAILED
    )
    return (
        f"FAIL test/catalogue.test.js\n  catalogue\n{marks}\n{failures}"
        "Test Suites: 1 failed, 1 total\n"
        f"Tests:       2 failed, {count - 2} passed, {count} total\n"
    )


def test_of_a_large_report_the_failures_are_shown_and_little_else():
    raw = of_jest(9_000)
    assert len(raw) > MOST_SHAPED
    compacted = compact_generic(read_lines(raw.encode()), 1)
    text = compacted.text()
    assert estimate(text) < 200
    assert all(f"article {n}" in text for n in FAILED)
    assert "finds the article 17 " not in text
    assert compacted.hidden > 8_900


def test_a_filter_drops_lines_everywhere_in_a_large_report():
    raw = of_jest(9_000)
    text = compact(FOUND.load("jest"), 1, read_lines(raw.encode())).text()
    assert "✓" not in text
    assert estimate(text) < 200
    assert "(test/catalogue.test.js:5:20)" in text
    assert all(f"finds the article {n} " in text for n in FAILED)


def test_an_output_without_totals_and_one_of_many_megabytes_have_no_shape():
    lines = "".join(f"line {n} says something of the article {n}\n" for n in range(9_000))
    assert not may_be_shaped(read_lines(lines.encode()))
    assert may_be_shaped(read_lines(f"{lines}17 examples, 0 failures\n".encode()))
    assert not may_be_shaped(read_lines(f"{lines * 6}17 examples, 0 failures\n".encode()))
    short = "ok 12\n" * 60_000
    assert not may_be_shaped(read_lines(f"{short}17 examples, 0 failures\n".encode()))


def test_what_is_left_of_a_large_report_must_be_small():
    """A test run among much else is shown as other large outputs are."""
    lines = "".join(f"line {n} says something of the article {n}\n" for n in range(9_000))
    raw = f"{lines}{of_jest(5_000)}"
    assert may_be_shaped(read_lines(raw.encode()))
    text = compact_generic(read_lines(raw.encode()), 1).text()
    assert "Tests:       2 failed" in text
    assert all(f"finds the article {n}" in text for n in FAILED)

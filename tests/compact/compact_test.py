"""What filters show of real outputs, and what holds for every filter and any output."""

from __future__ import annotations

import json
import os
import random
import re
from contextlib import contextmanager
from functools import cache, partial

import pytest
from bench.compaction_report import readable
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import reference_compactor
from independent_diagnostics import hidden_alarms, is_alarm, texts_shown, words_shown
from laconic.compact import lines as line_source
from laconic.compact import masks
from laconic.compact.diagnostics import diagnostics, is_diagnostic
from laconic.compact.filter import Filter
from laconic.compact.generic import compact_generic, failures, mistakes, summary
from laconic.compact.lines import ERR, Lines, read_lines, read_streams
from laconic.compact.notice import notice
from laconic.compact.patterns import Pattern, Patterns
from laconic.compact.pipeline import apply, compact
from laconic.compact.result import GAP, MADE, SHORT, WHOLE
from laconic.compact.result import RAW as RAW_LINE
from laconic.compact.stages.clean import clean
from laconic.compact.stages.drop import from_ends
from laconic.compact.stages.limit import MOST_PINNED, ends_of, limit, window
from laconic.compact.tokens import estimate, estimate_lines
from laconic.run.spool import new_id, open_spool
from laconic.run.window import look_through
from outputs import FOUND, RAW, arguments, cases, for_each

CASES = cases()
FILTERS = [found for each in FOUND.ids if (found := FOUND.load(each)) and not found.is_row]
LOG_LINES = [f"{n} is done, and the next of many begins" for n in range(40)]
EXAMPLES = [
    pytest.param(wanted, example, id=f"{wanted.id}-{number}")
    for wanted in FILTERS
    for number, example in enumerate(wanted.table["example"], 1)
]


@cache  # two tests look at what is shown of each recorded output
def shown(wanted: Filter | None, status: int, raw: bytes) -> str:
    """The text that an agent reads: the result and its notice, or the mark for raw output."""
    compacted = compact(wanted, status, read_lines(raw)) if wanted else None
    if compacted is None:
        return RAW
    line = notice(compacted, "ID")
    return compacted.text() + (f"{line}\n" if line else "")


# -- cases and examples --------------------------------------------------------------------------


@for_each(CASES)
def test_a_recorded_output_is_shown_like_this(case, request):
    got = shown(case.filter, case.status, case.raw).encode("utf-8", "surrogateescape")
    expected = case.path.with_suffix(".out")
    if request.config.getoption("--update-cases"):
        expected.write_bytes(got)
    assert expected.exists(), f"{expected.name} is missing: --update-cases writes it, then read it"
    assert got.decode("utf-8", "replace") == expected.read_bytes().decode("utf-8", "replace")


@for_each(CASES)
def test_what_must_be_kept_of_a_recorded_output_is_shown(case):
    text = shown(case.filter, case.status, case.raw)
    if text == RAW:
        text = "\n".join(clean(read_lines(case.raw)).texts)
    written_out = readable(text)
    assert [fact for fact in case.keep if fact not in text and fact not in written_out] == []


@pytest.mark.parametrize(("wanted", "example"), EXAMPLES)
def test_an_example_is_what_the_stages_give(wanted, example):
    compacted = apply(wanted, example["status"], read_lines(example["input"].encode()))
    assert (compacted.text() if compacted else example["input"]) == example["output"]
    assert FOUND.filters.find(arguments(example["command"])) is not None


@pytest.mark.parametrize("wanted", FILTERS, ids=lambda wanted: wanted.id)
def test_every_filter_has_an_example_of_a_success_and_of_a_failure(wanted):
    statuses = {example["status"] == 0 for example in wanted.table["example"]}
    assert statuses == {True, False}


@pytest.mark.parametrize("wanted", FILTERS, ids=lambda wanted: wanted.id)
def test_every_filter_has_recorded_outputs_of_a_success_and_of_a_failure(wanted):
    statuses = {case.status == 0 for case in CASES if case.id.rpartition("/")[0] == wanted.id}
    assert statuses == {True, False}


# -- what holds for all of them ------------------------------------------------------------------


CERTAIN = ["error: it failed", "src/main.rs:3:5: wrong"]
HIDDEN = (
    "these lines look like mistakes. If they are, compact/diagnostics.py must know them; if not, "
    "tests/independent_diagnostics.py may have them in HARMLESS or SPARED"
)


def check(wanted: Filter, status: int, raw: bytes, *, is_recorded: bool = False) -> None:
    lines = read_lines(raw)
    compacted = compact(wanted, status, lines)
    if compacted is None:
        return
    cleaned = clean(lines, is_text=wanted.kind == "text").texts
    check_parts(compacted, cleaned)
    check_words(wanted, compacted, cleaned)
    if status != 0:
        check_failure(compacted, cleaned)
        assert not is_recorded or hidden_alarms(compacted, cleaned) == [], HIDDEN
    text = compacted.text() + notice(compacted)
    assert estimate(text) < estimate(lines.text), "it must cost less than raw"
    again = compact(wanted, status, read_lines(text.encode("utf-8", "surrogateescape")))
    assert again is None or again.text() == text


def check_parts(compacted, cleaned: list[str]) -> None:
    """Every raw line is shown or dropped, and no line is shown that is none of the five kinds."""
    told = [row for row in compacted.shown if row.kind in (RAW_LINE, SHORT, WHOLE)]
    seen = {number for row in told for number in row.numbers}
    dropped = {n for first, last in compacted.dropped for n in range(first, last + 1)}
    assert seen | dropped == set(range(1, len(cleaned) + 1))
    assert not seen & dropped
    words = words_shown(compacted)
    for row in compacted.shown:
        sources = [cleaned[number - 1] for number in row.numbers]
        if row.kind == RAW_LINE:
            assert sources == [row.text]
        elif row.kind == SHORT:
            assert sources
            said = re.sub(r" \[[^\[\]]*\]$", "", row.text)  # how many others are hidden
            assert len(said) < sum(map(len, sources))
        elif row.kind == WHOLE:
            missing = {word for text in sources for word in WORD.findall(text)} - words
            assert not missing, f"{row} has not all of its lines"
        elif row.kind == GAP:
            assert row.text.startswith(f"[... {len(sources)} line")
            assert not seen.intersection(row.numbers)
        else:
            assert row.kind == MADE
            assert sources


def check_words(wanted: Filter, compacted, cleaned: list[str]) -> None:
    """Every word is of the output or the filter's templates, or a count, or in brackets."""
    written = set(WORD.findall(json.dumps(wanted.table, ensure_ascii=False)))
    source = "\n".join(cleaned)
    for row in compacted.shown:
        if row.kind in (SHORT, MADE, WHOLE):
            text = re.sub(r" \[\.\.\. \d+ characters hidden\] | \(x\d+\)$", " ", row.text)
            text = re.sub(r"\[[^\[\]]*\]", " ", text)
            for word in WORD.findall(text):
                is_count = re.fullmatch(r"x?\d+", word) or word == "FAILED"
                assert is_count or word in source or word in written, row


WORD = re.compile(r"\w+")


def check_failure(compacted, cleaned: list[str]) -> None:
    words = words_shown(compacted)
    for text in cleaned:
        if text in CERTAIN:
            assert set(WORD.findall(text)) <= words, f"hidden: {text!r}"


@for_each(CASES)
def test_the_promises_hold_for_recorded_outputs(case):
    for wanted in [case.filter] if case.filter else FILTERS:
        for status in {case.status, 0, 1}:
            is_recorded = case.filter is not None and status == case.status
            check(wanted, status, case.raw, is_recorded=is_recorded)


@for_each(CASES)
def test_no_alarm_is_hidden_without_a_filter(case):
    lines = read_lines(case.raw)
    for view in (compact_generic, mistakes, failures, summary):
        compacted = view(lines)
        if compacted is None:
            continue
        check_parts(compacted, clean(lines).texts)
        check_failure(compacted, clean(lines).texts)
        assert hidden_alarms(compacted, clean(lines).texts) == [], f"{view.__name__}(): {HIDDEN}"


def test_the_alarms_of_the_tests_are_more_than_the_diagnostics_of_the_code():
    texts = {text for case in CASES for text in clean(read_lines(case.raw)).texts}
    found = {text for text in texts if is_diagnostic(text)}
    assert len(found) > 500
    assert [text for text in found if not is_alarm(text)] == []
    assert len([text for text in texts if is_alarm(text)]) > len(found)


def test_what_a_command_sums_up_in_the_middle_is_shown():
    said = "0 upgraded, 300 newly installed, 0 to remove and 120 not upgraded."
    made = random.Random(1)
    words = ["".join(made.choices("abcdefgh", k=made.randint(3, 9))) for _ in range(3000)]
    texts = [" ".join(words[n : n + made.randint(3, 9)]) for n in range(0, 3000, 9)]
    raw = "\n".join([*texts[:170], said, *texts[170:], ""]).encode()
    found = compact_generic(read_lines(raw), 0)
    assert said in found.text().splitlines()
    assert found.hidden > 100


def test_scattered_mistakes_and_the_marks_between_them_cost_no_more_than_the_bound():
    harmless = "".join(f"step {n} went well\n" for n in range(15))
    raw = "".join(f"{harmless}error: part {n} is broken\n" for n in range(9000)).encode()
    found = compact(Filter("x", {"command": ["x"]}), 1, read_lines(raw))
    assert MOST_PINNED / 2 < estimate(found.text()) < 1.3 * MOST_PINNED


def pieces(wanted: Filter) -> st.SearchStrategy[str]:
    """Lines that a filter may meet: those of its examples, changed, and any others."""
    known = [line for example in wanted.table["example"] for line in example["input"].split("\n")]
    common = [
        "",
        *CERTAIN,
        "x" * 1500,
        "a\rb\rc",
        "\x1b[31mred",
    ]
    return st.one_of(
        st.sampled_from(known),
        st.sampled_from(known + common).map(lambda line: line[: len(line) // 2]),
        st.sampled_from(common),
        st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=40),
    )


@pytest.mark.parametrize("wanted", FILTERS, ids=lambda wanted: wanted.id)
def test_the_promises_hold_for_any_output(wanted):
    # with fewer lines most outputs would be shown as they are
    @given(st.lists(pieces(wanted), min_size=20, max_size=60), st.sampled_from([0, 1, 2, 101]))
    @settings(max_examples=4, deadline=None)
    def holds(texts, status):
        check(wanted, status, "\n".join(texts).encode())

    holds()


@given(st.binary(max_size=400))
def test_any_bytes_are_read_and_given_back(raw):
    lines = read_lines(raw)
    back = "\n".join(lines.texts).encode("utf-8", "surrogateescape")
    assert back == raw.removesuffix(b"\n")
    assert [line.number for line in lines] == list(range(1, len(lines) + 1))


def test_streams_that_were_read_apart_stay_apart():
    lines = read_streams(b"a\nb\n", b"warning\n" * 30)
    assert [line.stream for line in lines] == ["out", "out", *["err"] * 30]
    wanted = Filter("x", {"command": ["x"], "shape": ["repeats"]})
    compacted = compact(wanted, 0, lines)
    assert compacted.text("out") == "a\nb\n"
    assert compacted.text(ERR) == "warning [x30]\n"


def test_empty_output_stays_empty():
    for wanted in FILTERS:
        assert compact(wanted, 0, read_lines(b"")) is None
        assert compact(wanted, 1, read_lines(b"\n\n")) is None


# -- diagnostics ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "error[E0308]: mismatched types",
        "  --> src/lib.rs:75:42",
        "TypeError: x is not a function",
        "FAILED tests/test_bad.py::test_sum",
        "Makefile:12: *** missing separator.  Stop.",
        "main.ts(3,7): TS2322",
        '  File "x.py", line 3, in <module>',
        "configure:2310: gcc is old",
        "3 errors, 0 warnings",
        "0 errors, 1 failed",
        "not ok 3 - adds",
        "bash: foo: command not found",
        "✗ renders",
        "thread 'main' panicked at 'boom'",
        "tests: 0 failed, 1 error",
        "Installing failed",
        "test error_path ... FAILED",
        "Test timeout of 5000ms exceeded.",
        "script.sh: line 3: 1234 Segmentation fault      ./a.out",
        "runtime: out of memory: cannot allocate",
        "Killed",
        "npm ERR! code ELIFECYCLE",
        "git: unrecognized argument: --x",
        "tee: x: No space left on device",
        "WARNING: DATA RACE",
        "#1 WARN: JSONArgsRecommended: JSON arguments recommended for CMD (line 12)",
        '  on main.tf line 10, in resource "terraform_data" "bad":',
        "no database at t/store.t line 3.",
        "no database at /app/store.pl line 3, <STDIN> line 1.",
        '\tStore::open("x", {}) called at lib/Store.pm line 12',
        "src/errors.rs:3:5: note",
        "requests.exceptions.ConnectionError: it is gone",
        "TypeError/ValueError raised",
        "error-1.2.3 failed",
        "pkg.Error",
        'File "/a/errors.py", line 3, in <module>',
        "GET https://example.org/?error=expired",
    ],
)
def test_a_line_that_says_what_is_wrong_is_a_diagnostic(text):
    assert is_diagnostic(text)
    assert diagnostics(["", text, "x"]) == {1}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Compiling thiserror v1.0.50",
        "test tests::error_path ... ok",
        "0 errors, 0 warnings",
        "test result: ok. 3 passed; 0 failed",
        "tests/test_errors.py::test_fails PASSED   [ 10%]",
        "12:30:45 started",
        "all is well",
        "Downloading from central: https://example.org/guava/failureaccess/1.0.1/failureaccess-1.0.1.pom",
        "[INFO] +- com.google.guava:failureaccess:jar:1.0.1:compile",
        "Auto-merging src/attr/exceptions.py",
        "-- Installing: /usr/lib/cmake/errors.cmake",
        "plugins: timeout-2.4.0, cov-7.1.0",
        "Successfully installed exceptiongroup-1.2.0 rich-13.0",
        "├── error-ex@1.3.2",
        "0 failures in errors.py",
        "In deploy.sh line 3:",
        "Collecting idna<4 (from requests->-r requirements.txt (line 1))",
        "    at /rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/a.rs:80:14",
    ],
)
def test_a_line_that_only_sounds_like_it_is_none(text):
    assert not is_diagnostic(text)
    assert diagnostics(["", text, "x"]) == set()


PIECES = [
    "error", "fail", "FAILED", "0 errors", "no failures", "errors: 0", "10 failed", "x.py", ":3:",
    ":", " ", "  at ", "node_modules/", "/a.js:1:2", "test ", " ... ok", " PASSED", "a::b", "ok ",
    "✓ ", "✗", "\u00d7", "Compiling ", "v1.2", "12", "é", "\udcff", "\x85", "not ok ", "(3,7)",
    "src/errors.py", "https://x/fail", "error-1.2.3", "a/b/fail/", "~/error", "==1.0", "@1.2",
    "(line 3)", ")", "timeout", ".tf line ", ".pl line 3", "de", "nied", "core d", "umped",
]  # fmt: skip


def some_texts(pieces: list[str], letters: str) -> st.SearchStrategy[list[str]]:
    """Lines of pieces and of letters, many of them equal to others."""
    text = st.one_of(
        st.lists(st.sampled_from(pieces), max_size=5).map("".join), st.text(letters, max_size=12)
    )
    return st.lists(text, max_size=8).flatmap(
        lambda texts: st.lists(st.sampled_from(texts or [""]), max_size=40)
    )


CHUNKS = st.sampled_from([1, 7, 40, 1 << 14])


@contextmanager
def chunks_of(size: int):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_source, "_CHUNK", size)
        yield


@given(some_texts(PIECES, "eErRoO0:.1 fFaAiIlLİß\u2028"), CHUNKS)
@example(["0 errors==1.0error"], 1)  # a count of zero, or a package with its version
@settings(max_examples=300, deadline=None)
def test_the_search_over_all_lines_finds_what_a_plain_test_of_each_finds(texts, chunk):
    expected = {pos for pos, text in enumerate(texts) if reference_compactor.is_diagnostic(text)}
    with chunks_of(chunk):
        assert diagnostics(texts) == expected
    assert {pos for pos, text in enumerate(texts) if is_diagnostic(text)} == expected


def test_the_search_finds_what_a_plain_test_finds_in_recorded_outputs():
    for case in CASES:
        texts = list(clean(read_lines(case.raw)).texts)
        assert diagnostics(texts) == {
            p for p, t in enumerate(texts) if reference_compactor.is_diagnostic(t)
        }


def test_of_very_many_diagnostics_none_is_missed_and_those_at_the_ends_are_certain():
    errors, fine = [f"error {n}: wrong" for n in range(9000)], ["test error_path ... ok"] * 300
    texts = [*fine, *errors, *fine, *errors, *fine]
    found = diagnostics(texts)
    certain = {pos for pos, text in enumerate(texts) if reference_compactor.is_diagnostic(text)}
    assert certain <= found
    assert not found & {*range(300), *range(len(texts) - 300, len(texts))}


def test_a_count_of_zero_is_told_from_others_wherever_lines_repeat_themselves():
    kinds = ["{} errors in {} files", "error {}: wrong", "test error_{} ... ok", "errors: {}, {}"]
    texts = [kinds[n % 4].format(n // 4 % 7 % 3, n) for n in range(2000)]
    certain = {pos for pos, text in enumerate(texts) if reference_compactor.is_diagnostic(text)}
    assert diagnostics(texts) == certain
    assert {pos % 4 for pos in certain} == {0, 1, 3}
    assert {pos % 4 for pos in diagnostics(texts * 20)} == {0, 1, 3}


ESCAPES = [
    "\x1b[31m", "\x1b[0m", "\x1b[1;32m", "\x1b[2K", "\x1b]0;title\x07", "\x1b]8;;", "\x1b\\",
    "\x07", "\x1b", "[0m", "\r", "\r", " ", "red", "error: x", "10%", "\x1bM", "\x1b[", "\xa0",
    "\x1b(B", "\x1b(", "B",
]  # fmt: skip


@given(some_texts(ESCAPES, "\r\x1b[m1 \x07"), CHUNKS, st.booleans())
@settings(max_examples=300, deadline=None)
def test_all_lines_are_cleaned_as_each_would_be_alone(texts, chunk, is_text):
    expected = [reference_compactor.clean(text, is_text=is_text) for text in texts]
    with chunks_of(chunk):
        assert list(clean(Lines(texts), is_text=is_text).texts) == expected


@given(st.lists(st.sampled_from(["\x1b", "[31", "m", "[0m", "\0", "\x1b[1m"]), max_size=6))
def test_many_colours_are_taken_off_and_make_no_escape_of_what_is_around_them(pieces):
    text = "\x1b[31m\x1b[0m".join(pieces) + "\x1b[31m" * 9
    assert list(clean(Lines([text])).texts) == [reference_compactor.clean(text, is_text=False)]


@given(st.lists(st.sampled_from(["red", "\x1b[31m", "\x1b[0m", " ", "(B", "é"]), max_size=9))
def test_selections_of_a_set_of_characters_are_taken_off_like_colours(pieces):
    selected = "\x1b(B".join(["", *pieces, ""])
    assert list(clean(Lines([selected])).texts) == [
        reference_compactor.clean("".join(pieces), is_text=False)
    ]


# -- lines and sets of lines ---------------------------------------------------------------------


@given(st.lists(st.text("ab\r é", max_size=9), max_size=40), CHUNKS)
def test_lines_are_the_same_one_by_one_and_in_chunks(texts, chunk):
    with chunks_of(chunk):
        for lines in (Lines(texts), read_lines("".join(f"{text}\n" for text in texts).encode())):
            assert list(lines.texts) == [lines.texts[pos] for pos in range(len(lines))] == texts
            assert len(lines) == len(lines.texts) == len(texts)
            assert lines.text == "\n".join(texts)
            assert lines.size == len(lines.text)
            assert lines.at(range(0, len(texts), 3)) == dict(list(enumerate(texts))[::3])


@given(
    st.lists(st.text("ab\r é", max_size=9), min_size=9, max_size=60),
    CHUNKS,
    st.lists(st.sets(st.integers(0, 59), max_size=5), max_size=4),
)
def test_some_lines_are_found_as_often_as_they_are_asked_for(texts, chunk, asked):
    with chunks_of(chunk):
        lines = Lines(texts)
        for wanted in asked:
            there = sorted(pos for pos in wanted if pos < len(texts))
            assert list(lines.at(there).items()) == [(pos, texts[pos]) for pos in there]


MASKS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60)


@given(MASKS, st.integers(0, 3))
def test_masks_are_sets_of_lines(pairs, context):
    one, other = (bytes(column) for column in zip(*pairs, strict=True))
    a, b = set(masks.indexes(one)), set(masks.indexes(other))
    assert set(masks.indexes(masks.union(one, other))) == a | b
    assert set(masks.indexes(masks.both(one, other))) == a & b
    assert set(masks.indexes(masks.without(one, other))) == a - b
    assert list(masks.backwards(one)) == sorted(a, reverse=True)
    near = {pos + step for pos in a for step in range(-context, context + 1)}
    assert set(masks.indexes(masks.widened(one, context))) == near & set(range(len(pairs)))
    assert masks.mask_of(a, len(one)) == one


@given(MASKS, st.integers(4, 40), st.sampled_from([0.3, 0.5, 0.9]))
def test_a_window_over_a_mask_is_that_over_its_rows(pairs, budget, share):
    left, pinned = (bytes(column) for column in zip(*pairs, strict=True))
    pinned = masks.both(left, pinned)
    rows = masks.indexes(left)
    head, tail = int(budget // 2 * share) + 1, int(budget // 2 * (1 - share)) + 1
    got = window(left, {}, budget, share, pinned)
    assert list(map(repr, got)) == list(map(repr, limit(rows, head, tail, pinned)))


@given(
    st.lists(st.booleans(), min_size=1, max_size=90).map(bytes),
    st.sets(st.integers(0, 89), max_size=3),
    st.integers(1, 3),
    st.integers(2, 20),
    st.sampled_from([0.3, 0.5, 0.9]),
)
@example(b"\1" * 6 + b"\0" * 2 + b"\1" * 60, {5}, 1, 4, 0.5)
@example(b"\1" * 60 + b"\0" * 2 + b"\1" * 6, {62}, 1, 4, 0.5)
def test_a_window_is_the_same_over_what_stays_and_over_what_stays_at_the_ends(
    stays, pins, size, budget, share
):
    pinned = masks.mask_of((pos for pos in pins if pos < len(stays)), len(stays))
    left = masks.union(stays, pinned)
    got = from_ends(
        lambda chunks: left[chunks.start * size : chunks.stop * size],
        -(-len(left) // size),
        pinned,
        *ends_of(budget, share),
    )
    rows, expected = (window(mask, {}, budget, share, pinned) for mask in (got, left))
    assert list(map(repr, rows)) == list(map(repr, expected))


def test_what_stays_is_looked_for_at_the_ends_only_of_a_middle_that_is_only_counted():
    asked: list[int] = []

    def stay(chunks: range) -> bytes:
        asked.extend(chunks)
        return b"\1" * len(chunks)

    from_ends(stay, 1000, bytes(1000), 20, 10)
    assert len(asked) < 100
    asked.clear()
    from_ends(stay, 1000, masks.mask_of([500], 1000), 20, 10)
    assert sorted(asked) == list(range(1000))


# -- errors without end --------------------------------------------------------------------------

ERRORS = [f"src/mod_{n}.py:{n}: error: wrong number {n}" for n in range(9000)]
SHOWN_BOUND = 20_000  # tokens


def test_a_test_run_that_ends_well_shows_what_failed_in_it():
    """As a script does that looks at no exit status."""
    lines = lines_of(*(f"PASS: check_{n}" for n in range(60)), "FAIL: check_60 (got 4)", *LOG_LINES)
    assert "FAIL: check_60 (got 4)" in failures(lines).text()


@pytest.mark.parametrize("before", [[], ["all is well"] * 50, ["", *LOG_LINES]])
@pytest.mark.parametrize(
    "compacted_by",
    [
        compact_generic, mistakes, summary, failures,
        partial(compact, Filter("x", {"command": ["x"]}), 1),
        partial(compact, Filter("x", {"command": ["x"], "must_keep": ["error"],
                                      "success": {"requires": ["."], "show": "ok"}}), 0),
    ],
    ids=["generic", "err", "summary", "test", "filter", "show"],
)  # fmt: skip
def test_of_errors_without_end_the_first_and_last_are_shown_and_the_others_counted(
    compacted_by, before
):
    texts = [*before, *ERRORS, *before, "end"]
    compacted = compacted_by(Lines(texts))
    check_parts(compacted, texts)
    assert compacted.tokens < SHOWN_BOUND
    got = texts_shown(compacted)
    assert {ERRORS[0], ERRORS[150], ERRORS[-1], ERRORS[-50]} <= got
    counts = re.findall(r"lines hidden, (\d+) of them with errors", compacted.text())
    assert len(counts) == 1
    assert int(counts[0]) + sum(text in got for text in ERRORS) == len(ERRORS)


def test_in_an_output_too_large_to_be_held_the_errors_that_are_not_shown_are_counted(tmp_path):
    spool = open_spool(str(tmp_path), new_id(), ["both"], "x", {})
    texts = ["begin", *ERRORS, *["all is well here"] * 400_000, *ERRORS[:300], "end"]
    os.write(spool.handles["both"], "".join(f"{text}\n" for text in texts).encode())
    found = look_through(spool, "both")
    shown = found.text.splitlines()
    errors = [text for text in shown if text in set(ERRORS)]
    marks = [text for text in shown if text.startswith("[... ")]
    assert errors[0] == ERRORS[0]
    assert errors[-1] == ERRORS[299]
    assert found.total == len(texts)
    assert sum(int(mark.split()[1]) for mark in marks) == found.hidden
    assert found.hidden == found.total - (len(shown) - len(marks))
    counts = re.findall(r"hidden, (\d+) of them with errors", found.text)
    assert [int(count) for count in counts] == [len(ERRORS) + 300 - len(errors)]


def test_the_same_error_without_end_is_shown_once():
    texts = [*LOG_LINES * 20, *["error: the same"] * 50_000, *LOG_LINES * 20]
    assert "error: the same (x50000)" in [row.text for row in compact_generic(Lines(texts)).shown]


@pytest.mark.parametrize("view", [compact_generic, mistakes, summary, failures])
def test_of_errors_that_repeat_without_end_each_line_is_shown_or_counted(view):
    texts = [text for text in ERRORS for _ in range(3)]
    numbers = [number for row in view(Lines(texts)).shown for number in row.numbers]
    assert numbers == list(range(1, len(texts) + 1))


@pytest.mark.parametrize(
    ("pinned", "expected"),
    [
        ([], ["0", "1", "[... 6 lines hidden]", "8", "9"]),
        ([4], ["0", "1", "2", "3", "4", "[... 3 lines hidden]", "8", "9"]),
        ([2, 7], ["0", "1", "2", "[... 4 lines hidden]", "7", "8", "9"]),
        ([5], ["0", "1", "[... 3 lines hidden]", "5", "6", "7", "8", "9"]),
    ],
)
def test_a_mark_stands_for_three_lines_or_more(pinned, expected):
    rows = limit(list(range(10)), 2, 2, masks.mask_of(pinned, 10))
    assert [str(row) if isinstance(row, int) else row.text for row in rows] == expected


def test_the_lines_of_a_filter_without_a_budget_are_all_shown():
    wanted = Filter("x", {"command": ["x"], "kind": "text", "budget": 0, "drop": ["^drop"]})
    compacted = compact(wanted, 1, Lines([*["drop this line, it is long"] * 9000, *ERRORS]))
    assert compacted.text().splitlines() == ERRORS


@for_each(CASES)
def test_the_estimate_for_lines_is_that_for_their_text(case):
    lines = read_lines(case.raw * 20)
    assert estimate_lines(lines) == pytest.approx(estimate(lines.text), rel=0.1, abs=1)


# -- patterns ------------------------------------------------------------------------------------

SOURCES = [
    "^ab", "^ab?c", "b|^a", "^[a^]|b", "^[]|]a", "^(?:a|b)c", "(?i)^AB", "(?i)c$", "^a+b",
    "^ab{0,2}",
    r"^a\.b", r"\.b", "^$", "c", "^(a)|(b)", r"^\s*c", "abc", "^a*b", "", "x*", "$", "(?:^|b)a",
    r"^[^a]*$", "[^]a]+$", "[^-a]", r"^\W+$", r"\D\D", r"[\s.]b", r"^[\W]*$", "a(?!.*b)",
    "(?<![a])b", r"^(?=[^.]*\.)", r"\bc", r"\Bc", r"c\Z", r"^(?P<x>a)(?:\s(b))?", r"(?i:^A)b",
    r"(?<=\s)c", "(?s:a.)", "^^a", r"^\t-|[\t-b]", "a\n|b", "^(a|b)|^(c)", "(?i)(A)|(B)",
    r"a\(|\[a", r"[\]a]|[|]", r"^\B$", "bc$", "^a b$", "^a-", "  $", "^a$", "aa", "^aa",
]  # fmt: skip


PATTERNS = {source: Pattern(source) for source in SOURCES}


@given(
    st.lists(st.sampled_from(SOURCES), min_size=1, max_size=4),
    st.lists(st.text("abcABC.]| \t\x85([-", max_size=4), max_size=40),
    st.sampled_from([1, 7, 1 << 14]),
)
@settings(deadline=None)
def test_patterns_find_in_many_lines_what_a_plain_search_finds_in_each(sources, texts, chunk):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_source, "_CHUNK", chunk)
        lines = Lines(texts)
        for source, pattern in PATTERNS.items():
            found = [(p, m.groups()) for p, t in enumerate(texts) if (m := re.search(source, t))]
            assert list(pattern.captures(lines)) == found, source
            assert pattern.hits(lines) == [pos for pos, _ in found], source
        expected = [p for p, text in enumerate(texts) if any(re.search(s, text) for s in sources)]
        assert Patterns(sources).hits(lines) == expected
        assert [p for p, text in enumerate(texts) if Patterns(sources).matches(text)] == expected


# -- what filters have hidden elsewhere, and ours must not ---------------------------------------


def case_named(name: str):
    return next(case for case in CASES if case.id == name)


def lines_shown(name: str) -> list[str]:
    case = case_named(name)
    got = shown(case.filter, case.status, case.raw)
    return (case.raw.decode() if got == RAW else got).splitlines()


def test_every_commit_of_a_log_is_shown_with_its_subject():
    raw = case_named("git/log/plain").raw.decode()
    text = "\n".join(lines_shown("git/log/plain"))
    hashes = re.findall(r"^commit (\w{8})", raw, re.MULTILINE)
    subjects = re.findall(r"^Date:.*\n\n    (.*)", raw, re.MULTILINE)
    assert len(hashes) == len(subjects) == 33
    assert re.findall(r"^([0-9a-f]{8}) ", text, re.MULTILINE) == hashes
    assert all(subject in text for subject in subjects)
    assert text.count("[merge of ") == raw.count("\nMerge: ") == 1


@pytest.mark.parametrize("name", ["format", "graph", "oneline"])
def test_a_log_with_a_form_of_its_own_is_shown_whole(name):
    case = case_named(f"git/log/{name}")
    assert shown(case.filter, case.status, case.raw) == RAW


def test_a_diff_shows_each_changed_line_but_those_of_lock_files():
    raw = case_named("git/diff/unstaged").raw.decode()
    got = lines_shown("git/diff/unstaged")
    for part in raw.split("diff --git a/")[1:]:
        name, _, source = part.partition(" ")
        lines = source.splitlines()[1:]
        changed = [line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---")]
        added = sum(line.startswith("+") for line in changed)
        head = f"{name} +{added} -{len(changed) - added}"
        if name.endswith((".lock", "-lock.json")):
            assert any(line.startswith(f"{head} [") for line in got)
        else:
            assert head in got
            assert all(line in got for line in changed)


BLANKS = [*("a" * 400, "@@ -1,4 +1,5 @@", " x", " ", " ", "-y\r", "+y"), *(" ", "", "", " z")]
BLANKS += ["noise"] * 99


def test_blank_lines_and_line_ends_of_a_text_stay_as_they_are():
    wanted = Filter("x", {"command": ["x"], "kind": "text", "drop": ["^noise$", "^a"]})
    assert compact(wanted, 0, Lines(BLANKS)).text().split("\n")[:-1] == BLANKS[1:-99]
    wanted = Filter("x", {"command": ["x"], "kind": "summary", "drop": ["^noise$", "^a"]})
    expected = ["@@ -1,4 +1,5 @@", " x", " ", "-y", "+y", "", " z"]
    assert compact(wanted, 0, Lines(BLANKS)).text().split("\n")[:-1] == expected


def test_blank_lines_of_a_section_stay_as_they_are():
    section = {"start": "^@@", "end": "^noise"}
    wanted = Filter("x", {"command": ["x"], "drop": ["^a"], "keep": ["^a"], "section": [section]})
    got = compact(wanted, 0, Lines(BLANKS)).text().split("\n")[:-1]
    assert got == [text.rstrip("\r") for text in BLANKS[1:-99]]


def test_a_few_tokens_are_not_worth_a_name():
    wanted = Filter("x", {"command": ["x"], "drop": ["^ok"]})
    assert compact(wanted, 0, Lines(["ok  \tpackage/name\t0.1s"] * 3 + ["end"])) is None
    assert compact(wanted, 0, Lines(["ok  \tpackage/name\t0.1s"] * 9 + ["end"])) is not None


@pytest.mark.parametrize("identifier", ["git/log", "git/diff", "git/status", "ls"])
def test_a_pipe_of_the_caller_picks_from_the_raw_lines(identifier):
    assert FOUND.load(identifier).kind in ("listing", "text")


@pytest.mark.parametrize("name", ["ls/long", "ls/color", "ls/recursive", "ls/human", "ls/all"])
def test_a_long_listing_keeps_every_name_and_owner_group_size_and_time(name):
    raw = case_named(name).raw.decode()
    text = " ".join(" ".join(lines_shown(name)).split())
    text += readable("\n".join(lines_shown(name)))
    for line in raw.splitlines():
        fields = re.sub(r"\x1b\[[\d;]*m", "", line).split(None, 8)
        if len(line) > 10 and line[10:11] in " .+@" and fields[8] not in (".", ".."):
            is_directory = fields[0][0] == "d"
            wanted = [fields[8].split(" -> ")[0], " ".join(fields[2:4]), " ".join(fields[5:8])]
            assert all(word in text for word in wanted)
            assert is_directory or fields[4] in text


@pytest.mark.parametrize(
    "name",
    ["failed", "failed-quiet", "failed-short", "failed-line", "failed-verbose", "failed-color"],
)
def test_every_failed_test_is_named_with_its_place_and_the_last_line_is_there(name):
    text = "\n".join(lines_shown(f"pytest/{name}"))
    for test in ("test_sum", "test_ratio", *(f"test_many[{n}]" for n in range(9))):
        named = (
            rf"FAILED (?:{re.escape(test)} .*tests/test_bad\.py:\d+|\S+::{re.escape(test)}(?!\w))"
        )
        assert re.search(named, text) or f"::{test} - " in text
    assert re.search(r"^ERROR .*test_uses_fixture", text, re.MULTILINE)
    assert "RuntimeError: no database" in text
    assert "test_bad.py:13" in text
    assert "11 failed, 181 passed, 1 skipped, 1 xfailed, 1 warning, 1 error in" in text


@pytest.mark.parametrize("name", ["collection-error", "collection-error-continued", "none"])
def test_tests_that_did_not_run_are_no_success(name):
    case = case_named(f"pytest/{name}")
    text = "\n".join(lines_shown(case.id))
    assert case.status != 0
    assert case.raw.decode().rstrip().splitlines()[-1].strip("= ") in text
    assert not text.startswith("ok")


def test_a_success_needs_the_exit_status_and_the_sign():
    case = case_named("cargo/test/passed")
    assert "test result: ok. 62 passed" in shown(case.filter, 0, case.raw)
    assert "62 passed" not in shown(case.filter, 101, case.raw)
    unsigned = case.raw.replace(b"test result: ok.", b"result:")
    assert "62 passed" not in shown(case.filter, 0, unsigned)


def test_a_sum_that_is_a_line_of_the_output_is_not_called_hidden():
    table = {"command": ["x"], "success": {"requires": ["^(?P<sum>\\d+ passed)$"], "show": "{sum}"}}
    compacted = compact(Filter("x", table), 0, Lines([*LOG_LINES, "8 passed"]))
    assert compacted.text() == "8 passed\n"
    assert notice(compacted).startswith("[40/41 lines hidden: ")
    kept = Filter("x", {**table, "must_keep": ["passed$"]})
    assert compact(kept, 0, Lines(["8 passed", *LOG_LINES])).text() == "8 passed\n"


def test_conflicts_the_branch_and_how_to_get_out_are_in_a_status():
    got = lines_shown("git/status/conflict")
    assert "On branch main" in got
    assert "\tboth modified:   README.md" in got
    assert '  (use "git merge --abort" to abort the merge)' in got


def test_vulnerabilities_are_never_hidden():
    assert "5 vulnerabilities (2 moderate, 3 critical)" in lines_shown(
        "npm/install/vulnerabilities"
    )
    assert "npm error command failed" in lines_shown("npm/install/postinstall-failed")


def test_a_json_document_is_never_cut():
    texts = ["[", *(f'  {{"id": {n}}},' for n in range(500)), '  {"id": 500}', "]"]
    assert compact_generic(Lines(texts)) is None


# -- commands without a filter -------------------------------------------------------------------

LOG = [
    f"2026-11-15 10:{n // 60:02}:{n % 60:02} worker {n % 7} handled request {n * 37}"
    for n in range(900)
]


def lines_of(*texts: str) -> Lines:
    return Lines(list(texts))


def test_a_small_output_is_left_alone():
    assert compact_generic(lines_of(*LOG[:5])) is None


def test_runs_of_similar_lines_collapse_and_diagnostics_stay():
    texts = [*LOG[:400], "ERROR: disk is full", *LOG[400:], "done"]
    compacted = compact_generic(lines_of(*texts))
    check_parts(compacted, texts)
    got = [row.text for row in compacted.shown]
    assert "ERROR: disk is full" in got
    assert got[0] == LOG[0]
    assert got[-1] == "done"
    assert len(got) < 60


def test_progress_that_overwrites_itself_is_shown_once():
    raw = b"\r".join(b"%d%% of 100 MB" % n for n in range(101)) + b"\n"
    compacted = compact_generic(read_lines(raw * 40))
    assert compacted.text() == "100% of 100 MB [x40]\n"


def test_errors_come_with_their_context():
    texts = [*LOG[:50], "before", "error: it broke", "  because", "  of this", *LOG[50:100]]
    compacted = mistakes(lines_of(*texts))
    got = [row.text for row in compacted.shown if row.kind == RAW_LINE]
    assert got == [LOG[49], "before", "error: it broke", "  because", "  of this"]


def test_a_test_run_shows_failures_and_the_last_lines():
    texts = [
        *(f"test case_{n} ... ok" for n in range(80)),
        "test bad ... FAILED",
        "",
        "80 passed, 1 failed",
    ]
    compacted = failures(lines_of(*texts))
    got = [row.text for row in compacted.shown if row.kind == RAW_LINE]
    assert "test bad ... FAILED" in got
    assert got[-1] == "80 passed, 1 failed"
    assert len(got) < 12


def test_a_summary_is_the_beginning_the_end_and_the_diagnostics():
    texts = [*LOG[:300], "warning: low memory", *LOG[300:600]]
    compacted = summary(lines_of(*texts))
    check_parts(compacted, texts)
    assert "warning: low memory" in [row.text for row in compacted.shown]
    assert len(compacted.shown) < 30


RUNS = st.lists(
    st.tuples(
        st.sampled_from([*LOG[:40], "error: x", "", "same", "a.py:3: bad"]), st.integers(1, 40)
    ),
    min_size=12,
    max_size=40,
)


@pytest.mark.parametrize("view", [compact_generic, summary])
@given(runs=RUNS)
@settings(max_examples=60, deadline=None)
def test_the_promises_hold_without_a_filter(view, runs):
    texts = [text for text, count in runs for _ in range(count)]
    compacted = view(lines_of(*texts))
    assume(compacted is not None)
    check_parts(compacted, texts)
    check_failure(compacted, texts)
    assert compacted.tokens < compacted.tokens_raw


# -- tests that passed, and what other programs print ---------------------------------------------

# How each runner says how many tests passed; go counts them nowhere but in its lines.
PASSED = {
    "pytest": r"\b\d+ passed\b",
    "jest": r"^Tests: .*?\b\d+ passed",
    "vitest": r"^ +Tests .*?\b\d+ passed",
    "unittest": r"^Ran \d+ tests?",
    "npm/test": r"\b\d+ passing\b|^# pass \d+|. pass \d+|\b\d+ passed\b",
    "cargo/test": r"\b\d+ passed",
    "go/test_verbose": r"--- PASS: |^\[\d+ passed in all\]$",
}


@for_each(CASES)
def test_how_many_tests_passed_is_never_hidden(case):
    if case.filter is None or case.filter.id not in PASSED:
        return
    pattern = re.compile(PASSED[case.filter.id], re.MULTILINE)
    text = shown(case.filter, case.status, case.raw)
    if pattern.search(case.raw.decode("utf-8", "replace")) and text != RAW:
        assert pattern.search(text), text


@pytest.mark.parametrize(
    ("name", "around"),
    [
        ("pytest", ["= warnings summary =".center(80, "="), "{}", "= 1 failed in 0.12s ="]),
        ("pytest", ["= FAILURES =".center(80, "="), "____ test_x ____", "{}", "E  assert 0"]),
        ("shellcheck", ["In a.sh line 2:", "ls *", "  ^-- SC2035 (info): Use ./*glob*", "{}"]),
    ],
)
@pytest.mark.parametrize("said", CERTAIN)
def test_what_another_program_says_in_a_report_is_shown(name, around, said):
    wanted = FOUND.load(name)
    text = "\n".join([*around, *["collected 3 items"] * 60]).replace("{}", said)
    check(wanted, 1, text.encode())


# What any program may print in the middle of another's output: at the margin, indented, dated.
PRINTED = [
    "error: quagga exploded",
    "fatal: unable to access 'quagga'",
    "[ERROR] quagga did not start",
    "ValueError: quagga is wrong",
    "FAILED quagga - assert 1 == 2",
    "make: *** [quagga] Error 2",
    "npm ERR! code quagga",
    "  quagga: command not found",
    "  \u00d7 quagga failed",
    "2024-01-02 03:04:05 ERROR quagga timed out",
]
ALSO_OF_A_SUCCESS = PRINTED[:7]


@for_each(CASES)
def test_what_another_program_prints_between_any_two_lines_is_shown(case):
    if case.filter is None or len(case.raw) > 100_000:
        return
    chosen = random.Random(case.id)  # the same each time
    texts = case.raw.decode("utf-8", "surrogateescape").split("\n")
    for status in (1, 1, 1, 1, 0, 0):
        if status == 0 and case.filter.kind == "listing":
            continue
        said = chosen.choice(PRINTED if status else ALSO_OF_A_SUCCESS)
        place = chosen.randrange(len(texts) + 1)
        raw = "\n".join([*texts[:place], said, *texts[place:]])
        lines = read_lines(raw.encode("utf-8", "surrogateescape"))
        compacted = compact(case.filter, status, lines)
        assert compacted is None or set(WORD.findall(said)) <= words_shown(compacted), (said, place)


def test_what_exceptions_of_the_user_say_is_shown_in_a_long_report_of_pytest():
    failure = (
        "____________________ test_withdraw_{0} ____________________\n\n"
        ">       account({0}).withdraw(500)\n\n"
        "tests/test_account.py:{0}: \n_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _\n\n"
        ">           raise Overdrawn(self.owner)\n"
        "E           bank.account.Overdrawn: number {0} wants more than there is\n\n"
        "bank/account.py:33: Overdrawn\n"
        "----------------------------- Captured stdout setup -----------------------------\n"
        "setting up account {0} with a long text that says nothing of interest to anybody\n"
    )
    head = f"{'test session starts':=^80}\n{'FAILURES':=^80}\n"
    raw = head + "".join(failure.format(n) for n in range(100, 200)) + "100 failed in 1.2s\n"
    wanted = next(case.filter for case in CASES if case.id == "pytest/many-kinds")
    compacted = compact(wanted, 1, read_lines(raw.encode()))
    told = re.findall(r"Overdrawn: number (\d+) wants", compacted.text())
    assert told == [str(n) for n in range(100, 200)]

"""What the shape of pytest's report may not hide: mistakes in long parts, own frames, functions."""

from __future__ import annotations

from laconic.compact.lines import Lines
from laconic.compact.pipeline import apply
from outputs import FOUND

HEAD = [
    "=================================== FAILURES ===================================",
    "___________________________________ test_sum ___________________________________",
    "",
    "    def test_sum():",
    ">       assert add(2, 2) == 5",
]
END = [
    "=========================== short test summary info ============================",
    "FAILED tests/test_bad.py::test_sum - assert 4 == 5",
    "============================== 1 failed in 0.09s ===============================",
]


def shown(*middle: str) -> list[str]:
    compacted = apply(FOUND.load("pytest"), 1, Lines([*HEAD, *middle, *END]))
    assert compacted is not None
    return compacted.text().splitlines()


def test_a_mistake_early_in_what_was_captured_is_shown():
    captured = [f"step {chr(97 + n)} is done" for n in range(20)]
    captured[3] = "error: the database is gone"
    got = shown(
        "E       assert 4 == 5",
        "tests/test_bad.py:13: AssertionError",
        "----------------------------- Captured stdout call -----------------------------",
        *captured,
    )
    assert "[11 lines of stdout hidden]" in got
    assert "stdout: error: the database is gone" in got
    assert captured[-1] in got


def test_a_mistake_in_the_middle_of_a_long_message_is_shown():
    said = [f"E         part {chr(97 + n)} of the message" for n in range(24)]
    said[11] = "E         src/main.c:3:5: error: unknown type"
    got = shown("E       AssertionError: the build failed", *said)
    assert "E   src/main.c:3:5: error: unknown type" in got
    assert "[10 lines of the difference hidden]" in got
    assert "part m of the message" not in "\n".join(got)


def test_a_function_that_nothing_else_names_stands_at_its_place():
    source = [f"        value_{n} = make({n})" for n in range(9)]
    place = "tests/test_bad.py:8: in broken"
    got = shown(*source, "E       assert 4 == 5", place, "    raise Gone(3)")
    assert got[0] == "FAILED test_sum tests/test_bad.py:8 in broken"


def test_a_warning_says_where_in_our_code_it_comes_from():
    own = '    File "/srv/app/tests/test_late.py", line 7, in <lambda>'
    foreign = '    File "/usr/lib/python3.11/threading.py", line 982, in run'
    got = shown(
        "E       assert 4 == 5",
        "=============================== warnings summary ===============================",
        "tests/test_late.py::test_thread",
        "  /x/site-packages/_pytest/thread.py:54: PytestUnhandledThreadExceptionWarning: Thread-1",
        "  Traceback (most recent call last):",
        foreign,
        own,
        "  ZeroDivisionError: division by zero",
    )
    assert own in got
    assert foreign not in got


def test_the_fixtures_that_there_are_stay():
    names = ">       available fixtures: cart, client, db"
    got = shown("E       fixture 'dbb' not found", names, "tests/test_bad.py:13")
    assert "> available fixtures: cart, client, db" in got


RULER = "-------------------------------- live log call ---------------------------------"


def live_log(messages):
    """The beginning of a run in which each test logs one message and passes."""
    yield "============================= test session starts =============================="
    for number, message in enumerate(messages):
        yield from (f"tests/test_a.py::test_{number} ", RULER, message, "PASSED")


def test_a_test_that_did_not_end_is_named_where_others_log():
    lines = [
        *live_log(f"INFO     app:a.py:{n} begins" for n in range(12)),
        "tests/test_a.py::test_hangs ",
        RULER,
        "INFO     app:a.py:99 waits for the lock",
        "Fatal Python error: Aborted",
    ]
    compacted = apply(FOUND.load("pytest"), 134, Lines(lines))
    assert compacted is not None
    got = compacted.text().splitlines()
    assert "tests/test_a.py::test_hangs " in got
    assert "INFO     app:a.py:99 waits for the lock" in got
    assert "Fatal Python error: Aborted" in got
    assert "tests/test_a.py::test_3 " not in got


def test_information_that_speaks_of_a_mistake_is_not_only_counted():
    lines = [
        *live_log(f"INFO     app:a.py:7 request {n} of user {n * 7} failed" for n in range(12)),
        *HEAD,
        "E       assert 4 == 5",
        "tests/test_bad.py:13: AssertionError",
        *END,
    ]
    compacted = apply(FOUND.load("pytest"), 1, Lines(lines))
    assert compacted is not None
    assert "INFO     app:a.py:7 request 9 of user 63 failed" in compacted.text()

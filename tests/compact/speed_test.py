"""What compacting costs, in comparison with a fixed piece of work on the same text.

Seconds would depend on the machine; bench/compact.py measures those, on larger outputs.
"""

from __future__ import annotations

import time

from laconic.compact import reports
from laconic.compact.lines import read_streams
from laconic.compact.view import RUN, View, render
from outputs import cases

SIZE = 1_000_000
TRIES = 5  # on a busy machine one try may take several times as long as it should
# The slowest filter takes six times as long as the fixed work. With many steps of Python for each
# line, or with a pattern that goes back and forth in each, it would be more than this.
MOST = 10
# A report of tests that is small enough is shown by its shapes, which look at each line; with a
# search among all others for each line, it would be more than this.
MOST_OF_REPORT = 180
REPORT = 500_000


def largest():
    """The largest recorded success and failure of each filter."""
    found = {}
    for case in cases():
        if case.filter is not None and case.raw.strip():
            key = case.filter.id, case.status == 0
            found[key] = max(case, found.get(key, case), key=lambda one: len(one.raw))
    return found.values()


def text_of(case, size=SIZE):
    raw = case.raw if case.raw.endswith(b"\n") else case.raw + b"\n"
    return raw * (size // len(raw))


def cpu_s(work):
    start = time.process_time()
    work()
    return time.process_time() - start


def fixed_work(raw):
    """Decode each line by itself and look for a word in it."""
    return [b"error" in line and line.decode("utf-8", "replace") for line in raw.splitlines()]


def ratio(case, raw):
    def compacted():
        found = View(RUN, case.filter).compacted(case.status, read_streams(raw, b""))
        return found and render(found, "k3f9ab")

    return cpu_s(compacted) / cpu_s(lambda: fixed_work(raw))


def too_slow(size, most):
    slow = {}
    for case in largest():
        raw = text_of(case, size)
        best = ratio(case, raw)
        for _ in range(TRIES):
            best = min(best, ratio(case, raw)) if best > most else best
        if best > most:
            slow[case.id] = round(best, 1)
    return slow


def test_no_filter_takes_many_times_as_long_as_a_look_at_each_line(monkeypatch):
    monkeypatch.setattr(reports, "MOST", 0)  # as if it were larger than any report with shapes
    assert not too_slow(SIZE, MOST)


def test_the_shapes_of_a_large_report_look_at_each_line_a_few_times():
    assert not too_slow(REPORT, MOST_OF_REPORT)

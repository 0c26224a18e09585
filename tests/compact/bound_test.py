"""The bound of a work: what it has of the processor counts, and not how busy a machine is."""

from __future__ import annotations

import threading
import time

from laconic.compact import bound


def busy(seconds):
    """Work that looks for no deadline, as a pattern of `re` does."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass
    return "done"


def test_work_that_waits_is_not_stopped():
    def waits():
        for _ in range(10):  # a signal may end one of these early
            time.sleep(0.05)
        return "done"

    assert bound.attempt(waits, 0, 0.1) == ("done", "")


def test_work_that_has_had_its_time_is_stopped():
    result, problem = bound.attempt(lambda: busy(20), 0, 0.1)
    assert (result, problem) == (None, "took longer than 0.1 seconds")


def test_work_that_waits_for_ever_is_stopped():
    began = time.monotonic()
    result, _ = bound.attempt(lambda: threading.Event().wait(60), 0, 0.05)
    assert result is None
    assert time.monotonic() - began < 30

"""Shared memory in which each worker of the server notes what it does."""

from __future__ import annotations

import mmap

PLACES = 64
FREE, IDLE, BUSY = 0, 1, 2


class Board:
    """The state of each worker, and how many calls it has taken."""

    __slots__ = ("_counts", "_states")

    def __init__(self) -> None:
        self._states = mmap.mmap(-1, PLACES)
        self._counts = memoryview(mmap.mmap(-1, PLACES * 8)).cast("Q")

    def mark(self, place: int, state: int) -> None:
        self._states[place] = state
        if state == BUSY:
            self._counts[place] += 1

    def state(self, place: int) -> int:
        return self._states[place]

    def count(self, state: int) -> int:
        return self._states[:].count(state)

    def free_place(self) -> int | None:
        place = self._states[:].find(FREE)
        return None if place < 0 else place

    @property
    def calls(self) -> int:
        return sum(self._counts)

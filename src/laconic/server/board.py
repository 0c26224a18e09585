"""Shared memory in which each worker of the server notes what it does."""

from __future__ import annotations

import mmap

PLACES = 128
# HELD: the command of its client runs, so that there is nothing to do for it.
FREE, IDLE, BUSY, HELD = 0, 1, 2, 3


class Board:
    """The state of each worker, how many calls it has taken, and whether one asks for a trial."""

    __slots__ = ("_counts", "_states", "_trial")

    def __init__(self) -> None:
        self._states, self._trial = mmap.mmap(-1, PLACES), mmap.mmap(-1, 1)
        self._counts = memoryview(mmap.mmap(-1, PLACES * 8)).cast("Q")

    def mark(self, place: int, state: int) -> None:
        if state == BUSY and self._states[place] == IDLE:
            self._counts[place] += 1
        self._states[place] = state

    def state(self, place: int) -> int:
        return self._states[place]

    def count(self, state: int) -> int:
        return self._states[:].count(state)

    def free_place(self) -> int | None:
        place = self._states[:].find(FREE)
        return None if place < 0 else place

    def ask_for_trial(self) -> None:
        """Have the server find out whether boxes can be made; a worker starts no program."""
        self._trial[0] = 1

    def is_trial_wanted(self) -> bool:
        """Tell whether that was asked since the last time."""
        wanted, self._trial[0] = self._trial[0], 0
        return bool(wanted)

    @property
    def calls(self) -> int:
        return sum(self._counts)

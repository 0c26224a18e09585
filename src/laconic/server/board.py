"""Shared memory in which each worker of the server notes what it does."""

from __future__ import annotations

import mmap

PLACES = 128
# HELD: it takes no further call, but commands of its clients run.
FREE, IDLE, BUSY, HELD = 0, 1, 2, 3


class Board:
    """What each worker does, how many calls it has taken and how many commands it waits for."""

    def __init__(self) -> None:
        self._states = mmap.mmap(-1, PLACES)
        self._commands = mmap.mmap(-1, PLACES)
        self._calls = memoryview(mmap.mmap(-1, PLACES * 8)).cast("Q")

    def mark(self, place: int, state: int) -> None:
        self._states[place] = state
        if state == FREE:
            self._commands[place] = 0

    def add_call(self, place: int) -> None:
        self._calls[place] += 1

    def note_commands(self, place: int, count: int) -> None:
        self._commands[place] = min(count, 255)

    def count(self, state: int) -> int:
        return self._states[:].count(state)

    def free_place(self) -> int | None:
        place = self._states[:].find(FREE)
        return None if place < 0 else place

    @property
    def calls(self) -> int:
        return sum(self._calls)

    @property
    def commands(self) -> int:
        """How many commands of clients run."""
        return sum(self._commands[:])

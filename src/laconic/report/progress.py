"""A bar on a person's terminal for what takes longer than a second; nobody else sees it."""

from __future__ import annotations

import sys
import time

from laconic.report.screen import is_watched
from laconic.settings.environ import environment

_BAR = 30
_PATIENCE_S = 1.0
_PAUSE_S = 0.1


class Progress:
    """Called with what is done and what there is; the bar is wiped out at the end."""

    def __init__(self) -> None:
        self._started = self._drawn = time.monotonic()
        self._is_there = False
        self._is_watched = is_watched(sys.stderr, environment())

    def __call__(self, done: float, total: float) -> None:
        now = time.monotonic()
        if not self._is_watched or not total:
            return
        if done >= total:
            self.end()
        elif now - self._started > _PATIENCE_S and now - self._drawn > _PAUSE_S:
            part = done / total
            bar = "█" * int(_BAR * part)
            self._write(f"\r{bar:░<{_BAR}} {100 * part:3.0f}%")
            self._is_there, self._drawn = True, now

    def end(self) -> None:
        if self._is_there:
            self._write(f"\r{'':{_BAR + 5}}\r")
            self._is_there = False

    def _write(self, text: str) -> None:
        print(text, end="", file=sys.stderr, flush=True)

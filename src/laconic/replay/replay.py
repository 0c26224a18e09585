"""Replays sessions: every command of every transcript, in several processes if there are many."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from typing import NamedTuple

from laconic.compact.tokens import estimate_bytes
from laconic.replay.judge import ReplayJudge
from laconic.replay.prices import find as price_of
from laconic.sessions import find
from laconic.sessions.find import Transcript
from laconic.sessions.tally import Judged, Tally
from laconic.sessions.values import Session, Step
from laconic.settings.load import Settings

_BATCH = 50
_ALONE = 400  # so many commands are done before other processes have started
_AHEAD = 4  # batches that wait for each process
_MOST_PROCESSES = 8


class _Work(NamedTuple):
    """A step to judge. share: the part of its session's outputs that was really paid for."""

    session: Session
    step: Step
    share: float


class Replayer:
    """Replays with one user's settings. progress: called with the bytes read, and all bytes."""

    def __init__(
        self,
        settings: Settings,
        environ: Mapping[str, str],
        profiles: tuple[str, ...],
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self._settings, self._environ = settings, environ
        self._profiles, self._progress = profiles, progress or (lambda *_: None)

    def replay(self, transcripts: Sequence[Transcript], limit_s: float = 0) -> Tally:
        """Return the sums. limit_s: stop after so long, with those of the newest sessions."""
        tally = Tally(self._profiles)
        deadline = time.monotonic() + limit_s if limit_s else 0.0
        work = self._read(transcripts, tally, deadline)
        judge = ReplayJudge(self._settings, self._environ, self._profiles)
        for each in islice(work, None if deadline else _ALONE):
            _add(each, judge.judge(each.session.agent, each.step), tally)
            if deadline and time.monotonic() > deadline:
                tally.in_time = False
                return tally
        if not deadline:
            self._in_processes(work, tally)
        return tally

    def _read(
        self, transcripts: Sequence[Transcript], tally: Tally, deadline: float
    ) -> Iterator[_Work]:
        total, done = sum(each.size for each in transcripts), 0
        for transcript, sessions in find.read(transcripts):
            tally.files += 1
            for session in sessions:
                _count(session, tally)
                steps = [step for step in session.steps if step.command.strip()]
                share = share_paid(session)
                for number, step in enumerate(steps):
                    yield _Work(session, step, share)
                    if number % _BATCH == 0:
                        self._progress(done + transcript.size * number // len(steps), total)
            done += transcript.size
            self._progress(done, total)
            if deadline and time.monotonic() > deadline:
                tally.in_time = False
                return

    def _in_processes(self, work: Iterator[_Work], tally: Tally) -> None:
        from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - for many commands
        from multiprocessing import get_context  # noqa: PLC0415

        first = list(islice(work, _BATCH))
        if not first:
            return
        count = min(_MOST_PROCESSES, os.cpu_count() or 1)
        given = (self._settings, self._environ, self._profiles)
        with ProcessPoolExecutor(count, get_context("fork"), _prepare, given) as pool:
            _collect(pool, _batches(first, work), count * _AHEAD, tally)


def _batches(first: list[_Work], work: Iterator[_Work]) -> Iterator[list[_Work]]:
    batch = first
    while batch:
        yield batch
        batch = list(islice(work, _BATCH))


def _collect(
    pool: ProcessPoolExecutor, batches: Iterable[list[_Work]], most: int, tally: Tally
) -> None:
    """Keep the processes busy, and never more in memory than they will soon need."""
    waiting: list[tuple[list[_Work], Future[list[Judged]]]] = []

    def take() -> None:
        batch, future = waiting.pop(0)
        for each, judged in zip(batch, future.result(), strict=True):
            _add(each, judged, tally)

    for batch in batches:
        steps = [(each.session.agent, each.step) for each in batch]
        waiting.append((batch, pool.submit(_judge, steps)))
        if len(waiting) >= most:
            take()
    while waiting:
        take()


# In a process of the pool: its judge.
_judges: list[ReplayJudge] = []


def _prepare(settings: Settings, environ: Mapping[str, str], profiles: tuple[str, ...]) -> None:
    _judges[:] = [ReplayJudge(settings, environ, profiles)]


def _judge(steps: list[tuple[str, Step]]) -> list[Judged]:
    return [_judges[0].judge(agent, step) for agent, step in steps]


# -- sums ------------------------------------------------------------------------------------------


def _count(session: Session, tally: Tally) -> None:
    if not any(step.command.strip() for step in session.steps):
        return
    tally.sessions += 1
    for model, usage in session.usage.items():
        price = price_of(model)
        tally.usage = tally.usage.plus(usage)
        if price:
            tally.dollars += price.of(usage)
        elif model and sum(usage):
            tally.unpriced.add(model)


def share_paid(session: Session) -> float:
    """Return 1, or less if the outputs would have cost more than all that the session sent.

    Agents leave old outputs out without a word in the transcript; nobody saves what was not paid.
    """
    paid = held = 0.0
    for model, usage in session.usage.items():
        price = price_of(model)
        if price:
            paid += price.of(usage._replace(output=0))
            held += sum(
                price.of_held(estimate_bytes(step.output), step.held, usage)
                for step in session.steps
                if step.model == model
            )
    return min(1.0, paid / held) if held else 1.0


def _add(each: _Work, judged: Judged, tally: Tally) -> None:
    tally.add(each.session.agent, judged)
    tally.refused += each.step.was_asked is True and not each.step.has_run
    price = price_of(each.step.model)
    if price is None:
        return
    usage = each.session.usage.get(each.step.model)
    for name, shown in judged.shown.items():
        if usage and shown < judged.tokens:
            saved = price.of_held(judged.tokens - shown, each.step.held, usage)
            tally.profiles[name].dollars += saved * each.share

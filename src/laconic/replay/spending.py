"""What recorded sessions cost and read, as far as their transcripts tell; kept in the cache."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from laconic.compact.tokens import estimate_bytes
from laconic.errors import FileError
from laconic.files import read_file, write_private
from laconic.replay import prices
from laconic.replay.replay import share_paid
from laconic.sessions import find
from laconic.sessions.find import Transcript
from laconic.sessions.values import Session

_FILE = "sessions.json"
_LIMIT_S = 3.0  # what is not read in this time is read by the next call
_MOST_CACHE = 16 << 20
_BYTES_PER_TOKEN = 4  # of tools whose output is not looked at


class Spending(NamedTuple):
    """What a session paid. model: the one that it used most.

    dollars: what a token of output cost, None without a price. read: tokens that tools printed.
    """

    model: str
    dollars: float | None
    read: int


class Spendings(NamedTuple):
    """Those of sessions, by their ids. unread: sessions that there was no time for."""

    found: dict[str, Spending]
    unread: int


def read_spendings(
    sessions: Collection[str],
    environ: Mapping[str, str],
    cache_dir: Path,
    progress: Callable[[float, float], None] | None = None,
) -> Spendings:
    """Read the transcripts of sessions, the newest first; those that are known are not read."""
    path = cache_dir / _FILE
    known = _cached(path)  # by the transcript's path: its size and time, and what it tells
    spendings: dict[str, Spending] = {}
    unread, is_new, end = 0, False, time.monotonic() + _LIMIT_S
    wanted = find.of_sessions(sessions, environ)
    for number, (session, transcript) in enumerate(wanted):
        key, stamp = str(transcript.path), f"{transcript.size} {transcript.changed}"
        is_known = key in known and known[key][0] == stamp
        if not is_known and time.monotonic() > end:
            unread += 1
            continue
        if not is_known:
            known[key], is_new = (stamp, _read(transcript)), True
        spendings[session] = known[key][1]
        if progress:
            progress(number, len(wanted))
    if progress:
        progress(1, 1)
    if is_new:
        _keep(path, known)
    return Spendings(spendings, unread)


def _read(transcript: Transcript) -> Spending:
    for _, sessions in find.read([transcript]):
        for session in sessions:
            return _spending(session)
    return Spending("", None, 0)


def _spending(session: Session) -> Spending:
    """Count an output as often as it was held, on average, as `laconic replay` does."""
    tokens = [estimate_bytes(step.output) for step in session.steps]
    used = Counter(step.model for step in session.steps) or Counter(session.usage.keys())
    model = used.most_common(1)[0][0] if used else ""
    read = sum(tokens) + session.other_bytes // _BYTES_PER_TOKEN
    price, usage = prices.find(model), session.usage.get(model)
    if price is None or usage is None:
        return Spending(model, None, read)
    weights = [(count, step.held) for count, step in zip(tokens, session.steps, strict=True)]
    held = sum(count * times for count, times in weights) / (sum(tokens) or 1)
    dollars = price.of_held(1, max(1, round(held)), usage) * share_paid(session)
    return Spending(model, dollars, read)


def _cached(path: Path) -> dict[str, tuple[str, Spending]]:
    try:
        document = json.loads(read_file(path, _MOST_CACHE))
        if document["prices"] != prices.date():
            return {}
        return {
            str(key): (str(stamp), Spending(str(model), _number(dollars), int(read)))
            for key, (stamp, (model, dollars, read)) in document["sessions"].items()
        }
    except (FileError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}


def _number(value: object) -> float | None:
    return None if value is None else float(str(value))


def _keep(path: Path, known: Mapping[str, tuple[str, Spending]]) -> None:
    data = json.dumps({"prices": prices.date(), "sessions": known}).encode()
    with suppress(FileError):  # then it is read again next time
        write_private(path, data)

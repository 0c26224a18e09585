"""Counts tokens with a real vocabulary, if a package that contains one is installed.

The package is compiled third-party code, so a separate process loads it and counts: whatever
happens there, the command keeps its exit status, and the wait is short. Only the server loads it
into its own memory, after such a trial, so that its workers share it.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import NoReturn

PACKAGE, VOCABULARY = "rs_bpe", "o200k"
# Most texts of this size take a hundredth of a second; a line of dashes takes twenty times as long.
MOST_BYTES = 256 << 10
_LONGEST_S = 2.0  # to load and to count; the slowest text takes a seventh of it
_ALONE_S = 3  # whole seconds, after which a process whose parent was killed ends
_TRIAL = b"2 + 2 = 4\n"

# What load() found; empty in a process that did not call it.
_loaded: list[Callable[[str], int] | None] = []


def load() -> None:
    """Load the vocabulary into this process and those that it forks, if it works."""
    _loaded[:] = [None]
    if works():
        with contextlib.suppress(Exception):
            _loaded[:] = [counter()]


def is_loaded() -> bool:
    return any(_loaded)


def is_installed() -> bool:
    from importlib.machinery import PathFinder  # noqa: PLC0415 - less than importlib.util

    return PathFinder.find_spec(PACKAGE) is not None


def works() -> bool:
    return is_installed() and _count_apart([_TRIAL]) is not None


def counts(texts: Sequence[bytes]) -> list[int] | None:
    """Count the tokens of each text; None if they cannot be counted. Never raises."""
    if sum(map(len, texts)) > MOST_BYTES:
        return None
    if _loaded:
        return _count(texts, _loaded[0]) if _loaded[0] else None
    if not is_installed():
        return None
    return _count_apart(texts) if any(texts) else [0] * len(texts)


def counter() -> Callable[[str], int]:
    """Load the vocabulary into this process. May raise anything."""
    from importlib import import_module  # noqa: PLC0415 - this is rarely needed

    count: Callable[[str], int] = import_module(f"{PACKAGE}.bpe").openai.o200k_base().count
    return count


def _count(texts: Sequence[bytes], count: Callable[[str], int]) -> list[int] | None:
    try:
        return [count(text.decode("utf-8", "replace")) if text else 0 for text in texts]
    except BaseException:  # noqa: BLE001 - a Rust panic is not an Exception
        return None


# -- in a process of its own -----------------------------------------------------------------------


def _count_apart(texts: Sequence[bytes]) -> list[int] | None:
    try:
        answer, writer = os.pipe()
    except OSError:
        return None
    try:
        pid = os.fork()
        if pid == 0:
            _answer(texts, writer)
    except OSError:
        os.close(answer)
        return None
    finally:
        os.close(writer)
    said = _read(answer).split()
    with contextlib.suppress(OSError):
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return [int(word) for word in said] if len(said) == len(texts) else None


def _answer(texts: Sequence[bytes], writer: int) -> NoReturn:
    """Count and write the result, with stderr silenced: a panic would print a message."""
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(_ALONE_S)
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in range(3):
            os.dup2(nothing, number)
        os.write(writer, b" ".join(b"%d" % count for count in _count(texts, counter()) or ()))
    finally:
        os._exit(0)


def _read(answer: int) -> bytes:
    """Read the answer in one piece, if it comes in time."""
    poll = select.poll()
    poll.register(answer, select.POLLIN)
    try:
        return os.read(answer, select.PIPE_BUF) if poll.poll(_LONGEST_S * 1000) else b""
    finally:
        os.close(answer)

"""Makes sure that no filter does harm: if it raises or takes too long, the output is shown raw.

Only this module knows the time. A deadline holds in the thread that set it, and counts the time of
the processor that this thread had: other threads and a busy machine do no harm either. Code that
works through an output calls `check` between two pieces of it. Within a piece only a signal can
stop a pattern that takes for ever: in the main thread, Python's `re` looks for signals while it
matches. So a timer is set there as well, unless the host program uses it (man 2 setitimer). The
patterns of built-in filters always end soon. The user's own may not, so they are not used where
nothing could stop them. (Other engines have time-outs: measured on 20,000 lines, `re` takes 6
ms/MB, `regex` with its time-out 72, google-re2 166.)
"""

from __future__ import annotations

import signal
import time
from contextvars import ContextVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import TypeVar

    T = TypeVar("T")

# Built-in filters take milliseconds; they get more time for the sake of machines that are busy.
SECONDS = 5.0
SECONDS_FOR_OWN = 1.0
SECONDS_PER_MB = 0.1
_MOST_BUSY = 8  # times as long as the work itself takes
_SHORTEST_S = 0.01

_deadline: ContextVar[tuple[float, float] | None] = ContextVar("_deadline", default=None)


class TookTooLongError(Exception):
    """The bound was reached."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"took longer than {seconds:.1f} seconds")


def check() -> None:
    """Raise TookTooLongError if the deadline of this thread is over; it costs little."""
    found = _deadline.get()
    if found is not None and time.thread_time() > found[0]:
        raise TookTooLongError(found[1])


def attempt(
    work: Callable[[], T],
    size: int,
    seconds: float | None = None,
    *,
    is_own: bool = False,
    spares_alarm: bool = False,
) -> tuple[T | None, str]:
    """Return the result of the work, or None and what went wrong; size is that of the text.

    is_own: it uses patterns that the user wrote. spares_alarm: the timer is set for those only.
    """
    if seconds is None:
        seconds = SECONDS_FOR_OWN if is_own else SECONDS
    bound = seconds + SECONDS_PER_MB * size / 1e6
    is_main = _is_main_thread()
    has_free_alarm = is_main and (is_own or not spares_alarm) and _is_alarm_free()
    if is_own and not has_free_alarm and not (is_main and _is_timer_set()):
        return None, "a filter of your own runs only where it can be stopped: in the main thread"
    outer = _deadline.set((time.thread_time() + bound, bound))
    try:
        return (_stopped_by_alarm(work, bound) if has_free_alarm else work()), ""
    except TookTooLongError as error:
        return None, str(error)
    except Exception as error:
        if is_main and _is_raised_by_handler(error):
            raise  # the host's own time limit is not a fault of the work
        return None, f"{type(error).__name__}: {error}"
    finally:
        _deadline.reset(outer)


def _is_main_thread() -> bool:
    import threading  # noqa: PLC0415 - who only looks for a filter has no use for it

    return threading.current_thread() is threading.main_thread()


def _is_alarm_free() -> bool:
    """Tell whether no timer is set, and no handler but one of ours."""
    handler = signal.getsignal(signal.SIGALRM)
    is_ours = getattr(handler, "__module__", "").partition(".")[0] == __name__.partition(".")[0]
    return not _is_timer_set() and (is_ours or handler is signal.SIG_DFL)


def _is_timer_set() -> bool:
    return signal.getitimer(signal.ITIMER_REAL)[0] > 0


def _stopped_by_alarm(work: Callable[[], T], seconds: float) -> T:
    """Do the work until it has had its time of the processor, or a machine is too busy for it."""
    end, last = time.thread_time() + seconds, time.monotonic() + _MOST_BUSY * seconds

    def stop(_number: int, _frame: FrameType | None) -> None:
        left = end - time.thread_time()
        if left <= 0 or time.monotonic() > last:
            raise TookTooLongError(seconds)
        signal.setitimer(signal.ITIMER_REAL, max(left, _SHORTEST_S))

    previous = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return work()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def _is_raised_by_handler(error: Exception) -> bool:
    handler = signal.getsignal(signal.SIGALRM)
    code = getattr(handler, "__code__", None)  # of a method as well
    trace = error.__traceback__
    while trace is not None and code is not None:
        if trace.tb_frame.f_code is code:
            return True
        trace = trace.tb_next
    return False

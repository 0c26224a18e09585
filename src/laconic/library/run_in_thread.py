"""A thread of its own for what may take long: a command, a person."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from typing import TypeVar

T = TypeVar("T")


async def in_own_thread(function: Callable[..., T], *args: object) -> T:
    """Wait for a function; asyncio.to_thread has a few threads, which others need, too."""
    waiting: Future[T] = Future()
    context = copy_context()

    def work() -> None:
        waiting.set_running_or_notify_cancel()
        try:
            waiting.set_result(context.run(function, *args))
        except BaseException as fault:  # noqa: BLE001 - whoever waits is told
            waiting.set_exception(fault)

    threading.Thread(target=work, name="laconic", daemon=True).start()
    return await asyncio.wrap_future(waiting)

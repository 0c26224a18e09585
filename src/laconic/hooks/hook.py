"""`laconic hook AGENT [EVENT]`: the hook process, which always exits cleanly.

It reads a bounded amount, keeps a time limit well below the agent's, prints once, and exits with 0
(or with the status that means deny to the agent). It loads little, because it runs before every
command.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import NoReturn

    from laconic.hooks.response import Answer

_CHUNK = 1 << 16
_FIRST_LIMIT_S = 8.0
_DENIED, _FAILED = 2, 1
_DENIED_TO_CLIENT = 102  # client/laconic.c has it, too


def is_call(argv: list[str]) -> bool:
    """Tell whether an agent calls, not a person who wants help: a hook has no usage errors."""
    return argv[1:2] == ["hook"] and not {"-h", "--help"} & set(argv[2:])


def main(argv: list[str]) -> int:
    """Answer on stdout; return the exit status."""
    given = _answer(argv)
    from laconic.hooks.response import Answer  # noqa: PLC0415 - it is loaded by now

    _set_fallback(Answer(status=given.status))  # nothing must be printed twice
    _say(given)
    given.finish()
    if given.retry_cold:  # there is nobody else to ask
        _note_unchecked(argv)
    return given.status


def _say(given: Answer) -> None:
    for handle, data in ((1, given.stdout), (2, given.stderr)):
        with contextlib.suppress(OSError):
            _write(handle, data)


def _answer(argv: list[str]) -> Answer:
    from laconic.hooks.answer import MOST_BYTES, answer, read_words  # noqa: PLC0415 - once a limit is set
    from laconic.settings.environ import environment, working_directory  # noqa: PLC0415 - as above

    agent, event, escalates = read_words(argv)
    variables = environment()
    directory = working_directory() or "/nonexistent"
    stdin = _read_stdin(MOST_BYTES)
    given = answer(agent, event, stdin, variables, directory, _set_fallback, escalates=escalates)
    if given.fault and variables.get("LACONIC_DEBUG"):
        with contextlib.suppress(OSError):
            _write(2, f"laconic hook {agent}: {given.fault}\n".encode(errors="replace"))
    return given


def _read_stdin(limit: int) -> bytes:
    """Read stdin up to the limit, and drop the rest, so that the writer gets no broken pipe."""
    kept = bytearray()
    with contextlib.suppress(OSError):
        while chunk := os.read(0, _CHUNK):
            if len(kept) <= limit:
                kept += chunk
    return bytes(kept)


def _write(handle: int, data: bytes) -> None:
    while data:
        data = data[os.write(handle, data) :]


def run(argv: list[str]) -> NoReturn:
    """Run as the hook process: whatever happens, it ends in time with a valid answer."""
    status = 0
    gc.disable()  # the process ends before garbage collection pays off
    try:
        _fill_streams()
        _keep_time(argv)
        status = main(argv)
    except BaseException:  # noqa: BLE001 - also Ctrl-C and what no one thought of
        status = _say_fallback()
        if _fallback or not _is_of_client():
            _note_unchecked(argv)
        else:
            status = _FAILED  # nothing was said: the client in C does
    finally:
        _end(status)  # skip the interpreter's shutdown, which takes long and has nothing to do


def _note_unchecked(argv: list[str]) -> None:
    """Leave a line in the log, if that much of laconic works; without Python the client does."""
    with contextlib.suppress(BaseException):
        import time  # noqa: PLC0415 - seldom

        from laconic.record.decisions import append_unchecked  # noqa: PLC0415
        from laconic.settings.environ import environment, state_directory  # noqa: PLC0415
        from laconic.settings.managed import asks_on_failure, read_policy  # noqa: PLC0415

        agent, why = argv[0] if argv else "", "laconic failed: laconic doctor may say how"
        state_dir = state_directory(environment())
        about = {"outcome": "ask"} if asks_on_failure(read_policy()) else None
        append_unchecked(state_dir, "gate/fault", why, agent=agent, now=time.time(), about=about)


def _fill_streams() -> None:
    """Open /dev/null for each closed stream, so that no file of ours gets its number."""
    for handle in range(3):
        try:
            os.fstat(handle)
        except OSError:
            with contextlib.suppress(OSError):  # there is no /dev/null; go on without it
                os.open(os.devnull, os.O_RDWR)


def _keep_time(argv: list[str]) -> None:
    """When the time is up, print the best answer that is known by then."""
    if sys.platform == "win32":
        return
    signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, _FIRST_LIMIT_S)
    from laconic.agents.load import load  # noqa: PLC0415 - a limit is set by now
    from laconic.hooks.answer import answer_to_failure  # noqa: PLC0415

    with contextlib.suppress(KeyError):
        agent = load(argv[0] if argv else "")
        _set_fallback(answer_to_failure(agent))
        signal.setitimer(signal.ITIMER_REAL, agent.limit_s)


_fallback: list[Answer] = []


def _set_fallback(given: Answer) -> None:
    _fallback[:] = [given]


def _say_fallback() -> int:
    status = 0
    for given in _fallback:
        _say(given)
        status = given.status
    return status


def _stop(_number: int, _frame: FrameType | None) -> None:
    _end(_say_fallback())


def _end(status: int) -> NoReturn:
    """End with a status; the client in C must tell a denial from a Python that cannot start."""
    os._exit(_DENIED_TO_CLIENT if _is_of_client() and status == _DENIED else status)


def _is_of_client() -> bool:
    """Tell whether the client in C has started us, and looks at the status."""
    return "laconic-client" in sys._xoptions  # noqa: SLF001 - as Python documents it


if __name__ == "__main__":
    run(sys.argv[1:])

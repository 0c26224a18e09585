"""Keeps what a command will change before it runs, so that it can be undone: `run --undo`.

A fault of ours means that there is no undo, and the command runs. Where nothing can be kept at all,
as in an agent's sandbox, it does not: a verdict may depend on the undo.
"""

from __future__ import annotations

import contextlib

from laconic.run.process import has_terminal, spawn
from laconic.run.signals import Child

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from laconic.run.task import Task
    from laconic.undo.around import Around


def keep_before(task: Task, environ: Mapping[str, str], directory: str = "") -> Around | None:
    """Keep what a task will change; None if that is not asked for, or there is nothing to keep.

    directory: where it will run, if that is not where we are. Raises NoPlaceError.
    """
    if not task.wants_undo:
        return None
    from laconic.undo.around import NoPlaceError  # noqa: PLC0415 - for what destroys, alone

    try:
        return _keep(task, environ, directory)
    except NoPlaceError:
        raise
    except Exception:  # noqa: BLE001 - see above
        return None


def _keep(task: Task, environ: Mapping[str, str], directory: str) -> Around | None:
    from laconic.settings.load import current_directory, read_settings  # noqa: PLC0415 - as below
    from laconic.undo.analysis import reach_of  # noqa: PLC0415 - for what destroys, alone
    from laconic.undo.around import about_run, begin  # noqa: PLC0415
    from laconic.undo.store import store_for  # noqa: PLC0415

    directory = directory or str(current_directory() or "")
    if not directory:
        return None
    reach = reach_of(task.argv, directory, environ)
    if not reach:
        return None
    about = about_run(task.command, directory, environ)
    store = store_for(read_settings(environ, directory))
    return begin(reach, about, store)


def warning_before(around: Around) -> bytes:
    """Return the line that says before the command what may not come back."""
    return around.warning.encode("utf-8", "surrogateescape")


def notice_after(around: Around, environ: Mapping[str, str]) -> bytes:
    """Record what the command changed; return the line that says how to bring it back."""
    from laconic.run.launcher import typed_name  # noqa: PLC0415
    from laconic.undo.around import notice  # noqa: PLC0415

    with contextlib.suppress(Exception):  # the command has run; only its undo is lost
        keep = around.finish()
        return notice(keep, typed_name(environ)).encode("utf-8", "surrogateescape")
    return b""


def run_beside(argv: list[str], environ: Mapping[str, str]) -> int:
    """Run a command on our own streams and wait for it, where we would have become it."""
    child = Child(shares_terminal=has_terminal())
    pid = spawn(argv, environ, {})
    child.started(pid, pid)
    child.wait()
    assert child.status is not None
    return child.status

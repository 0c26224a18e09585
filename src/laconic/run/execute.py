"""Runs a command, prints its output, and returns the command's exit status.

The command is started first; the code that chooses how to show its output loads while it runs.
Whatever goes wrong here, the output is printed as it is and the exit status is the command's own.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time

from laconic.errors import LaconicError, UsageError
from laconic.run.keeping import keep_before, notice_after, run_beside, warning_before
from laconic.run.printer import Printer
from laconic.run.process import StartError, are_same, become, is_closed
from laconic.run.runner import Runner
from laconic.run.spool import BOTH, ERR, OUT, new_id, open_spool
from laconic.settings.environ import (
    environment,
    is_at_terminal,
    is_kept_file,
    is_on,
    is_switched_off,
    state_directory,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from laconic.run.plan import RunPlan
    from laconic.run.supervise import SupervisedRun
    from laconic.run.task import Task

NOT_RUN = 125  # as timeout, env and chroot say that they themselves failed
_FOLLOW_AFTER_S = 1.0
_BROKEN_PIPE = 128 + signal.SIGPIPE


def execute(task: Task, report: Callable[[Exception], object] = lambda _: None) -> int:
    """Run a task; return its exit status. If nothing can be hidden, we become the command.

    report: called with a fault of ours, after the command's output has been printed as it is.
    """
    environ = environment()
    try:
        around = keep_before(task, environ)
    except LaconicError as error:
        Printer().write(ERR, error.text.encode("utf-8", "surrogateescape"))
        return NOT_RUN
    if around is None:
        return _execute(task, report, environ, run_beside if task.is_awaited else become)
    Printer().write(ERR, warning_before(around))
    status = _execute(task, report, environ, run_beside)
    Printer().write(ERR, notice_after(around, environ))
    return status


def _execute(
    task: Task,
    report: Callable[[Exception], object],
    environ: Mapping[str, str],
    run_raw: Callable[[list[str], Mapping[str, str]], int],
) -> int:
    try:
        if is_transparent(task, environ):
            return run_raw(as_typed(task), environ)
        plan = None
        if task.pipe or task.filter_id:
            plan = _plan_first(task, environ)
        if task.pipe and not (plan and plan.view.is_summary):
            return _run_into_pipe(task, environ)
        local = LocalRun(task, environ, plan=plan)
        status = local.run()
    except StartError as error:
        return complain(error)
    if local.fault:
        with contextlib.suppress(Exception):
            report(local.fault)
    if is_on(environ, "LACONIC_VERBOSE"):
        Printer().write(ERR, verbose_line(None if local.fault else local.supervised))
    return status


def is_transparent(task: Task, environ: Mapping[str, str]) -> bool:
    """Tell whether nothing is to be hidden: a file must get every byte, whoever opened it.

    Nor is anything at a person's terminal, unless it is asked for by name.
    """
    is_off = task.is_raw or is_switched_off(environ)
    if is_off or any(map(is_closed, range(3))) or is_kept_file(1, environ):
        return True
    is_named = task.mode != "run" or task.filter_id
    return not is_named and is_at_terminal(environ)


def verbose_line(supervised: SupervisedRun | None) -> bytes:
    """Return what LACONIC_VERBOSE adds on stderr after a run; None: it was given up."""
    if supervised is None or supervised.result is None:
        said = "shown as it is, because of a fault"
    else:
        said = supervised.explain()
    return f"laconic: {said}\n".encode("utf-8", "backslashreplace")


def complain(error: StartError) -> int:
    """Print why a command did not start, as the shell would; return the exit status."""
    Printer().write(ERR, f"laconic: {error}\n".encode("utf-8", "surrogateescape"))
    return error.status


def _plan_first(task: Task, environ: Mapping[str, str]) -> RunPlan | None:
    """Plan before the command starts; raises UsageError for a filter that does not exist.

    With a pipe we must know whether the whole output is needed, because `head` ends a command
    early.
    """
    from laconic.run.plan import plan_run  # noqa: PLC0415

    try:
        return plan_run(task, environ)
    except UsageError:
        raise
    except Exception:  # noqa: BLE001 - after a fault of ours the command runs as typed
        return None


def as_typed(task: Task) -> list[str]:
    """Rebuild the command with the pipe that was taken off; client/run.c does the same."""
    if not task.pipe:
        return task.started
    both = "2>&1 " if task.pipe_stderr else ""
    line = f'"$@" {both}| {task.pipe}'
    if task.pipefail:  # not every shell has pipefail, so descriptor 3 carries the command's status
        command = f'{{ "$@" {both}3>&- 4>&-; echo $? >&3; }}'
        pipeline = f"{{ {command} | {{ {task.pipe}; }} >&4 3>&- 4>&-; }} 3>&1"
        line = f"{{ status=$({pipeline}); }} 4>&1 || exit; exit $status"
    return ["/bin/sh", "-c", line, "sh", *task.started]


def _run_into_pipe(task: Task, environ: Mapping[str, str]) -> int:
    from laconic.run.pipes import run_piped  # noqa: PLC0415 - few commands have a pipe
    from laconic.secrets.mask import masker_for  # noqa: PLC0415

    printer = Printer()
    printer.mask = masker_for(environ)
    status, picked = run_piped(
        task.started, task.pipe, environ, printer, with_stderr=task.pipe_stderr
    )
    printer.finish()
    if task.pipefail:
        return picked or status
    if status not in (0, _BROKEN_PIPE) and not picked:
        from laconic.compact.view import masked_status_notice  # noqa: PLC0415 - seldom

        printer.write(OUT, masked_status_notice(task.name, status).encode())
    return picked


class LocalRun:
    """Runs one command in a process of ours.

    fault: the error in our own part, if there was one. supervised: None until the command runs, and
    after a fault in planning how to show its output.
    """

    def __init__(
        self,
        task: Task,
        environ: Mapping[str, str],
        printer: Printer | None = None,
        plan: RunPlan | None = None,
    ) -> None:
        self._task, self._environ, self._plan = task, environ, plan
        self._printer = printer or Printer()
        self._started = time.monotonic()
        self._runner: Runner
        self.supervised: SupervisedRun | None = None
        self.fault: Exception | None = None
        self._notice = b""

    def run(self) -> int:
        """Run the command; return its exit status. Raises StartError if it cannot be started."""
        task = self._task
        is_merged = are_same(1, 2) and (task.pipe_stderr or not task.pipe)
        streams = (BOTH,) if is_merged else (OUT,) if is_kept_file(2, self._environ) else (OUT, ERR)
        try:
            spool = open_spool(
                state_directory(self._environ), new_id(), streams, task.command, self._environ
            )
        except OSError:
            become(as_typed(task), self._environ)  # output that cannot be kept must not be hidden
        self._runner = Runner(spool, self._printer)
        try:
            self._runner.start(task.started, self._environ, tells_at_once=bool(task.box))
        except StartError:
            spool.remove()
            raise
        except OSError:  # too many processes or open files
            spool.remove()
            become(as_typed(task), self._environ)
        self._attempt(self._supervise)
        status = self._finish(self._wait())
        self._printer.finish()
        if self._notice:
            self._printer.write(ERR, self._notice)
        with contextlib.suppress(OSError):
            self._runner.finish()
        if self._runner.child.was_interrupted:
            _die_of(signal.SIGINT)
        return status

    def _attempt(self, step: Callable[[], None]) -> None:
        """Run a step of our own; its faults never reach the command."""
        if self.fault is None:
            try:
                step()
            except Exception as error:  # noqa: BLE001 - see above
                self.fault = error

    # -- while it runs

    def _wait(self) -> int:
        try:
            return self._runner.wait(self._tick)
        except Exception as error:  # noqa: BLE001 - the command runs, so we must wait for it
            self.fault = error
            return self._runner.wait_plainly()

    def _supervise(self) -> None:
        from laconic.run.supervise import SupervisedRun  # noqa: PLC0415 - loads while the command runs
        from laconic.secrets.mask import masker_for  # noqa: PLC0415

        self._printer.mask = masker_for(self._environ)
        self.supervised = SupervisedRun(self._task, self._environ, self._runner, self._plan)

    def _tick(self) -> None:
        if self.supervised and time.monotonic() - self._started > _FOLLOW_AFTER_S:
            self._attempt(self.supervised.follow)

    # -- when it has ended

    def _finish(self, status: int) -> int:
        runner, supervised = self._runner, self.supervised
        if self._task.notice is not None:
            self._attempt(lambda: self._take_notice(status))
        duration_s = time.monotonic() - self._started
        result = None
        if not runner.is_raw:
            if supervised and not self._printer.gone:
                self._attempt(lambda: self._deliver(supervised, status, duration_s))
                result = supervised.result
            if result is None:
                status = self._deliver_as_typed(status)
        if runner.is_raw or not runner.is_open:  # else it is adopted when its writers have ended
            runner.spool.remove()
        return result.status if result else status

    def _take_notice(self, status: int) -> None:
        from laconic.run.supervise import notice_of  # noqa: PLC0415 - it is loaded by now

        self._notice = notice_of(self._task, self._runner.spool, status)

    def _deliver(self, supervised: SupervisedRun, status: int, duration_s: float) -> None:
        supervised.finish(status)
        supervised.record(duration_s)

    def _deliver_as_typed(self, status: int) -> int:
        """After a fault, or without a reader, print the output as it is, or what its pipe picks."""
        runner, pipe = self._runner, self._task.pipe
        if not pipe:
            runner.print_raw()
            return status
        from laconic.run.pipes import pick  # noqa: PLC0415

        stream = BOTH if BOTH in runner.spool.handles else OUT
        try:
            picked, data = pick(pipe, runner.spool.path(stream), self._environ)
        except (OSError, StartError):
            runner.print_raw()
            return status
        runner.printer.write(stream, data)
        if stream == OUT:
            runner.printer.write(ERR, runner.spool.read(ERR, 0, runner.spool.size(ERR)))
        return picked or status if self._task.pipefail else picked


def _die_of(number: int) -> None:
    """Die of a signal ourselves, so that a waiting shell sees Ctrl-C and ends its loop as well.

    https://www.cons.org/cracauer/sigint.html
    """
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)

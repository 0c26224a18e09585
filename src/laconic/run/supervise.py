"""Supervises one command: plans how its output is shown, shows what is certain, then the rest.

The command may run here (`run/execute`) or in a client of the server (`server/run_handler`); both
pass the output that they have, and print what is written to its printer.
"""

from __future__ import annotations

from laconic.compact.shapes.passes import load_shapes
from laconic.compact.view import RUN, View
from laconic.record.journal import line_of
from laconic.record.runs import row_of
from laconic.run.finished import FinishedOutput
from laconic.run.follow_filter import follower
from laconic.run.plan import plan_run
from laconic.run.result import prepare, record_result, run_of
from laconic.run.spool import BOTH, ERR, OUT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from laconic.run.follow import Follower, Output
    from laconic.run.plan import RunPlan
    from laconic.run.result import RunResult
    from laconic.run.spool import Spool
    from laconic.run.task import Task

_NOTED_BYTES = 1 << 16  # of the end of each stream


def notice_of(task: Task, spool: Spool, status: int) -> bytes:
    """Return what is to be said after a command, from its status and the end of its output."""
    if task.notice is None:
        return b""
    texts = {}
    for stream in spool.handles:
        size = spool.size(stream)
        data = spool.read(stream, max(0, size - _NOTED_BYTES), size)
        texts[stream] = data.decode("utf-8", "replace")
    out = texts.get(BOTH) or texts.get(OUT, "")
    return task.notice(status, out, texts.get(ERR, "")).encode("utf-8", "backslashreplace")


class SupervisedRun:
    """One command, from its start to the entry in the records.

    result: what was printed at its end, or was about to be when a fault stopped us.
    """

    def __init__(
        self, task: Task, environ: Mapping[str, str], output: Output, plan: RunPlan | None = None
    ) -> None:
        """Plan how to show the output, unless there is a plan already.

        Raises UsageError if the task asks for a filter that does not exist.
        """
        self._task, self._environ, self._output = task, environ, output
        self.plan = plan or plan_run(task, environ)
        if not output.spool.records:  # what cannot be kept must not be hidden
            self.plan.view = View(RUN, is_exact=True)
        if self.plan.view.filter:
            load_shapes(self.plan.view.filter.shapes)  # while the command runs
        self.result: RunResult | None = None
        self._source: FinishedOutput
        self._followers: dict[str, Follower] = {}
        # If the whole output is needed, or a filter took too long, everything waits for the end.
        self._waits_for_end = bool(task.pipe) or task.mode != "run" or output.printer.is_silent

    def follow(self) -> None:
        """Print what is certain of the output of a command that still runs."""
        view = self.plan.view
        for stream in () if self._waits_for_end else self._output.spool.handles:
            if stream not in self._followers:
                made = follower(self._output, stream, view.filter, is_exact=view.is_exact)
                self._followers[stream] = made
            if not self._followers[stream].tick():
                self._waits_for_end = True

    def finish(self, status: int) -> RunResult:
        """Print the rest of the output of a command that has ended; keep what that hides."""
        for following in self._followers.values():
            following.finish()
        self._source = FinishedOutput(self._output, self._followers)
        result = prepare(self._task, self.plan, self._source, status, self._environ)
        self.result = result
        if result.texts is None:
            self._output.print_raw()
        else:
            for stream, data in result.texts.items():
                self._output.printer.write(stream, data)
        return result

    def record(self, duration_s: float) -> None:
        """Record the finished run; this may take a moment, so everything is printed before."""
        assert self.result is not None
        record_result(self._task, self.plan, self.result, self._source, duration_s, self._environ)

    def line(self, duration_s: float) -> bytes:
        """Return the line of the journal for the finished run, for whoever writes it down."""
        assert self.result is not None
        given = (self._task, self.plan, self.result, self._source, duration_s, self._environ)
        return line_of("runs", row_of(run_of(*given)))

    def explain(self) -> str:
        """Say what was done and why, in one line."""
        result, view = self.result, self.plan.view
        assert result is not None
        if result.texts is None:
            why = view.problem or "nothing to hide"
            return f"{view.name or 'exact output'}: shown as it is: {why}"
        return f"{result.filter_id}: {result.hidden} of {result.total} lines hidden"

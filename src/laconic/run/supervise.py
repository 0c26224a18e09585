"""Supervises one command: plans how its output is shown, shows what is certain, then the rest.

The command may run here (`run/execute`) or in a client of the server (`server/run_handler`); both
give the output that they have, and print what is written to its printer.
"""

from __future__ import annotations

from laconic.run.follow import Follower, follower
from laconic.run.plan import choose
from laconic.run.result import Source, prepare, write_down

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from laconic.run.follow import Output
    from laconic.run.plan import Choice
    from laconic.run.result import Delivery
    from laconic.run.task import Task


class SupervisedRun:
    """One command, from its start to the entry in the records.

    delivery: what was printed at its end, or was about to be when a fault stopped us.
    """

    def __init__(
        self, task: Task, environ: Mapping[str, str], output: Output, choice: Choice | None = None
    ) -> None:
        """Choose how to show the output, unless that is already known.

        Raises UsageError if the task asks for a filter that does not exist.
        """
        self._task, self._environ, self._output = task, environ, output
        self.choice = choice or choose(task, environ)
        self.delivery: Delivery | None = None
        self._source: Source
        self._followers: dict[str, Follower] = {}
        # If the whole output is needed, or a filter took too long, everything waits for the end.
        self._waits_for_end = bool(task.pipe) or task.mode != "run" or output.printer.is_silent

    def follow(self) -> None:
        """Print what is certain of the output of a command that still runs."""
        view = self.choice.view
        for stream in () if self._waits_for_end else self._output.spool.handles:
            if stream not in self._followers:
                made = follower(self._output, stream, view.filter, is_exact=view.is_exact)
                self._followers[stream] = made
            if not self._followers[stream].tick():
                self._waits_for_end = True

    def finish(self, status: int) -> Delivery:
        """Print the rest of the output of a command that has ended; keep what that hides."""
        self._source = Source(self._output, self._followers)
        delivery = prepare(self._task, self.choice, self._source, status, self._environ)
        self.delivery = delivery
        if delivery.texts is None:
            self._output.print_raw()
        else:
            for stream, data in delivery.texts.items():
                self._output.printer.write(stream, data)
        return delivery

    def record(self, duration_s: float) -> None:
        """Record the finished run; this may take a moment, so everything is printed before."""
        assert self.delivery is not None
        write_down(self._task, self.choice, self.delivery, self._source, duration_s, self._environ)

    def explain(self) -> str:
        """Say what was done and why, in one line."""
        delivery, view = self.delivery, self.choice.view
        assert delivery is not None
        if delivery.texts is None:
            why = view.problem or "nothing to hide"
            return f"{view.name or 'exact output'}: shown as it is: {why}"
        return f"{delivery.filter_id}: {delivery.hidden} of {delivery.total} lines hidden"

"""laconic wrap: run a command line in a shell, and compact its output by the command inside."""

from __future__ import annotations

from laconic.cli import run
from laconic.errors import UsageError
from laconic.run.execute import Attendance, complain, execute
from laconic.run.options import RAW, Flag, read_flags
from laconic.run.printer import Collector
from laconic.run.process import StartError
from laconic.run.task import Task, as_word
from laconic.settings.environ import environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

FLAGS = (
    RAW,
    Flag("--format", "`text` (the default) or `json`", "FORMAT"),
    Flag("--trace", "with `--format json`: also print which command was recognised"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    run.add_arguments(parser, FLAGS)


def direct(argv: list[str]) -> int:
    values, command = read_flags("wrap", argv, FLAGS)
    if values["--format"] not in ("", "text", "json"):
        raise UsageError(f"there is no format {values['--format']!r}", "--format text or json")
    task = Task(command)
    task.is_wrapped, task.is_raw = True, bool(values["--raw"])
    if values["--format"] == "json":
        return _print_json(task, has_trace=bool(values["--trace"]))
    return execute(task, run.report)


def _print_json(task: Task, *, has_trace: bool) -> int:
    import json  # noqa: PLC0415 - for this option only

    collector = Collector()
    attendance = Attendance(task, environment(), collector)
    try:
        status = attendance.run()
    except StartError as error:
        return complain(error)
    print(json.dumps({"version": 1, "result": _result(attendance, collector, status, has_trace)}))
    return status


def _result(
    attendance: Attendance, collector: Collector, status: int, has_trace: bool
) -> dict[str, Any]:
    delivery = attendance.delivery
    raw = delivery.raw_tokens if delivery else 0
    shown = delivery.shown_tokens if delivery else 0
    result: dict[str, Any] = {
        "exitCode": status,
        "stdout": collector.collected[1].decode("utf-8", "replace"),
        "stderr": collector.collected[2].decode("utf-8", "replace"),
        "rawTokens": raw,
        "shownTokens": shown,
        "ratio": round(shown / raw, 4) if raw else 1,
        "rawId": delivery.raw_id if delivery else "",
    }
    if has_trace:
        result["trace"] = _trace(attendance)
    return result


def _trace(attendance: Attendance) -> dict[str, Any]:
    """Describe the command that was recognised, with the field names of similar tools."""
    choice = attendance.choice
    if choice is None:
        return {"fault": repr(attendance.fault)}
    inner, view = choice.inner, choice.view
    words = [argument.text or "" for argument in inner.arguments]
    return {
        "normalizedCommand": inner.command or " ".join(map(as_word, words)),
        "normalizedArgv": words,
        "matchedReducer": view.name or None,
        "family": view.name.partition("/")[0] or "exact",
    }

"""laconic wrap: run a command line in a shell, and compact its output by the command inside."""

from __future__ import annotations

import argparse
from typing import Any

from laconic.cli import run
from laconic.errors import UsageError
from laconic.run.execute import LocalRun, complain, execute
from laconic.run.options import RAW, Flag, read_flags, task_of
from laconic.run.printer import Collector
from laconic.run.process import StartError
from laconic.run.task import Task, as_word
from laconic.settings.environ import environment

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
    task = task_of("wrap", values, command)
    if values["--format"] == "json":
        return _print_json(task, has_trace=bool(values["--trace"]))
    return execute(task, run.report)


def _print_json(task: Task, *, has_trace: bool) -> int:
    import json  # noqa: PLC0415 - for this option only

    collector = Collector()
    local = LocalRun(task, environment(), collector)
    try:
        status = local.run()
    except StartError as error:
        return complain(error)
    print(json.dumps({"version": 1, "result": _result(local, collector, status, has_trace)}))
    return status


def _result(local: LocalRun, collector: Collector, status: int, has_trace: bool) -> dict[str, Any]:
    result = local.supervised.result if local.supervised else None
    raw = result.raw_tokens if result else 0
    shown = result.shown_tokens if result else 0
    printed: dict[str, Any] = {
        "exitCode": status,
        "stdout": collector.collected[1].decode("utf-8", "replace"),
        "stderr": collector.collected[2].decode("utf-8", "replace"),
        "rawTokens": raw,
        "shownTokens": shown,
        "ratio": round(shown / raw, 4) if raw else 1,
        "rawId": result.raw_id if result else "",
    }
    if has_trace:
        printed["trace"] = _trace(local)
    return printed


def _trace(local: LocalRun) -> dict[str, Any]:
    """Describe the command that was recognised, with the field names of similar tools."""
    if local.supervised is None:
        return {"fault": repr(local.fault)}
    inner, view = local.supervised.plan.inner, local.supervised.plan.view
    words = [argument.text or "" for argument in inner.arguments]
    return {
        "normalizedCommand": inner.command or " ".join(map(as_word, words)),
        "normalizedArgv": words,
        "matchedReducer": view.name or None,
        "family": view.name.partition("/")[0] or "exact",
    }

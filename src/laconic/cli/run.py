"""laconic run: run a command and show the important parts of its output."""

from __future__ import annotations

from laconic.run.execute import execute
from laconic.run.options import FLAGS, RAW, Flag, read_task

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence


def add_arguments(parser: argparse.ArgumentParser, flags: Sequence[Flag] = FLAGS) -> None:
    for flag in flags:
        if flag.value:
            parser.add_argument(flag.name, metavar=flag.value, help=flag.help)
        else:
            parser.add_argument(flag.name, action="store_true", help=flag.help)
    parser.add_argument("command", nargs="+", metavar="COMMAND", help="the command as it is typed")


def add_view_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `laconic err`, `test` and `summary`, whose only flag is --raw."""
    add_arguments(parser, (RAW,))


def direct(argv: list[str]) -> int:
    task = read_task("run", argv)
    if task.is_boxed:
        from laconic.cli.box import run_boxed  # noqa: PLC0415 - few commands run there

        return run_boxed(task)
    if task.is_outside:
        from laconic.cli.outside import run_outside  # noqa: PLC0415 - fewer still

        return run_outside(task)
    return execute(task, report)


def run_as(mode: str, argv: list[str]) -> int:
    """Run a command and show its output in a named view: err, test or summary."""
    return execute(read_task(mode, argv), report)


def report(error: Exception) -> None:
    from laconic.record.bug_report import write_report  # noqa: PLC0415 - a bug is rare

    write_report(error)

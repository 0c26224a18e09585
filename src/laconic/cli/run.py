"""laconic run: run a command and show what matters of its output.

Reads its own few flags by hand: what stands behind the command's name belongs to the command, and
argparse takes longer to load than most commands take to run.
"""

from __future__ import annotations

from laconic.errors import UsageError
from laconic.run.execute import execute
from laconic.run.task import Task

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence


class Flag:
    """A flag of our own; value: what its value is called in the help, if it has one."""

    __slots__ = ("help", "name", "value")

    def __init__(self, name: str, help: str, value: str = "") -> None:  # noqa: A002 - argparse's word
        self.name, self.help, self.value = name, help, value


RAW = Flag("--raw", "show the output as it is")
FLAGS = (
    Flag("--baseline-pipe", "the `head`, `tail` or `grep` that stood behind the command", "PIPE"),
    Flag("--pipe-stderr", "the pipe takes stderr as well"),
    Flag("--pipefail", "the exit status is the command's if the pipe hides it"),
    Flag("--prefer-less", "show what the pipe makes of the output if that is less"),
    RAW,
    Flag("--filter", "use this filter", "ID"),
)


def add_arguments(parser: argparse.ArgumentParser, flags: Sequence[Flag] = FLAGS) -> None:
    for flag in flags:
        if flag.value:
            parser.add_argument(flag.name, metavar=flag.value, help=flag.help)
        else:
            parser.add_argument(flag.name, action="store_true", help=flag.help)
    parser.add_argument("command", nargs="+", metavar="COMMAND", help="the command as it is typed")


def direct(argv: list[str]) -> int:
    return execute(read_task(argv), report)


def read_task(argv: list[str]) -> Task:
    """What the words behind `laconic run` ask for."""
    values, command = read_flags("run", argv, FLAGS)
    task = Task(command)
    task.pipe, task.filter_id = values["--baseline-pipe"], values["--filter"]
    task.pipe_stderr, task.pipefail = bool(values["--pipe-stderr"]), bool(values["--pipefail"])
    task.prefer_less, task.is_raw = bool(values["--prefer-less"]), bool(values["--raw"])
    return task


def run_as(mode: str, argv: list[str]) -> int:
    """Run a command whose output is shown in one of the views that have a name."""
    values, command = read_flags(mode, argv, (RAW,))
    task = Task(command, mode)
    task.is_raw = bool(values["--raw"])
    return execute(task, report)


def report(error: Exception) -> None:
    from laconic.cli.bug import write_report  # noqa: PLC0415 - a bug is rare

    write_report(error)


def read_flags(
    name: str, argv: Sequence[str], flags: Sequence[Flag]
) -> tuple[dict[str, str], list[str]]:
    """Give our flags with their values, and the command behind them."""
    known = {flag.name: flag for flag in flags}
    values = dict.fromkeys(known, "")
    words = list(argv)
    while words and words[0].startswith("-"):
        word = words.pop(0)
        if word == "--":
            break
        key, is_joined, value = word.partition("=")
        flag = known.get(key)
        if flag is None or (is_joined and not flag.value):
            raise UsageError(f"unrecognized arguments: {word}", f"laconic {name} --help")
        if flag.value and not is_joined:
            if not words:
                raise UsageError(f"{key} needs a value", f"laconic {name} --help")
            value = words.pop(0)
        values[key] = value if flag.value else "1"
    if not words:
        raise UsageError(f"{name} needs a command", f"laconic {name} --help")
    return values, words

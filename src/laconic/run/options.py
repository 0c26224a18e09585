"""Reads the flags of `laconic run` and similar commands, up to the command's name.

It does not use argparse, which takes longer to load than most commands take to run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from laconic.errors import UsageError
from laconic.run.task import Task


class Flag:
    """A flag of our own; value: the name of its value in the help, if it has one."""

    def __init__(self, name: str, help: str, value: str = "") -> None:  # noqa: A002 - argparse's word
        self.name, self.help, self.value = name, help, value


RAW = Flag("--raw", "show the output as it is")
FLAGS = (
    Flag("--baseline-pipe", "the `head`, `tail` or `grep` that followed the command", "PIPE"),
    Flag("--pipe-stderr", "the pipe takes stderr as well"),
    Flag("--pipefail", "the exit status is the command's if the pipe hides it"),
    Flag("--prefer-less", "show what the pipe makes of the output if that is less"),
    RAW,
    Flag("--filter", "use this filter", "ID"),
    Flag("--box", "run the command in the box of this project"),
    Flag("--project", "with --box: the project, if it is not the one of this directory", "DIR"),
    Flag("--outside", "run the command without the box; the gate says whether that may be"),
    Flag("--undo", "keep what the command will change; `laconic undo` brings it back"),
)


def read_task(name: str, argv: Sequence[str]) -> Task:
    """Build the task from the words after `laconic run`, `wrap`, `err`, `test` or `summary`."""
    return task_of(name, *read_flags(name, argv, FLAGS if name == "run" else (RAW,)))


def task_of(name: str, values: Mapping[str, str], command: list[str]) -> Task:
    """Build the task from the values of our flags and the command after them."""
    task = Task(command, "run" if name == "wrap" else name)
    task.is_wrapped, task.is_raw = name == "wrap", bool(values["--raw"])
    if name == "run":
        task.pipe, task.filter_id = values["--baseline-pipe"], values["--filter"]
        task.pipe_stderr, task.pipefail = bool(values["--pipe-stderr"]), bool(values["--pipefail"])
        task.prefer_less = bool(values["--prefer-less"])
        task.is_boxed, task.is_outside = bool(values["--box"]), bool(values["--outside"])
        task.wants_undo, task.project = bool(values["--undo"]), values["--project"]
        if task.project and not task.is_boxed:
            raise UsageError("--project goes with --box", "laconic run --help")
    return task


def read_flags(
    name: str, argv: Sequence[str], flags: Sequence[Flag]
) -> tuple[dict[str, str], list[str]]:
    """Return our flags with their values, and the command after them."""
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
            raise UsageError(f"unrecognized arguments: {word}", _hint(name, key, known))
        if flag.value and not is_joined:
            if not words:
                raise UsageError(f"{key} needs a value", f"laconic {name} --help")
            value = words.pop(0)
        values[key] = value if flag.value else "1"
    if not words:
        raise UsageError(f"{name} needs a command", f"laconic {name} --help")
    return values, words


def _hint(name: str, word: str, known: Iterable[str]) -> str:
    from laconic.settings.schema import closest  # noqa: PLC0415 - only people who mistyped pay for it

    names = {flag.strip("-"): flag for flag in known}
    typed = word.strip("-")
    alike = [name for name in names if name[:1] == typed[:1]]  # the first letter is seldom wrong
    best = names.get(closest(typed, alike))
    return f"did you mean: laconic {name} {best}" if best else f"laconic {name} --help"

"""laconic -c 'line': serves as the shell of make and just, and compacts each command of a line.

https://www.gnu.org/software/make/manual/html_node/Choosing-the-Shell.html
https://just.systems/man/en/configuring-the-shell.html
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from laconic.errors import UsageError
from laconic.machine import processes
from laconic.patterns import pattern
from laconic.run.execute import complain
from laconic.run.process import StartError, become
from laconic.run.shell_call import end_of_options
from laconic.run.task import as_word
from laconic.settings.environ import environment, is_switched_off

_SHELL = "sh"
_NAME = pattern(r"[\w./+@%:,-]+")
_TASK_RUNNER = pattern(rb"(?:g|b|re)?make|just")


class ShellLine:
    """A line for the shell: its own options, the line, and its parameters ($0, $1...)."""

    def __init__(self, options: Sequence[str], text: str, parameters: Sequence[str]) -> None:
        self.options, self.text, self.parameters = list(options), text, list(parameters)


def direct(argv: list[str]) -> int:
    line = read_line(argv)
    environ = environment()
    text = line.text
    if not is_switched_off(environ):
        text = rewritten(line.text, environ, processes.own_number())
    try:
        become([_SHELL, *line.options, text, *line.parameters], environ)
    except StartError as error:
        return complain(error)


def read_line(argv: Sequence[str]) -> ShellLine:
    """Read the arguments with which make, just or a shim calls us.

    One argument after -c is a line. Several are the words of a command, unless the first is more
    than a name: then it is a line, and the others are its parameters, as for any shell.
    """
    behind = end_of_options(argv)
    assert behind is not None
    options, words = argv[:behind], argv[behind:]
    if not words:
        raise UsageError("-c needs a command line", "laconic -c 'git status'")
    if len(words) > 1 and _NAME.fullmatch(words[0]):
        return ShellLine(options, " ".join(map(as_word, words)), ())
    return ShellLine(options, words[0], words[1:])


def is_read_by_runner(process: int) -> bool:
    """Tell whether make or just reads what a process prints: for `$(shell ..)` or backquotes.

    The output of a recipe goes where the runner's own output goes. If that is unknown: True.
    """
    try:
        parent = processes.parent_of(process)
        if not _TASK_RUNNER.fullmatch(processes.name_of(parent)):
            return False
        return processes.file_of(process, 1) != processes.file_of(parent, 1)
    except OSError:
        return True


def rewritten(text: str, environ: Mapping[str, str], process: int) -> str:
    """Return the line with `laconic run` inserted; in doubt, and after a fault, unchanged.

    process: the process that was started as a shell.
    """
    if is_read_by_runner(process):
        return text
    from laconic.knowledge.catalog import library  # noqa: PLC0415 - not when filters are off
    from laconic.rewrite.from_config import options  # noqa: PLC0415
    from laconic.rewrite.plan import rewrite  # noqa: PLC0415
    from laconic.settings.load import read_settings  # noqa: PLC0415

    try:
        settings = read_settings(environ)
        if not settings.config.compact.enabled:
            return text
        wanted = options(settings)
        wanted.launcher = launcher(sys.argv[0])
        result = rewrite(text, wanted, library())
    except Exception:  # noqa: BLE001 - the line must run
        return text
    if settings.environment.verbose:
        for note in result.notes:
            part = text.encode("utf-8", "surrogateescape")[note.start : note.end]
            shown = part.decode("utf-8", "backslashreplace")
            print(f"laconic: {note.action}: {shown}: {note.reason}", file=sys.stderr, flush=True)
    return result.text


def launcher(program: str) -> str:
    """Return the words that start this same laconic again."""
    if program.endswith("__main__.py"):
        return f"{as_word(sys.executable)} -m laconic"
    return as_word(program) if "/" in program else "laconic"

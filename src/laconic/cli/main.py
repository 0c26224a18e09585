"""The command line: its commands, and how errors become messages and exit statuses.

Exit status: 0 done, 1 an error that the user can correct, 2 a wrong command line, 70 a bug in
laconic, 130 Ctrl-C.  A reader that closes the pipe early (`| head`) is not an error.
"""

from __future__ import annotations

import os
import sys

from laconic.errors import LaconicError, UsageError
from laconic.run.shell_call import is_shell_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from laconic.cli.parser import Parser


class Command:
    """A command; its module laconic.cli.<module> has add_arguments(parser) and main(args).

    is_direct: it has direct(argv) instead of main, because it must start fast and because the words
    after its own flags belong to another program. is_view: it is `laconic run` with another view of
    the output, so laconic.cli.run serves it.
    """

    def __init__(
        self,
        name: str,
        help: str,  # noqa: A002 - argparse's word
        *,
        is_direct: bool = False,
        is_view: bool = False,
        module: str = "",
    ) -> None:
        self.name, self.help, self.is_direct, self.is_view = name, help, is_direct, is_view
        self.module = "run" if is_view else module or name


# The groups of `laconic --help`, in its order.
GROUPS = {
    "every day": (
        Command("status", "show what laconic does here, what it saved and what it asked"),
        Command("run", "run a command and show the important parts of its output", is_direct=True),
        Command("err", "show only errors and warnings of a command", is_view=True),
        Command("test", "show only failures and the result of a test run", is_view=True),
        Command("summary", "show head, tail and errors of the output", is_view=True),
        Command("compact", "shorten an output that another program has captured, in JSON"),
        Command("recall", "print the whole output of a command that laconic compacted"),
        Command("undo", "take back what a command changed"),
        Command(
            "try",
            "run a command, show what it would change, and change nothing",
            is_direct=True,
            module="attempt",  # `try` is a word of Python's
        ),
        Command("keep", "do what a command that was tried would have changed"),
        Command("drop", "forget what a command that was tried would have changed"),
        Command("gain", "say how many tokens laconic saved"),
        Command("history", "print the last commands that laconic ran"),
        Command("log", "print the decisions that were made, and what was asked most"),
        Command("report", "write what was saved, asked and denied as a page of HTML"),
        Command("dashboard", "serve that page on this machine, live"),
        Command("export", "send figures to a collector, or write them as Parquet"),
        Command("purge", "remove the outputs that laconic keeps, and what undo keeps"),
        Command("help", "explain a command"),
        Command("version", "print the version"),
        Command("completions", "print the completions for your shell"),
    ),
    "policy": (
        Command("check", "say whether a command may run"),
        Command("explain", "say why a command may or may not run, part by part"),
        Command("allow", "let a command run for a while, in this project"),
        Command("rewrite", "print what would run instead of a command"),
        Command("box", "run a command in a sandbox limited to its project", is_direct=True),
        Command("replay", "say what laconic would have done in past sessions"),
        Command("tune", "propose rules that would have saved most prompts"),
        Command("config", "show, change and check the configuration"),
        Command("policy", "sign a policy for machines, put it in force, and say which one is"),
        Command("trust", "let a project's files change what laconic does"),
        Command("untrust", "stop trusting a project's files"),
    ),
    "agents": (
        Command("install", "put laconic into the settings of coding agents"),
        Command("uninstall", "take laconic out of the settings of coding agents"),
        Command("doctor", "check whether laconic works"),
        Command("hook", "answer the hook of an agent"),
        Command("mcp", "serve a guarded shell to clients that speak MCP"),
        Command("server", "show or stop the server that makes hooks fast"),
        Command(
            "wrap",
            "run a line in a shell and show the important parts of its output",
            is_direct=True,
        ),
    ),
    "for authors": (
        Command("filters", "print, test and write what compacts the output of commands"),
        Command("rules", "print and test what laconic knows about programs"),
        Command("stats", "show how often filtered output was recalled"),
        Command("parse", "print the parse tree of a command"),
    ),
}
_OPTIONS = ("--help", "--version", "--color")
COMMANDS = tuple(command for commands in GROUPS.values() for command in commands)


def build_parser(only: str | None = None) -> Parser:
    """Build the parser; with `only`, load only that command's module."""
    from laconic.cli import parser  # noqa: PLC0415 - argparse is slow to load, and not every call needs it

    return parser.build_parser(GROUPS, only)


def main(argv: list[str]) -> int:
    if is_shell_call(argv):
        from laconic.run import shell_line  # noqa: PLC0415 - for `laconic -c 'line'` alone

        return shell_line.direct(argv)
    command = _direct_command(argv)
    if command is not None:
        return _run_directly(command, argv[1:])
    if argv[:1] and argv[0].partition("=")[0] == "--color":
        size = 1 if "=" in argv[0] else 2
        _without_color(argv[:size])
        if _direct_command(argv[size:]) is not None:  # what follows has colours of its own
            return main(argv[size:])
    argv = _without_color(argv) or ["status"]
    chosen = next((word for word in argv if not word.startswith("-")), "")
    if argv[:1] != [chosen] and argv[:1] not in (["-h"], ["--help"], ["--version"]):
        raise UsageError(f"there is no option {argv[0]!r}", _nearest_option(argv[0]))
    if chosen and chosen not in {command.name for command in COMMANDS}:
        raise UsageError(f"there is no command {chosen!r}", _nearest(chosen))
    parser = build_parser(only=chosen)
    args, rest = parser.parse_known_args(argv)
    if rest:
        hint = parser.hint_for(argv, rest[0])
        first = next(iter(getattr(args, "command", None) or [""]))
        if first.isalnum() and argv.index(first) < argv.index(rest[0]):
            hint = f"put the command in quotes: laconic {chosen} '{first} ...'"
        raise UsageError(f"unrecognized arguments: {' '.join(rest)}", hint)
    status: int = args.main(args)
    return status


def _without_color(argv: list[str]) -> list[str]:
    """Take `--color` out, which may come anywhere; the reports ask for its value."""
    from laconic.report import screen  # noqa: PLC0415 - not for the commands above

    left: list[str] = []
    words = iter(argv)
    screen.choose("auto")  # a worker of the server serves one command line after another
    for word in words:
        name, has_value, value = word.partition("=")
        if name != "--color":
            left.append(word)
            continue
        when = value if has_value else next(words, "")
        if when not in screen.WHEN:
            raise UsageError(f"--color takes {', '.join(screen.WHEN)}", "laconic --color=never log")
        screen.choose(when)
    return left


def _direct_command(argv: list[str]) -> Command | None:
    """Return the command if it reads its own arguments; argparse prints the help."""
    if argv[1:2] in (["-h"], ["--help"]):
        return None
    matching = (c for c in COMMANDS if argv[:1] == [c.name] and (c.is_direct or c.is_view))
    return next(matching, None)


def _run_directly(command: Command, argv: list[str]) -> int:
    module = _module(command.module)
    if command.is_view:
        return module.run_as(command.name, argv)  # type: ignore[no-any-return]
    return module.direct(argv)  # type: ignore[no-any-return]


def _module(name: str) -> Any:
    from importlib import import_module  # noqa: PLC0415

    return import_module(f"laconic.cli.{name}")


def _nearest(word: str) -> str:
    from laconic.settings.schema import closest  # noqa: PLC0415 - only people who mistyped pay for it

    name = closest(word, [command.name for command in COMMANDS])
    return f"did you mean: laconic {name}" if name else "laconic --help"


def _nearest_option(word: str) -> str:
    from laconic.settings.schema import closest  # noqa: PLC0415 - as above

    name = "--version" if word in {"-v", "-V"} else closest(word, _OPTIONS)
    return f"laconic {name or '--help'}"


def run(argv: list[str]) -> int:
    """Run a command line and turn whatever happens into an exit status."""
    try:
        try:
            status = main(argv)
        except SystemExit as done:  # argparse, after --help and --version
            status = int(done.code or 0)
        if sys.stdout:
            sys.stdout.flush()
    except UsageError as error:
        return _complain(error, 2)
    except LaconicError as error:
        error.hint = error.hint or _hint_in_a_sandbox(error.__cause__)
        return _complain(error, 1)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        _silence_stdout()
        return 0
    except OSError as error:
        _silence_stdout()
        where = f"{error.filename}: " if error.filename else ""
        message = f"{where}{(error.strerror or str(error)).lower()}"
        return _complain(LaconicError(message, _hint_in_a_sandbox(error)), 1)
    except Exception as error:  # noqa: BLE001 - the last resort of the whole program
        return _report_bug(error)
    return status


def complain(message: str, hint: str = "") -> None:
    """Print a message and perhaps a hint to stderr."""
    print(LaconicError(message, hint).text, end="", file=sys.stderr)


def _complain(error: LaconicError, status: int) -> int:
    complain(error.message, error.hint)
    return status


def _hint_in_a_sandbox(error: BaseException | None) -> str:
    """Say so where something cannot be written because nothing of ours can be."""
    from laconic.record.kept import is_refused, is_writable  # noqa: PLC0415 - after a fault
    from laconic.settings.environ import environment, state_directory  # noqa: PLC0415

    if not isinstance(error, OSError) or not is_refused(error):
        return ""
    if is_writable(state_directory(environment())):
        return ""
    return "in an agent's sandbox laconic can only keep outputs; outside of it this works"


def _silence_stdout() -> None:
    """Keep Python from reporting the closed pipe again when it flushes at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


def _report_bug(error: Exception) -> int:
    from laconic.record.bug_report import write_report  # noqa: PLC0415 - a bug is rare

    complain(f"this is a bug: {type(error).__name__}: {error}", write_report(error))
    return 70


def main_entry() -> NoReturn:
    for stream in (sys.stdout, sys.stderr):
        if stream:
            # Characters that the terminal's encoding lacks are escaped instead of an error.
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        status = run(sys.argv[1:])
    except BrokenPipeError:  # nobody reads stderr
        status = 1
    sys.exit(status)

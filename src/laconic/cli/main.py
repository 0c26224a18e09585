"""The command line: its commands, and what becomes of errors.

Exit status: 0 done, 1 an error that the user can put right, 2 a wrong command line, 70 a bug in
laconic, 130 Ctrl-C.  A reader that goes away early (`| head`) is no error.
"""

from __future__ import annotations

import argparse
import os
import sys
from importlib import import_module
from typing import NamedTuple, NoReturn

from laconic import __version__
from laconic.errors import LaconicError, UsageError


class Command(NamedTuple):
    """A command; its module laconic.cli.<name> has add_arguments(parser) and main(args)."""

    name: str
    help: str


COMMANDS = (
    Command("check", "say whether a command may run"),
    Command("explain", "say why, part by part"),
    Command("rewrite", "print what would run in place of a command"),
    Command("allow", "let a command run for a while, in this project"),
    Command("recall", "print the whole output of a command that laconic compacted"),
    Command("gain", "say how many tokens laconic saved"),
    Command("history", "print the last commands that laconic ran"),
    Command("stats", "say how well the filters serve"),
    Command("log", "print the decisions that were made"),
    Command("filters", "print, test and write what compacts the output of commands"),
    Command("rules", "print and test what laconic knows of programs"),
    Command("parse", "print the parse tree of a command"),
    Command("config", "show and check the configuration"),
    Command("trust", "let a project's files change what laconic does"),
    Command("untrust", "take that back"),
    Command("completions", "print the completions for your shell"),
)


class Parser(argparse.ArgumentParser):
    """An ArgumentParser that leaves errors to the one place that prints them."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(message, f"{self.prog} --help")


def build_parser(only: str | None = None) -> Parser:
    """Build the tree; with `only`, load that command's module and no other."""
    parser = Parser(
        prog="laconic",
        description="Stands between coding agents and the shell.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"laconic {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        child = commands.add_parser(
            command.name, help=command.help, description=command.help, allow_abbrev=False
        )
        if only in {None, command.name}:
            module = import_module(f"laconic.cli.{command.name}")
            module.add_arguments(child)
            child.set_defaults(main=module.main)
    return parser


def main(argv: list[str]) -> int:
    chosen = next((word for word in argv if not word.startswith("-")), "")
    if chosen and chosen not in {command.name for command in COMMANDS}:
        raise UsageError(f"there is no command {chosen!r}", _nearest(chosen))
    args, rest = build_parser(only=chosen).parse_known_args(argv)
    if rest:
        raise UsageError(f"unrecognized arguments: {' '.join(rest)}", f"laconic {chosen} --help")
    status: int = args.main(args)
    return status


def _nearest(word: str) -> str:
    from laconic.schema import closest  # noqa: PLC0415 - only people who mistyped pay for it

    name = closest(word, [command.name for command in COMMANDS])
    return f"did you mean: laconic {name}" if name else "laconic --help"


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
        return _complain(error, 1)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        _silence_stdout()
        return 0
    except OSError as error:
        _silence_stdout()
        where = f"{error.filename}: " if error.filename else ""
        return _complain(LaconicError(f"{where}{(error.strerror or str(error)).lower()}"), 1)
    except Exception as error:  # noqa: BLE001 - the last resort of the whole program
        return _report_bug(error)
    return status


def complain(message: str, hint: str = "") -> None:
    """Say what is wrong; names of files and words of commands cannot command the terminal."""
    for line in (f"laconic: {message}", f"hint: {hint}" if hint else ""):
        if line:
            shown = (c if c.isprintable() or c == "\n" else "\ufffd" for c in line)
            print("".join(shown), file=sys.stderr)


def _complain(error: LaconicError, status: int) -> int:
    complain(error.message, error.hint)
    return status


def _silence_stdout() -> None:
    """Keep Python from complaining again when it flushes at the end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


def _report_bug(error: Exception) -> int:
    from laconic.cli.bug import write_report  # noqa: PLC0415 - a bug is rare

    complain(f"this is a bug: {type(error).__name__}: {error}", write_report(error))
    return 70


def main_entry() -> NoReturn:
    for stream in (sys.stdout, sys.stderr):
        if stream:
            # What the terminal's encoding lacks is shown escaped, never an error.
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main_entry()

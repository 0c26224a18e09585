"""Writes the manual page from what `--help` knows: commands in groups, their options, variables."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from laconic.cli.main import GROUPS, build_parser
from laconic.settings.environ import VARIABLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

STATUSES = (
    ("0", "done"),
    ("1", "an error that you can correct"),
    ("2", "a wrong command line"),
    ("70", "a bug in laconic; it prints the path of a report"),
    ("130", "Ctrl-C"),
)
FILES = (
    ("~/.config/laconic/config.toml", "your configuration"),
    (".laconic/config.toml", "that of a project, in force once you trust it"),
    ("~/.local/state/laconic/", "records, the log of decisions, kept outputs; for you alone"),
    ("~/.cache/laconic/", "what can be made again"),
)


def page() -> str:
    """Return the page in the macros of man(7)."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield '.\\" Written by `make docs`.'
    yield '.TH LACONIC 1 "" "laconic" "User Commands"'
    yield from (".SH NAME", "laconic \\- stands between coding agents and the shell")
    yield from (".SH SYNOPSIS", ".B laconic", "[\\fB\\-\\-color\\fR \\fIWHEN\\fR]")
    yield "\\fICOMMAND\\fR ..."
    yield from (".SH DESCRIPTION", "Decides, rewrites, runs and compacts the commands of agents.")
    yield "Without a command, it shows the status."
    parser = build_parser()
    yield from _options(parser)
    children = _children(parser)
    for title, commands in GROUPS.items():
        yield f'.SH "{_text(title.upper())}"'
        for command in commands:
            yield from _command(children[command.name], command.help)
    yield from (
        ".SH ENVIRONMENT",
        *_terms((v.name, f"{v.meaning}; default: {v.default}") for v in VARIABLES),
    )
    yield from _terms([("NO_COLOR", "if it is not empty, there are no colours")])
    yield from (".SH FILES", *_terms(FILES))
    yield from (
        ".SH EXIT STATUS",
        "That of the command, for those that run one. Else:",
        *_terms(STATUSES),
    )
    yield "\\fBlaconic check\\fR ends with 0 for allow, 10 for ask, 20 for deny."


def _command(parser: argparse.ArgumentParser, about: str) -> Iterator[str]:
    yield f'.SS "{_text(_usage(parser))}"'
    yield _text(about)
    yield from _options(parser)
    for child in _children(parser).values():
        if child.description:  # one without is called by laconic itself
            yield from (".TP", f"\\fB{_text(_usage(child))}\\fR", _text(child.description))
            yield from (".RS", *_options(child), ".RE")


def _usage(parser: argparse.ArgumentParser) -> str:
    """Return the command and its operands, without its options."""
    words = [parser.prog]
    for action in parser._actions:  # noqa: SLF001 - argparse has no public way to list them
        if not action.option_strings and not isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            name = str(action.metavar or "|".join(map(str, action.choices or [action.dest])))
            dots = " ..." if action.nargs in ("*", "+") else ""
            is_free = action.nargs in ("*", "?")
            words.append(f"[{name}{dots}]" if is_free else f"{name}{dots}")
    return " ".join(words)


def _options(parser: argparse.ArgumentParser) -> Iterator[str]:
    rows = []
    for action in parser._actions:  # noqa: SLF001 - as above
        if not action.option_strings or action.help == argparse.SUPPRESS or action.dest == "help":
            continue
        value = ""
        if action.nargs != 0:
            value = f" {action.metavar or '|'.join(map(str, action.choices or [action.dest]))}"
        rows.append((", ".join(action.option_strings) + value, action.help or ""))
    yield from _terms(rows)


def _children(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    for action in parser._actions:  # noqa: SLF001 - as above
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            return dict(action.choices)
    return {}


def _terms(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    for term, about in rows:
        yield from (".TP", f"\\fB{_text(term)}\\fR", _text(about.replace("`", "")))


def _text(text: str) -> str:
    """Escape what roff reads as its own; a minus sign is what a person types."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped

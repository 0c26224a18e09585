"""laconic filters: list, show, test and write filters, and say which one a command has."""

from __future__ import annotations

import difflib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from laconic import toml
from laconic.catalog import library
from laconic.cli.config import warn
from laconic.compact.lines import read_lines
from laconic.compact.match import asks_for_exact
from laconic.compact.pipeline import apply
from laconic.errors import LaconicError, UsageError
from laconic.files import read_file, write_private
from laconic.filters import DATA, FilterSet, check_bytes, load_filters
from laconic.schema import closest
from laconic.settings import read_directories, read_settings
from laconic.shell import ParseError, parse
from laconic.shell.walk import commands
from laconic.tools.arguments import evaluate

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from laconic.compact.filter import Filter
    from laconic.tools.arguments import Argument

_LONGEST_EXAMPLE = 64 * 1024


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    def action(name: str, text: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, help=text, description=text, allow_abbrev=False)

    action("list", "print every filter, its commands and where it comes from")
    show = action("show", "print the file of a filter")
    show.add_argument("id", metavar="ID", help="as `laconic filters list` prints it: cargo/test")
    test = action("test", "run the examples in filters; exit status 1 when one fails")
    test.add_argument("id", nargs="*", metavar="ID", help="a filter's id or file; all if none")
    which = action("which", "say which filter a command has, or why it has none")
    which.add_argument("command", metavar="COMMAND", help="one text, in quotes")
    new = action("new", "write a filter with an example from a real output")
    new.add_argument("id", metavar="NAME", help="its id: mytool/build")
    new.add_argument("--command", metavar="COMMAND", help="the command that wrote the output")
    new.add_argument("--status", type=int, metavar="N", help="its exit status; 0 if not given")
    new.add_argument("--from", dest="file", metavar="FILE", help="the output; - reads stdin")
    new.add_argument("--run", metavar="ID", help="take all from a run, by its id or `last`")


def main(args: argparse.Namespace) -> int:
    if args.action == "new":
        return _new(args)
    found = load_filters(read_settings(), library())
    if args.action == "test":
        return _test(found, args.id)
    warn(found.problems)
    if args.action == "list":
        return _list(found)
    return _show(found, args.id) if args.action == "show" else _which(found, args.command)


def _list(found: FilterSet) -> int:
    width = max(map(len, found.ids))
    for identifier in found.ids:
        wanted = _load(found, identifier)
        place = f"  ({wanted.source})" if identifier in found.own else ""
        print(f"{identifier:{width}}  {', '.join(wanted.commands)}{place}")
    return 0


def _show(found: FilterSet, identifier: str) -> int:
    _load(found, identifier)
    path = found.sources.get(identifier, "")
    sys.stdout.flush()
    sys.stdout.buffer.write(read_file(Path(path) if path else DATA / f"{identifier}.toml"))
    return 0


def _load(found: FilterSet, identifier: str) -> Filter:
    wanted = found.load(identifier)
    if wanted is None:
        best = closest(identifier, found.ids)
        hint = f"did you mean: {best}" if best else "laconic filters list"
        raise LaconicError(f"there is no filter {identifier!r}", hint)
    return wanted


# -- which ---------------------------------------------------------------------------------------


def _which(found: FilterSet, command: str) -> int:
    arguments = _arguments(command)
    wanted = found.filters.find(arguments)
    if wanted is not None:
        print(f"{wanted.id}  ({wanted.source})")
        return 0
    if asks_for_exact(arguments):
        reason = "it asks for exact output, or a program reads it"
    elif (hidden := found.filters.find(arguments, with_passthrough=True)) is not None:
        reason = f"an option passes {hidden.id} by; its output is shown as it is"
    elif found.filters.is_exact(arguments):
        reason = "it reads something out; its output is shown as it is"
    else:
        reason = "no filter; only a large output is compacted"
    print(f"none: {reason}")
    return 1


def _arguments(command: str) -> list[Argument]:
    try:
        script = parse(command.encode("utf-8", "surrogateescape"))
    except ParseError as error:
        raise LaconicError(f"cannot be parsed: {error}") from error
    runs = [found for found in commands(script) if found.command.words]
    if len(runs) != 1:
        raise LaconicError(f"expected one command, found {len(runs)}")
    return evaluate(runs[0].command.words, {})


# -- test ----------------------------------------------------------------------------------------


def _test(found: FilterSet, names: list[str]) -> int:
    count = wrong = 0
    warn(found.problems)
    for wanted in [_named(found, name) for name in names or found.ids]:
        for number, example in enumerate(wanted.table.get("example", ()), 1):
            count += 1
            lines = list(_difference(wanted, example))
            if lines:
                wrong += 1
                command, status = example["command"], example["status"]
                print(f"{wanted.id}: example {number}: `{command}`, status {status}")
                print("\n".join(f"  {line}" for line in lines))
        if not wanted.table.get("example"):
            wrong += 1
            print(f"{wanted.id}: has no [[example]]")
    print(f"{count} examples, {wrong} of them wrong")
    return 1 if wrong or found.problems else 0


def _named(found: FilterSet, name: str) -> Filter:
    """A filter by its id, or in a file that need not be in force."""
    if not name.endswith(".toml"):
        return _load(found, name)
    from laconic.compact.filter import Filter  # noqa: PLC0415 - for this case only

    document, problems = check_bytes(read_file(Path(name)), name)
    if problems:
        raise LaconicError(problems[0].line, problems[0].hint)
    return Filter(Path(name).stem, document, name)


def _difference(wanted: Filter, example: dict[str, Any]) -> Iterator[str]:
    raw = example["input"].encode("utf-8", "surrogateescape")
    compacted = apply(wanted, example["status"], read_lines(raw))
    got = compacted.text() if compacted else example["input"]
    if got != example["output"]:
        expected = example["output"].splitlines()
        yield from difflib.unified_diff(expected, got.splitlines(), "expected", "got", lineterm="")


# -- new -----------------------------------------------------------------------------------------


def _new(args: argparse.Namespace) -> int:
    command, status, raw = _recorded(args.run) if args.run else (args.command, 0, b"")
    command = args.command or command
    status = status if args.status is None else args.status
    if args.file:
        raw = _read(args.file)
    elif not args.run:
        raise UsageError("where is the output?", f"laconic filters new {args.id} --run last")
    if not command:
        raise UsageError("which command wrote it?", "add --command 'mytool build'")
    path = read_directories().config / "filters" / f"{args.id}.toml"
    if not path.resolve().is_relative_to((read_directories().config / "filters").resolve()):
        raise UsageError(f"{args.id!r} leads out of your filters", "name it like mytool/build")
    if path.exists():
        raise LaconicError(f"{path}: is there already", f"laconic filters show {args.id}")
    write_private(path, _draft(command, status, raw).encode())
    print(f"{path}\nnext: edit it, then: laconic filters test {args.id}")
    return 0


def _read(name: str) -> bytes:
    if name != "-":
        return read_file(Path(name), _LONGEST_EXAMPLE)
    raw = sys.stdin.buffer.read(_LONGEST_EXAMPLE + 1) if sys.stdin else b""
    if len(raw) > _LONGEST_EXAMPLE:
        raise LaconicError(f"the output is larger than {_LONGEST_EXAMPLE // 1024} KB")
    return raw


def _recorded(wish: str) -> tuple[str, int, bytes]:
    """Give the command, the exit status and the output of a run."""
    from laconic.record import queries  # noqa: PLC0415 - for this option only
    from laconic.record.database import reading  # noqa: PLC0415 - as above
    from laconic.record.store import Store  # noqa: PLC0415 - as above

    state = read_directories().state
    with reading(state) as (connection, _):
        source = queries.source(connection, wish)
        if source is None:
            raise LaconicError(f"no run has the id {wish!r}", "laconic history")
        runs = queries.history(connection, 10_000)
    status = next((run["status"] for run in reversed(runs) if run["raw_id"] == source.raw_id), 0)
    raw = b"".join(Store(state).load(source.raw_id).values())
    if len(raw) > _LONGEST_EXAMPLE:
        hint = f"laconic recall {source.raw_id} --lines 1:200 > part.txt, then --from part.txt"
        raise LaconicError(f"the output is larger than {_LONGEST_EXAMPLE // 1024} KB", hint)
    return source.command, int(str(status or 0)), raw


def _draft(command: str, status: int, raw: bytes) -> str:
    words = [a.text for a in _arguments(command) if a.is_static and a.text]
    path = [words[0].rsplit("/", 1)[-1], *(w for w in words[1:2] if w.isalpha())]
    text = raw.decode("utf-8", "replace")
    if not text.endswith("\n"):
        text += "\n"
    body = "".join(f"{toml.quote(line)[1:-1]}\n" for line in text.split("\n")[:-1])
    return f'''# What it shows and what it hides, in one or two lines.
command = [{toml.quote(" ".join(path))}]
kind = "summary"
drop = []

[[example]]
command = {toml.quote(command)}
status = {status}
input = """
{body}"""
output = """
{body}"""
'''

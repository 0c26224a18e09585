"""laconic filters: list, show, test and write filters, and say which one a command has."""

from __future__ import annotations

import argparse
import difflib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from laconic.cli import draft, filter_import
from laconic.cli.config import warn
from laconic.cli.parser import add_actions
from laconic.cli.source import read_command
from laconic.compact.filter import Filter
from laconic.compact.lines import read_lines
from laconic.compact.load import BUILT_IN, DATA, ROWS, FilterSet, check_bytes, load_filters
from laconic.compact.match import exact_option, is_passed_through
from laconic.compact.pipeline import apply
from laconic.errors import LaconicError
from laconic.files import read_file, write_private
from laconic.knowledge.arguments import Argument
from laconic.knowledge.catalog import library
from laconic.patterns import pattern
from laconic.report.progress import Progress
from laconic.report.screen import screen
from laconic.report.table import table
from laconic.settings import toml
from laconic.settings.load import read_settings
from laconic.settings.schema import closest

_OUTPUT = pattern(r'^output = """\n(.*?)^"""$', re.MULTILINE | re.DOTALL)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    action = add_actions(parser)
    listing = action("list", "print every filter, its commands and where it comes from")
    listing.add_argument("--json", action="store_true", help="print JSON")
    show = action("show", "print the file of a filter")
    show.add_argument("id", metavar="ID", help="as `laconic filters list` prints it: cargo/test")
    test = action("test", "run the examples in filters; exit status 1 when one fails")
    test.add_argument("id", nargs="*", metavar="ID", help="a filter's id or file; all if none")
    test.add_argument(
        "--update", action="store_true", help="write the actual results into your files"
    )
    which = action("which", "say which filter a command has, or why it has none")
    which.add_argument("--json", action="store_true", help="print JSON")
    which.add_argument("command", nargs="+", metavar="COMMAND", help="one text, in quotes")
    draft.add_arguments(action("new", "write a filter with an example from a real output"))
    filter_import.add_arguments(action("import", "take over filters of tokf, rules of tokenjuice"))


def main(args: argparse.Namespace) -> int:
    if args.action == "new":
        return draft.main(args)
    if args.action == "import":
        return filter_import.main(args)
    loaded = load_filters(read_settings(), library())
    if args.action == "test":
        return _test(loaded, args.id, update=args.update)
    warn(loaded.problems)
    if args.action == "list":
        return _list(loaded, as_json=args.json)
    if args.action == "show":
        return _show(loaded, args.id)
    command = read_command(args.command, "filters which")
    return _which(loaded, command, as_json=args.json)


def _list(loaded: FilterSet, *, as_json: bool) -> int:
    filters = [_load(loaded, identifier) for identifier in loaded.ids]
    if as_json:
        rows = [
            {"id": each.id, "commands": list(each.commands), "source": each.source}
            for each in filters
        ]
        print(json.dumps({"version": 1, "filters": rows}, indent=1))
        return 0
    own = {each.id: f"  ({each.source})" if each.id in loaded.own else "" for each in filters}
    cells = [[each.id, f"{', '.join(each.commands)}{own[each.id]}"] for each in filters]
    print("\n".join(table(cells, "<<", screen(), shrink=(1,))))
    return 0


def _show(loaded: FilterSet, identifier: str) -> int:
    wanted = _load(loaded, identifier)
    if wanted.is_row and wanted.source == BUILT_IN:
        print(f"{identifier} is a row of {ROWS}: the engine alone shows its output")
        print(
            "".join(f"{key} = {json.dumps(value)}\n" for key, value in wanted.table.items()), end=""
        )
        return 0
    path = loaded.sources.get(identifier, "")
    sys.stdout.flush()
    sys.stdout.buffer.write(read_file(Path(path) if path else DATA / f"{identifier}.toml"))
    return 0


def _load(loaded: FilterSet, identifier: str) -> Filter:
    wanted = loaded.load(identifier)
    if wanted is None:
        if any(problem.file.endswith(f"/filters/{identifier}.toml") for problem in loaded.problems):
            raise LaconicError(f"{identifier} is not in force: see above")
        best = closest(identifier, loaded.ids)
        hint = f"did you mean: {best}" if best else "laconic filters list"
        raise LaconicError(f"there is no filter {identifier!r}", hint)
    return wanted


# -- which ---------------------------------------------------------------------------------------


def _which(loaded: FilterSet, command: str, *, as_json: bool) -> int:
    runs = list(draft.runs_of(command))
    if not runs:
        raise LaconicError("there is no command in it", "laconic filters which 'git log -3'")
    answers = [_answer(loaded, arguments) for _, arguments in runs]
    if as_json:
        rows = [
            {
                "command": text,
                "filter": answer.partition("  ")[0] if has_filter else "",
                "why": answer,
            }
            for (text, _), (has_filter, answer) in zip(runs, answers, strict=True)
        ]
        print(json.dumps({"version": 1, "commands": rows}, indent=1))
        return 0 if any(has_filter for has_filter, _ in answers) else 1
    for (text, _), (_, answer) in zip(runs, answers, strict=True):
        print(f"{text}: {answer}" if len(runs) > 1 else answer)
    return 0 if any(has_filter for has_filter, _ in answers) else 1


def _answer(loaded: FilterSet, arguments: list[Argument]) -> tuple[bool, str]:
    """Tell whether a command has a filter, and which, or why it has none."""
    wanted = loaded.filters.find(arguments)
    if wanted is not None:
        fits = [p for p in wanted.commands if draft.is_found_by(p, wanted.id, arguments)]
        path = max(fits, key=len, default="the script of a package")
        return True, f"{wanted.id}  ({wanted.source}), for: {path}"
    if option := exact_option(arguments):
        return False, f"none: {option} asks for exact output"
    hidden = loaded.filters.find(arguments, with_passthrough=True)
    if hidden is not None:
        word = _passing(hidden, arguments)
        return False, f"none: {word} passes {hidden.id} by; its output is shown as it is"
    if loaded.filters.is_exact(arguments):
        return False, "none: it reads something out; its output is shown as it is"
    return False, "none: no filter; only a large output is compacted"


def _passing(wanted: Filter, arguments: list[Argument]) -> str:
    """Return the first word that says that all of the output is wanted."""
    ends = range(2, len(arguments) + 1)
    end = next(end for end in ends if is_passed_through(wanted, arguments[:end]))
    return arguments[end - 1].leading


# -- test ----------------------------------------------------------------------------------------


def _test(loaded: FilterSet, names: list[str], *, update: bool) -> int:
    count = wrong = 0
    warn(loaded.problems)
    filters = [_named(loaded, name) for name in names or loaded.ids]
    if update and names:
        _refuse_built_in(filters)
    progress = Progress()
    for done, wanted in enumerate(filters):
        progress(done, len(filters))
        if update and wanted.source != BUILT_IN:
            wanted = _updated(wanted)  # noqa: PLW2901 - the same filter, read again
        examples = wanted.table.get("example", ())
        for number, example in enumerate(examples, 1):
            count += 1
            lines = list(_difference(wanted, example))
            if lines:
                wrong += 1
                command, status = example["command"], example["status"]
                print(f"{wanted.id}: example {number}: `{command}`, status {status}")
                print("\n".join(f"  {line}" for line in lines))
        if not examples and not (wanted.is_row and wanted.source == BUILT_IN):
            wrong += 1
            print(f"{wanted.id}: has no [[example]]")
    progress.end()
    print(f"{count} examples, {wrong} of them wrong")
    return 1 if wrong or loaded.problems else 0


def _refuse_built_in(filters: list[Filter]) -> None:
    """Raise for a built-in filter that is asked for by its id: its file is not the user's."""
    for wanted in filters:
        if wanted.source == BUILT_IN:
            message = f"{wanted.id} is built in, and --update changes only your own files"
            path = ROWS if wanted.is_row else DATA / f"{wanted.id}.toml"
            raise LaconicError(message, f"name the file to change it: {path}")


def _updated(wanted: Filter) -> Filter:
    """Replace the expected outputs by what the stages produce, and read the file again."""
    path = Path(wanted.source)
    source = read_file(path).decode()
    results = [_result(wanted, example) for example in wanted.table.get("example", ())]
    places = list(_OUTPUT.finditer(source))
    if len(places) != len(results):
        raise LaconicError(f"{path}: not every output is written over several lines")
    for place, result in zip(reversed(places), reversed(results), strict=True):
        source = source[: place.start(1)] + draft.quoted(result) + source[place.end(1) :]
    write_private(path, source.encode())
    return Filter(wanted.id, toml.parse(source.encode()), wanted.source)


def _named(loaded: FilterSet, name: str) -> Filter:
    """Load a filter by its id, or from a file that need not be in force."""
    if not name.endswith(".toml"):
        return _load(loaded, name)
    document, problems = check_bytes(read_file(Path(name)), name)
    if problems:
        raise LaconicError(problems[0].line, problems[0].hint)
    return Filter(Path(name).stem, document, name)


def _difference(wanted: Filter, example: dict[str, Any]) -> Iterator[str]:
    got = _result(wanted, example)
    if got != example["output"]:
        expected = example["output"].splitlines()
        yield from difflib.unified_diff(expected, got.splitlines(), "expected", "got", lineterm="")


def _result(wanted: Filter, example: dict[str, Any]) -> str:
    raw = example["input"].encode("utf-8", "surrogateescape")
    compacted = apply(wanted, example["status"], read_lines(raw))
    return compacted.text() if compacted else str(example["input"])

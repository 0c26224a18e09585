"""laconic filters new: write a filter for a command, with an example from a real output."""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from laconic.compact.diagnostics import is_diagnostic
from laconic.compact.filter import Filter
from laconic.compact.lines import read_lines
from laconic.compact.load import BUILT_IN, FilterSet, load_filters
from laconic.compact.pipeline import apply
from laconic.compact.shapes.repeats import kind_of
from laconic.errors import LaconicError, UsageError
from laconic.files import read_file, write_private
from laconic.knowledge.arguments import Argument, evaluate
from laconic.knowledge.catalog import library
from laconic.patterns import pattern
from laconic.record import queries
from laconic.record.database import reading
from laconic.record.store import Store, is_id
from laconic.settings import toml
from laconic.settings.load import read_directories, read_settings
from laconic.shell import ParseError, parse
from laconic.shell import words as shell_words
from laconic.shell.walk import written

LAST = "last"
_LONGEST_EXAMPLE = 64 * 1024
_SUBCOMMAND = pattern(r"[a-z][a-z0-9_:-]*")
_MOST_RUNS, _FEWEST_RUNS = 4, 2  # beside the one that is the example; all of them
_OFTEN = 3  # lines of a kind in every run
_SHORTEST = 6  # characters of a line that do not vary
_MOST_PATTERNS = 12
_VARIED = re.escape("\0")
_VERSION = pattern(r"-?[0-9.]+$")
# The program that runs is an argument of these, so a filter needs that argument in its path.
_INTERPRETERS = frozenset("bash sh zsh dash node deno bun ruby perl php python make just".split())


class Example(NamedTuple):
    """An output, the command that wrote it and its exit status; None if not known.

    others: what the same command printed before, if that is kept.
    """

    raw: bytes
    command: str | None
    status: int | None
    others: tuple[bytes, ...] = ()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="NAME", help="its id: mytool/build")
    parser.add_argument(
        "--from",
        dest="source",
        metavar="WHERE",
        help="the output: a run's id, `last` for the last run, a file, or - for stdin",
    )
    parser.add_argument("--command", metavar="COMMAND", help="the command that wrote it")
    parser.add_argument("--status", type=int, metavar="N", help="its exit status; 0 if not given")


def main(args: argparse.Namespace) -> int:
    if not args.source:
        raise UsageError("where is the output?", f"laconic filters new {args.id} --from last")
    example = _example(args.source, args.id)
    command = args.command or example.command
    if not command:
        raise UsageError("which command wrote it?", "add --command 'mytool build'")
    status = args.status if args.status is not None else example.status or 0
    path = _place(args.id)
    target = command_path(args.id, arguments_of(command))
    drop = proposed_patterns([example.raw, *example.others])
    write_private(path, _draft(target, command, status, example.raw, drop).encode())
    print(f"{path}\nfor: {target}")
    if drop:
        runs = len(example.others) + 1
        print(f"proposed: {len(drop)} patterns for lines that all of the last {runs} runs printed")
    for replaced in _replaced(args.id, command):
        print(f"instead of: {replaced} ({BUILT_IN})")
    print(f"next: say what to drop, then: laconic filters test {args.id}")
    return 0


def _place(identifier: str) -> Path:
    folder = read_directories().config / "filters"
    path = folder / f"{identifier}.toml"
    if not path.resolve().is_relative_to(folder.resolve()):
        raise UsageError(f"{identifier!r} leads out of your filters", "name it like mytool/build")
    if path.exists():
        raise LaconicError(f"{path}: already exists", f"laconic filters show {identifier}")
    return path


def _replaced(identifier: str, command: str) -> list[str]:
    """Name the built-in filters that the new one replaces, by its id or by its command."""
    now = load_filters(read_settings(), library()).filters.find(arguments_of(command))
    built_in = load_filters(None, library())
    replaced = built_in.filters.find(arguments_of(command))
    names = {identifier}.intersection(built_in.ids)
    return sorted(names.union([replaced.id] if replaced and now is not replaced else []))


# -- where the output is -------------------------------------------------------------------------


def _example(source: str, identifier: str) -> Example:
    if source == "-":
        raw = sys.stdin.buffer.read(_LONGEST_EXAMPLE + 1) if sys.stdin else b""
        return Example(_short_enough(raw, "cut it down first"), None, None)
    if source != LAST and Path(source).exists():
        return Example(read_file(Path(source), _LONGEST_EXAMPLE), None, None)
    return _recorded(source, identifier)


def _recorded(wish: str, identifier: str) -> Example:
    state = read_directories().state
    if wish != LAST and not is_id(wish):
        raise LaconicError(f"{wish}: is neither a file nor the id of a run", "laconic history")
    with reading(state) as (connection, _):
        runs = queries.history(connection, 100_000)
    wish = str(runs[-1]["raw_id"]) if wish == LAST and runs and runs[-1]["raw_id"] else wish
    run = next((run for run in reversed(runs) if wish in (LAST, run["raw_id"])), None)
    if run is None:
        what = "no run is recorded yet" if wish == LAST else f"no run has the id {wish!r}"
        raise LaconicError(what, "laconic history")
    command, raw_id = str(run["command"]), str(run["raw_id"] or "")
    if not raw_id:
        given = f"--from - --command {shell_words.quoted(command)}"
        hint = f"{command} 2>&1 | laconic filters new {identifier} {given}"
        raise LaconicError(f"the last output was not kept, it was shown whole: {command}", hint)
    raw = b"".join(Store(state).load(raw_id).values())
    hint = f"laconic recall {raw_id} --lines 1:200 > part.txt, then --from part.txt"
    status = run["status"]
    known = None if status is None else int(str(status))
    others = tuple(_earlier(runs, command, raw_id, Store(state)))
    return Example(_short_enough(raw, hint), command, known, others)


def _earlier(
    runs: list[dict[str, object]], command: str, raw_id: str, store: Store
) -> Iterator[bytes]:
    """What the same command printed in other runs, as far as it is kept; the last ones first."""
    same = [run for run in reversed(runs) if run["command"] == command and run["raw_id"]]
    for run in [run for run in same if run["raw_id"] != raw_id][:_MOST_RUNS]:
        if store.has(str(run["raw_id"])):
            raw = b"".join(store.load(str(run["raw_id"])).values())
            if len(raw) <= _LONGEST_EXAMPLE:
                yield raw


def _short_enough(raw: bytes, hint: str) -> bytes:
    if len(raw) > _LONGEST_EXAMPLE:
        raise LaconicError(f"the output is larger than {_LONGEST_EXAMPLE // 1024} KB", hint)
    return raw


# -- which command -------------------------------------------------------------------------------


def arguments_of(command: str) -> list[Argument]:
    runs = list(runs_of(command))
    if len(runs) != 1:
        raise LaconicError(f"expected one command, found {len(runs)}")
    return runs[0][1]


def runs_of(command: str) -> Iterator[tuple[str, list[Argument]]]:
    """Yield the text and the words of every command that a line would run."""
    try:
        script = parse(command.encode("utf-8", "surrogateescape"))
    except ParseError as error:
        raise LaconicError(f"cannot be parsed: {error}") from error
    for found, text in written(script):
        yield text, evaluate(found.words, {})


def command_path(identifier: str, arguments: list[Argument]) -> str:
    """Return the words by which a filter finds this command: the program and its subcommand."""
    inner = FilterSet({}, {}, library=library()).filters.innermost(arguments)
    words = [argument.text or "" for argument in inner if argument.is_static]
    for start in range(len(words)):  # skip `npx`, `uv run` and the like
        path = _path(words[start:])
        if is_found_by(path, identifier, arguments):
            return path
    raise UsageError("no filter can be found by this command", "name another with --command")


def _path(words: list[str]) -> str:
    program = words[0].rsplit("/", 1)[-1]
    plain = _VERSION.sub("", program)
    program = plain if plain in _INTERPRETERS else program
    return " ".join([program, *_subcommand(program, words[1:])])


def _subcommand(program: str, rest: list[str]) -> list[str]:
    if program not in _INTERPRETERS:
        count = 2 if rest[:1] == ["run"] else 1
        return [word for word in rest[:count] if _SUBCOMMAND.fullmatch(word)]
    if rest[:1] == ["-m"]:
        return rest[:2]
    code = [word for word in rest if word in ("-c", "-e")]
    scripts = [word for word in rest if word[:1] != "-"]
    return code[:1] or scripts[:1]


def is_found_by(path: str, identifier: str, arguments: list[Argument]) -> bool:
    """Tell whether a filter for this path would be the one for the command."""
    alone = FilterSet({identifier: {"command": [path]}}, {identifier: ""}, library=library())
    chosen = alone.filters.find(arguments, with_passthrough=True, with_scripts=False)
    return chosen is not None and chosen.id == identifier


# -- what to drop ------------------------------------------------------------------------------


def proposed_patterns(outputs: list[bytes]) -> list[str]:
    """Return patterns for the kinds of lines that occur often in each of several outputs.

    Numbers, paths and names with digits may differ. What says that something is wrong stays.
    """
    if len(outputs) < _FEWEST_RUNS:
        return []
    counts = [Counter(map(kind_of, _lines_of(raw))) for raw in outputs]
    common = [kind for kind in counts[0] if all(count[kind] for count in counts)]
    often = [kind for kind in common if min(count[kind] for count in counts) >= _OFTEN]
    good = [kind for kind in often if len(kind.strip("\0 ")) >= _SHORTEST and _is_harmless(kind)]
    texts = [re.escape(kind).replace("\\ ", " ") for kind in good[:_MOST_PATTERNS]]
    return [f"^{text.replace(_VARIED, '.*')}$" for text in texts]


def _lines_of(raw: bytes) -> list[str]:
    return [text for text in raw.decode("utf-8", "replace").splitlines() if text.strip()]


def _is_harmless(kind: str) -> bool:
    return not is_diagnostic(kind.replace("\0", " ")) and "\\" not in kind


# -- the file ------------------------------------------------------------------------------------


def _draft(path: str, command: str, status: int, raw: bytes, drop: list[str]) -> str:
    text = raw.decode("utf-8", "replace")
    text += "" if text.endswith("\n") else "\n"
    table = {"command": [path], "drop": drop}
    compacted = apply(Filter("", table), status, read_lines(text.encode()))
    proposed = "# proposed: every run printed them; take out what you want to see\n" if drop else ""
    return f'''# What it shows and what it hides, in one or two lines.
command = [{toml.quote(path)}]
kind = "summary"
{proposed}drop = {toml.inline(drop)}

[[example]]
command = {toml.quote(command)}
status = {status}
input = """
{quoted(text)}"""
output = """
{quoted(compacted.text() if compacted else text)}"""
'''


def quoted(text: str) -> str:
    """Write lines as a multi-line basic string of TOML contains them (toml.io/en/v1.0.0#string)."""
    return "".join(f"{toml.quote(line)[1:-1]}\n" for line in text.split("\n")[:-1])

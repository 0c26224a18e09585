"""laconic rules: print and test what laconic knows about programs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from laconic.cli.config import warn
from laconic.cli.main import complain
from laconic.cli.parser import add_actions
from laconic.errors import LaconicError
from laconic.knowledge.catalog import tables
from laconic.knowledge.knowledge import first_words
from laconic.policy.from_config import load_library
from laconic.policy.rules import Rules
from laconic.policy.user_tables import own_rows
from laconic.reading.decide import decide
from laconic.reading.places import Facts
from laconic.reading.table_faults import faults_of, missing_example
from laconic.report.progress import Progress
from laconic.report.screen import screen
from laconic.settings.load import files_in, read_settings
from laconic.types import Verdict

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from laconic.knowledge.knowledge import Library, Row


def add_arguments(parser: argparse.ArgumentParser) -> None:
    action = add_actions(parser)
    listing = action("list", "print the rules, one a line")
    listing.add_argument("--json", action="store_true", help="print JSON")
    show = action("show", "print one rule")
    show.add_argument("--json", action="store_true", help="print JSON")
    show.add_argument("id", metavar="ID", help="as `laconic explain` prints it: git/push, or rm")
    test = action("test", "run the examples in the rules; exit status 1 when one fails")
    test.add_argument("program", nargs="?", metavar="PROGRAM", help="only those of this program")


def main(args: argparse.Namespace) -> int:
    settings = read_settings()
    library, problems = load_library(settings)
    warn((*settings.problems, *problems))
    built_in = [(f"{stem}.toml", name, table) for stem, name, table in tables()]
    rows = built_in + own_rows(files_in("rules", settings)[0])[0]
    if args.action == "list":
        return _list(rows, as_json=args.json)
    if args.action == "show":
        return _show(args.id, rows, library, as_json=args.json)
    mistakes = list(_mistakes(_rows_of(args.program, built_in)))
    print("".join(f"{mistake}\n" for mistake in mistakes), end="")
    is_broken = mistakes or any(problem.kind == "broken" for problem in problems)
    wanted = _rows_of(args.program, rows)
    if not wanted:
        raise LaconicError(f"there is no rule for {args.program!r}", "laconic rules list")
    return _test(wanted, library) or int(bool(is_broken))


def _list(rows: list[Row], *, as_json: bool) -> int:
    if as_json:
        rules = [
            {"id": name.replace(" ", "/"), "verdict": _verdict(entry), "about": _about(entry)}
            for _, name, entry in rows
        ]
        print(json.dumps({"version": 1, "rules": rules}, indent=1))
        return 0
    here = screen()
    for _, name, entry in rows:
        verdict, text = _verdict(entry), _summary(name, entry)
        print(here.paint(f"{verdict:5}", verdict) + here.fit(text)[5:])
    return 0


def _summary(name: str, table: dict[str, Any]) -> str:
    return f"{_verdict(table):5}  {name.replace(' ', '/')}  {_about(table)}".rstrip()


def _about(table: dict[str, Any]) -> str:
    return str(table.get("about") or table.get("why", ""))


def _verdict(table: dict[str, Any]) -> str:
    """Return the verdict on a plain call, which lacks what makes it harmless."""
    return str(table.get("verdict", "ask" if "needs" in table else "allow"))


# -- show ------------------------------------------------------------------------------------------


def _show(name: str, rows: list[Row], library: Library, *, as_json: bool) -> int:
    words = name.replace("/", " ").split()
    path, depth = " ".join(words), len(words)
    if all(row[1] != path for row in rows):
        path, depth = _path(words, library)
    if not path:
        raise LaconicError(f"there is no rule {name!r}", "laconic rules list")
    if depth < len(words):
        complain(f"{name} has no table of its own; it belongs to {'/'.join(words[:depth])}")
    for file, listed, table in rows:
        if listed == path:
            effect = table.get("effect") or _inherited(listed, rows)
            whole = {"effect": effect, **table}
            if as_json:
                about = {"version": 1, "id": listed.replace(" ", "/"), "file": file}
                print(json.dumps({**about, "verdict": _verdict(table), "rule": whole}))
            else:
                print("\n".join(_lines(file, listed, whole)))
    return 0


def _inherited(path: str, rows: list[Row]) -> str:
    """The effect that the nearest table above names, `unknown` if none does."""
    while " " in path:
        path = path.rpartition(" ")[0]
        effects = (table["effect"] for _, name, table in rows if name == path and "effect" in table)
        if effect := next(effects, ""):
            return str(effect)
    return "unknown"


def _path(words: list[str], library: Library) -> tuple[str, int]:
    """Return the name of the table that covers a command, and how many words its path has.

    `git/push/force` belongs to `git push`.
    """
    branch, path, depth = library.root, "", 0
    for number, word in enumerate(words, 1):
        following = branch.child(word)
        if following is None:
            break
        branch = following
        if branch.entry:
            path, depth = branch.entry.path, number
    return path, depth


def _lines(file: str, name: str, table: dict[str, Any]) -> Iterator[str]:
    yield _summary(name, table)
    yield f"  from      {file}"
    for key, value in table.items():
        if key in ("yes", "no"):
            verb = "allowed" if key == "yes" else "not allowed"
            yield from (f"  {verb:11} {example}" for example in value)
        elif isinstance(value, dict):
            yield from (f"  {key:9} {option}: {why}" for option, why in value.items())
        elif isinstance(value, list):
            yield f"  {key:9} {', '.join(map(str, value))}"
        elif key != "about":
            yield f"  {key:9} {' '.join(str(value).split())}"


# -- test ------------------------------------------------------------------------------------------


def _rows_of(program: str | None, rows: list[Row]) -> list[Row]:
    return [
        (file, name, table)
        for file, name, table in rows
        if program is None
        or any(program in first_words(path) for path in (name, *table.get("also", ())))
    ]


def _mistakes(rows: list[Row]) -> Iterator[str]:
    """Yield what is wrong with built-in tables; a user's file with a mistake has no rows."""
    for file, name, table in rows:
        for where, message, hint in faults_of({name: table}):
            yield f"{file}: {where}: {message}" + (f"; {hint}" if hint else "")
        if key := missing_example(table):
            yield f'{file}: ["{name}"]: an example is missing; add {key} = ["{name} ..."]'


def _test(rows: list[Row], library: Library) -> int:
    count, wrong = 0, 0
    progress = Progress()
    for number, (file, name, table) in enumerate(rows):
        progress(number, len(rows))
        for key in ("yes", "no"):
            for example in table.get(key, ()):
                count += 1
                decision = decide(example, library, Rules(), Facts())
                if (decision.verdict is Verdict.ALLOW) != (key == "yes"):
                    wrong += 1
                    got = f"{decision.verdict}: {example}  ({decision.reason})"
                    print(f"{file}: {name}: in `{key}`, but {got}")
    progress.end()
    print(f"{count} examples, {wrong} of them wrong")
    return 1 if wrong else 0

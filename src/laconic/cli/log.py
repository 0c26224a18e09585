"""laconic log: print the decisions that were made, and what was asked most."""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from laconic.cli import times
from laconic.cli.main import complain
from laconic.cli.source import directory_at
from laconic.errors import UsageError
from laconic.record import decisions
from laconic.replay.followed import follow
from laconic.report import log as report
from laconic.report.progress import Progress
from laconic.report.questions import asked
from laconic.report.screen import screen
from laconic.sessions.question import Question
from laconic.settings.load import current_directory, process_environment, read_directories
from laconic.settings.schema import closest
from laconic.types import EFFECTS, Verdict
from laconic.undo.store import Store as Keeps

Row = dict[str, Any]

_LAST = 20
_TOP = 10
_MOST_BYTES = 24 << 20  # of transcripts, which say what agents then did
_LONGEST_S = 3600  # that a person may think about a question


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-n", type=int, metavar="N", help=f"the last N; default: {_LAST}, as JSON all of them"
    )
    answers = [*Verdict, decisions.LEFT, decisions.UNCHECKED]
    words = "only these; left: to the agent; unchecked: laconic was off, or could not start"
    parser.add_argument("--verdict", choices=answers, help=words)
    parser.add_argument("--agent", metavar="AGENT", help="only of this agent; cli: your own checks")
    parser.add_argument(
        "--project", nargs="?", const="", metavar="DIR", help="only in there; default: here"
    )
    parser.add_argument("--effect", metavar="EFFECT", help="only with this effect: sends")
    parser.add_argument(
        "--since", metavar="WHEN", help="only what is newer: 2h, 7d, 2026-11-01, 2026-11-01T09:00"
    )
    parser.add_argument(
        "--top", action="store_true", help="what was asked most, and the line that would end it"
    )
    parser.add_argument("--json", action="store_true", help="print JSON lines")


def main(args: argparse.Namespace) -> int:
    if args.n is not None and args.n < 0:
        raise UsageError("-n takes a whole number, 0 or more", "laconic log -n 50")
    since = times.since(args.since, time.time()) if args.since else 0.0
    fits = _filter(args)
    state_dir = read_directories().state
    found = list(decisions.read(state_dir, since))
    _name_undoable(found, Keeps(state_dir))
    is_own = args.agent == decisions.OWN
    rows = found if is_own else decisions.of_agents(found)
    rows = list(filter(fits, rows))
    if args.top:
        follow(rows, process_environment(), _MOST_BYTES)
        return _top(rows, _TOP if args.n is None else args.n, as_json=args.json)
    count = args.n if args.json or args.n is not None else _LAST
    shown = _last(rows, count)
    follow(shown, process_environment(), _MOST_BYTES)
    if args.json:
        for row in shown:
            print(json.dumps(row))
    elif rows:
        print("".join(f"{line}\n" for line in report.lines(shown, screen())), end="")
    else:
        complain(_nothing(decisions.read(state_dir, 0.0), args.agent))
    return 0


def _nothing(found: Iterable[Row], agent: str | None) -> str:
    """Say why no decision is printed: the name of an agent may be misspelled."""
    agents = sorted({str(row["agent"]) for row in found if row.get("agent")} - {decisions.OWN})
    if agent == decisions.OWN:
        return "the log has no such check"
    if not agents:
        return "the log has no decision about an agent's command yet"
    if agent and agent not in agents:
        return f"no agent {agent} is in the log, only {', '.join(agents)}"
    return "the log has no such decision"


def _last(rows: list[Row], count: int | None) -> list[Row]:
    return rows if count is None else rows[len(rows) - min(count, len(rows)) :]


def _name_undoable(rows: list[Row], keeps: Keeps) -> None:
    """Add to each decision the id of what `laconic undo` would take back of its command.

    A keep is made when a command runs, soon after the last decision about a line that has it.
    """
    for keep in keeps.keeps():
        if keep.about.of or keep.undone_by or keep.is_running:
            continue
        for row in reversed(rows):
            at = decisions.moment(row)
            if at <= keep.time < at + _LONGEST_S and keep.about.command in str(row.get("command")):
                row.setdefault("undo", []).append(keep.id)
                break


# -- which -----------------------------------------------------------------------------------------


def _filter(args: argparse.Namespace) -> Callable[[Row], bool]:
    """Return a function that tells whether a line of the log is wanted."""
    if args.effect and args.effect not in EFFECTS:
        best = closest(args.effect, EFFECTS)
        hint = f"did you mean: {best}" if best else f"one of: {', '.join(EFFECTS)}"
        raise UsageError(f"there is no effect {args.effect!r}", hint)
    place = None if args.project is None else str(directory_at(args.project or None))

    def fits(row: Row) -> bool:
        return (
            args.verdict in (None, decisions.outcome(row))
            and args.agent in (None, row.get("agent"))
            and (args.effect is None or args.effect in row.get("effects", ()))
            and (place is None or _is_in(str(row.get("cwd", "")), place))
        )

    return fits


def _is_in(directory: str, place: str) -> bool:
    return directory == place or directory.startswith(place.rstrip(os.sep) + os.sep)


# -- what was asked most ---------------------------------------------------------------------------


def _top(rows: Iterable[Row], count: int, *, as_json: bool) -> int:
    """Print what interrupted a person most."""
    found = list(_most_asked(rows, count))
    if as_json:
        for question in found:
            print(json.dumps(question.to_json()))
    elif not found:
        print("nothing was asked")
    else:
        print("\n".join(asked(found, screen())))
    return 0


def _most_asked(rows: Iterable[Row], count: int) -> Iterator[Question]:
    from laconic.replay.questions import Endings, questions  # noqa: PLC0415 - it decides again

    endings = Endings(process_environment(), str(current_directory() or ""))
    progress = Progress()
    most = sorted(questions(rows), key=lambda question: -question.times)[:count]
    for number, question in enumerate(most):
        yield endings.ended(question)
        progress(number + 1, len(most))

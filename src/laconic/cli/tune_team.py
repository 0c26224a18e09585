"""laconic tune --share and --from: what a team learns from the questions of its members."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from laconic.errors import FileError, LaconicError, UsageError
from laconic.export.identity import identity
from laconic.files import read_file, reason, write_private
from laconic.reading.facts import NOWHERE
from laconic.replay.shared import (
    APPROVED,
    ENOUGH,
    FEWEST,
    TEAM,
    Backed,
    Share,
    backed,
    parsed,
    rows_of,
    start_of,
)
from laconic.replay.tune import PastStep, Tuner
from laconic.report.progress import Progress
from laconic.report.text import visible
from laconic.settings import toml
from laconic.settings.load import Settings, isolated_settings, process_environment

_NOBODY = {"HOME": f"{NOWHERE}/home"}


def add_team_arguments(parser: argparse.ArgumentParser, form: argparse._ActionsContainer) -> None:
    form.add_argument(
        "--share",
        type=Path,
        metavar="FILE",
        help="write rules with counts for your team to a file, and no command",
    )
    form.add_argument(
        "--from",
        dest="shares",
        type=Path,
        metavar="DIR",
        help="sum up such files, and print the rules that a team may take over",
    )
    parser.add_argument("--team", metavar="NAME", help="your team, for --share")
    parser.add_argument(
        "--min-people",
        type=int,
        metavar="K",
        help=f"for --from: how many people must have been asked; {ENOUGH}, and at least {FEWEST}",
    )


def check_team_arguments(args: argparse.Namespace) -> None:
    if args.share and not args.team:
        raise UsageError("--share needs the name of your team", "--team NAME")
    if args.team and not args.share:
        raise UsageError("--team is for --share")
    if args.team and not TEAM.fullmatch(args.team):
        raise UsageError("--team: letters, digits, `.`, `_` and `-`, 41 at most")
    if args.min_people is not None and not args.shares:
        raise UsageError("--min-people is for --from")
    if args.min_people is not None and args.min_people < FEWEST:
        raise UsageError(f"--min-people: with fewer than {FEWEST} one could tell who they are")
    if args.shares and args.paths:
        raise UsageError("--from takes one directory, and reads no transcripts")


def share(
    args: argparse.Namespace,
    ended: Mapping[tuple[PastStep, str], int],
    seen: Counter[PastStep],
    tuner: Tuner,
    settings: Settings,
) -> int:
    """Write what may be shared, for the owner alone, who reads it and brings it to the team."""
    decided, _ = tuner.questions(seen, Progress())
    rows = rows_of(ended, decided, tuner)
    export, environ = settings.config.export, process_environment()
    named = identity(settings.directories.state, export, environ)
    made = Share(args.team, named.person, rows)
    write_private(args.share.absolute(), made.text.encode())
    for row in rows:
        times = f"asked {row.asked:,}, approved {row.approved:,}, rejected {row.rejected:,}"
        print(f"{row.rule}  {times}")
    path = visible(str(args.share))
    print(f"written: {path}, with {len(rows):,} rules, and nothing else of your sessions")
    return 0


def propose_to_team(directory: Path, min_people: int | None) -> int:
    """Print TOML for the team's policy; a file that is not a share is named, and left out."""
    shares = _read(directory)
    least = min_people or ENOUGH
    tuner = Tuner(isolated_settings(_NOBODY), _NOBODY)
    enough = backed(shares, least)
    sound = [each for each in enough if _is_sound(each, tuner)]
    print("\n".join(_document(sound, shares, least)))
    for each in enough:
        if each not in sound:
            print(f"# Not `{each.rule}`: it would allow things that it does not speak of.")
    return 0


def _document(found: Sequence[Backed], shares: Sequence[Share], least: int) -> Iterator[str]:
    """A part of a policy; its comments are what a reviewer wants to know."""
    people, teams = len({s.person for s in shares}), len({s.team for s in shares})
    yield f"# By laconic tune --from: what {people:,} people in {teams:,} teams have shared."
    yield f"# At least {least} people in two teams were asked about each of these rules, and"
    yield f"# {APPROVED} % of the times it was approved."
    if least < ENOUGH:
        yield f"# With fewer than {ENOUGH} people, those who know them may tell whose work this is."
    if not found:
        yield "# There is none."
        return
    yield "[default.commands]"
    yield "allow = ["
    for each in found:
        said = f"asked {each.asked:,} times, {each.approved:,} approved, {each.rejected:,} rejected"
        yield f"    # {each.effects}: {each.people:,} people in {each.teams:,} teams, {said}"
        yield f"    {toml.inline(each.rule)},"
    yield "]"


def _read(directory: Path) -> list[Share]:
    try:
        paths = sorted(directory.glob("*.json")) if directory.is_dir() else []
    except OSError as error:
        raise LaconicError(f"{directory}: {reason(error)}") from error
    shares = []
    for path in paths:
        try:
            shares.append(parsed(read_file(path)))
        except FileError as error:
            print(f"laconic: left out: {visible(error.message)}", file=sys.stderr)
        except LaconicError as error:
            print(f"laconic: left out: {visible(str(path))} {error.message}", file=sys.stderr)
    if not shares:
        message = f"{directory}: there is no file that laconic tune --share has written"
        raise LaconicError(message, "laconic tune --share FILE --team NAME writes one")
    return shares


def _is_sound(each: Backed, tuner: Tuner) -> bool:
    """Tell whether today's tables still say that the rule opens nothing but what it is about."""
    start = start_of(each.rule)
    return tuner.examine(each.candidate, [start, f"{start} x"]) is not None

"""Asks a person who installs laconic which profile to use, with numbers from past sessions."""

from __future__ import annotations

import argparse
import sys

from laconic.install import originals
from laconic.install import profile as profiles
from laconic.report.screen import screen
from laconic.report.text import visible
from laconic.sessions import find
from laconic.sessions.find import Transcript
from laconic.sessions.tally import Tally
from laconic.settings.load import Settings, process_environment

_LIMIT_S = 2.0
_MOST_BYTES = 24 << 20  # as much as can be read in a part of that time
_FEWEST = 20  # commands; fewer say nothing
_MOST_TRIES = 3


def choose_profile(args: argparse.Namespace, settings: Settings, *, is_first: bool) -> None:
    """Write the profile that is named or, at a terminal, chosen; else nothing changes.

    is_first: an agent is installed in, so that a person may want to choose.
    """
    path = settings.user_config_path
    wanted = args.profile
    if not wanted and is_first and not (args.yes or args.dry_run or args.project):
        wanted = _ask(settings) if _is_attended() and not profiles.is_chosen(path) else ""
    change = profiles.plan_change(wanted, path) if wanted else None
    if change is None:
        return
    if not args.dry_run:
        originals.make_directories(change.target.parent)
        originals.write(change.target, change.before, change.after or b"", change.mode)
    verb = "would be" if args.dry_run else "is"
    print(f"the profile {verb} {wanted} ({visible(str(path))})")


def _is_attended() -> bool:
    return all(stream and stream.isatty() for stream in (sys.stdin, sys.stdout))


def _ask(settings: Settings) -> str:
    tally = _past(settings)
    heading = "which profile?"
    if tally:
        now, total = _share(tally.asked_now, tally), f"{tally.commands:,}"
        heading += f" prompts per 100 of your last {total} commands; {now} without laconic"
    print(heading)
    here = screen()
    for name, meaning in profiles.CHOICES.items():
        head = f"  {name:8} {_prompts(name, tally)}"
        first, *more = here.wrap(meaning, len(head))
        print(f"{head}{first}", *(f"{'':{len(head)}}{line}" for line in more), sep="\n")
    for _ in range(_MOST_TRIES):
        try:
            said = input(f"profile [{profiles.RECOMMENDED}]: ").strip().lower()
        except EOFError:
            return ""
        if said in ("", *profiles.CHOICES):
            return said or profiles.RECOMMENDED
        print(f"it is one of {', '.join(profiles.CHOICES)}")
    return ""


def _prompts(name: str, tally: Tally | None) -> str:
    return f"{_share(tally.profiles[name].prompts, tally):>3}  " if tally else ""


def _share(count: int, tally: Tally) -> str:
    return f"{100 * count / tally.commands:.0f}"


def _past(settings: Settings) -> Tally | None:
    """Replay the newest sessions for a moment; None if there are too few, or they cannot be."""
    from laconic.replay.replay import Replayer  # noqa: PLC0415 - for a question only

    environ = process_environment()
    try:
        replayer = Replayer(settings, environ, tuple(profiles.CHOICES))
        tally = replayer.replay(_newest(find.find(environ)), _LIMIT_S)
    except Exception:  # noqa: BLE001 - the numbers are a help, and their lack no reason to stop
        return None
    return tally if tally.commands >= _FEWEST else None


def _newest(transcripts: list[Transcript]) -> list[Transcript]:
    newest: list[Transcript] = []
    left = _MOST_BYTES
    for transcript in transcripts:
        if transcript.size <= left:
            newest.append(transcript)
            left -= transcript.size
    return newest

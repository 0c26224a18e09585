"""laconic replay: what laconic would have done in the past sessions of your agents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from laconic.errors import LaconicError
from laconic.policy.profiles import ALIASES, PROFILES
from laconic.replay import prices
from laconic.replay.replay import Replayer
from laconic.report import replay as report
from laconic.report.progress import Progress
from laconic.report.screen import screen
from laconic.sessions import find
from laconic.settings.load import process_environment, read_settings

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from laconic.sessions.find import Transcript


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        nargs="*",
        type=Path,
        metavar="PATH",
        help="files or directories of transcripts; else where agents keep them",
    )
    parser.add_argument(
        "--profile", choices=(*PROFILES, *ALIASES), help="only for this profile, not for each"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def main(args: argparse.Namespace) -> int:
    environ = process_environment()
    profiles = (ALIASES.get(args.profile, args.profile),) if args.profile else PROFILES
    transcripts = transcripts_at(args.paths)
    replayer = Replayer(read_settings(environ, "/"), environ, profiles, Progress())
    tally = replayer.replay(transcripts)
    if not tally.commands:
        raise no_sessions(args.paths)
    if args.json:
        print(json.dumps(report.to_json(tally, prices.date()), indent=1))
    else:
        print("\n".join(report.report(tally, prices.date(), screen())))
    return 0


def transcripts_at(paths: Sequence[Path]) -> list[Transcript]:
    """Find the transcripts there, or where agents keep them; a path that is not there is wrong."""
    for path in paths:
        if not path.exists():
            raise LaconicError(f"{path}: no such file or directory")
    return find.find_in(paths) if paths else find.find(process_environment())


def no_sessions(paths: Sequence[Path]) -> LaconicError:
    where = "there" if paths else "on this machine"
    known = "Claude Code, Codex, Gemini CLI and OpenCode"
    return LaconicError(f"no sessions were found {where}", f"laconic reads those of {known}")

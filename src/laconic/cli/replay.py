"""laconic replay: what laconic would have done in the past sessions of your agents."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from laconic.box import trial
from laconic.box.usable import is_usable
from laconic.cli.main import complain
from laconic.errors import LaconicError, UsageError
from laconic.files import read_file
from laconic.policy.profiles import ALIASES, PROFILES
from laconic.replay import prices
from laconic.replay.compare import compare
from laconic.replay.replay import Replayer
from laconic.report import compare as comparison
from laconic.report import replay as report
from laconic.report.progress import Progress
from laconic.report.screen import screen
from laconic.sessions import find
from laconic.sessions.find import Transcript
from laconic.settings.load import Settings, process_environment, read_settings, settings_under
from laconic.settings.managed import LIMIT
from laconic.settings.requirements import check_policy


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
    parser.add_argument(
        "--policy", type=Path, metavar="FILE", help="say what this policy of machines would change"
    )
    parser.add_argument(
        "--against",
        type=Path,
        metavar="FILE",
        help="compared with this one; else the one in force",
    )
    parser.add_argument(
        "--limit", type=float, metavar="N", help="fail if prompts per 100 commands rise by more"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def main(args: argparse.Namespace) -> int:
    environ = process_environment()
    if args.policy:
        return _compare(args, environ)
    if args.against or args.limit is not None:
        raise UsageError("compare what?", "laconic replay --policy new.toml --against old.toml")
    profiles = (ALIASES.get(args.profile, args.profile),) if args.profile else PROFILES
    transcripts = transcripts_at(args.paths)
    settings = read_settings(environ, "/")
    replayer = Replayer(settings, environ, profiles, Progress())
    tally = replayer.replay(transcripts)
    if not tally.commands:
        raise no_sessions(args.paths)
    if args.json:
        print(json.dumps(report.to_json(tally, prices.date()), indent=1))
    else:
        print("\n".join(report.report(tally, prices.date(), screen())))
        print_without_box(settings, environ)
    return 0


def _compare(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Judge by two policies; with a limit the exit status says whether it is kept."""
    if args.profile:
        raise UsageError("a policy says which profile counts", "leave out --profile")
    before = _settings_under(args.against, environ) if args.against else read_settings(environ, "/")
    after = _settings_under(args.policy, environ)
    found = compare(transcripts_at(args.paths), before, after, environ)
    if not found.commands:
        raise no_sessions(args.paths)
    if args.json:
        print(json.dumps(comparison.to_json(found), indent=1))
    else:
        print("\n".join(comparison.report(found, screen())))
        print_without_box(after, environ)
    if args.limit is not None and found.rise > args.limit:
        complain(f"prompts per 100 rise by {found.rise:.1f}; the limit is {args.limit:g}", "")
        return 1
    return 0


def _settings_under(path: Path, environ: Mapping[str, str]) -> Settings:
    """Return the user's settings as if this were the policy of the machine."""
    data = read_file(path, LIMIT)
    if problems := check_policy(data, str(path))[1]:
        raise LaconicError(problems[0].line, problems[0].hint)
    today = time.strftime("%Y-%m-%d", time.gmtime())
    return settings_under((str(path), data, ("", ""), None, today), environ, "/")


def print_without_box(settings: Settings, environ: Mapping[str, str]) -> None:
    """Say if there is no box, so that nothing was counted as allowed in it."""
    if not settings.config.settings.box:
        print("\ncounted without the box, which your configuration switches off")
        return
    if is_usable(environ):
        return
    tried = trial.try_box(environ)
    if not tried.is_good:
        print(f"\ncounted without the box, with which fewer commands ask: {tried.message}")
        if tried.hint:
            print(tried.hint)


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

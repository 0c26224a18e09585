"""laconic tune: propose rules that would have saved most prompts."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from laconic.cli.install import show
from laconic.cli.replay import no_sessions, print_without_box, transcripts_at
from laconic.cli.tune_team import add_team_arguments, check_team_arguments, propose_to_team, share
from laconic.errors import LaconicError
from laconic.install import imports, originals
from laconic.install.install import Change
from laconic.record import decisions
from laconic.replay.followed import then_of
from laconic.replay.questions import seen_of
from laconic.replay.tune import PastStep, Tuner
from laconic.report.progress import Progress
from laconic.report.screen import screen
from laconic.report.text import visible
from laconic.report.tune import proposals, to_json
from laconic.sessions import find
from laconic.sessions.proposal import Proposal
from laconic.settings.load import Settings, process_environment, read_settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        nargs="*",
        type=Path,
        metavar="PATH",
        help="files or directories of transcripts; else where agents keep them, and the log",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--apply", action="store_true", help="ask which of them to write to your configuration"
    )
    form.add_argument("--json", action="store_true", help="print JSON")
    add_team_arguments(parser, form)


def main(args: argparse.Namespace) -> int:
    check_team_arguments(args)
    if args.shares:
        return propose_to_team(args.shares, args.min_people)
    environ = process_environment()
    settings = read_settings(environ, "/")
    if args.apply and not (sys.stdin and sys.stdin.isatty()):
        raise LaconicError("nobody is there to confirm", "type laconic tune --apply at a terminal")
    ended = _ended(settings, args.paths)
    if not ended:
        raise no_sessions(args.paths)
    seen = Counter[PastStep]()
    for (each, _), count in ended.items():
        seen[each] += count
    tuner = Tuner(settings, environ)
    if args.share:
        return share(args, ended, seen, tuner, settings)
    found, prompts = tuner.propose(seen, Progress())
    told = found, prompts, seen.total(), settings.config.settings.profile
    if args.json:
        print(json.dumps(to_json(*told), indent=1))
        return 0
    print("\n".join(proposals(*told, screen())))
    if not found:
        print("no rule is proposed for what is left: laconic log --top says what would end each")
    elif args.apply:
        _apply(_chosen(found), settings)
    else:
        print("\nlaconic tune --apply asks which of them to write to your configuration")
    print_without_box(settings, environ)
    return 0


def _ended(settings: Settings, paths: Sequence[Path]) -> Counter[tuple[PastStep, str]]:
    """Count the commands of transcripts and of the log; one that is in both counts once.

    Each with what came of it. paths: only of the transcripts there.
    """
    read = Counter[tuple[PastStep, str]]()
    for _, sessions in find.read(transcripts_at(paths)):
        for session in sessions:
            for step in session.steps:
                if step.command.strip():
                    where = session.agent, step.cwd, step.command
                    read[PastStep(*where, step.mode, step.was_asked), then_of(step)] += 1
    known = {(each.cwd, each.command) for each, _ in read}
    state_dir = settings.directories.state
    for row in [] if paths else decisions.of_agents(decisions.read(state_dir)):
        each = seen_of(row)
        if each and (each.cwd, each.command) not in known:
            read[each, str(row.get("then", ""))] += 1
    return read


def _chosen(proposals: Sequence[Proposal]) -> list[Proposal]:
    try:
        said = input("\nwrite which of them? [all, none, or numbers: 1 3] ").lower().split()
    except EOFError:
        said = []
    if said == ["all"]:
        return list(proposals)
    known = {str(number) for number in range(1, len(proposals) + 1)}
    if said != ["none"] and not known.issuperset(said):
        raise LaconicError("that is not among the numbers; nothing was written")
    return [proposal for number, proposal in enumerate(proposals, 1) if str(number) in said]


def _apply(chosen: Sequence[Proposal], settings: Settings) -> None:
    """Extend the user's configuration; comments and order stay."""
    path = settings.user_config_path
    target = path.resolve()
    before = originals.current(target)
    after = before or b""
    for proposal in chosen:
        after, _ = imports.extended(after, proposal.document, path)
    if after == (before or b""):
        print("nothing was written")
        return
    show([Change(path, target, before, after, 0o600)])
    originals.make_directories(target.parent)
    originals.write(target, before, after, 0o600)
    print(f"written: {visible(str(path))}")

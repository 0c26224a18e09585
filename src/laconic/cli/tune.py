"""laconic tune: propose rules that would have saved most prompts."""

from __future__ import annotations

import json
import sys
from collections import Counter
from typing import TYPE_CHECKING

from laconic.cli.install import show
from laconic.cli.replay import no_sessions, transcripts_at
from laconic.errors import LaconicError
from laconic.install import imports, originals
from laconic.install.install import Change
from laconic.record import decisions
from laconic.replay.asked import seen_of
from laconic.replay.tune import Seen, Tuner
from laconic.report.progress import Progress
from laconic.report.screen import screen
from laconic.report.text import visible
from laconic.report.tune import proposals, to_json
from laconic.sessions import find
from laconic.settings.load import process_environment, read_settings

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from laconic.sessions.proposal import Proposal
    from laconic.settings.load import Settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--apply", action="store_true", help="ask which of them to write to your configuration"
    )
    form.add_argument("--json", action="store_true", help="print JSON")


def main(args: argparse.Namespace) -> int:
    environ = process_environment()
    settings = read_settings(environ, "/")
    if args.apply and not (sys.stdin and sys.stdin.isatty()):
        raise LaconicError("nobody is there to confirm", "type laconic tune --apply at a terminal")
    seen = _seen(settings)
    if not seen:
        raise no_sessions(())
    found, prompts = Tuner(settings, environ).propose(seen, Progress())
    told = found, prompts, seen.total(), settings.config.settings.profile
    if args.json:
        print(json.dumps(to_json(*told), indent=1))
        return 0
    print("\n".join(proposals(*told, screen())))
    if not found:
        print("there is nothing to propose: a person has to decide what is left")
    elif args.apply:
        _apply(_chosen(found), settings)
    else:
        print("\nlaconic tune --apply asks which of them to write to your configuration")
    return 0


def _seen(settings: Settings) -> Counter[Seen]:
    """Count the commands of transcripts and of the log; one that is in both counts once."""
    read = Counter[Seen]()
    for _, sessions in find.read(transcripts_at(())):
        for session in sessions:
            for step in session.steps:
                if step.command.strip():
                    where = session.agent, step.cwd, step.command
                    read[Seen(*where, step.mode, step.was_asked)] += 1
    known = {(each.cwd, each.command) for each in read}
    for row in decisions.read(settings.directories.state):
        each = seen_of(row)
        if each and (each.cwd, each.command) not in known:
            read[each] += 1
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

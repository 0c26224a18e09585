"""laconic tune: propose rules that would have saved most prompts."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING

from laconic.cli.install import show
from laconic.cli.replay import no_sessions, progress, transcripts_at
from laconic.errors import LaconicError
from laconic.install import imports, originals
from laconic.install.install import Change
from laconic.policy.file_tools import RULES
from laconic.record import decisions
from laconic.replay.tune import Seen, Tuner
from laconic.report.text import visible
from laconic.report.tune import proposals
from laconic.secrets.redact import HIDDEN
from laconic.sessions import find
from laconic.sessions.values import clean
from laconic.settings.load import process_environment, read_settings

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from laconic.sessions.proposal import Proposal
    from laconic.settings.load import Settings

_WHO = ("agent", "cwd", "command")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--apply", action="store_true", help="ask which of them to write to your configuration"
    )


def main(args: argparse.Namespace) -> int:
    environ = process_environment()
    settings = read_settings(environ, "/")
    if args.apply and not (sys.stdin and sys.stdin.isatty()):
        raise LaconicError("nobody is there to confirm", "type laconic tune --apply at a terminal")
    seen = _seen(settings)
    if not seen:
        raise no_sessions(())
    found, prompts = Tuner(settings, environ).propose(seen, progress)
    for line in proposals(found, prompts, seen.total(), settings.config.settings.profile):
        print(line)
    if not found:
        print("there is nothing to propose: what is left is a person's to decide")
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
        agent, cwd, command = (clean(str(row.get(key, ""))) for key in _WHO)
        if str(row.get("rule", "")).startswith(f"{RULES}/"):
            continue  # a tool of the agent, not a command
        is_whole = HIDDEN not in command and not command.endswith(" characters)")
        if is_whole and command.strip() and (cwd, command) not in known:
            read[Seen(agent, cwd, command)] += 1
    return read


def _chosen(found: Sequence[Proposal]) -> list[Proposal]:
    try:
        said = input("\nwrite which of them? [all, none, or numbers: 1 3] ").lower().split()
    except EOFError:
        said = []
    if said == ["all"]:
        return list(found)
    known = {str(number) for number in range(1, len(found) + 1)}
    if said != ["none"] and not known.issuperset(said):
        raise LaconicError("that is not among the numbers; nothing was written")
    return [proposal for number, proposal in enumerate(found, 1) if str(number) in said]


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

"""Keeps what a line destroys that somebody is asked about.

Where the agent takes another text, the line itself carries the keep, so that it is made right
before it runs: `laconic run --undo` before its commands, or, where the shell itself writes (`> f`),
`laconic undo --hold ID;` before all of it. A line that is left to the agent has to stay as it is:
the agent would look for its rules in the new text, and remember that. There the hook keeps before
the agent asks, as much as costs no time that a person would notice.
"""

from __future__ import annotations

from laconic.contain import UNDO, Containment, Machine, destroys, rewritten
from laconic.engine import Request
from laconic.hooks import shell_writes
from laconic.policy.contained import UNDONE
from laconic.rewrite.boxing import owners, writes_by_itself
from laconic.rewrite.edits import Note, Rewriting
from laconic.run.launcher import find_genuine
from laconic.settings.load import Settings
from laconic.shell import ParseError, parse
from laconic.types import Decision, Effect
from laconic.undo.around import about_run
from laconic.undo.hold import hold_quickly
from laconic.undo.store import store_for


def keep_now(request: Request, decision: Decision, settings: Settings) -> bool:
    """Keep at once what a line destroys; False if that is nothing, or too much."""
    holding = hold_quickly(request.command, request.facts.cwd, request.environ)
    about = about_run(request.command, request.cwd, request.environ)
    about.agent = about.agent or request.agent
    if holding.survey is None:
        store_for(settings).note_doubt(None, about, holding.reason, holding.reach)
        return False
    if not (decision.effects & Effect.DISCARDS or destroys(holding)):
        return False
    shell_writes.keep_now(holding, about, settings)
    return holding.is_complete


def with_keep(
    request: Request, decision: Decision, settings: Settings, *, login_shell: bool = False
) -> Rewriting | None:
    """Give the line that keeps what it destroys before it does; None if it destroys nothing."""
    facts = request.facts
    launcher, full = find_genuine(request.environ, facts.project, login_shell=login_shell)
    holding = Machine(settings, request.environ).hold(request.command, facts) if launcher else None
    # What git throws away, the person may write before the line runs.
    is_needed = bool(decision.effects & Effect.DISCARDS)
    if holding is None or not (is_needed or destroys(holding)):
        return None
    try:
        script = parse(request.command)
    except ParseError:
        return None
    if not writes_by_itself(script):
        made = Containment(decision, facts.project)
        starts = [leaf.start for leaf in decision.leaves() if leaf.effects & UNDONE]
        made.add(owners(script, starts), UNDO)
        made.needed = set(made.flags)
        found = rewritten(made, request, settings, launcher, full) if made.flags else None
        if found is not None:
            return found
    name = shell_writes.note_line(settings.directories.state_dir, request.command)
    text = f"{full or launcher} undo --hold {name}; {request.command}"
    return Rewriting(text, (), (Note(0, len(request.command), "run", "behind undo --hold"),))

"""Keeps what a line destroys that somebody is asked about: right before it runs.

A copy that the hook makes is old by the time the person has decided. So the line itself carries the
keep, as an allowed one does: `laconic run --undo` before its commands, or, where the shell itself
writes (`> f`), `laconic undo --hold ID;` before all of it. A line that is left to the agent without
a rewrite carries nothing: the agent would look for its rules in the new text, and remember that.
"""

from __future__ import annotations

from laconic.hooks.contain import UNDO, Containment, Machine, destroys, rewritten
from laconic.hooks.shell_writes import note_line
from laconic.policy.contained import UNDONE
from laconic.rewrite.boxing import owners, writes_by_itself
from laconic.rewrite.edits import Note, Rewriting
from laconic.run.launcher import find_genuine
from laconic.shell import ParseError, parse
from laconic.types import Effect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.engine import Request
    from laconic.settings.load import Settings
    from laconic.types import Decision


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
    name = note_line(settings.directories.state_dir, request.command)
    text = f"{full or launcher} undo --hold {name}; {request.command}"
    return Rewriting(text, (), (Note(0, len(request.command), "run", "behind undo --hold"),))

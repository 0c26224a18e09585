"""What a box changes about the answers, on any machine: as if there were one where one may be."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from laconic.box.plan import refuse_unfit
from laconic.contain import place, rewritten
from laconic.engine import Request
from laconic.errors import LaconicError
from laconic.reading.facts import NOWHERE
from laconic.settings.load import isolated_settings
from laconic.types import Verdict
from laconic.undo.hold import hold_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from laconic.policy.rules import Rules
    from laconic.reading.places import Facts
    from laconic.types import Decision
    from laconic.undo.hold import Holding

SETTINGS = isolated_settings({})


class Everything:
    """A machine that can make a box; an undo holds what it would hold in that directory."""

    def has_box(self, facts: Facts) -> bool:
        """Tell whether a project may have one; one that is made up may."""
        try:
            if Path(facts.project).is_dir():
                refuse_unfit(facts.project, facts.home)
        except LaconicError:
            return False
        return facts.project != NOWHERE

    def hold(self, command: str, facts: Facts, parts: Sequence[int] = ()) -> Holding | None:
        return hold_line(command, facts.cwd, facts.environment, parts)


def with_box(command: str, decision: Decision, rules: Rules, facts: Facts) -> Decision:
    """Return the answer where there is a box: the same, if the line cannot be rewritten for it."""
    if decision.verdict is Verdict.DENY:
        return decision
    box = SETTINGS.config.box
    # The profile for agents that ask about nothing.
    cells = rules.answers.unasked() if rules.answers.profile == "guard" else rules.answers
    made = place(command, decision, cells, facts, Everything(), lambda: "/bin/bash", box)
    request = Request(command, facts.cwd, facts.environment)
    return made.decision if made and rewritten(made, request, SETTINGS, "laconic") else decision

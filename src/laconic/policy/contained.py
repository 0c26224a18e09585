"""What a command may do at once because it is contained: the box or an undo makes it harmless.

Nothing here looks whether there is a box, or whether an undo holds: the callers do, and leave the
decision as it is if not. A hard effect anywhere on a line is never contained.
"""

from __future__ import annotations

from laconic.policy.profiles import Answers
from laconic.types import (
    GRANTS,
    HARD,
    Decision,
    Effect,
    Kind,
    Source,
    Verdict,
    strictest,
    union,
)

# Of what is unclear, the words that one program reads. Not what the shell itself does, nor what a
# program would write or delete: that may be all of the project.
_WORDS = frozenset((
    Kind.OPTION, Kind.WORD, Kind.VALUE, Kind.DYNAMIC, Kind.SCRIPT, Kind.STATEMENT, Kind.PATH,
))  # fmt: skip
# What nothing contains. A package that would be fetched is not, in a box without a network.
NEVER = HARD & ~Effect.RUNS_FETCHED
# What an undo can take back.
UNDONE = Effect.PROJECT_WRITE | Effect.HISTORY | Effect.DISCARDS


class Contained:
    """What has to happen so that a line may run: these parts in the box, those with an undo.

    boxed, held: findings about parts of the line.
    """

    __slots__ = ("boxed", "held")

    def __init__(self, boxed: tuple[Decision, ...], held: tuple[Decision, ...]) -> None:
        self.boxed, self.held = boxed, held


def find_contained(
    decision: Decision, answers: Answers, *, has_box: bool, is_offline: bool = True
) -> Contained | None:
    """Say what has to be contained for a line to be allowed; None if the answer stays as it is.

    is_offline: the box has no network; else what an install of the project needs is reached there.
    """
    if decision.verdict is Verdict.DENY or hard_effects(decision, is_offline=is_offline):
        return None
    if decision.source is Source.ALLOWANCE:
        return None
    box = answers.box if has_box else Effect.READS
    boxed, held = [], []
    for leaf in decision.leaves():
        if leaf.verdict is not Verdict.ALLOW and not _is_settled(leaf, box, answers, is_offline):
            return None
        if leaf.in_box or leaf.source in GRANTS:
            continue
        if in_box_effects(leaf, is_offline) & box and leaf.kind is not Kind.REQUEST:
            boxed.append(leaf)
        if leaf.verdict is Verdict.ASK and leaf.effects & answers.undo:
            held.append(leaf)
    return Contained(tuple(boxed), tuple(held)) if boxed or held else None


def _is_settled(leaf: Decision, box: Effect, answers: Answers, is_offline: bool) -> bool:
    """Tell whether the box and an undo settle all that a finding asks about."""
    if leaf.verdict is Verdict.DENY or leaf.source is Source.OURS:
        return False
    if leaf.kind is Kind.REQUEST:
        return False  # what it makes a server do is done by the server, outside of the box
    if leaf.kind is Kind.EDITOR:
        return False  # it waits for keys that an agent cannot type, in a box as anywhere
    effects = in_box_effects(leaf, is_offline)
    if effects & Effect.INSTALLS:
        return False  # in the box it would come to nothing
    if effects and answers[effects] is Verdict.ALLOW and leaf.source is Source.KNOWLEDGE:
        return True  # nobody would be asked
    if leaf.firm:
        return False
    if effects & Effect.UNCLEAR and leaf.kind not in _WORDS:
        return False
    rest = effects & ~(box | answers.undo)
    return rest != effects and answers[rest] is Verdict.ALLOW


def in_box_effects(leaf: Decision, is_offline: bool) -> Effect:
    """What a finding's effects are in the box: installs of the project are code like any other.

    Without a network no package can be fetched to be run; with one it is asked about.
    """
    if leaf.stays and not is_offline:
        return leaf.effects & ~Effect.INSTALLS | Effect.UNKNOWN
    if leaf.kind is Kind.FETCHED:
        return leaf.effects & ~Effect.RUNS_FETCHED  # it is there by then, and unknown
    if leaf.kind is Kind.PACKAGE and is_offline:
        return leaf.effects & ~(Effect.INSTALLS | Effect.RUNS_FETCHED) | Effect.UNKNOWN
    return leaf.effects


def hard_effects(decision: Decision, *, is_offline: bool) -> Effect:
    """The hard effects that a line has in the box as well."""
    if not decision.effects & HARD:
        return Effect.READS
    return union(in_box_effects(leaf, is_offline) for leaf in decision.leaves()) & HARD


def allowed(decision: Decision, contained: Contained) -> Decision:
    """The decision on a line whose parts are contained."""
    main = (*contained.boxed, *contained.held)[0]
    what = "the box keeps it to the project" if contained.boxed else "laconic undo takes it back"
    return decision.but(
        verdict=Verdict.ALLOW,
        effects=decision.effects & NEVER | decision.effects & ~HARD,
        rule=main.rule,
        reason=f"{main.reason}; {what}",
        in_box=bool(contained.boxed),
        instead="",
        risk=True,
        firm=False,
    )


def asked(decision: Decision, contained: Contained, way: str) -> Decision:
    """The decision on a line that would be boxed, and cannot be because of its other parts."""
    main = contained.boxed[0]
    reason = f"{main.reason}, and not in the box: {way}"
    asks = Decision(Verdict.ASK, "box/line", reason, main.start, main.end)
    return strictest((asks, decision), 0, decision.end)

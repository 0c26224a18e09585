"""What the policy of a machine requires of a decision, whatever else had a say in it.

It comes last, because lists, rules of agents and the box settle findings without a look at who
wants them: what they let pass keeps its effects, and these are asked about here.
"""

from __future__ import annotations

from laconic.settings.managed import Managed
from laconic.types import EFFECTS, Decision, Effect, Source, Verdict, strictest, union


def with_required(decision: Decision, managed: Managed) -> Decision:
    """The decision, which asks about effects or denies them where the policy does."""
    asked, denied = (_effects(words) for words in (managed.asks, managed.denies))
    if not decision.effects & (asked | denied):
        return decision
    said = [one for leaf in decision.leaves() for one in _said(leaf, asked, denied, managed)]
    return strictest((*said, decision), 0, decision.end) if said else decision


def _effects(words: tuple[str, ...]) -> Effect:
    return union(EFFECTS[word] for word in words)


def _said(leaf: Decision, asked: Effect, denied: Effect, managed: Managed) -> list[Decision]:
    """What the policy says of a finding: nothing if that is stricter, or names none of them."""
    if found := leaf.effects & denied:
        verdict, verb = Verdict.DENY, "denies"
    elif found := leaf.effects & asked:
        verdict, verb = Verdict.ASK, "asks about"
    else:
        return []
    if leaf.verdict > verdict:
        return []
    reason = f"{managed.said} {verb} the effect {found}"
    if leaf.reason and leaf.source is Source.KNOWLEDGE:
        reason = f"{leaf.reason}; {reason}"
    return [
        Decision(
            verdict,
            f"policy/{found.words[0]}",
            reason,
            *leaf.span,
            effects=leaf.effects,
            firm=True,
            source=Source.POLICY,
        )
    ]

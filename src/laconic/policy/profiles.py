"""What each profile answers to each effect (docs/gate.md has the table for people)."""

from __future__ import annotations

from collections.abc import Mapping

from laconic.types import EFFECTS, HARD, Effect, Verdict, union

PROFILES = ("guard", "default", "work", "strict")
ALIASES = {"relaxed": "work"}
# No cell that a user sets makes these looser than the profile has them.
FIXED = (
    Effect.SENDS
    | Effect.GUARDED_WRITE
    | Effect.SECRETS
    | Effect.DESTROYS
    | Effect.UNJUDGED
    | Effect.RUNS_FETCHED
)

_ALLOWED = {
    "guard": ~HARD,
    "default": Effect.DOWNLOADS,
    "work": Effect.DOWNLOADS | Effect.PROJECT_CODE | Effect.PROJECT_WRITE | Effect.HISTORY,
    "strict": Effect.READS,
}

# What runs at once in the box where there is one; without a box it is as above.
_BOXED = {
    "default": Effect.PROJECT_CODE,
    "work": Effect.PROJECT_CODE | Effect.UNKNOWN | Effect.UNCLEAR,
}
# The same where the agent asks about nothing, so that all of it would run outside.
_BOXED_UNASKED = Effect.PROJECT_CODE | Effect.UNKNOWN | Effect.UNCLEAR
# What is allowed where an undo holds all of it; else it is as above.
_UNDOABLE = {"work": Effect.DISCARDS}

# What an agent's mode that accepts edits allows.
_EDITS = ("project-write", "history")


class Answers(dict[Effect, Verdict]):
    """The answers of one profile, with those that the user has changed.

    answers[effects] is the strictest of the answers to these effects; each is looked up once.
    box: effects that are allowed in the box, where there is one. undo: effects that are allowed
    where an undo holds them. least: the profile that no changed cell is looser than.
    """

    __slots__ = ("_changed", "_each", "_least", "box", "profile", "undo")

    def __init__(
        self,
        profile: str = "default",
        changed: Mapping[str, str] | None = None,
        least: str = "",
    ) -> None:
        self.profile, self._least = ALIASES.get(profile, profile), least
        self._changed = changed or {}
        allowed = _ALLOWED[self.profile]
        self._each = {e: Verdict.ALLOW if e & allowed else Verdict.ASK for e in EFFECTS.values()}
        self._each[Effect.READS] = Verdict.ALLOW
        self._each[Effect.DESTROYS] = Verdict.DENY
        self.box = _BOXED.get(self.profile, Effect.READS)
        self.undo = _UNDOABLE.get(self.profile, Effect.READS)
        for word, answer in self._changed.items():
            effect = EFFECTS[word]
            self.box &= ~effect
            self.undo &= ~effect
            if answer == "box":
                self.box |= effect
                continue
            verdict = Verdict(answer)
            if verdict > self._each[effect] or not effect & FIXED:
                self._each[effect] = verdict
        if least and self._changed:
            self._tighten(Answers(least))

    def _tighten(self, least: Answers) -> None:
        """Take from another profile each cell that is looser here."""
        for effect in (EFFECTS[word] for word in self._changed):
            if self._strictness(effect) < least._strictness(effect):
                self._each[effect] = least._each[effect]
                self.box = self.box & ~effect | least.box & effect
                self.undo = self.undo & ~effect | least.undo & effect

    def _strictness(self, effect: Effect) -> int:
        """Rank a cell: allowed, allowed in the box, asked outside of it, asked, denied."""
        verdict = self._each[effect]
        if verdict is Verdict.ALLOW:
            return 1 if self.box & effect else 0
        if verdict is Verdict.ASK:
            return 2 if (self.box | self.undo) & effect else 3
        return 4

    def with_edits(self) -> Answers:
        """The same where edits of the project are accepted: unless the user wants to be asked."""
        made = Answers(self.profile, self._changed, self._least)
        for word in _EDITS if self.profile != "strict" else ():
            if word not in self._changed:
                made._each[EFFECTS[word]] = Verdict.ALLOW
        return made

    def without_box(self, effects: Effect) -> Answers:
        """The same where these effects are not put in the box."""
        made = Answers(self.profile, self._changed, self._least)
        made._each, made.box = self._each, self.box & ~effects
        return made

    def unasked(self) -> Answers:
        """The same where nobody is asked about soft effects: in the box, where that is possible.

        An undo is not waited for, because the command would run without one as well.
        """
        made = Answers(self.profile, self._changed, self._least)
        if self.profile != "strict":
            made._each = {e: v if e & HARD else Verdict.ALLOW for e, v in self._each.items()}
            kept = union(EFFECTS[word] for word, said in self._changed.items() if said != "box")
            made.box, made.undo = _BOXED_UNASKED & ~kept, Effect.READS
        return made

    def in_the_box(self) -> Answers:
        """The same for a command that runs in the box."""
        return self._with_box(Verdict.ALLOW)

    def outside_the_box(self) -> Answers:
        """The same for a command that is to run without the box."""
        return self._with_box(Verdict.ASK)

    def _with_box(self, verdict: Verdict) -> Answers:
        made = Answers(self.profile, self._changed, self._least)
        made._each = {e: verdict if e & self.box else v for e, v in self._each.items()}
        return made

    def __missing__(self, effects: Effect) -> Verdict:
        found = [v for effect, v in self._each.items() if effect & effects]
        strictest = self[effects] = max(found, default=self._each[Effect.READS])
        return strictest

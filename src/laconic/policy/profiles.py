"""What each profile answers to each effect (docs/gate.md has the table for people)."""

from __future__ import annotations

from laconic.types import EFFECTS, HARD, Effect, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

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
# What is allowed where an undo holds all of it; else it is as above.
_UNDOABLE = {"work": Effect.DISCARDS}

# What an agent's mode that accepts edits allows.
_EDITS = ("project-write", "history")


class Cells(dict[Effect, Verdict]):
    """The answers of one profile, with the cells that the user has changed.

    cells[effects] is the strictest of the answers to these effects; each is looked up once.
    box: effects that are allowed in the box, where there is one. undo: effects that are allowed
    where an undo holds them.
    """

    __slots__ = ("_cells", "_changed", "box", "profile", "undo")

    def __init__(self, profile: str = "default", changed: Mapping[str, str] | None = None) -> None:
        self.profile = ALIASES.get(profile, profile)
        self._changed = changed or {}
        allowed = _ALLOWED[self.profile]
        self._cells = {e: Verdict.ALLOW if e & allowed else Verdict.ASK for e in EFFECTS.values()}
        self._cells[Effect.READS] = Verdict.ALLOW
        self._cells[Effect.DESTROYS] = Verdict.DENY
        self.box = _BOXED.get(self.profile, Effect.READS)
        self.undo = _UNDOABLE.get(self.profile, Effect.READS)
        for word, answer in self._changed.items():
            effect = EFFECTS[word]
            self.box &= ~effect
            self.undo &= ~effect
            if answer == "box":
                self.box |= effect
                continue
            verdict = Verdict[answer.upper()]
            if verdict > self._cells[effect] or not effect & FIXED:
                self._cells[effect] = verdict

    def with_edits(self) -> Cells:
        """The same where edits of the project are accepted: unless the user wants to be asked."""
        made = Cells(self.profile, self._changed)
        for word in _EDITS if self.profile != "strict" else ():
            if word not in self._changed:
                made._cells[EFFECTS[word]] = Verdict.ALLOW
        return made

    def without_box(self, effects: Effect) -> Cells:
        """The same where these effects are not put in the box."""
        made = Cells(self.profile, self._changed)
        made._cells, made.box = self._cells, self.box & ~effects
        return made

    def in_the_box(self) -> Cells:
        """The same for a command that runs in the box."""
        return self._with_box(Verdict.ALLOW)

    def outside_the_box(self) -> Cells:
        """The same for a command that is to run without the box."""
        return self._with_box(Verdict.ASK)

    def _with_box(self, verdict: Verdict) -> Cells:
        made = Cells(self.profile, self._changed)
        made._cells = {e: verdict if e & self.box else v for e, v in self._cells.items()}
        return made

    def __missing__(self, effects: Effect) -> Verdict:
        cells = [v for effect, v in self._cells.items() if effect & effects]
        strictest = self[effects] = max(cells, default=self._cells[Effect.READS])
        return strictest

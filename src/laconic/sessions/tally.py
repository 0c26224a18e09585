"""What replayed sessions come to: sums that a report prints."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from laconic.sessions.values import Usage
from laconic.types import Outcome, assert_never


class Judged(NamedTuple):
    """A step once more. now: the agent itself asks. outcomes: by profile.

    tokens, shown: of the output as it is, and by profile as laconic would show it. view: the id of
    the filter that shows it; empty if all of it is shown. program: what printed it, with its
    subcommand, as our tables have them; empty if they do not.
    """

    now: bool
    outcomes: dict[str, Outcome]
    tokens: int
    shown: dict[str, int]
    view: str = ""
    program: str = ""


class Counts:
    """The sums of one profile.

    saved: tokens by filter; saved_of: by program. dollars: what was not spent for the tokens that
    were not shown.
    """

    def __init__(self) -> None:
        self.outcomes: Counter[Outcome] = Counter()
        self.saved: Counter[str] = Counter()
        self.saved_of: Counter[str] = Counter()
        self.prompts = self.compacted = self.shown_tokens = 0
        self.dollars = 0.0


class Tally:
    """The sums of all. files, sessions, commands: what was read. outputs: those not empty.

    printed: tokens by program.
    asked_now: commands about which the agents themselves ask. refused: a person said no.
    dollars: what the sessions cost. unpriced: models without a price. in_time: all were judged
    before the time was up.
    """

    def __init__(self, profiles: tuple[str, ...]) -> None:
        self.profiles = {name: Counts() for name in profiles}
        self.agents: Counter[str] = Counter()
        self.printed: Counter[str] = Counter()
        self.files = self.sessions = self.commands = self.asked_now = self.refused = 0
        self.outputs = self.tokens = 0
        self.usage = Usage()
        self.dollars = 0.0
        self.unpriced: set[str] = set()
        self.in_time = True

    def add(self, agent: str, judged: Judged) -> None:
        self.agents[agent] += 1
        self.commands += 1
        self.asked_now += judged.now
        self.outputs += judged.tokens > 0
        self.tokens += judged.tokens
        self.printed[judged.program] += judged.tokens
        for name, outcome in judged.outcomes.items():
            counts = self.profiles[name]
            counts.outcomes[outcome] += 1
            counts.prompts += interrupts(outcome, now=judged.now)
            counts.shown_tokens += judged.shown[name]
            counts.saved[judged.view] += judged.tokens - judged.shown[name]
            counts.saved_of[judged.program] += judged.tokens - judged.shown[name]
            counts.compacted += judged.shown[name] < judged.tokens


def interrupts(outcome: Outcome, *, now: bool) -> bool:
    """Tell whether a person is interrupted: by laconic, or by the agent that it leaves it to."""
    match outcome:
        case Outcome.ALLOWED:
            return False
        case Outcome.LEFT:
            return now
        case Outcome.ASKED | Outcome.DENIED:
            return True
        case other:
            return assert_never(other)

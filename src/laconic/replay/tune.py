"""Proposes changes of the configuration that would have saved most prompts.

A proposal is tried for real: a configuration with it decides all commands of the past again. It is
dropped if it allows anything with a hard effect, or an effect that it is not about, or opens a
way around what it says.
"""

from __future__ import annotations

from collections import Counter
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from laconic.knowledge.catalog import tables
from laconic.knowledge.knowledge import first_words
from laconic.policy.profiles import ALIASES
from laconic.replay.candidates import OPEN, Candidate, candidates, may_settle
from laconic.replay.judge import Judge, Places
from laconic.sessions.proposal import Proposal
from laconic.sessions.tally import interrupts
from laconic.sessions.values import Step
from laconic.types import HARD, Decision, Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from laconic.settings.load import Settings

MOST = 10
_MOST_CANDIDATES = 60
_EXAMPLES = 3
_FEWEST = 2  # what was asked once is not worth a rule


class Seen(NamedTuple):
    """A command of the past: who wanted to run it, where, and in which mode."""

    agent: str
    cwd: str
    command: str
    mode: str = ""
    was_asked: bool | None = None


class Tuner:
    """Tries proposals with one user's settings."""

    def __init__(self, settings: Settings, environ: Mapping[str, str]) -> None:
        self._settings, self._environ = settings, environ
        profile = settings.config.settings.profile
        self._profile = ALIASES.get(profile, profile)
        self._places = Places(environ)
        self._judge = lru_cache(maxsize=8)(self._judge_with)

    def propose(
        self, seen: Counter[Seen], progress: Callable[[int, int], None] | None = None
    ) -> tuple[list[Proposal], int]:
        """Return the best proposals, and how many prompts there were."""
        prompts = Counter[Seen]()
        decided: dict[Seen, Decision] = {}
        judge = self._judge(())
        for number, (each, count) in enumerate(seen.items()):
            if progress and number % 50 == 0:
                progress(number, len(seen))
            judged = judge.judge(each.agent, _step(each))
            outcome = judged.outcomes[self._profile]
            if interrupts(outcome, now=judged.now):
                prompts[each] = count
            if outcome is Outcome.LEFT and judged.now:
                decided[each] = self._decide(judge, each)
        if progress:
            progress(1, 1)
        return self._best(decided, prompts), prompts.total()

    def _best(self, decided: Mapping[Seen, Decision], prompts: Counter[Seen]) -> list[Proposal]:
        """Take the candidate that saves most, then the next for what is left."""
        proposed = candidates(decided, prompts, self._settings.config)[:_MOST_CANDIDATES]
        left, chosen = dict(decided), tuple[Candidate, ...]()
        proposals: list[Proposal] = []
        while proposed and len(proposals) < MOST:
            tried = {each: self._saved((*chosen, each), left) for each in proposed}
            worth = {e: sum(prompts[s] for s in saved) for e, saved in tried.items()}
            proposed = [each for each in proposed if worth[each] >= _FEWEST]
            if not proposed:
                break
            best = max(proposed, key=lambda each: (worth[each], each.is_narrow))
            proposed.remove(best)
            proposal = self._examined(best, chosen, Counter({s: prompts[s] for s in tried[best]}))
            if proposal:
                proposals.append(proposal)
                chosen = (*chosen, best)
                left = {each: left[each] for each in left if each not in tried[best]}
        return proposals

    def settle(self, each: Seen) -> tuple[Proposal, ...] | None:
        """Return rules that end the question about one command; None if it is not asked today.

        They are narrow, so that they can be examined in a moment, and there is one for each part
        of the command that asks. Where one of these has none, none are proposed.
        """
        decision = self._decide(self._judge(()), each)
        if decision.verdict is Verdict.ALLOW:
            return None
        rules = self._narrow(each, decision)
        chosen = tuple[Candidate, ...]()
        proposals: list[Proposal] = []
        if rules and self._saved(rules, {each: decision}):
            for best in rules:
                proposal = self._examined(best, chosen, Counter({each: 1}))
                if proposal is None:
                    return ()
                proposals.append(proposal)
                chosen = (*chosen, best)
        return tuple(proposals)

    def _narrow(self, each: Seen, decision: Decision) -> tuple[Candidate, ...]:
        """Return a rule for each finding that asks, one with any arguments where there is one."""
        rules: dict[Candidate, None] = {}
        for leaf in decision.leaves():
            if leaf.verdict is not Verdict.ASK:
                continue
            proposed = candidates({each: leaf}, Counter({each: 1}), self._settings.config)
            narrow = [rule for rule in proposed if rule.is_narrow]
            if not narrow:
                return ()
            rules[next((rule for rule in narrow if rule.value.endswith(" *")), narrow[0])] = None
        return tuple(rules)

    def _saved(self, changes: tuple[Candidate, ...], left: Mapping[Seen, Decision]) -> list[Seen]:
        judge = self._judge(changes)
        return [
            each
            for each, decision in left.items()
            if may_settle(changes, each.command, decision)
            and self._decide(judge, each).verdict is Verdict.ALLOW
        ]

    def _examined(
        self, best: Candidate, chosen: tuple[Candidate, ...], saved: Counter[Seen]
    ) -> Proposal | None:
        """Replay it against what must not be allowed; None if any of that is."""
        before, after = self._judge(chosen), self._judge((*chosen, best))
        if any(self._decide(after, each).effects & HARD for each in saved):
            return None
        commands = [each.command for each, _ in saved.most_common(_EXAMPLES)]
        around = [line.replace("{}", command) for line in _around() for command in commands]
        place = next(iter(saved))
        if any(self._opens(before, after, place._replace(command=text)) for text in around):
            return None
        others = []
        uses = _uses(best.program)
        for text in uses:
            opened = self._opens(before, after, place._replace(command=text))
            if opened and opened.effects & ~(OPEN | best.effects):
                return None
            if opened and text != best.value:
                others.append(text)
        return Proposal(
            best.table,
            best.key,
            best.value,
            saved.total(),
            tuple((each.command, count) for each, count in saved.most_common(_EXAMPLES)),
            best.meaning,
            tuple(others[:_EXAMPLES]),
            len(others),
            len(around) + len(uses),
        )

    def _opens(self, before: Judge, after: Judge, each: Seen) -> Decision | None:
        """Return the decision that allows what was not allowed before."""
        decision = self._decide(after, each)
        if decision.verdict is not Verdict.ALLOW:
            return None
        return decision if self._decide(before, each).verdict is not Verdict.ALLOW else None

    def _decide(self, judge: Judge, each: Seen) -> Decision:
        return judge.decide(each.agent, _step(each), self._profile)

    def _judge_with(self, changes: tuple[Candidate, ...]) -> Judge:
        config = self._settings.config
        for change in changes:
            config = change.applied(config)
        settings = self._settings.with_config(config)
        return Judge(settings, self._environ, (self._profile,), self._places)


def _step(each: Seen) -> Step:
    return Step(each.command, each.cwd, each.mode, each.was_asked)


def _around() -> list[str]:
    text = (Path(__file__).parent / "data/around.txt").read_text("utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


@cache
def _uses(program: str) -> list[str]:
    """Return the examples of what must not run unseen, in the tables of a program, or of all."""
    examples: list[str] = []
    for _, path, table in tables():
        names = {word for name in (path, *table.get("also", ())) for word in first_words(name)}
        if not program or program.rpartition("/")[2] in names:
            examples += table.get("no", ())
    return examples

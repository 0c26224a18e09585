"""Proposes changes of the configuration that would have saved most prompts.

A proposal is tried for real: a configuration with it decides all commands of the past again. It is
dropped if it allows anything with a hard effect, or an effect that it is not about, or opens a
way around what it says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from laconic.agents.load import CLAUDE
from laconic.knowledge.catalog import tables
from laconic.knowledge.knowledge import first_words
from laconic.policy.profiles import ALIASES
from laconic.reading.facts import NOWHERE
from laconic.replay.candidates import OPEN, Candidate, candidates, looser_profile, may_settle
from laconic.replay.judge import Places, ReplayJudge
from laconic.sessions.proposal import Proposal
from laconic.sessions.tally import interrupts
from laconic.sessions.values import Step
from laconic.settings.load import Settings
from laconic.types import HARD, Decision, Outcome, Verdict

MOST = 10
_MOST_CANDIDATES = 60
_EXAMPLES = 3
_FEWEST = 2  # what was asked once is not worth a rule


class PastStep(NamedTuple):
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
        self, seen: Counter[PastStep], progress: Callable[[int, int], None] | None = None
    ) -> tuple[list[Proposal], int]:
        """Return the best proposals, and how many prompts there were."""
        decided, prompts = self.questions(seen, progress)
        progress = progress or (lambda *_: None)
        best = self._best(decided, prompts, lambda done, all_: progress(all_ + done, 2 * all_))
        progress(1, 1)
        return best, prompts.total()

    def questions(
        self, seen: Counter[PastStep], progress: Callable[[int, int], None] | None = None
    ) -> tuple[dict[PastStep, Decision], Counter[PastStep]]:
        """Return what a change may end of the prompts, and how often each of them comes."""
        prompts = Counter[PastStep]()
        decided: dict[PastStep, Decision] = {}
        progress = progress or (lambda *_: None)
        judge = self._judge(())
        for number, (each, count) in enumerate(seen.items()):
            if number % 50 == 0:
                progress(number, 2 * len(seen))
            judged = judge.judge(each.agent, _step(each))
            outcome = judged.outcomes[self._profile]
            if interrupts(outcome, now=judged.now):
                prompts[each] = count
            if outcome is Outcome.LEFT and judged.now:
                decided[each] = self._decide(judge, each)
        return decided, prompts

    def _best(
        self,
        decided: Mapping[PastStep, Decision],
        prompts: Counter[PastStep],
        progress: Callable[[int, int], None],
    ) -> list[Proposal]:
        """Take the candidate that saves most, then the next for what is left."""
        proposed = candidates(decided, prompts, self._settings.config)[:_MOST_CANDIDATES]
        profile = looser_profile(self._profile)
        if profile and sum(each.table == "effects" for each in proposed) > 1:
            proposed.append(profile)  # which would else be spelled out
        left, chosen = dict(decided), tuple[Candidate, ...]()
        proposals: list[Proposal] = []
        while proposed and len(proposals) < MOST:
            tried = {}
            for number, each in enumerate(proposed):
                progress(len(proposals) * len(proposed) + number, MOST * len(proposed))
                tried[each] = self._saved((*chosen, each), left)
            worth = {e: sum(prompts[s] for s in saved) for e, saved in tried.items()}
            proposed = [each for each in proposed if worth[each] >= _FEWEST]
            if not proposed:
                break
            best = max(proposed, key=lambda e: (worth[e], e.is_narrow, e is not profile))
            proposed.remove(best)
            proposal = self._examined(best, chosen, Counter({s: prompts[s] for s in tried[best]}))
            if proposal:
                proposals.append(proposal)
                chosen = (*chosen, best)
                if best is profile:
                    proposed = [e for e in proposed if not e.effects or e.is_narrow]
                left = {each: left[each] for each in left if each not in tried[best]}
        return proposals

    def settle(self, each: PastStep) -> tuple[Proposal, ...] | None:
        """Return rules that end the question about one command; None if it is not asked today.

        They are narrow, so that they can be examined in a moment, and there is one for each part
        of the command that asks. Where one of these has none, none are proposed.
        """
        decision = self._decide(self._judge(()), each)
        if decision.verdict is Verdict.ALLOW:
            return None
        rules = self.narrow(each, decision)
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

    def examine(self, rule: Candidate, commands: Sequence[str]) -> Proposal | None:
        """Try a rule that others propose, for commands that it is about; None if it opens more.

        They run in a project that nobody has.
        """
        steps = (PastStep(CLAUDE, f"{NOWHERE}/project", command) for command in commands)
        return self._examined(rule, (), Counter(steps))

    def narrow(self, each: PastStep, decision: Decision) -> tuple[Candidate, ...]:
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

    def _saved(
        self, changes: tuple[Candidate, ...], left: Mapping[PastStep, Decision]
    ) -> list[PastStep]:
        judge = self._judge(changes)
        return [
            each
            for each, decision in left.items()
            if may_settle(changes, each.command, decision) and self._is_allowed(judge, each)
        ]

    def _is_allowed(self, judge: ReplayJudge, each: PastStep) -> bool:
        """Tell whether it runs unasked; a profile lets some things run only in the box."""
        if self._decide(judge, each).verdict is Verdict.ALLOW:
            return True
        (profile,) = judge.profiles
        if profile == self._profile:
            return False
        return judge.judge(each.agent, _step(each)).outcomes[profile] is Outcome.ALLOWED

    def _examined(
        self, best: Candidate, chosen: tuple[Candidate, ...], saved: Counter[PastStep]
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
        known = {command.partition(" ")[0] for command in commands}
        others.sort(key=lambda text: text.partition(" ")[0] not in known)  # the familiar first
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

    def _opens(self, before: ReplayJudge, after: ReplayJudge, each: PastStep) -> Decision | None:
        """Return the decision that allows what was not allowed before."""
        decision = self._decide(after, each)
        if decision.verdict is not Verdict.ALLOW:
            return None
        return decision if self._decide(before, each).verdict is not Verdict.ALLOW else None

    def _decide(self, judge: ReplayJudge, each: PastStep) -> Decision:
        (profile,) = judge.profiles
        return judge.decide(each.agent, _step(each), profile)

    def _judge_with(self, changes: tuple[Candidate, ...]) -> ReplayJudge:
        config = self._settings.config
        for change in changes:
            config = change.applied(config)
        settings = self._settings.with_config(config)
        profiles = (each.value for each in changes if each.table == "settings")
        profile = next(profiles, self._profile)
        return ReplayJudge(settings, self._environ, (profile,), self._places)


def _step(each: PastStep) -> Step:
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

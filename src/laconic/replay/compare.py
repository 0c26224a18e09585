"""Compares two policies on past sessions: which verdicts change, and how often people are asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from laconic.policy.profiles import ALIASES
from laconic.replay.judge import ReplayJudge
from laconic.sessions import find
from laconic.sessions.comparison import Change, Comparison
from laconic.sessions.find import Transcript
from laconic.sessions.tally import interrupts
from laconic.settings.load import Settings


def compare(
    transcripts: Sequence[Transcript],
    before: Settings,
    after: Settings,
    environ: Mapping[str, str],
) -> Comparison:
    """Judge all commands of these transcripts by the settings before and after."""
    made = Comparison()
    judges = [_judge(settings, environ) for settings in (before, after)]
    for _, sessions in find.read(transcripts):
        for session in sessions:
            made.sessions += any(step.command.strip() for step in session.steps)
            for step in session.steps:
                if not step.command.strip():
                    continue
                made.commands += 1
                found = [judge.outcome(session.agent, step) for judge in judges]
                for which, (now, outcome) in enumerate(found):
                    made.prompts[which] += interrupts(outcome, now=now)
                (_, old), (_, new) = found
                if old is not new:
                    judge = judges[1]
                    reason = judge.decide(session.agent, step, judge.profiles[0]).reason
                    made.changes[Change(step.command, old, new, reason)] += 1
    return made


def _judge(settings: Settings, environ: Mapping[str, str]) -> ReplayJudge:
    profile = settings.config.settings.profile
    return ReplayJudge(settings, environ, (ALIASES.get(profile, profile),))

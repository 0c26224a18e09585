"""Judges a past step as laconic would: the verdict of each profile, and what is shown of an output.

Nothing runs and nothing is kept. The files that a decision looks at are those of today.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple

from laconic.agents.load import BEFORE, Agent, load
from laconic.compact.tokens import estimate, estimate_bytes
from laconic.contain import Machine, contained
from laconic.engine import Request, counted, escalated, outcome
from laconic.hooks.call import shells_of
from laconic.hooks.response import can_replace
from laconic.knowledge.arguments import evaluate
from laconic.knowledge.catalog import library
from laconic.permissions.read import read_allowed, read_permissions
from laconic.policy.from_config import build_rules, load_library
from laconic.policy.permissions import Permission
from laconic.policy.required import with_required
from laconic.policy.rules import Rules
from laconic.reading.decide import decide
from laconic.reading.facts import NOWHERE, SHELLS, read_facts, scope
from laconic.reading.places import Facts
from laconic.replay.flow import asks, flow_of
from laconic.rewrite.from_config import rewritten
from laconic.run.captured import compact_captured
from laconic.sessions.tally import Judged
from laconic.sessions.values import Step
from laconic.settings.load import Settings
from laconic.shell import ParseError, parse
from laconic.shell.walk import commands
from laconic.types import Decision, Effect, Outcome, Verdict, assert_never

# No directory can be made below it: copies of what is read are not kept here.
_NO_STATE = "/dev/null/laconic"
_MOST_COMMAND = 100_000
_STRICTEST_FIRST = ("strict", "default", "work", "guard")


class StepPlace(NamedTuple):
    """Where commands ran. ours: the rules that count for laconic, theirs: for the agent."""

    facts: Facts
    ours: tuple[Permission, ...]
    theirs: tuple[Permission, ...]


class Places:
    """The places where commands ran, as they are today, each read once."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self.find = lru_cache(maxsize=512)(self._find)

    def _find(self, agent: str, cwd: str) -> StepPlace:
        known = known_agent(agent)
        shells = shells_of(known, self._environ) if known else SHELLS
        facts = read_facts(cwd if cwd.startswith("/") else NOWHERE, self._environ, shells)
        where = agent, facts.cwd, scope(facts), self._environ, _NO_STATE
        ours = read_permissions(*where)[0]
        strict = tuple(rule for rule in ours if rule.verdict is not Verdict.ALLOW)
        return StepPlace(facts, ours, (*read_allowed(*where), *strict))


class _Today(Machine):
    """This machine: it may have a box, but nobody knows which files were there then."""

    def __init__(self, settings: Settings, environ: Mapping[str, str]) -> None:
        super().__init__(settings, environ)
        self._known = lru_cache(maxsize=512)(super().has_box)

    def has_box(self, facts: Facts) -> bool:
        return self._known(facts)

    def hold(self, _command: str, _facts: Facts, _parts: Sequence[int] = ()) -> None:
        return None


class ReplayJudge:
    """Knows the user's settings, the rules of agents, and the places where commands ran."""

    def __init__(
        self,
        settings: Settings,
        environ: Mapping[str, str],
        profiles: Sequence[str],
        places: Places | None = None,
    ) -> None:
        self.settings, self._environ, self.profiles = settings, environ, profiles
        self._library, _ = load_library(settings)
        self._settings = {profile: with_profile(settings, profile) for profile in profiles}
        self._place = (places or Places(environ)).find
        self._machine = _Today(settings, environ)
        self._rules = lru_cache(maxsize=2048)(self._build_rules)
        self._decided = lru_cache(maxsize=4096)(self._decide_all)

    def judge(self, agent: str, step: Step) -> Judged:
        """Return what the agent asks today, and what laconic does, by profile."""
        if len(step.command) > _MOST_COMMAND:
            step = step._replace(command=step.command[:_MOST_COMMAND])
        effects, outcomes = self._decided(agent, step.cwd, step.command, step.mode)
        now = asks(agent, step, effects, self._place(agent, step.cwd).theirs)
        tokens = estimate_bytes(step.output)
        compacted, view, program = self._compacted(step, tokens)
        shown = {
            name: compacted if _is_rewritten(outcome, agent, step) else tokens
            for name, outcome in outcomes.items()
        }
        return Judged(now, outcomes, tokens, shown, view, program)

    def outcome(self, agent: str, step: Step) -> tuple[bool, Outcome]:
        """Return whether the agent asks today, and what laconic does in the first profile."""
        effects, outcomes = self._decided(agent, step.cwd, step.command, step.mode)
        now = asks(agent, step, effects, self._place(agent, step.cwd).theirs)
        return now, outcomes[self.profiles[0]]

    def decide(self, agent: str, step: Step, profile: str) -> Decision:
        """Decide in one profile, as the hook does; a program of the user's own is not asked."""
        request = self._request(agent, step.cwd, step.command, step.mode)
        return self._decide(request, profile)

    def _decide(self, request: Request, profile: str) -> Decision:
        rules = self._rules(request.agent, request.cwd, profile, request.mode == "edits")
        decision = decide(request.command, self._library, rules, request.facts)
        if self.settings.managed:
            decision = with_required(decision, self.settings.managed)
        return escalated(decision, self._settings[profile])

    def _request(self, agent: str, cwd: str, command: str, mode: str) -> Request:
        known, facts = known_agent(agent), self._place(agent, cwd).facts
        means = known.modes.get(mode, "") if known else ""
        return Request(command, cwd, self._environ, agent, mode=means, facts=facts)

    def _decide_all(
        self, agent: str, cwd: str, command: str, mode: str
    ) -> tuple[Effect, dict[str, Outcome]]:
        """Return the effects of a command, and what laconic does by profile.

        What a strict profile allows, a looser one allows, too, and needs no decision.
        """
        request, known = self._request(agent, cwd, command, mode), known_agent(agent)
        has_flow = known is None or known.has_flow
        outcomes: dict[str, Outcome] = {}
        decision = None
        for name in _STRICTEST_FIRST:
            if name in self._settings:
                own = self._settings[name]
                if decision is None or decision.verdict is not Verdict.ALLOW:
                    decision = self._contained(request, self._decide(request, name), own)
                outcomes[name] = outcome(decision, own, mode=request.mode, has_flow=has_flow)
        assert decision
        return decision.effects, {name: outcomes[name] for name in self._settings}

    def _contained(self, request: Request, decision: Decision, settings: Settings) -> Decision:
        """Return the decision with the box that this machine can make, if it can."""
        known = known_agent(request.agent)
        if decision.verdict is Verdict.DENY or (known and not _can_replace(known)):
            return decision
        login_shell = known is not None and known.login_shell
        made = contained(
            request, decision, settings, login_shell=login_shell, machine=self._machine
        )
        return made.decision if made else decision

    def _build_rules(self, agent: str, cwd: str, profile: str, accepts_edits: bool) -> Rules:
        return build_rules(
            self._settings[profile],
            self._library,
            self._environ,
            counted(self._place(agent, cwd).ours, self.settings.managed),
            accepts_edits=accepts_edits,
        )

    def _compacted(self, step: Step, tokens: int) -> tuple[int, str, str]:
        """The tokens of what is shown, the filter, and what printed them; all without a rewrite."""
        if not tokens:
            return 0, "", ""
        made = rewritten(step.command, self.settings)
        wrapped = [note for note in made.notes if note.action == "run"]
        command = step.command
        if len(wrapped) == 1:  # what else is on the line prints little, as a rule
            source = command.encode("utf-8", "surrogateescape")
            command = source[wrapped[0].start : wrapped[0].end].decode("utf-8", "replace")
        program = _program(command)
        if not wrapped:
            return tokens, "", program
        compacted = compact_captured(step.output, command, step.status, self.settings)
        if compacted is None:
            return tokens, "", program
        shown = min(tokens, estimate(compacted.text + compacted.notice))
        return shown, compacted.filter, program


def _program(line: str) -> str:
    """The first command of a line but `cd`, in words of our tables: no other text gets out."""
    with suppress(ParseError):
        for occurrence in commands(parse(line)):
            words = evaluate(occurrence.command.words, {})
            name = (words[0].text or "").rsplit("/", 1)[-1] if words else ""
            match = library().find(name, words[1:])
            if name != "cd" and match:
                known = library().root.words[name].words
                return " ".join((name, *(word for word in match.path[1:2] if word in known)))
    return ""


def known_agent(name: str) -> Agent | None:
    """What is known of an agent; None if it has no hook."""
    with suppress(KeyError):
        return load(name)
    return None


def _can_replace(agent: Agent) -> bool:
    return any(can_replace(agent, event) for event in agent.events if event.kind == BEFORE)


def with_profile(settings: Settings, profile: str) -> Settings:
    config = settings.config
    return settings.with_config(config.but(settings=config.settings.but(profile=profile)))


def _is_rewritten(outcome: Outcome, agent: str, step: Step) -> bool:
    """An agent that matches no rules gets a rewrite even with no answer."""
    match outcome:
        case Outcome.ALLOWED | Outcome.ASKED:
            return True
        case Outcome.LEFT:
            return step.mode in flow_of(agent).quiet_modes
        case Outcome.DENIED:
            return False
        case other:
            return assert_never(other)

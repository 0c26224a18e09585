"""Formats the status page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from laconic.record.decisions import LEFT, UNCHECKED
from laconic.record.queries import Gain
from laconic.report import gain
from laconic.report.dates import local
from laconic.report.questions import asked
from laconic.report.screen import Screen
from laconic.report.sparkline import sparkline
from laconic.report.table import Cell, table
from laconic.report.text import counted, visible
from laconic.sessions.question import Question

_INDENT = "  "
# The answers in the log of decisions, in words.
ANSWERS = {
    "allow": "allowed", "ask": "asked", "deny": "denied", LEFT: "left to the agent",
    UNCHECKED: "not checked",
}  # fmt: skip


class AgentState(NamedTuple):
    """An agent on this machine. is_hook: it calls laconic. called: when it last did.

    is_current: what is in its settings is what this laconic would write.
    """

    name: str
    title: str
    is_installed: bool
    is_hook: bool
    called: float | None
    is_current: bool = True

    def was_called_on(self, day: str) -> bool:
        return self.called is not None and local(self.called).startswith(day)


class Status(NamedTuple):
    """What laconic does here. off: what it does not. today: how often agents were answered what.

    days: what each of the last days saved. steps: what to type next, and why. sends: what
    `laconic export` sends, and where. policy: that of this machine, with its serial and last day.
    """

    version: str
    profile: str
    off: tuple[str, ...]
    agents: tuple[AgentState, ...]
    saved: Mapping[str, Gain]
    days: tuple[int, ...]
    today: Mapping[str, int]
    asked: tuple[Question, ...]
    steps: tuple[tuple[str, str], ...]
    now: float
    sends: str = ""
    policy: str = ""


def lines(status: Status, screen: Screen) -> Iterator[str]:
    """Yield the page, as wide as the screen."""
    yield f"laconic {status.version}, profile {status.profile}"
    if status.policy:
        yield f"policy {visible(status.policy)}"
    yield from (screen.paint(f"switched off: {what}", "warn") for what in status.off)
    if status.sends:
        yield f"laconic export sends {visible(status.sends)}"
    yield from _part("agents", _agents(status, screen), screen)
    yield from _part("saved", _saved(status, screen), screen)
    yield from _part("asked", _asked(status, screen), screen)
    yield from _part("next", _next(status, screen), screen)


def line(status: Status) -> str:
    """One line for the status line of an agent."""
    today = status.saved.get("today")
    saved = f"{today.saved_tokens:,} tokens saved today" if today and today.runs else ""
    asked = status.today.get("ask", 0)
    questions = f"{asked:,} asked" if asked else ""
    off = "off: " + ", ".join(status.off) if status.off else ""
    parts = (f"laconic {status.profile}", off, saved, questions)
    return visible(" · ".join(part for part in parts if part))


def _part(title: str, body: Iterator[str], screen: Screen) -> Iterator[str]:
    yield from ("", screen.paint(title, "head"))
    yield from (f"{_INDENT}{line}".rstrip() for line in body)


def _inner(screen: Screen) -> Screen:
    """Leave room for the indent."""
    width = screen.width
    return screen._replace(width=None if width is None else width - len(_INDENT))


def _agents(status: Status, screen: Screen) -> Iterator[str]:
    if not status.agents:
        yield "none was found on this machine"
        return
    rows: list[list[str | Cell]] = [
        [agent.name, *_state(agent, status.now)] for agent in status.agents
    ]
    yield from table(rows, "<<<", _inner(screen), shrink=(2,))


def _state(agent: AgentState, now: float) -> tuple[Cell, str]:
    if not agent.is_installed:
        return Cell("not installed", "disabled"), ""
    if not agent.is_hook:
        return Cell("rules for the model", "ok"), "it has no hooks"
    if agent.called is None:
        return Cell("not called yet", "note"), ""
    is_today = agent.was_called_on(local(now)[:10])
    state = Cell("called today", "ok") if is_today else Cell("not called today", "warn")
    return state, f"last {local(agent.called)}"


def _saved(status: Status, screen: Screen) -> Iterator[str]:
    if not any(each.runs for each in status.saved.values()):
        yield "nothing yet: let an agent run a command"
        return
    rows: list[list[str | Cell]] = [
        [
            name,
            Cell(f"{each.saved_tokens:,}", gain.style(each.saved_tokens)),
            f"of {each.input_tokens:,} tokens{gain.unit(each.exact)}",
            gain.percent(each),
            counted(each.runs, "run"),
        ]
        for name, each in _unlike(status.saved)
    ]
    yield from table(rows, "<><>>", _inner(screen))
    if any(status.days):
        yield f"{sparkline(status.days)}  the last {len(status.days)} days"


def _unlike(saved: Mapping[str, Gain]) -> Iterator[tuple[str, Gain]]:
    """Leave out the sums of longer times in which nothing else happened, as on the first day."""
    before = None
    for name, each in saved.items():
        if each != before:
            yield name, each
        before = each


def _asked(status: Status, screen: Screen) -> Iterator[str]:
    told = [
        screen.paint(f"{count:,} {ANSWERS[word]}", word if count else "")
        for word, count in status.today.items()
        if count or word not in (LEFT, UNCHECKED)
    ]
    yield f"today {', '.join(told)}"
    yield from asked(status.asked, _inner(screen))


def _next(status: Status, screen: Screen) -> Iterator[str]:
    if not status.steps:
        yield "nothing: laconic works. laconic gain and laconic log say more"
        return
    rows = [[step, visible(why)] for step, why in status.steps]
    yield from table(rows, "<<", _inner(screen), shrink=(1,))


def to_json(status: Status) -> dict[str, Any]:
    """Return plain values."""
    day = local(status.now)[:10]
    return {
        "version": 1,
        "laconic": status.version,
        "profile": status.profile,
        "policy": status.policy or None,
        "off": list(status.off),
        "sends": status.sends,
        "agents": [
            {
                "name": agent.name,
                "installed": agent.is_installed,
                "last_call": None if agent.called is None else local(agent.called),
                "called_today": agent.was_called_on(day),
            }
            for agent in status.agents
        ],
        "saved": {name: gain.fields(each) for name, each in status.saved.items()},
        "days": list(status.days),
        "today": dict(status.today),
        "asked": [question.to_json() for question in status.asked],
        "next": [{"type": step, "why": why} for step, why in status.steps],
    }

"""Formats the status page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from laconic.record.queries import Gain
from laconic.report import gain
from laconic.report.dates import local
from laconic.report.questions import asked
from laconic.report.sparkline import sparkline
from laconic.report.table import Cell, table
from laconic.report.text import visible
from laconic.sessions.question import Question
from laconic.types import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from laconic.report.screen import Screen

_INDENT = "  "


class AgentState(NamedTuple):
    """An agent on this machine. is_hook: it calls laconic. called: when it last did."""

    name: str
    title: str
    is_installed: bool
    is_hook: bool
    called: float | None

    def was_called_on(self, day: str) -> bool:
        return self.called is not None and local(self.called).startswith(day)


class Status(NamedTuple):
    """What laconic does here. off: what it does not. verdicts: of today, allow, ask and deny.

    days: what each of the last days saved. steps: what to type next, and why.
    """

    version: str
    profile: str
    off: tuple[str, ...]
    agents: tuple[AgentState, ...]
    saved: Mapping[str, Gain]
    days: tuple[int, ...]
    verdicts: tuple[int, ...]
    asked: tuple[Question, ...]
    steps: tuple[tuple[str, str], ...]
    now: float


def lines(status: Status, screen: Screen) -> Iterator[str]:
    """Yield the page, as wide as the screen."""
    yield f"laconic {status.version}, profile {status.profile}"
    yield from (screen.paint(f"switched off: {what}", "warn") for what in status.off)
    yield from _part("agents", _agents(status, screen), screen)
    yield from _part("saved", _saved(status, screen), screen)
    yield from _part("asked", _asked(status, screen), screen)
    yield from _part("next", _next(status, screen), screen)


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
        return Cell("not called yet", "warn"), ""
    is_today = agent.was_called_on(local(now)[:10])
    state = Cell("called today", "ok") if is_today else Cell("not called today", "warn")
    return state, f"last {local(agent.called)}"


def _saved(status: Status, screen: Screen) -> Iterator[str]:
    if not any(each.runs for each in status.saved.values()):
        yield "nothing yet: laconic run git status"
        return
    rows: list[list[str | Cell]] = [
        [
            name,
            Cell(f"{each.saved_tokens:,}", gain.style(each.saved_tokens)),
            f"of {each.input_tokens:,} tokens{gain.unit(each.exact)}",
            gain.percent(each),
            f"{each.runs:,} run{'' if each.runs == 1 else 's'}",
        ]
        for name, each in status.saved.items()
    ]
    yield from table(rows, "<><>>", _inner(screen))
    if any(status.days):
        yield f"{sparkline(status.days)}  the last {len(status.days)} days"


def _asked(status: Status, screen: Screen) -> Iterator[str]:
    counts = [
        screen.paint(f"{count:,} {word}", verdict.word if count else "")
        for count, verdict, word in zip(
            status.verdicts, Verdict, ("allowed", "asked", "denied"), strict=True
        )
    ]
    yield f"today {', '.join(counts)}"
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
        "off": list(status.off),
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
        "today": {v.word: n for v, n in zip(Verdict, status.verdicts, strict=True)},
        "asked": [question.to_json() for question in status.asked],
        "next": [{"type": step, "why": why} for step, why in status.steps],
    }

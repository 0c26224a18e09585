"""Formats what a replay of past sessions comes to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from laconic.report.screen import Screen
from laconic.report.table import table
from laconic.report.text import counted, visible
from laconic.sessions.tally import Counts, Tally
from laconic.types import Outcome

_MOST_COMMANDS = 8
_MOST_MODELS = 5
_LONGEST_NAME = 60


def report(tally: Tally, date: str, screen: Screen) -> Iterator[str]:
    """Yield the lines. date: that of the prices."""
    agents = ", ".join(f"{name} {count:,}" for name, count in tally.agents.most_common())
    yield f"{counted(tally.commands, 'command')} in {counted(tally.sessions, 'session')} ({agents})"
    if tally.refused:
        yield f"{counted(tally.refused, 'time')} a person was asked and said no"
    told = ", ".join(f"{name} {counts.prompts:,}" for name, counts in tally.profiles.items())
    yield f"{counted(tally.asked_now, 'question')} as it was; with laconic, by profile: {told}"
    yield ""
    yield from _prompts(tally, screen)
    yield ""
    yield from _tokens(tally, screen)
    yield ""
    yield from _commands(tally, screen)
    yield from _dollars(tally, date, screen)


def _prompts(tally: Tally, screen: Screen) -> Iterator[str]:
    total = tally.commands
    head = [f"of 100 of the {total:,} commands", "now", *tally.profiles]
    prompts = ["prompts", _share(tally.asked_now, total)]
    rows = [head, [*prompts, *_each(tally, lambda c: _share(c.prompts, total))]]
    for outcome in Outcome:
        shares = _each(tally, lambda c, o=outcome: _share(c.outcomes[o], total))  # type: ignore[misc]
        rows.append([f"  {outcome.said}", "", *shares])
    yield from table(rows, "<" + ">" * (len(head) - 1), screen, shrink=(0,))
    yield "prompts: laconic asks or denies, or leaves it to the agent, which asks"
    yield "now: what the agent's rules, lists and mode ask, as far as its transcript tells"


def _tokens(tally: Tally, screen: Screen) -> Iterator[str]:
    head = [f"of {counted(tally.outputs, 'output')}", "now", *tally.profiles]
    rows = [
        head,
        ["compacted", "", *_each(tally, lambda c: f"{c.compacted:,}")],
        ["tokens est.", f"{tally.tokens:,}", *_each(tally, lambda c: f"{c.shown_tokens:,}")],
    ]
    saved = _each(tally, lambda c: _percent(tally.tokens - c.shown_tokens, tally.tokens))
    rows.append([f"  saved of {tally.tokens:,}", "", *saved])
    yield from table(rows, "<" + ">" * (len(head) - 1), screen, shrink=(0,))


def _commands(tally: Tally, screen: Screen) -> Iterator[str]:
    """What the commands that print most printed, and what would have been saved of it."""
    most = [name for name, _ in (+tally.printed).most_common() if name][:_MOST_COMMANDS]
    if not most:
        return
    rows = [["tokens saved by command", "of", *tally.profiles]]
    for name in most:
        saved = _each(tally, lambda c, n=name: f"{c.saved_of[n]:,}")  # type: ignore[misc]
        rows.append([f"  {name}", f"{tally.printed[name]:,}", *saved])
    yield from table(rows, "<" + ">" * (len(rows[0]) - 1), screen, shrink=(0,))
    yield ""


def _dollars(tally: Tally, date: str, screen: Screen) -> Iterator[str]:
    usage = tally.usage
    if not tally.dollars:
        yield "what the sessions cost is not known: they name no model that has a price here"
    else:
        head = [f"list prices of {date}", "now", *tally.profiles]
        left = _each(tally, lambda c: f"${tally.dollars - c.dollars:,.2f}")
        saved = _each(tally, lambda c: _percent(c.dollars, tally.dollars))
        rows = [head, ["dollars est.", f"${tally.dollars:,.2f}", *left]]
        rows.append([f"  saved of ${tally.dollars:,.2f}", "", *saved])
        yield from table(rows, "<" + ">" * (len(head) - 1), screen, shrink=(0,))
        yield (
            f"tokens paid for: {usage.input:,} new, {usage.cache_write:,} written to caches,"
            f" {usage.cache_read:,} read from them, {usage.output:,} of answers"
        )
    if tally.unpriced:
        names = sorted(tally.unpriced)
        shown = visible(", ".join(name[:_LONGEST_NAME] for name in names[:_MOST_MODELS]))
        more = len(names) - _MOST_MODELS
        yield f"without a price: {shown}" + (f" and {more} more" if more > 0 else "")


def to_json(tally: Tally, date: str) -> dict[str, Any]:
    """Return the sums as plain values."""
    return {
        "version": 1,
        "sessions": tally.sessions,
        "commands": tally.commands,
        "agents": dict(tally.agents),
        "asked_now": tally.asked_now,
        "refused": tally.refused,
        "outputs": tally.outputs,
        "tokens": tally.tokens,
        "tokens_by_command": dict(+tally.printed),
        "dollars": round(tally.dollars, 2),
        "prices": date,
        "unpriced": sorted(tally.unpriced),
        "usage": tally.usage._asdict(),
        "profiles": {
            name: {
                "prompts": counts.prompts,
                "outcomes": {o.said: counts.outcomes[o] for o in Outcome},
                "compacted": counts.compacted,
                "shown_tokens": counts.shown_tokens,
                "saved_by_filter": dict(+counts.saved),
                "saved_by_command": dict(+counts.saved_of),
                "saved_dollars": round(counts.dollars, 2),
            }
            for name, counts in tally.profiles.items()
        },
    }


def _each(tally: Tally, shown: Callable[[Counts], str]) -> list[str]:
    return [shown(counts) for counts in tally.profiles.values()]


def _share(some: int, total: int) -> str:
    return f"{100 * some / total:.1f}" if total else "-"


def _percent(some: float, total: float) -> str:
    return f"{100 * some / total:.1f}%" if total else "-"

"""Formats proposals for the configuration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from laconic.report.screen import Screen, shorten
from laconic.report.text import visible
from laconic.secrets.redact import redact
from laconic.sessions.proposal import Proposal
from laconic.settings import toml

_WIDTH = 95


def proposals(
    found: Sequence[Proposal], prompts: int, commands: int, profile: str, screen: Screen
) -> Iterator[str]:
    yield f"{prompts:,} of {commands:,} commands would ask somebody, with the profile {profile}"
    for number, proposal in enumerate(found, 1):
        yield ""
        yield f"{number}. {written(proposal)}"
        share = 100 * proposal.saved / prompts
        yield f"   saves {proposal.saved:,} of the {prompts:,} prompts ({share:.1f}%), for example"
        for command, count in proposal.examples:
            times = f"  ({count:,} times)" if count > 1 else ""
            yield f"     {_shown(command, screen, len(times))}{times}"
        yield f"   allows {visible(proposal.meaning)}"
        if proposal.other_count:
            yield f"   {proposal.other_count:,} other uses that laconic knows, for example"
            yield from (f"     {_shown(command, screen)}" for command in proposal.others)
        yield f"   tested against {proposal.replayed:,} known evasions: none that does harm runs"
        yield f"   to have it: {visible(proposal.line)}"


def written(proposal: Proposal) -> str:
    """Return it as a line of the configuration."""
    value = toml.inline([proposal.value] if proposal.is_list else proposal.value)
    return f"[{proposal.table}] {proposal.key} = {value}"


def to_json(found: Sequence[Proposal], prompts: int, commands: int, profile: str) -> dict[str, Any]:
    """Return plain values; the commands without secrets."""
    rows = [
        {
            **proposal._asdict(),
            "line": written(proposal),
            "examples": [[redact(command), count] for command, count in proposal.examples],
        }
        for proposal in found
    ]
    facts = {"prompts": prompts, "commands": commands, "profile": profile}
    return {"version": 1, **facts, "proposals": rows}


def _shown(command: str, screen: Screen, behind: int = 0) -> str:
    """One line without secrets, as wide as the screen; of bounded length if that is not known."""
    text = visible(" ".join(redact(command).split()))
    return shorten(text, (screen.width or _WIDTH) - len("     ") - behind)

"""Formats proposals for the configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from laconic.report.text import visible
from laconic.secrets.redact import redact
from laconic.settings import toml

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from laconic.sessions.proposal import Proposal

_WIDTH = 90


def proposals(
    found: Sequence[Proposal], prompts: int, commands: int, profile: str
) -> Iterator[str]:
    yield f"{prompts:,} of {commands:,} commands asked somebody, with the profile {profile}"
    for number, proposal in enumerate(found, 1):
        yield ""
        yield f"{number}. {written(proposal)}"
        share = 100 * proposal.saved / prompts
        yield f"   saves {proposal.saved:,} of the {prompts:,} prompts ({share:.1f}%), for example"
        for command, count in proposal.examples:
            yield (
                f"     {_shown(command)}  ({count:,} times)"
                if count > 1
                else f"     {_shown(command)}"
            )
        yield f"   allows {visible(proposal.meaning)}"
        if proposal.other_count:
            yield f"   {proposal.other_count:,} other uses that laconic knows, for example"
            yield from (f"     {_shown(command)}" for command in proposal.others)
        yield f"   replayed against {proposal.replayed:,} bypasses: none with a hard effect runs"


def written(proposal: Proposal) -> str:
    """Give it as a line of the configuration."""
    value = toml.inline([proposal.value] if proposal.is_list else proposal.value)
    return f"[{proposal.table}] {proposal.key} = {value}"


def _shown(command: str) -> str:
    """One line, without secrets."""
    text = visible(" ".join(redact(command).split()))
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"

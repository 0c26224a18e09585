"""Makes sure that a rewritten command keeps the permission that the agent itself gives.

Some agents apply the user's rules to what a hook makes of a command, and a hook's allow does not
outweigh them: `git log*` is allowed there, `laconic run git log` is not.
"""

from __future__ import annotations

from laconic.permissions.read import has_word, read_allowed
from laconic.policy.facts import scope
from laconic.shell import ParseError, parse
from laconic.shell.walk import commands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from laconic.agents.load import Agent
    from laconic.engine import Request
    from laconic.policy.permissions import Permission
    from laconic.settings.load import Settings


def loses_permission(request: Request, rewritten: str, settings: Settings) -> bool:
    """Tell whether the agent's own rules let a command pass, and would not let its rewrite."""
    rules = _rules(request, settings)
    return bool(rules) and _is_allowed(request.command, rules) and not _is_allowed(rewritten, rules)


def lets_pass(text: str, request: Request, agent: Agent, settings: Settings) -> bool:
    """Tell whether the agent's own rules let a text pass, or it has none and asks nothing."""
    rules = _rules(request, settings)
    if rules:
        return _is_allowed(text, rules)
    open_without = agent.open_without
    if not open_without:
        return False
    root, word, variables = scope(request.facts), open_without["word"], open_without["variables"]
    return not has_word(word, agent.name, request.cwd, root, request.environ, variables)


def _rules(request: Request, settings: Settings) -> tuple[Permission, ...]:
    root, state_dir = scope(request.facts), settings.directories.state_dir
    return read_allowed(request.agent, request.cwd, root, request.environ, state_dir)


def _is_allowed(text: str, rules: Sequence[Permission]) -> bool:
    """Tell whether each command in a text fits a rule, as it is written."""
    source = text.encode("utf-8", "surrogatepass")
    try:
        inside = [occurrence.command for occurrence in commands(parse(source))]
    except (ParseError, UnicodeError):
        return False
    written = (source[c.words[0].start : c.words[-1].end].decode() for c in inside if c.words)
    return all(any(rule.fits(" ".join(t.split())) for rule in rules) for t in written)

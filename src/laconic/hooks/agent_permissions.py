"""Makes sure that a rewritten command keeps the permission that the agent itself gives.

Some agents apply the user's rules to what a hook makes of a command, and a hook's allow does not
outweigh them: `git log*` is allowed there, `laconic run git log` is not.
"""

from __future__ import annotations

from laconic.permissions.read import has_word, read_allowed
from laconic.policy.facts import read_facts, scope
from laconic.shell import ParseError, parse
from laconic.shell.walk import commands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from laconic.hooks.call import HookCall
    from laconic.policy.permissions import Permission
    from laconic.settings.load import Settings


def loses_permission(
    before: str, after: str, call: HookCall, settings: Settings, environ: Mapping[str, str]
) -> bool:
    """Tell whether the agent's own rules let a command pass, and would not let its rewrite."""
    rules = _rules(call, settings, environ)
    return bool(rules) and _is_allowed(before, rules) and not _is_allowed(after, rules)


def lets_pass(text: str, call: HookCall, settings: Settings, environ: Mapping[str, str]) -> bool:
    """Tell whether the agent's own rules let a text pass, or it has none and asks nothing."""
    rules = _rules(call, settings, environ)
    if rules:
        return _is_allowed(text, rules)
    open_without = call.agent.open_without
    if not open_without:
        return False
    root, name = scope(read_facts(call.directory, environ)), call.agent.name
    word, variables = open_without["word"], open_without["variables"]
    return not has_word(word, name, call.directory, root, environ, variables)


def _rules(
    call: HookCall, settings: Settings, environ: Mapping[str, str]
) -> tuple[Permission, ...]:
    root = scope(read_facts(call.directory, environ))
    state_dir = settings.directories.state_dir
    return read_allowed(call.agent.name, call.directory, root, environ, state_dir)


def _is_allowed(text: str, rules: Sequence[Permission]) -> bool:
    """Tell whether each command in a text fits a rule, as it is written."""
    source = text.encode("utf-8", "surrogatepass")
    try:
        found = [occurrence.command for occurrence in commands(parse(source))]
    except (ParseError, UnicodeError):
        return False
    written = (source[c.words[0].start : c.words[-1].end].decode() for c in found if c.words)
    return all(any(rule.fits(" ".join(t.split())) for rule in rules) for t in written)

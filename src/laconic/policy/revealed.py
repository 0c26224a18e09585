"""Variables of the environment whose names say that they hold secrets, and that a command is given.

Questions about them are fine: `[ -n "$GITHUB_TOKEN" ]`, `${#GITHUB_TOKEN}`, `${GITHUB_TOKEN:+set}`.
"""

from __future__ import annotations

from laconic.policy.credentials import is_secret_variable
from laconic.shell.ast import Assignment, Command, Conditional, Loop, Parameter, nodes
from laconic.shell.words import literal
from laconic.types import Decision, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.shell.ast import Node

_TESTS = frozenset(("test", "[", ":"))


def variable_findings(found: list[Node]) -> list[Decision]:
    used = [node for node in found if isinstance(node, Parameter) and _shows(node)]
    if not used:
        return []
    own = {node.name for node in found if isinstance(node, Assignment | Loop)}
    tested = {id(inner) for node in found if _is_test(node) for inner in nodes(node)}
    reason = "uses a variable that may hold a secret"
    return [
        Decision(Verdict.ASK, f"variable/{node.name}", reason, node.start, node.end)
        for node in used
        if node.name not in own and id(node) not in tested
    ]


def _shows(node: Parameter) -> bool:
    is_asked = node.prefix == "#" or node.operator in ("+", ":+")
    return not is_asked and is_secret_variable(node.name)


def _is_test(node: Node) -> bool:
    if isinstance(node, Conditional):
        return True
    return isinstance(node, Command) and bool(node.words) and literal(node.words[0]) in _TESTS

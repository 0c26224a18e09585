"""What the gate claims to be harmless: commands in the cases and in the knowledge of tools."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from decide_cases import ALL
from laconic.knowledge.catalog import tables
from laconic.policy.rules import Rules
from laconic.reading.decide import decide
from laconic.shell import parse
from laconic.shell.ast import Function, nodes
from laconic.shell.walk import commands
from laconic.shell.words import literal
from laconic.types import Verdict

from .knowledge import built_in

if TYPE_CHECKING:
    from laconic.reading.places import Facts

    from .knowledge import Knowledge

MAY_CHANGE = Path(__file__).parents[1] / "cases" / "effects" / "may-change.txt"
# Programs that are allowed although their purpose is to make files.
BUILDERS = {
    "cargo": "builds, with a cache in the home directory",
    "go": "builds, with a cache in the home directory",
    "mvn": "fetches its own parts before it does anything",
}


def claims() -> list[str]:
    """Allowed cases and `yes` examples whose programs are all installed."""
    cases = [case.command for _, case in ALL if case.verdict is Verdict.ALLOW]
    examples = [example for _, _, table in tables() for example in table.get("yes", ())]
    return [command for command in dict.fromkeys(cases + examples) if is_installed(command)]


def programs(command: str) -> set[str]:
    script = parse(command)
    functions = {node.name for node in nodes(script.body) if isinstance(node, Function)}
    words = [found.command.words for found in commands(script)]
    return {literal(given[0]) or "" for given in words if given} - functions


def is_installed(command: str) -> bool:
    return all(name in _builtins() or shutil.which(name) for name in programs(command))


@cache
def _builtins() -> frozenset[str]:
    return frozenset(subprocess.check_output(["bash", "-c", "compgen -b -k"], text=True).split())


def allowing_rules(
    command: str, facts: Facts, profile: str = "default", knowledge: Knowledge | None = None
) -> frozenset[str] | None:
    """The ids of the rules by which a command is allowed; None if it is not."""
    decision = decide(command, (knowledge or built_in()).library, Rules(profile), facts)
    if decision.verdict is not Verdict.ALLOW:
        return None
    return frozenset(leaf.rule for leaf in decision.leaves())


def unexcused(changes: list[str], rules: frozenset[str]) -> list[str]:
    """The changes that none of the rules may make."""
    patterns = [
        pattern
        for path, pattern in _excuses()
        if any(f"{rule}/".startswith(f"{path}/") for rule in rules)
    ]
    return [c for c in changes if not any(re.fullmatch(pattern, c) for pattern in patterns)]


@cache
def _excuses() -> list[tuple[str, str]]:
    lines = MAY_CHANGE.read_text("utf-8").splitlines()
    rows = [line.split(" | ") for line in lines if not line.startswith("#")]
    return [(path.strip().replace(" ", "/"), pattern.strip()) for path, pattern, _ in rows]

"""Programs that a bare name finds inside the project, because PATH leads there.

An activated `.venv`, `node_modules/.bin`, or a directory that PATH names relative to where the
command runs: what is there is code of the project, whatever it is called.
"""

from __future__ import annotations

from collections.abc import Sequence

from laconic.patterns import pattern
from laconic.reading.places import Facts, is_within, joined
from laconic.reading.situation import Situation

# Whether a shell runs these itself, and never looks for them:
# https://www.gnu.org/software/bash/manual/html_node/Shell-Builtin-Commands.html
_BUILTINS = frozenset(
    """
    . : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare
    dirs disown echo enable eval exec exit export false fc fg getopts hash help history jobs kill
    let local logout mapfile popd printf pushd pwd read readarray readonly return set shift shopt
    source suspend test times trap true type typeset ulimit umask unalias unset wait
    """.split()
)
# What an environment of its own has by design, under the names that the system has them by.
_OF_ENVIRONMENTS = pattern(
    r"(?:python|pypy|pip|easy_install|wheel|node|npm|npx|corepack|ruby|gem|bundle|irb)[\d.]*"
)
_OF_SYSTEM = frozenset(("/bin", "/usr/bin", "/sbin", "/usr/sbin"))


def own_program(
    name: str, entries: Sequence[str], facts: Facts, situation: Situation
) -> tuple[str, bool] | None:
    """The program of the project that a name finds, and whether it hides one of the system."""
    if len(situation.calls) - 1 == situation.script_depth and name in _BUILTINS:
        return None
    for cwd in situation.directories:
        for pos, entry in enumerate(entries):
            path = f"{joined(cwd, entry or '.')}/{name}"
            if not facts.exists(path):
                continue
            if entry[:1] == "/" and not is_within(entry, facts.project):
                break
            behind = (f"{one}/{name}" for one in entries[pos + 1 :] if one in _OF_SYSTEM)
            hides = _OF_ENVIRONMENTS.fullmatch(name) is None and any(map(facts.exists, behind))
            return path, hides
    return None

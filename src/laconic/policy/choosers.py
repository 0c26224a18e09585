"""Programs of which a file in the project chooses what really runs, whatever they are asked.

`.yarnrc.yml` names by `yarnPath` the file that yarn runs in its place, also for `yarn --version`.
"""

from __future__ import annotations

from posixpath import dirname

from laconic.types import Decision, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from laconic.policy.places import Facts

_FILES = {"yarn": (".yarnrc.yml", ".yarnrc"), "yarnpkg": (".yarnrc.yml", ".yarnrc")}
_MOST_PARENTS = 100


def choosing_findings(
    program: str, directories: list[str], facts: Facts, span: tuple[int, int]
) -> Iterator[Decision]:
    """Ask where such a file is, in a directory that the program may run in or above it."""
    for directory in directories if program in _FILES else ():
        if not directory:
            reason = f"in a directory that is not known, a file may choose what runs as {program}"
            yield Decision(Verdict.ASK, f"{program}/chosen", reason, *span)
        for above in _upwards(directory):
            for name in _FILES[program]:
                path = f"{above.rstrip('/')}/{name}"
                if facts.exists(path):
                    reason = f"{path} may choose the program that runs as {program}"
                    yield Decision(Verdict.ASK, f"{program}/chosen", reason, *span)


def _upwards(directory: str) -> Iterator[str]:
    for _ in range(_MOST_PARENTS):
        yield directory
        if directory in ("", "/"):
            return
        directory = dirname(directory)

"""Programs of which a file in the project chooses what really runs, whatever they are asked.

`.yarnrc.yml` names by `yarnPath` the file that yarn runs in its place, also for `yarn --version`;
`sgconfig.yml` names libraries of languages, which ast-grep loads.
git takes a directory that looks like a repository for one, and its `config` names programs that
even `git status` runs: a checkout cannot bring a `.git` along, but it can bring `HEAD` and
`objects` in a directory of any other name, and the repositories of Mercurial and Jujutsu.
"""

from __future__ import annotations

from posixpath import join

from laconic.policy.places import upwards
from laconic.types import Decision, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from laconic.policy.call import Call
    from laconic.policy.places import Facts

_FILES = {
    "yarn": (".yarnrc.yml", ".yarnrc"),
    "yarnpkg": (".yarnrc.yml", ".yarnrc"),
    "ast-grep": ("sgconfig.yml", "sgconfig.yaml"),
}
_CONFIGURATIONS = {"hg": ".hg", "chg": ".hg", "jj": ".jj/repo/config.toml"}


def choosing_findings(call: Call, program: str) -> Iterator[Decision]:
    """Ask where such a file is, in a directory that the program may run in or above it."""
    if program in _FILES:
        yield from _chosen_by_files(call, program)
    elif program == "git":
        ways = [v.text or "" for _, parsed in call.match.before[:1] for v in parsed.values("-C")]
        yield from _chosen_by_repository(call, program, ways)
    elif program in _CONFIGURATIONS:
        yield from _chosen_by_repository(call, program, [])


def _chosen_by_files(call: Call, program: str) -> Iterator[Decision]:
    for directory in call.judge.directories:
        if not directory:
            reason = f"in a directory that is not known, a file may choose what runs as {program}"
            yield Decision(Verdict.ASK, f"{program}/chosen", reason, *call.span)
        for above in upwards(directory):
            for name in _FILES[program]:
                path = f"{above.rstrip('/')}/{name}"
                if call.judge.facts.exists(path):
                    reason = f"{path} may choose the program that runs as {program}"
                    yield Decision(Verdict.ASK, f"{program}/chosen", reason, *call.span)


def _chosen_by_repository(call: Call, program: str, ways: list[str]) -> Iterator[Decision]:
    facts = call.judge.facts
    for start in call.judge.directories:
        where = join(start, *ways) if ways else start
        if not where.startswith("/"):
            reason = "a directory that is not known may be taken for a repository"
            yield Decision(Verdict.ASK, f"{program}/chosen", reason, *call.span)
        elif directory := _brought_repository(_real(where, facts), program, facts):
            reason = f"{directory} is taken for a repository, and its config may name programs"
            yield Decision(Verdict.ASK, f"{program}/chosen", reason, *call.span)


def _real(directory: str, facts: Facts) -> str:
    return directory if directory == facts.cwd else facts.real_path(directory)


def _brought_repository(directory: str, program: str, facts: Facts) -> str:
    """The directory that the program takes for the repository, if it is a part of a checkout."""
    found = ""
    for above in upwards(directory):
        here = above.rstrip("/")
        if not found and _is_brought(here, program, facts):
            found = above
        if facts.exists(f"{here}/.git"):
            return found
    return ""


def _is_brought(directory: str, program: str, facts: Facts) -> bool:
    if program in _CONFIGURATIONS:
        return facts.exists(f"{directory}/{_CONFIGURATIONS[program]}")
    if directory.endswith("/.git") or facts.exists(f"{directory}/.git"):
        return False
    return _is_repository(directory, facts)


def _is_repository(directory: str, facts: Facts) -> bool:
    return facts.exists(f"{directory}/HEAD") and (
        facts.exists(f"{directory}/objects") or facts.exists(f"{directory}/commondir")
    )

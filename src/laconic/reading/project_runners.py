"""Programs that run the project's code whatever they are asked: files of the checkout name it.

`settings` of a table names the files by which a program runs such code when it works: a makefile is
expanded, `eslint.config.js` is a program, `.yarnrc.yml` names by `yarnPath` the file that runs in
yarn's place. `startup_settings` are heeded even for `--version`. Where one of them is, in a
directory that the program may work in or above it, the call asks; `file?pattern` counts only where
its text has the pattern. Code of another place than the session's project is not known at all, and
neither is a directory that is not known.

git takes a directory that looks like a repository for one, and its `config` names programs that
even `git status` runs: a checkout cannot bring a `.git` along, but it can bring `HEAD` and
`objects` in a directory of any other name, and the repositories of Mercurial and Jujutsu.
"""

from __future__ import annotations

from posixpath import dirname, join

from laconic.files import upwards
from laconic.patterns import compiled
from laconic.reading.places import is_within, meant
from laconic.reading.registries import is_harmless_file
from laconic.types import Effect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from laconic.knowledge.options import Parsed
    from laconic.reading.call import Call
    from laconic.reading.places import Facts
    from laconic.types import Decision

_BELOW = "**/"
_NAMED = "FILES"
_CONFIGURATIONS = {"hg": ".hg", "chg": ".hg", "jj": ".jj/repo/config.toml"}
# The commands of git that the trees of its commits say more of.
OF_TREES = frozenset(
    """
    am archive bisect bundle cat-file checkout checkout-index cherry-pick clone diff diff-files
    diff-index diff-tree fast-export format-patch grep log merge pull range-diff read-tree rebase
    reflog reset restore revert show stash switch whatchanged worktree
    """.split()
)
REPOSITORIES = {"git": ".git", "hg": ".hg", "chg": ".hg", "jj": ".jj"}


# -- settings --------------------------------------------------------------------------------------


def ask_for_project_code(call: Call, *, shows_itself: bool) -> None:
    """Ask if a file that is there may make the program run code.

    shows_itself: it is only asked for its help or version, so that only startup settings count.
    """
    names = [name for entry in call.match.entries for name in entry.startup_settings]
    if not shows_itself:
        names += call.entry.settings
    if not names:
        return
    below = [name.removeprefix(_BELOW) for name in names if name.startswith(_BELOW)]
    facts = call.judge.facts
    setting = _first_of([name for name in names if name != _NAMED], _starts(call), facts)
    if setting is None and _NAMED in names:
        setting = _first_named(call, facts)
    if setting is None and below and _searches_below(call):
        setting = f"{below[0]} in a directory below", True
    if setting is None:
        return
    what, is_the_projects = setting
    if what in facts.fetched():
        call.situation.seen.ran.add(what)
    if is_the_projects:
        call.does(Effect.PROJECT_CODE, "project-code", f"runs code of the project ({what})")
    else:
        call.does(Effect.UNKNOWN, "foreign-code", f"runs code from outside the project ({what})")


def _first_of(names: list[str], starts: Iterable[str], facts: Facts) -> tuple[str, bool] | None:
    """The first of the files that is there, and whether it is the project's own."""
    first = None
    for start in dict.fromkeys(starts):
        if not start.startswith("/"):
            return "of a directory that is not known", False
        for directory in _searched(_real(start, facts), facts):
            for name in names:
                file, _, wanted = name.removeprefix(_BELOW).partition("?")
                path = f"{directory.rstrip('/')}/{file}"
                if facts.exists(path) and _counts(path, wanted, facts):
                    if not is_own(directory, facts):
                        return path, False
                    first = first or (path, True)
    return first


def _counts(path: str, wanted: str, facts: Facts) -> bool:
    """Tell whether a file may choose a program or a server. wanted: a pattern of how it says so."""
    if path.endswith(".npmrc") and is_harmless_file(path, facts):
        return False
    text = facts.text(path) if wanted else None
    return text is None or compiled(wanted).search(text) is not None


def _first_named(call: Call, facts: Facts) -> tuple[str, bool] | None:
    """The first file of the command line that is there, and whether it is the project's own."""
    for directory in call.situation.directories:
        for text in _named(call):
            for path in meant(text, directory, facts):
                if facts.exists(path):
                    return path, is_own(facts.real_path(dirname(path)), facts)
    return None


def _searched(start: str, facts: Facts) -> Iterator[str]:
    """The directory and those above it; a home and what is above it are the user's own."""
    for directory in upwards(start):
        if directory == start or not is_within(facts.home, directory):
            yield directory


def _starts(call: Call) -> Iterator[str]:
    """Where a search for settings may begin: in a directory, or beside a file that is named."""
    directories, facts = call.situation.directories, call.judge.facts
    named = list(_named(call))
    for directory in directories:
        yield directory
        for text in named:
            if not directory and not text.startswith("/"):
                continue
            for path in meant(text, directory, facts):
                yield path if facts.exists(f"{path}/.") else dirname(path)


def _named(call: Call) -> Iterator[str]:
    for parsed in _all_parsed(call):
        for option in parsed.options:
            if option.value is not None and option.role in ("READ", "DIR"):
                yield from option.value.texts
    if _takes_files(call):
        for operand in call.parsed.operands:
            yield from operand.texts


def _all_parsed(call: Call) -> Iterator[Parsed]:
    yield from (parsed for _, parsed in call.match.before)
    yield call.parsed


def _takes_files(call: Call) -> bool:
    return any(role.startswith("READ") for role in call.entry.operands or ())


def _searches_below(call: Call) -> bool:
    """Tell whether it may look into directories below for files to work on."""
    exists, directories = call.judge.facts.exists, call.situation.directories
    if not call.parsed.operands or not _takes_files(call):
        return any(exists(f"{directory}/.") for directory in directories)
    for operand in call.parsed.operands:
        if operand.text is None or operand.glob or "*" in operand.text:
            if any(exists(f"{directory}/.") for directory in directories):
                return True
        elif any(exists(join(directory, operand.text, ".")) for directory in directories):
            return True
    return False


def is_own(directory: str, facts: Facts) -> bool:
    """Tell whether a directory belongs to the session's project, or holds it."""
    return is_within(directory, facts.project) or is_within(facts.cwd, directory)


def is_installed(call: Call, path: str) -> bool:
    """Tell whether the project has such a file, wherever in it the call may run."""
    facts = call.judge.facts
    return all(
        any(
            facts.exists(f"{directory}/{path}")
            for directory in upwards(_real(start, facts))
            if is_within(directory, facts.project)
        )
        for start in call.situation.directories
    )


# -- repositories ----------------------------------------------------------------------------------


def repository_findings(call: Call, program: str) -> Iterator[Decision]:
    """Ask where the repository is a part of the checkout, or of another place.

    program: one of REPOSITORIES.
    """
    facts, ways = call.judge.facts, []
    if program == "git":
        options = [parsed for _, parsed in call.match.before[:1]]
        ways = [v.text or "" for parsed in options for v in parsed.values("-C")]
        if len(call.path) > 1 and call.path[1] in OF_TREES:
            from laconic.reading.committed import committed_findings  # noqa: PLC0415 - few read trees

            yield from committed_findings(call, ways)
        ways += [v.text or "" for parsed in options for v in parsed.values("--git-dir")]
    for start in call.situation.directories:
        where = join(start, *ways) if ways else start
        if not where.startswith("/"):
            reason = "a directory that is not known may be taken for a repository"
            yield call.judge.finding(Effect.UNKNOWN, f"{program}/foreign-code", reason, call.span)
        elif directory := _brought_repository(_real(where, facts), program, facts):
            reason = f"{directory} is taken for a repository, and its config may name programs"
            rule = f"{program}/project-code"
            yield call.judge.finding(Effect.PROJECT_CODE, rule, reason, call.span)
        elif program == "git" and (nested := _nested_repository(_real(where, facts), facts)):
            reason = f"the repository {nested[0]} inside of another one may name programs to run"
            yield call.judge.finding(nested[1], "git/project-code", reason, call.span)
        elif directory := _foreign_repository(_real(where, facts), program, facts):
            reason = f"the config of {directory}, outside the project, may name programs"
            yield call.judge.finding(Effect.UNKNOWN, f"{program}/foreign-code", reason, call.span)


def _real(directory: str, facts: Facts) -> str:
    return directory if directory == facts.cwd else facts.real_path(directory)


def _foreign_repository(directory: str, program: str, facts: Facts) -> str:
    """The directory with the repository, if that is not of the session's project."""
    name = REPOSITORIES[program]
    for above in upwards(directory):
        here = above.rstrip("/")
        is_bare = program == "git" and _is_repository(here, facts)
        if is_bare or facts.exists(f"{here}/{name}"):
            return "" if is_own(above, facts) else above
    return ""


def _nested_repository(directory: str, facts: Facts) -> tuple[str, Effect] | None:
    """The repository that git finds from a directory, if another one holds it and it may run code.

    directory: absolute and real.
    """
    top = ""
    for above in upwards(directory):
        if above == facts.home:
            break
        if facts.exists(f"{above.rstrip('/')}/.git"):
            if top:
                from laconic.reading.nested import would_run  # noqa: PLC0415 - seldom

                effects = would_run(top, above, facts)
                return (top, effects) if effects else None
            top = above
    return None


def _brought_repository(directory: str, program: str, facts: Facts) -> str:
    """The directory that the program takes for the repository, if it is a part of a checkout."""
    nearest = ""
    for above in upwards(directory):
        here = above.rstrip("/")
        if not nearest and _is_brought(here, program, facts):
            nearest = above
        if facts.exists(f"{here}/.git"):
            return nearest
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

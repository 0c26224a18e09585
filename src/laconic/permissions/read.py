"""Reads the user's own rules about shell commands from the settings of coding agents.

A file that is broken keeps its last good rules, and that is a Problem. Rules that allow count only
from files outside the project: a repository may make laconic stricter, never looser. The agent
itself still applies them when laconic has no opinion.
"""

# pathlib takes six milliseconds to load.
# ruff: noqa: PTH118, PTH120, PTH208
from __future__ import annotations

import json
import os
import sys
from functools import lru_cache
from os.path import dirname, isabs, join

from laconic.agents.load import load
from laconic.errors import FileError, Problem
from laconic.files import home, is_there, read_file, upwards
from laconic.permissions.formats import FORMS, WrittenRule
from laconic.policy.permissions import Permission
from laconic.settings.load import keep_copy, last_good_path
from laconic.shell import ParseError, parse
from laconic.shell.walk import written
from laconic.types import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from laconic.agents.load import Agent

    Reader = Callable[[bytes], Iterator[WrittenRule]]

_LIMIT = 1 << 20
_MOST_DIRECTORIES = 40
_OF_MACOS = "/Library/"  # nobody needs to look for it elsewhere


class RuleFile:
    """A file that may hold rules."""

    __slots__ = ("in_project", "path", "reader")

    def __init__(self, path: str, reader: Reader, *, in_project: bool) -> None:
        self.path, self.reader, self.in_project = path, reader, in_project


def read_permissions(
    agent: str,
    cwd: str,
    root: str,
    environ: Mapping[str, str],
    state_dir: str | Path,
    exists: Callable[[str], bool] = is_there,
) -> tuple[tuple[Permission, ...], tuple[Problem, ...]]:
    """Return the agent's rules that apply in a directory, and what is wrong with the files.

    exists: whether a file is there, for a caller who looks for the same ones again.
    """
    permissions: list[Permission] = []
    problems: list[Problem] = []
    for source in rule_files(agent, cwd, root, environ, exists):
        written, found = _read(source, state_dir)
        problems += found
        permissions += [
            _permission(rule, source, agent)
            for rule in written
            if not (source.in_project and rule.verdict is Verdict.ALLOW)
        ]
    return tuple(permissions), tuple(problems)


def read_allowed(
    agent: str, cwd: str, root: str, environ: Mapping[str, str], state_dir: str | Path
) -> tuple[Permission, ...]:
    """Return the rules by which the agent itself lets commands pass, those of the project, too."""
    try:
        prefixes = load(agent).runs_unasked
    except KeyError:  # one without hooks
        prefixes = []
    own = tuple(
        Permission(Verdict.ALLOW, prefix, rest=True, written=prefix, source="", agent=agent)
        for prefix in prefixes
    )
    return own + tuple(
        _permission(rule, source, agent)
        for source in rule_files(agent, cwd, root, environ)
        for rule in _read(source, state_dir)[0]
        if rule.verdict is Verdict.ALLOW
    )


def let_pass(text: str, rules: Sequence[Permission]) -> bool:
    """Tell whether rules allow each command in a text, as it is written."""
    source = text.encode("utf-8", "surrogatepass")
    try:
        inside = written(parse(source))
    except (ParseError, UnicodeError):
        return False
    return all(any(rule.fits(" ".join(text.split())) for rule in rules) for _, text in inside)


def let_pass_any(text: str, rules: Sequence[Permission]) -> bool:
    """Tell whether a rule speaks of a text or of a command in it, or may do so."""
    source = text.encode("utf-8", "surrogatepass")
    try:
        inside = [one for _, one in written(parse(source))]
    except (ParseError, UnicodeError):
        return True
    return any(rule.fits(" ".join(one.split())) for rule in rules for one in (text, *inside))


def asks_nothing(agent: Agent, cwd: str, root: str, environ: Mapping[str, str]) -> bool:
    """Tell whether an agent that has no rules runs everything, as some do (`open_without`)."""
    if not agent.open_without or any(map(environ.get, agent.open_without["variables"])):
        return False
    return not mentions(agent.open_without["word"], agent.name, cwd, root, environ)


def mentions(
    word: str,
    agent: str,
    cwd: str,
    root: str,
    environ: Mapping[str, str],
    exists: Callable[[str], bool] = is_there,
) -> bool:
    """Tell whether a word stands anywhere in the agent's settings; exists: as above."""
    files = rule_files(agent, cwd, root, environ, exists)
    return any(word.encode() in read_file(source.path, _LIMIT) for source in files)


def _permission(rule: WrittenRule, source: RuleFile, agent: str) -> Permission:
    assert rule.pattern is not None
    return Permission(
        rule.verdict,
        rule.pattern,
        rest=rule.rest,
        written=rule.text,
        source=source.path,
        agent=agent,
        unless=rule.unless,
    )


_BROKEN = (ValueError, SyntaxError, LookupError, TypeError, RecursionError, MemoryError)


def _read(source: RuleFile, state_dir: str | Path) -> tuple[list[WrittenRule], list[Problem]]:
    """Read one file; if it is broken, the rules of its last good copy count."""
    copy = last_good_path(state_dir, source.path)
    try:
        found = _parsed(source.reader, read_file(source.path, _LIMIT), copy)
    except FileError as error:
        problem = Problem("broken", "", "", error.message)
    except _BROKEN as error:
        line = str(error).partition("\n")[0]
        problem = Problem("broken", source.path, "", f"cannot be read: {line}")
    else:
        rules = [rule for rule in found if rule.pattern is not None]
        return rules, [_unread(rule, source) for rule in found if rule.pattern is None]
    rules, kept = _last_good(copy)
    return rules, [problem, Problem("broken", source.path, "", kept)]


@lru_cache(maxsize=64)
def _parsed(reader: Reader, data: bytes, copy: str) -> tuple[WrittenRule, ...]:
    """Return the rules in these bytes, and keep a copy of the rules: the file may hold keys."""
    rules = tuple(reader(data))
    rows = [rule.row() for rule in rules if rule.pattern is not None]
    keep_copy(json.dumps(rows).encode(), copy)
    return rules


def _unread(rule: WrittenRule, source: RuleFile) -> Problem:
    message = f"the rule {rule.text} is too much for laconic: the agent alone applies it"
    return Problem("rule", source.path, "", message)


def _last_good(copy: str) -> tuple[list[WrittenRule], str]:
    try:
        rows = json.loads(read_file(copy, _LIMIT))
        rules = [
            WrittenRule(Verdict(verdict), str(pattern), bool(rest), str(text), *unless)
            for verdict, pattern, rest, text, *unless in rows
        ]
    except (FileError, *_BROKEN):
        return [], "its rules are not in force"
    return rules, "its last good rules are in force"


# -- where the files are ---------------------------------------------------------------------------


def rule_files(
    agent: str,
    cwd: str,
    root: str,
    environ: Mapping[str, str],
    exists: Callable[[str], bool] = is_there,
) -> Iterator[RuleFile]:
    """Return the files that are there; one that is the user's is not the project's as well."""
    try:
        known = load(agent)
    except KeyError:  # one without hooks
        return
    values = tuple([environ.get(name, "") for name in _variables(known)])
    for directory, patterns in _patterns(known, cwd, root, home(environ), values).items():
        for pattern, reader, in_project in patterns if exists(directory) else ():
            if pattern.rpartition("/")[2].startswith("*"):
                for path in _matches(pattern):
                    yield RuleFile(path, reader, in_project=in_project)
            elif exists(pattern):
                yield RuleFile(pattern, reader, in_project=in_project)


@lru_cache(maxsize=32)
def _variables(agent: Agent) -> tuple[str, ...]:
    """Return the variables that say where an agent's rules are."""
    choices = (c for row in agent.permissions for text in row["user"] for c in text.split(" or "))
    named = (choice.partition("/")[0][1:] for choice in choices if choice.startswith("$"))
    return tuple(filter(None, dict.fromkeys((agent.project_variable, *named))))


@lru_cache(maxsize=32)
def _patterns(
    agent: Agent, cwd: str, root: str, home_dir: str, values: tuple[str, ...]
) -> Mapping[str, list[tuple[str, Reader, bool]]]:
    """Where an agent's rules may be, by directory; values: of the variables that say so."""
    environ = {"~": home_dir, **dict(zip(_variables(agent), values, strict=True))}
    directories = list(_up_to(root, cwd))
    started_in = environ.get(agent.project_variable, "")
    if isabs(started_in):
        directories.append(started_in)
    found: dict[str, tuple[str, Reader, bool]] = {}
    for row in agent.permissions:
        reader, names = FORMS[row["form"]], row.get("names", ())
        own = [path for text in row["user"] for path in _expanded(text, environ)]
        user = [join(path, name) for path in own for name in names] if names else own
        project = [join(path, name) for path in directories for name in row.get("project", ())]
        for in_project, patterns in ((False, user), (True, project)):
            for pattern in patterns:
                if sys.platform == "darwin" or not pattern.startswith(_OF_MACOS):
                    found.setdefault(pattern, (pattern, reader, in_project))
    by_directory: dict[str, list[tuple[str, Reader, bool]]] = {}
    for pattern, place in found.items():
        by_directory.setdefault(dirname(pattern), []).append(place)
    return by_directory


def _up_to(root: str, cwd: str) -> Iterator[str]:
    for directory in upwards(cwd, _MOST_DIRECTORIES):
        yield directory
        if directory == root:
            return


def _expanded(text: str, environ: Mapping[str, str]) -> Iterator[str]:
    """Return the first path that is known; a variable must hold an absolute one."""
    for choice in text.split(" or "):
        first, slash, rest = choice.partition("/")
        base = environ["~"] if first == "~" else environ.get(first[1:], "")
        if not first or isabs(base):
            yield choice if not first else f"{base}{slash}{rest}"
            return


def _matches(pattern: str) -> Iterator[str]:
    directory, _, name = pattern.rpartition("/")
    try:
        names = os.listdir(directory)
    except OSError:
        return
    yield from (join(directory, entry) for entry in sorted(names) if entry.endswith(name[1:]))

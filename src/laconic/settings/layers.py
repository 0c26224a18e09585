"""Reads and checks the layers of a configuration, and combines them.

Later layers override earlier ones: built-in defaults, what the policy of the machine gives, the
user's file, the project's file, the environment, what the policy requires.  A mistake in a file
never stops anything: it becomes a Problem, and the last good copy stays in force.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from laconic.errors import FileError, Problem
from laconic.files import read_file
from laconic.settings import merge, requirements, schema, toml
from laconic.settings.config import DEFAULTS, Config
from laconic.settings.keys import file_schema
from laconic.settings.managed import Managed, Read
from laconic.settings.requirements import Policy

BUILT_IN = "built-in"
_MOST_FAULTS = 20


class Inputs(NamedTuple):
    """Everything that a configuration is made from, as plain values.

    user: the path of the user's file, its bytes (None if it cannot be read), what is wrong with it,
    and its last good copy. project: the path of the project's file, its bytes, and whether they are
    trusted. refused: files of the project that cannot be read, one line each. directories:
    variables that name a directory that is not absolute. managed: what was read of the policy.
    """

    user: tuple[str, bytes | None, tuple[str, str], bytes | None] | None = None
    project: tuple[str, bytes, bool] | None = None
    refused: tuple[str, ...] = ()
    profile: str = ""
    directories: tuple[tuple[str, str], ...] = ()
    managed: Read | None = None


class Combined(NamedTuple):
    """The values in force; is_user_good: the user's file has no mistake."""

    values: merge.Values
    problems: tuple[Problem, ...]
    is_user_good: bool
    managed: Managed | None = None


def combine(inputs: Inputs) -> Combined:
    policy = requirements.policy_of(inputs.managed) if inputs.managed else None
    stack = _Stack(policy)
    stack.add(merge.Layer(BUILT_IN, built_in()))
    if policy:
        stack.problems += policy.problems
        stack.add(merge.Layer(policy.source, policy.default))
    is_user_good = stack.add_user(*inputs.user) if inputs.user else True
    stack.problems += [Problem("broken", "", "", line) for line in inputs.refused]
    if inputs.project:
        stack.add_project(*inputs.project)
    stack.add_environment(inputs)
    if policy:
        stack.require(policy)
    stack.check_whole()
    managed = policy.managed if policy else None
    return Combined(stack.values, tuple(stack.problems), is_user_good, managed)


class _Stack:
    """The layers so far, and the problems found in them."""

    def __init__(self, policy: Policy | None) -> None:
        self.values: merge.Values = {}
        self.problems: list[Problem] = []
        self._policy = policy

    def require(self, policy: Policy) -> None:
        """Lay over everything what the policy requires."""
        document = requirements.tightened(self.values, policy.require)
        self.values, _ = merge.apply(self.values, merge.Layer(policy.source, document))

    def _add_own(self, path: str, document: Mapping[str, Any]) -> None:
        """Add a file of the user's or the project's, as far as the policy lets it count."""
        if self._policy and not self._policy.managed.user_rules:
            document, gone = requirements.narrowed(document)
            message = f"{self._policy.managed.said} lets no rules of yours allow anything"
            self.problems += [
                Problem("no effect", path, merge.where(name), message) for name in gone
            ]
        self.add(merge.Layer(path, document))

    def add(self, layer: merge.Layer) -> None:
        self.values, faults = merge.apply(self.values, layer)
        self.problems += [Problem("no effect", layer.source, *fault) for fault in faults]

    def add_user(
        self, path: str, data: bytes | None, fault: tuple[str, str], copy: bytes | None
    ) -> bool:
        """Add the user's file, or its last good copy; tell whether the file has no mistake."""
        if data is None:
            document: dict[str, Any] = {}
            problems = [Problem("broken", "", "", *fault)]
        else:
            document, problems = check_bytes(data, path)
        self.problems += problems
        is_good = not is_broken(problems)
        if not is_good:
            document, faults = check_bytes(copy, path) if copy is not None else ({}, problems)
            is_lost = is_broken(faults)
            kept = "it is not in force" if is_lost else "the last good copy of it is in force"
            self.problems.append(Problem("broken", path, "", kept))
            if is_lost:
                return False
        self._add_own(path, document)
        return is_good

    def add_project(self, path: str, data: bytes, trusted: bool) -> None:
        trusted = trusted and (self._policy is None or self._policy.managed.trust)
        document, problems = check_project(data, path, trusted=trusted)
        self.problems += problems
        if is_broken(problems):
            self.problems.append(Problem("broken", path, "", "it is not in force"))
        else:
            self._add_own(path, document)

    def add_environment(self, inputs: Inputs) -> None:
        for name, value in inputs.directories:
            message = f"expected an absolute path, found {toml.brief(value)}"
            self.problems.append(Problem("broken", name, "", message))
        if not inputs.profile:
            return
        document = {"settings": {"profile": inputs.profile}}
        faults = list(schema.check(document, file_schema()))
        if faults:
            problems = [Problem("broken", "LACONIC_PROFILE", "", f.message, f.hint) for f in faults]
            self.problems += problems
        else:
            self.add(merge.Layer("LACONIC_PROFILE", document))

    def check_whole(self) -> None:
        """Look for mistakes that only the combined layers show."""
        engine, command = self.values["permissions.engine"], "permissions.external.command"
        if engine.value == "external" and not self.values[command].value:
            assert isinstance(engine, merge.Sourced)
            place = merge.where("permissions.engine")
            message = 'is "external", but [permissions.external] has no command'
            self.problems.append(Problem("broken", engine.source, place, message))


def config_of(values: merge.Values) -> Config:
    """Build the typed configuration; the built-in layer gives every key a value."""
    config = schema.build(merge.to_document(values), Config)
    assert isinstance(config, Config)
    return config


# -- one file --------------------------------------------------------------------------------------


def built_in() -> dict[str, Any]:
    return toml.parse(Path(DEFAULTS).read_bytes())


def is_broken(problems: list[Problem]) -> bool:
    return any(problem.kind == "broken" for problem in problems)


def check_file(path: Path) -> tuple[dict[str, Any], list[Problem]]:
    """Read a configuration file; return the document, or what is wrong with it."""
    try:
        data = read_file(path)
    except FileError as error:
        return {}, [Problem("broken", "", "", error.message, error.hint)]
    return check_bytes(data, str(path))


def check_bytes(data: bytes, path: str) -> tuple[dict[str, Any], list[Problem]]:
    try:
        document = toml.parse(data)
    except ValueError as error:
        return {}, [Problem("broken", path, "", str(error))]
    problems = _check_document(document, path)
    return (document, problems) if problems else _without_bad_patterns(document, data, path)


def _without_bad_patterns(
    document: dict[str, Any], data: bytes, path: str
) -> tuple[dict[str, Any], list[Problem]]:
    """Leave out each rule whose pattern does not compile, with a Problem that says so."""
    problems: list[Problem] = []

    def is_good(pattern: str, where: str) -> bool:
        complaint = schema.is_regex(pattern)
        if complaint:
            place = f"{path}{toml.line_of(data, pattern)}"
            problems.append(Problem("no effect", place, where, f"{complaint}; this rule is off"))
        return not complaint

    rules = document.get("rewrite", [])
    good = [rule for rule in rules if is_good(rule["match"], '[[rewrite]]: key "match"')]
    skip = document.get("skip", {})
    patterns = [p for p in skip.get("patterns", []) if is_good(p, '[skip]: key "patterns"')]
    exclude = [
        entry
        for entry in skip.get("exclude", [])
        if not entry.startswith("^") or is_good(entry, '[skip]: key "exclude"')
    ]
    if not problems:
        return document, []
    kept = {**skip, "patterns": patterns, "exclude": exclude}
    return {**document, "rewrite": good, "skip": kept}, problems


def _check_document(document: Mapping[str, Any], path: str) -> list[Problem]:
    faults = islice(schema.check(document, file_schema()), _MOST_FAULTS)
    return [Problem("broken", path, *fault) for fault in faults]


def check_project(data: bytes, path: str, *, trusted: bool) -> tuple[dict[str, Any], list[Problem]]:
    """Check what is in force of a project's file: all if trusted, else only what is stricter."""
    if trusted:
        return check_bytes(data, path)
    try:
        document, ignored = merge.split_by_trust(toml.parse(data))
    except ValueError as error:
        return {}, [Problem("broken", path, "", str(error))]
    problems = _check_document(document, path)
    message, hint = "ignored until you trust this project", "read the file, then: laconic trust"
    names = ignored[:_MOST_FAULTS]
    problems += [Problem("untrusted", path, merge.where(n), message, hint) for n in names]
    return document, problems

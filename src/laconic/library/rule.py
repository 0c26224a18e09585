"""Rules and catalogues: values that are checked when they are made, from Python or from TOML."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from os import PathLike
from typing import Any, Literal, get_args

from laconic.files import read_file
from laconic.library.conditions import (
    EDITS,
    Append,
    Insert,
    ListFiles,
    Replace,
    RuleError,
    SpanEdit,
    When,
)
from laconic.library.line import Invocation
from laconic.library.readings import Readings
from laconic.patterns import compile_written

Severity = Literal["error", "warning", "info"]
SEVERITIES = get_args(Severity)
ACTIONS = ("deny", "rewrite", "passthrough")
ALIASES = {"ts": "typescript", "js": "typescript", "py": "python", "rs": "rust"}
_EDIT_TYPES = (Append, Insert, Replace, ListFiles)


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What the predicate or the rewriter of a rule may know besides the command.

    invocation: the program with its arguments that is looked at; None for the whole line.
    readings: where the gate reads the same lines.
    """

    stacks: frozenset[str] = frozenset()
    cwd: str = "/"
    environ: Mapping[str, str] = field(default_factory=dict)
    rule_id: str = ""
    catalogue_id: str = ""
    severity: str = ""
    invocation: Invocation | None = None
    readings: Readings | None = field(default=None, repr=False, compare=False)


Predicate = Callable[[str, Context], object]
Rewriter = Callable[[str, Context], "str | Mapping[str, Any] | None"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A mistake in commands, and what to do about it.

    pattern: a regular expression, a predicate, or a When. when: a When beside a pattern; either of
    the two is enough. rewrite: words to put into the command (Append, Insert, Replace), or a
    function. action: what to do whatever the mode is: `deny`, `rewrite` or `passthrough`. yes, no:
    commands that the rule is about, and others that it is not about. rewrites: commands, and what
    becomes of them.
    """

    id: str
    pattern: str | Predicate | When | None = None
    when: When | None = None
    applies_to: tuple[str, ...] = ()
    severity: Severity = "warning"
    explanation: str = ""
    references: tuple[str, ...] = ()
    priority: int = 0
    rewrite: SpanEdit | Rewriter | None = None
    action: Literal["", "deny", "rewrite", "passthrough"] = ""
    yes: tuple[str, ...] = ()
    no: tuple[str, ...] = ()
    rewrites: Mapping[str, str] = field(default_factory=dict)
    regex: re.Pattern[str] | None = field(init=False, repr=False, compare=False, default=None)

    def __post_init__(self) -> None:
        where = "tool_rule"
        check(isinstance(self.id, str) and bool(self.id.strip()), where, "id", "a non-empty string")
        where = f"tool_rule {self.id}"
        self._read_pattern(where)
        stacks = tuple(normal_stack(s) for s in texts(self.applies_to, where, "applies_to"))
        object.__setattr__(self, "applies_to", stacks)
        if self.severity not in SEVERITIES:
            known = '["error", "warning", "info"]'
            raise RuleError(f'{where}: `severity` must be one of {known}, got "{self.severity}"')
        check(isinstance(self.explanation, str), where, "explanation", "a string")
        object.__setattr__(self, "references", texts(self.references, where, "references"))
        check(is_integer(self.priority), where, "priority", "an integer")
        is_rewriter = self.rewrite is None or callable(self.rewrite)
        check(is_rewriter or isinstance(self.rewrite, _EDIT_TYPES), where, "rewrite", "callable")
        check(not self.action or self.action in ACTIONS, where, "action", f"one of {ACTIONS}")
        for name in ("yes", "no"):
            object.__setattr__(self, name, texts(getattr(self, name), where, name))

    def _read_pattern(self, where: str) -> None:
        if isinstance(self.pattern, When):
            check(self.when is None, where, "when", "given once")
            object.__setattr__(self, "when", self.pattern)
            object.__setattr__(self, "pattern", None)
        if self.pattern is None and self.when is None:
            raise RuleError(f"{where}: missing required field `pattern`")
        if isinstance(self.pattern, str):
            try:
                object.__setattr__(self, "regex", compile_written(self.pattern))
            except re.error as error:
                raise RuleError(f"{where}: invalid regex in `pattern`: {error}") from error
        elif self.pattern is not None:
            check(callable(self.pattern), where, "pattern", "a regex, a callable or a When")

    @classmethod
    def from_dict(cls, config: Mapping[str, Any]) -> Rule:
        """Make a rule of the keys of TOML or JSON: `match` is a table, `rewrite` may be one."""
        known = {f.name for f in fields(cls) if f.init} | {"match"}
        _refuse_unknown(config, known, "tool_rule")
        values = {name: value for name, value in config.items() if value is not None}
        if "id" not in values:
            raise RuleError("tool_rule: missing required field `id`")
        if "match" in values:
            values["when"] = _when(values.pop("match"), f"tool_rule {values['id']}")
        if isinstance(values.get("rewrite"), Mapping):
            values["rewrite"] = _edit(values["rewrite"], f"tool_rule {values['id']}")
        return cls(**values)

    def to_dict(self) -> dict[str, Any]:
        """The keys that differ from what they are by default; code cannot be written down."""
        document: dict[str, Any] = {"id": self.id}
        if self.pattern is not None:
            if not isinstance(self.pattern, str):
                raise RuleError(f"rule {self.id} has a predicate, which is not data")
            document["pattern"] = self.pattern
        if self.when is not None:
            document["match"] = _when_to_dict(self.when)
        for name in ("applies_to", "references", "yes", "no"):
            if getattr(self, name):
                document[name] = list(getattr(self, name))
        document |= {"severity": self.severity, "explanation": self.explanation}
        document |= {"priority": self.priority}
        if self.action:
            document["action"] = self.action
        if self.rewrite is not None:
            document["rewrite"] = _edit_to_dict(self)
        if self.rewrites:
            document["rewrites"] = dict(self.rewrites)
        return document


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """Rules that belong together. Without a stack they are always in force."""

    id: str
    rules: tuple[Rule, ...] = ()
    stack: str = ""
    version: str = ""
    source: str = ""
    priority: int = 0

    def __post_init__(self) -> None:
        where = "catalogue"
        check(isinstance(self.id, str) and bool(self.id.strip()), where, "id", "a non-empty string")
        where = f"catalogue {self.id}"
        for name in ("stack", "version", "source"):
            check(isinstance(getattr(self, name), str), where, name, "a string")
        check(is_integer(self.priority), where, "priority", "an integer")
        is_list = isinstance(self.rules, Sequence) and not isinstance(self.rules, str)
        check(is_list, where, "rules", "a list of rules")
        rules = tuple(rule if isinstance(rule, Rule) else _rule(rule, where) for rule in self.rules)
        seen: dict[str, int] = {}
        for pos, rule in enumerate(rules):
            if rule.id in seen:
                first = seen[rule.id]
                raise RuleError(
                    f"{where}: duplicate rule id `{rule.id}` at indices {first} and {pos}"
                )
            seen[rule.id] = pos
        object.__setattr__(self, "rules", rules)
        object.__setattr__(self, "stack", normal_stack(self.stack))

    @classmethod
    def from_dict(cls, config: Mapping[str, Any]) -> Catalogue:
        known = {f.name for f in fields(cls)} | {"schema", "rule"}
        _refuse_unknown(config, known, "catalogue")
        values = {name: value for name, value in config.items() if value is not None}
        if "id" not in values:
            raise RuleError("catalogue: missing required field `id`")
        if values.pop("schema", 1) != 1:
            raise RuleError(f"catalogue {values['id']}: this laconic reads `schema = 1`")
        if "rule" in values:
            values["rules"] = values.pop("rule")
        return cls(**values)

    @classmethod
    def from_toml(cls, path: str | PathLike[str]) -> Catalogue:
        """Read a file; RuleError says what is wrong in it."""
        import tomllib  # noqa: PLC0415 - only for files

        try:
            return cls.from_dict(tomllib.loads(read_file(str(path)).decode()))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RuleError) as error:
            raise RuleError(f"{path}: {error}") from error

    def to_dict(self) -> dict[str, Any]:
        document: dict[str, Any] = {"id": self.id}
        document |= {
            n: getattr(self, n) for n in ("stack", "version", "source") if getattr(self, n)
        }
        document["priority"] = self.priority
        document["rules"] = [rule.to_dict() for rule in self.rules]
        return document


def normal_stack(name: str) -> str:
    """The one name of a stack: `ts` is `typescript`."""
    return ALIASES.get(name, name)


# -- checks ----------------------------------------------------------------------------------------


def check(is_right: bool, where: str, name: str, wanted: str) -> None:
    if not is_right:
        raise RuleError(f"{where}: field `{name}` must be {wanted}")


def texts(value: object, where: str, name: str) -> tuple[str, ...]:
    """A list of strings as a tuple; anything else is an error."""
    is_list = isinstance(value, Sequence | frozenset | set) and not isinstance(value, str | bytes)
    check(is_list and all(isinstance(v, str) for v in value), where, name, "a list of strings")  # type: ignore[attr-defined]
    return tuple(value)  # type: ignore[arg-type]


def is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _refuse_unknown(config: object, known: set[str], where: str) -> None:
    if not isinstance(config, Mapping):
        raise RuleError(f"{where}: config must be a dict")
    unknown = [str(name) for name in config if name not in known]
    if unknown:
        raise RuleError(f"{where}: unknown field `{unknown[0]}`; known: {', '.join(sorted(known))}")


def _rule(config: object, where: str) -> Rule:
    if not isinstance(config, Mapping):
        raise RuleError(f"{where}: `rules` has rules or tables")
    return Rule.from_dict(config)


def _when(table: object, where: str) -> When:
    if isinstance(table, When):
        return table
    known = {f.name for f in fields(When)}
    _refuse_unknown(table, known, f"{where}: `match`")
    assert isinstance(table, Mapping)
    values: dict[str, Any] = {}
    for name, value in table.items():
        if name in ("code", "values"):
            values[name] = value
        else:
            values[name] = texts([value] if isinstance(value, str) else value, where, name)
    return When(**values)


def _edit(table: Mapping[str, Any], where: str) -> SpanEdit:
    if len(table) != 1 or next(iter(table)) not in EDITS:
        raise RuleError(f"{where}: `rewrite` has one of {', '.join(EDITS)}")
    ((name, value),) = table.items()
    wanted = Mapping if name == "list_files" else str
    check(isinstance(value, wanted), where, f"rewrite.{name}", "text")
    made: SpanEdit = EDITS[name](value)
    return made


def _when_to_dict(when: When) -> dict[str, Any]:
    document: dict[str, Any] = {}
    for item in fields(When):
        value = getattr(when, item.name)
        if value:
            document[item.name] = list(value) if isinstance(value, tuple) else value
    return document


def _edit_to_dict(rule: Rule) -> dict[str, Any]:
    for name, kind in EDITS.items():
        if isinstance(rule.rewrite, kind):
            return {name: getattr(rule.rewrite, fields(kind)[0].name)}
    raise RuleError(f"rule {rule.id} has a rewriter, which is not data")

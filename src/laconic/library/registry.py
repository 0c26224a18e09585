"""A registry: catalogues in order, and the rules of them that a command line matches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from laconic.library.conditions import RuleError
from laconic.library.line import Invocation, Line
from laconic.library.rule import Catalogue, Context, Rule, Severity, normal_stack, texts
from laconic.rewrite.edits import Edit, apply

DATA = Path(__file__).parent / "data"
# `list` is the name of a method below
Rows = list[dict[str, Any]]
Matches = list["Match"]
ENTRY_POINTS = "laconic.catalogues"
UNIVERSAL = "universal"


class NoCatalogueError(RuleError):
    """No package offers a catalogue of this name."""


class FaultyRuleError(RuleError):
    """The code of a rule has failed."""

    def __init__(self, rule: Rule, fault: Exception) -> None:
        super().__init__(f"rule {rule.id} failed ({type(fault).__name__}: {fault})")
        self.rule, self.fault = rule, fault


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A rule that a command matches, with the catalogue that it is from.

    invocations: the programs that it matches; none if it matches the text as a whole. fault: why
    the rule could not be tried; then nobody knows whether it matches.
    """

    rule: Rule
    catalogue_id: str = ""
    stack: str = ""
    context: Context = field(default_factory=Context)
    line: Line | None = None
    invocations: tuple[Invocation, ...] = ()
    fault: str = ""

    @property
    def rule_id(self) -> str:
        return self.rule.id

    @property
    def severity(self) -> Severity:
        return self.rule.severity

    @property
    def explanation(self) -> str:
        return self.rule.explanation

    @property
    def references(self) -> tuple[str, ...]:
        return self.rule.references

    @property
    def priority(self) -> int:
        return self.rule.priority

    @property
    def rewrite(self) -> object:
        return self.rule.rewrite

    def rewritten(self, command: str) -> str:
        """The command with the rule's rewrite in its place; the same text if it changes nothing."""
        rewrite = self.rule.rewrite
        if rewrite is None:
            return command
        edits: list[Edit] = []
        for invocation in reversed(self.invocations):  # the innermost first
            if invocation.is_editable:
                edit = self._edit(invocation)
                if edit is not None and not any(_overlap(edit, other) for other in edits):
                    edits.append(edit)
        if edits and self.line is not None:
            return apply(self.line.source, edits).decode("utf-8", "surrogateescape")
        if self.invocations or not callable(rewrite):
            return command
        return self._called(command, None)

    def _edit(self, invocation: Invocation) -> Edit | None:
        rewrite = self.rule.rewrite
        if rewrite is not None and not callable(rewrite):
            return rewrite.edit(invocation)
        old = invocation.text
        new = self._called(old, invocation)
        if new == old:
            return None
        if new.startswith(old):  # an edit as small as it can be: nothing else is touched
            return Edit(invocation.end, new[len(old) :])
        return Edit(invocation.start, new, invocation.end - invocation.start)

    def _called(self, command: str, invocation: Invocation | None) -> str:
        assert callable(self.rule.rewrite)
        context = _context(self.context, self.rule, self.catalogue_id, invocation)
        try:
            new = self.rule.rewrite(command, context)
        except Exception as fault:
            raise FaultyRuleError(self.rule, fault) from fault
        if new is None:
            return command
        if isinstance(new, str):
            return new
        given = new.get("command")
        return command if given is None else str(given)


class Registry:
    """An immutable list of catalogues."""

    def __init__(self, catalogues: Iterable[Catalogue] = ()) -> None:
        self.catalogues = tuple(catalogues)
        ranked = [
            ((-rule.priority, -catalogue.priority, at, pos), catalogue, rule)
            for at, catalogue in enumerate(self.catalogues)
            for pos, rule in enumerate(catalogue.rules)
        ]
        self._others = [entry for entry in ranked if entry[2].pattern is not None]
        self._by_program: dict[str, list[Any]] = {}
        for entry in ranked:
            if entry[2].when is not None:
                for program in entry[2].when.program:
                    self._by_program.setdefault(program, []).append(entry)

    @classmethod
    def seed(cls, stacks: Sequence[str] = (), *, plugins: Sequence[str] = ()) -> Registry:
        """The universal catalogue, and one for each stack that is known; others are skipped.

        plugins: names of installed catalogues of others (entry points) that are to be in it, too.
        """
        names = [normal_stack(s) for s in stacks if isinstance(s, str)]
        catalogues = [shipped(UNIVERSAL)]
        catalogues += [shipped(name) for name in dict.fromkeys(names) if name in shipped_stacks()]
        return cls([*catalogues, *(plugin(name) for name in plugins)])

    def register(self, catalogue: Catalogue) -> Registry:
        """Return a registry with this catalogue, which replaces one with the same id."""
        if not isinstance(catalogue, Catalogue):
            raise RuleError("tool_hooks_register: a catalogue is needed")
        if catalogue.id in self:
            kept = (catalogue if c.id == catalogue.id else c for c in self.catalogues)
            return Registry(kept)
        return Registry((*self.catalogues, catalogue))

    def unregister(self, catalogue_id: str) -> Registry:
        return Registry(c for c in self.catalogues if c.id != catalogue_id)

    def filter(self, stacks: Sequence[str] | str | None) -> Registry:
        """The catalogues without a stack and of these stacks; all of them if none is named."""
        wanted = stack_names(stacks, "tool_hooks_filter")
        if not wanted:
            return self
        return Registry(c for c in self.catalogues if not c.stack or c.stack in wanted)

    def list(self) -> Rows:
        """Describe each catalogue: id, stack, version, source, priority and the number of rules."""
        names = ("id", "stack", "version", "source", "priority")
        return [
            {name: getattr(c, name) for name in names} | {"rule_count": len(c.rules)}
            for c in self.catalogues
        ]

    def match(
        self,
        command: str | Line,
        stacks: Sequence[str] | str | None = (),
        *,
        context: Context | None = None,
        everywhere: bool = False,
    ) -> Matches:
        """The rules that a command matches, the first to be applied first.

        everywhere: rules count whatever stacks they apply to.
        """
        context = context or Context(stacks=frozenset(stack_names(stacks, "tool_hooks_match")))
        line = command if isinstance(command, Line) else line_of(command, context)
        found: dict[tuple[int, ...], Match] = {}
        if self._by_program:
            for program in {invocation.program for invocation in line.invocations}:
                for rank, catalogue, rule in self._by_program.get(program, ()):
                    if rank not in found and (everywhere or _applies(rule, context)):
                        match = _by_when(rule, catalogue, line, context)
                        if match is not None:
                            found[rank] = match
        for rank, catalogue, rule in self._others:
            if rank not in found and (everywhere or _applies(rule, context)):
                match = _by_pattern(rule, catalogue, line, context)
                if match is not None:
                    found[rank] = match
        return [found[rank] for rank in sorted(found)]

    def __iter__(self) -> Iterator[Catalogue]:
        return iter(self.catalogues)

    def __len__(self) -> int:
        return len(self.catalogues)

    def __contains__(self, catalogue_id: object) -> bool:
        return any(c.id == catalogue_id for c in self.catalogues)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Registry) and self.catalogues == other.catalogues

    def __hash__(self) -> int:
        return hash(tuple(c.id for c in self.catalogues))

    def __repr__(self) -> str:
        return f"Registry({[c.id for c in self.catalogues]})"


def line_of(command: str, context: Context) -> Line:
    if context.readings is not None:
        return context.readings.line(command)
    return Line(command, context.cwd, context.environ.get("HOME", ""))


# -- one rule --------------------------------------------------------------------------------------


def _applies(rule: Rule, context: Context) -> bool:
    return not rule.applies_to or not context.stacks.isdisjoint(rule.applies_to)


def _by_when(rule: Rule, catalogue: Catalogue, line: Line, context: Context) -> Match | None:
    assert rule.when is not None
    when = rule.when
    fitting = tuple(i for i in line.invocations if when.fits(i, context.environ))
    return _match(rule, catalogue, line, context, fitting) if fitting else None


def _by_pattern(rule: Rule, catalogue: Catalogue, line: Line, context: Context) -> Match | None:
    """By each command of the line, then by all of its text; the text first if it is not shell."""
    try:
        if line.script is None and _holds(rule, catalogue, line.text, context, None):
            return _match(rule, catalogue, line, context, ())
        fitting = tuple(i for i in line.invocations if _holds(rule, catalogue, i.text, context, i))
        if fitting or _holds(rule, catalogue, line.text, context, None):
            return _match(rule, catalogue, line, context, fitting)
    except Exception as fault:  # noqa: BLE001 - whatever a predicate does, the caller decides
        return Match(
            rule=rule,
            catalogue_id=catalogue.id,
            stack=catalogue.stack,
            context=context,
            line=line,
            fault=f"its predicate failed ({type(fault).__name__}: {fault})",
        )
    return None


def _holds(
    rule: Rule, catalogue: Catalogue, text: str, context: Context, invocation: Invocation | None
) -> bool:
    if rule.regex is not None:
        return rule.regex.search(text) is not None
    assert callable(rule.pattern)
    return bool(rule.pattern(text, _context(context, rule, catalogue.id, invocation)))


def _match(
    rule: Rule,
    catalogue: Catalogue,
    line: Line,
    context: Context,
    invocations: tuple[Invocation, ...],
) -> Match:
    return Match(
        rule=rule,
        catalogue_id=catalogue.id,
        stack=catalogue.stack,
        context=context,
        line=line,
        invocations=invocations,
    )


def _context(
    context: Context, rule: Rule, catalogue_id: str, invocation: Invocation | None
) -> Context:
    return Context(
        stacks=context.stacks,
        cwd=context.cwd,
        environ=context.environ,
        rule_id=rule.id,
        catalogue_id=catalogue_id,
        severity=rule.severity,
        invocation=invocation,
    )


def _overlap(one: Edit, other: Edit) -> bool:
    if one.offset == other.offset:
        return True
    first, second = sorted((one, other), key=lambda edit: edit.offset)
    return first.offset + first.removed > second.offset


def stack_names(stacks: object, where: str) -> tuple[str, ...]:
    """The names of a list, of one text or of None, aliases replaced."""
    if stacks is None or isinstance(stacks, str):
        stacks = (stacks,) if stacks else ()
    return tuple(normal_stack(s) for s in texts(stacks, where, "stacks"))


# -- catalogues that there are ---------------------------------------------------------------------


@lru_cache(maxsize=1)
def shipped_stacks() -> frozenset[str]:
    return frozenset(p.stem for p in DATA.glob("*.toml")) - {UNIVERSAL}


@lru_cache(maxsize=16)
def shipped(name: str) -> Catalogue:
    """A catalogue of ours, by its stack or `universal`."""
    return Catalogue.from_toml(DATA / f"{name}.toml")


def plugin(name: str) -> Catalogue:
    """A catalogue that another package offers: a value, a function's result, or a TOML file."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - slow, and few have any

    offered = entry_points(group=ENTRY_POINTS, name=name)
    if not offered:
        raise NoCatalogueError(f"no package offers a catalogue named {name!r} ({ENTRY_POINTS})")
    value = next(iter(offered)).load()
    if callable(value):
        value = value()
    if isinstance(value, Catalogue):
        return value
    return Catalogue.from_dict(value) if isinstance(value, dict) else Catalogue.from_toml(value)

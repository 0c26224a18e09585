"""preset_run_command: rules, audit and reminders around the executor of a run_command tool."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Generic, TypedDict, TypeVar, Unpack, overload

from laconic.library.arguments import KEYS, Found, find
from laconic.library.ask_user import answer
from laconic.library.audit import Audit
from laconic.library.classifier import Classifier
from laconic.library.conditions import RuleError
from laconic.library.envelope import DENY, Envelope
from laconic.library.gate import Gate
from laconic.library.judge import faulty
from laconic.library.modes import Inner, Mode, ShippedMode, report, rewrite_with_audit
from laconic.library.outlets import LOG, Outlets, going_to
from laconic.library.registry import Match, Registry
from laconic.library.reminders import ReminderQueue
from laconic.library.rule import Rule
from laconic.library.tool_call import ToolCall
from laconic.settings.load import Settings
from laconic.types import Outcome

T = TypeVar("T")
R = TypeVar("R")
Arguments = str | bytes | Sequence[str] | Mapping[str, Any] | None


class CommandDeniedError(RuleError):
    """A mode has given another command to its executor, and a rule forbids that."""

    def __init__(self, envelope: Envelope) -> None:
        super().__init__(envelope.message)
        self.envelope = envelope


class RunCommand(Generic[R]):
    """What preset_run_command returns: call it with what the tool is called with."""

    def __init__(self, gate: Gate, inner: Inner | None) -> None:
        self.gate, self.inner = gate, inner
        called = None if inspect.isroutine(inner) else getattr(type(inner), "__call__", None)  # noqa: B004
        self._awaits = any(inspect.iscoroutinefunction(f) for f in (inner, called))

    def __call__(self, args: Arguments) -> R:
        """The executor's own value where nothing matched, else the envelope.

        With an async executor this returns an awaitable.
        """
        return self.acall(args) if self._awaits else self._called(args)  # type: ignore[return-value]

    def _called(self, args: Any) -> Any:
        if (match := self._own_match(args)) is not None:
            with going_to(self.gate.outlets):
                try:
                    return self.gate.judge.mode(match, args, self._checked(args, match))
                except CommandDeniedError as denied:
                    return _reported(denied.envelope)
        call = self.gate.hook(args) or self._without_command(args)
        envelope = call.envelope
        if not call.ask_and_start() or self.inner is None:
            return envelope
        result = self.inner(call.rewritten)
        return envelope.with_result(result) if envelope.matched else result

    async def acall(self, args: Any) -> Any:
        """The same in an event loop."""
        if (match := await asyncio.to_thread(self._own_match, args)) is not None:
            with going_to(self.gate.outlets):
                try:
                    said = self.gate.judge.mode(match, args, self._checked(args, match))
                    return await said if inspect.isawaitable(said) else said
                except CommandDeniedError as denied:
                    return _reported(denied.envelope)
        call = await self.gate.ahook(args) or self._without_command(args)
        envelope = call.envelope
        if not await call.aask_and_start() or self.inner is None:
            return envelope
        result = self.inner(call.rewritten)
        if inspect.isawaitable(result):
            result = await result
        return envelope.with_result(result) if envelope.matched else result

    def _without_command(self, args: Any) -> ToolCall:
        envelope = self.gate.decide("")
        if self.gate.judge.uses_gate:  # the executor may know better
            envelope = faulty("", RuleError(f"the call names no command by {', '.join(KEYS)}"))
        return ToolCall(gate=self.gate, arguments=args, envelope=envelope)

    def _own_match(self, args: Any) -> Match | None:
        """The match that a mode of the user's own is to handle."""
        judge = self.gate.judge
        if isinstance(judge.mode, ShippedMode):
            return None
        try:
            context = self.gate.context(self.gate.place_of(args))
            found = find(args)
            return judge.rules.first(found.command, context) if found else None
        except (RuleError, TypeError):
            return None  # the hook cannot judge it either, and denies it

    def _checked(self, given: Any, match: Match) -> Inner | None:
        """The executor for such a mode: another command than the agent's is checked again."""
        gate, inner = self.gate, self.inner
        if inner is None:
            return None
        original = (find(given) or Found("")).command

        def checked(args: Any) -> Any:
            command, _, others = find(args) or Found("")
            context = gate.context(gate.place_of(args))
            is_same = command == original and context.cwd == match.context.cwd
            for text in others if is_same else [command, *others]:
                denial = gate.judge.rules.denial(text, context)
                if denial is not None:
                    raise CommandDeniedError(replace(denial, original_command=original))
            if gate.judge.uses_gate:
                envelope = gate.judge.gated(command, context)
                if envelope.outcome is not Outcome.ALLOWED and not answer(gate.ask, envelope):
                    raise CommandDeniedError(replace(envelope, action=DENY))
            return inner(args)

        return checked


def _reported(envelope: Envelope) -> Envelope:
    report(envelope)
    return envelope


class Config(TypedDict, total=False):
    """The keys of preset_run_command."""

    stacks: Sequence[str]
    registry: Registry | None
    custom_rules: Sequence[Rule | Mapping[str, Any]]
    mode: Mode | None
    llm_classifier: Classifier | Mapping[str, Any] | None
    gate: bool
    settings: Settings
    cwd: str
    environ: Mapping[str, str]
    ask: Callable[[Envelope], Any]
    audit: Audit | Sequence[Audit]
    reminders: ReminderQueue
    session: str
    plugins: Sequence[str]


@overload
def preset_run_command(
    *, inner: Callable[[Any], Awaitable[T]], **keys: Unpack[Config]
) -> RunCommand[Awaitable[T | Envelope]]: ...
@overload
def preset_run_command(
    *, inner: Callable[[Any], T], **keys: Unpack[Config]
) -> RunCommand[T | Envelope]: ...
@overload
def preset_run_command(*, inner: None = None, **keys: Unpack[Config]) -> RunCommand[Envelope]: ...
@overload
def preset_run_command(
    config: Mapping[str, Any] | None, /, *, inner: Inner | None = None, **keys: Unpack[Config]
) -> RunCommand[Any]: ...
def preset_run_command(
    config: Mapping[str, Any] | None = None,
    /,
    *,
    inner: Inner | None = None,
    **keys: Unpack[Config],
) -> RunCommand[Any]:
    """Wrap the executor of a run_command tool with rules, audit and reminders.

    The keys of Harn's: stacks, registry, custom_rules, mode, inner, llm_classifier. Besides them:
    gate (laconic's own verdicts, off here), settings, cwd, environ, ask, audit, reminders, session
    and plugins, as of Gate.
    """
    if config is not None and not isinstance(config, Mapping):
        raise RuleError("preset_run_command: config must be a dict")
    given: dict[str, Any] = {"inner": inner, **(config or {}), **keys}
    keys_known = ("inner", *Config.__annotations__)
    unknown = sorted(str(key) for key in given if key not in keys_known)
    if unknown:
        known = ", ".join(keys_known)
        raise RuleError(f"preset_run_command: unknown key `{unknown[0]}`; known: {known}")
    given = {key: value for key, value in given.items() if value is not None}
    if not isinstance(given.get("stacks", ()), list | tuple):
        raise RuleError("preset_run_command: `stacks` must be a list of strings")
    inner = given.pop("inner", None)
    if inner is not None and not callable(inner):
        raise RuleError("preset_run_command: `inner` must be callable")
    mode: Mode = given.pop("mode", rewrite_with_audit)
    classifier = given.pop("llm_classifier", None)
    reminders = given.pop("reminders", None)
    gate = Gate(**{"gate": False, **given}, mode=mode, classifier=classifier, reminders=reminders)
    # Its entries are also in the common log, which lifecycle_audit_log_take() returns. Nobody reads
    # reminders unless the caller has given a queue.
    sinks = (LOG, *gate.outlets.sinks)
    gate.outlets = Outlets(sinks, reminders, gate.outlets.session)
    return RunCommand(gate, inner)

"""The Gate: rules, the classifier and laconic's own verdicts before a command, compaction after it.

It is isolated unless it is told otherwise: nobody's configuration, agents' rules or allowances are
read. A decision has no effects. A fault of the gate denies.
"""

from __future__ import annotations

import asyncio
import logging
import time
import warnings
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeVar, overload
from uuid import uuid4

from laconic.errors import LaconicError
from laconic.library.arguments import Tools, declared, directory_of, find, has_command, is_shell
from laconic.library.ask_user import Ask, answer, async_answer
from laconic.library.audit import Audit, MemoryAudit
from laconic.library.call_memory import Calls
from laconic.library.chosen import Profile, rules_allowing, with_profile
from laconic.library.classifier import Classifier
from laconic.library.conditions import RuleError
from laconic.library.envelope import Envelope
from laconic.library.judge import OWN, GateJudge, faulty
from laconic.library.modes import Mode, rewrite_with_audit
from laconic.library.outlets import Audited, Outlets
from laconic.library.output import ShownOutput, show
from laconic.library.process import Process
from laconic.library.registry import Registry
from laconic.library.reminders import ReminderQueue
from laconic.library.result import DENIED_STATUS, Result, refused
from laconic.library.rule import Context, Rule, normal_stack, texts
from laconic.library.rules import Rules
from laconic.library.run_in_thread import in_own_thread
from laconic.library.tool_call import ToolCall
from laconic.library.undoing import id_of, keep_before, take_back
from laconic.library.wrap import wrapped
from laconic.settings.environ import working_directory
from laconic.settings.load import Settings, isolated_settings, process_environment
from laconic.types import Outcome, Source, Verdict

_LOOK_S = 0.5  # how often is looked whether there is more output
_QUICK_LENGTH = 400  # characters; what is longer may take more than 50 ms
F = TypeVar("F", bound=Callable[..., Any])


class Gate:
    """Rules, verdicts, compaction, audit and reminders for the commands of one agent.

    gate: laconic's own verdicts count, too. settings: those of laconic.load_settings(), to decide
    as `laconic check` does; without them the gate is isolated. profile: in place of that of the
    settings. allow: commands that may run, in the form of `laconic allow --always`. box: what would
    be asked about and is harmless in the box runs there. undo: `run` keeps what a command changes,
    for `undo`. ask: called where the verdict is `ask`; True lets the command run. audit: where
    entries go besides `audit_log`. tools: tools that run commands, with the places of the commands
    in their arguments if those have names of their own; None as the place: no commands. Any other
    tool is guarded if one of its arguments has a name such as `command`. unguarded: what to do
    about an agent none of whose tools is guarded. keeps_raw: hidden output is kept for
    `laconic recall`.
    """

    def __init__(
        self,
        *,
        stacks: Sequence[str] = (),
        registry: Registry | None = None,
        custom_rules: Iterable[Rule | Mapping[str, Any]] = (),
        mode: Mode = rewrite_with_audit,
        classifier: Classifier | Mapping[str, Any] | None = None,
        plugins: Sequence[str] = (),
        gate: bool = True,
        settings: Settings | None = None,
        profile: Profile | None = None,
        allow: Iterable[str] = (),
        box: bool = False,
        undo: bool = False,
        cwd: str | PathLike[str] | None = None,
        environ: Mapping[str, str] | None = None,
        ask: Ask | None = None,
        audit: Audit | Iterable[Audit] = (),
        reminders: ReminderQueue | None = None,
        session: str = "",
        tools: Tools = (),
        unguarded: Literal["warn", "raise"] = "warn",
        shell: str = "/bin/bash",
        timeout: float | None = None,
        keeps_raw: bool = True,
    ) -> None:
        if not callable(mode):
            raise RuleError("`mode` must be callable")
        if registry is not None and not isinstance(registry, Registry):
            raise RuleError("`registry` must be a Registry")
        self.stacks = tuple(normal_stack(s) for s in texts(stacks, "Gate", "stacks"))
        seeded = Registry.seed(self.stacks, plugins=plugins) if registry is None else registry
        if registry is None and plugins:  # to name a catalogue is to want its stack
            named = (catalogue.stack for catalogue in seeded if catalogue.stack)
            self.stacks = tuple(dict.fromkeys((*self.stacks, *named)))
        self._environ, self._cwd, self.ask = environ, cwd, ask
        if settings is not None and not isinstance(settings, Settings):
            raise RuleError("`settings` must be what laconic.load_settings() returns")
        if ask is not None and not callable(ask):
            raise RuleError("`ask` must be callable")
        self.settings = with_profile(settings or isolated_settings(self.environ), profile)
        self.keeps_undo = undo
        rules = Rules(custom_rules, seeded, self.stacks)
        model = None if classifier is None else Classifier.of(classifier)
        self.judge = GateJudge(
            rules,
            mode,
            model,
            self.settings,
            uses_gate=gate,
            also=rules_allowing(allow),
            uses_box=box,
        )
        self.audit_log = MemoryAudit()
        sinks = _sinks(audit)
        self.reminders = ReminderQueue() if reminders is None else reminders
        self.outlets = Outlets((self.audit_log, *sinks), self.reminders, session)
        self._tools = declared(tools)
        if unguarded not in ("warn", "raise"):
            raise RuleError(f"`unguarded` must be 'warn' or 'raise', not {unguarded!r}")
        self._unguarded, self._has_warned = unguarded, False
        self.shell, self.timeout, self.keeps_raw = shell, timeout, keeps_raw
        self._calls = Calls()

    @property
    def environ(self) -> Mapping[str, str]:
        return process_environment() if self._environ is None else self._environ

    def place(self, cwd: str | PathLike[str] | None = None) -> str:
        """The directory that commands are judged and run in."""
        cwd = self._cwd if cwd is None else cwd
        return str(cwd) if cwd is not None else working_directory() or "/"

    def place_of(
        self, arguments: object, cwd: str | PathLike[str] | None = None
    ) -> str | PathLike[str] | None:
        """The directory that a tool's arguments name, seen from `cwd`; `cwd` if they name none."""
        told = directory_of(arguments)
        return cwd if told is None else Path(self.place(cwd), told)

    def context(self, cwd: str | PathLike[str] | None = None) -> Context:
        """What rules may know of the place."""
        stacks = frozenset(self.stacks)
        return Context(stacks=stacks, cwd=self.place(cwd), environ=self.environ)

    # -- before a command

    def decide(
        self, command: str, *, cwd: str | PathLike[str] | None = None, call_id: str = ""
    ) -> Envelope:
        """Decide whether it may run, and as what; has no effects and never raises: a fault denies.

        call_id: that of the tool call; the same call gets the same answer.
        """
        return self._decided(command, cwd, call_id)

    def _decided(
        self,
        command: str,
        cwd: str | PathLike[str] | None,
        call_id: str,
        *,
        as_typed: bool = False,
    ) -> Envelope:
        try:
            context = self.context(cwd)
        except Exception as fault:  # noqa: BLE001 - a directory may be any object
            return faulty(command, fault)
        known = self._calls.known(call_id, command)
        if known is None:
            return self.judge.decide(command, context, as_typed=as_typed)
        with known.lock:  # whoever else asks about this call waits for the answer
            if known.envelope is None:
                known.envelope = self.judge.decide(command, context, as_typed=as_typed)
            return known.envelope

    async def adecide(
        self, command: str, *, cwd: str | PathLike[str] | None = None, call_id: str = ""
    ) -> Envelope:
        """Decide without keeping the event loop waiting for a model or a long command."""
        if self._is_quick(command):
            return self.decide(command, cwd=cwd, call_id=call_id)
        return await asyncio.to_thread(self.decide, command, cwd=cwd, call_id=call_id)

    def record(
        self, envelope: Envelope, *, call_id: str = "", approved: bool | None = None
    ) -> bool:
        """Act on a decision: write it down, queue reminders; tell whether the command may run.

        For one call id this happens once, however often it is asked. approved: what a person has
        answered; as long as nobody has, an `ask` does not run and leaves no trace.
        """
        is_asked = envelope.outcome is Outcome.ASKED
        if is_asked and approved is None:
            return False
        runs = envelope.outcome is Outcome.ALLOWED or (is_asked and approved is True)
        known = self._calls.known(call_id, envelope.original_command)
        if known is None:
            return self._act_on(envelope, call_id, runs=runs)
        with known.lock:
            if known.runs is None:
                known.started = time.monotonic()
                known.runs = self._act_on(envelope, call_id, runs=runs)
            return runs and known.runs

    async def arecord(
        self, envelope: Envelope, *, call_id: str = "", approved: bool | None = None
    ) -> bool:
        """Act on a decision without keeping the event loop waiting for audit sinks."""
        act = partial(self.record, envelope, call_id=call_id, approved=approved)
        is_quick = self.outlets.is_quick and self.settings.is_isolated
        return act() if is_quick else await asyncio.to_thread(act)

    def _is_quick(self, arguments: object) -> bool:
        """Tell whether an event loop may wait for a decision."""
        if not self.judge.is_quick:
            return False
        return len(arguments if isinstance(arguments, str) else repr(arguments)) <= _QUICK_LENGTH

    def _act_on(self, envelope: Envelope, call_id: str, *, runs: bool) -> bool:
        try:
            runs = runs and self._uses_up(envelope)
            self._write_down(envelope, runs=runs, call_id=call_id)
        except Exception:
            logging.getLogger("laconic").exception("a decision cannot be acted on")
            return False
        return runs

    def guards(self, tool: str, schema: object = None) -> bool:
        """Tell whether commands of a tool are looked at; schema: of its arguments (JSON Schema)."""
        if tool in self._tools:
            return self._tools[tool] is not None
        return is_shell(tool) or has_command(schema)

    def look_at(self, tools: Mapping[str, object]) -> None:
        """Warn once, or raise, if none of an agent's tools is guarded; tools: schemas by name."""
        unknown = [name for name in tools if name not in self._tools]
        if not unknown or any(self.guards(name, schema) for name, schema in tools.items()):
            return
        what = (
            f"laconic guards none of the tools of this agent ({', '.join(tools)}): say which run"
            ' commands, as Gate(tools={"name": "argument"}), or that none does, as {"name": None}'
        )
        if self._unguarded == "raise":
            raise RuleError(what)
        if not self._has_warned:
            self._has_warned = True
            warnings.warn(what, stacklevel=2)

    def hook(
        self,
        arguments: object,
        *,
        tool: str = "",
        call_id: str | None = "",
        cwd: str | None = None,
        others: Mapping[str, object] | None = None,
    ) -> ToolCall | None:
        """Return what a framework's hook needs before a tool call; None: the call is not for us.

        call_id: None if the framework has no ids for its calls, so that this one gets its own.
        cwd: where the tool runs commands, unless the arguments name a directory, or `others` do,
        which are the arguments of a tool whose hook is given the command alone.
        """
        paths = self._tools.get(tool, ())
        if paths is None:
            return None
        call_id = f"call-{uuid4()}" if call_id is None else call_id
        try:
            found = find(arguments, tool, paths)
            place = self.place_of(arguments, self.place_of(others, cwd))
        except Exception as fault:  # noqa: BLE001 - arguments may be any object
            return ToolCall(gate=self, arguments=arguments, envelope=faulty("", fault))
        if found is None:
            return None
        is_text = found.place is not None
        envelope = self._decided(found.command, place, call_id, as_typed=not is_text)
        for other in found.others:
            envelope = envelope.tightened_by(self.decide(other, cwd=place))
        call = ToolCall(
            gate=self,
            arguments=arguments,
            envelope=envelope,
            place=found.place or (),
            call_id=call_id,
        )
        known = self._calls.known(call_id, envelope.original_command)
        if known is not None:
            known.call = call
        return call

    def call(self, call_id: str) -> ToolCall | None:
        """The call of this id that `hook` was asked about, for a hook that comes after the tool."""
        return self._calls.last(call_id)

    async def ahook(
        self,
        arguments: object,
        *,
        tool: str = "",
        call_id: str | None = "",
        cwd: str | None = None,
        others: Mapping[str, object] | None = None,
    ) -> ToolCall | None:
        ask = partial(self.hook, arguments, tool=tool, call_id=call_id, cwd=cwd, others=others)
        try:
            is_quick = self._is_quick(arguments)
        except Exception:  # noqa: BLE001 - arguments may be any object, and are denied then
            is_quick = True
        return ask() if is_quick else await asyncio.to_thread(ask)

    # -- after it

    def compact(self, command: str, output: str | bytes, status: int | None = None) -> str:
        """Return what the model is to read of an output; never raises: a fault shows all of it."""
        return self.show(command, output, status).text

    async def acompact(self, command: str, output: str | bytes, status: int | None = None) -> str:
        return await asyncio.to_thread(self.compact, command, output, status)

    def show(
        self, command: str, output: str | bytes, status: int | None = None, errors: bytes = b""
    ) -> ShownOutput:
        """Compact an output; the result has the id of the kept copy and the tokens saved, too."""
        data = output.encode("utf-8", "surrogateescape") if isinstance(output, str) else output
        return show(
            command, data, errors, status, self.settings, self.environ, keeps=self.keeps_raw
        )

    def take_reminders(self) -> str:
        """Return what the model is to be told in its next turn, once; empty if there is nothing."""
        return self.reminders.take_text()

    # -- all of it

    def run(
        self,
        command: str,
        *,
        cwd: str | PathLike[str] | None = None,
        timeout: float | None = None,
        call_id: str = "",
        approved: bool | None = None,
    ) -> Result:
        """Decide, ask, run, compact. Not letting a command run is a result, not an exception."""
        envelope = self.decide(command, cwd=cwd, call_id=call_id)
        if was_told := approved is not None or self.ask is not None:
            approved = answer(self.ask, envelope) if approved is None else approved
        if not self.record(envelope, call_id=call_id, approved=approved is True):
            return refused(envelope, by_person=was_told)
        return self._ended(envelope, self._process(envelope, cwd), timeout, call_id)

    async def arun(
        self,
        command: str,
        *,
        cwd: str | PathLike[str] | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - it is the command's, as of run
        call_id: str = "",
        approved: bool | None = None,
        on_output: Callable[[int], Awaitable[object]] | None = None,
    ) -> Result:
        """Do the same as run; when the task is cancelled, the command is stopped.

        on_output: is called with the number of bytes when there are more of them.
        """
        envelope = await self.adecide(command, cwd=cwd, call_id=call_id)
        if was_told := approved is not None or self.ask is not None:
            approved = await async_answer(self.ask, envelope) if approved is None else approved
        if not await self.arecord(envelope, call_id=call_id, approved=approved is True):
            return refused(envelope, by_person=was_told)
        process = self._process(envelope, cwd)
        try:
            ended = asyncio.ensure_future(
                in_own_thread(self._ended, envelope, process, timeout, call_id)
            )
            seen = 0
            while on_output is not None and not (await asyncio.wait((ended,), timeout=_LOOK_S))[0]:
                if (written := process.written) > seen:
                    seen = written
                    await on_output(written)
            return await ended
        except asyncio.CancelledError:
            await in_own_thread(process.stop)
            raise

    def undo(self, result: Result) -> Result:
        """Take back what a command of `run` has changed; undo of what it returns brings it again.

        LaconicError if that is not possible: Gate(undo=True) keeps what a command changes.
        """
        return replace(result, undo_id=take_back(result.undo_id, self.settings))

    @overload
    def tool(self, function: F, /) -> F: ...
    @overload
    def tool(self, *, key: str = "") -> Callable[[F], F]: ...
    def tool(self, function: Any = None, *, key: str = "") -> Any:
        """Wrap a tool's function, async or not: its command is gated, its text compacted.

        key: the parameter that holds the command, or a mapping with it.
        """

        return wrapped(self, function, key, is_async=None)

    def atool(self, function: Any = None, *, key: str = "") -> Any:
        """Do the same as tool; a function that is not async is run in a thread."""

        return wrapped(self, function, key, is_async=True)

    def _process(self, envelope: Envelope, cwd: str | PathLike[str] | None) -> Process:
        return Process(envelope.command, self.shell, self.place(cwd), self.environ)

    def _ended(
        self, envelope: Envelope, process: Process, timeout: float | None, call_id: str
    ) -> Result:
        kept = None
        try:
            if self.keeps_undo:
                kept = keep_before(process, self.settings)
            ended = process.run(self.timeout if timeout is None else timeout)
        except LaconicError as error:  # nothing can be kept here
            return Result(status=DENIED_STATUS, text=error.text, envelope=envelope)
        except OSError as error:
            text = (
                f"laconic: {self.shell} cannot be started in {process.directory}: {error.strerror}"
            )
            return Result(status=DENIED_STATUS, text=text, stderr=text, envelope=envelope)
        shown = self.show(envelope.command, ended.out, ended.status, ended.err)
        late = "\n[laconic: its time was over, and it was stopped]" if ended.timed_out else ""
        self.finished(
            envelope,
            call_id=call_id,
            status=ended.status,
            duration_ms=ended.duration_ms,
            shown=shown,
        )
        return Result(
            status=ended.status,
            text=shown.text + late,
            stdout=ended.out.decode("utf-8", "replace"),
            stderr=ended.err.decode("utf-8", "replace"),
            raw_id=shown.raw_id,
            undo_id=id_of(kept),
            saved_tokens=shown.saved_tokens,
            duration_ms=ended.duration_ms,
            timed_out=ended.timed_out,
            envelope=envelope,
        )

    def finished(
        self,
        envelope: Envelope,
        *,
        call_id: str,
        status: int | None,
        shown: ShownOutput,
        duration_ms: int | None = None,
    ) -> None:
        """Write down how a command has ended, once; another call may have its id from now on."""
        known = self._calls.forget(call_id, envelope.original_command)
        if call_id and known is None:
            return  # it is written down already
        if duration_ms is None and known is not None and known.started is not None:
            duration_ms = round((time.monotonic() - known.started) * 1000)
        payload = {
            "call_id": call_id,
            "command": envelope.command,
            "exit_status": status,
            "duration_ms": duration_ms,
            "raw_id": shown.raw_id,
            "saved_tokens": shown.saved_tokens,
        }
        self.outlets.emit("tool_result", payload)

    def _uses_up(self, envelope: Envelope) -> bool:
        """Use up an allowance for one run; tell whether it was still there."""
        decision = envelope.decision
        if decision is None or decision.source is not Source.ALLOWANCE:
            return True
        context = self.context(envelope.cwd or None)
        again = self.judge.verdict(envelope.command, context, use_up=True)
        return again.verdict is Verdict.ALLOW

    def _write_down(self, envelope: Envelope, *, runs: bool, call_id: str) -> None:
        payload = envelope.audit_payload() | {"call_id": call_id}
        if envelope.outcome is Outcome.ASKED:
            self.outlets.emit("tool_asked", payload | {"approved": runs})
        if runs or envelope.catalogue_id != OWN:
            self.outlets.play(envelope.effects)
            return
        # What a rule noted is true; that it rewrote the command is not, if that does not run.
        told = [e for e in envelope.effects if isinstance(e, Audited) and e.kind != "tool_rewrite"]
        self.outlets.play(told)
        if envelope.outcome is Outcome.DENIED:
            self.outlets.emit("tool_denied", payload)


def _sinks(audit: object) -> tuple[Audit, ...]:
    sinks = audit if isinstance(audit, Iterable) and not isinstance(audit, str) else (audit,)
    found: tuple[Any, ...] = tuple(sinks)
    for sink in found:
        if not callable(sink) and not callable(getattr(sink, "write", None)):
            raise RuleError(f"`audit` must be functions, or sinks such as JsonLinesAudit: {sink!r}")
    return found

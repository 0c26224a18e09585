"""The Gate: rules, the classifier and laconic's own verdicts before a command, compaction after it.

It is isolated unless it is told otherwise: nobody's configuration, agents' rules or exceptions are
read. A decision has no effects. A fault of the gate denies.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar, overload

from laconic import engine
from laconic.library.audit import Audit, MemoryAudit
from laconic.library.classifier import CATALOGUE as CLASSIFIER
from laconic.library.classifier import Classifier
from laconic.library.effects import Audited, Outlets, Pending, emit_audit, going_to
from laconic.library.envelope import ALLOW, ASK, DENY, PASSTHROUGH, REWRITE, Envelope
from laconic.library.modes import (
    KEYS,
    Mode,
    ShippedMode,
    command_key,
    command_of,
    report,
    rewrite_with_audit,
    with_command,
)
from laconic.library.output import Shown, show
from laconic.library.process import Process
from laconic.library.registry import Registry
from laconic.library.reminders import ReminderQueue
from laconic.library.rule import Context, Rule, normal_stack, texts
from laconic.library.rules import Rules
from laconic.library.when import RuleError
from laconic.settings.environ import current_directory
from laconic.settings.load import isolated_settings, process_environment
from laconic.types import Verdict, strictest

if TYPE_CHECKING:
    from os import PathLike

    from laconic.settings.load import Settings
    from laconic.types import Decision

OWN = "laconic/gate"
FAULT = "laconic/fault"
DENIED_STATUS = 126  # as of a shell that may not run a program
TOOLS = (
    "run_command", "shell", "bash", "Bash", "terminal", "execute_bash", "execute_command",
    "run_shell_command",
)  # fmt: skip
_MOST_CALLS = 4096
Ask = Callable[[Envelope], Any]
F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What became of a command. status: 126 if it was not let run, 124 if its time was over.

    text: what the model is to read. raw_id: for `laconic recall`, where something is hidden.
    """

    status: int
    text: str
    stdout: str = ""
    stderr: str = ""
    raw_id: str = ""
    saved_tokens: int = 0
    duration_ms: int = 0
    timed_out: bool = False
    envelope: Envelope

    def __str__(self) -> str:
        return self.text


class Gate:
    """Rules, verdicts, compaction, audit and reminders for the commands of one agent.

    gate: laconic's own verdicts count, too. settings: those of laconic.load_settings(), to be as
    `laconic check` is; without them the gate is isolated. ask: asked where the verdict is `ask`;
    True lets the command run. audit: where entries go besides `audit_log`. tools: the names of
    tools that `hook` is about. keeps_raw: hidden output is kept for `laconic recall`.
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
        cwd: str | PathLike[str] | None = None,
        environ: Mapping[str, str] | None = None,
        ask: Ask | None = None,
        audit: Audit | Iterable[Audit] = (),
        reminders: ReminderQueue | None = None,
        session: str = "",
        tools: Iterable[str] = TOOLS,
        shell: str = "/bin/bash",
        timeout: float | None = None,
        keeps_raw: bool = True,
    ) -> None:
        if not callable(mode):
            raise RuleError("preset_run_command: `mode` must be callable")
        if registry is not None and not isinstance(registry, Registry):
            raise RuleError("preset_run_command: `registry` must be a Registry")
        self.stacks = tuple(normal_stack(s) for s in texts(stacks, "preset_run_command", "stacks"))
        seeded = Registry.seed(self.stacks, plugins=plugins) if registry is None else registry
        if registry is None and plugins:  # who names a catalogue wants its stack
            named = (catalogue.stack for catalogue in seeded if catalogue.stack)
            self.stacks = tuple(dict.fromkeys((*self.stacks, *named)))
        self.rules = Rules(custom_rules, seeded, self.stacks)
        self.mode, self.ask, self.uses_gate = mode, ask, gate
        self.classifier = None if classifier is None else Classifier.of(classifier)
        self._environ, self._cwd = environ, cwd
        self.settings = settings or isolated_settings(self.environ)
        self.audit_log = MemoryAudit()
        sinks = tuple(audit) if isinstance(audit, Iterable) else (audit,)
        self.reminders = ReminderQueue() if reminders is None else reminders
        self.outlets = Outlets((self.audit_log, *sinks), self.reminders, session)
        self.tools = frozenset(tools)
        self.shell, self.timeout, self.keeps_raw = shell, timeout, keeps_raw
        self._calls: OrderedDict[tuple[str, str], dict[str, Any]] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def environ(self) -> Mapping[str, str]:
        return process_environment() if self._environ is None else self._environ

    def place(self, cwd: str | PathLike[str] | None = None) -> str:
        """The directory that commands are judged and run in."""
        cwd = self._cwd if cwd is None else cwd
        return str(cwd) if cwd is not None else current_directory() or "/"

    @property
    def _is_quick(self) -> bool:
        """Tell whether a decision waits for nobody: no model, no program or mode of the user's."""
        is_ours = isinstance(self.mode, ShippedMode) and self.settings.is_isolated
        return is_ours and self.classifier is None

    # -- before a command

    def decide(
        self, command: str, *, cwd: str | PathLike[str] | None = None, call_id: str = ""
    ) -> Envelope:
        """May it run, and as what? Without effects, and never an exception: a fault denies.

        call_id: of the tool call; the answer to the same call is the same.
        """
        known = self._call(call_id, command)
        if known is not None and "envelope" in known:
            envelope: Envelope = known["envelope"]
            return envelope
        pending = Pending()
        try:
            with going_to(pending):
                envelope = self._decide(command, self.place(cwd))
        except Exception as fault:  # noqa: BLE001 - whatever happened, the command must not run
            pending.effects.clear()
            envelope = _faulty(command, fault)
            with going_to(pending):
                report(envelope)
        if pending.effects:
            envelope = replace(envelope, effects=tuple(pending.effects))
        if known is not None:
            known["envelope"] = envelope
        return envelope

    async def adecide(
        self, command: str, *, cwd: str | PathLike[str] | None = None, call_id: str = ""
    ) -> Envelope:
        """The same; the event loop is not kept waiting for a model."""
        if self._is_quick:
            return self.decide(command, cwd=cwd, call_id=call_id)
        return await asyncio.to_thread(self.decide, command, cwd=cwd, call_id=call_id)

    def record(
        self, envelope: Envelope, *, call_id: str = "", approved: bool | None = None
    ) -> bool:
        """Act on a decision: write it down, queue reminders; tell whether the command may run.

        For one call id this happens once, however often it is asked. approved: what a person has
        answered; as long as nobody has, an `ask` does not run and leaves no trace.
        """
        if envelope.verdict == ASK and approved is None:
            return False
        known = self._call(call_id, envelope.original_command)
        if known is not None:
            with self._lock:
                if "runs" in known:
                    return bool(known["runs"])
                known["runs"] = False
        runs = envelope.verdict == ALLOW or (envelope.verdict == ASK and approved is True)
        try:
            runs = runs and self._uses_up(envelope)
            self._write_down(envelope, runs=runs, call_id=call_id)
        except Exception:
            logging.getLogger("laconic").exception("a decision cannot be acted on")
            runs = False
        if known is not None:
            known["runs"] = runs
        return runs

    def hook(
        self, arguments: object, *, tool: str = "", call_id: str = "", cwd: str | None = None
    ) -> Call | None:
        """What a framework's hook needs before a tool call; None: this call is not for us."""
        if tool and tool not in self.tools:
            return None
        try:
            command, others = command_of(arguments), _other_commands(arguments)
        except Exception as fault:  # noqa: BLE001 - arguments may be any object
            return Call(gate=self, arguments=arguments, envelope=_faulty("", fault))
        if not command.strip() and not others:
            return None
        envelope = self.decide(command, cwd=cwd, call_id=call_id)
        for other in others:
            also = self.decide(other, cwd=cwd)
            if also.verdict == DENY and envelope.verdict != DENY:
                envelope = also
        return Call(gate=self, arguments=arguments, envelope=envelope, call_id=call_id)

    async def ahook(
        self, arguments: object, *, tool: str = "", call_id: str = "", cwd: str | None = None
    ) -> Call | None:
        if self._is_quick:
            return self.hook(arguments, tool=tool, call_id=call_id, cwd=cwd)
        return await asyncio.to_thread(self.hook, arguments, tool=tool, call_id=call_id, cwd=cwd)

    # -- after it

    def compact(self, command: str, output: str | bytes, status: int | None = None) -> str:
        """What the model is to read of an output; never an exception: a fault shows all of it."""
        return self.show(command, output, status).text

    async def acompact(self, command: str, output: str | bytes, status: int | None = None) -> str:
        return await asyncio.to_thread(self.compact, command, output, status)

    def show(
        self, command: str, output: str | bytes, status: int | None = None, errors: bytes = b""
    ) -> Shown:
        """The same with the id of the kept copy and the tokens that are saved."""
        data = output.encode("utf-8", "surrogateescape") if isinstance(output, str) else output
        return show(
            command, data, errors, status, self.settings, self.environ, keeps=self.keeps_raw
        )

    def take_reminders(self) -> str:
        """What the model is to be told in its next turn, once; empty for nothing."""
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
        if approved is None:
            approved = answer(self.ask, envelope)
        if not self.record(envelope, call_id=call_id, approved=approved):
            return _refused(envelope)
        return self._ended(envelope, self._process(envelope, cwd), timeout, call_id)

    async def arun(
        self,
        command: str,
        *,
        cwd: str | PathLike[str] | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - it is the command's, as of run
        call_id: str = "",
        approved: bool | None = None,
    ) -> Result:
        """The same; when the task is cancelled, the command is stopped."""
        envelope = await self.adecide(command, cwd=cwd, call_id=call_id)
        if approved is None:
            approved = await async_answer(self.ask, envelope)
        if not self.record(envelope, call_id=call_id, approved=approved):
            return _refused(envelope)
        process = self._process(envelope, cwd)
        try:
            return await asyncio.to_thread(self._ended, envelope, process, timeout, call_id)
        except asyncio.CancelledError:
            await asyncio.to_thread(process.stop)
            raise

    @overload
    def tool(self, function: F, /) -> F: ...
    @overload
    def tool(self, *, key: str = "") -> Callable[[F], F]: ...
    def tool(self, function: Any = None, *, key: str = "") -> Any:
        """Wrap a tool's function, async or not: its command is gated, its text compacted.

        key: the parameter that holds the command, or a mapping with it.
        """
        from laconic.library.wrap import wrapped  # noqa: PLC0415 - inspect is slow to load

        return wrapped(self, function, key, is_async=None)

    def atool(self, function: Any = None, *, key: str = "") -> Any:
        """The same; a function that is not async is run in a thread."""
        from laconic.library.wrap import wrapped  # noqa: PLC0415

        return wrapped(self, function, key, is_async=True)

    def _process(self, envelope: Envelope, cwd: str | PathLike[str] | None) -> Process:
        return Process(envelope.command, self.shell, self.place(cwd), self.environ)

    def _ended(
        self, envelope: Envelope, process: Process, timeout: float | None, call_id: str
    ) -> Result:
        try:
            ended = process.run(self.timeout if timeout is None else timeout)
        except OSError as error:
            text = (
                f"laconic: {self.shell} cannot be started in {process.directory}: {error.strerror}"
            )
            return Result(status=DENIED_STATUS, text=text, stderr=text, envelope=envelope)
        shown = self.show(envelope.command, ended.out, ended.status, ended.err)
        late = "\n[laconic: its time was over, and it was stopped]" if ended.timed_out else ""
        self.finished(
            envelope.command,
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
            saved_tokens=shown.saved_tokens,
            duration_ms=ended.duration_ms,
            timed_out=ended.timed_out,
            envelope=envelope,
        )

    def finished(
        self, command: str, *, call_id: str, status: int | None, duration_ms: int, shown: Shown
    ) -> None:
        """Write down how a command has ended."""
        payload = {
            "call_id": call_id,
            "command": command,
            "exit_status": status,
            "duration_ms": duration_ms,
            "raw_id": shown.raw_id,
            "saved_tokens": shown.saved_tokens,
        }
        self.outlets.emit("tool_result", payload)

    # -- a decision

    def context(self, cwd: str) -> Context:
        return Context(stacks=frozenset(self.stacks), cwd=cwd, environ=self.environ)

    def _decide(self, command: str, cwd: str) -> Envelope:
        context = self.context(cwd)
        if isinstance(self.mode, ShippedMode):
            envelope = self.rules.apply(command, context, self.mode)
        else:
            envelope = self._by_own_mode(command, context)
        also = ""
        if envelope is None and self.classifier is not None:
            envelope = self._classified(command, context)
            also = command
        if envelope is None:
            envelope = Envelope(action=PASSTHROUGH, command=command, original_command=command)
        if not self.uses_gate or envelope.verdict == DENY:
            return envelope
        return self._gated(envelope, cwd, also)

    def judged(self, command: str) -> Envelope:
        """What laconic itself says of a command, without any rule."""
        plain = Envelope(action=PASSTHROUGH, command=command, original_command=command)
        return self._gated(plain, self.place(), "")

    def _by_own_mode(self, command: str, context: Context) -> Envelope | None:
        """Let a mode of the user's own decide, with nothing to run; what it changes is checked."""
        match = self.rules.first(command, context)
        if match is None:
            return None
        said = self.mode(match, command, None)
        given = said if isinstance(said, Mapping) else {}
        new = given.get("command")
        new = new if isinstance(new, str) else command
        action = str(given.get("action") or PASSTHROUGH)
        envelope = Envelope(
            action=action,
            command=new,
            original_command=command,
            rule_id=match.rule_id,
            catalogue_id=match.catalogue_id,
            severity=match.severity,
            explanation=match.explanation,
            references=match.references,
            verdict=action if action in (DENY, ASK) else ALLOW,
        )
        denial = self.rules.denial(new, context) if new != command else None
        if denial is None:
            return envelope
        denial = replace(denial, original_command=command)
        report(denial)
        return denial

    def _classified(self, command: str, context: Context) -> Envelope | None:
        assert self.classifier is not None
        verdict = self.classifier.classify(command)
        action = PASSTHROUGH if self.classifier.passes(verdict) else verdict.kind
        rewritten = verdict.rewritten or command
        if action == REWRITE and not _can_be_read(rewritten, context):
            action, verdict = PASSTHROUGH, replace(verdict, error="the rewrite cannot be parsed")
        emit_audit("tool_hook_classifier_verdict", self.classifier.entry(command, verdict, action))
        if action == PASSTHROUGH:
            return None
        envelope = Envelope(
            action=action,
            command=rewritten if action == REWRITE else command,
            original_command=command,
            rule_id=self.classifier.scope,
            catalogue_id=CLASSIFIER,
            severity="error" if action == DENY else "warning",
            explanation=verdict.explanation,
            references=verdict.references,
            verdict=DENY if action == DENY else ALLOW,
        )
        if not envelope.changed and action == REWRITE:
            envelope = replace(envelope, action=PASSTHROUGH)
        if envelope.changed:
            pending = Pending()
            with going_to(pending):
                ruled = self.rules.apply(envelope.command, context, rewrite_with_audit)
            if ruled is not None and ruled.verdict == DENY:
                envelope = replace(ruled, original_command=command)
            elif ruled is not None:
                envelope = replace(envelope, command=ruled.command)
        report(envelope)
        return envelope

    def _gated(self, envelope: Envelope, cwd: str, also: str) -> Envelope:
        """Add laconic's own verdict about the text that would run.

        also: a text whose verdict counts, too; a model's rewrite cannot make one milder.
        """
        decision = self._verdict(envelope.command, cwd)
        if also and also != envelope.command:
            decision = strictest((self._verdict(also, cwd), decision), 0, decision.end)
        if decision.verdict is Verdict.ALLOW:
            return replace(envelope, decision=decision)
        word = decision.verdict.word
        reason = decision.reason + (f"; instead: {decision.instead}" if decision.instead else "")
        return replace(
            envelope,
            action=word,
            verdict=word,
            rule_id=decision.rule,
            catalogue_id=OWN,
            severity="error" if word == DENY else "warning",
            explanation=reason,
            references=(),
            decision=decision,
        )

    def _verdict(self, command: str, cwd: str, *, use_up: bool = False) -> Decision:
        return engine.decide(
            command, cwd, self.settings, environ=self.environ, use_up_exceptions=use_up
        )

    def _uses_up(self, envelope: Envelope) -> bool:
        """An exception for one run is gone now; tell whether it was still there."""
        decision = envelope.decision
        if decision is None or not decision.rule.startswith("exception/"):
            return True
        again = self._verdict(envelope.command, self.place(), use_up=True)
        return again.verdict is Verdict.ALLOW

    def _write_down(self, envelope: Envelope, *, runs: bool, call_id: str) -> None:
        if envelope.catalogue_id != OWN:
            self.outlets.play(envelope.effects)
            return
        payload = {
            "rule_id": envelope.rule_id,
            "catalogue_id": OWN,
            "severity": envelope.severity,
            "explanation": envelope.explanation,
            "original_command": envelope.original_command,
            "command": envelope.command,
            "call_id": call_id,
        }
        if envelope.verdict == ASK:
            self.outlets.emit("tool_asked", payload | {"approved": runs})
        if runs:
            self.outlets.play(envelope.effects)
            return
        # what was decided before it was refused is known; that a rule rewrote it is not true now
        told = [e for e in envelope.effects if isinstance(e, Audited) and e.kind != "tool_rewrite"]
        self.outlets.play(told)
        if envelope.verdict == DENY:
            self.outlets.emit("tool_denied", payload)

    def _call(self, call_id: str, command: str) -> dict[str, Any] | None:
        """What is known of a tool call; None for one without an id."""
        if not call_id:
            return None
        with self._lock:
            known = self._calls.setdefault((call_id, command), {})
            while len(self._calls) > _MOST_CALLS:
                self._calls.popitem(last=False)
        return known


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One tool call in the hands of an adapter: look at verdict, then start, then finish."""

    gate: Gate
    arguments: object
    envelope: Envelope
    call_id: str = ""

    @property
    def verdict(self) -> str:
        return self.envelope.verdict

    @property
    def command(self) -> str:
        return self.envelope.command

    @property
    def message(self) -> str:
        """Why it does not run, for the model; or why consent is needed, for a person."""
        return self.envelope.message

    @property
    def rewritten(self) -> Any:
        """The arguments to call the tool with, in the shape in which they came."""
        if not self.envelope.changed:
            return self.arguments
        if isinstance(self.arguments, Mapping):
            return with_command(self.arguments, self.command)
        return self.command

    def start(self, approved: bool | None = None) -> bool:
        """Write it down, once for each call id; tell whether the tool may run now."""
        return self.gate.record(self.envelope, call_id=self.call_id, approved=approved)

    def finish(self, output: Any, status: int | None = None, *, remind: bool = False) -> Any:
        """The output as the model is to read it; what is not text stays as it is.

        remind: append the reminders, where the framework has no better place for them.
        """
        if isinstance(output, str | bytes):
            output = self.gate.compact(self.command, output, status)
        note = self.gate.take_reminders() if remind else ""
        return f"{output}\n{note}" if note and isinstance(output, str) else output


def _other_commands(arguments: object) -> list[str]:
    """Commands under other keys than the one that counts: a tool might run those instead."""
    if not isinstance(arguments, Mapping):
        return []
    others = [key for key in KEYS if key != command_key(arguments) and arguments.get(key)]
    return [command_of({"command": arguments[key]}) for key in others]


def _can_be_read(command: str, context: Context) -> bool:
    from laconic.library.registry import line_of  # noqa: PLC0415

    return line_of(command, context).script is not None


def _faulty(command: object, fault: Exception) -> Envelope:
    text = command if isinstance(command, str) else repr(command)
    return Envelope(
        action=DENY,
        command=text,
        original_command=text,
        rule_id=FAULT,
        catalogue_id=FAULT,
        severity="error",
        explanation=f"the gate failed ({type(fault).__name__}: {fault})",
        verdict=DENY,
    )


def _refused(envelope: Envelope) -> Result:
    text = envelope.message
    return Result(status=DENIED_STATUS, text=text, stderr=text, envelope=envelope)


def answer(ask: Ask | None, envelope: Envelope) -> bool:
    """Ask, if there is anybody and a reason; whatever is not a plain yes is a no."""
    if ask is None or envelope.verdict != ASK:
        return False
    try:
        said = ask(envelope)
    except Exception:  # noqa: BLE001 - nobody has said yes
        return False
    if hasattr(said, "__await__"):
        said.close()
        raise RuleError("`ask` is async: use arun, or an async tool")
    return said is True


async def async_answer(ask: Ask | None, envelope: Envelope) -> bool:
    """The same in an event loop; a function that is not async is called in a thread."""
    if ask is None or envelope.verdict != ASK:
        return False
    try:
        said = await asyncio.to_thread(ask, envelope)
        if hasattr(said, "__await__"):
            said = await said
    except Exception:  # noqa: BLE001 - nobody has said yes
        return False
    return said is True

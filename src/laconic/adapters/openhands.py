"""OpenHands SDK: `Agent(…, tools=[guard(gate)])`, then `confirm(gate, conversation)`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from openhands.sdk import Tool, register_tool
from openhands.sdk.security.analyzer import SecurityAnalyzerBase
from openhands.sdk.security.confirmation_policy import ConfirmRisky
from openhands.sdk.security.risk import SecurityRisk
from openhands.sdk.tool import ToolExecutor
from openhands.tools.terminal import TerminalAction, TerminalObservation, TerminalTool

from laconic.library.gate import DENIED_STATUS

if TYPE_CHECKING:
    from laconic.library.gate import Gate

# By the id of a conversation: an analyzer is stored as JSON and cannot hold a gate.
_GATES: dict[str, Gate] = {}
_PLACES: dict[str, str] = {}  # where its terminal is, which stays there between commands
_ASKED: set[tuple[str, str, str | None]] = set()  # what a person is asked about, and where


def guard(gate: Gate) -> Any:
    """The terminal behind a gate; where a conversation does not ask, the gate's `ask` does."""

    class GuardedTerminal(TerminalTool):
        name = "terminal"

        @classmethod
        def create(cls, conv_state: Any, **more: Any) -> Any:
            tools = TerminalTool.create(conv_state, **more)
            place = Path(conv_state.workspace.working_dir).absolute()
            _PLACES.setdefault(str(conv_state.id), str(place))
            return [tool.set_executor(_Executor(gate, tool.executor)) for tool in tools]

    name = f"laconic_terminal_{uuid4().hex}"
    register_tool(name, GuardedTerminal)
    return Tool(name=name)


def confirm(gate: Gate, conversation: Any) -> None:
    """Let a conversation wait for confirmation where the gate asks, and only there."""
    _GATES[str(conversation.id)] = gate
    conversation.set_security_analyzer(GateAnalyzer(conversation=str(conversation.id)))
    conversation.set_confirmation_policy(ConfirmRisky())


class GateAnalyzer(SecurityAnalyzerBase):
    """Calls what the gate asks about a high risk; what it denies, the terminal refuses."""

    conversation: str

    def security_risk(self, action: Any) -> Any:
        gate, cwd = _GATES.get(self.conversation), _PLACES.get(self.conversation)
        if not isinstance(action.action, TerminalAction) or _is_key(action.action):
            return SecurityRisk.LOW
        command = action.action.command
        if gate is not None and gate.decide(command, cwd=cwd).verdict != "ask":
            return SecurityRisk.LOW
        _ASKED.add((self.conversation, command, cwd))
        return SecurityRisk.HIGH


class _Executor(ToolExecutor):
    def __init__(self, gate: Gate, inner: Any) -> None:
        self.gate, self.inner = gate, inner

    def __call__(self, action: Any, conversation: Any = None) -> Any:
        command = "" if _is_key(action) else action.command
        name = str(getattr(conversation, "id", ""))
        cwd = _PLACES.get(name)
        call = self.gate.hook(command, call_id=None, cwd=cwd)
        if call is None:
            return self.inner(action, conversation)
        asked = (name, command, cwd) in _ASKED and _waits(conversation)
        if not call.ask_and_start(asked):
            return TerminalObservation.from_text(
                text=call.message, is_error=True, command=action.command, exit_code=DENIED_STATUS
            )
        seen = self.inner(action.model_copy(update={"command": call.command}), conversation)
        _ASKED.discard((name, command, cwd))
        if place := seen.metadata.working_dir:
            _PLACES[name] = place
        text = call.finish(seen.text, seen.exit_code, remind=True)
        others = [part for part in seen.content if part.type != "text"]
        first = [part for part in seen.content if part.type == "text"][:1]
        first = [part.model_copy(update={"text": text}) for part in first]
        return seen.model_copy(update={"content": [*first, *others]})

    def close(self) -> None:
        self.inner.close()

    def interrupt(self) -> None:
        self.inner.interrupt()


def _is_key(action: Any) -> bool:
    """Tell whether it is input for a program that runs already, or no command at all."""
    return bool(action.is_input or action.reset or not action.command)


def _waits(conversation: Any) -> bool:
    """Tell whether a risky action comes here only after a person has confirmed it."""
    state = getattr(conversation, "state", None)
    if state is None or not isinstance(state.security_analyzer, GateAnalyzer):
        return False
    return bool(state.confirmation_policy.should_confirm(SecurityRisk.HIGH))

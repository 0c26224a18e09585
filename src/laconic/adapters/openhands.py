"""OpenHands SDK: `Agent(…, tools=[guard(gate)])`, then `confirm(conversation)`."""

from __future__ import annotations

from typing import Any
from uuid import uuid4
from weakref import WeakValueDictionary

from openhands.sdk import TextContent, Tool, register_tool
from openhands.sdk.security import ConfirmRisky, SecurityAnalyzerBase, SecurityRisk
from openhands.sdk.tool import ToolExecutor
from openhands.tools.terminal import TerminalAction, TerminalObservation, TerminalTool

from laconic.library.gate import Gate
from laconic.library.result import DENIED_STATUS
from laconic.library.terminal import Terminal
from laconic.library.tool_call import ToolCall

_EXECUTORS: WeakValueDictionary[str, _Executor] = WeakValueDictionary()  # by conversation


def guard(gate: Gate) -> Any:
    """The terminal behind a gate; where a conversation does not ask, the gate's `ask` does."""

    class GuardedTerminal(TerminalTool):
        name = "terminal"

        @classmethod
        def create(cls, conv_state: Any, **more: Any) -> Any:
            (tool,) = TerminalTool.create(conv_state, **more)
            return [tool.set_executor(_Executor(gate, tool.executor, conv_state))]

    name = f"laconic_terminal_{uuid4().hex}"
    register_tool(name, GuardedTerminal)
    return Tool(name=name)


def confirm(conversation: Any) -> None:
    """Let a conversation wait for confirmation where the gate asks, and only there."""
    conversation.set_security_analyzer(GateAnalyzer(conversation=str(conversation.id)))
    conversation.set_confirmation_policy(ConfirmRisky())


class GateAnalyzer(SecurityAnalyzerBase):
    """Calls what the gate asks about a high risk; what it denies, the terminal refuses."""

    conversation: str  # an analyzer is stored as JSON, so it cannot hold a gate

    def security_risk(self, action: Any) -> Any:
        if not isinstance(action.action, TerminalAction):
            return SecurityRisk.LOW
        found = _EXECUTORS.get(self.conversation)
        is_risky = found is None or found.terminal.asks(found.hook(action.action))
        return SecurityRisk.HIGH if is_risky else SecurityRisk.LOW


class _Executor(ToolExecutor):
    def __init__(self, gate: Gate, inner: Any, state: Any) -> None:
        self.terminal = Terminal(gate, state.workspace.working_dir)
        self.inner, self.state = inner, state
        self.close, self.interrupt = inner.close, inner.interrupt
        _EXECUTORS[str(state.id)] = self

    def hook(self, action: Any) -> ToolCall | None:
        return self.terminal.hook(action.command, is_input=action.is_input, resets=action.reset)

    def is_confirmed(self, call: ToolCall) -> bool:
        """Tell whether a person has confirmed it: what is risky waits for that."""
        is_ours = isinstance(self.state.security_analyzer, GateAnalyzer)
        waits = is_ours and self.state.confirmation_policy.should_confirm(SecurityRisk.HIGH)
        return self.terminal.was_asked(call) and waits is True

    def __call__(self, action: Any, conversation: Any = None) -> Any:
        call = self.hook(action)
        if call is not None and not call.ask_and_start(self.is_confirmed(call)):
            return TerminalObservation.from_text(
                text=call.refusal(), is_error=True, command=action.command, exit_code=DENIED_STATUS
            )
        given = action if call is None else action.model_copy(update={"command": call.command})
        seen = self.inner(given, conversation)
        self.terminal.moved(seen.metadata.working_dir, resets=action.reset)
        if call is None:
            return seen
        text = TextContent(text=call.finish(seen.text, seen.exit_code, remind=True))
        others = [part for part in seen.content if part.type != "text"]
        return seen.model_copy(update={"content": [text, *others]})

"""mini-swe-agent: `guard(gate, agent)`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from laconic.library.gate import Gate
from laconic.library.result import DENIED_STATUS


def guard(gate: Gate, agent: Any) -> Any:
    """Put the agent's environment behind a gate.

    An InteractiveAgent asks in its mode `confirm`, about what the gate asks and nothing else;
    for another agent the gate's own `ask` is called.
    """
    execute = agent.env.execute
    confirm: Any = getattr(agent, "_ask_confirmation_or_interrupt", None)
    confirmed: list[str] = []

    def guarded(action: dict[str, Any], cwd: str = "", **more: Any) -> Any:
        call = gate.hook(dict(action), call_id=None, cwd=cwd or own_place())
        if call is None:
            return execute(action, cwd, **more)
        approved = call.envelope.original_command in confirmed
        if not call.ask_and_start(approved):
            return {"output": call.refusal(), "returncode": DENIED_STATUS, "exception_info": ""}
        done = execute(call.rewritten, cwd, **more)
        return {**done, "output": call.finish(done["output"], done["returncode"], remind=True)}

    def ask(commands: Sequence[str]) -> None:
        """Ask about all commands of one turn; a no is an exception."""
        confirmed.clear()
        is_person = agent.config.mode in {"confirm", "human"}  # in `human` a person typed them
        wanted = [command for command in commands if needs(command)]
        try:
            confirm(commands)
        except Exception:
            for command in wanted:
                gate.record(gate.decide(command, cwd=own_place()), approved=False)
            raise
        confirmed.extend(wanted if is_person else ())

    def needs(command: str) -> bool:
        return gate.decide(command, cwd=own_place()).verdict == "ask"

    def own_place() -> str | None:
        return getattr(agent.env.config, "cwd", None) or None

    agent.env.execute = guarded
    if confirm is not None:
        agent._ask_confirmation_or_interrupt = ask  # noqa: SLF001 - there is no other way
        agent._should_ask_confirmation = (  # noqa: SLF001
            lambda command: agent.config.mode == "confirm" and needs(command)
        )
    return agent

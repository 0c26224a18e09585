"""What the dialects speak of: a call of a hook, and what is said to it."""

from __future__ import annotations

import contextlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from laconic.hooks.load import Agent, Event


class HookCall:
    """What an agent says: it is about to run commands in a directory, or has run them.

    data: all that it sent. input: the tool's arguments, with `commands` at `key`. as_text: the
    arguments came as JSON in a string. is_list: the commands came as a list. agents_mode: the
    agent's word for its mode; mode: what that means to laconic, see engine.MODES.
    """

    __slots__ = (
        "agent", "agents_mode", "as_text", "commands", "data", "directory", "event", "input",
        "is_list", "key", "mode",
    )  # fmt: skip

    def __init__(
        self,
        agent: Agent,
        event: Event,
        data: Mapping[str, Any],
        tool_input: Mapping[str, Any],
        directory: str,
        *,
        as_text: bool = False,
        agents_mode: str = "",
    ) -> None:
        self.agents_mode, self.mode = agents_mode, agent.modes.get(agents_mode, "")
        self.agent, self.event, self.data, self.directory = agent, event, data, directory
        self.input, self.as_text = tool_input, as_text
        self.key: str = agent.fields["command"]
        given = tool_input[self.key]
        self.is_list = isinstance(given, list)
        self.commands: tuple[str, ...] = tuple(given) if self.is_list else (given,)

    def input_with(self, commands: tuple[str, ...]) -> dict[str, Any]:
        """The tool's arguments with these commands and all else as it came."""
        return {**self.input, self.key: list(commands) if self.is_list else commands[0]}


class Response:
    """What laconic says, in no agent's words.

    answer: `allow`, `ask`, `deny` or None. commands: what should run instead, or None. output: what
    the agent should read in place of the output, by stream. way_out: what a person types to let a
    command pass that is asked about.
    """

    __slots__ = ("answer", "commands", "output", "reason", "way_out")

    def __init__(
        self,
        answer: str | None = None,
        reason: str = "",
        commands: tuple[str, ...] | None = None,
        output: Mapping[str, str] | None = None,
    ) -> None:
        self.answer, self.reason, self.commands, self.output = answer, reason, commands, output
        self.way_out = ""

    def __bool__(self) -> bool:
        return bool(self.answer or self.commands or self.output)

    @property
    def text(self) -> str:
        """The output, both streams in one."""
        return "".join((self.output or {}).values())


class Output:
    """What a command wrote. status: 0 where the agent vouches for it, else None."""

    __slots__ = ("err", "out", "status")

    def __init__(self, out: str, err: str = "", status: int | None = None) -> None:
        self.out, self.err, self.status = out, err, status


class Reply:
    """An answer in an agent's words: a JSON document or none, and for some an exit status."""

    __slots__ = ("document", "status", "stderr")

    def __init__(
        self, document: Mapping[str, Any] | None = None, stderr: str = "", status: int = 0
    ) -> None:
        self.document, self.stderr, self.status = document, stderr, status


class Answer:
    """What a hook prints and its exit status.

    fault: what went wrong, for debugging. retry_cold: it did before there was a verdict; another
    process may do better. later: what can wait until the answer is on its way.
    """

    __slots__ = ("fault", "later", "retry_cold", "status", "stderr", "stdout")

    def __init__(
        self, stdout: bytes = b"", stderr: bytes = b"", status: int = 0, fault: str = ""
    ) -> None:
        self.stdout, self.stderr, self.status, self.fault = stdout, stderr, status, fault
        self.retry_cold = False
        self.later: list[Callable[[], object]] = []

    def finish(self) -> None:
        """Do what could wait. It is no part of the answer, so no fault in it counts."""
        for job in self.later:
            with contextlib.suppress(Exception):
                job()


def neutral_answer(agent: Agent, kind: str) -> Answer:
    """Give the answer to an event of this kind when there is nothing to say."""
    text = agent.neutral_for(kind)
    return Answer(f"{text}\n".encode() if text else b"")

"""What a transcript tells of a session: the commands, what they printed, and what was paid."""

from __future__ import annotations

from typing import NamedTuple


class Usage(NamedTuple):
    """The tokens of requests to a model, as the transcript counts them; no token counts twice."""

    input: int = 0
    cache_write: int = 0
    cache_read: int = 0
    output: int = 0

    def plus(self, other: Usage) -> Usage:
        return Usage(*(a + b for a, b in zip(self, other, strict=True)))

    @property
    def sent(self) -> int:
        """All that a model was given to read."""
        return self.input + self.cache_write + self.cache_read


class Step(NamedTuple):
    """A command that an agent wanted to run.

    mode: the agent's word for how it asked at that time, empty if the transcript does not tell.
    was_asked: whether a person was asked, None if the transcript does not tell. has_run: there is
    an output, perhaps an empty one. status: None if nobody tells. held: how many requests to the
    model had the output in them.
    """

    command: str
    cwd: str
    mode: str = ""
    was_asked: bool | None = None
    has_run: bool = False
    output: bytes = b""
    status: int | None = None
    model: str = ""
    held: int = 0


class Session(NamedTuple):
    """One transcript. usage: by model. other_bytes: what tools other than a shell printed."""

    agent: str
    path: str
    steps: tuple[Step, ...]
    usage: dict[str, Usage]
    other_bytes: int = 0


class SessionFiles(NamedTuple):
    """Where an agent keeps sessions: the first of the paths whose variable is set.

    suffix: how the names of files end. depth: how many directories deep they lie.
    """

    paths: str
    suffix: str
    depth: int = 8


class Builder:
    """Collects the steps of one session while its transcript is read.

    A chain is a conversation with a model; a session has one, and one more for each of the agents
    that it starts. An output is held by the requests that follow it in its chain, until the
    agent sums the chain up.
    """

    def __init__(self) -> None:
        self._steps: dict[str, Step] = {}
        self._chains: dict[str, str] = {}
        self._counted: dict[str, int] = {}
        self._ended: dict[str, int] = {}
        self._requests: dict[str, int] = {}
        self.usage: dict[str, Usage] = {}
        self.other_bytes = 0

    def start(self, key: str, step: Step, chain: str = "", *, is_counted: bool = True) -> None:
        """Take a command. is_counted: the request that it came from is among those so far."""
        self._steps[key] = step._replace(command=clean(step.command), cwd=clean(step.cwd))
        self._chains[key] = chain
        self._counted[key] = self._requests.get(chain, 0) + (0 if is_counted else 1)

    def finish(self, key: str, output: str, status: int | None, *, has_run: bool = True) -> None:
        step = self._steps.get(key)
        if step is None:
            self.other_bytes += len(output)  # of another tool
        if step is None or step.has_run:
            return
        data = output.encode("utf-8", "replace")[:MOST_OUTPUT] if has_run else b""
        self._steps[key] = step._replace(has_run=has_run, output=data, status=status)

    def refuse(self, key: str) -> None:
        """Note that a person was asked, and said no."""
        if key in self._steps:
            self._steps[key] = self._steps[key]._replace(was_asked=True)

    def request(self, model: str, usage: Usage, chain: str = "") -> None:
        self._requests[chain] = self._requests.get(chain, 0) + 1
        self.usage[model] = self.usage.get(model, Usage()).plus(usage)

    def sum_up(self, chain: str = "") -> None:
        """Note a summary: later requests no longer have what the chain held so far."""
        for key, counted in self._counted.items():
            if self._chains[key] == chain and key not in self._ended:
                self._ended[key] = self._requests.get(chain, 0) - counted

    def built(self, agent: str, path: str) -> Session:
        steps = tuple(map(self._built, self._steps))
        return Session(agent, path, steps, self.usage, self.other_bytes)

    def _built(self, key: str) -> Step:
        step = self._steps[key]
        requests = self._requests.get(self._chains[key], 0) - self._counted[key]
        held = self._ended.get(key, requests) if step.has_run else 0
        return step._replace(held=max(0, held))


def clean(text: str) -> str:
    """Return a text that a system call takes: JSON can hold half characters, and NUL."""
    return text.encode("utf-8", "replace").decode().replace("\0", "?")


# Agents cut what they show to a model below this; a longer one is not what the model read.
MOST_OUTPUT = 1 << 20

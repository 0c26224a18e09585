"""Handles each kind of call to the server; the client in C asks, and shows the answers."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import sys
import time
from functools import partial, wraps
from typing import TYPE_CHECKING

import laconic.box.plan
import laconic.compact.branch  # a filter loads it when its output has come
import laconic.contain
import laconic.hooks.file_calls
import laconic.hooks.shell_writes
import laconic.record.collect  # after an answer, if there is something
import laconic.record.decisions  # the log is written after every answer
import laconic.undo.around  # noqa: F401 - before a command that destroys
from laconic import __version__
from laconic.agents.load import load
from laconic.compact.shapes.passes import NAMES, load_shapes
from laconic.hooks.answer import answer as answer_hook
from laconic.hooks.answer import answer_to_failure, read_words
from laconic.hooks.response import Answer
from laconic.machine.processes import resident_bytes
from laconic.record import tokenizer
from laconic.secrets.redact import redact
from laconic.server import wire
from laconic.server.board import BUSY, IDLE
from laconic.server.identity import places_of
from laconic.server.run_handler import attend
from laconic.server.shell_handler import tell
from laconic.server.worker import OutOfTimeError, advance, time_limit
from laconic.settings.environ import environment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, MutableMapping

    from laconic.server.wire import ClientCall
    from laconic.server.worker import Connection, Handler, Steps

    AnswerQuestion = Callable[[list[str]], int | None]

_HOOK_S = 8.0
_QUESTION_S = 20.0
_STARTED = time.time()


def hook(connection: Connection, call: ClientCall) -> None:
    """Answer the hook of an agent within its time: `laconic hook AGENT [EVENT]`."""
    stdin = call.rest.text()
    call.rest.end()
    agent, event, escalates = read_words(call.arguments[1:])
    fallback: Answer | None = None
    seconds = _limit_of(agent)

    def set_fallback(answer: Answer) -> None:
        nonlocal fallback
        fallback = answer

    try:
        with time_limit(seconds):
            given = answer_hook(
                agent,
                event,
                stdin,
                call.variables,
                call.directory,
                set_fallback,
                escalates=escalates,
            )
    except OutOfTimeError:
        connection.send(_frame(fallback or _answer_to_failure(agent)))
        raise
    connection.send(wire.reply(wire.Kind.COLD) if given.retry_cold else _frame(given))
    given.finish()


def _frame(given: Answer) -> bytes:
    return wire.answer(given.status, given.stdout, given.stderr)


def _limit_of(name: str) -> float:
    try:
        return load(name).limit_s
    except KeyError:
        return _HOOK_S


def _answer_to_failure(name: str) -> Answer:
    try:
        return answer_to_failure(load(name))
    except KeyError:
        return Answer()


# Common commands: their rules, patterns and modules are loaded before the workers are forked, so
# that the workers share them.
_COMMON = (
    "git status && git diff --stat HEAD~1 | head -20",
    "git log --oneline -5",
    "git add -A && git commit -m x",
    "ls -la src",
    "cat README.md",
    "grep -rn 'name' src --include='*.py' | sort -u | wc -l",
    "rg -n name",
    "find . -name '*.py' -not -path './x/*' | xargs wc -l",
    "sed -n '1,20p' x; awk '{print $1}' x; head -5 x; tail -n 5 x",
    "python3 -c 'print(1)'; python -m pytest -q",
    "npm test; npx tsc --noEmit; cargo test; go test ./...; make",
    "cd src && FOO=1 timeout 60 bash -c 'echo \"$PWD\" > /dev/null 2>&1'",
    'for f in a b; do echo "$f" "$(basename "$f")"; done',
    "curl -s https://example.com | jq .name",
    "docker ps; kubectl get pods; gh pr view 1 --json title",
    "mkdir -p x; rm -rf x/y; cp a b; mv a b; touch c",
)


def warm_up() -> None:
    """Load all shapes, and answer common commands, only to load what they need.

    The workers share what is loaded before they are forked. No fault of ours is written down.
    """
    with contextlib.suppress(ImportError):  # the installation may be taken away meanwhile
        load_shapes(NAMES)
    environ = {"HOME": "/nonexistent", "XDG_STATE_HOME": "/dev/null", "PATH": "/"}
    for command in _COMMON:
        call = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": "/"}
        data = json.dumps({**call, "tool_input": {"command": command}}).encode()
        answer_hook("claude-code", "", data, environ, "/")
    redact("curl -H 'Authorization: none' https://example.com")
    tokenizer.load()


# -- questions that the command line answers -------------------------------------------------------


def question(connection: Connection, call: ClientCall, answer_question: AnswerQuestion) -> None:
    """Answer with what the command line prints: `laconic check ...`, `laconic rewrite ...`."""
    out, err = io.BytesIO(), io.BytesIO()
    with _as_if_there(call), _captured(out, err), time_limit(_QUESTION_S):
        code = answer_question(call.arguments)
    if code is None:
        connection.send(wire.reply(wire.Kind.COLD))
    else:
        connection.send(wire.answer(code, out.getvalue(), err.getvalue()))


def shell_line(connection: Connection, call: ClientCall) -> None:
    with _as_if_there(call), time_limit(_QUESTION_S):
        tell(connection, call)


def run(connection: Connection, call: ClientCall) -> Steps:
    """Tell the client what to print of the output of the command that it runs.

    Each step is made in its directory, which may be gone by then.
    """
    steps = attend(connection, call)
    place = _opened(call.directory, connection.process)
    try:
        with _in(place):
            goes_on = advance(steps, None)
        while goes_on:
            frame = yield
            with _in(place):
                goes_on = advance(steps, frame)
    finally:
        with contextlib.suppress(OSError), _in(place):
            steps.close()
        os.close(place)


# Enough to go there, also where nobody may list it: https://man7.org/linux/man-pages/man2/open.2.html
_PLACE = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC


def _opened(directory: str, process: int) -> int:
    """Open a client's directory; where its command has removed that, the client is still in it.

    The kernel marks the name: https://man7.org/linux/man-pages/man5/proc_pid_exe.5.html
    """
    try:
        return os.open(directory, _PLACE)
    except FileNotFoundError:
        place = os.open(f"/proc/{process}/cwd", _PLACE)
        if os.readlink(f"/proc/self/fd/{place}") == f"{directory} (deleted)":  # noqa: PTH115 - slow
            return place
        os.close(place)
        raise


@contextlib.contextmanager
def _in(directory: str | int) -> Iterator[None]:
    os.chdir(directory)
    try:
        yield
    finally:
        os.chdir("/")  # so that no file system stays in use


@contextlib.contextmanager
def _as_if_there(call: ClientCall) -> Iterator[None]:
    """Take on the client's directory and environment; a worker serves one client at a time."""
    variables: MutableMapping[str, str] = environment()  # type: ignore[assignment]
    own = dict(variables)
    variables.clear()
    variables.update(call.variables)
    try:
        with _in(call.directory):
            yield
    finally:
        variables.clear()
        variables.update(own)


@contextlib.contextmanager
def _captured(out: io.BytesIO, err: io.BytesIO) -> Iterator[None]:
    own = sys.stdout, sys.stderr
    made = [io.TextIOWrapper(stream, "utf-8", "backslashreplace") for stream in (out, err)]
    sys.stdout, sys.stderr = made
    try:
        yield
    finally:
        sys.stdout, sys.stderr = own
        for stream in made:
            stream.flush()
            stream.detach()  # closing it would close the underlying buffer


# -- about the server itself -----------------------------------------------------------------------


def status(connection: Connection, _call: ClientCall) -> None:
    board = connection.board
    facts = {
        "version": __version__,
        "process": connection.server,
        "since": time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(_STARTED)),
        "calls": board.calls,
        "workers": f"{board.count(IDLE)} idle, {board.count(BUSY)} busy",
        "commands": f"{board.commands} running",
        "memory": f"{resident_bytes() >> 20} MB in this worker",
        "tokens": f"counted by {tokenizer.PACKAGE}" if tokenizer.is_loaded() else "estimated",
    }
    lines = "".join(f"{name}\t{value}\n" for name, value in facts.items())
    connection.send(wire.answer(0, lines.encode()))


def stop(connection: Connection, call: ClientCall) -> None:
    status(connection, call)
    if (
        os.getppid() == connection.server
    ):  # an orphan has another parent, which must not be signalled
        os.kill(connection.server, signal.SIGTERM)


def handlers(answer_question: AnswerQuestion) -> dict[bytes, Handler]:
    """Return the handler for each kind of call. answer_question: None if it is no question."""
    calls: dict[bytes, Handler] = {
        wire.Kind.HOOK: hook,
        wire.Kind.QUESTION: partial(question, answer_question=answer_question),
        wire.Kind.SHELL: shell_line,
        wire.Kind.RUN: run,
    }
    own = places_of(environment())
    ours = {kind: _for_places(own, handler) for kind, handler in calls.items()}
    return {**ours, wire.Kind.STATUS: status, wire.Kind.STOP: stop}


def _for_places(own: list[str], handler: Handler) -> Handler:
    """Decline a call from whom other configuration and records would count than for the server."""

    @wraps(handler)
    def handle(connection: Connection, call: ClientCall) -> Steps | None:
        if places_of(call.variables) == own:
            return handler(connection, call)
        connection.send(wire.reply(wire.Kind.COLD))
        return None

    return handle

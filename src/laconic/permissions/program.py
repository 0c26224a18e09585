"""Asks the user's own permission program about a command, and reads its verdict.

The program gets the agent's hook JSON on stdin and answers as a hook of that agent would. When the
time is up it is killed, with all that it started.
"""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import tempfile
import time
from collections.abc import Mapping
from typing import IO, Any, NamedTuple

from laconic.run import descendants
from laconic.settings.config import External
from laconic.types import Verdict

_LIMIT = 1 << 20
_POLL_S = 0.02


class ProgramAnswer(NamedTuple):
    """What the program said: a verdict and its reason, or None and what went wrong."""

    verdict: Verdict | None
    reason: str


def consult(
    config: External, agent: str, hook_json: bytes, cwd: str, environ: Mapping[str, str]
) -> ProgramAnswer:
    """Ask the program. Never raises for what a program can do."""
    shown = config.format_map.get(agent, agent)
    argv = [config.command, *(word.replace("{format}", shown) for word in config.args)]
    try:
        output = _run(argv, hook_json, cwd, environ, config.timeout_ms / 1000)
    except TimeoutError:
        return ProgramAnswer(None, f"{config.command} gave no answer within {config.timeout_ms} ms")
    except (OSError, ValueError) as error:
        return ProgramAnswer(None, f"{config.command} cannot be run: {error}")
    return read_reply(output, agent, config.command)


def _run(
    argv: list[str], data: bytes, cwd: str, environ: Mapping[str, str], timeout_s: float
) -> bytes:
    deadline = time.monotonic() + timeout_s
    mark = descendants.new_mark()
    # A file as stdin: a program that does not read it cannot make us wait.
    with tempfile.TemporaryFile() as stdin:
        stdin.write(data)
        stdin.seek(0)
        process = subprocess.Popen(  # noqa: S603 - the program that the user configured
            argv,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=cwd,
            env={**environ, descendants.MARK: mark},
            start_new_session=True,
        )
    assert process.stdout is not None
    with process.stdout:
        try:
            return _read_until(process, process.stdout, deadline)
        except BaseException:  # also Ctrl-C: the program must not outlive us
            if process.returncode is None:  # otherwise its id may belong to another process by now
                descendants.kill_all(process.pid, mark)
                process.wait()
            raise


def _read_until(process: subprocess.Popen[bytes], stdout: IO[bytes], deadline: float) -> bytes:
    """Read until the program ends; a child of it that keeps the pipe open is not waited for."""
    output = bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(stdout, selectors.EVENT_READ)
        while (left := deadline - time.monotonic()) > 0:
            has_ended = process.poll() is not None
            if selector.select(0 if has_ended else min(left, _POLL_S)):
                chunk = os.read(stdout.fileno(), 1 << 16)
                output += chunk
                if len(output) > _LIMIT:
                    raise ValueError("it says too much")
                if not chunk:
                    return _at_end(process, output, deadline)
            elif has_ended:
                return bytes(output)
    raise TimeoutError


def _at_end(process: subprocess.Popen[bytes], output: bytearray, deadline: float) -> bytes:
    try:
        process.wait(max(deadline - time.monotonic(), 0))
    except subprocess.TimeoutExpired as error:
        raise TimeoutError from error
    return bytes(output)


# -- replies ---------------------------------------------------------------------------------------

_WORDS = {
    "allow": Verdict.ALLOW,
    "approve": Verdict.ALLOW,
    "ask": Verdict.ASK,
    "deny": Verdict.DENY,
    "block": Verdict.DENY,
}
# Where the hooks of an agent put the verdict. Claude Code's form (https://code.claude.com/docs/en/hooks),
# the current and the old one, is read for every agent, as the agents themselves do.
_OWN_FIELD = {"gemini": "decision", "cursor": "permission"}
_CLAUDE_FIELDS = ("permissionDecision", "decision")
_REASON_FIELDS = (
    "permissionDecisionReason", "reason", "user_message", "agent_message", "systemMessage",
)  # fmt: skip


def read_reply(output: bytes, agent: str, program: str) -> ProgramAnswer:
    """Read a hook's answer. An answer without a verdict is ask; anything else is a failure."""
    try:
        answer: Any = json.loads(output)
    except (ValueError, RecursionError):
        return ProgramAnswer(None, f"{program} did not answer with JSON")
    if not isinstance(answer, dict):
        return ProgramAnswer(None, f"{program} did not answer with a JSON object")
    inner = answer.get("hookSpecificOutput")
    places = (answer, inner) if isinstance(inner, dict) else (answer,)
    fields = (_OWN_FIELD.get(agent, ""), *_CLAUDE_FIELDS)
    said = next((p[field] for field in fields for p in places if field in p), "ask")
    if not isinstance(said, str) or said not in _WORDS:
        return ProgramAnswer(None, f"{program} gave a verdict that is none: {str(said)[:40]!r}")
    reasons = (p[field] for field in _REASON_FIELDS for p in places if field in p)
    reason = next((reason for reason in reasons if isinstance(reason, str) and reason), "")
    return ProgramAnswer(_WORDS[said], reason or f"{program} says {said}")


def claude_request(command: str, cwd: str) -> bytes:
    """The hook JSON of Claude Code, for a command that no agent has asked about."""
    request = {
        "hook_event_name": "PreToolUse",
        "cwd": cwd,
        "tool_name": "Bash",
        "tool_input": {"command": command},
    }
    return json.dumps(request).encode()

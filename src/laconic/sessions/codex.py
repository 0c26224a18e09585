"""Codex' transcripts: ~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl.

A command is a function call, its output a later line with the same call_id; turn_context says how
Codex asks. Seen with 0.166.0; the tool `shell` and its JSON outputs are those of older versions.
"""

from __future__ import annotations

from pathlib import Path

from laconic.knowledge.traits import shells
from laconic.patterns import pattern
from laconic.sessions.documents import Document, number, parsed, read_lines, table, text
from laconic.sessions.values import Builder, Session, SessionFiles, Step, Usage
from laconic.shell.words import quoted

AGENT = "codex"
PLACES = (SessionFiles("$CODEX_HOME/sessions or ~/.codex/sessions", ".jsonl"),)

_TOOLS = frozenset(("exec_command", "shell", "shell_command", "container.exec", "local_shell"))
_HEAD = pattern(
    r"(?:(?:Chunk ID|Wall time|Original token count|Total output lines)[^\n]*\n|"
    r"(?:Process exited with|Exit) code:? (\d{1,3})[^\n]*\n){1,8}Output:\n"
)
_REFUSED = ("rejected by user", "exec command rejected")


def is_ours(first: Document) -> bool:
    return isinstance(first.get("payload"), dict) and isinstance(first.get("type"), str)


def read(path: Path, seen: set[str]) -> Session:
    del seen  # a resumed session goes on in its own file
    reader = _Reader()
    for line in read_lines(path):
        reader.take(text(line.get("type")), table(line, "payload"))
    return reader.builder.built(AGENT, str(path))


class _Reader:
    def __init__(self) -> None:
        self.builder = Builder()
        self._cwd = self._mode = self._model = ""
        self._total: Document = {}

    def take(self, kind: str, payload: Document) -> None:
        if kind in ("session_meta", "turn_context"):
            self._cwd = text(payload.get("cwd")) or self._cwd
            self._mode = text(payload.get("approval_policy")) or self._mode
            self._model = text(payload.get("model")) or self._model
        elif kind == "compacted":
            self.builder.sum_up()
        elif kind == "event_msg" and payload.get("type") == "token_count":
            self._count(table(payload, "info"))
        elif kind == "response_item":
            self._item(text(payload.get("type")), payload)

    def _count(self, info: Document) -> None:
        """Count an event once: it may come again without a request, with the same total."""
        total, last = table(info, "total_token_usage"), table(info, "last_token_usage")
        if not last or total == self._total:
            return
        self._total = total
        read = number(last.get("cached_input_tokens"))
        written = number(last.get("cache_write_input_tokens"))
        fresh = max(0, number(last.get("input_tokens")) - read - written)
        usage = Usage(fresh, written, read, number(last.get("output_tokens")))
        self.builder.request(self._model, usage)

    def _item(self, kind: str, payload: Document) -> None:
        key = text(payload.get("call_id"))
        if kind == "function_call" and text(payload.get("name")) in _TOOLS:
            self._start(key, parsed(payload.get("arguments")))
        elif kind == "local_shell_call":
            self._start(key, table(payload, "action"))
        elif kind == "function_call_output":
            self._finish(key, payload.get("output"))

    def _start(self, key: str, given: Document) -> None:
        command = text(given.get("cmd")) or _command(given.get("command"))
        directory = text(given.get("workdir")) or text(given.get("working_directory")) or self._cwd
        step = Step(command, directory, self._mode, self._asked(given), model=self._model)
        self.builder.start(key, step, is_counted=False)  # the count comes after the answer

    def _asked(self, given: Document) -> bool | None:
        """Tell whether a person was asked: the model wants more than the sandbox permits."""
        if self._mode == "never":
            return False
        if self._mode in ("on-request", "on-failure"):
            wanted = given.get("sandbox_permissions") == "require_escalated"
            return wanted or given.get("with_escalated_permissions") is True
        return None

    def _finish(self, key: str, given: object) -> None:
        inner = parsed(given)
        shown = text(inner.get("output")) if inner else text(given)
        status = table(inner, "metadata").get("exit_code")
        if any(words in shown[:200] for words in _REFUSED):
            self.builder.finish(key, "", None, has_run=False)
            self.builder.refuse(key)
            return
        head = _HEAD.match(shown)
        if head:
            shown, status = shown[head.end() :], int(head[1]) if head[1] else None
        self.builder.finish(key, shown, status if isinstance(status, int) else None)


def _command(given: object) -> str:
    """Return the line of `["bash", "-lc", line]`; other words are joined by blanks."""
    if not isinstance(given, list):
        return text(given)
    words = [word for word in given if isinstance(word, str)]
    if len(words) == 3 and words[1] in ("-lc", "-c") and words[0].rpartition("/")[2] in shells():  # noqa: PLR2004
        return words[2]
    return " ".join(map(quoted, words))

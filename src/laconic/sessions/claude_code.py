"""Claude Code's transcripts: ~/.claude/projects/<directory>/<session>.jsonl.

One line is one block of a message: the blocks of an answer share its id and repeat its usage. Seen
with 2.1.197; the fields that older versions lack are not needed.
"""

from __future__ import annotations

from pathlib import Path

from laconic.patterns import pattern
from laconic.sessions.documents import Document, items, number, read_lines, table, text
from laconic.sessions.values import Builder, Session, SessionFiles, Step, Usage

AGENT = "claude-code"
PLACES = (SessionFiles("$CLAUDE_CONFIG_DIR/projects or ~/.claude/projects", ".jsonl"),)

_STATUS = pattern(r"(?:Error: )?Exit code (\d{1,3})(?:\n|$)")
# What is written in place of a result when a person said no, and when nobody was there to say yes.
_REFUSED = ("The user doesn't want to proceed with this tool use",)
_NOT_RUN = (
    *_REFUSED,
    "Claude requested permissions to use",
    "This command requires approval",
    "Permission to use",
    "<tool_use_error>",
)


def is_ours(first: Document) -> bool:
    return "sessionId" in first and isinstance(first.get("type"), str)


def read(path: Path, seen: set[str]) -> Session:
    """Read a session. seen: lines that another file has already; a resumed session repeats them."""
    reader = _Reader(seen)
    for line in read_lines(path):
        reader.take(line)
    return reader.builder.built(AGENT, str(path))


class _Reader:
    def __init__(self, seen: set[str]) -> None:
        self.builder = Builder()
        self._seen = seen
        self._mode = ""
        self._answers: dict[tuple[str, str], tuple[str, Usage]] = {}

    def take(self, line: Document) -> None:
        chain = _chain(line)
        own = text(line.get("uuid"))
        if own:
            if own in self._seen:
                return
            self._seen.add(own)
        self._mode = text(line.get("permissionMode")) or self._mode
        is_summary = line.get("subtype") == "compact_boundary" or line.get("isCompactSummary")
        if is_summary is True:
            self.builder.sum_up(chain)
        if line.get("type") == "assistant":
            self._answer(line, chain)
        elif line.get("type") == "user":
            self._results(line, chain)

    def _answer(self, line: Document, chain: str) -> None:
        message = table(line, "message")
        model, identifier = text(message.get("model")), text(message.get("id"))
        usage = _usage(table(message, "usage"))
        if model != "<synthetic>":
            self._count(identifier or text(line.get("uuid")), chain, model, usage)
        for block in items(message.get("content")):
            given = table(block, "input")
            if block.get("type") == "tool_use" and block.get("name") == "Bash":
                step = Step(text(given.get("command")), text(line.get("cwd")), self._mode)
                key = f"{chain}/{text(block.get('id'))}"
                self.builder.start(key, step._replace(model=model), chain)

    def _count(self, identifier: str, chain: str, model: str, usage: Usage) -> None:
        """Count an answer once; its later lines have the final number of tokens."""
        known = self._answers.get((chain, identifier))
        if known is None:
            self.builder.request(model, usage, chain)
        elif usage.output > known[1].output:
            more = Usage(output=usage.output - known[1].output)
            self.builder.usage[known[0]] = self.builder.usage[known[0]].plus(more)
        else:
            return
        self._answers[chain, identifier] = (model, usage)

    def _results(self, line: Document, chain: str) -> None:
        for block in items(table(line, "message").get("content")):
            if block.get("type") != "tool_result":
                continue
            key, shown = f"{chain}/{text(block.get('tool_use_id'))}", text(block.get("content"))
            is_error = block.get("is_error") is True
            if is_error and shown.startswith(_NOT_RUN):
                self.builder.finish(key, "", None, has_run=False)
                if shown.startswith(_REFUSED):
                    self.builder.refuse(key)
                continue
            match = _STATUS.match(shown) if is_error else None
            status = int(match[1]) if match else (1 if is_error else 0)
            self.builder.finish(key, shown[match.end() :] if match else shown, status)


def _chain(line: Document) -> str:
    """Tell the conversations of the agents that a session starts from its own."""
    return text(line.get("agentId")) or ("side" if line.get("isSidechain") is True else "")


def _usage(given: Document) -> Usage:
    return Usage(
        number(given.get("input_tokens")),
        number(given.get("cache_creation_input_tokens")),
        number(given.get("cache_read_input_tokens")),
        number(given.get("output_tokens")),
    )

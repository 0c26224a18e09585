"""Gemini CLI's transcripts: ~/.gemini/tmp/<project>/chats/session-<time>-<id>.jsonl.

A message that comes again replaces the earlier one. Seen with 0.61.0; older versions write one JSON
object with `messages` instead of lines. How Gemini asks is not written down.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from laconic.errors import FileError
from laconic.files import read_file
from laconic.patterns import pattern
from laconic.sessions.documents import (
    Document,
    items,
    number,
    read_document,
    read_lines,
    table,
    text,
)
from laconic.sessions.values import Builder, Session, SessionFiles, Step, Usage

AGENT = "gemini"
_PLACE = "$GEMINI_CLI_HOME/.gemini/tmp or ~/.gemini/tmp"
PLACES = (SessionFiles(_PLACE, ".jsonl"), SessionFiles(_PLACE, ".json"))

_TOOL = "run_shell_command"
_OUTPUT = pattern(
    r"(?:<untrusted_context>\n)?(?:Command: [^\n]*\n)?(?:Directory: [^\n]*\n)?"
    r"(?:Output|Stdout): "
)
_AFTER = pattern(r"\n(?:Error|Stderr|Exit Code|Signal|Background PIDs|Process Group PGID): ")
_STATUS = pattern(r"\nExit Code: (\d{1,3})(?:\n|$)")


def is_ours(first: Document) -> bool:
    return "projectHash" in first


def read(path: Path, seen: set[str]) -> Session:
    del seen  # no other file has the same messages
    builder = Builder()
    root = _root(path)
    for message in _messages(path):
        if message.get("type") != "gemini":
            continue
        model = text(message.get("model"))
        builder.request(model, _usage(table(message, "tokens")))
        for call in items(message.get("toolCalls")):
            if call.get("name") == _TOOL:
                _take(call, model, root, builder)
            else:
                builder.finish(text(call.get("id")), _response(call), None)
    return builder.built(AGENT, str(path))


def _messages(path: Path) -> Iterable[Document]:
    if path.suffix == ".json":
        return items(read_document(path).get("messages"))
    messages: dict[str, Document] = {}
    for line in read_lines(path):
        rewound = text(line.get("$rewindTo"))
        if rewound in messages:
            names = list(messages)
            for name in names[names.index(rewound) + 1 :]:
                messages[name] = {**messages[name], "type": "rewound", "toolCalls": []}
        elif text(line.get("id")):
            messages[text(line.get("id"))] = line
    return messages.values()


def _root(path: Path) -> str:
    """Return the project's directory, which a file beside the chats names."""
    try:
        data = read_file(path.parent.parent / ".project_root", 4096)
    except FileError:
        return ""
    return data.decode("utf-8", "replace").strip()


def _take(call: Document, model: str, root: str, builder: Builder) -> None:
    given, key = table(call, "args"), text(call.get("id"))
    directory = text(given.get("dir_path")) or text(given.get("directory"))
    inner = directory if directory.startswith("/") else f"{root}/{directory}".rstrip("/")
    builder.start(key, Step(text(given.get("command")), inner or root, model=model))
    if call.get("status") == "cancelled":
        builder.finish(key, "", None, has_run=False)
        builder.refuse(key)
    for part in items(call.get("result")):
        response = table(part, "functionResponse", "response")
        shown = text(response.get("output"))
        if text(call.get("status")) in ("success", "error") and "output" in response:
            builder.finish(key, *_printed(shown))


def _response(call: Document) -> str:
    parts = (table(part, "functionResponse", "response") for part in items(call.get("result")))
    return "".join(text(response.get("output")) for response in parts)


def _printed(shown: str) -> tuple[str, int | None]:
    """Return what the command printed, and its status, which is only written after a failure."""
    head = _OUTPUT.match(shown)
    if not head:
        return shown, None
    found = _STATUS.search(shown)
    ends = [match.start() for match in _AFTER.finditer(shown, head.end() - 1)]
    end = ends[0] if ends else len(shown)
    return shown[head.end() : end], int(found[1]) if found else 0


def _usage(tokens: Document) -> Usage:
    read = number(tokens.get("cached"))
    fresh = max(0, number(tokens.get("input")) - read)
    return Usage(fresh, 0, read, number(tokens.get("output")) + number(tokens.get("thoughts")))

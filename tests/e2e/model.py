"""A scripted model on loopback: it calls the agent's shell tool, once a turn, then says "done".

It speaks the four wire formats that agents use, each as server-sent events, and keeps every
request: the next one holds what the agent took for the result of the tool.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, Self

Json = dict[str, Any]
DONE = "done"


class Call(NamedTuple):
    """What the model wants to run: the agent's name for its shell tool, and the input for it."""

    tool: str
    arguments: Json
    identifier: str


class Request(NamedTuple):
    path: str
    body: Json


class Model:
    """Answers while it is open; `requests` is what it was asked since `script` was called."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self._calls: list[Call] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def script(self, tool: str, inputs: list[Json]) -> None:
        """Set the calls of the next conversation."""
        self.script_calls([(tool, given) for given in inputs])

    def script_calls(self, calls: list[tuple[str, Json]]) -> None:
        """The same with calls of several tools."""
        self.requests = []
        self._calls = [Call(tool, given, f"call_{i}") for i, (tool, given) in enumerate(calls)]

    @property
    def results(self) -> list[str]:
        """What came back as the results of the calls, in the longest conversation there was."""
        return max((list(_results(each.body)) for each in self.requests), key=len, default=[])

    def answer(self, path: str, body: Json) -> list[tuple[str, Json]]:
        """Return the events of one answer.

        Agents also ask for titles and the like: they offer no shell there, and get a plain text.
        """
        self.requests.append(Request(path, body))
        done = len(list(_results(body)))
        wanted = done < len(self._calls) and self._calls[done].tool in _offered(body)
        return _format(path)(self._calls[done] if wanted else None)


# -- what agents send ------------------------------------------------------------------------------


def _offered(body: Json) -> set[str]:
    """Return the names of the tools in a request, in whatever format."""
    names = set()
    for tool in body.get("tools") or ():
        inner = tool.get("function") or tool
        names.add(inner.get("name"))
        names.update(each.get("name") for each in tool.get("functionDeclarations") or ())
    return names


def _results(body: Json) -> Iterator[str]:
    for message in body.get("messages") or ():
        if message.get("role") == "tool":  # chat completions
            yield _text(message["content"])
        for block in _blocks(message.get("content")):
            if block.get("type") == "tool_result":  # Anthropic
                yield _text(block.get("content"))
    for item in _blocks(body.get("input")):  # Responses
        if item.get("type") == "function_call_output":
            yield _text(item["output"])
    for content in body.get("contents") or ():  # Gemini
        for part in content.get("parts") or ():
            if "functionResponse" in part:
                yield _text(part["functionResponse"]["response"])


def _blocks(content: Any) -> list[Json]:
    return [item for item in content if isinstance(item, dict)] if isinstance(content, list) else []


def _text(value: Any) -> str:
    """Return the text of a result: a string, a list of text blocks, or the strings of an object."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(_text(item.get("text", item)) for item in _blocks(value))
    return "\n".join(v for v in (value or {}).values() if isinstance(v, str))


# -- the four wire formats: a list of (name of the event or "", data) ------------------------------


def _format(path: str) -> Any:
    if "GenerateContent" in path or "generateContent" in path:
        return _gemini
    if path.endswith("/responses"):
        return _responses
    return _anthropic if path.endswith("/messages") else _chat


def _anthropic(call: Call | None) -> list[tuple[str, Json]]:
    if call:
        block: Json = {"type": "tool_use", "id": call.identifier, "name": call.tool, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call.arguments)}
    else:
        block = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": DONE}
    message = {
        "id": f"msg_{call.identifier if call else DONE}",  # no two answers have the same
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    stop = {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}
    events: list[Json] = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]
    return [(event["type"], event) for event in events]


def _responses(call: Call | None) -> list[tuple[str, Json]]:
    if call:
        arguments = json.dumps(call.arguments)
        item = {"type": "function_call", "call_id": call.identifier, "name": call.tool}
        item = {**item, "id": "fc_1", "status": "completed", "arguments": arguments}
    else:
        content = [{"type": "output_text", "text": DONE, "annotations": []}]
        item = {"type": "message", "id": "msg_1", "role": "assistant", "content": content}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    usage |= {"input_tokens_details": None, "output_tokens_details": None}
    response = {"id": "resp_1", "object": "response", "status": "completed", "output": [item]}
    events: list[Json] = [
        {"type": "response.created", "response": {"id": "resp_1"}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {**response, "usage": usage}},
    ]
    return [(event["type"], event) for event in events]


def _chat(call: Call | None) -> list[tuple[str, Json]]:
    if call:
        function = {"name": call.tool, "arguments": json.dumps(call.arguments)}
        tool_call = {"index": 0, "id": call.identifier, "type": "function", "function": function}
        delta: Json = {"role": "assistant", "content": None, "tool_calls": [tool_call]}
    else:
        delta = {"role": "assistant", "content": DONE}
    chunk = {"id": "chat_1", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
    reason = "tool_calls" if call else "stop"
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return [
        ("", {**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}),
        ("", {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}),
        ("", {**chunk, "choices": [], "usage": usage}),
    ]


def _gemini(call: Call | None) -> list[tuple[str, Json]]:
    function = {"functionCall": {"name": call.tool, "args": call.arguments}} if call else None
    content = {"role": "model", "parts": [function or {"text": DONE}]}
    candidate = {"index": 0, "content": content, "finishReason": "STOP"}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    return [("", {"candidates": [candidate], "usageMetadata": usage})]


# -- HTTP ------------------------------------------------------------------------------------------


def _handler(model: Model) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            length = int(self.headers.get("Content-Length") or 0)
            path = self.path.partition("?")[0]
            events = model.answer(path, json.loads(self.rfile.read(length) or b"{}"))
            if path.endswith(":generateContent"):  # the one that does not stream
                return self._send("application/json", json.dumps(events[0][1]))
            text = "".join(_event(name, data) for name, data in events)
            end = "data: [DONE]\n\n" if path.endswith("/completions") else ""
            return self._send("text/event-stream", text + end)

        def do_GET(self):
            """Agents look for models, news and packages: there is one model, and nothing else."""
            models = '{"object": "list", "data": [{"id": "scripted", "object": "model"}]}'
            found = self.path.endswith("/models")
            self._send("application/json", models if found else "{}", 200 if found else 404)

        def _send(self, kind: str, text: str, status: int = 200) -> None:
            content = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Keep quiet: the requests are kept."""

    return Handler


def _event(name: str, data: Json) -> str:
    return (f"event: {name}\n" if name else "") + f"data: {json.dumps(data)}\n\n"

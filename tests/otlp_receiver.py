"""A receiver of OTLP in JSON on this machine, which can be away, refuse, or die in between."""

from __future__ import annotations

import gzip
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PATIENCE_S = 60


class Receiver:
    """bodies: what was taken, each with its path. status: what is answered; refused: of paths."""

    def __init__(self, context=None):
        """context: of TLS, which it then speaks."""
        self._context = context
        self.port, self.status, self.answer = 0, 200, b"{}"
        self.bodies, self.headers, self.refused = [], [], set()
        self._news = threading.Condition()
        self._server = None

    def start(self):
        """Listen; the second time where it was at the first."""
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers["Content-Encoding"] == "gzip":
                    body = gzip.decompress(body)
                status = 503 if self.path in receiver.refused else receiver.status
                receiver._take(self.path, dict(self.headers), body, status)
                self.send_response(status)
                self.send_header("Content-Length", str(len(receiver.answer)))
                self.end_headers()
                self.wfile.write(receiver.answer)

            def log_message(self, *words):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        if self._context:
            self._server.socket = self._context.wrap_socket(self._server.socket, server_side=True)
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def stop(self):
        if self._server:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    __enter__ = start

    def __exit__(self, *_):
        self.stop()

    @property
    def url(self):
        return f"http{'s' if self._context else ''}://127.0.0.1:{self.port}"

    def _take(self, path, headers, body, status):
        with self._news:
            self.headers.append(headers)
            if status == 200:
                self.bodies.append((path, body))
            self._news.notify_all()

    def wait_for(self, is_there):
        """Wait until this is true of what came."""
        with self._news:
            assert self._news.wait_for(is_there, PATIENCE_S), f"{len(self.bodies)} bodies came"

    @property
    def text(self):
        """All that came, as one text."""
        return "\n".join(body.decode() for _, body in self.bodies)

    @property
    def records(self):
        """The log records that came: their attributes."""
        return [
            plain(record["attributes"]) | {"body": value_of(record["body"])}
            for path, body in self.bodies
            if path == "/v1/logs"
            for record in inner(body, "resourceLogs", "scopeLogs", "logRecords")
        ]

    @property
    def ids(self):
        return [record["laconic.decision.id"] for record in self.records]

    @property
    def sums(self):
        """The counters as they were last sent, by name and attributes."""
        found = {}
        for path, body in self.bodies:
            if path == "/v1/metrics":
                for metric in inner(body, "resourceMetrics", "scopeMetrics", "metrics"):
                    for point in metric["sum"]["dataPoints"]:
                        by = tuple(sorted(plain(point["attributes"]).items()))
                        found[metric["name"], by] = int(point["asInt"])
        return found

    def total(self, name, by=()):
        """The sum of the counters of a name that have these attributes."""
        wanted = dict(by)
        return sum(
            count
            for (metric, attributes), count in self.sums.items()
            if metric == name and wanted.items() <= dict(attributes).items()
        )


def inner(body, outer, scope, name):
    document = json.loads(body)
    return [
        item for top in document[outer] for middle in top[scope] for item in middle.get(name, ())
    ]


def plain(attributes):
    return {item["key"]: value_of(item["value"]) for item in attributes}


def value_of(value):
    ((kind, inner_value),) = value.items()
    match kind:
        case "arrayValue":
            return [value_of(item) for item in inner_value.get("values", ())]
        case "intValue":
            return int(inner_value)
        case _:
            return inner_value

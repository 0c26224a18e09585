"""An endpoint for a model on the loopback, which answers as a script says."""

from __future__ import annotations

import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Endpoint(ThreadingHTTPServer):
    """Each step of the script is (status, body) or a number of seconds to wait."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, wire):
        super().__init__(("127.0.0.1", 0), Handler)
        self.wire, self.script, self.requests = wire, [], []
        self.url = f"http://127.0.0.1:{self.server_port}/v1"

    def say(self, said):
        text = said if isinstance(said, str) else json.dumps(said)
        if self.wire == "anthropic":
            body = {"content": [{"type": "text", "text": text}]}
        else:
            body = {"choices": [{"message": {"content": text}}]}
        self.script.append((200, json.dumps(body)))


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers["Content-Length"])
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = {"headers": headers, "body": json.loads(self.rfile.read(length))}
        self.server.requests.append({**asked, "path": self.path})
        step = self.server.script.pop(0)
        if isinstance(step, float):
            time.sleep(step)
            return
        status, body = step
        self.send_response(status)
        if status == 302:
            self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


@contextmanager
def serving(wire):
    with Endpoint(wire) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()

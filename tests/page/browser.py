"""Chromium without a window, driven through its own pipe: no driver and no library is needed.

The protocol is https://chromedevtools.github.io/devtools-protocol/; with --remote-debugging-pipe
it is JSON with a NUL after each message, read from file 3 and written to file 4.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PATIENCE_S = 60


def find_browser(path=None):
    return next((found for name in NAMES if (found := shutil.which(name, path=path))), None)


class Browser:
    """A browser with one page. problems: what its console complained of."""

    def __init__(self, program):
        self.problems, self.requests = [], []
        self._next, self._answers, self._buffer = 0, {}, b""
        self._folder = tempfile.mkdtemp(prefix="laconic-browser-")
        ours, theirs = os.pipe(), os.pipe()
        options = [
            "--headless=new", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu",
            "--hide-scrollbars", "--disable-background-networking", "--disable-component-update",
            "--disable-dev-shm-usage", f"--user-data-dir={self._folder}",
        ]  # fmt: skip
        if os.geteuid() == 0:
            options.append("--no-sandbox")  # Chromium refuses to be root in its sandbox
        connected = f'exec "$@" 3<&{ours[0]} 4>&{theirs[1]}'
        self._process = subprocess.Popen(
            ["bash", "-c", connected, "bash", program, *options, "about:blank"],
            pass_fds=(ours[0], theirs[1]),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, "HOME": self._folder},
        )
        os.close(ours[0])
        os.close(theirs[1])
        self._write, self._read = ours[1], theirs[0]
        self._session = ""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait(PATIENCE_S)
        os.close(self._write)
        os.close(self._read)
        shutil.rmtree(self._folder, ignore_errors=True)

    def open(self, url):
        self.problems.clear()
        self.requests.clear()
        self.call("Page.navigate", url=url)
        self.until("document.readyState === 'complete' && location.href !== 'about:blank'")

    def call(self, method, **params):
        """Call a method of the protocol, and return its result."""
        self._next += 1
        message = {"id": self._next, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + PATIENCE_S
        while self._next not in self._answers:
            self._receive(end)
        answer = self._answers.pop(self._next)
        assert "error" not in answer, (method, answer["error"])
        return answer["result"]

    def evaluate(self, expression):
        found = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def until(self, expression, patience_s=20):
        end = time.monotonic() + patience_s
        while not self.evaluate(expression):
            assert time.monotonic() < end, expression
            time.sleep(0.05)

    def look(self, width=1280, height=900, *, is_dark=False):
        """Set the size of the window, and whether the user prefers dark colours."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 500,
        )  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def screenshot(self, path, *, is_whole=True):
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=is_whole)
        Path(path).write_bytes(base64.b64decode(shot["data"]))

    def _receive(self, end):
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], max(0, end - time.monotonic()))
            assert ready, "the browser does not answer"
            chunk = os.read(self._read, 1 << 16)
            assert chunk, "the browser has ended"
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\0")
        message = json.loads(line)
        if "id" in message:
            self._answers[message["id"]] = message
            return
        self._notice(message["method"], message["params"])

    def _notice(self, method, params):
        if method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
            self.problems.append(str(params["args"]))
        elif method == "Runtime.exceptionThrown":
            self.problems.append(str(params["exceptionDetails"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.problems.append(str(params["entry"]))
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

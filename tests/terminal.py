"""Runs programs at a pseudo-terminal of their own, as a person does."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time

LACONIC = [sys.executable, "-m", "laconic"]
SGR = re.compile(r"\x1b\[[0-9;]*m")


def run_at_terminal(words, *, cwd=None, environ=None, rows=50, columns=80, typed=(), limit_s=60):
    """Return the exit status and the bytes that the terminal was sent.

    typed: pairs of what to wait for, and what to type then. A program that takes too long is
    killed.
    """
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    process = subprocess.Popen(
        words, stdin=follower, stdout=follower, stderr=follower, cwd=cwd, env=environ,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - it must be the session's terminal
    )  # fmt: skip
    os.close(follower)
    sent, left, deadline = b"", list(typed), time.monotonic() + limit_s
    while time.monotonic() < deadline:
        if left and left[0][0] in sent:
            os.write(leader, left.pop(0)[1])
        if select.select([leader], [], [], 0.05)[0]:
            try:
                data = os.read(leader, 1 << 16)
            except OSError:  # EIO: nobody has the other end open (man 4 pts)
                break
            sent += data
    else:
        process.kill()
    status = process.wait()
    os.close(leader)
    return status, sent.replace(b"\r\n", b"\n")


def at_terminal(words, *, columns=80, typed=b"", **variables):
    """Run laconic; return the exit status and the text that the terminal was sent."""
    environ = {**os.environ, "TERM": "xterm-256color", **variables}
    environ.pop("COLUMNS", None)  # it would count before the width of the terminal
    status, sent = run_at_terminal(
        [*LACONIC, *words], environ=environ, columns=columns, typed=[(b"", typed)]
    )
    return status, sent.decode()


def plain(text):
    return SGR.sub("", text)

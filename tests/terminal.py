"""Runs the real program at a pseudo-terminal of a given width, as a person does."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios

LACONIC = [sys.executable, "-m", "laconic"]
SGR = re.compile(r"\x1b\[[0-9;]*m")


def at_terminal(words, *, columns=80, typed=b"", **variables):
    """Return the exit status and what the terminal was sent; typed: what the person answers."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    environ = {**os.environ, "TERM": "xterm-256color", **variables}
    environ.pop("COLUMNS", None)  # it would count before the width of the terminal
    process = subprocess.Popen(
        [*LACONIC, *words], stdin=follower, stdout=follower, stderr=follower, env=environ
    )
    os.close(follower)
    os.write(leader, typed)
    sent = b""
    with contextlib.suppress(OSError):  # EIO: the program has closed its end
        while data := os.read(leader, 4096):
            sent += data
    os.close(leader)
    return process.wait(), sent.decode().replace("\r\n", "\n")


def plain(text):
    return SGR.sub("", text)

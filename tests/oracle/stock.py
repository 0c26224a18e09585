"""Ask the machine's own bash about many texts at once, without running any of them."""

from __future__ import annotations

import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

_WARNING = re.compile(rb"warning: (here-document at line|command substitution: \d+ unterminated)")
# `bash -n` reads stdin for nothing; extglob is on where the text itself turns it on
_CHECK = """while IFS= read -r -d '' text; do
    case $text in *extglob*) option=-O\\ extglob;; *) option=;; esac
    errors=$(bash --norc --noprofile $option -n -c -- "$text" 2>&1 </dev/null)
    printf '%s\\0%s\\0' "$?" "$errors"
done"""
_PRETTY = """while IFS= read -r -d '' text; do
    shown=$(printf '%s' "$text" | bash --norc --noprofile --pretty-print 2>&1)
    printf '%s\\0%s\\0' "$?" "$shown"
done"""


def version() -> tuple[int, int]:
    shown = subprocess.run(
        ["bash", "-c", 'echo "${BASH_VERSINFO[0]} ${BASH_VERSINFO[1]}"'],
        capture_output=True,
        check=True,
        text=True,
    ).stdout.split()
    return int(shown[0]), int(shown[1])


def accepts(texts: list[str]) -> list[bool]:
    """Whether `bash -n` says nothing against each text; its exit status alone does not tell."""
    return [
        status == b"0" and all(_WARNING.search(line) for line in errors.splitlines())
        for status, errors in _asked(_CHECK, texts)
    ]


def pretty(texts: list[str]) -> list[str]:
    """Each text as `bash --pretty-print` writes it."""
    return [shown.decode("utf-8", "surrogateescape") for _, shown in _asked(_PRETTY, texts)]


def _asked(program: str, texts: list[str]) -> list[tuple[bytes, bytes]]:
    """Pairs of exit status and output, in the order of the texts; two shells share the work."""
    halves = texts[::2], texts[1::2]
    with ThreadPoolExecutor(2) as pool:
        even, odd = pool.map(lambda half: _batch(program, half), halves)
    answers: list[tuple[bytes, bytes]] = [(b"", b"")] * len(texts)
    answers[::2], answers[1::2] = even, odd
    return answers


def _batch(program: str, texts: list[str]) -> list[tuple[bytes, bytes]]:
    sent = b"".join(text.encode("utf-8", "surrogateescape") + b"\0" for text in texts)
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    shown = subprocess.run(
        ["bash", "--norc", "--noprofile", "-c", program],
        input=sent,
        capture_output=True,
        check=True,
        env=environment,
    ).stdout.split(b"\0")
    return list(zip(shown[:-1:2], shown[1::2], strict=True))

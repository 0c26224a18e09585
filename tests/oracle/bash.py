"""Ask the instrumented bash what it sees in a text; build.sh makes it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Record = list[object]

_WARNING = re.compile(r"warning: (here-document at line|command substitution: \d+ unterminated)")
_MAX_FEEDS = 300


class Truth(NamedTuple):
    """What bash says. verdict `broken`: accepted, but a part read at run time is not valid."""

    verdict: str
    records: list[Record]


def executable() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(cache) / "laconic-oracle" / "oracle-bash"


@contextmanager
def oracle() -> Iterator[Callable[[str], Truth]]:
    """A function from a text, one character per byte, to bash's truth about it."""
    if not executable().exists():
        sys.exit("oracle: the instrumented bash is missing; run tests/oracle/build.sh")
    with subprocess.Popen(
        [executable(), "-n", "-c", ":"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={"ORACLE_SERVE": "1", "PATH": os.defpath, "LC_ALL": "C.UTF-8"},
    ) as process:
        yield lambda text: _truth(process, text)


def _truth(process: subprocess.Popen[bytes], text: str) -> Truth:
    records, accepted = _ask(process, "c", text, 0)
    if not accepted:
        return Truth("reject", [])
    found: list[Record] = []
    verdict, feeds = "accept", 0
    while records:
        record = records.pop()
        for mode, fed, extglob in _fed(record):
            feeds += 1
            inner, accepted = _ask(process, mode, fed, extglob)
            records += inner
            if not accepted or feeds > _MAX_FEEDS:
                verdict = "broken"
        if record[0] != "feed":
            found.append(record)
    return Truth(verdict, found)


def _fed(record: Record) -> Iterator[tuple[str, str, int]]:
    """The texts in a record that bash reads when it expands them."""
    if record[0] == "feed":
        _, mode, text, extglob = record
        if mode in ("b", "B"):
            escapes = r'\\([$`\\"])' if mode == "B" else r"\\([$`\\])"
            yield "c", re.sub(escapes, r"\1", str(text)), int(str(extglob))
        else:
            yield str(mode), str(text), int(str(extglob))
    elif record[0] in ("command", "redirects"):
        for redirect in record[-1]:  # type: ignore[attr-defined]
            if redirect[0] in ("<<", "<<-") and not redirect[3]:
                yield "t", redirect[4], 0


def _ask(
    process: subprocess.Popen[bytes], mode: str, text: str, extglob: int
) -> tuple[list[Record], bool]:
    """One request: the records, and whether bash accepts the text."""
    raw = text.encode("latin-1")
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"%c %d %d\n%s" % (ord(mode), extglob, len(raw), raw))
    process.stdin.flush()
    records: list[Record] = []
    while True:
        record = json.loads(process.stdout.readline())
        if record[0] == "end":
            break
        records.append(record)
    errors = [line for line in record[2].splitlines() if not _WARNING.search(line)]
    return records, record[1] == 0 and not errors

"""The committed truth beside the case files.

`python -m oracle.truth write` makes it; `check` asks bash again and compares.

A `.facts` file has one line of JSON per case: the case's digest, bash's verdict, bash's facts.
"""

from __future__ import annotations

import hashlib
import json
import sys
from typing import TYPE_CHECKING, NamedTuple

from . import facts
from .bash import oracle
from .generate import CASES, RESERVED, read_cases

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .bash import Truth


class Case(NamedTuple):
    """A text with bash's truth; where says its file and number, for messages."""

    where: str
    text: str
    verdict: str
    facts: facts.Facts


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:12]


def load() -> list[Case]:
    """All cases; a text without its truth is an error."""
    found = []
    for path in sorted(CASES.glob("*.txt")):
        lines = path.with_suffix(".facts").read_text("ascii").splitlines()
        for number, (text, line) in enumerate(zip(read_cases(path), lines, strict=True), 1):
            mark, verdict, known = json.loads(line)
            where = f"{path.name}:{number}"
            if mark != digest(text):
                raise ValueError(f"{where}: the truth is of another text; run `make oracle-truth`")
            found.append(Case(where, text, verdict, known))
    return found


def lines_of(ask: Callable[[str], Truth], path: Path) -> list[str]:
    lines = []
    for text in read_cases(path):
        if RESERVED.search(text):
            sys.exit(f"{path.name}: control character in {text!r}")
        truth = ask(text.encode("utf-8", "surrogateescape").decode("latin-1"))
        known = facts.from_bash(truth.records) if truth.verdict == "accept" else []
        lines.append(json.dumps([digest(text), truth.verdict, known], separators=(",", ":")))
    return lines


def main() -> int:
    changed = 0
    with oracle() as ask:
        for path in sorted(CASES.glob("*.txt")):
            lines, target = lines_of(ask, path), path.with_suffix(".facts")
            committed = target.read_text("ascii").splitlines() if target.exists() else []
            changed += sum(a != b for a, b in zip(lines, committed, strict=False))
            changed += abs(len(lines) - len(committed))
            if sys.argv[1:] == ["write"]:
                target.write_text("\n".join(lines) + "\n", "ascii")
    print(f"truth: {changed} cases differ from the committed truth")
    return 1 if changed and sys.argv[1:] != ["write"] else 0


if __name__ == "__main__":
    sys.exit(main())

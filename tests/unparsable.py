"""Texts that cannot be parsed: the case file of them, and those that no case file can hold."""

from __future__ import annotations

from pathlib import Path

from decide_cases import Case, read_cases
from laconic.types import Verdict

CASES = sorted((Path(__file__).parent / "cases" / "unparsable").glob("*.cases"))

MADE = [
    ("deny", ":\n" * 300 + "rm -rf ~/\n)"),
    ("deny", "rm -rf ~/\necho \x7f"),
    ("deny", "rm -rf ~/; echo \x7f"),
    ("deny", "rm -rf ~/\n" + "$(" * 100),
    ("deny", "rm -rf ~/\n\ud800"),
    ("deny", "rm -rf ~/\necho \udcff"),
    ("ask", "cat ~/.ssh/id_rsa\n" + "$(" * 100),
    ("ask", "cat ~/.ssh/id_rsa\n" + "$(" * 100 + ")" * 100),
    ("ask", "cat ~/.ssh/id_rsa\necho \x01"),
    ("ask", "sh -c 'ls \x7f'"),
    ("ask", "git status \x7f"),
    ("ask", "$(" * 100 + "ls"),
    ("ask", "ls " + "x" * 70_000),
]
UNPARSABLE = [case for path in CASES for _, case in read_cases(path)] + [
    Case(Verdict(word), text, "") for word, text in MADE
]
